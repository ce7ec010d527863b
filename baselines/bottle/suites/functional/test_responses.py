"""What is sent back."""

import http.client
import socket
import threading
import time
import io
import json
import wsgiref.util

import bottle
import pytest
from bottle import HTTPResponse, response


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


def test_kinds_of_bodies():
    app = bottle.Bottle()
    bodies = {
        "text": "häßlich",
        "bytes": b"\xc3\xa9t\xc3\xa9",
        "list": ["a", "b", "ü"],
        "bytelist": [b"1", b"2"],
        "tuple": ("x", "y"),
        "none": None,
        "false": False,
        "empty": "",
        "nothing": [],
    }
    app.get("/<kind>", callback=lambda kind: bodies[kind])
    app.get("/file", callback=lambda: io.BytesIO(b"from a file"))
    ask = serve(app)
    texts = {kind: ask("/" + kind)[1] for kind in [*bodies, "file"]}
    assert texts == {
        "text": "häßlich",
        "bytes": "été",
        "list": "abü",
        "bytelist": "12",
        "tuple": "xy",
        "none": "",
        "false": "",
        "empty": "",
        "nothing": "",
        "file": "from a file",
    }
    assert [ask("/text")[2]["Content-Length"], ask("/list")[2]["Content-Length"], ask("/none")[2]["Content-Length"]] == ["9", "4", "0"]


def test_dictionaries_become_json():
    app = bottle.Bottle()
    app.get("/", callback=lambda: {"b": [1, 2.5, None], "ä": True})
    status, text, headers = serve(app)("/")
    assert [status, json.loads(text), headers["Content-Type"]] == [200, {"b": [1, 2.5, None], "ä": True}, "application/json"]


def test_generators_are_sent_piece_by_piece():
    app = bottle.Bottle()
    closed = []

    @app.get("/")
    def pieces():
        try:
            yield ""
            for number in range(4):
                yield f"<{number}>"
        finally:
            closed.append("closed")

    status, text, headers = serve(app)("/")
    assert [status, text, headers["Content-Length"], closed] == [200, "<0><1><2><3>", None, ["closed"]]


def test_status_and_headers():
    app = bottle.Bottle()

    @app.get("/")
    def page():
        response.status = 202
        response.set_header("X-One", "first")
        response.set_header("x-one", "second")
        response.add_header("X-Many", "1")
        response.add_header("X-Many", "2")
        response.headers["X-Map"] = "33"
        response.content_type = "text/plain; charset=latin-1"
        return f"{response.get_header('X-ONE')} {response.get_header('X-No', 'none')} {response.charset} é"

    app2 = bottle.Bottle()
    app2.get("/", callback=lambda: setattr(response, "status", "299 Own Words") or response.status_line + str(response.status_code))
    connection_status, headers = [], {}
    environ = {"PATH_INFO": "/"}
    wsgiref.util.setup_testing_defaults(environ)
    body = app(
        environ,
        lambda status, items, exc_info=None: (connection_status.append(status), headers.update({"all": items})),
    )
    assert [connection_status, b"".join(body)] == [["202 Accepted"], b"second none latin-1 \xe9"]
    named = sorted((name.lower(), value) for name, value in headers["all"] if name.lower().startswith(("x-", "content-type")))
    assert named == [
        ("content-type", "text/plain; charset=latin-1"),
        ("x-many", "1"),
        ("x-many", "2"),
        ("x-map", "33"),
        ("x-one", "second"),
    ]
    assert serve(app2)("/")[:2] == (299, "299 Own Words299")


def test_answers_without_a_body():
    app = bottle.Bottle()

    @app.get("/<code:int>")
    def page(code):
        response.status = code
        return "never seen"

    ask = serve(app)
    seen = [(ask(f"/{code}")[0], ask(f"/{code}")[1], ask(f"/{code}")[2]["Content-Type"]) for code in (204, 304, 203)]
    assert seen == [(204, "", None), (304, "", None), (203, "never seen", "text/html; charset=UTF-8")]


def test_answers_as_objects():
    app = bottle.Bottle()
    app.get("/returned", callback=lambda: HTTPResponse("made", 201, {"X-A": "1"}, Cache_Control="no-store"))

    @app.get("/raised")
    def raised():
        response.set_header("X-Lost", "yes")
        raise HTTPResponse({"a": 1}, status=203)

    ask = serve(app)
    status, text, headers = ask("/returned")
    assert [status, text, headers["X-A"], headers["Cache-Control"]] == [201, "made", "1", "no-store"]
    assert [ask("/raised")[0], ask("/none")[0]] == [203, 404]


def test_redirects():
    app = bottle.Bottle()

    @app.get("/from/<code:int>")
    def away(code):
        response.set_cookie("seen", "yes")
        bottle.redirect("../to?x=1", code or None)

    ask = serve(app)
    status, text, headers = ask("/from/0")
    assert [status in (302, 303), text, headers["Location"].partition("127.0.0.1")[2].lstrip(":0123456789"), headers["Set-Cookie"]] == [
        True,
        "",
        "/to?x=1",
        "seen=yes",
    ]
    assert [ask("/from/301")[0], ask("/from/307")[0]] == [301, 307]


def test_status_and_header_values_are_checked():
    app = bottle.Bottle()
    refused = []

    @app.get("/")
    def page():
        for value in (99, 1000, "404", "nonsense text"):
            try:
                response.status = value
            except ValueError:
                refused.append(value)
        try:
            response.set_header("X-Split", "a\r\nX-Evil: 1")
        except ValueError:
            refused.append("split")
        return "still fine"

    assert serve(app)("/")[:2] == (200, "still fine")
    assert refused == [99, 1000, "404", "nonsense text", "split"]
    with pytest.raises(ValueError):
        HTTPResponse("x", status=7)


def test_headers_of_an_answer_are_a_mapping():
    answer = HTTPResponse("x", headers={"X-One": "1"}, X_Two="2")
    answer.add_header("X-One", "first")
    answer.headers["X-Three"] = "3"
    seen = ["x-one" in answer.headers, "X-Four" in answer.headers, answer.headers["x-three"], answer.headers.get("X-Four", "no")]
    del answer.headers["X-Two"]
    answer.headers["X-One"] = "last"
    assert [*seen, "X-Two" in answer.headers, answer.get_header("x-one"), answer.get_header("X-Two", "gone")] == [
        True,
        False,
        "3",
        "no",
        False,
        "last",
        "gone",
    ]
