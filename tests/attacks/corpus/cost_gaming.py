"""Seeming cheaper than one is: the cheats that the cost suite's own tests hold, with their place."""

from __future__ import annotations

from attacks.corpus.attack import Elsewhere, Family

_CHEATS = "tests/e2e/cost/test_cheats.py"
_SUITE = "tests/e2e/cost/test_cost_suite.py"
_TWINS = f"{_CHEATS}::test_no_measure_of_a_cheat_scores_better_than_its_plain_twins"
_HIDDEN = f"{_CHEATS}::test_hidden_work_is_charged_like_work_done_plainly"


def _row(name: str, node: str) -> Elsewhere:
    return Elsewhere(name=name, family=Family.COST, node=node)


ROWS = (
    _row("sleeping", _HIDDEN),
    _row("work in a thread", _HIDDEN),
    _row("work in a process", _HIDDEN),
    _row("results kept on disk between runs", _HIDDEN),
    _row("patched clocks", _HIDDEN),
    _row("patched counters", f"{_CHEATS}::test_patched_counters_change_no_figure"),
    _row(
        "results kept in the environment between runs",
        f"{_CHEATS}::test_nothing_that_a_run_leaves_is_there_in_the_next",
    ),
    _row("telling the order of runs", f"{_CHEATS}::test_nothing_that_a_run_leaves_is_there_in_the_next"),
    _row("telling the workload from other callers", f"{_CHEATS}::test_less_work_for_the_workload_is_another_result"),
    _row("the installed reference", "tests/attacks/test_out_of_reach.py::test_the_reference_is_nowhere_to_be_found"),
    _row("garbage collection switched off", _HIDDEN),
    _row("work moved into the import", f"{_CHEATS}::test_work_moved_into_the_import_is_charged"),
    _row("seeing the counter", f"{_CHEATS}::test_code_that_sees_valgrind_is_measured_without_it"),
    _row("one item on purpose slow", f"{_TWINS}[one item on purpose slow]"),
    _row("a poisoned workload", f"{_CHEATS}::test_a_poisoned_workload_wins_only_where_all_calls_give_the_same"),
    _row("right only now and then", f"{_CHEATS}::test_a_result_that_is_right_only_now_and_then_is_flaky_with_its_rate"),
    _row(
        "a daemon that the import starts",
        f"{_SUITE}::test_a_daemon_that_the_import_starts_is_charged_to_the_subject_alone",
    ),
    _row("a forged result", f"{_SUITE}::test_workloads_that_fail_are_worthless_by_the_subjects_fault_and_no_others"),
)
