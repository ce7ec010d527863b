"""The routes of the scoring service."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, Any, TypeVar

from fastapi import Depends, FastAPI, Header, Request, Response
from fastapi import Path as PathParameter
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.routing import Match

from qualityscore.errors import HarnessError, NoSuchResourceError, UsageError
from qualityscore.model.foreign import first_problem, plain
from qualityscore.server.access import (
    HEALTH,
    BodyLimit,
    HostCheck,
    OwnPagesOnly,
    ProblemError,
    RequestLimit,
    allowed_hosts,
    owner_of,
    problem_response,
    too_many,
)
from qualityscore.server.description import install
from qualityscore.server.intake import UPLOAD_PREFIX, Upload
from qualityscore.server.queue import Evaluation, Status
from qualityscore.server.schemas import (
    Asked,
    ErrorDocument,
    EvaluationRequest,
    EvaluationState,
    ScoreRequest,
    Scores,
    Subject,
    TaskEntry,
)
from qualityscore.server.service import Service
from qualityscore.server.settings import Settings
from qualityscore.version import __version__

_Model = TypeVar("_Model", EvaluationRequest, ScoreRequest)
_EVENT_S = 0.2
_STREAM_S = 10.0
_CHUNK = 1 << 20
_NAME = 255
MOST_TOKENS = 100_000
"""Strings, commas and opening brackets of a JSON request: 33,000 files. The reader holds all before it checks any, in
up to forty times the bytes of the request.
"""
_TOKENS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[,\[{]', re.DOTALL)  # an open string goes on to the end

_RETRY = {"headers": {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}}}


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error answers of a route, for its documentation."""
    meanings = {
        400: "the request cannot be read",
        401: "no valid bearer token",
        403: "asked by a web page of another site",
        404: "no such evaluation",
        408: "the request did not come whole in time",
        409: "not ended yet, or without a report",
        413: "the request is too large",
        415: "neither JSON nor a form",
        422: "the request is understood and cannot be carried out",
        503: "the host of the service fails: see Retry-After",
        429: "the queue is full, or too many requests: see Retry-After",
    }
    found: dict[int | str, dict[str, Any]] = {}
    for status in statuses:
        extra = _RETRY if status in (429, 503) else {}
        found[status] = {"model": ErrorDocument, "description": meanings[status], **extra}
    return found


