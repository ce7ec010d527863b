"""Workloads of the bottle task: seeded inputs, a body that uses the surface, a digest of the result.

Applications are called as WSGI callables, without a socket.
"""

import random
import zlib


def call(app, method, path, query="", body=b"", **more):
    """Call a WSGI application; return its status, headers and body."""
    import io

    seen = []
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SCRIPT_NAME": "",
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
    if hasattr(answer, "close"):
        answer.close()
    return seen[-1][0], {name.lower(): value for name, value in seen[-1][1]}, content


class ManyRoutes:
    """An application of many routes, fixed ones and ones with parts."""

    id = "many-routes"
    n = 1200

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(10**6) for _ in range(size)]

    def body(self, inputs):
        import bottle

        app = bottle.Bottle()
        for number in range(40):
            app.get(f"/fixed/{number}", callback=lambda number=number: f"fixed {number}")
            app.get(f"/item{number}/<name>/<n:int>", callback=lambda name, n: f"{name}:{n * 2}")
        results = []
        for number in inputs:
            status, _, content = call(app, "GET", f"/fixed/{number % 40}")
            results.append(status[:3] + content.decode())
            status, _, content = call(app, "GET", f"/item{number % 40}/name-{number % 7}/{number}")
            results.append(status[:3] + content.decode())
        return results

    def digest(self, result):
        return [len(result), zlib.crc32("\n".join(result).encode())]


class FormsAndQueries:
    """Query strings and form bodies taken apart and answered as JSON."""

    id = "forms-and-queries"
    n = 350

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [
            "&".join(f"f{rng.randrange(6)}={rng.randrange(1000)}+x%2C{rng.randrange(9)}" for _ in range(8)) for _ in range(size)
        ]

    def body(self, inputs):
        import bottle

        app = bottle.Bottle()

        @app.post("/form")
        def form():
            request = bottle.request
            return {
                "one": request.query.f1,
                "all": request.query.getall("f2"),
                "number": request.forms.get("n", type=int),
                "body": request.forms.getall("f3"),
                "names": len(request.params),
            }

        results, kind = [], "application/x-www-form-urlencoded"
        for number, query in enumerate(inputs):
            body = f"n={number}&{query}".encode()
            results.append(call(app, "POST", "/form", query, body, CONTENT_TYPE=kind)[2])
        return results

    def digest(self, result):
        import json

        total = 0
        for content in result:
            data = json.loads(content)
            total += data["number"] + data["names"] * 3 + len(data["all"]) * 5 + len("".join(data["body"])) + len(data["one"])
        return [len(result), total]


class HooksAndHeaders:
    """Requests with hooks, headers, cookies and errors."""

    id = "hooks-and-headers"
    n = 900

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(1000) for _ in range(size)]

    def body(self, inputs):
        import bottle

        app, counts = bottle.Bottle(), {"before": 0, "after": 0}

        @app.hook("before_request")
        def before():
            counts["before"] += 1

        @app.hook("after_request")
        def after():
            counts["after"] += bottle.response.status_code

        @app.get("/page/<n:int>")
        def page(n):
            response = bottle.response
            response.status = 200 + n % 3
            response.set_header("X-Number", str(n))
            response.set_cookie("last", str(n), path="/", httponly=True)
            if n % 5 == 0:
                bottle.abort(409, f"no {n}")
            return [f"page {n} for ", bottle.request.get_cookie("user", "nobody")]

        app.error(409)(lambda error: f"refused: {error.body}")
        results = []
        for n in inputs:
            status, headers, content = call(app, "GET", f"/page/{n}", HTTP_COOKIE=f"user=u{n % 11}; x=y")
            results.append(f"{status[:3]} {headers.get('x-number', '-')} {content.decode()}")
        return results, counts

    def digest(self, result):
        texts, counts = result
        return [len(texts), zlib.crc32("\n".join(texts).encode()), counts["before"], counts["after"]]


class LargeBodies:
    """Large texts received, turned around and sent."""

    id = "large-bodies"
    n = 1600000
    holds_mib = 20

    def setup(self, size):
        return {"size": size, "seed": random.Random(f"{self.id}/{size}").randrange(1, 250)}

    def body(self, inputs):
        import bottle

        app = bottle.Bottle()

        @app.post("/echo")
        def echo():
            text = bottle.request.body.read().decode()
            return [text[::-1], "|", text[: len(text) // 2]]

        @app.post("/form")
        def form():
            return "/".join(bottle.request.forms.getall("v"))

        data = bytes((number * inputs["seed"]) % 26 + 97 for number in range(2003)) * (inputs["size"] // 2003 + 1)
        first = call(app, "POST", "/echo", "", data)[2]
        values = b"&".join(b"v=" + data[start : start + 9] for start in range(0, min(len(data), 60000), 9))
        for _ in range(inputs["size"] // 400000 + 1):
            second = call(app, "POST", "/form", "", values, CONTENT_TYPE="application/x-www-form-urlencoded")
        return first, second[0], second[2]

    def digest(self, result):
        first, status, second = result
        return [len(first), zlib.crc32(first[::101] + first[-500:]), status, len(second), zlib.crc32(second[:4000])]


WORKLOADS = [ManyRoutes(), FormsAndQueries(), HooksAndHeaders(), LargeBodies()]
