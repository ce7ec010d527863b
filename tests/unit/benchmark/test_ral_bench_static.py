"""The two static measures of RAL-Bench, on files counted by hand."""

import math

import pytest

from qualityscore.compat.ral_bench_static import file_indices, high_risk_calls, index, mi_min


def write(root, files):
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("eval('1')", ["eval"]),
        ("exec(code)\neval(code)", ["exec", "eval"]),
        ("import os\nos.system('ls')", ["os.system"]),
        ("from os import system as s\ns('ls')", ["os.system"]),
        ("import os as o\no.system('ls')", ["os.system"]),
        ("import subprocess\nsubprocess.run('ls', shell=True)", ["subprocess.run"]),
        ("from subprocess import Popen as P\nP('ls', shell=True)", ["subprocess.Popen"]),
        ("import subprocess as sp\nsp.check_output('ls', shell=True)", ["subprocess.check_output"]),
        ("import pickle\npickle.loads(b'')", ["pickle.loads"]),
        ("import dill, cloudpickle\ndill.load(f)\ncloudpickle.loads(f)", ["dill.load", "cloudpickle.loads"]),
        ("import pickle as p\np.Unpickler(f).load()", ["pickle.Unpickler"]),
        ("from pickle import Unpickler\nUnpickler(f)", ["pickle.Unpickler"]),
        ("import builtins\nbuiltins.eval('1')", ["builtins.eval"]),
        ("def f():\n    import os as hidden\n    hidden.system('ls')", ["os.system"]),
    ],
)
def test_a_high_risk_call_is_counted(tmp_path, source, names):
    calls = high_risk_calls(write(tmp_path, {"m.py": source}))
    assert [call.name for call in calls] == names


@pytest.mark.parametrize(
    "source",
    [
        "eval",
        "self.eval('1')",
        "from mine import eval\neval('1')",
        "import subprocess\nsubprocess.run(['ls'])",
        "import subprocess\nsubprocess.run('ls', shell=False)",
        "import subprocess\nsubprocess.run('ls', shell=flag)",
        "import subprocess\nsubprocess.run('ls', shell=1)",
        "run('ls', shell=True)",
        "import json\njson.loads('1')",
        "import pickle\npickle.dumps(1)",
        "import os\nos.popen('ls')",
        "# eval('1')",
        "'eval(1)'",
        "eval('1'",
    ],
)
def test_what_the_definition_does_not_name_is_not_counted(tmp_path, source):
    assert high_risk_calls(write(tmp_path, {"m.py": source})) == ()


def test_tests_builds_and_environments_are_left_out_of_the_count(tmp_path):
    bad = "eval('1')"
    write(tmp_path, {f"{folder}/m.py": bad for folder in ("tests", "build", "dist", "venv", ".venv", "pkg/tests")})
    write(tmp_path, {"own/pyvenv.cfg": "", "own/lib/m.py": bad, "note.txt": bad})
    assert high_risk_calls(tmp_path) == ()
    write(tmp_path, {"pkg/m.py": "\n" + bad})
    assert [(call.path, call.line) for call in high_risk_calls(tmp_path)] == [("pkg/m.py", 2)]


def test_the_index_by_hand(tmp_path):
    # Tokens: a = 1 NEWLINE b = a: operators = =, operands a 1 b a; N = 6, n = 4 (=, a, 1, b), V = 6 log2 4 = 12.
    # No function: CC of the module is 1; two lines.
    write(tmp_path, {"m.py": "# comment\na = 1\n\nb = a\n"})
    expected = (171 - 5.2 * math.log(12) - 0.23 * 1 - 16.2 * math.log(2)) * 100 / 171
    [file] = file_indices(tmp_path)
    assert file.index == pytest.approx(expected)


def test_complexity_is_the_mean_over_functions_and_lambdas(tmp_path):
    # f: 1 + if + and = 3, without its inner lambda; lambda: 1 + conditional expression = 2. Mean 2.5.
    source = "def f(a, b):\n    if a and b:\n        return lambda x: 1 if x else 2\n"
    [file] = file_indices(write(tmp_path, {"m.py": source}))
    # Tokens (keywords are operators): def f ( a , b ) : if a and b : return lambda x : 1 if x else 2 is 22 in all;
    # distinct: def f ( a , b ) : if and return lambda x 1 else 2 is 16.
    volume = 22 * math.log2(16)
    assert file.index == pytest.approx((171 - 5.2 * math.log(volume) - 0.23 * 2.5 - 16.2 * math.log(3)) * 100 / 171)


def test_volume_and_lines_count_at_least_one():
    assert index(0.0, 1.0, 0) == pytest.approx((171 - 0.23) * 100 / 171)


def test_the_index_is_held_within_nought_and_a_hundred():
    assert index(1e12, 500.0, 10**6) == 0
    assert index(1.0, -100.0, 1) == 100


def test_the_lowest_file_counts_tests_included_and_broken_ones_are_nought(tmp_path):
    write(
        tmp_path, {"a.py": "x = 1\n", "tests/t.py": "def f(a):\n    return [i for i in a if i]\n", "empty.py": "# x\n"}
    )
    indices = file_indices(tmp_path)
    assert [file.path for file in indices] == ["a.py", "tests/t.py"]
    assert mi_min(indices) == indices[1].index < indices[0].index
    write(tmp_path, {"broken.py": "def f(:\n"})
    assert mi_min(file_indices(tmp_path)) == 0


def test_no_file_gives_nought(tmp_path):
    write(tmp_path, {"build/a.py": "x = 1", "venv/b.py": "y = 2", "__pycache__/c.py": "z = 3"})
    assert file_indices(tmp_path) == ()
    assert mi_min(()) == 0


def test_encodings_are_read_as_the_interpreter_does(tmp_path):
    write(tmp_path, {"a.py": b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "b.py": b"\xef\xbb\xbfx = 'e'\n"})
    first, second = file_indices(tmp_path)
    assert first.index == pytest.approx(second.index)


def test_an_f_string_is_one_operand_on_every_interpreter(tmp_path):
    # x = f"..." has N = 3, n = 3 whatever stands in the string.
    [file] = file_indices(write(tmp_path, {"a.py": 'x = f"{a + b} {f(1)!r:>{w}}"\n'}))
    expected = (171 - 5.2 * math.log(3 * math.log2(3)) - 0.23 - 16.2 * math.log(1)) * 100 / 171
    assert file.index == pytest.approx(expected)