def build_app(settings: Settings) -> FastAPI:
    """The application; its service starts and stops with it. Raises as `Service` does."""
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(service.start)
        try:
            yield
        finally:
            await run_in_threadpool(service.stop)

    app = FastAPI(
        title="qualityscore",
        version=__version__,
        summary="Scores code repositories in a sandbox: function, maintainability, security, robustness, cost.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    app.add_middleware(HostCheck, names=allowed_hosts(settings))
    if settings.is_loopback and not settings.tokens:
        app.add_middleware(OwnPagesOnly)
    app.add_middleware(BodyLimit, largest=settings.limits.body_bytes, within_s=settings.limits.body_s)
    app.add_middleware(RequestLimit, most=settings.limits.requests)
    _handle_errors(app, service)
    _add_routes(app, service)
    install(app, example_task=service.tasks.entries[0].id, needs_token=bool(settings.tokens))
    return app


def _handle_errors(app: FastAPI, service: Service) -> None:
    def answer(error: ProblemError) -> JSONResponse:
        service.metrics.refusals.labels(status=str(error.status)).inc()
        return problem_response(error)

    @app.exception_handler(ProblemError)
    async def refused(request: Request, error: ProblemError) -> JSONResponse:
        del request
        return answer(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        del request
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        return answer(ProblemError(422, UsageError.code, f"{place}: {plain(problem)}."))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers or {})
        code, why, path = UsageError.code, error.detail.rstrip("."), request.url.path[:200]
        if error.status_code == 404:
            code, why = NoSuchResourceError.code, f"There is no route {path!r}; /openapi.json describes them"
        if error.status_code == 405:  # several routes share a path, and each knows its own methods only
            headers["Allow"] = ", ".join(sorted(_methods(app, request)))
            code, why = NoSuchResourceError.code, f"{path!r} takes {headers['Allow']}, not {request.method[:20]}"
        return answer(ProblemError(error.status_code, code, f"{why}.", headers))

    @app.exception_handler(sqlite3.OperationalError)
    async def no_room(request: Request, error: sqlite3.OperationalError) -> JSONResponse:
        del request
        why = f"The queue cannot be written or read at present: {error}."
        return answer(ProblemError(503, HarnessError.code, why, {"Retry-After": "60"}))


def _methods(app: FastAPI, request: Request) -> set[str]:
    """The methods that some route has for a request's path."""
    return {
        method
        for route in app.routes
        if isinstance(route, APIRoute) and route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods or ()
    }


def _add_routes(app: FastAPI, service: Service) -> None:
    settings = service.settings
    bearer = HTTPBearer(auto_error=False, description="a token of the service's token file, where it has one")
    streams = asyncio.Semaphore(settings.limits.streams)

    def owner(request: Request, _: Annotated[object, Depends(bearer)]) -> str:
        return owner_of(settings, request.headers.get("authorization"))

    Owner = Annotated[str, Depends(owner)]

    def evaluation(
        owner: Owner,
        id: Annotated[str, PathParameter(max_length=64, description="the id from 202")],
    ) -> Evaluation:
        return service.find(id, owner)

    Found = Annotated[Evaluation, Depends(evaluation)]

    def room_for_a_stream() -> None:
        if streams.locked():
            raise too_many("Too many clients follow events", _STREAM_S)

    @app.post(
        "/v1/evaluations",
        status_code=202,
        responses=_errors(400, 401, 403, 408, 413, 415, 422, 429, 503),
    )
    async def submit(
        request: Request,
        response: Response,
        owner: Owner,
        idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
    ) -> EvaluationState:
        """Ask for an evaluation: files or a path as JSON, or an archive as a form. The answer says where it will be."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            whole = _json(EvaluationRequest, await request.body())
            subject = Subject(**whole.model_dump(include=set(Subject.model_fields)))
            (id_,) = await service.submit(owner, whole, [subject], idempotency=idempotency_key)
        elif kind == "multipart/form-data":
            async with request.form(max_files=1, max_fields=16, max_part_size=1 << 16) as form:
                asked, subject, upload = await _form(dict(form.multi_items()), settings)
            try:
                (id_,) = await service.submit(owner, asked, [subject], upload=upload, idempotency=idempotency_key)
            finally:
                upload.file.unlink(missing_ok=True)
        else:
            raise ProblemError(415, UsageError.code, "Send application/json, or multipart/form-data with an archive.")
        found = service.find(id_, owner)
        response.headers["Location"] = f"/v1/evaluations/{id_}"
        return service.state(found)

    @app.get("/v1/evaluations/{id}", responses=_errors(401, 404, 422))
    def read(found: Found) -> EvaluationState:
        """How far an evaluation is; with its result, once it has ended."""
        return service.state(found)

    @app.get(
        "/v1/evaluations/{id}/report",
        responses=_errors(401, 404, 409, 422),
    )
    def report(found: Found) -> JSONResponse:
        """The whole report, as `qualityscore evaluate --json` writes it."""
        document = service.report(found)
        if document is None:
            raise ProblemError(
                409, NoSuchResourceError.code, found.reason or f"The evaluation is {found.status}; it has no report."
            )
        return JSONResponse(document)

    @app.get(
        "/v1/evaluations/{id}/events",
        response_class=EventSourceResponse,
        responses={**_errors(401, 404, 422, 429)},
    )
    async def events(found: Found, _: Annotated[None, Depends(room_for_a_stream)]) -> AsyncIterator[ServerSentEvent]:
        """Server-sent events: `state` whenever it changes, until the evaluation has ended."""
        async with streams:
            said = None
            while True:
                now = await run_in_threadpool(service.queue.get, found.id)
                if now is None:
                    return
                state = await run_in_threadpool(service.state, now)
                if state != said:
                    said = state
                    yield ServerSentEvent(event="state", data=state.model_dump(mode="json"))
                if now.status.is_final:
                    return
                await asyncio.sleep(_EVENT_S)

    @app.delete("/v1/evaluations/{id}", status_code=204, responses=_errors(401, 404, 422))
    def delete(found: Found) -> None:
        """Cancel an evaluation that waits or runs; forget one that has ended."""
        if not found.status.is_final:
            service.dispatcher.cancel(found)
        else:
            service.queue.remove(found.id)

    @app.post("/v1/score", responses=_errors(400, 401, 403, 408, 413, 415, 422, 429, 503))
    async def score(request: Request, owner: Owner) -> Scores:
        """Score subjects while you wait. A null score comes with its reason; it is never a harness's fault turned 0."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise ProblemError(415, UsageError.code, "Send application/json.")
        asked = _json(ScoreRequest, await request.body())
        most = min(settings.limits.batch, settings.limits.queued)
        if len(asked.subjects) > most:
            raise ProblemError(
                422, UsageError.code, f"At most {most} subjects can be scored at a time; send them in parts."
            )
        results = await service.score_all(owner, asked, request.is_disconnected)
        return Scores(score=results[0].score, components=results[0].components, results=results)

    @app.get("/v1/tasks", responses=_errors(401))
    def tasks(owner: Owner) -> list[TaskEntry]:
        """The tasks that can be asked for."""
        del owner
        return service.tasks.entries

    @app.get(HEALTH)
    def healthz() -> dict[str, str | int]:
        """Whether the service answers, and how long its queue is. Needs no token."""
        counts = service.queue.counts()
        return {"status": "ok", "queued": counts[Status.QUEUED], "running": counts[Status.RUNNING]}

    @app.get("/metrics", responses={**_errors(401), 200: {"content": {"text/plain": {"schema": {"type": "string"}}}}})
    def metrics(owner: Owner) -> Response:
        """What Prometheus reads."""
        del owner
        return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")


def _json(model: type[_Model], body: bytes) -> _Model:
    """Read a request strictly. Raises ProblemError with one sentence."""
    if next(islice(_TOKENS.finditer(body), MOST_TOKENS, None), None) is not None:
        why = "The request holds more strings and values than any subject needs; send less at a time."
        raise ProblemError(422, UsageError.code, why)
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        unreadable = error.errors(include_url=False)[0]["type"] == "json_invalid"
        raise ProblemError(400 if unreadable else 422, UsageError.code, f"{first_problem(error)}.") from error


async def _form(fields: dict[str, Any], settings: Settings) -> tuple[Asked, Subject, Upload]:
    """Read an upload's form: everything but the archive is text."""
    archive = fields.pop("archive", None)
    if not isinstance(archive, UploadFile):
        raise ProblemError(422, UsageError.code, "The form has no file 'archive'.")
    if any(isinstance(value, UploadFile) for value in fields.values()):
        raise ProblemError(422, UsageError.code, "The form holds a second file; only 'archive' is one.")
    only = fields.pop("only", None)
    sample = fields.pop("sample", None)
    try:
        if sample is not None:
            fields["sample"] = int(sample)
        of_subject: dict[str, Any] = {name: fields.pop(name) for name in ("label", "sample") if name in fields}
        if only is not None:
            fields["only"] = [part.strip() for part in only.split(",") if part.strip()]
        asked = Asked.model_validate(fields)
        subject = Subject.model_construct(files=None, path=None, **_checked(of_subject))
    except ValidationError as error:
        raise ProblemError(422, UsageError.code, f"{first_problem(error)}.") from error
    except ValueError as error:
        raise ProblemError(422, UsageError.code, "The form's 'sample' is not a number.") from error
    name = "".join(character if character.isprintable() else "?" for character in archive.filename or "archive")
    return asked, subject, Upload(name=name[-_NAME:], file=await _spool(archive, settings))


def _checked(of_subject: dict[str, Any]) -> dict[str, Any]:
    """Label and sample, as strictly read as in JSON."""
    found = Subject.model_validate({**of_subject, "path": "."})
    return {"label": found.label, "sample": found.sample}


async def _spool(archive: UploadFile, settings: Settings) -> Path:
    """Put an upload into the data folder, from where it can be renamed. Raises ProblemError where there is no room."""
    try:
        with NamedTemporaryFile(dir=settings.data, prefix=UPLOAD_PREFIX, delete=False) as file:
            try:
                while piece := await archive.read(_CHUNK):
                    file.write(piece)
            except BaseException:
                Path(file.name).unlink()
                raise
    except OSError as error:
        why = f"The service cannot take an upload in at present: {error.strerror}."
        raise ProblemError(503, HarnessError.code, why, {"Retry-After": "60"}) from error
    return Path(file.name)
