"""The local engine's workers: each on cores of its own, ended with their engine; and the limits of callers."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable

import psutil
import pytest

from qualityscore.errors import UsageError
from qualityscore.execution.jobs import Broken, Job, Refused
from qualityscore.execution.local_engine import LocalEngine
from qualityscore.runtime.leases import physical_cores
from qualityscore.server.access import ProblemError, RateLimit, allowed_hosts
from qualityscore.server.settings import Settings, read_tokens


def all_workers() -> list[psutil.Process]:
    mine = psutil.Process(os.getpid()).children()
    living = [child for child in mine if child.status() != psutil.STATUS_ZOMBIE]  # others' tests may leave dead ones
    return [child for child in living if any("worker_main" in part for part in child.cmdline())]


@pytest.fixture
def workers() -> Callable[[], list[psutil.Process]]:
    """The workers that a test has started: those of rewards live as long as the process that asked for them."""
    others = set(all_workers())
    return lambda: [worker for worker in all_workers() if worker not in others]


def job(folder, **changes) -> Job:
    fields = {
        "id": "a",
        "folder": folder,
        "task": "cachetools",
        "only": ("functional",),
        "profile": "reference",
        "counter": "auto",
        "unsafe": False,
        "timeout_s": 60.0,
    }
    return Job(**{"name": str(fields["folder"]), **fields, **changes})


def test_workers_share_no_core_and_end_with_their_engine(tmp_path, workers):
    lanes = min(2, len(physical_cores()))
    engine = LocalEngine(lanes=lanes, scratch=tmp_path, longest_s=60)
    try:
        engine.warm()
        started = workers()
        seats = [frozenset(worker.cpu_affinity() or ()) for worker in started]
        assert len(seats) == lanes
        assert frozenset().union(*seats) == os.sched_getaffinity(0)
        assert sum(map(len, seats)) == len(os.sched_getaffinity(0))
    finally:
        engine.close()
    _, alive = psutil.wait_procs(started, timeout=10)
    assert alive == []
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_dies_is_an_answer_and_the_next_job_gets_another(tmp_path, workers):
    (tmp_path / "empty").mkdir()
    (tmp_path / "scratch").mkdir()
    engine = LocalEngine(lanes=1, scratch=tmp_path / "scratch", longest_s=60)
    try:
        engine.warm()
        workers()[0].kill()
        time.sleep(0.2)
        first = engine.evaluate(job(tmp_path / "empty"))
        assert isinstance(first, Broken)
        assert first.lost
        assert "signal 9" in first.reason
        second = engine.evaluate(job(tmp_path / "empty"))
        assert isinstance(second, Refused)
        assert second.code == "QS-110"
    finally:
        engine.close()
    assert isinstance(engine.evaluate(job(tmp_path / "empty")), Broken)


def test_a_caller_faster_than_the_rate_is_told_how_long_to_wait():
    now = [100.0]
    limit = RateLimit(2.0, 4, clock=lambda: now[0])
    limit.take("a", 4)
    limit.take("b", 4)  # another owner's bucket
    with pytest.raises(ProblemError) as refusal:
        limit.take("a", 3)
    assert refusal.value.status == 429
    assert refusal.value.headers["Retry-After"] == "2"  # 3 at 2 a second
    now[0] += 1.5
    limit.take("a", 3)


def test_tokens_are_kept_as_digests_and_checked_for_length():
    tokens = read_tokens(["# comment", "", "one 0123456789abcdef", "fedcba9876543210"], "t")
    nameless = f"token-{hashlib.sha256(b'fedcba9876543210').hexdigest()[:16]}"
    assert sorted(tokens.values()) == ["one", nameless]
    assert "0123456789abcdef" not in tokens
    for lines in (["short"], ["a b c"], [], ["x 0123456789abcdef", "x fedcba9876543210"]):
        with pytest.raises(UsageError):
            read_tokens(lines, "the file")


@pytest.mark.parametrize(
    ("host", "tokens", "hosts"),
    [
        ("127.0.0.1", {}, ["localhost", "127.0.0.1", "[::1]"]),
        ("localhost", {}, ["localhost", "127.0.0.1", "[::1]"]),
        ("127.0.0.1", {"d": "n"}, None),
        ("0.0.0.0", {"d": "n"}, None),
    ],
)
def test_names_are_checked_where_no_token_is(tmp_path, host, tokens, hosts):
    assert allowed_hosts(Settings(host=host, data=tmp_path, tokens=tokens)) == hosts
