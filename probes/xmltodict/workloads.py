"""Workloads of the xmltodict task: seeded inputs, a body that uses the surface, a digest of the result."""

import random
import zlib

NAMES = "alder beech cedar dogwood elm fir gum hazel ivy juniper".split()


def record(rng, number):
    tags = "".join(f"<tag>{rng.choice(NAMES)} &amp; {rng.choice(NAMES)}</tag>" for _ in range(rng.randrange(4)))
    return (
        f'<record id="{number}" state="{rng.choice(NAMES)}"><name> {rng.choice(NAMES)} {rng.randrange(10**6)} </name>'
        f'<size unit="cm">{rng.randrange(500)}</size>{tags}<empty/></record>'
    )


def document(rng, size):
    return "<data>\n" + "\n".join(record(rng, number) for number in range(size)) + "\n</data>"


def content(rng, number):
    return {
        "@id": number,
        "@state": rng.choice(NAMES),
        "name": f"{rng.choice(NAMES)} <{rng.randrange(10**6)}>",
        "size": {"@unit": "cm", "#text": rng.randrange(500) / 4},
        "tag": [rng.choice(NAMES) for _ in range(rng.randrange(4))],
        "ok": rng.random() < 0.5,
        "empty": None,
    }


def shape(node):
    """A count of entries and a checksum of a parsed tree, in document order."""
    count, total, stack = 0, 1, [node]
    while stack:
        item = stack.pop()
        count += 1
        if isinstance(item, dict):
            for key, value in item.items():
                total = zlib.crc32(key.encode(), total)
                stack.append(value)
        elif isinstance(item, list):
            stack.extend(item)
        elif item is not None:
            total = zlib.crc32(item.encode(), total)
    return [count, total]


class ParseRecords:
    """One document of many records."""

    id = "parse-records"
    n = 2000

    def setup(self, size):
        return document(random.Random(f"{self.id}/{size}"), size)

    def body(self, inputs):
        import xmltodict

        return xmltodict.parse(inputs)

    def digest(self, result):
        records = result["data"]["record"] if isinstance(result["data"]["record"], list) else [result["data"]["record"]]
        return [len(records), *shape(records[:: max(1, len(records) // 50)])]


class StreamRecords:
    """The same kind of document item by item, kept in no tree."""

    id = "stream-records"
    n = 2000

    def setup(self, size):
        return document(random.Random(f"{self.id}/{size}"), size).encode()

    def body(self, inputs):
        import xmltodict

        seen = {"items": 0, "sizes": 0, "tags": 0, "path": 0}

        def count(path, item):
            seen["items"] += 1
            seen["sizes"] += int(item["size"]["#text"])
            seen["tags"] += len(item.get("tag", ())) if isinstance(item.get("tag"), list) else 1
            seen["path"] += len(path) + int(path[-1][1]["id"])
            return True

        xmltodict.parse(inputs, item_depth=2, item_callback=count)
        return seen

    def digest(self, result):
        return [result["items"], result["sizes"], result["tags"], result["path"]]


class ParseWithOptions:
    """Many small documents with namespaces, forced lists and a postprocessor."""

    id = "parse-with-options"
    n = 350

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        head, tail = '<m:r xmlns:m="urn:m" xmlns="urn:d">', "</m:r>"
        return [head + "".join(record(rng, number) for number in range(3)) + tail for _ in range(size)]

    def body(self, inputs):
        import xmltodict

        def numbers(path, key, value):
            if isinstance(value, str) and value.isdigit():
                return key, f"{int(value) + len(path)}"
            return key, value

        options = {"process_namespaces": True, "namespaces": {"urn:d": None, "urn:m": "m"}, "force_list": ("tag",)}
        return [xmltodict.parse(text, postprocessor=numbers, **options) for text in inputs]

    def digest(self, result):
        return [len(result), *shape(result[:: max(1, len(result) // 15)])]


class WriteRecords:
    """A large dictionary written out, pretty and plain."""

    id = "write-records"
    n = 550

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return {"data": {"@version": "2", "record": [content(rng, number) for number in range(size)]}}

    def body(self, inputs):
        import xmltodict

        return xmltodict.unparse(inputs, pretty=True), xmltodict.unparse(inputs, short_empty_elements=True)

    def digest(self, result):
        return [part for text in result for part in (len(text), zlib.crc32(text.encode()))]


class LargeTree:
    """A document whose tree takes many times the memory of its text."""

    id = "large-tree"
    n = 14000
    holds_mib = 20

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        rows = "".join(f'<p x="{rng.randrange(10**4)}" y="{rng.randrange(10**4)}"/>' for _ in range(size))
        return f"<plot>{rows}</plot>"

    def body(self, inputs):
        import xmltodict

        tree = xmltodict.parse(inputs, force_list=("p",))
        points = tree["plot"]["p"]
        return len(points), sum(int(point["@x"]) * 3 + int(point["@y"]) for point in points[::20]), points[-1]

    def digest(self, result):
        count, total, last = result
        return [count, total, sorted(last.items())]


WORKLOADS = [ParseRecords(), StreamRecords(), ParseWithOptions(), WriteRecords(), LargeTree()]
