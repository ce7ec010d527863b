"""Reading profiles: the shipped one says what the specification says, and bad ones are refused in words."""

from importlib.resources import files

import pytest

from qualityscore.core.ahp import weigh
from qualityscore.core.profile import comparisons_of, parse_comparisons, parse_profile
from qualityscore.errors import ProfileError
from qualityscore.model.measure import Direction, Scoring, Unit


def reference_text() -> str:
    return (files("qualityscore") / "profiles" / "reference.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reference():
    return parse_profile(reference_text(), "reference.toml")


SMALL = """
name = "small"
title = "Two dimensions"
judgements.comparisons = ["security over efficiency: 3"]
[[dimensions]]
id = "security"
title = "Security"
[[dimensions.measures]]
id = "risk"
title = "Risk"
unit = "points"
better = "lower"
epsilon = 1
[[dimensions]]
id = "efficiency"
title = "Efficiency"
[[dimensions.measures]]
id = "cost"
title = "Cost"
unit = "seconds"
better = "lower"
"""


def test_the_reference_profile_has_the_five_dimensions_in_order(reference):
    assert [d.id for d in reference.dimensions] == [
        "maintainability",
        "security",
        "robustness",
        "efficiency",
        "resource",
    ]
    assert [round(w, 4) for w in weigh(reference.matrix).weights] == [0.3637, 0.2407, 0.1593, 0.1182, 0.1182]


@pytest.mark.parametrize(
    ("dimension", "ratios"),
    [
        (
            "maintainability",
            {
                "index.deficit": 1,
                "complexity.excess": 2,
                "lint.penalty": 2,
                "duplication.share": 1,
                "structure.defects": 1,
            },
        ),
        ("security", {"bandit.risk": 1}),
        ("robustness", {"probes.survival": 3, "suite.stability": 1}),
        ("efficiency", {"workload.cost": 5, "import.cost": 1}),
        ("resource", {"peak_heap": 2, "peak_rss": 1}),
    ],
)
def test_measures_weigh_as_specified(reference, dimension, ratios):
    spec = next(d for d in reference.dimensions if d.id == dimension)
    assert [m.id for m in spec.metrics] == list(ratios)
    assert weigh(spec.matrix).weights == pytest.approx([r / sum(ratios.values()) for r in ratios.values()])


def test_smoothing_direction_and_credibility_are_those_of_the_specification(reference):
    specs = {m.id: (m.unit, m.epsilon, m.better, m.credible) for d in reference.dimensions for m in d.metrics}
    lower, higher = Direction.LOWER, Direction.HIGHER
    assert specs == {
        "index.deficit": (Unit.POINTS, 5, lower, True),
        "complexity.excess": (Unit.SHARE, 0.1, lower, True),
        "lint.penalty": (Unit.PER_100_LINES, 4, lower, True),
        "duplication.share": (Unit.SHARE, 0.05, lower, True),
        "structure.defects": (Unit.PER_1000_LINES, 5, lower, True),
        "bandit.risk": (Unit.POINTS, 20, lower, True),
        "probes.survival": (Unit.SHARE, 0, higher, False),
        "suite.stability": (Unit.SHARE, 0, higher, True),
        "workload.cost": (Unit.INSTRUCTIONS, 0, lower, False),
        "import.cost": (Unit.INSTRUCTIONS, 0, lower, True),
        "peak_heap": (Unit.BYTES, 64 * 1024, lower, False),
        "peak_rss": (Unit.BYTES, 1024 * 1024, lower, False),
    }


def test_only_costs_have_a_tolerance_and_a_floor(reference):
    specs = {m.id: m for d in reference.dimensions for m in d.metrics}
    assert {k for k, m in specs.items() if m.tolerance == 0.03} == {"workload.cost", "import.cost"}
    assert {k for k, m in specs.items() if m.floor_share == 0.01} == {"workload.cost", "import.cost"}
    assert {k for k, m in specs.items() if m.tolerance not in (0, 0.03)} == set()
    assert {k for k, m in specs.items() if m.scoring is Scoring.PARTS} == {
        "workload.cost",
        "import.cost",
        "peak_heap",
        "peak_rss",
    }
    assert specs["peak_heap"].epsilon_share == 0.05


def test_a_dimension_of_one_measure_needs_no_judgements():
    profile = parse_profile(SMALL, "small.toml")
    assert profile.dimensions[0].matrix == ((1.0,),)
    assert weigh(profile.matrix).weights == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("epsilon = 1", "epsilom = 1", "key 'dimensions.0.measures.0.epsilom' is unknown .did you mean 'epsilon'"),
        (
            "judgements.comparisons",
            "judgements.comparison",
            "key 'judgements.comparison' is unknown .did you mean 'comparisons'",
        ),
        ('better = "lower"\nepsilon', 'better = "less"\nepsilon', "'higher' or 'lower'"),
        ("efficiency: 3", "efficiency: three", '"three" in the comparison .* is not a number'),
        ("efficiency: 3", "efficiency: 0", "must have a value above 0"),
        ("efficiency: 3", "eficiency: 3", r"did you mean efficiency\?"),
        ("over efficiency: 3", "beats efficiency", 'not of the form "A over B: 3"'),
        (
            '["security over efficiency: 3"]',
            "[]",
            r"\(1 in all\); missing: security with efficiency",
        ),
        ("epsilon = 1", "epsilon = -1", "greater than or equal to 0"),
        ("epsilon = 1", "epsilon = nan", "finite number"),
        ('id = "cost"', 'id = "risk"', "measure risk is defined twice"),
        ('id = "efficiency"', 'id = "security"', "dimension security is defined twice"),
        ('name = "small"', "name = ", "is not TOML"),
        ('name = "small"', "name = " + "[" * 5000, "is not TOML: it is nested too deeply"),
        ('name = "small"', "name = " + "1" * 5000, "is not TOML: a number in it has too many digits"),
        ('judgements.comparisons = ["security over efficiency: 3"]', "", "exactly one of matrix"),
    ],
)
def test_a_bad_profile_is_refused_with_the_place_named(before, after, said):
    assert before in SMALL
    with pytest.raises(ProfileError, match=said) as refusal:
        parse_profile(SMALL.replace(before, after), "small.toml")
    assert str(refusal.value).startswith("small.toml")


