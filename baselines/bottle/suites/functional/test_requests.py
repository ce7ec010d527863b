"""What a function learns about the request."""

import http.client
import socket
import threading
import time
import base64
import io
import json
import wsgiref.util

import bottle
from bottle import request


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


def test_method_path_and_address():
    app = bottle.Bottle()

    @app.route("/show/<rest:path>", method="ANY")
    def show(rest):
        return [f"{request.method} {request.path} {request.query_string} ", request.url.partition("/show")[2], f" {request.url_args['rest']}"]

    ask = serve(app)
    assert ask("/show/a/b?x=1&y=2", "PUT")[1] == "PUT /show/a/b x=1&y=2 /a/b?x=1&y=2 a/b"
    assert ask("/show/%C3%A9t%C3%A9")[1] == "GET /show/été  /%C3%A9t%C3%A9 été"


def test_the_query_string():
    app = bottle.Bottle()

    @app.route("/q")
    def query():
        q = request.query
        return {
            "last": q["a"],
            "all": q.getall("a"),
            "none": q.getall("zz"),
            "number": q.get("n", type=int),
            "bad": q.get("a", default=-5, type=int),
            "default": q.get("zz", "missing"),
            "attribute": q.name,
            "absent": q.zz,
            "names": sorted(q.keys()),
        }

    ask = serve(app)
    assert json.loads(ask("/q?a=1&a=two+words&n=42&name=J%C3%B6rg&empty=")[1]) == {
        "last": "two words",
        "all": ["1", "two words"],
        "none": [],
        "number": 42,
        "bad": -5,
        "default": "missing",
        "attribute": "Jörg",
        "absent": "",
        "names": ["a", "empty", "n", "name"],
    }


def test_forms():
    app = bottle.Bottle()

    @app.post("/f")
    def form():
        values = {name: sorted(request.params.getall(name)) for name in sorted(request.params)}
        return {"a": request.forms.getall("a"), "b": request.forms.b, "params": values, "query": request.query.a}

    ask = serve(app)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert json.loads(ask("/f?a=0&c=9", "POST", "a=1&a=2&b=%E2%82%AC+5", headers)[1])["a"] == ["1", "2"]
    answer = json.loads(ask("/f?a=0&c=9", "POST", "a=1&a=2&b=x+5", headers)[1])
    assert [answer["b"], answer["params"], answer["query"]] == ["x 5", {"a": ["0", "1", "2"], "b": ["x 5"], "c": ["9"]}, "0"]


def test_json_bodies():
    app = bottle.Bottle()

    @app.post("/j")
    def data():
        return {"got": request.json, "type": request.content_type.split(";")[0]}

    ask = serve(app)
    headers = {"Content-Type": "application/json; charset=utf-8"}
    assert json.loads(ask("/j", "POST", '{"a": [1, {"b": "\\u20ac"}]}', headers)[1]) == {"got": {"a": [1, {"b": "€"}]}, "type": "application/json"}
    answers = [ask("/j", "POST", "{not json", headers)[0], json.loads(ask("/j", "POST", '{"a": 1}', {"Content-Type": "text/plain"})[1])]
    assert answers == [400, {"got": None, "type": "text/plain"}]


def test_the_body_can_be_read_again_and_again():
    app = bottle.Bottle()

    @app.post("/b")
    def body():
        first, second = request.body.read(), request.body.read()
        return [f"{len(first)} {first == second} {request.content_length} ", first[:9].decode()]

    ask = serve(app)
    assert ask("/b", "POST", b"some data" * 30000)[1] == "270000 True 270000 some data"
    assert ask("/b", "POST", b"short")[1] == "5 True 5 short"


def test_chunked_bodies():
    app = bottle.Bottle()
    app.post("/c", callback=lambda: request.body.read()[::-1])
    ask = serve(app)
    chunks = b"3\r\nabc\r\n5;x=1\r\ndefgh\r\n0\r\n\r\n"
    assert ask("/c", "POST", chunks, {"Transfer-Encoding": "chunked"})[:2] == (200, "hgfedcba")


