"""The queue and its lanes in this process: who waits for whom, what is forgotten, what a cancelled one costs."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx2
import pytest

from backend.tiny import HALF, SOURCE, write_subject
from qualityscore.client import ScoringClient
from qualityscore.errors import ServiceError
from qualityscore.execution.jobs import Job
from qualityscore.server import dispatch
from qualityscore.server.access import RequestLimit
from qualityscore.server.queue import New, Queue, Status
from qualityscore.server.schemas import EvaluationRequest, Subject
from qualityscore.server.service import Service
from qualityscore.server.settings import Limits, Settings

OWNER = "anybody"


def new(name: str, key: str) -> New:
    return New(spec="{}", folder=f"/nowhere/{name}", key=key, request=name)


@pytest.fixture
def queue(tmp_path) -> Iterator[Queue]:
    queue = Queue(tmp_path / "queue.sqlite")
    yield queue
    queue.close()


def test_what_is_the_same_as_one_that_runs_waits_for_its_result(queue):
    first, same, other = queue.submit(OWNER, [new("a", "k"), new("b", "k"), new("c", "other")], room=9)
    assert [claimed.id for claimed in (queue.claim(), queue.claim()) if claimed] == [first, other]
    assert queue.claim() is None
    queue.finish(first, Status.SUCCEEDED, report="{}", result="k")
    claimed = queue.claim()
    assert claimed is not None
    assert (claimed.id, queue.known(claimed.key)) == (same, True)


def test_an_end_says_what_was_ended_and_happens_once(queue):
    waiting, running = queue.submit(OWNER, [new("b", "2"), new("a", "1")], room=9)
    assert queue.finish(waiting, Status.CANCELLED) is Status.QUEUED
    claimed = queue.claim()
    assert claimed is not None
    assert claimed.id == running
    assert queue.finish(running, Status.SUCCEEDED, report="{}", result="k") is Status.RUNNING
    assert queue.finish(running, Status.FAILED) is None
    assert queue.requeue(running) is False
    ended = queue.get(running)
    assert ended is not None
    assert ended.status is Status.SUCCEEDED


def until(true: Callable[[], bool], within_s: float = 120.0) -> None:
    give_up = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < give_up
        time.sleep(0.01)


@pytest.fixture
def serve(tiny_task, tmp_path):
    """Start a service in this process, on one worker."""
    started = []

    def start(*, tasks: tuple[str, ...] = (str(tiny_task),), **limits) -> Service:
        settings = Settings(
            data=tmp_path / "data",
            roots=(tmp_path,),
            tasks=tasks,
            limits=replace(Limits(), **limits),
        )
        service = Service(settings)
        started.append(service)
        return service

    yield start
    for service in started:
        service.stop()


def submit(service: Service, *subjects: Subject) -> list[str]:
    asked = EvaluationRequest(task="tiny", only=("functional",), path="unused")
    return asyncio.run(service.submit(OWNER, asked, subjects))


def source(remark: str, text: str = SOURCE) -> Subject:
    return Subject(files={"tiny.py": f"{text}# {remark}\n"})


def test_what_is_old_is_forgotten_under_load_too(serve, monkeypatch):
    monkeypatch.setattr(dispatch, "_EXPIRE_INTERVAL_S", 0.0)
    service = serve(keep_s=0.001)
    submit(service, *(source(str(number)) for number in range(4)))
    service.start()
    most = 0
    while service.queue.counts()[Status.QUEUED]:  # a lane never finds nothing to do
        most = max(most, service.queue.counts()[Status.SUCCEEDED])
        time.sleep(0.01)
    assert most <= 1


@pytest.mark.parametrize("read", [Status.QUEUED, Status.RUNNING])  # by its owner, before or after the claim
def test_one_that_is_cancelled_between_claim_and_start_never_starts(serve, monkeypatch, read):
    service = serve()
    claimed, cancelled = threading.Event(), threading.Event()
    begin = service.dispatcher._job

    def job(evaluation) -> Job:
        claimed.set()
        assert cancelled.wait(60)
        return begin(evaluation)

    monkeypatch.setattr(service.dispatcher, "_job", job)
    (unwanted,) = submit(service, source("unwanted"))
    service.start()
    assert claimed.wait(60)
    service.dispatcher.cancel(replace(service.find(unwanted, OWNER), status=read))
    cancelled.set()
    (after,) = submit(service, source("after"))
    until(lambda: service.find(after, OWNER).status.is_final)
    assert service.find(after, OWNER).status is Status.SUCCEEDED
    assert service.find(unwanted, OWNER).status is Status.CANCELLED
    (worker,) = service.engine._idle
    assert worker._life.jobs == 1
    until(lambda: list((service.settings.data / "subjects").iterdir()) == [])  # removed after the status is final
    assert service.dispatcher._cancelled == set()


def test_a_path_that_changes_before_it_is_evaluated_has_no_score_and_none_is_remembered(serve, tmp_path):
    subject = write_subject(tmp_path / "s", source=HALF)
    service = serve()
    (changed,) = submit(service, Subject(path="s"))
    (subject / "tiny.py").write_text(SOURCE)
    service.start()
    until(lambda: service.find(changed, OWNER).status.is_final)
    score = service.score(service.find(changed, OWNER))
    assert (service.find(changed, OWNER).status, score.score, score.components) == (Status.FAILED, None, None)
    assert "changed" in (score.reason or "")
    (subject / "tiny.py").write_text(HALF)
    (again,) = submit(service, Subject(path="s"))
    until(lambda: service.find(again, OWNER).status.is_final)
    components = service.score(service.find(again, OWNER)).components
    assert components is not None
    assert components["F"] == 0.5


def test_what_an_earlier_service_took_in_is_not_remembered_against_another_snapshot(serve, tiny_task, tmp_path):
    task = tmp_path / "task"
    shutil.copytree(tiny_task, task)
    before = serve(tasks=(str(task),))
    (waiting,) = submit(before, source("waits"))
    key = before.find(waiting, OWNER).key
    before.stop()
    with next(task.glob("baseline-*.json")).open("a") as snapshot:
        snapshot.write("\n")
    after = serve(tasks=(str(task),))
    after.start()
    until(lambda: after.find(waiting, OWNER).status.is_final)
    assert after.find(waiting, OWNER).status is Status.SUCCEEDED
    assert not after.queue.known(key)


def test_an_evaluation_that_the_service_fails_at_ends_and_blocks_nobody(serve, tmp_path):
    service = serve()
    first, second = submit(service, source("fails"), source("fails"))
    with service.queue._transaction() as database:  # what it was asked cannot be read any more
        database.execute("UPDATE evaluations SET spec = 'torn' WHERE id = ?", (first,))
    service.start()
    until(lambda: service.queue.counts()[Status.SUCCEEDED] == 1)
    failed, done = service.queue.get(first), service.queue.get(second)
    assert failed is not None
    assert done is not None
    assert (failed.status, failed.code, done.status) == (Status.FAILED, "QS-300", Status.SUCCEEDED)


def test_more_requests_than_fit_are_told_when_to_come_again():
    async def scenario() -> tuple[list[int], str]:
        enough = asyncio.Event()

        async def slow(scope, receive, send) -> None:
            await enough.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        transport = httpx2.ASGITransport(app=RequestLimit(slow, most=2))
        async with httpx2.AsyncClient(transport=transport, base_url="http://here") as http:
            two = [asyncio.create_task(http.get("/")) for _ in range(2)]
            await asyncio.sleep(0.1)
            refused = await http.get("/")
            enough.set()
            statuses = [(await one).status_code for one in two]
            statuses += [refused.status_code, (await http.get("/")).status_code]
            return statuses, refused.headers["Retry-After"]

    assert asyncio.run(scenario()) == ([200, 200, 503, 200], "5")


@pytest.mark.parametrize(("headers", "asked"), [({"Retry-After": "0"}, 2), ({}, 1), ({"Retry-After": "soon"}, 1)])
def test_a_client_comes_again_where_503_says_when(headers, asked):
    seen = []

    class Busy(BaseHTTPRequestHandler):
        """Busy once, then with no task to offer."""

        def do_GET(self) -> None:
            seen.append(self.path)
            body = b"[]" if len(seen) > 1 else b""
            self.send_response(200 if body else 503)
            for name, value in {**({} if body else headers), "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with ScoringClient(f"http://127.0.0.1:{server.server_port}", patience_s=60) as client:
            if asked == 2:
                assert client.tasks() == []
            else:
                with pytest.raises(ServiceError) as refusal:
                    client.tasks()
                assert refusal.value.status == 503
        server.shutdown()
    assert len(seen) == asked
