"""The scoring service for real: in a process of its own, over HTTP, on subjects in the sandbox."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import textwrap
import time
from pathlib import Path

import httpx2
import psutil
import pytest
from pydantic import TypeAdapter

from backend.serving import TOKEN, Serving, nothing_cached, token_file
from backend.tiny import HALF, SOURCE, environment, run, write_subject
from qualityscore import evaluate
from qualityscore.client import ScoringClient
from qualityscore.errors import ServiceError, UsageError
from qualityscore.model.codec import load_report
from qualityscore.server.schemas import EvaluationState, Scores, TaskEntry
from qualityscore.server.settings import read_tokens

FUNCTIONAL = ["functional"]
STATIC = ["functional", "maintainability", "security"]


def files(remark: str, source: str = SOURCE) -> dict[str, str]:
    return {"tiny.py": f"{source}\n# {remark}\n"}


def archive_of(content: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, text in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


@pytest.fixture(scope="module")
def service(tiny_task, tmp_path_factory):
    """An open service on loopback, with a root that holds one subject."""
    base = tmp_path_factory.mktemp("service")
    write_subject(base / "root" / "half", "by path", source=HALF)
    (base / "root" / "no-code").mkdir()
    (base / "root" / "no-code" / "notes.txt").write_text("no code")
    (base / "outside").mkdir()
    (base / "root" / "link").symlink_to(base / "outside")
    serving = Serving("--data", base / "data", "--task", tiny_task, "--root", base / "root")
    yield serving
    assert serving.stop() == 0
    assert "Traceback" not in serving.said


@pytest.mark.slow
def test_scores_are_those_of_an_evaluation_in_the_order_of_the_subjects(service, tiny_task, tmp_path):
    with service.client() as client:
        good, half = client.score("tiny", [files("good"), files("half", HALF)], only=STATIC)
    report = evaluate(write_subject(tmp_path / "half", source=HALF), task=str(tiny_task), only=tuple(STATIC))
    expected = {
        "F": 0.5,
        "NF": None,
        **{name: dimension.score for name, dimension in report.dimensions.items()},
        "credibility": report.credibility.score,
    }
    assert half["components"] == pytest.approx(expected)
    assert good["components"]["F"] == 1.0
    assert half["score"] is None
    assert half["reason"] == "not asked for: robustness, efficiency, resource"


def test_an_upload_is_accepted_followed_and_reported(service, tmp_path):
    archive = tmp_path / "half.tar.gz"
    archive.write_bytes(archive_of(files("upload", HALF)))
    with service.client() as client:
        taken = client.submit("tiny", archive=archive, only=FUNCTIONAL, label="a model", sample=3)
        states = list(client.events(taken["id"]))
        assert states[0]["status"] in ("queued", "running")
        assert [s["status"] for s in states if s["ended"]] == ["succeeded"]
        assert any(s["progress"] and s["progress"]["stage"] == "functional" for s in states)
        ended = client.wait(taken["id"])
        assert ended["result"]["components"]["F"] == 0.5
        document = client.report(taken["id"])
    report = load_report(json.dumps(document))
    assert (report.subject.label, report.subject.sample, report.subject.path) == ("a model", 3, "half.tar.gz")
    assert report.functional.passed == 2


def test_a_path_below_a_root_is_evaluated_and_no_other(service):
    with service.client() as client:
        assert client.score("tiny", ["half"], only=FUNCTIONAL)[0]["components"]["F"] == 0.5
        for path in ("../outside", "link", "/etc", "nowhere", "half/../../outside", "a\0b"):
            with pytest.raises(ServiceError, match="There is no subject") as refusal:
                client.submit("tiny", path=path, only=FUNCTIONAL)
            assert (refusal.value.status, refusal.value.problem) == (422, "QS-112")
            unknown, half = client.score("tiny", [path, "half"], only=FUNCTIONAL)
            assert (unknown["score"], unknown["components"], unknown["status"]) == (None, None, "refused")
            assert unknown["reason"].startswith("There is no subject ")
            assert half["components"]["F"] == 0.5


def test_a_path_is_refused_by_the_name_that_the_caller_gave(service, tmp_path_factory):
    with service.client() as client:
        (empty,) = client.score("tiny", ["no-code"], only=FUNCTIONAL)
        (texts,) = client.score("tiny", [{"notes.txt": "no code"}], only=FUNCTIONAL)
    assert empty["reason"] == "no-code holds no Python file; give a repository with Python code."
    assert texts["reason"] == "The map of files holds no Python file; give a repository with Python code."


@pytest.mark.parametrize(
    ("request_", "status", "code", "says"),
    [
        (("GET", "/v2/score", {}), 404, "QS-382", "There is no route '/v2/score'; /openapi.json describes them."),
        (("PUT", "/v1/score", {}), 405, "QS-382", "'/v1/score' takes POST, not PUT."),
        (("GET", "/v1/evaluations/0", {}), 404, "QS-382", "There is no evaluation '0'."),
        (("GET", f"/v1/evaluations/{'0' * 65}", {}), 422, "QS-101", "path.id: it should have at most 64 characters."),
        (("GET", "/healthz", {"Host": "attacker.example"}), 400, "QS-381", "localhost, 127.0.0.1, [::1] only, not for"),
        (("POST", "/v1/score", {}), 415, "QS-101", "Send application/json."),
    ],
)
def test_errors_of_routes_and_hosts_have_a_code_and_a_sentence(service, request_, status, code, says):
    method, path, headers = request_
    with service.http() as http:
        answer = http.request(method, path, headers=headers)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert says in error["message"]


def test_a_port_that_is_taken_is_said_at_once(service, tmp_path):
    port = service.url.rsplit(":", 1)[1]
    refused = run("serve", "--port", port, "--data", tmp_path / "d")
    assert refused.returncode == 2
    assert refused.stderr == (
        f"error QS-101: The service cannot listen on 127.0.0.1:{port}: another program listens there; "
        "give another --port or --host.\n"
    )
    assert not (tmp_path / "d").exists()
    assert service.said.startswith("qualityscore starts ")


def test_the_same_idempotency_key_gives_the_same_evaluation(service):
    with service.client() as client:
        first = client.submit("tiny", files=files("idem"), only=FUNCTIONAL, idempotency_key="k1")
        again = client.submit("tiny", files=files("idem"), only=FUNCTIONAL, idempotency_key="k1")
        assert again["id"] == first["id"]
        with pytest.raises(ServiceError, match="Idempotency-Key") as refusal:
            client.submit("tiny", files=files("other"), only=FUNCTIONAL, idempotency_key="k1")
        assert refusal.value.status == 422
        client.wait(first["id"])


def test_identical_subjects_are_evaluated_once(service):
    with service.client() as client, service.http() as http:
        client.score("tiny", [files("once")], only=FUNCTIONAL)
        before = http.get("/metrics").text
        client.score("tiny", [files("once")] * 3, only=FUNCTIONAL)
        after = http.get("/metrics").text
    count = "qualityscore_evaluation_seconds_count"
    assert [line for line in before.splitlines() if line.startswith(count)] == [
        line for line in after.splitlines() if line.startswith(count)
    ]
    assert 'qualityscore_evaluations_total{status="succeeded"}' in after


def test_a_running_evaluation_can_be_cancelled_and_an_ended_one_forgotten(service):
    hanging = "import time\ntime.sleep(120)\n"
    with service.client() as client:
        taken = client.submit("tiny", files={"tiny.py": hanging}, only=FUNCTIONAL)
        give_up = time.monotonic() + 60
        while client.state(taken["id"])["status"] != "running":
            assert time.monotonic() < give_up
            time.sleep(0.05)
        client.delete(taken["id"])
        ended = client.wait(taken["id"], timeout_s=20)
        assert (ended["status"], ended["result"]["score"]) == ("cancelled", None)
        with pytest.raises(ServiceError) as refusal:
            client.report(taken["id"])
        assert refusal.value.status == 409
        client.delete(taken["id"])
        with pytest.raises(ServiceError) as refusal:
            client.state(taken["id"])
        assert refusal.value.status == 404
        assert client.score("tiny", [files("after the cancelled one")], only=FUNCTIONAL)[0]["components"]["F"] == 1.0


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        ('{"task": "tiny"}', 422, "either 'files' or 'path'"),
        ('{"task": "tiny", "files": {}}', 422, "key 'files': it should have at least 1 item."),
        ('{"task": "tiny", "files": []}', 422, "key 'files': input should be an object."),
        ('{"task": "tiny", "files": {"a.py": "x"}, "only": "functional"}', 422, "key 'only': input should be a list."),
        ('{"task": "tiny", "files": {"a.py": "x"}, "path": "half"}', 422, "either 'files' or 'path'"),
        ('{"task": "tiny", "files": {"../a.py": "x"}}', 422, "leads outside"),
        ('{"task": "tiny", "files": {"a.txt": "x"}}', 422, "no Python file"),
        ('{"task": "tinny", "files": {"a.py": "x"}}', 422, "no task 'tinny'"),
        ('{"task": "tiny", "files": {"a.py": "x"}, "profile": "none"}', 422, "no profile"),
        ('{"task": "tiny", "files": {"a.py": "x"}, "only": []}', 422, "names nothing"),
        ('{"task": "tiny", "files": {"a.py": "x"}, "onlly": ["functional"]}', 422, "'onlly' is unknown"),
        ('{"task": "tiny", "files": {"a.py": 1}}', 422, "files.a.py"),
        ("{", 400, "JSON"),
        ("[" * 100_000, 400, "JSON"),
    ],
)
def test_a_bad_request_is_answered_with_one_sentence(service, body, status, why):
    with service.http() as http:
        answer = http.post("/v1/evaluations", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert why in answer.json()["error"]["message"]
    assert answer.json()["error"]["code"].startswith("QS-")


def test_bombs_and_damaged_archives_are_refused(service):
    bomb = io.BytesIO()
    with tarfile.open(fileobj=bomb, mode="w") as tar:
        info = tarfile.TarInfo("zeros.py")
        info.size = 200 << 20
        tar.addfile(info, open("/dev/zero", "rb"))  # noqa: SIM115, PTH123
    with service.http() as http:
        for name, data, why in (
            ("bomb.tar.gz", gzip.compress(bomb.getvalue(), 1), "more than 134217728 bytes"),
            ("broken.zip", b"PK", "not a zip file"),
            ("a.exe", b"MZ", "not an archive of a known kind"),
            ("../../a.tar", b"x", "damaged"),
        ):
            form = {"task": "tiny", "only": "functional"}
            answer = http.post("/v1/evaluations", data=form, files={"archive": (name, data)})
            assert answer.status_code == 422, answer.text
            assert why in answer.json()["error"]["message"]
        assert http.post("/v1/evaluations", data={"task": "tiny"}, files={"x": ("x", b"")}).status_code == 422
        assert http.post("/v1/evaluations", content=b"x").status_code == 415


def posted(http: httpx2.Client, path: str, kind: str, example: dict) -> httpx2.Response:
    """An example of the description, sent; a form's archive, of which the example says the name, is a real one."""
    if kind == "application/json":
        return http.post(path, json=example)
    upload = {"archive": (example.pop("archive"), archive_of(files("example")))}
    return http.post(path, data={name: str(value) for name, value in example.items()}, files=upload)


