"""A client of the scoring service.

with ScoringClient("http://127.0.0.1:8321", token="…") as client:
    score = client.score("cachetools", [{"cachetools.py": "…"}])[0]
    evaluation = client.submit("cachetools", path="samples/a-0")
    report = client.report(client.wait(evaluation["id"])["id"])
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx2

from qualityscore.errors import ArchiveError, InputError, ServiceError, SubjectError, UsageError
from qualityscore.execution.packing import upload_of
from qualityscore.execution.scores import nothing
from qualityscore.runtime.archives import write_files
from qualityscore.runtime.scratch import scratch_folder

_POLL_S = 0.5


class ScoringClient:
    """One service. A request that it turns away for want of room (429), or while its host fails (503), is sent again
    after the time that it names, for at most `patience_s` seconds. Not for use from several threads at a time.
    Raises UsageError for a URL without `http://` or `https://`, and a token that no header can bear.
    """

    def __init__(
        self, url: str, *, token: str | None = None, timeout_s: float = 60.0, patience_s: float = 3600.0
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise UsageError(f"The service's URL {url!r} does not begin with http:// or https://; write it out.")
        if token and not (token.isascii() and token.isprintable()):
            raise UsageError("The token of the scoring service holds characters other than printable ASCII ones.")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx2.Client(base_url=url, headers=headers, timeout=timeout_s)
        self._patience_s = patience_s

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def score(
        self,
        task: str,
        subjects: Sequence[Mapping[str, str] | str | Path],
        *,
        only: Sequence[str] | None = None,
        profile: str = "reference",
        timeout_s: float = 600.0,
    ) -> list[dict[str, Any]]:
        """Scores of subjects, in their order: maps of files, or paths below a root of the service.

        Each has `score`, `components`, and `reason` where the score is None. Maps that JSON cannot carry, since a text
        in them has half of a surrogate pair, go as archives. Raises ServiceError, and UsageError for one subject in
        place of a sequence.
        """
        if isinstance(subjects, str | Path | Mapping):
            raise UsageError("One subject was given, not a sequence of them; put it into a list.")
        subjects, give_up = list(subjects), time.monotonic() + timeout_s
        apart = {
            place: self._taken_in(task, one, only, profile)
            for place, one in enumerate(subjects)
            if isinstance(one, Mapping) and not _is_unicode(one)
        }
        together = [one for place, one in enumerate(subjects) if place not in apart]
        found = iter(self._score(task, together, only, profile, timeout_s) if together or not apart else ())
        return [self._ended(apart[place], give_up) if place in apart else next(found) for place in range(len(subjects))]

    def _score(
        self,
        task: str,
        subjects: Sequence[Mapping[str, str] | str | Path],
        only: Sequence[str] | None,
        profile: str,
        timeout_s: float,
    ) -> list[dict[str, Any]]:
        body: dict[str, Any] = {
            "task": task,
            "profile": profile,
            "timeout_s": timeout_s,
            "subjects": [
                {"path": str(one)} if isinstance(one, str | Path) else {"files": dict(one)} for one in subjects
            ],
        }
        if only is not None:
            body["only"] = list(only)
        answer = self._send("POST", "/v1/score", json=body, timeout=timeout_s + _http_margin(self._http))
        results: list[dict[str, Any]] = _object(answer)["results"]
        return results

    def _taken_in(
        self, task: str, files: Mapping[str, str], only: Sequence[str] | None, profile: str
    ) -> dict[str, Any]:
        """How the evaluation of one map stands; a map that cannot be taken has its result, a score of 0."""
        try:
            return self.submit(task, files=files, only=only, profile=profile)
        except ServiceError as error:
            if error.problem not in (SubjectError.code, ArchiveError.code):
                raise
            return {"result": _result(0.0, nothing(only), "refused", str(error))}

    def _ended(self, state: dict[str, Any], give_up: float) -> dict[str, Any]:
        """The result of an evaluation that stood like this, or that there is none at `give_up`."""
        while not (state["result"] or (state := self.state(state["id"]))["result"]):
            if time.monotonic() > give_up:
                reason = f"the evaluation is still {state['status']}; ask for it by its id"
                return _result(None, None, None, reason, state["id"])
            time.sleep(_POLL_S)
        result: dict[str, Any] = state["result"]
        return result

    def submit(
        self,
        task: str,
        *,
        files: Mapping[str, str] | None = None,
        path: str | None = None,
        archive: str | Path | None = None,
        only: Sequence[str] | None = None,
        profile: str = "reference",
        counter: str = "auto",
        label: str | None = None,
        sample: int | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Ask for an evaluation of `files`, of a `path` below a root of the service, or of an `archive` here.

        Returns how it stands, with its `id`. Files that JSON cannot carry (see `score`) go as an archive. Raises
        ServiceError, and OSError where the archive cannot be read.
        """
        asked: dict[str, Any] = {"task": task, "profile": profile, "counter": counter}
        asked |= {"label": label} if label is not None else {}
        asked |= {"sample": sample} if sample is not None else {}
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        upload = None
        if archive is not None:
            upload = Path(archive).name, Path(archive).read_bytes()
        elif files is not None and not _is_unicode(files):
            upload = "files.tar.gz", _packed(files)
        if upload is not None:
            form = {name: str(value) for name, value in asked.items()}
            if only is not None:
                form["only"] = ",".join(only)
            answer = self._send("POST", "/v1/evaluations", data=form, files={"archive": upload}, headers=headers)
        else:
            asked |= {"files": dict(files)} if files is not None else {"path": path}
            asked |= {"only": list(only)} if only is not None else {}
            answer = self._send("POST", "/v1/evaluations", json=asked, headers=headers)
        return _object(answer)

    def state(self, id_: str) -> dict[str, Any]:
        """How an evaluation stands."""
        return _object(self._send("GET", f"/v1/evaluations/{id_}"))

    def wait(self, id_: str, timeout_s: float = 3600.0) -> dict[str, Any]:
        """How an evaluation stands once it has ended. Raises ServiceError when the time is up."""
        give_up = time.monotonic() + timeout_s
        while (state := self.state(id_))["status"] in ("queued", "running"):
            if time.monotonic() > give_up:
                raise ServiceError(f"The evaluation {id_} is still {state['status']} after {timeout_s:g} s.")
            time.sleep(_POLL_S)
        return state

    def events(self, id_: str, timeout_s: float = 3600.0) -> Iterator[dict[str, Any]]:
        """Every change of how an evaluation stands, until it has ended.

        Raises ServiceError when the time is up, and where the service falls silent: it says every few seconds that it
        is there.
        """
        give_up = time.monotonic() + timeout_s
        try:
            with self._http.stream("GET", f"/v1/evaluations/{id_}/events") as answer:
                if answer.status_code != 200:
                    answer.read()
                _check(answer)
                for line in answer.iter_lines():
                    if line.startswith("data:"):
                        yield json.loads(line.removeprefix("data:"))
                    if time.monotonic() > give_up:
                        raise ServiceError(f"The evaluation {id_} has not ended after {timeout_s:g} s.")
        except httpx2.HTTPError as error:
            raise ServiceError(f"The scoring service cannot be followed: {error or type(error).__name__}.") from error

    def report(self, id_: str) -> dict[str, Any]:
        """The whole report document."""
        return _object(self._send("GET", f"/v1/evaluations/{id_}/report"))

    def delete(self, id_: str) -> None:
        """Cancel an evaluation, or forget one that has ended."""
        self._send("DELETE", f"/v1/evaluations/{id_}")

    def tasks(self) -> list[dict[str, Any]]:
        """The tasks of the service."""
        found: list[dict[str, Any]] = _document(self._send("GET", "/v1/tasks"))
        return found

    def _send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        give_up = time.monotonic() + self._patience_s
        while True:
            try:
                answer = self._http.request(method, path, **options)
            except httpx2.HTTPError as error:
                raise ServiceError(
                    f"The scoring service cannot be reached: {error or type(error).__name__}."
                ) from error
            wait = _wait_s(answer)
            if wait is None or time.monotonic() + wait > give_up:
                _check(answer)
                return answer
            time.sleep(wait)


