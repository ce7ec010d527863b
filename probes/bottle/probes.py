"""Properties of the bottle task: each docstring states the documented claim. Applications are called as WSGI callables."""

import io
import json
from urllib.parse import quote, urlencode

import bottle
from hypothesis import given
from hypothesis import strategies as st

WORD = st.text("abcxyz019-_", min_size=1, max_size=8)
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=15)
PAIRS = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), TEXT), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def call(app, method, path, query="", body=b"", **more):
    seen = []
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path.encode().decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        **more,
    }
    answer = app(environ, lambda status, headers, exc_info=None: seen.append((status, headers)))
    content = b"".join(answer)
    status, headers = seen[-1]
    return int(status[:3]), {name.lower(): value for name, value in headers}, content


@given(TEXT)
def prop_text_is_sent_in_utf8_with_its_length(text):
    """Text becomes the body in UTF-8, with its length in bytes."""
    app = bottle.Bottle()
    app.get("/", callback=lambda: text)
    status, headers, content = call(app, "GET", "/")
    assert status == 200
    assert content.decode() == text
    assert headers["content-length"] == str(len(text.encode()))
    head = call(app, "HEAD", "/")
    assert head[2] == b""
    assert head[1]["content-length"] == str(len(text.encode()))


@given(st.dictionaries(TEXT, JSON, min_size=1, max_size=4))
def prop_dictionaries_survive_as_json(data):
    """A dictionary is sent as JSON, and JSON received is the same dictionary."""
    app = bottle.Bottle()
    app.post("/", callback=lambda: bottle.request.json)
    status, headers, content = call(app, "POST", "/", body=json.dumps(data).encode(), CONTENT_TYPE="application/json")
    assert status == 200
    assert headers["content-type"] == "application/json"
    assert json.loads(content) == data


@given(st.lists(st.tuples(WORD, st.integers(-(10**6), 10**6)), min_size=1, max_size=4))
def prop_parts_of_paths_reach_the_function(requests):
    """Named parts of a path are passed to the function, numbers as int."""
    app, seen = bottle.Bottle(), []
    app.get("/x/<name>/y/<number:int>", callback=lambda name, number: seen.append((name, number)))
    for name, number in requests:
        assert call(app, "GET", f"/x/{name}/y/{number}")[0] == 200
        assert call(app, "GET", f"/x/{name}/{number}")[0] == 404
        assert call(app, "POST", f"/x/{name}/y/{number}")[0] == 405
    assert seen == requests


@given(st.lists(WORD, min_size=1, max_size=5))
def prop_addresses_lead_back_to_their_route(names):
    """get_url gives an address that the route of that name answers with the same values."""
    app = bottle.Bottle()
    app.get("/wiki/<page>/v/<n:int>", name="wiki", callback=lambda page, n: f"{page} {n}")
    for number, name in enumerate(names):
        url = app.get_url("wiki", page=name, n=number)
        assert call(app, "GET", url)[2].decode() == f"{name} {number}"


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.text("xyz +&=%/", max_size=9)), max_size=8), PAIRS)
def prop_values_are_those_that_were_sent(query, form):
    """Query and form hold the values sent, all of them in order, the last one as the value; params holds both."""
    app, seen = bottle.Bottle(), {}

    @app.post("/")
    def page():
        request = bottle.request
        for name in "abc":
            seen[name] = (
                request.query.getall(name),
                getattr(request.forms, name),
                len(request.params.getall(name)),
            )

    body = urlencode(form).encode()
    assert call(app, "POST", "/", urlencode(query), body, CONTENT_TYPE="application/x-www-form-urlencoded")[0] == 200
    for name in "abc":
        asked = [value for key, value in query if key == name]
        filled = [value for key, value in form if key == name]
        assert seen[name] == (asked, filled[-1] if filled else "", len(asked) + len(filled))


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6))
def prop_chunked_bodies_are_put_together(chunks):
    """A body in chunks is read as one."""
    app = bottle.Bottle()
    app.post("/", callback=lambda: bottle.request.body.read() + b"!")
    wire = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    status, _, content = call(app, "POST", "/", body=wire, HTTP_TRANSFER_ENCODING="chunked")
    assert (status, content) == (200, b"".join(chunks) + b"!")


@given(WORD, st.text("abcxyz 019-_.", max_size=20), st.text("abc", min_size=1, max_size=8), st.text("abc", min_size=1, max_size=8))
def prop_signed_cookies_are_read_with_their_secret_only(name, value, secret, other):
    """A signed cookie gives its value with the secret that signed it, the default with another."""
    app = bottle.Bottle()
    app.get("/set", callback=lambda: bottle.response.set_cookie(name, value, secret=secret))
    app.get("/get", callback=lambda: "=" + bottle.request.get_cookie(name, default="none", secret=secret))
    app.get("/other", callback=lambda: "=" + bottle.request.get_cookie(name, default="none", secret=other))
    cookie = call(app, "GET", "/set")[1]["set-cookie"]
    assert call(app, "GET", "/get", HTTP_COOKIE=cookie)[2].decode() == "=" + value
    assert call(app, "GET", "/other", HTTP_COOKIE=cookie)[2].decode() == ("=" + value if other == secret else "=none")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0xFF), max_size=20), st.integers(0, 99))
def prop_header_values_never_split_an_answer(text, place):
    """A header value with a line break is refused, any other is sent as it is."""
    for value in (text, text[:place] + "\r\nX-Evil: 1" + text[place:], text + "\n"):
        try:
            answer = bottle.HTTPResponse("x", headers={"X-Test": value})
        except ValueError:
            assert "\n" in value or "\r" in value
        else:
            assert "\n" not in value
            assert answer.get_header("X-Test") == value


@given(st.text("ab/.<>%&' ", max_size=15))
def prop_unknown_paths_are_404_and_escaped(path):
    """A path that no route answers gives 404, with a page that holds no tag from the address."""
    app = bottle.Bottle()
    app.get("/only/this", callback=lambda: "found")
    status, headers, content = call(app, "GET", "/" + path + "<b>x</b>")
    assert status == 404
    assert b"<b>x" not in content
    assert headers["content-type"].startswith("text/html")


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(0, 9)), max_size=10))
def prop_values_by_name_keep_all_and_give_the_last(pairs):
    """A FormsDict gives the last value of a name, and all of them in order."""
    values = bottle.FormsDict()
    for name, value in pairs:
        values[name] = str(value)
    for name in "abc":
        expected = [str(value) for key, value in pairs if key == name]
        assert values.getall(name) == expected
        assert values.get(name, "none") == (expected[-1] if expected else "none")
        assert values.get(name, -1, type=int) == (int(expected[-1]) if expected else -1)
        assert (name in values) == bool(expected)
    assert len(values) == len({key for key, _ in pairs})


@given(TEXT, st.sampled_from(["/a", "b?x=1", "../c", "http://example.org/z"]))
def prop_redirects_are_absolute(text, target):
    """A redirect has an absolute address, the code asked for, and an empty body."""
    app = bottle.Bottle()
    app.get("/here/<rest:path>", callback=lambda rest: bottle.redirect(target, 307))
    status, headers, content = call(app, "GET", "/here/" + quote(text or "x").replace("%", "") + "/page")
    assert status == 307
    assert content == b""
    assert headers["location"].startswith(("http://localhost", "http://example.org"))