def test_every_example_of_a_request_is_accepted_and_every_answer_has_one(service):
    with service.http() as http:
        paths = http.get("/openapi.json").json()["paths"]
        bodies = [
            (path, kind, content["example"])
            for path, operations in paths.items()
            for operation in operations.values()
            for kind, content in operation.get("requestBody", {}).get("content", {}).items()
        ]
        kinds = [(path, kind) for path, kind, _ in bodies]
        assert kinds == [
            ("/v1/evaluations", "application/json"),
            ("/v1/evaluations", "multipart/form-data"),
            ("/v1/score", "application/json"),
        ]
        for path, kind, example in bodies:
            answer = posted(http, path, kind, example)
            assert answer.status_code in (200, 202), answer.text
    for path, method, status, model in (
        ("/v1/evaluations", "post", "202", EvaluationState),
        ("/v1/evaluations/{id}", "get", "200", EvaluationState),
        ("/v1/score", "post", "200", Scores),
        ("/v1/tasks", "get", "200", list[TaskEntry]),
        ("/healthz", "get", "200", dict[str, str | int]),
    ):
        example = paths[path][method]["responses"][status]["content"]["application/json"]["example"]
        TypeAdapter(model).validate_python(example, strict=True)


def test_an_uploads_name_reaches_no_disk(service):
    form = {"task": "tiny", "only": "functional"}
    long = "n" * 300 + ".tar.gz"
    body = (
        b'--x\r\nContent-Disposition: form-data; name="archive"; filename="nul\0.tar.gz"\r\n\r\n'
        + archive_of(files("nul"))
        + b'\r\n--x\r\nContent-Disposition: form-data; name="task"\r\n\r\ntiny'
        + b'\r\n--x\r\nContent-Disposition: form-data; name="only"\r\n\r\nfunctional\r\n--x--\r\n'
    )
    with service.http() as http:
        answers = [
            http.post("/v1/evaluations", data=form, files={"archive": (long, archive_of(files("long")))}),
            http.post("/v1/evaluations", content=body, headers={"Content-Type": "multipart/form-data; boundary=x"}),
        ]
    assert [answer.status_code for answer in answers] == [202, 202], [answer.text for answer in answers]
    with service.client() as client:
        paths = []
        for answer in answers:
            client.wait(answer.json()["id"])
            paths.append(client.report(answer.json()["id"])["subject"]["path"])
    assert paths == [long[-255:], "nul?.tar.gz"]


