"""A small web framework: functions answer HTTP requests."""

from bottle._app import Bottle
from bottle._context import request, response
from bottle._helpers import abort, auth_basic, redirect, static_file
from bottle._response import HTTPError, HTTPResponse
from bottle._server import run
from bottle._structures import BottleException, FormsDict

__all__ = [
    "Bottle",
    "BottleException",
    "FormsDict",
    "HTTPError",
    "HTTPResponse",
    "abort",
    "auth_basic",
    "redirect",
    "request",
    "response",
    "run",
    "static_file",
]
