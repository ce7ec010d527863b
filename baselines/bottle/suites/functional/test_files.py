"""Files below a folder."""

import http.client
import socket
import threading
import time
import email.utils
import os

import bottle


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


def site(folder):
    (folder / "sub").mkdir()
    (folder / "page.html").write_text("<p>Grüße</p>", encoding="utf-8")
    (folder / "sub" / "data.bin").write_bytes(bytes(range(48, 58)) * 10)
    (folder.parent / "secret.txt").write_text("secret")
    os.utime(folder / "page.html", (1_000_000_000, 1_000_000_000))
    app = bottle.Bottle()
    app.get("/static/<name:path>", callback=lambda name: bottle.static_file(name, root=str(folder)))
    app.get("/load/<name:path>", callback=lambda name: bottle.static_file(name, str(folder), download=True))
    app.get("/as/<name:path>", callback=lambda name: bottle.static_file(name, str(folder), mimetype="text/css", download="new.css", charset="latin-1"))
    return serve(app)


def test_a_file_with_its_type(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    ask = site(folder)
    status, text, headers = ask("/static/page.html")
    assert [status, text, headers["Content-Type"], headers["Content-Length"], headers["Last-Modified"]] == [
        200,
        "<p>Grüße</p>",
        "text/html; charset=UTF-8",
        "14",
        "Sun, 09 Sep 2001 01:46:40 GMT",
    ]
    assert [ask("/static/sub/data.bin")[1][:12], ask("/static/page.html", "HEAD")[1]] == ["012345678901", ""]


def test_names_and_types_can_be_given(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    ask = site(folder)
    headers = ask("/as/page.html")[2]
    assert [headers["Content-Type"], headers["Content-Disposition"]] == ["text/css; charset=latin-1", 'attachment; filename="new.css"']
    assert ask("/load/sub/data.bin")[2]["Content-Disposition"] == 'attachment; filename="data.bin"'


def test_what_is_missing_or_outside_is_refused(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    ask = site(folder)
    answers = [ask(path)[0] for path in ("/static/none.txt", "/static/sub", "/static/../secret.txt", "/static/sub/../../secret.txt")]
    assert answers == [404, 404, 403, 403]
    assert ask("/static/%2e%2e/secret.txt")[0] == 403


def test_files_that_are_not_newer(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    ask = site(folder)
    answers = []
    for moment in (999_999_999, 1_000_000_000, 2_000_000_000):
        date = email.utils.formatdate(moment, usegmt=True)
        status, text, _ = ask("/static/page.html", headers={"If-Modified-Since": date})
        answers.append((status, len(text)))
    assert answers == [(200, 12), (304, 0), (304, 0)]


def test_parts_of_files(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    ask = site(folder)
    answers = []
    for value in ("bytes=5-9", "bytes=95-", "bytes=-3", "bytes=90-500", "bytes=200-300"):
        status, text, headers = ask("/static/sub/data.bin", headers={"Range": value})
        answers.append((status, text, headers["Content-Range"]) if status == 206 else status)
    assert answers == [
        (206, "56789", "bytes 5-9/100"),
        (206, "56789", "bytes 95-99/100"),
        (206, "789", "bytes 97-99/100"),
        (206, "0123456789", "bytes 90-99/100"),
        416,
    ]


def test_files_that_are_missing_or_outside():
    answers = [bottle.static_file(name, "no-such-folder") for name in ("missing.txt", "../secret.txt")]
    assert [answer.status_code for answer in answers] == [404, 403]
