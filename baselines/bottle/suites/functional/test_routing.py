"""Which function answers."""

import http.client
import socket
import threading
import time

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


def test_a_function_answers_a_path():
    app = bottle.Bottle()

    @app.route("/hello")
    def hello():
        return "Hello, " + "World" * 2

    ask = serve(app)
    status, text, headers = ask("/hello")
    assert [status, text, headers["Content-Length"], headers["Content-Type"]] == [200, "Hello, WorldWorld", "17", "text/html; charset=UTF-8"]
    assert [hello(), ask("/hello/")[0], ask("/Hello")[0], ask("/")[0]] == ["Hello, WorldWorld", 404, 404, 404]


def test_parts_of_the_path_are_passed_on():
    app = bottle.Bottle()

    @app.get("/users/<name>/posts/<number:int>")
    def post(name, number):
        return f"{name.upper()}:{number + 1}"

    ask = serve(app)
    answers = [ask(path)[:2] for path in ("/users/ada/posts/41", "/users/bob/posts/-7", "/users/J%C3%B6rg/posts/0")]
    assert answers == [(200, "ADA:42"), (200, "BOB:-6"), (200, "JÖRG:1")]
    assert [ask(path)[0] for path in ("/users//posts/1", "/users/a/b/posts/1", "/users/ada/posts/x")] == [404, 404, 404]


def test_kinds_of_parts():
    app = bottle.Bottle()
    app.route("/f/<x:float>", callback=lambda x: repr(x * 2))
    app.route("/p/<rest:path>/end", callback=lambda rest: "|".join(rest.split("/")))
    app.route("/r/<code:re:[a-c]{2}[0-9]+>", callback=lambda code: code[::-1])
    ask = serve(app)
    answers = [ask(path)[:2] for path in ("/f/1.25", "/f/-3", "/p/a/b/c/end", "/p/one/end", "/r/ab12", "/r/cc0")]
    assert answers == [(200, "2.5"), (200, "-6.0"), (200, "a|b|c"), (200, "one"), (200, "21ba"), (200, "0cc")]
    assert [ask(path)[0] for path in ("/f/x", "/p/end", "/r/ad12", "/r/ab")] == [404, 404, 404, 404]


def test_fixed_paths_go_first_then_the_order_of_binding():
    app = bottle.Bottle()
    app.route("/<any>", callback=lambda any: "any " + any)
    app.route("/<number:int>", callback=lambda number: "never")
    app.route("/fixed", callback=lambda: "fixed first")
    ask = serve(app)
    assert [ask("/fixed")[1], ask("/12")[1], ask("/fix")[1]] == ["fixed first", "any 12", "any fix"]


def test_methods_are_apart():
    app = bottle.Bottle()
    for name in ("get", "post", "put", "delete", "patch"):
        getattr(app, name)("/thing", callback=lambda name=name: f"did {name}")
    app.route("/thing", method="ANY", callback=lambda: "did any")
    ask = serve(app)
    answers = [ask("/thing", method)[1] for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "PURGE")]
    assert answers == ["did get", "did post", "did put", "did delete", "did patch", "did any"]


def test_other_methods_are_told_which_there_are():
    app = bottle.Bottle()
    app.route(["/a", "/b/<x>"], method=["POST", "GET"], callback=lambda x="-": "ok " + x)
    app.put("/a", callback=lambda: "put")
    ask = serve(app)
    seen = [(ask(path, method)[0], ask(path, method)[2]["Allow"]) for path, method in (("/a", "DELETE"), ("/b/1", "PATCH"), ("/c", "GET"))]
    assert seen == [(405, "GET,POST,PUT"), (405, "GET,POST"), (404, None)]
    assert [ask("/b/7", "POST")[1], ask("/a")[1]] == ["ok 7", "ok -"]


def test_head_is_answered_without_a_body():
    app = bottle.Bottle()
    app.get("/page", callback=lambda: "x" * 321)
    ask = serve(app)
    status, text, headers = ask("/page", "HEAD")
    assert [status, text, headers["Content-Length"], ask("/none", "HEAD")[0]] == [200, "", "321", 404]


def test_addresses_of_named_routes():
    app = bottle.Bottle()
    app.get("/wiki/<page>/<version:int>", name="wiki", callback=lambda page, version: "")
    app.get("/about", name="about", callback=lambda: "")
    assert [
        app.get_url("wiki", page="Home", version=3),
        app.get_url("about"),
        app.get_url("about", lang="de", q="a b"),
    ] == ["/wiki/Home/3", "/about", "/about?lang=de&q=a+b"]
    with pytest.raises(bottle.BottleException):
        app.get_url("wiki", page="Home")
    with pytest.raises(bottle.BottleException):
        app.get_url("nowhere")