def test_headers_in_any_case():
    app = bottle.Bottle()

    @app.get("/h")
    def headers():
        return "/".join([request.headers["X-Some-Thing"], request.get_header("x-some-thing"), request.get_header("X-No", "none"), str(request.is_xhr)])

    ask = serve(app)
    assert ask("/h", headers={"x-SOME-thing": "Value"})[1] == "Value/Value/none/False"
    assert ask("/h", headers={"X-Some-Thing": "v", "X-Requested-With": "XMLHttpRequest"})[1] == "v/v/none/True"


def test_basic_authentication():
    app = bottle.Bottle()
    app.get("/who", callback=lambda: "+".join(request.auth or ("nobody", "here")))
    ask = serve(app)
    good = base64.b64encode(b"ada:pass:word").decode()
    answers = [ask("/who", headers={"Authorization": value})[1] for value in (f"Basic {good}", "Bearer abc", "Basic %%%")]
    assert [answers, ask("/who")[1]] == [["ada+pass:word", "nobody+here", "nobody+here"], "nobody+here"]


def test_uploads(tmp_path):
    app = bottle.Bottle()

    @app.post("/up")
    def up():
        item = request.files.get("doc")
        target = tmp_path / item.filename
        item.save(str(target))
        try:
            item.save(str(target))
        except IOError:
            again = "kept"
        item.save(str(target), overwrite=True)
        return [f"{item.name} {item.filename} {item.content_type} {again} {request.forms.note} ", target.read_text()]

    boundary = "XXboundaryXX"
    parts = [
        'Content-Disposition: form-data; name="note"\r\n\r\nto whom',
        'Content-Disposition: form-data; name="doc"; filename="../My  File!.txt"\r\nContent-Type: text/plain\r\n\r\nline 1\nline 2',
    ]
    body = "".join(f"--{boundary}\r\n{part}\r\n" for part in parts) + f"--{boundary}--\r\n"
    ask = serve(app)
    answer = ask("/up", "POST", body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})
    assert answer[:2] == (200, "doc My-File.txt text/plain kept to whom line 1\nline 2")


def test_each_thread_has_a_request_of_its_own():
    app = bottle.Bottle()
    barrier = threading.Barrier(2, timeout=8)

    @app.get("/slow/<name>")
    def slow(name):
        bottle.response.set_header("X-Name", name)
        barrier.wait()
        return f"{name}={request.path}"

    results = {}

    def call(name):
        environ = {"PATH_INFO": f"/slow/{name}"}
        wsgiref.util.setup_testing_defaults(environ)
        headers = {}
        body = app(environ, lambda status, items, exc_info=None: headers.update(items))
        results[name] = (b"".join(body).decode(), headers["X-Name"])

    threads = [threading.Thread(target=call, args=(name,)) for name in ("left", "right")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(9)
    assert sorted(results.items()) == [("left", ("left=/slow/left", "left")), ("right", ("right=/slow/right", "right"))]


def test_where_a_request_comes_from_and_goes_to():
    app = bottle.Bottle()
    app.get("/from", callback=lambda: request.remote_addr)
    app.get("/to", callback=lambda: f"{request.url} {request.script_name}")
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/to", "QUERY_STRING": "x=1", "SERVER_NAME": "example.org", "SERVER_PORT": "8000"}
    wsgiref.util.setup_testing_defaults(environ)
    del environ["HTTP_HOST"]
    body = b"".join(app(environ, lambda status, headers, exc_info=None: None)).decode()
    assert [serve(app)("/from")[1], body.split()[0]] == ["127.0.0.1", "http://example.org:8000/to?x=1"]


def test_uploads_without_line_ends_and_into_open_files():
    app = bottle.Bottle()

    @app.post("/up")
    def up():
        item, target = request.files["doc"], io.BytesIO()
        item.save(target)
        return f"{len(target.getvalue())} {target.getvalue()[-8:].decode()} {item.file.read(10).decode()} {item.raw_filename}"

    body = (
        b'--b\r\nContent-Disposition: form-data; name="doc"; filename="a b.bin"\r\n\r\n'
        + b"0123456789" * 9000
        + b"\r\n the end\r\n--b--\r\n"
    )
    answer = serve(app)("/up", "POST", body, {"Content-Type": "multipart/form-data; boundary=b"})
    assert answer[:2] == (200, "90010  the end 0123456789 a b.bin")
