"""Spread over reruns: the published figures, and by hand."""

import csv
from pathlib import Path

import pytest

from qualityscore.core.stability import Rerun, anything_rerun, orders, spreads, without_shared_samples

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
    assert (spread.pairs, spread.cv_pairs) == (38, 38)


def test_the_published_deviation_of_nf_comes_out(published):
    spread = published["non_functional_score"]
    assert (round(spread.sd_median, 6), round(spread.sd_p95, 6)) == (0.000000, 0.001314)


def rerun(label, task, run, sample=0, **values):
    return Rerun(label=label, task=task, run=run, sample=sample, values=values)


def order_changes(runs, quantities):
    return [order for order in orders(runs, quantities) if order.changes]


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


def test_a_task_that_a_label_has_in_no_run_counts_nought_in_the_order():
    runs = [rerun("a", "t1", r, f=0.6) for r in "12"] + [rerun("b", "t1", r, f=0.1) for r in "12"]
    runs += [rerun("b", "t2", r, f=value) for r, value in (("1", 0.9), ("2", 0.3))]
    # Means over the two tasks: run 1 0.3 against 0.5, run 2 0.3 against 0.2.
    [change] = order_changes(runs, ["f"])
    assert (change.first_ahead, change.second_ahead) == (("2",), ("1",))
    assert (change.tasks, change.left_out) == (2, 0)


@pytest.mark.parametrize("lost", [[], [rerun("b", "t2", "2")]])
def test_a_score_that_one_run_lacks_takes_its_task_out_of_all_runs(lost):
    """Whether the run has no result there or one without the score; counted as 0 the order would change."""
    runs = [rerun("a", "t1", r, f=0.6) for r in "12"] + [rerun("b", "t1", r, f=0.5) for r in "12"]
    runs += [rerun("a", "t2", r, f=0.2) for r in "12"] + [rerun("b", "t2", "1", f=0.9), *lost]
    [order] = orders(runs, ["f"])
    # Over t1 alone: 0.6 against 0.5 in both. Over both tasks run 1 would be 0.4 against 0.7, run 2 0.4 against 0.25.
    assert (order.first_ahead, order.second_ahead, order.tied) == (("1", "2"), (), ())
    assert (order.tasks, order.left_out, order.changes) == (1, 1, False)


def test_labels_that_share_no_measured_task_are_not_compared():
    runs = [rerun("a", "t", "1", f=0.5), rerun("a", "t", "2"), rerun("b", "t", "1", f=0.1), rerun("b", "t", "2", f=0.1)]
    [order] = orders(runs, ["f"])
    assert (order.compared, order.changes, order.tasks, order.left_out) == (False, False, 0, 1)


def test_samples_of_a_task_are_averaged_before_anything_else():
    def two(label, run, low, high):
        return [rerun(label, "t", run, 0, f=low), rerun(label, "t", run, 1, f=high)]

    runs = [
        *two("a", "1", 0.2, 0.6),
        *two("a", "2", 0.4, 0.8),
        rerun("b", "t", "1", f=0.5),
        rerun("b", "t", "2", f=0.5),
    ]
    # a: 0.4 and 0.6 (population SD 0.1, CV 0.2); summed it would be ahead of b in both runs.
    [change] = order_changes(runs, ["f"])
    assert (change.first_ahead, change.second_ahead) == (("2",), ("1",))
    [spread] = spreads(runs[:4])
    assert (spread.sd_median, spread.cv_median) == (pytest.approx(0.1), pytest.approx(0.2))


def test_a_sample_that_one_run_lacks_is_left_out_of_all_runs():
    """Samples of 0.2 and 0.6, of which the second run has measured the first only, as 0.4: 0.2 and 0.4 compare.

    SD 0.1 around 0.3. The mean of run 1 over both samples is 0.4 as well, which would be no spread at all.
    """
    runs = [rerun("a", "t", "1", 0, f=0.2), rerun("a", "t", "1", 1, f=0.6), rerun("a", "t", "2", 0, f=0.4)]
    for lost in ([], [rerun("a", "t", "2", 1)]):
        [spread] = spreads([*runs, *lost])
        assert (spread.sd_median, spread.cv_median) == (pytest.approx(0.1), pytest.approx(1 / 3))
        others = [rerun("b", "t", run, f=0.3) for run in "12"]
        [change] = order_changes([*runs, *lost, *others], ["f"])
        assert (change.first_ahead, change.second_ahead, change.left_out) == (("2",), ("1",), 0)
    assert spreads([runs[1], runs[2]]) == ()


def test_means_that_differ_by_rounding_are_level():
    """0.1 + 0.2 + 0.3 in two orders, and three times 0.2: floating point tells all of them apart."""
    rows = {"a": ((0.1, 0.2, 0.3), (0.2, 0.2, 0.2)), "b": ((0.3, 0.2, 0.1), (0.1, 0.2, 0.3))}
    runs = [
        rerun(label, f"t{task}", str(run), f=value)
        for label, both in rows.items()
        for run, values in enumerate(both)
        for task, value in enumerate(values)
    ]
    [order] = orders(runs, ["f"])
    assert (order.tied, order.changes) == (("0", "1"), False)


def test_a_coefficient_beyond_any_number_is_not_one():
    [spread] = spreads([rerun("m", "t", str(i), x=x) for i, x in enumerate((1e100, -1e100, 1e-250))])
    # The mean is 1e-250 / 3 at most: the CV would be above 1e349.
    assert (spread.cv_pairs, spread.cv_median, spread.cv_p95) == (0, None, None)
    assert spread.sd_median == pytest.approx(1e100 * (2 / 3) ** 0.5)


def test_nothing_is_rerun_where_no_label_has_a_task_twice():
    assert not anything_rerun([rerun("a", "t", "1"), rerun("b", "t", "2"), rerun("a", "u", "2")])
    assert anything_rerun([rerun("a", "t", "1"), rerun("a", "t", "2")])


def test_samples_that_no_two_runs_share_are_named():
    reruns = [
        Rerun(label="a", task="t", run="1", sample=0, values={"x": 0.1}),
        Rerun(label="a", task="t", run="2", sample=0, values={"x": 0.9}),
        Rerun(label="b", task="t", run="1", sample=0, values={"x": 0.1}),
    ]
    assert without_shared_samples(reruns) == ()
    # A third run that holds another sample leaves nothing that all of them have.
    reruns.append(Rerun(label="a", task="t", run="3", sample=1, values={"x": 0.5}))
    assert without_shared_samples(reruns) == (("a", "t"),)
    assert spreads(reruns) == ()
