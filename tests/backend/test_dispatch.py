"""The queue and its lanes in this process: who waits for whom, what is forgotten, what a cancelled one costs."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

import httpx2
import pytest

from backend.tiny import HALF, SOURCE, write_subject
from qualityscore.client import ScoringClient, _wait_s
from qualityscore.commands import serve as serve_command
from qualityscore.errors import ServiceError, UsageError
from qualityscore.execution.jobs import Job
from qualityscore.server import dispatch
from qualityscore.server.access import BodyLimit, OwnPagesOnly, ProblemError, RequestLimit
from qualityscore.server.intake import Tasks
from qualityscore.server.queue import New, Queue, Status
from qualityscore.server.schemas import EvaluationRequest, ScoreRequest, Subject
from qualityscore.server.service import Service
from qualityscore.server.settings import Limits, Settings

OWNER = "anybody"


def new(name: str, key: str) -> New:
    return New(spec="{}", folder=f"/nowhere/{name}", key=key, request=name)


def serve_arguments(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    serve_command.add_parser(parser.add_subparsers())
    return parser.parse_args(["serve", *given])


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


def test_a_result_is_not_forgotten_while_one_that_has_begun_is_about_to_take_it(queue):
    first, same = queue.submit(OWNER, [new("a", "k"), new("b", "k")], room=9)
    queue.claim()
    queue.finish(first, Status.SUCCEEDED, report="{}", result="k")
    claimed = queue.claim()
    assert claimed is not None
    assert (claimed.id, queue.known(claimed.key)) == (same, True)
    queue.remove(first)
    queue.expire(keep_s=9, keep=9)
    queue.finish(same, Status.SUCCEEDED, result=claimed.key)
    ended = queue.get(same)
    assert ended is not None
    assert queue.report(ended) == "{}"


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
    submit(service, *(source(str(number)) for number in range(6)))
    service.start()
    most = 0
    while service.queue.counts()[Status.QUEUED]:  # a lane never finds nothing to do
        most = max(most, service.queue.counts()[Status.SUCCEEDED])
        time.sleep(0.01)
    assert most <= 2  # the last one, and one that was too young when it was looked at; without forgetting 4


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


def test_a_subject_that_vanishes_while_it_waits_has_no_score(serve, tmp_path):
    write_subject(tmp_path / "s", source=HALF)
    service = serve()
    taken = submit(service, source("own copy"), Subject(path="s"))
    for id_ in taken:
        shutil.rmtree(service.find(id_, OWNER).folder)
    service.start()
    for id_ in taken:
        until(lambda id_=id_: service.find(id_, OWNER).status.is_final)
        found = service.find(id_, OWNER)
        score = service.score(found)
        assert (found.status, found.code, score.score, score.components) == (Status.FAILED, "QS-300", None, None)
        assert "at intake" in (score.reason or "")


def test_a_subject_at_which_the_service_itself_fails_costs_the_others_nothing(serve, monkeypatch):
    service = serve()
    accept = service.intake.accept

    def failing(asked, subject, upload, idempotency) -> New:
        if subject.label == "bad":
            raise IndexError("string index out of range")
        return accept(asked, subject, upload, idempotency)

    async def here() -> bool:
        return False

    monkeypatch.setattr(service.intake, "accept", failing)
    subjects = [{"label": "bad", "files": {"tiny.py": ""}}, {"files": {"tiny.py": HALF}}]
    asked = ScoreRequest.model_validate({"task": "tiny", "only": ["functional"], "subjects": subjects})
    service.start()
    bad, good = asyncio.run(service.score_all(OWNER, asked, here))
    assert (bad.score, bad.components) == (None, None)
    assert "IndexError" in (bad.reason or "")
    assert good.components is not None
    assert good.components["F"] == 0.5
    with pytest.raises(ProblemError) as refusal:
        submit(service, Subject(label="bad", files={"tiny.py": ""}))
    assert refusal.value.status == 500


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


def fill(queue: Queue) -> None:
    """Let SQLite be at its SQLITE_FULL, as on a disk without room: no page can be added, and none has room."""
    with queue._lock:
        queue._database.execute("PRAGMA max_page_count = 1")  # which it takes for as many as there are
        for size in (4000, 400, 40):
            with contextlib.suppress(sqlite3.OperationalError):
                for number in itertools.count():
                    name = f"{size}-{number}"
                    queue._database.execute("INSERT INTO results VALUES (?, zeroblob(?))", (name, size))


def fill_when_one_ends(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill the queue's disk between an evaluation's answer and its end."""
    evaluate = service.engine.evaluate

    def and_fill(*arguments, **more):
        answer = evaluate(*arguments, **more)
        fill(service.queue)
        return answer

    monkeypatch.setattr(service.engine, "evaluate", and_fill)