def test_more_subjects_than_the_queue_ever_holds_are_refused_for_good(tiny_task, tmp_path):
    serving = Serving("--data", tmp_path / "d", "--task", tiny_task, "--queue", "2", "--jobs", "1")
    try:
        with serving.client() as client, pytest.raises(ServiceError, match="At most 2 subjects") as refusal:
            client.score("tiny", [files(str(number)) for number in range(3)], only=FUNCTIONAL)
        assert refusal.value.status == 422
        second = run("serve", "--port", "0", "--data", tmp_path / "d", "--task", tiny_task)
        assert second.returncode == 2
        assert f"Another service runs in {tmp_path / 'd'}; end it, or name another folder" in second.stderr
    finally:
        serving.stop()


def test_only_names_of_this_machine_are_answered_without_a_token(service):
    with service.http() as http:
        assert http.get("/healthz").json()["status"] == "ok"
        assert http.get("/healthz", headers={"Host": "attacker.example"}).status_code == 400


def test_no_web_page_submits_without_a_token(service):
    form, upload = {"task": "tiny", "only": "functional"}, {"archive": ("a.tar.gz", archive_of(files("page")))}
    with service.http() as http:
        before = http.get("/healthz").json()["queued"]
        for headers in ({"Origin": "https://attacker.example"}, {"Sec-Fetch-Site": "cross-site"}):
            answer = http.post("/v1/evaluations", data=form, files=upload, headers=headers)
            assert answer.status_code == 403, answer.text
        assert http.get("/healthz").json()["queued"] == before
        own = {"Origin": service.url, "Sec-Fetch-Site": "same-origin"}
        assert http.post("/v1/evaluations", data=form, files=upload, headers=own).status_code == 202


