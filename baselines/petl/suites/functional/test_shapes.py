"""Groups, and tables of another shape."""

import petl

SALES = [
    ["region", "kind", "units", "price"],
    ["west", "tee", 3, 10],
    ["east", "tee", 12, 11],
    ["east", "golf", 14, 20],
    ["west", "tee", 4, 12],
]


def rows(table):
    return [tuple(row) for row in table]


def test_groups_are_counted_and_summed():
    assert rows(petl.aggregate(SALES, "region", len)) == [("region", "value"), ("east", 2), ("west", 2)]
    assert rows(petl.aggregate(SALES, "kind", sum, "units")) == [("kind", "value"), ("golf", 14), ("tee", 19)]
    assert rows(petl.aggregate(SALES, "region", lambda prices: max(prices) - 1, "price", field="top")) == [
        ("region", "top"),
        ("east", 19),
        ("west", 11),
    ]


def test_groups_have_keys_of_several_fields():
    assert rows(petl.aggregate(SALES, ["region", "kind"], sum, "units"))[1:] == [
        ("east", "golf", 14),
        ("east", "tee", 12),
        ("west", "tee", 7),
    ]
    assert rows(petl.aggregate(SALES, "region", list, ["kind", "units"]))[1:] == [
        ("east", [("tee", 12), ("golf", 14)]),
        ("west", [("tee", 3), ("tee", 4)]),
    ]


def test_groups_are_summed_up_in_several_ways():
    ways = {"n": len, "units": "units", "cheapest": ("price", min), "kinds": ("kind", ",".join)}
    assert rows(petl.aggregate(SALES, "region", ways)) == [
        ("region", "n", "units", "cheapest", "kinds"),
        ("east", 2, [12, 14], 11, "tee,golf"),
        ("west", 2, [3, 4], 10, "tee,tee"),
    ]
    assert rows(petl.aggregate(SALES, ["kind", "region"], {"sum": ("units", sum)}))[1:] == [
        ("golf", "east", 14),
        ("tee", "east", 12),
        ("tee", "west", 7),
    ]


def test_the_whole_table_is_one_group():
    assert [rows(petl.aggregate(SALES, None, len)), rows(petl.aggregate(SALES, None, sum, "units"))] == [
        [("value",), (4,)],
        [("value",), (33,)],
    ]
    assert rows(petl.aggregate(SALES, None, {"n": len, "dearest": ("price", max)})) == [("n", "dearest"), (4, 20)]


def test_groups_of_mixed_keys():
    table = [["k", "v"], ["b", 1], [None, 2], [7, 3], ["b", 4], [None, 5]]
    assert rows(petl.aggregate(table, "k", sum, "v"))[1:] == [(None, 7), (7, 3), ("b", 5)]


def test_groups_are_reduced_to_a_row():
    def best(region, records):
        record = max(records, key=lambda record: record.units * record["price"])
        return [region, record["kind"], record.units * record.price]

    assert rows(petl.rowreduce(SALES, "region", best, header=["region", "best", "worth"])) == [
        ("region", "best", "worth"),
        ("east", "golf", 280),
        ("west", "tee", 48),
    ]
    assert rows(
        petl.rowreduce(
            SALES, ["kind", "region"], lambda key, records: [*key, len(list(records))], header=["a", "b", "c"]
        )
    )[1:] == [
        ("golf", "east", 1),
        ("tee", "east", 1),
        ("tee", "west", 2),
    ]


def test_fields_become_rows():
    table = [["id", "sex", "age"], [1, "F", 12], [2, "M", 17]]
    assert rows(petl.melt(table, key="id")) == [
        ("id", "variable", "value"),
        (1, "sex", "F"),
        (1, "age", 12),
        (2, "sex", "M"),
        (2, "age", 17),
    ]
    assert rows(petl.melt(table, key=["id", "sex"]))[1:] == [(1, "F", "age", 12), (2, "M", "age", 17)]


def test_some_fields_become_rows():
    table = [["id", "a", "b", "c"], [1, 10, 20, 30], [2, 11, 21]]
    assert rows(petl.melt(table, variables=["b", "c"])) == [
        ("id", "a", "variable", "value"),
        (1, 10, "b", 20),
        (1, 10, "c", 30),
        (2, 11, "b", 21),
    ]
    assert rows(petl.melt(table, "id", ["c", "a"], variablefield="f", valuefield="v"))[:3] == [
        ("id", "f", "v"),
        (1, "c", 30),
        (1, "a", 10),
    ]


def test_rows_become_fields():
    table = [["id", "variable", "value"], [3, "h", 1.5], [1, "w", 40], [1, "h", 1.2], [2, "w", 50]]
    assert rows(petl.recast(table)) == [("id", "h", "w"), (1, 1.2, 40), (2, None, 50), (3, 1.5, None)]
    assert rows(petl.recast(table, missing="-"))[2] == (2, "-", 50)


def test_rows_become_fields_by_other_names():
    table = [["id", "day", "what", "much"], [1, "mo", "x", 5], [1, "tu", "y", 6], [2, "mo", "y", 7]]
    assert rows(petl.recast(table, key="id", variablefield="what", valuefield="much")) == [
        ("id", "x", "y"),
        (1, 5, 6),
        (2, None, 7),
    ]
    assert rows(petl.recast(table, variablefield="what", valuefield="much"))[:2] == [
        ("id", "day", "x", "y"),
        (1, "mo", 5, None),
    ]


def test_several_values_of_one_field():
    table = [["id", "variable", "value"], [1, "h", 3], [1, "h", 4], [1, "w", 8], [2, "w", 9], [2, "w", 1]]
    assert rows(petl.recast(table))[1:] == [(1, [3, 4], 8), (2, None, [9, 1])]
    assert rows(petl.recast(table, reducers={"h": sum, "w": max}))[1:] == [(1, 7, 8), (2, None, 9)]


def test_cross_tables():
    assert rows(petl.pivot(SALES, "region", "kind", "units", sum)) == [
        ("region", "golf", "tee"),
        ("east", 14, 12),
        ("west", None, 7),
    ]
    assert rows(petl.pivot(SALES, "kind", "region", "price", max, missing=0)) == [
        ("kind", "east", "west"),
        ("golf", 20, 0),
        ("tee", 11, 12),
    ]


def test_rows_and_fields_change_places():
    assert rows(petl.transpose([["id", "a", "b"], [1, "x", True], [2, "y", None]])) == [
        ("id", 1, 2),
        ("a", "x", "y"),
        ("b", True, None),
    ]


def test_tables_without_rows_have_shapes_too():
    nothing = [["a", "b", "c"]]
    assert [
        rows(petl.aggregate(nothing, "a", sum, "b")),
        rows(petl.melt(nothing, "a")),
        rows(petl.sort(nothing, "b")),
    ] == [
        [("a", "value")],
        [("a", "variable", "value")],
        [("a", "b", "c")],
    ]
    assert [rows(petl.transpose(nothing)), rows(petl.distinct(nothing)), rows(petl.aggregate(nothing, None, len))] == [
        [("a",), ("b",), ("c",)],
        [("a", "b", "c")],
        [("value",), (0,)],
    ]
