"""Types: what texts become, and which are refused."""

import datetime
import enum
import pathlib
import uuid

import click
import pytest
from click.testing import CliRunner


def converted(kind, *values):
    """Per value what it becomes, or the message with which it is refused."""
    found = []
    for value in values:
        try:
            found.append(kind.convert(value, None, None))
        except click.BadParameter as error:
            found.append(f"refused: {error.message}")
    return found


def test_numbers_and_truth_values():
    assert converted(click.INT, "3", "-12", "x", 5) == [3, -12, "refused: 'x' is not a valid integer.", 5]
    assert converted(click.FLOAT, "1e3", "-.5", "1,5") == [1000.0, -0.5, "refused: '1,5' is not a valid float."]
    assert converted(click.BOOL, "yes", "OFF", "t", "0", True) == [True, False, True, False, True]
    assert [converted(click.STRING, 3, "x"), converted(click.UNPROCESSED, 3.5)] == [["3", "x"], [3.5]]


def test_whole_numbers_in_a_range():
    assert converted(click.IntRange(1, 5), "1", "5", "0", "6") == [
        1,
        5,
        "refused: 0 is not in the range 1<=x<=5.",
        "refused: 6 is not in the range 1<=x<=5.",
    ]
    assert converted(click.IntRange(1, 5, min_open=True, max_open=True), "1", "2", "5") == [
        "refused: 1 is not in the range 1<x<5.",
        2,
        "refused: 5 is not in the range 1<x<5.",
    ]
    assert converted(click.IntRange(max=3), "-70", "4") == [-70, "refused: 4 is not in the range x<=3."]
    assert converted(click.IntRange(2, 9, min_open=True, clamp=True), "0", "2", "7", "99") == [3, 3, 7, 9]


def test_numbers_in_a_range():
    assert converted(click.FloatRange(0, 1.5, clamp=True), "-3", "0.25", "2") == [0, 0.25, 1.5]
    assert converted(click.FloatRange(min=0, min_open=True), "0.5", "0") == [
        0.5,
        "refused: 0.0 is not in the range x>0.",
    ]
    with pytest.raises(TypeError):
        click.FloatRange(0, 1, max_open=True, clamp=True)
    assert converted(click.FloatRange(-1, 1, max_open=True), "-1", "1") == [
        -1.0,
        "refused: 1.0 is not in the range -1<=x<1.",
    ]


def test_choices():
    class Hash(enum.Enum):
        MD5 = "the old one"
        SHA = 2

    assert converted(click.Choice(["Red", "Green"]), "Green", "green") == [
        "Green",
        "refused: 'green' is not one of 'Red', 'Green'.",
    ]
    assert converted(click.Choice(["Red", "Green"], case_sensitive=False), "gREEN", "RED") == ["Green", "Red"]
    assert converted(click.Choice([10, 20]), "20", "30") == [20, "refused: '30' is not one of '10', '20'."]
    assert [value.value for value in converted(click.Choice(Hash), "MD5", "SHA")] == ["the old one", 2]
    assert converted(click.Choice(Hash), "2") == ["refused: '2' is not one of 'MD5', 'SHA'."]


def test_moments():
    assert converted(click.DateTime(), "2020-02-29", "2020-02-29T10:20:30", "2020-02-29 10:20:31") == [
        datetime.datetime(2020, 2, 29),
        datetime.datetime(2020, 2, 29, 10, 20, 30),
        datetime.datetime(2020, 2, 29, 10, 20, 31),
    ]
    assert converted(click.DateTime(["%d.%m.%Y"]), "1.3.2021", "2021-02-29") == [
        datetime.datetime(2021, 3, 1),
        "refused: '2021-02-29' does not match the format '%d.%m.%Y'.",
    ]


def test_uuids():
    wanted = uuid.UUID(int=0x12345678123456781234567812345678)
    assert [str(value) for value in converted(click.UUID, "12345678123456781234567812345678", wanted)] == [
        "12345678-1234-5678-1234-567812345678",
        "12345678-1234-5678-1234-567812345678",
    ]
    assert converted(click.UUID, "12-34") == ["refused: '12-34' is not a valid UUID."]


