"""The canonical encoder on plain data, on hostile objects and under other hash seeds."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qualityscore.inside.decode import Opaque, decode, is_plain, is_trivial, parse
from qualityscore.inside.encode import Budget, canonical, digest, encode

atoms = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text(st.characters())
    | st.text(st.characters(categories=["Cs"]), max_size=3)
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.datetimes()
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.uuids()
    | st.just(...)
)
plain = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(atoms, inner, max_size=4)
        | st.sets(atoms, max_size=4)
        | st.frozensets(atoms, max_size=4)
    ),
    max_leaves=20,
)


def typed(value: object) -> object:
    """A value with all its types, so that 1, True and 1.0 (or -0.0 and 0.0) do not pass for each other."""
    match value:
        case dict():
            return ("dict", [(typed(k), typed(v)) for k, v in value.items()])
        case list() | tuple():
            return (type(value), [typed(v) for v in value])
        case set() | frozenset():
            return (type(value), sorted(repr(typed(v)) for v in value))
        case float() | complex():
            return (type(value), repr(value))
        case _:
            return (type(value), value)


@given(plain)
def test_plain_data_comes_back_with_every_type_and_order(value: object) -> None:
    data = parse(json.dumps(encode(value)))
    assert typed(decode(data)) == typed(value)
    assert is_plain(data)


@given(plain)
def test_the_digest_of_a_value_survives_transport(value: object) -> None:
    data = encode(value)
    assert digest(parse(canonical(data))) == digest(data)


@given(st.dictionaries(st.integers(), st.text(), min_size=2), st.randoms(use_true_random=False))
def test_the_digest_is_blind_to_insertion_order(value: dict[int, str], rng: object) -> None:
    items = list(value.items())
    rng.shuffle(items)  # type: ignore[attr-defined]
    assert digest(encode(dict(items))) == digest(encode(value))


@given(plain, plain)
def test_values_of_different_form_have_different_digests(a: object, b: object) -> None:
    def unordered(value: object) -> str:
        match value:
            case dict():
                return "{" + ",".join(sorted(unordered(k) + ":" + unordered(v) for k, v in value.items())) + "}"
            case list() | tuple():
                return type(value).__name__ + "(" + ",".join(unordered(v) for v in value) + ")"
            case set() | frozenset():
                return type(value).__name__ + "(" + ",".join(sorted(unordered(v) for v in value)) + ")"
            case _:
                return f"{type(value).__name__}:{value!r}"

    assert (digest(encode(a)) == digest(encode(b))) == (unordered(a) == unordered(b))


SEEDED = """
import sys
from qualityscore.inside.encode import digest, encode, Budget
words = ["w%d" % i for i in range(50)]
values = [set(words), frozenset((w, frozenset(w)) for w in words), {w: set(words) for w in words}]
values.append({"k": {*words, 1, None}})
print([digest(encode(v, budget=Budget(nodes=n))) for v in values for n in (5, 60, 300, 20000)])
"""


def test_digests_are_the_same_under_every_hash_seed() -> None:
    root = Path(__file__).parents[2]
    seen = {
        subprocess.run(
            [sys.executable, "-c", SEEDED], capture_output=True, check=True, cwd=root, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(seen) == 1


class _Asked(BaseException):
    """Raised by everything that the encoder must not ask."""


def _refuse(*_args: object, **_kwargs: object) -> object:
    raise _Asked


_ODD = ("__eq__", "__hash__", "__repr__", "__str__", "__bool__", "__len__", "__getattribute__", "__getattr__")


def odd() -> object:
    """An instance of a class that refuses every question, of a metaclass that refuses every question."""
    asked = (*_ODD[:4], "__getattribute__", "__subclasscheck__", "__instancecheck__")
    metaclass = type("OddMeta", (type,), dict.fromkeys(asked, _refuse))
    body = {**dict.fromkeys(_ODD, _refuse), "__class__": property(_refuse), "x": property(_refuse)}
    return object.__new__(metaclass("Odd", (), {**body, "__module__": "m"}))


def test_a_hostile_object_is_described_without_being_asked() -> None:
    value = odd()
    object.__setattr__(value, "shown", 3)
    object.__setattr__(value, "_hidden", 4)
    assert encode([value, value]) == {"list": [{"object": ["m.Odd", {"shown": 3}]}] * 2}


@pytest.mark.parametrize("base", [int, float, str, bytes, list, tuple, dict, set, frozenset])
def test_a_hostile_subclass_is_reduced_to_its_plain_content(base: type) -> None:
    asked = ["__eq__", "__hash__", "__repr__", "__str__", "__bool__", "__getattribute__", "__int__", "__index__"]
    kind = type("Sub", (base,), {**dict.fromkeys(asked, _refuse), "items": dict.items})
    source = {int: 7, float: 2.5, str: "s", bytes: b"b", dict: [(1, 2)]}.get(base, [4])
    expected = {dict: {1: 2}}.get(base, base(source))
    if base is dict:
        kind = type("Sub", (dict,), dict.fromkeys([*asked[:4]], _refuse))
    assert decode(encode(kind(source))) == expected


def test_a_mapping_is_read_through_its_own_items() -> None:
    class Elsewhere(dict):
        def items(self) -> object:  # type: ignore[override]
            return [("real", 1)]

    assert decode(encode(Elsewhere(fake=2))) == {"real": 1}
    assert decode(encode(MappingProxyType({"a": 1}))) == {"a": 1}
    assert decode(encode(collections.UserDict(a=1))) == {"a": 1}


@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration])
def test_what_a_mapping_throws_while_it_is_read_is_recorded(error: type[BaseException]) -> None:
    class Trap(collections.UserDict):  # type: ignore[type-arg]
        def items(self) -> object:  # type: ignore[override]
            raise error

    data = encode([1, Trap()])
    assert data["list"][0] == 1
    assert data["list"][1]["error"] == f"builtins.{error.__name__}"
    assert not is_plain(data)


def test_iterators_are_drawn_within_bounds() -> None:
    def forever() -> object:
        n = 0
        while True:
            yield n
            n += 1

    data = encode(forever(), budget=Budget(drawn=3))
    assert data == {"iterator": [0, 1, 2, {"cut": "drawn"}]}
    assert encode(iter([1, 2])) == {"iterator": [1, 2]}


@given(st.integers(1, 300), st.integers(1, 300))
def test_the_encoding_stays_within_its_budget(nodes: int, text: int) -> None:
    value = [["x" * 50] * 40, {i: {"y" * 40} for i in range(40)}, 10**400, b"z" * 200, {*range(99)}]
    size = len(canonical(encode(value, budget=Budget(nodes=nodes, text=text))))
    assert size <= 160 * nodes + 6 * text + 200


def test_nested_and_cyclic_containers_end() -> None:
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    cyclic: dict[str, object] = {"a": [1]}
    cyclic["self"] = [cyclic]
    bomb: list[object] = [0]
    for _ in range(60):
        bomb = [bomb, bomb]
    assert len(canonical(encode(deep))) < 2000
    assert encode(cyclic) == {"dict": [["a", {"list": [1]}], ["self", {"list": [{"cycle": 2}]}]]}
    assert len(canonical(encode(bomb))) < 2_000_000


def test_addresses_never_show() -> None:
    values = [object(), odd(), lambda: 0, print, (x for x in "ab"), [].append, sys, ValueError(object()), type(sys)]
    assert canonical(encode(values)) == canonical(encode([*values[:4], (x for x in "ab"), *values[5:]]))
    assert hex(id(values[0]))[2:] not in canonical(encode(values))


class Colour(enum.Enum):
    RED = "r"


class Level(enum.IntEnum):
    LOW = 5


Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Level.LOW, 5),
        (Point(1, 2), (1, 2)),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.deque([1, 2]), [1, 2]),
        ({"a": 1}.keys(), {"a"}),
        (Path("a/b"), PurePosixPath("a/b")),
        (memoryview(b"ab"), b"ab"),
        (datetime.datetime(2020, 2, 3, tzinfo=datetime.UTC), datetime.datetime(2020, 2, 3, tzinfo=datetime.UTC)),
        (decimal.Decimal("1.50"), decimal.Decimal("1.50")),
        (range(1, 9, 2), range(1, 9, 2)),
    ],
)
def test_standard_types_are_reduced_to_what_they_equal(value: object, expected: object) -> None:
    decoded = decode(encode(value))
    assert (type(decoded), decoded) == (type(expected), expected)


def test_objects_come_back_opaque_and_equal_by_name_and_public_state() -> None:
    class Slotted:
        __slots__ = ("_secret", "shown")

        def __init__(self, shown: int, secret: int) -> None:
            self.shown, self._secret = shown, secret

    same, other, changed = (decode(encode(Slotted(*a))) for a in ((1, 2), (1, 3), (2, 2)))
    assert isinstance(same, Opaque)
    assert same == other != changed
    assert decode(encode(Colour.RED)) == Opaque(f"{__name__}.Colour", encode(Colour.RED)["v"])
    error = encode(KeyError("k"))
    assert error == {"exception": ["builtins.KeyError", {"tuple": ["k"]}, {}]}


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, 0, 1, -1, 0.0, -0.0, 1.0, 0j, "", b"", [], (), {}, set(), range(0), decimal.Decimal(0)),
        *(Fraction(1), datetime.timedelta(0), object(), Colour.RED, print, int, sys, ..., iter([]), Level, bytearray()),
    ],
)
def test_trivial_values(value: object) -> None:
    assert is_trivial(encode(value))


@pytest.mark.parametrize(
    "value", [2, -2, 0.5, math.nan, "a", b"\0", [None], (0,), {0: 0}, {""}, range(1), iter([1]), "x" * 300_000, 10**30]
)
def test_values_that_say_something(value: object) -> None:
    assert not is_trivial(encode(value))


@pytest.mark.parametrize(
    "data",
    [
        *([], {}, [1], {"float": 1}, {"float": "x"}, {"dict": [[1]]}, {"set": 3}, {"bytes": "zz"}, {"range": [1, 2]}),
        *({"date": [0, 0, 0]}, {"array": ["?", {"list": []}]}, {"zoneinfo": "../../etc"}, {"zoneinfo": "America"}),
        *({"fraction": [1, 0]}, {"v": 1}, {"uuid": -1}, {"int": "0xg"}, {"decimal": "x"}, {"singleton": "None"}),
        *({"datetime": [1]}, 1.5),
    ],
)
def test_what_is_no_encoding_is_refused(data: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode(data)
    assert not is_plain(data)


@settings(max_examples=300)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5) | st.floats(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["list", "tuple", "dict", "set", "as", "v", "int", "range", "datetime", "object", "cut"]
                ),
                inner,
                max_size=2,
            )
        ),
    )
)
def test_forged_encodings_give_a_value_or_a_value_error(data: object) -> None:
    try:
        decode(data)
    except ValueError:
        assert not is_plain(data)
    assert is_trivial(data) in (True, False)


@pytest.mark.parametrize("raw", ["[" * 100_000, "9" * 5000, "{", b"\xff\xfe", "NaN1"])
def test_unreadable_messages_are_value_errors(raw: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse(raw)
