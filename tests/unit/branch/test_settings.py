"""`qualityscore.toml` is read strictly."""

import pytest

from qualityscore.branch.settings import ProductionSpec, choose_gate, default_gate, overruled, read_settings
from qualityscore.errors import SettingsError


def settings(folder, text):
    (folder / "qualityscore.toml").write_text(text)
    return read_settings(folder)


def test_without_a_file_the_defaults_hold(tmp_path):
    read = read_settings(tmp_path)
    assert (read.source, read.spec.baseline, read.spec.time_budget_s) == (None, None, 900.0)
    assert choose_gate(None, read, tmp_path) == default_gate()


def test_everything_can_be_set(tmp_path):
    text = """
    baseline = "main"
    profile = "reference"
    time_budget_s = 60
    [gate]
    default = true
    [[gate.condition]]
    number = "functional.score"
    min = 1
    [production]
    exclude = ["pkg/generated/*"]
    [workloads]
    file = "benchmarks/workloads.py"
    """
    read = settings(tmp_path, text)
    assert read.spec.baseline == "main"
    assert len(choose_gate(None, read, tmp_path).conditions) == len(default_gate().conditions) + 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('baselin = "main"', "key 'baselin' is unknown (did you mean 'baseline'?)"),
        ("[production]\nexlude = []", "did you mean 'exclude'?"),
        ('time_budget_s = "long"', "key 'time_budget_s'"),
        ("time_budget_s = 0", "key 'time_budget_s'"),
        ("[gate]\ndefualt = true", "key 'gate.defualt' is unknown (did you mean 'default'?)"),
        (
            "[[gate.condition]]\nnumbre = 'functional.score'\nmax = 1",
            "key 'gate.condition.0.numbre' is unknown (did you mean 'number'?)",
        ),
        ("gate = 3", "key 'gate': input should be a valid string"),
        ('task = "a"\nbaseline = "b"', "both a task and a baseline"),
        ("baseline = ", "not TOML"),
        ("baseline = " + "1" * 5000, "not TOML: a number in it has too many digits"),
    ],
)
def test_a_mistake_is_named_in_one_sentence(tmp_path, text, said):
    with pytest.raises(SettingsError) as error:
        settings(tmp_path, text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_gate_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(SettingsError, match=r"gate\.toml cannot be read: No such file"):
        choose_gate(None, settings(tmp_path, 'gate = "gate.toml"'), tmp_path)


def test_patterns_overrule_what_is_production_code():
    files = ("pkg/a.py", "pkg/gen/b.py", "tools/c.py", "README.md")
    spec = ProductionSpec(include=["tools/*"], exclude=["pkg/gen/*"])
    assert overruled(spec, files, ("pkg/a.py", "pkg/gen/b.py")) == ("pkg/a.py", "tools/c.py")