def _is_unicode(files: Mapping[str, str]) -> bool:
    """Whether names and texts are what JSON can carry: a surrogate is half of a character."""
    try:
        json.dumps(dict(files), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _packed(files: Mapping[str, str]) -> bytes:
    """A map of files as an archive, of the bytes that an evaluation of the map here would read.

    Raises ServiceError, as if the service had refused it, for a map that no service takes.
    """
    with scratch_folder("qualityscore-") as scratch:
        try:
            return upload_of(write_files(dict(files), scratch / "files"))
        except InputError as error:
            raise ServiceError(
                f"The files cannot be sent: {error}", HTTPStatus.UNPROCESSABLE_ENTITY, error.code
            ) from error


def _result(
    score: float | None,
    components: Mapping[str, float | None] | None,
    status: str | None,
    reason: str,
    id_: str | None = None,
) -> dict[str, Any]:
    """As the service writes it."""
    return {"score": score, "components": components, "status": status, "reason": reason, "id": id_}


def _wait_s(answer: httpx2.Response) -> float | None:
    """After how many seconds to ask again; None where that is of no use, or the answer does not say (RFC 9110, 10.2.3).

    Never at once, whatever it says. A date, as proxies may send it, is not waited for.
    """
    said = answer.headers.get("Retry-After", "1" if answer.status_code == 429 else "")
    return max(_POLL_S, float(said)) if answer.status_code in (429, 503) and said.isascii() and said.isdigit() else None


def _http_margin(http: httpx2.Client) -> float:
    return http.timeout.read or 60.0


def _object(answer: httpx2.Response) -> dict[str, Any]:
    document: dict[str, Any] = _document(answer)
    return document


def _document(answer: httpx2.Response) -> Any:
    try:
        return answer.json()
    except ValueError as error:  # of a proxy, say
        raise ServiceError(
            f"What answers at {answer.url} is no scoring service: its answer is not JSON.", answer.status_code
        ) from error


def _check(answer: httpx2.Response) -> None:
    if answer.is_success:
        return
    try:
        problem = answer.json()["error"]
        code, message = str(problem["code"]), str(problem["message"])
    except (ValueError, KeyError, TypeError):
        code, message = "", f"HTTP status {answer.status_code}"
    raise ServiceError(f"The scoring service refused: {message}", answer.status_code, code or None)
