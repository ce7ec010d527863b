"""Workloads of the tinydb task: seeded inputs, a body that uses the surface, a digest of the result."""

import random

WORDS = "amber basalt coral dune ember flint garnet heath islet jade kelp loam".split()


def documents(rng, size):
    return [
        {
            "name": f"{rng.choice(WORDS)}-{rng.randrange(100)}",
            "age": rng.randrange(90),
            "tags": rng.sample(WORDS, rng.randrange(4)),
            "place": {"zone": rng.randrange(12), "pos": [rng.randrange(50), rng.randrange(50)]},
        }
        for _ in range(size)
    ]


def weigh(numbers):
    return sum(i * number for i, number in enumerate(numbers, 1))


class SearchMix:
    """One table, many different queries."""

    id = "search-mix"
    n = 600

    def setup(self, size):
        return documents(random.Random(f"{self.id}/{size}"), size)

    def body(self, inputs):
        from tinydb import Query, TinyDB, where
        from tinydb.storages import MemoryStorage

        db = TinyDB(storage=MemoryStorage)
        db.insert_multiple(inputs)
        doc = Query()
        queries = []
        for step in range(5):
            queries += [
                where("age") < 20 + step,
                (where("age") >= 30 - step) & (where("age") < 60) & (doc.place.zone != step),
                (where("age") == 17 + step) | ~(doc.place.zone < 6),
                doc.name.matches(f"coral-[{step}-9]"),
                doc.name.search(f"e-.*{step}"),
                doc.tags.any([WORDS[step], "kelp"]),
                doc.tags.all([WORDS[step]]),
                doc.place.fragment({"zone": step + 5}),
                doc.place.pos.test(lambda pos, limit: sum(pos) > limit, 70 - step),
                doc.age.map(lambda age: age % 7) == step,
                doc.name.one_of([f"{WORDS[step]}-{number}" for number in range(0, 100, 3)]),
                doc.missing.exists() | (doc.place.zone == step),
            ]
        return [[document.doc_id for document in db.search(query)] for query in queries]

    def digest(self, result):
        return [part for ids in result for part in (len(ids), weigh(ids))]


class ChangeMix:
    """Updates, upserts and removals by query."""

    id = "change-mix"
    n = 1500

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return {"ages": [rng.randrange(90) for _ in range(size)], "zones": [rng.randrange(12) for _ in range(size)]}

    def body(self, inputs):
        from tinydb import Query, TinyDB, where
        from tinydb.operations import add, delete, increment, set
        from tinydb.storages import MemoryStorage

        db = TinyDB(storage=MemoryStorage)
        table, things = db.table("things"), []
        for age, zone in zip(inputs["ages"], inputs["zones"]):
            things.append({"name": f"thing-{age}", "age": age, "tags": ["x"], "place": {"zone": zone}})
        table.insert_multiple(things)
        doc, changed = Query(), []
        for zone in range(6):
            changed.append(table.update(increment("age"), doc.place.zone == zone))
            changed.append(table.update({"zone": zone}, where("age") == zone * 10))
            changed.append(table.remove((where("age") > 80) & (doc.place.zone == zone + 3)))
            changed.append(table.upsert({"name": f"new-{zone}", "age": zone}, where("name") == f"new-{zone}"))
        changed.append(table.update(delete("tags"), doc.tags.exists() & (where("age") < 10)))
        changed.append(table.update_multiple([(add("age", 5), where("age") < 30), (set("old", True), where("age") > 60)]))
        return changed, sorted(row.doc_id for row in table), sum(row["age"] for row in table)

    def digest(self, result):
        changed, left, ages = result
        return [*(weigh(ids) for ids in changed), len(left), weigh(left), ages]


class ManyTables:
    """Small tables in one database, each filled one document at a time."""

    id = "many-tables"
    n = 75

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [[rng.randrange(90) for _ in range(30)] for _ in range(size)]

    def body(self, inputs):
        from tinydb import TinyDB, where
        from tinydb.storages import MemoryStorage

        totals = []
        for group in inputs:
            db = TinyDB(storage=MemoryStorage)
            for position, age in enumerate(group):
                table = db.table(WORDS[position % 3])
                table.insert({"age": age, "place": position})
                totals.append(table.count(where("age") > 45))
            totals.extend(len(db.table(name)) for name in sorted(db.tables()))
            totals.extend(row.doc_id * row["age"] for row in db.table("amber"))
            db.drop_table("basalt")
            totals.append(len(db.tables()))
        return totals

    def digest(self, result):
        return [len(result), weigh(result)]


class LargeTable:
    """A large table, read as a whole: documents with their IDs."""

    id = "large-table"
    n = 11000
    holds_mib = 20

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(1000) for _ in range(size)]

    def body(self, inputs):
        from tinydb import TinyDB, where
        from tinydb.storages import MemoryStorage

        db = TinyDB(storage=MemoryStorage)
        db.insert_multiple({"a": number, "b": number * 7 % 1000} for number in inputs)
        rows = db.all()
        found = db.search(where("a") < 300)
        return [len(rows), sum(row.doc_id * row["b"] for row in rows[::50]), len(found), sum(row.doc_id for row in found[::40])]

    def digest(self, result):
        return result


WORKLOADS = [SearchMix(), ChangeMix(), ManyTables(), LargeTable()]
