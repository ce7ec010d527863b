"""Properties of the petl task: each docstring states the documented claim."""

import json
import tempfile
from collections import Counter
from pathlib import Path

import petl
from hypothesis import given
from hypothesis import strategies as st

KEY = st.sampled_from(["a", "b", "c"])
NUMBER = st.integers(-9, 9)
PAIRS = st.lists(st.tuples(KEY, NUMBER), max_size=12)
TEXT = st.text("ab,;\"' é日\n", max_size=6)
VALUE = st.none() | st.booleans() | NUMBER | st.text("xyz", max_size=3) | st.floats(-5, 5)


def table(pairs, header=("k", "v")):
    return [list(header), *(list(pair) for pair in pairs)]


def body(result):
    return [tuple(row) for row in result][1:]


def rank(value):
    """None, then numbers, then texts."""
    if value is None:
        return (0, 0, "")
    return (2, 0, value) if isinstance(value, str) else (1, value, "")


@given(st.lists(st.tuples(TEXT, TEXT), max_size=6), st.sampled_from([",", ";", "\t"]), st.booleans())
def prop_csv_files_keep_texts(pairs, delimiter, compressed):
    """Texts that are written to a CSV file come back from it, appended rows too."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / ("t.csv.gz" if compressed else "t.csv"))
        petl.tocsv(table(pairs), path, encoding="utf-8", delimiter=delimiter)
        back = petl.fromcsv(path, encoding="utf-8", delimiter=delimiter)
        assert tuple(petl.header(back)) == ("k", "v")
        assert body(back) == pairs
        if not compressed:
            petl.appendcsv(table(pairs), path, encoding="utf-8", delimiter=delimiter)
            assert body(back) == pairs * 2


@given(st.lists(st.dictionaries(KEY, VALUE, min_size=1), max_size=6))
def prop_dictionaries_become_rows_and_come_back(dicts):
    """A table from dictionaries has all their keys as fields, and JSON files keep it."""
    fields = list(dict.fromkeys(key for item in dicts for key in item))
    result = petl.fromdicts(dicts)
    assert list(petl.header(result)) == fields
    assert list(petl.dicts(result)) == [{field: item.get(field) for field in fields} for item in dicts]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.json"
        petl.tojson(result, str(path))
        assert json.loads(path.read_text()) == list(petl.dicts(result))
        assert body(petl.fromjson(str(path), header=fields)) == body(result)


@given(st.lists(st.tuples(VALUE, NUMBER), max_size=15), st.booleans(), st.integers(1, 5))
def prop_sorting_is_stable_over_all_types(pairs, reverse, buffersize):
    """Sorting puts None first, then numbers, then texts, and keeps rows of equal keys in order, however it is done."""
    expected = sorted(pairs, key=lambda pair: rank(pair[0]), reverse=reverse)
    assert body(petl.sort(table(pairs), "k", reverse=reverse)) == expected
    assert body(petl.sort(table(pairs), 0, reverse=reverse, buffersize=buffersize)) == expected


@given(PAIRS, NUMBER)
def prop_a_selection_and_its_complement_share_out_the_rows(pairs, limit):
    """Selected rows and the others are all rows, each in their order."""
    yes = body(petl.select(table(pairs), lambda row: row.v > limit))
    assert yes == [pair for pair in pairs if pair[1] > limit]
    no = body(petl.select(table(pairs), "v", lambda value: value > limit, complement=True))
    assert no == [pair for pair in pairs if pair[1] <= limit]
    keys = {key for key, _ in pairs[::2]}
    assert body(petl.selectin(table(pairs), "k", keys)) == [pair for pair in pairs if pair[0] in keys]
    assert body(petl.selectin(table(pairs), "k", keys, complement=True)) == [
        pair for pair in pairs if pair[0] not in keys
    ]


@given(PAIRS, PAIRS)
def prop_joins_are_pairs_of_equal_keys(left, right):
    """A join has every pair of rows with equal keys; outer joins add the rest; an anti join is the rest."""
    first, second = table(left), table(right, ("k", "w"))
    pairs = sorted(((k, v, w) for k, v in left for other, w in right if k == other), key=lambda row: row[0])
    lone = sorted(((k, v, None) for k, v in left if k not in {o for o, _ in right}), key=lambda row: row[0])
    other = sorted(((k, None, w) for k, w in right if k not in {o for o, _ in left}), key=lambda row: row[0])
    assert body(petl.join(first, second)) == pairs
    assert body(petl.leftjoin(first, second)) == sorted(pairs + lone, key=lambda row: row[0])
    assert body(petl.rightjoin(first, second, key="k")) == sorted(pairs + other, key=lambda row: row[0])
    assert body(petl.outerjoin(first, second)) == sorted(pairs + lone + other, key=lambda row: row[0])
    assert body(petl.antijoin(first, second)) == [row[:2] for row in lone]
    renamed = petl.rename(second, "k", "key")
    assert body(petl.join(first, renamed, lkey="k", rkey="key")) == pairs


@given(PAIRS, PAIRS)
def prop_complement_and_intersection_count_rows(left, right):
    """Rows count as often as they are there: a less b, what both have, and together a again."""
    a, b = Counter(left), Counter(right)
    assert body(petl.complement(table(left), table(right))) == sorted((a - b).elements())
    assert body(petl.intersection(table(left), table(right))) == sorted((a & b).elements())
    assert body(petl.complement(table(left), table(right), strict=True)) == sorted(row for row in left if row not in b)


@given(PAIRS)
def prop_groups_hold_all_rows(pairs):
    """Aggregation, reduction and lookup see each row once, under its key."""
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    assert petl.lookup(table(pairs), "k", "v") == groups
    assert petl.lookupone(table(pairs), "k", "v") == {key: values[0] for key, values in groups.items()}
    expected = sorted((key, sum(values), len(values)) for key, values in groups.items())
    assert body(petl.aggregate(table(pairs), "k", {"s": ("v", sum), "n": len})) == expected
    assert body(petl.aggregate(table(pairs), "k", sum, "v")) == [row[:2] for row in expected]
    reduced = petl.rowreduce(
        table(pairs), "k", lambda key, rows: [key, sum(row["v"] for row in rows)], header=["k", "s"]
    )
    assert body(reduced) == [row[:2] for row in expected]
    assert body(petl.aggregate(table(pairs), None, list, "v")) == [([value for _, value in pairs],)]


@given(PAIRS)
def prop_distinct_unique_and_duplicate_rows(pairs):
    """Each key is distinct once; unique and duplicate rows share out the table."""
    counts = Counter(key for key, _ in pairs)
    ordered = sorted(pairs, key=lambda pair: pair[0])
    first = dict(reversed(ordered))
    assert body(petl.distinct(table(pairs), "k", count="n")) == [
        (key, first[key], counts[key]) for key in sorted(counts)
    ]
    assert body(petl.unique(table(pairs), "k")) == [pair for pair in ordered if counts[pair[0]] == 1]
    assert body(petl.duplicates(table(pairs), "k")) == [pair for pair in ordered if counts[pair[0]] > 1]
    assert body(petl.distinct(table(pairs))) == sorted(set(pairs))


@given(
    st.lists(st.tuples(NUMBER, st.text("xyz", max_size=3), st.floats(-9, 9)), max_size=8, unique_by=lambda row: row[0])
)
def prop_recast_undoes_melt(rows):
    """A table that is melted and recast is as it was, sorted by key, and a transposed one has its columns as rows."""
    source = table(rows, ("id", "a", "b"))
    molten = petl.melt(source, "id")
    assert body(molten) == [(row[0], name, value) for row in rows for name, value in zip("ab", row[1:])]
    assert body(petl.recast(molten)) == sorted(rows)
    assert [tuple(row) for row in petl.transpose(source)] == list(zip(*source))


@given(st.lists(st.tuples(KEY, st.sampled_from("xyz"), NUMBER), max_size=12))
def prop_cross_tables_have_a_cell_for_each_pair(rows):
    """A cross table has, for each pair of values, what the function gives, or what stands for missing."""
    cells = {}
    for row, column, value in rows:
        cells.setdefault((row, column), []).append(value)
    columns = sorted({column for _, column, _ in rows})
    found = [tuple(row) for row in petl.pivot(table(rows, ("r", "c", "v")), "r", "c", "v", sum, missing="-")]
    assert found[0] == ("r", *columns)
    expected = [
        (row, *(sum(cells[row, column]) if (row, column) in cells else "-" for column in columns))
        for row in sorted({row for row, _, _ in rows})
    ]
    assert found[1:] == expected


@given(st.lists(NUMBER, max_size=15), st.integers(0, 9), st.integers(0, 9), st.integers(1, 3))
def prop_slices_are_those_of_lists(numbers, start, stop, step):
    """head, tail and rowslice take what slices of a list would; numbered rows count on."""
    source = table([(number,) for number in numbers], ("n",))
    assert list(petl.wrap(petl.head(source, stop))["n"]) == numbers[:stop]
    assert list(petl.tail(source, start)["n"]) == numbers[max(0, len(numbers) - start) :]
    assert list(petl.rowslice(source, start, stop, step)["n"]) == numbers[start:stop:step]
    assert body(petl.addrownumbers(source, start, step)) == [
        (start + step * i, number) for i, number in enumerate(numbers)
    ]
    assert body(petl.cat(petl.head(source, start), petl.rowslice(source, start, None))) == body(source)


@given(PAIRS, NUMBER)
def prop_steps_say_what_they_do_to_each_value(pairs, amount):
    """Converted, added, chosen and filled fields are functions of the row; the source stays as it was."""
    source = table(pairs)
    changed = petl.wrap(source).convert("v", lambda value: value + amount).addfield("w", lambda row: row.k * 2, index=0)
    assert body(changed) == [(key * 2, key, value + amount) for key, value in pairs]
    assert body(changed.cut("v", "w")) == [(value + amount, key * 2) for key, value in pairs]
    assert body(changed.cutout("k", "w")) == [(value + amount,) for _, value in pairs]
    assert body(petl.convert(source, "v", str, where=lambda row: row["v"] < amount)) == [
        (k, str(v) if v < amount else v) for k, v in pairs
    ]
    last, filled = None, []
    for key, value in pairs:
        last = key if value < 0 or last is None and value == 0 else last
        filled.append((last, value))
    gaps = [
        (key if value < 0 or before is None and value == 0 else None, value)
        for (key, value), (before, _) in zip(pairs, [(None, 0), *filled])
    ]
    assert body(petl.filldown(table(gaps), "k")) == filled
    assert source == table(pairs)
