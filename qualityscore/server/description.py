"""The OpenAPI description: what FastAPI derives from the routes, and the bodies, links and examples that it cannot."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import JsonValue

from qualityscore.model.codec import report_schema
from qualityscore.server.schemas import (
    ENDED_EXAMPLE,
    HEALTH_EXAMPLE,
    SCORES_EXAMPLE,
    STATE_EXAMPLE,
    TASKS_EXAMPLE,
    UPLOAD_EXAMPLE,
    UPLOAD_SCHEMA,
    EvaluationRequest,
    ScoreRequest,
)

Document = dict[str, Any]
_REPORT_PREFIX = "Report_"
_BY_ID = ("read", "report", "delete")
_ANSWERS: dict[tuple[str, str, str], JsonValue] = {
    ("/v1/evaluations", "post", "202"): STATE_EXAMPLE,
    ("/v1/evaluations/{id}", "get", "200"): ENDED_EXAMPLE,
    ("/v1/score", "post", "200"): SCORES_EXAMPLE,
    ("/v1/tasks", "get", "200"): TASKS_EXAMPLE,
    ("/healthz", "get", "200"): HEALTH_EXAMPLE,
}


def install(app: FastAPI, *, example_task: str, needs_token: bool) -> None:
    """Let the application describe itself; examples name `example_task`, which the service has."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            route.operation_id = route.name

    def describe() -> Document:
        if app.openapi_schema is None:
            document = get_openapi(
                title=app.title,
                version=app.version,
                summary=app.summary,
                openapi_version=app.openapi_version,
                routes=app.routes,
            )
            schemas = document["components"]["schemas"]
            paths = document["paths"]
            paths["/v1/evaluations"]["post"]["requestBody"] = _evaluation_body(example_task)
            paths["/v1/score"]["post"]["requestBody"] = _score_body(example_task)
            paths["/v1/evaluations"]["post"]["responses"]["202"]["links"] = {
                name: {"operationId": name, "parameters": {"id": "$response.body#/id"}} for name in _BY_ID
            }
            report = paths["/v1/evaluations/{id}/report"]["get"]["responses"]["200"]
            report["content"]["application/json"]["schema"] = _embedded_report(schemas)
            for (path, method, status), example in _ANSWERS.items():
                paths[path][method]["responses"][status]["content"]["application/json"]["example"] = example
            for answer in paths["/v1/evaluations/{id}/events"]["get"]["responses"].values():
                if "$ref" in json.dumps(answer):  # the error document, which is JSON on every route
                    answer["content"] = {"application/json": answer["content"].popitem()[1]}
            if not needs_token:
                document["components"].pop("securitySchemes", None)
                for operations in paths.values():
                    for operation in operations.values():
                        operation.pop("security", None)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]


def _embedded_report(schemas: Document) -> Document:
    """The report's schema with its definitions among the document's own."""
    text = json.dumps(report_schema()).replace("#/$defs/", f"#/components/schemas/{_REPORT_PREFIX}")
    schema: Document = json.loads(text)
    schema.pop("$schema", None)
    for name, definition in schema.pop("$defs", {}).items():
        schemas[_REPORT_PREFIX + name] = definition
    return schema


def _one_source(schema: Document) -> Document:
    """Say in the schema that a subject has files or a path, not both and not neither."""
    files = {"required": ["files"], "properties": {"files": {"type": "object"}, "path": {"type": "null"}}}
    path = {"required": ["path"], "properties": {"path": {"type": "string"}, "files": {"type": "null"}}}
    return {**schema, "oneOf": [files, path]}


def _with_task(schema: Document, task: str) -> tuple[Document, Document]:
    """(schema, its example with a task that the service has)."""
    example = {**schema.pop("examples")[0], "task": task}
    return schema, example


def _evaluation_body(task: str) -> Document:
    schema, example = _with_task(EvaluationRequest.model_json_schema(), task)
    return {
        "required": True,
        "content": {
            "application/json": {"schema": _one_source(schema), "example": example},
            "multipart/form-data": {"schema": UPLOAD_SCHEMA, "example": {**UPLOAD_EXAMPLE, "task": task}},
        },
    }


def _score_body(task: str) -> Document:
    schema, example = _with_task(ScoreRequest.model_json_schema(), task)
    schema["properties"]["subjects"]["items"] = _one_source(schema.pop("$defs")["Subject"])
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}
