"""The counts of the cost stage: they never run ahead of what is left, and end where the work ends."""

from qualityscore.suites.cost import _Steps


def test_the_total_is_what_was_planned_until_the_end_and_then_what_was_done():
    seen = []
    steps = _Steps(lambda done, total: seen.append((done, total)))
    steps.plan(3)
    for _ in range(2):
        steps.step()
    steps.plan(2)
    steps.step()
    steps.finish()
    assert seen == [(0, 3), (1, 3), (2, 3), (2, 5), (3, 5), (3, 3)]


def test_while_more_comes_than_was_planned_the_stage_never_looks_done():
    seen = []
    steps = _Steps(lambda done, total: seen.append((done, total)))
    steps.plan(1)
    for _ in range(3):
        steps.step()
    assert all(done < total for done, total in seen)
    steps.finish()
    assert seen[-1] == (3, 3)
