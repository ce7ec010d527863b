"""Cookies, plain and signed."""

import http.client
import socket
import threading
import time
import datetime
import email.utils
import http.cookies

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


def attributes(header):
    return sorted(part.strip().lower() for part in header.split(";"))


def test_cookies_are_set_and_read():
    app = bottle.Bottle()

    @app.get("/set")
    def set_cookie():
        response.set_cookie("name", "value")
        response.set_cookie("other", "two words")

    app.get("/get", callback=lambda: f"{request.get_cookie('name')}|{request.get_cookie('no', 'none')}|{sorted(request.cookies)}")
    ask = serve(app)
    jar = http.cookies.SimpleCookie()
    for header in ask("/set")[2].get_all("Set-Cookie"):
        jar.load(header)
    assert {name: morsel.value for name, morsel in jar.items()} == {"name": "value", "other": "two words"}
    assert ask("/get", headers={"Cookie": "name=abc; other=xyz"})[1] == "abc|none|['name', 'other']"


def test_options_of_cookies():
    app = bottle.Bottle()

    @app.get("/")
    def page():
        response.set_cookie("a", "1", max_age=600, path="/sub", httponly=True, secure=True, samesite="lax", domain="example.org")

    @app.get("/bare")
    def bare():
        response.set_cookie("b", "2", secure=False, httponly=False, expires=0)

    ask = serve(app)
    assert attributes(ask("/")[2]["Set-Cookie"]) == [
        "a=1",
        "domain=example.org",
        "httponly",
        "max-age=600",
        "path=/sub",
        "samesite=lax",
        "secure",
    ]
    assert attributes(ask("/bare")[2]["Set-Cookie"]) == ["b=2", "expires=thu, 01 jan 1970 00:00:00 gmt"]


def test_cookies_expire_on_a_date():
    app = bottle.Bottle()
    east = datetime.timezone(datetime.timedelta(hours=2))
    ends = {"day": datetime.date(2030, 1, 2), "time": datetime.datetime(2030, 1, 2, 1, 30, tzinfo=east), "stamp": 86400.0}
    app.get("/<kind>", callback=lambda kind: response.set_cookie(kind, "v", expires=ends[kind]))
    ask = serve(app)
    assert [attributes(ask("/" + kind)[2]["Set-Cookie"]) for kind in ends] == [
        ["day=v", "expires=wed, 02 jan 2030 00:00:00 gmt"],
        ["expires=tue, 01 jan 2030 23:30:00 gmt", "time=v"],
        ["expires=fri, 02 jan 1970 00:00:00 gmt", "stamp=v"],
    ]


def test_cookies_are_deleted():
    app = bottle.Bottle()
    app.get("/", callback=lambda: response.delete_cookie("old", path="/x"))
    name, *parts = [part.strip() for part in serve(app)("/")[2]["Set-Cookie"].split(";")]
    options = {key.lower(): value for key, _, value in (part.partition("=") for part in parts)}
    dated = email.utils.parsedate_to_datetime(options.get("expires", "Fri, 01 Jan 2100 00:00:00 GMT"))
    expired = int(options.get("max-age", 1)) <= 0 or dated.year < 2001
    assert [name.partition("=")[0], options["path"], expired] == ["old", "/x", True]


def test_signed_cookies_cannot_be_changed():
    app = bottle.Bottle()

    @app.get("/set")
    def set_cookie():
        response.set_cookie("user", "ada", secret="s3cret")

    @app.get("/get/<secret>")
    def get_cookie(secret):
        return str(request.get_cookie("user", default="stranger", secret=secret))

    ask = serve(app)
    cookie = ask("/set")[2]["Set-Cookie"]
    changed = cookie[:-3] + ("A" if cookie[-3] != "A" else "B") + cookie[-2:]
    answers = [
        ask("/get/s3cret", headers={"Cookie": cookie})[1],
        ask("/get/other", headers={"Cookie": cookie})[1],
        ask("/get/s3cret", headers={"Cookie": changed})[1],
        ask("/get/s3cret", headers={"Cookie": "user=ada"})[1],
        ask("/get/s3cret")[1],
    ]
    assert answers == ["ada", "stranger", "stranger", "stranger", "stranger"]


def test_what_is_no_cookie_is_refused():
    app = bottle.Bottle()
    refused = []

    @app.get("/")
    def page():
        for value in (5, None, ["x"]):
            try:
                response.set_cookie("bad", value)
            except TypeError:
                refused.append(repr(value))
        try:
            response.set_cookie("long", "x" * 5000)
        except ValueError:
            refused.append("too long")
        response.set_cookie("good", "yes")
        return "sent"

    status, text, headers = serve(app)("/")
    assert [status, text, headers["Set-Cookie"]] == [200, "sent", "good=yes"]
    assert refused == ["5", "None", "['x']", "too long"]