def test_more_subjects_than_any_service_takes_are_refused_as_they_are_read(service):
    subjects = [{"path": "half"}] * 1025
    with service.http() as http:
        answer = http.post("/v1/score", json={"task": "tiny", "subjects": subjects})
    assert answer.status_code == 422
    assert "1024" in answer.json()["error"]["message"]


def test_no_request_is_held_in_many_times_its_size(tmp_path):
    code = r"""
        import resource
        from qualityscore.server.access import ProblemError
        from qualityscore.server.app import MOST_TOKENS, _json
        from qualityscore.server.schemas import ScoreRequest

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

        def asked(subjects):
            return b'{"task": "t", "subjects": [' + subjects + b"]}"

        # Of the request itself, 4 strings, 1 comma and 2 brackets; of a file, 2 strings and a comma, but for the last.
        files = (MOST_TOKENS - 8) // 3
        named = b",".join(b'"%d":"1,[{\\\\\\""' % number for number in range(files))
        for request in (asked(b'{"path":"a"},' * 2_000_000 + b'{"path":"a"}'), asked(b'{"a":"' + b'\\"' * 10_000_000)):
            before = peak()
            try:
                _json(ScoreRequest, request)
            except ProblemError as error:
                print(error.status, (peak() - before) >> 20)
        try:
            _json(ScoreRequest, asked(b'{"files":{' + named + b"}}"))
        except ProblemError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    many, open_, fits = done.stdout.splitlines()
    assert many.startswith("422 ")
    assert int(many.split()[1]) < 60
    assert open_.startswith("400 ")
    assert "10000" in fits  # not too many tokens, but too many files for one subject


def test_a_token_without_a_name_keeps_its_name_wherever_it_stands():
    first, second = "a" * 16, "b" * 16
    plain = read_tokens([first, second], "tokens")
    assert read_tokens(["# a remark", "", second, first], "tokens") == plain
    assert len(set(plain.values())) == 2
    assert not any(token in name for token in (first, second) for name in plain.values())
    with pytest.raises(UsageError, match="line 2: the token of 'me' is that of 'you', too"):
        read_tokens([f"you {first}", f"me {first}"], "tokens")


def test_tokens_keep_strangers_out_and_owners_apart(tiny_task, tmp_path):
    tokens = token_file(tmp_path)
    serving = Serving("--data", tmp_path / "d", "--task", tiny_task, "--token-file", tokens, "--host", "0.0.0.0")
    try:
        url = serving.url.replace("0.0.0.0", "127.0.0.1")
        with ScoringClient(url, token=TOKEN) as owner:
            taken = owner.submit("tiny", files=files("mine"), only=FUNCTIONAL)
            for token, status, code, says in (
                (None, 401, "QS-381", "needs a token, as the header 'Authorization: Bearer TOKEN'"),
                ("wrong", 401, "QS-381", "The token is none of this service's"),
                ("another-token-for-the-tests", 404, "QS-382", "There is no evaluation"),
            ):
                with ScoringClient(url, token=token) as stranger, pytest.raises(ServiceError, match=says) as refusal:
                    stranger.state(taken["id"])
                assert (refusal.value.status, refusal.value.problem) == (status, code)
            assert owner.wait(taken["id"])["status"] == "succeeded"
        assert httpx2.get(url + "/healthz").status_code == 200
        assert httpx2.get(url + "/metrics").status_code == 401
        assert TOKEN not in (tmp_path / "d" / "queue.sqlite").read_bytes().decode("latin-1")
    finally:
        serving.stop()


@pytest.mark.parametrize(
    "given",
    [
        *(("--rate", "inf"), ("--rate", "nan"), ("--rate", "1e308"), ("--keep", "nan"), ("--timeout", "nan")),
        *(("--timeout", "3e6"), ("--queue", "0"), ("--jobs", "0"), ("--max-body", "-1")),
    ],
)
def test_a_number_that_is_none_is_refused(tiny_task, tmp_path, given):
    refused = run("serve", "--port", "0", "--data", tmp_path / "d", "--task", tiny_task, *given)
    assert (refused.returncode, refused.stderr.startswith(f"error QS-101: {given[0]} ")) == (2, True), refused.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_it_refuses_to_listen_wider_without_a_token(tiny_task, tmp_path, host):
    refused = run("serve", "--host", host, "--data", tmp_path, "--task", tiny_task)
    assert refused.returncode == 2
    assert "without a token" in refused.stderr


def test_what_is_too_large_is_refused_whatever_its_header_says(tiny_task, tmp_path):
    serving = Serving("--data", tmp_path / "d", "--task", tiny_task, "--max-body", "20000")
    try:
        with serving.http() as http:
            body = json.dumps({"task": "tiny", "files": {"a.py": "x" * 30_000}}).encode()
            for content in (body, iter([body[:10_000], body[10_000:]])):
                answer = http.post("/v1/score", content=content, headers={"Content-Type": "application/json"})
                assert answer.status_code == 413, answer.text
    finally:
        serving.stop()


@pytest.mark.slow
def test_a_full_queue_and_a_fast_caller_are_told_when_to_come_again(tiny_task, tmp_path):
    arguments = ("--data", tmp_path / "d", "--task", tiny_task, "--jobs", "1", "--queue", "2", "--rate", "1000")
    serving = Serving(*arguments)
    try:
        with serving.client() as client:
            asked = [{"task": "tiny", "only": FUNCTIONAL, "files": files(f"full {n}")} for n in range(12)]
            answers = [client._http.post("/v1/evaluations", json=one) for one in asked]
            taken = [answer.json()["id"] for answer in answers if answer.status_code == 202]
            refused = [answer for answer in answers if answer.status_code == 429]
            assert len(taken) >= 2
            assert len(refused) == 12 - len(taken) > 0
            assert all(int(answer.headers["Retry-After"]) >= 1 for answer in refused)
            answer = client._http.post(
                "/v1/score",
                json={"task": "tiny", "only": FUNCTIONAL, "subjects": [{"files": files(str(n))} for n in range(2)]},
            )
            assert answer.status_code == 429
            assert int(answer.headers["Retry-After"]) >= 1
            assert all(client.wait(id_)["status"] == "succeeded" for id_ in taken)
        with serving.client(patience_s=120) as patient:
            results = [patient.score("tiny", [files(f"again {n}")], only=FUNCTIONAL)[0] for n in range(3)]
        assert [r["components"]["F"] for r in results] == [1.0] * 3
    finally:
        serving.stop()


def test_killed_outright_it_goes_on_with_what_it_had_accepted(tiny_task, tmp_path):
    arguments = ("--data", tmp_path / "d", "--task", tiny_task)
    serving = Serving(*arguments)
    with serving.client() as client:
        ids = [client.submit("tiny", files=files(f"kill {n}", HALF), only=FUNCTIONAL)["id"] for n in range(5)]
        give_up = time.monotonic() + 60
        while client.state(ids[0])["status"] in ("queued", "running"):
            assert time.monotonic() < give_up
            time.sleep(0.05)
    tree = psutil.Process(serving.process.pid).children(recursive=True)
    serving.kill()
    (tmp_path / "d" / "upload-half").write_bytes(b"half an archive")
    (tmp_path / "d" / "subjects" / "0123.archive").write_bytes(b"an archive")
    _, alive = psutil.wait_procs(tree, timeout=10)
    assert alive == []
    again = Serving(*arguments)
    try:
        with again.client() as client:
            ended = [client.wait(id_, timeout_s=120) for id_ in ids]
        assert [e["result"]["components"]["F"] for e in ended] == [0.5] * 5
        assert list((tmp_path / "d" / "subjects").iterdir()) == []
        assert list((tmp_path / "d").glob("upload-*")) == []
    finally:
        again.stop()


def test_a_harness_fault_is_null_with_its_reason_and_not_remembered(tiny_task, tmp_path):
    arguments = ("--data", tmp_path / "d", "--task", tiny_task)
    broken = Serving(*arguments, env=nothing_cached(tmp_path))
    try:
        with broken.client() as client:
            (score,) = client.score("tiny", [files("harness")], only=FUNCTIONAL)
        assert score["score"] is None
        assert score["components"]["F"] is None
        assert "environment" in score["reason"]
    finally:
        broken.stop()
    mended = Serving(*arguments)
    try:
        with mended.client() as client:
            assert client.score("tiny", [files("harness")], only=FUNCTIONAL)[0]["components"]["F"] == 1.0
    finally:
        mended.stop()


@pytest.mark.slow
def test_the_interface_is_as_its_description_says(tiny_task, tmp_path):
    """schemathesis calls every route with its examples, with generated and with broken input."""
    limits = ("--queue", "3", "--rate", "10000", "--timeout", "20")
    serving = Serving("--data", tmp_path / "d", "--task", tiny_task, "--token-file", token_file(tmp_path), *limits)
    try:
        found = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", f"{serving.url}/openapi.json"),
                *("-H", f"Authorization: Bearer {TOKEN}", "--max-examples", "5", "--seed", "1"),
                # A full queue and a path that does not exist answer valid requests with 429 and 422.
                *("--exclude-checks", "positive_data_acceptance"),
                *("--request-timeout", "60", "--max-failures", "5", "--no-color"),
            ],
            cwd=tmp_path,
            env=environment({"HOME": str(tmp_path)}),
            capture_output=True,
            text=True,
            timeout=400,
        )
        assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
        assert "Unresolvable references" not in found.stdout
    finally:
        serving.stop()
    assert "Traceback" not in serving.said


def test_without_its_packages_it_says_what_to_install(tmp_path):
    blocked = tmp_path / "uvicorn.py"
    blocked.write_text("raise ImportError('not here', name='uvicorn')\n")
    path = f"{tmp_path}{os.pathsep}{Path(__file__).resolve().parents[2]}"
    refused = run("serve", env={"PYTHONPATH": path})
    assert refused.returncode == 2
    assert "qualityscore[server]" in refused.stderr


def test_a_subject_that_cannot_be_taken_scores_nothing_and_does_not_stop_the_others(service):
    subjects = [{"notes.txt": "no code"}, files("beside it", HALF), {"../evil.py": "x"}]
    with service.client() as client:
        empty, half, evil = client.score("tiny", subjects, only=FUNCTIONAL)
    others = ("NF", "maintainability", "security", "robustness", "efficiency", "resource", "credibility")
    assert (empty["score"], empty["components"]) == (0.0, {"F": 0.0, **dict.fromkeys(others)})
    assert "no Python file" in empty["reason"]
    assert half["components"]["F"] == 0.5
    assert (evil["score"], "leads outside" in evil["reason"]) == (0.0, True)


HOW_TO = (Path(__file__).resolve().parents[2] / "docs" / "howto" / "serve.md").read_text("utf-8")


@pytest.mark.slow
def test_the_commands_of_the_how_to_do_what_it_says(tmp_path):
    """Each curl of the how-to, with what stands for the reader's own replaced; the first subject passes some tests."""
    write_subject(tmp_path / "root" / "samples" / "a-0")
    (tmp_path / "model-a.tar.gz").write_bytes(archive_of(files("upload")))
    serving = Serving("--data", tmp_path / "d", "--task", "python-slugify", "--root", tmp_path / "root")
    commands = re.findall(r"^    (curl .*\n(?:     .*\n)*)", HOW_TO, re.M)

    def said(holding: str, **words: str) -> str:
        (found,) = (command for command in commands if holding in command)
        done = subprocess.run(
            ["bash", "-c", found.replace("http://127.0.0.1:8321", serving.url)],
            cwd=tmp_path,
            env=environment(words),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    try:
        scores = json.loads(said("/v1/score"))
        assert 0 < scores["components"]["F"] < 1
        assert scores["results"][0]["components"] == scores["components"]
        by_path = json.loads(said("samples/a-0"))
        said("DELETE", ID=by_path["id"])
        uploaded = json.loads(said("archive=@"))
        assert '"status":"succeeded"' in said("/events", ID=uploaded["id"]).replace(" ", "")
        report = load_report(said("/report", ID=uploaded["id"]))
        assert report.functional.passed == 0
        assert report.dimensions["security"].score is not None
    finally:
        serving.stop()
    assert len(commands) == 6


def test_a_text_that_json_cannot_carry_costs_no_other_subject_its_score(service):
    """No Python file is UTF-8 with half of a surrogate pair in it, and nobody reads the notes."""
    half = "\ud800"
    subjects = [
        files("before"),
        {"tiny.py": HALF + f"X = '{half}'\n"},
        {"tiny.py": HALF, "notes.txt": half},
        {f"{half}.py": HALF},
        files("after", HALF),
    ]
    with service.client() as client:
        found = client.score("tiny", subjects, only=FUNCTIONAL)
        assert [one["components"]["F"] for one in found] == [1.0, 0.0, 0.5, 0.0, 0.5]
        assert [one["status"] == "refused" for one in found] == [False, False, False, True, False]
        alone = client.score("tiny", subjects[2:3], only=FUNCTIONAL)
        assert alone[0]["components"] == found[2]["components"]
        with pytest.raises(ServiceError, match="The map of files") as refusal:
            client.submit("tiny", files=subjects[3], only=FUNCTIONAL)
        assert refusal.value.status == 422
