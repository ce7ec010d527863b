"""Workloads of the petl task: seeded inputs, a body that uses the surface, a digest of the result."""

import random
import zlib

WORDS = "acorn birch clover daisy elder fennel gorse heather iris jasmine kale laurel".split()


def numbers(seed, size, below=1000):
    rng = random.Random(seed)
    return [rng.randrange(below) for _ in range(size)]


def records(inputs):
    """A table made from numbers: five fields of three types."""
    rows = [["id", "plant", "plot", "height", "note"]]
    for position, number in enumerate(inputs):
        rows.append(
            [position, WORDS[number % 12], number % 37, number * 13 % 101 / 4, None if number % 5 else f"n{number % 9}"]
        )
    return rows


def fingerprint(table):
    """The number of rows and a checksum over some of them."""
    rows = list(table)
    some = rows[:: max(1, len(rows) // 60)]
    return [len(rows), zlib.crc32(repr([tuple(row) for row in some]).encode())]


class Steps:
    """One table through many small steps."""

    id = "steps"
    n = 700

    def setup(self, size):
        return numbers(f"{self.id}/{size}", size)

    def body(self, inputs):
        import petl

        table = petl.wrap(records(inputs))
        table = table.convert("height", lambda height: height * 2).convert({"plant": "upper", "plot": str})
        table = table.addfield("area", lambda row: row.height * row["id"]).addrownumbers().filldown("note")
        table = (
            table.select(lambda row: row.height > 5)
            .cutout("id")
            .rename("plot", "bed")
            .cut("row", "plant", "bed", "area", "note")
        )
        return list(table), list(petl.selectin(table, "plant", ["IRIS", "KALE"]).head(50))

    def digest(self, result):
        return [part for table in result for part in fingerprint(table)]


class Joins:
    """Two tables joined in all ways."""

    id = "joins"
    n = 400

    def setup(self, size):
        return numbers(f"{self.id}/{size}", size, 10**6)

    def body(self, inputs):
        import petl

        size = len(inputs)
        left = [["key", "x"], *([number % size, number % 7] for number in inputs)]
        right = [["key", "y"], *([number * 7 % size, number % 11] for number in inputs)]
        tables = [
            petl.join(left, right),
            petl.outerjoin(left, right, missing=0),
            petl.leftjoin(left, right),
            petl.antijoin(left, right),
        ]
        tables.append(petl.complement(petl.cut(left, "key"), petl.cut(right, "key")))
        tables.append(petl.intersection(petl.cut(left, "key"), petl.cut(right, "key")))
        return [list(table) for table in tables]

    def digest(self, result):
        return [part for table in result for part in fingerprint(table)]


class Groups:
    """Groups summed up, reduced, sorted and sifted."""

    id = "groups"
    n = 700

    def setup(self, size):
        return numbers(f"{self.id}/{size}", size)

    def body(self, inputs):
        import petl

        table = records(inputs)
        ways = {"n": len, "top": ("height", max), "sum": ("height", sum)}
        tables = [
            petl.aggregate(table, "plot", ways),
            petl.aggregate(table, ["plant", "note"], sum, "height"),
            petl.rowreduce(
                table, "plant", lambda key, rows: [key, max(row.height + row.plot for row in rows)], header=["p", "m"]
            ),
            petl.sort(table, ["note", "height"], reverse=True),
            petl.distinct(table, ["plant", "plot"], count="n"),
            petl.duplicates(table, ["height", "plant"]),
        ]
        return [list(rows) for rows in tables], petl.lookup(table, "plot", "id")

    def digest(self, result):
        tables, found = result
        return [*(part for table in tables for part in fingerprint(table)), len(found), sum(map(len, found.values()))]


class Shapes:
    """Melted, recast and crossed."""

    id = "shapes"
    n = 600

    def setup(self, size):
        return numbers(f"{self.id}/{size}", size)

    def body(self, inputs):
        import petl

        table = petl.cut(records(inputs), "id", "plant", "plot", "height")
        molten = petl.melt(table, "id")
        tables = [
            molten,
            petl.recast(molten),
            petl.pivot(table, "plot", "plant", "height", sum, missing=0),
            petl.transpose(petl.head(table, 40)),
            petl.cat(table, petl.rename(table, "plot", "bed")),
        ]
        return [list(rows) for rows in tables]

    def digest(self, result):
        return [part for table in result for part in fingerprint(table)]


class LargeTable:
    """A large table of numbers, sorted, and the rows kept by key."""

    id = "large-table"
    n = 9000
    holds_mib = 20

    def setup(self, size):
        return {"size": size, "step": random.Random(f"{self.id}/{size}").randrange(1000, 9999)}

    def body(self, inputs):
        import petl

        table = [["k", "a", "b", "c", "d", "e", "f"]]
        for number in range(inputs["size"]):
            value = number * inputs["step"] % 999983
            table.append([value, *(value % 1000 + part / 8 for part in range(1, 7))])
        rows = list(petl.sort(table, "k"))
        found = petl.lookup(table, "k")
        return rows[:: max(1, len(rows) // 80)], len(rows), len(found), sum(row[0][3] for row in found.values())

    def digest(self, result):
        rows, *rest = result
        return [zlib.crc32(repr([tuple(row) for row in rows]).encode()), *rest]


WORKLOADS = [Steps(), Joins(), Groups(), Shapes(), LargeTable()]