def test_an_end_that_a_full_disk_does_not_take_is_kept_when_there_is_room_again(serve, monkeypatch, caplog):
    monkeypatch.setattr(dispatch, "RETRY_S", 0.05)
    service = serve()
    taken = submit(service, source("full", HALF), source("full", HALF))
    evaluate = service.engine.evaluate
    fill_when_one_ends(service, monkeypatch)
    service.start()
    until(lambda: caplog.text.count("database or disk is full") >= 2)
    assert service.find(taken[0], OWNER).status is Status.RUNNING
    monkeypatch.setattr(service.engine, "evaluate", evaluate)
    with service.queue._lock:
        service.queue._database.execute("PRAGMA max_page_count = 1000000")
    until(lambda: all(service.find(id_, OWNER).status.is_final for id_ in taken))
    for id_ in taken:
        assert service.find(id_, OWNER).status is Status.SUCCEEDED
        components = service.score(service.find(id_, OWNER)).components
        assert components is not None
        assert components["F"] == 0.5


def test_a_service_with_a_full_disk_stops_and_the_next_one_goes_on(serve, monkeypatch, caplog):
    service = serve()
    (id_,) = submit(service, source("full", HALF))
    fill_when_one_ends(service, monkeypatch)
    service.start()
    until(lambda: "database or disk is full" in caplog.text)
    began = time.monotonic()
    service.stop()
    assert time.monotonic() - began < dispatch.RETRY_S
    after = serve()
    after.start()
    until(lambda: after.find(id_, OWNER).status.is_final)
    assert after.find(id_, OWNER).status is Status.SUCCEEDED


def ended(service: Service, owner: str, name: str) -> str:
    (id_,) = service.queue.submit(owner, [new(name, name)], room=99)
    assert service.queue.finish(id_, Status.SUCCEEDED, report="{}", result=name) is Status.QUEUED
    return id_


def test_a_task_is_served_by_its_id_beside_a_folder_of_that_name_and_by_its_file(tiny_task, tmp_path, monkeypatch):
    (tmp_path / "cachetools").mkdir()
    monkeypatch.chdir(tmp_path)
    given = serve_arguments("--task", "cachetools", "--task", os.path.relpath(tiny_task / "task.toml"))
    settings = serve_command._settings(given)
    assert Tasks(settings.tasks).paths == {"cachetools": "cachetools", "tiny": str(tiny_task)}


def test_two_tasks_of_one_id_are_not_served_together(tiny_task, tmp_path):
    other = shutil.copytree(tiny_task, tmp_path / "other")
    with pytest.raises(UsageError, match="'tiny'"):
        Tasks((str(tiny_task), str(other)))
    assert len(Tasks((str(tiny_task), f"{tiny_task}/")).entries) == 1


def test_a_clock_that_jumps_ahead_forgets_nothing(serve, monkeypatch):
    service = serve()
    kept = ended(service, "one", "a")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 2 * 86_400)
    service.dispatcher._expire()
    assert service.queue.get(kept) is not None


def test_what_one_owner_has_done_pushes_out_nothing_of_another(serve):
    service = serve(keep=2)
    first = ended(service, "one", "first")
    others = [ended(service, "two", str(number)) for number in range(4)]
    service.dispatcher._expire()
    assert service.queue.get(first) is not None
    assert [service.queue.get(id_) is not None for id_ in others] == [False, False, True, True]


def test_the_time_that_a_queue_was_served_goes_on_with_the_next_service(tmp_path):
    for served in (1.0, 2.0):
        queue = Queue(tmp_path / "queue.sqlite")
        queue._opened -= 1.0  # as if it had been open for a second
        assert served <= queue._served() < served + 0.9
        queue.expire(keep_s=60, keep=9)
        queue.close()