def test_paths(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    file, folder, none = (str(tmp_path / name) for name in ("file", "folder", "none"))

    def told(kind, *values):
        return [str(value).replace(str(tmp_path), "TMP") for value in converted(kind, *values)]

    assert told(click.Path(), none, "a/../b") == ["TMP/none", "a/../b"]
    assert told(click.Path(exists=True), file, folder, none) == [
        "TMP/file",
        "TMP/folder",
        "refused: Path 'TMP/none' does not exist.",
    ]
    assert told(click.Path(exists=True, dir_okay=False), none, folder, file) == [
        "refused: File 'TMP/none' does not exist.",
        "refused: File 'TMP/folder' is a directory.",
        "TMP/file",
    ]
    assert told(click.Path(exists=True, file_okay=False), none, file, folder) == [
        "refused: Directory 'TMP/none' does not exist.",
        "refused: Directory 'TMP/file' is a file.",
        "TMP/folder",
    ]
    assert told(click.Path(exists=True, allow_dash=True), "-") == ["-"]
    assert told(click.Path(resolve_path=True), f"{folder}/../x") == [
        str(tmp_path.resolve() / "x").replace(str(tmp_path), "TMP")
    ]
    assert converted(click.Path(path_type=pathlib.Path), "a/b")[0].parts == ("a", "b")


def test_tuples_and_functions():
    kind = click.Tuple([str, click.IntRange(0, 9)])
    assert converted(kind, ("a", "1"), ["b", "2"], ("c", "x")) == [
        ("a", 1),
        ("b", 2),
        "refused: 'x' is not a valid integer range.",
    ]


def test_files_of_a_program(program, tmp_path):
    run = program("""
        @click.command()
        @click.argument("source", type=click.File())
        @click.argument("target", type=click.File("w", encoding="utf-8"))
        def copy(source, target):
            target.write(source.read().upper())

        copy()
    """)
    (tmp_path / "in.txt").write_text("first\nsecond\n")
    assert [run("in.txt", "out.txt"), (tmp_path / "out.txt").read_text()] == [(0, "", ""), "FIRST\nSECOND\n"]
    assert run("-", "-", stdin="from a pipe\n") == (0, "FROM A PIPE\n", "")
    assert [run("none.txt", "-")[0], run("none.txt", "-")[2].splitlines()[-1]] == [
        2,
        "Error: Invalid value for 'SOURCE': 'none.txt': No such file or directory",
    ]


def test_types_of_ones_own(program):
    run = program("""
        class Even(click.ParamType):
            name = "even"

            def convert(self, value, param, ctx):
                if int(value) % 2:
                    self.fail(f"{value} is odd", param, ctx)
                return int(value) // 2

        def halves(text):
            left, right = text.split("|")
            return right, left

        @click.command()
        @click.option("--even", type=Even(), help="Half.")
        @click.option("--swap", type=halves)
        def show(even, swap):
            click.echo(f"{even} {swap}")

        show()
    """)
    assert run("--even", "8", "--swap", "a|b") == (0, "4 ('b', 'a')\n", "")
    status, output, errors = run("--even", "7")
    assert [status, output, errors.splitlines()[-1]] == [2, "", "Error: Invalid value for '--even': 7 is odd"]
    status, output, errors = run("--swap", "a")
    assert [status, output, "Invalid value for '--swap': " in errors.splitlines()[-1]] == [2, "", True]
    assert "--even EVEN" in run("--help")[1]


def test_standard_streams_in_an_encoding(program):
    run = program("""
        @click.command()
        @click.argument("source", type=click.File(encoding="latin-1"))
        @click.argument("target", type=click.File("w", encoding="utf-16-le"))
        def copy(source, target):
            lines = [ascii(line) for line in source]
            target.write(" ".join(lines))

        copy()
    """)
    # in UTF-8 the letter e with an acute accent is the bytes C3 and A9; in UTF-16 each letter of ASCII is followed by a zero
    text = r"'\xc3\xa9\n' 'two'"
    assert run("-", "-", stdin="\u00e9\ntwo") == (0, "".join(letter + "\0" for letter in text), "")


def test_files_in_blocks(tmp_path):
    @click.command()
    @click.argument("source", type=click.File())
    @click.argument("target", type=click.File("w"))
    def copy(source, target):
        with source as lines, target as out:
            for number, line in enumerate(lines):
                out.write(f"{number} {line}")

    (tmp_path / "in.txt").write_text("a\nb\n")
    results = [CliRunner().invoke(copy, [str(tmp_path / "in.txt"), str(tmp_path / "out.txt")])]
    results.append(CliRunner().invoke(copy, ["-", "-"], input="c\nd\n"))
    written = (tmp_path / "out.txt").read_text()
    assert [written, [r.exit_code for r in results], results[1].stdout.split("\n")[-3:]] == ["0 a\n1 b\n", [0, 0], ["0 c", "1 d", ""]]


def test_functions_that_refuse_without_a_word():
    def picky(text):
        if text != "good":
            raise ValueError
        return text * 2

    @click.command()
    @click.option("--word", type=picky)
    def show(word):
        click.echo(word)

    good, bad = CliRunner().invoke(show, ["--word", "good"]), CliRunner().invoke(show, ["--word", "evil"])
    assert [good.output, bad.exit_code, bad.stdout, "Invalid value for '--word': " in bad.stderr] == ["goodgood\n", 2, "", True]