def test_two_ways_of_giving_judgements_at_once_are_refused():
    text = SMALL.replace("[[dimensions]]", 'judgements.matrix = [[1, 3], ["1/3", 1]]\n[[dimensions]]', 1)
    with pytest.raises(ProfileError, match=r"exactly one .* not matrix and comparisons"):
        parse_profile(text, "small.toml")


FIVE = 'name = "five"\ntitle = "Five"\n{judgements}\n' + "".join(
    f'[[dimensions]]\nid = "d{i}"\ntitle = "D"\n'
    f'[[dimensions.measures]]\nid = "m{i}"\ntitle = "M"\nunit = "points"\nbetter = "lower"\n'
    for i in range(5)
)


@pytest.mark.parametrize(
    ("judgements", "key", "said"),
    [
        ("weights = {d0 = 1e308, d1 = 1e-308, d2 = 1, d3 = 1, d4 = 1}", "weights", "d0 over d1 is inf"),
        ("weights = {d0 = 1e300, d1 = 1e-8, d2 = 1, d3 = 1, d4 = 1}", "weights", "d0 over d1 is 1e.308"),
        ("weights = {d0 = 2e9, d1 = 1, d2 = 1, d3 = 1, d4 = 1}", "weights", "d0 over d1 is 2e.09; it must lie between"),
        ("weights = {d0 = 1, d2 = 1, d3 = 1}", "weights", "Missing in weights: d1, d4"),
        ('comparisons = ["d0 over d1: 1e308"]', "comparisons", "missing: d0 with d2, .*, d3 with d4"),
        ("weights = {d0 = 1e-300, d1 = 1, d2 = 1, d3 = 1, d4 = 1}", "weights", "1e-300; it must lie between"),
        ('experts = [{name = "A", comparisons = ["d0 over d1: 2"]}]', "experts", "missing: d0 with d2, .*, d3 with d4"),
    ],
)
def test_judgements_that_give_no_weights_are_refused_by_file_and_key(judgements, key, said):
    """Whatever reads a profile: weights that overflow, or that an eigenvector rounds to 0, would fail while scoring."""
    with pytest.raises(ProfileError, match=said) as refusal:
        parse_profile(FIVE.format(judgements=f"judgements.{judgements}"), "five.toml")
    assert str(refusal.value).startswith(f"five.toml: The judgements of the dimensions cannot be used ({key}).")