def answered(app, messages: list[dict], headers: dict[str, str], path: str = "/") -> tuple[int, float]:
    """The status that an ASGI application answers to a request of these messages, and after how many seconds."""

    async def scenario() -> tuple[int, float]:
        left = list(messages)
        sent: list[dict] = []

        async def receive() -> dict:
            if not left:
                await asyncio.sleep(60)
            return left.pop(0)

        async def send(message) -> None:
            sent.append(message)

        coded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": "POST", "path": path, "headers": coded}
        began = time.monotonic()
        await app(scope, receive, send)
        return sent[0]["status"], time.monotonic() - began

    return asyncio.run(scenario())


async def reads_all(scope, receive, send) -> None:
    while (await receive()).get("more_body", False):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def test_a_body_that_does_not_come_whole_in_time_is_given_up():
    part = {"type": "http.request", "body": b"x", "more_body": True}
    limit = BodyLimit(reads_all, largest=99, within_s=0.2)
    status, seconds = answered(limit, [part, part], {})
    assert status == 408
    assert 0.2 <= seconds < 20
    assert answered(limit, [part, {**part, "more_body": False}], {})[0] == 200


def test_a_request_that_came_whole_may_wait_for_its_answer():
    async def waits(scope, receive, send) -> None:
        await receive()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(receive(), 0.3)  # for the end of the connection, as is_disconnected does
        await reads_all(scope, lambda: asyncio.sleep(0, {}), send)

    limit = BodyLimit(waits, largest=99, within_s=0.1)
    assert answered(limit, [{"type": "http.request", "body": b"x", "more_body": False}], {})[0] == 200


def test_whether_it_is_alive_is_told_when_it_is_full_too():
    assert answered(RequestLimit(reads_all, most=0), [{"type": "http.request"}], {}, "/healthz")[0] == 200
    assert answered(RequestLimit(reads_all, most=0), [{"type": "http.request"}], {}, "/v1/tasks")[0] == 503


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://127.0.0.1:8321", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Origin": "https://attacker.example"}, 403),
        ({"Origin": "http://127.0.0.1:3000"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_no_page_of_another_site_is_answered(headers, status):
    asked = {"Host": "127.0.0.1:8321", **headers}
    assert answered(OwnPagesOnly(reads_all), [{"type": "http.request"}], asked)[0] == status


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


class Silent(BaseHTTPRequestHandler):
    """Follows an evaluation that never says anything, or says over and over that it is there."""

    pings = False

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(b'event: state\ndata: {"status": "running"}\n\n')
            for _ in range(100):
                time.sleep(0.1)
                if self.pings:
                    self.wfile.write(b": ping\n\n")

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.mark.parametrize(("pings", "http_s", "whole_s"), [(False, 0.5, 3600.0), (True, 60.0, 0.5)])
def test_a_client_follows_no_evaluation_for_ever(pings, http_s, whole_s):
    handler = type("Handler", (Silent,), {"pings": pings})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        began = time.monotonic()
        with ScoringClient(f"http://127.0.0.1:{server.server_port}", timeout_s=http_s) as client:
            events = client.events("x", timeout_s=whole_s)
            assert next(events) == {"status": "running"}
            with pytest.raises(ServiceError, match="cannot be followed|has not ended after 0.5 s"):
                next(events)
        assert time.monotonic() - began < 8
        server.shutdown()


def test_a_client_says_at_once_what_cannot_be_asked():
    with pytest.raises(UsageError, match="'localhost:1' does not begin with http:// or https://"):
        ScoringClient("localhost:1")
    with ScoringClient("http://127.0.0.1:1") as client:
        for one in ("samples/a", {"tiny.py": "x = 1"}):
            with pytest.raises(UsageError, match="put it into a list"):
                client.score("t", one)


def test_a_client_says_that_something_else_than_a_service_answers():
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<p>Sign in</p>")

        do_POST = do_GET

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with ScoringClient(f"http://127.0.0.1:{server.server_port}") as client:
            for ask in (client.tasks, lambda: client.state("x"), lambda: client.score("t", [{"a.py": ""}])):
                with pytest.raises(ServiceError, match="no scoring service: its answer is not JSON"):
                    ask()
        server.shutdown()


def test_a_client_never_asks_again_at_once():
    assert [_wait_s(httpx2.Response(503, headers={"Retry-After": said})) for said in ("0", "7")] == [0.5, 7.0]


def test_a_token_that_no_header_can_bear_is_refused():
    with pytest.raises(UsageError, match="token"):
        ScoringClient("http://127.0.0.1:1", token="tökén")
