"""What goes wrong, and who answers then."""

import http.client
import socket
import threading
import time
import wsgiref.util

import bottle
import pytest


def serve(app):
    """Serve an application on a free port; a function that asks it and returns status, body and headers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    threading.Thread(target=app.run, kwargs={"host": "127.0.0.1", "port": port, "quiet": True}, daemon=True).start()

    def ask(path, method="GET", body=None, headers=()):
        deadline = time.monotonic() + 8
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=8)
            try:
                connection.connect()
                break
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        text = answer.read().decode("utf-8")
        connection.close()
        return answer.status, text, answer.headers

    return ask


def test_abort_and_exceptions():
    app = bottle.Bottle()
    app.get("/teapot", callback=lambda: bottle.abort(418, "short <and> stout"))
    app.get("/broken", callback=lambda: 1 // 0)
    app.get("/plain", callback=lambda: bottle.abort())
    ask = serve(app)
    answers = [ask(path) for path in ("/teapot", "/broken", "/plain", "/missing")]
    assert [(status, headers["Content-Type"]) for status, _, headers in answers] == [
        (418, "text/html; charset=UTF-8"),
        (500, "text/html; charset=UTF-8"),
        (500, "text/html; charset=UTF-8"),
        (404, "text/html; charset=UTF-8"),
    ]
    assert ["short &lt;and&gt; stout" in answers[0][1], "<and>" in answers[0][1], "404" in answers[3][1], "Unknown Error" in answers[2][1]] == [
        True,
        False,
        True,
        True,
    ]


def test_addresses_are_escaped_on_error_pages():
    app = bottle.Bottle()
    app.get("/marked", callback=lambda: bottle.abort(400, "a <i>b</i> c"))
    ask = serve(app)
    missing, marked = ask("/%3Cscript%3Ealert(1)%3C/script%3E"), ask("/marked")
    assert [missing[0], missing[1].count("<script>"), marked[0], marked[1].count("<i>"), "a &lt;i&gt;b&lt;/i&gt; c" in marked[1]] == [
        404,
        0,
        400,
        0,
        True,
    ]


def test_functions_for_errors():
    app = bottle.Bottle()

    @app.error(404)
    def missing(error):
        bottle.response.set_header("X-Error", "seen")
        return f"nothing here: {error.status_code} {error.status_line}"

    @app.error(500)
    def broken(error):
        return f"kind {type(error.exception).__name__}"

    app.get("/broken", callback=lambda: {}["key"])
    app.get("/own", callback=lambda: bottle.abort(404, "mine"))
    ask = serve(app)
    status, text, headers = ask("/none")
    assert [status, text, headers["X-Error"]] == [404, "nothing here: 404 404 Not Found", "seen"]
    assert [ask("/broken")[:2], ask("/own")[:2]] == [(500, "kind KeyError"), (404, "nothing here: 404 404 Not Found")]


def test_errors_as_objects():
    app = bottle.Bottle()
    app.get("/returned", callback=lambda: bottle.HTTPError(409, "conflict!", X_Reason="busy"))

    @app.get("/raised")
    def raised():
        raise bottle.HTTPError(status=410, body="gone away")

    ask = serve(app)
    status, text, headers = ask("/returned")
    assert [status, "conflict!" in text, headers["X-Reason"]] == [409, True, "busy"]
    assert [ask("/raised")[0], "gone away" in ask("/raised")[1]] == [410, True]


def test_errors_in_generators():
    app = bottle.Bottle()

    @app.get("/early")
    def early():
        raise LookupError("before anything was sent")
        yield "never"

    @app.get("/aborted")
    def aborted():
        bottle.abort(403, "not you")
        yield "never"

    ask = serve(app)
    assert [ask("/early")[0], ask("/aborted")[0], "not you" in ask("/aborted")[1]] == [500, 403, True]


def test_bodies_that_cannot_be_sent():
    app = bottle.Bottle()
    app.get("/number", callback=lambda: 42)
    app.get("/objects", callback=lambda: [object(), object()])
    app.get("/text", callback=lambda: "fine")
    ask = serve(app)
    assert [ask("/number")[0], ask("/objects")[0], ask("/text")[1]] == [500, 500, "fine"]


def test_exceptions_can_reach_the_server():
    app = bottle.Bottle()
    app.catchall = False
    app.get("/", callback=lambda: {}["key"])
    app.get("/ok", callback=lambda: "all right")
    environ = {"PATH_INFO": "/"}
    wsgiref.util.setup_testing_defaults(environ)
    with pytest.raises(KeyError):
        app(environ, lambda status, headers, exc_info=None: None)
    seen = []
    body = app({**environ, "PATH_INFO": "/ok"}, lambda status, headers, exc_info=None: seen.append(status))
    assert [b"".join(body), seen] == [b"all right", ["200 OK"]]


def test_malformed_bodies_give_400():
    app = bottle.Bottle()
    app.post("/c", callback=lambda: bottle.request.body.read())
    app.post("/j", callback=lambda: str(bottle.request.json))
    ask = serve(app)
    answers = [
        ask("/c", "POST", b"zz\r\nabc\r\n0\r\n\r\n", {"Transfer-Encoding": "chunked"})[0],
        ask("/j", "POST", b"[1, 2", {"Content-Type": "application/json"})[0],
        ask("/j", "POST", b"[1, 2]", {"Content-Type": "application/json"})[1],
    ]
    assert answers == [400, 400, "[1, 2]"]


def test_applications_can_be_made_to_let_exceptions_through():
    app = bottle.Bottle(catchall=False)
    app.get("/<word>", callback=lambda word: {}[word])
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/lost"}
    wsgiref.util.setup_testing_defaults(environ)
    with pytest.raises(KeyError, match="lost"):
        app(environ, lambda status, headers, exc_info=None: None)
    assert [app.catchall, bottle.Bottle().catchall] == [False, True]