def test_a_matrix_of_any_size_of_number_is_refused_or_weighs_everything():
    two = SMALL.replace('comparisons = ["security over efficiency: 3"]', 'matrix = [[1, {0}], ["1/{0}", 1]]')
    assert min(weigh(parse_profile(two.format("1e9"), "x").matrix).weights) == pytest.approx(1e-9)
    for beyond in ("1e10", "1e308", "1" + "0" * 400):
        with pytest.raises(ProfileError, match="x: "):
            parse_profile(two.format(beyond), "x")


@pytest.mark.parametrize("entry", ["true", "[1]", "{a = 1}", "2020-01-01"])
def test_an_entry_that_is_no_judgement_is_answered_with_what_is_one(entry):
    two = SMALL.replace('comparisons = ["security over efficiency: 3"]', f'matrix = [[1, {entry}], ["1/3", 1]]')
    with pytest.raises(ProfileError) as refusal:
        parse_profile(two, "x")
    said = 'a judgement is a number, or a fraction in quotes such as "1/3"'
    assert str(refusal.value) == f"x: key 'judgements.matrix.0.1': {said}."


def test_eleven_weights_are_refused_as_eleven_rows_are():
    text = FIVE.format(judgements="judgements.weights = {%s}")
    eleven = text + "".join(
        f'[[dimensions]]\nid = "e{i}"\ntitle = "D"\n'
        f'[[dimensions.measures]]\nid = "n{i}"\ntitle = "M"\nunit = "points"\nbetter = "lower"\n'
        for i in range(6)
    )
    names = [f"d{i} = 1" for i in range(5)] + [f"e{i} = 1" for i in range(6)]
    with pytest.raises(ProfileError, match=r"eleven.toml: .*at most 10 rows, this one has 11"):
        parse_profile(eleven % ", ".join(names), "eleven.toml")


def test_experts_are_combined_and_each_must_be_consistent():
    comparisons = 'judgements.comparisons = ["security over efficiency: 3"]'
    experts = (
        'judgements.experts = [{name = "A", comparisons = ["security over efficiency: 2"]}, '
        '{name = "B", matrix = [[1, 8], ["1/8", 1]]}]'
    )
    profile = parse_profile(SMALL.replace(comparisons, experts), "x")
    # sqrt(2 * 8) = 4
    assert weigh(profile.matrix).weights == pytest.approx([0.8, 0.2])
    with pytest.raises(ProfileError, match=r"Expert B: .*not reciprocal"):
        parse_profile(SMALL.replace(comparisons, experts.replace("1/8", "1/7")), "x")


def test_comparisons_and_matrix_are_two_spellings_of_the_same_profile():
    matrix = 'judgements.matrix = [[1, 3], ["1/3", 1]]'
    other = parse_profile(SMALL.replace('judgements.comparisons = ["security over efficiency: 3"]', matrix), "x")
    assert other.digest == parse_profile(SMALL, "x").digest


def test_comparisons_round_trip():
    names = ("a", "b", "c")
    lines = ("a over b: 2", "a over c: 1/3", "b over c: 1/5")
    assert comparisons_of(parse_comparisons(lines, names), names) == lines


def test_a_pair_compared_twice_is_refused():
    with pytest.raises(ProfileError, match="b and a are compared twice"):
        parse_comparisons(["a over b: 2", "b over a: 1/2"], ["a", "b"])


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ('title = "Risk"', 'title = "Danger"', True),
        ("epsilon = 1", "epsilon = 2", False),
        ("efficiency: 3", "efficiency: 4", False),
        ('better = "lower"\nepsilon', 'better = "higher"\nepsilon', False),
    ],
)
def test_the_digest_covers_what_scores_and_nothing_else(before, after, same):
    changed = parse_profile(SMALL.replace(before, after), "x")
    assert (changed.digest == parse_profile(SMALL, "x").digest) is same
