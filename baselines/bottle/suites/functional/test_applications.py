"""Hooks, decorators, several applications, and a server of its own."""

import http.client
import socket
import threading
import time
import json
import os
import subprocess
import sys
import wsgiref.util

import bottle
from bottle import request, response


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


def test_hooks_run_around_every_request():
    app, log = bottle.Bottle(), []
    for name in ("one", "two"):
        app.hook("before_request")(lambda name=name: log.append(f"before {name} {request.path}"))
        app.hook("after_request")(lambda name=name: log.append(f"after {name}"))

    @app.hook("after_request")
    def mark():
        response.set_header("X-Mark", str(len(log)))

    app.get("/ok", callback=lambda: log.append("body") or "done")
    ask = serve(app)
    seen = [ask("/ok")[2]["X-Mark"], ask("/missing")[0]]
    assert seen == ["3", 404]
    assert log == [
        "before one /ok",
        "before two /ok",
        "body",
        "after two",
        "after one",
        "before one /missing",
        "before two /missing",
        "after two",
        "after one",
    ]


def test_decorators_around_all_routes():
    app = bottle.Bottle()

    shout = lambda callback: lambda *args, **kwargs: callback(*args, **kwargs).upper()  # noqa: E731

    def star(callback):
        return lambda *args, **kwargs: "*" + callback(*args, **kwargs) + "*"

    app.get("/a/<x>", callback=lambda x: "a" + x)
    app.get("/b", apply=[star], callback=lambda: "b")
    ask = serve(app)
    before = [ask("/a/z")[1], ask("/b")[1]]
    app.install(shout)
    during = [ask("/a/z")[1], ask("/b")[1]]
    app.uninstall(shout)
    after = [ask("/a/z")[1], ask("/b")[1]]
    assert [before, during, after] == [["az", "*b*"], ["AZ", "*B*"], ["az", "*b*"]]


def test_applications_below_a_prefix():
    child, parent = bottle.Bottle(), bottle.Bottle()
    child.get("/", callback=lambda: "child root")
    child.get("/item/<n:int>", callback=lambda n: f"child item {n}")
    child.post("/item/<n:int>", callback=lambda n: f"posted {n}")
    parent.get("/", callback=lambda: "parent root")
    parent.mount("/sub/", child)
    ask = serve(parent)
    answers = [ask("/")[1], ask("/sub/")[1], ask("/sub/item/5")[1], ask("/sub/item/6", "POST")[1], ask("/item/5")[0], ask("/sub/none")[0]]
    assert answers == ["parent root", "child root", "child item 5", "posted 6", 404, 404]


def test_other_wsgi_applications_below_a_prefix():
    def other(environ, start_response):
        start_response("207 Mixed", [("X-Other", "yes"), ("Content-Type", "text/plain")])
        return [f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}".encode()]

    app = bottle.Bottle()
    app.mount("/legacy/", other)
    status, text, headers = serve(app)("/legacy/deep/page", "DELETE")
    assert [status, text, headers["X-Other"], headers["Content-Type"]] == [207, "DELETE /deep/page", "yes", "text/plain"]


def test_password_protection():
    app = bottle.Bottle()

    @app.get("/private")
    @bottle.auth_basic(lambda user, password: (user, password) == ("ada", "xyz"), realm="mine", text="no entry")
    def private():
        return "welcome " + request.auth[0]

    ask = serve(app)
    status, text, headers = ask("/private")
    assert [status, "no entry" in text, headers["WWW-Authenticate"]] == [401, True, 'Basic realm="mine"']
    answers = [ask("/private", headers={"Authorization": f"Basic {value}"})[:2] for value in ("YWRhOnh5eg==", "YWRhOndyb25n")]
    assert [answers[0], answers[1][0]] == [(200, "welcome ada"), 401]


