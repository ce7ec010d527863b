"""Spread over reruns: the published figures, and by hand."""

import csv
from pathlib import Path

import pytest

from qualityscore.core.stability import Rerun, order_changes, spreads

RERUNS = Path(__file__).resolve().parents[2] / "data" / "ral_bench" / "reruns.csv"


@pytest.fixture(scope="module")
def published():
    with RERUNS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in ("project", "model", "run")]
    reruns = [
        Rerun(label=r["model"], task=r["project"], run=r["run"], values={n: float(r[n]) for n in names}) for r in rows
    ]
    return {spread.quantity: spread for spread in spreads(reruns)}


@pytest.mark.parametrize(
    ("quantity", "median", "p95"),
    [
        ("non_functional_score", 0.000000, 0.001713),
        ("perf_elapsed_time_s", 0.020300, 0.046814),
        ("avg_memory_mb", 0.008371, 0.013755),
        ("avg_cpu_percent", 0.013551, 0.021369),
    ],
)
def test_the_published_coefficients_of_variation_come_out(published, quantity, median, p95):
    spread = published[quantity]
    assert (round(spread.cv_median, 6), round(spread.cv_p95, 6)) == (median, p95)
    assert spread.tasks == 38


def test_the_published_deviation_of_nf_comes_out(published):
    spread = published["non_functional_score"]
    assert (round(spread.sd_median, 6), round(spread.sd_p95, 6)) == (0.000000, 0.001314)


def rerun(label, task, run, **values):
    return Rerun(label=label, task=task, run=run, values=values)


def test_deviation_is_that_of_the_population():
    # 1, 3: mean 2, population SD 1, CV 0.5.
    [spread] = spreads([rerun("m", "t", "1", x=1.0), rerun("m", "t", "2", x=3.0)])
    assert (spread.sd_median, spread.cv_median) == (1, 0.5)


def test_the_95th_percentile_interpolates_linearly():
    runs = [rerun("m", f"t{d}", run, x=10.0 + sign * d) for d in range(11) for run, sign in (("1", -1), ("2", 1))]
    [spread] = spreads(runs)
    # Deviations are 0, 1, ..., 10: median 5, 95th percentile at index 9.5.
    assert (spread.sd_median, spread.sd_p95) == (5, pytest.approx(9.5))


def test_one_run_alone_has_no_spread():
    assert spreads([rerun("m", "t", "1", x=1.0)]) == ()


def test_a_zero_mean_has_no_coefficient_unless_nothing_varies():
    [varying] = spreads([rerun("m", "t", "1", x=-1.0), rerun("m", "t", "2", x=1.0)])
    assert (varying.sd_median, varying.cv_median) == (1, None)
    [still] = spreads([rerun("m", "t", "1", x=0.0), rerun("m", "t", "2", x=0.0)])
    assert still.cv_median == 0


def test_an_order_that_changes_between_runs_is_named():
    runs = [
        rerun("a", "t", "1", f=0.9),
        rerun("b", "t", "1", f=0.8),
        rerun("a", "t", "2", f=0.7),
        rerun("b", "t", "2", f=0.8),
        rerun("c", "t", "1", f=0.1),
        rerun("c", "t", "2", f=0.1),
    ]
    [change] = order_changes(runs, ["f"])
    assert (change.first, change.second) == ("a", "b")
    assert (change.first_ahead, change.second_ahead, change.tied) == (("1",), ("2",), ())


def test_a_missing_task_counts_nought_in_the_order():
    runs = [
        rerun("a", "t1", "1", f=0.6),
        rerun("b", "t1", "1", f=0.5),
        rerun("b", "t2", "1", f=0.5),
        rerun("a", "t1", "2", f=0.6),
        rerun("b", "t1", "2", f=0.5),
    ]
    # Means over the two tasks: run 1 0.3 against 0.5, run 2 0.3 against 0.25.
    [change] = order_changes(runs, ["f"])
    assert (change.first_ahead, change.second_ahead) == (("2",), ("1",))