def test_an_application_is_a_wsgi_callable():
    app, seen = bottle.Bottle(), []
    app.post("/w/<x>", callback=lambda x: {"x": x, "q": request.query.q, "body": request.body.read().decode()})
    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": "/w/1", "QUERY_STRING": "q=7", "CONTENT_LENGTH": "4"}
    wsgiref.util.setup_testing_defaults(environ)
    environ["wsgi.input"].write(b"datamore")
    environ["wsgi.input"].seek(0)
    body = b"".join(app(environ, lambda status, headers, exc_info=None: seen.append((status, dict(headers)["Content-Type"]))))
    assert [json.loads(body), seen] == [{"x": "1", "q": "7", "body": "data"}, [("200 OK", "application/json")]]


def test_values_by_name():
    values = bottle.FormsDict()
    for name, value in [("a", "1"), ("b", "x"), ("a", "2"), ("a", "three")]:
        values[name] = value
    assert [values["a"], values.getall("a"), values.get("a", type=int), values.get("b", "d"), len(values), sorted(values)] == [
        "three",
        ["1", "2", "three"],
        None,
        "x",
        2,
        ["a", "b"],
    ]
    assert [values.get("c", "d"), values.get("a", index=0, type=int), values.getall("c"), values.b, values.c] == ["d", 1, [], "x", ""]


def test_a_server_of_its_own(tmp_path):
    (tmp_path / "site_module.py").write_text(
        "import bottle\n\nsite = bottle.Bottle()\n\n\n@site.get('/<name>')\ndef page(name):\n    return {'name': name[::-1]}\n"
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path), PYTHONDONTWRITEBYTECODE="1")
    server = subprocess.Popen(
        [sys.executable, "-m", bottle.__name__, "--bind", f"127.0.0.1:{port}", "site_module:site"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    answers = []
    try:
        for path in ("/stressed", "/a/b"):
            deadline = time.monotonic() + 8
            while time.monotonic() < deadline:
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=8)
                    connection.request("GET", path)
                    answer = connection.getresponse()
                    answers.append((answer.status, json.loads(answer.read()) if answer.status == 200 else ""))
                    break
                except ConnectionRefusedError:
                    time.sleep(0.02)
    finally:
        server.terminate()
        server.wait(5)
    assert answers == [(200, {"name": "desserts"}), (404, "")]


def test_values_by_name_are_a_mapping():
    values = bottle.FormsDict()
    for name, value in [("a", "1"), ("b", "x"), ("a", "2"), ("c", "y")]:
        values[name] = value
    before = [sorted(values.items()), sorted(values.values()), "b" in values, "d" in values]
    del values["b"]
    assert [*before, sorted(values.keys()), "b" in values, values.getall("b"), values.getall("a")] == [
        [("a", "2"), ("b", "x"), ("c", "y")],
        ["2", "x", "y"],
        True,
        False,
        ["a", "c"],
        False,
        [],
        ["1", "2"],
    ]


def test_files_and_iterables_without_a_server(tmp_path):
    (tmp_path / "data.bin").write_bytes(bytes(range(256)) * 40)
    app = bottle.Bottle()
    app.get("/file", callback=lambda: open(tmp_path / "data.bin", "rb"))
    app.get("/pieces", callback=lambda: (piece for piece in ["", "\u00e9", "", "z"]))
    app.get("/nothing", callback=lambda: (piece for piece in []))

    def ask(path):
        environ, seen = {"REQUEST_METHOD": "GET", "PATH_INFO": path}, []
        wsgiref.util.setup_testing_defaults(environ)
        answer = app(environ, lambda status, headers, exc_info=None: seen.append(status))
        body = b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()
        return seen, body

    assert [ask("/file") == (["200 OK"], bytes(range(256)) * 40), ask("/pieces"), ask("/nothing")] == [
        True,
        (["200 OK"], b"\xc3\xa9z"),
        (["200 OK"], b""),
    ]


def test_decorators_without_a_server():
    mark = lambda callback: lambda: callback() + "!"  # noqa: E731
    app, bodies = bottle.Bottle(), []

    def ask():
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/b"}
        wsgiref.util.setup_testing_defaults(environ)
        bodies.append(b"".join(app(environ, lambda status, headers, exc_info=None: None)))

    app.install(mark)
    app.get("/b", callback=lambda: "b")
    ask()
    app.uninstall(mark)
    ask()
    assert bodies == [b"b!", b"b"]
