"""Properties of the click task: each docstring states the documented claim."""

import datetime
import io
import shlex

import click
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

WORD = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=("Cc", "Cf", "Zs")), min_size=1, max_size=8
)
VALUE = WORD.filter(lambda word: word[0] not in "-=")
NAME = st.text("abcdefgh", min_size=2, max_size=6)
NUMBERS = st.integers(-(10**6), 10**6)
COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]


def returned(command, words, **settings):
    """What the command's function returns for the given words."""
    result = CliRunner().invoke(command, words, standalone_mode=False, **settings)
    if result.exception is not None:
        raise result.exception
    return result.return_value


def message(kind, value):
    """The message with which a type refuses a value, None where it takes it."""
    try:
        kind.convert(value, None, None)
    except click.BadParameter as error:
        return error.message
    return None


@given(st.lists(VALUE, max_size=6), VALUE, st.lists(WORD, max_size=4))
def prop_arguments_arrive_as_they_were_given(many, last, dashed):
    """Every positional value reaches the function, in order; after two dashes, those that begin with a dash too."""

    @click.command()
    @click.argument("many", nargs=-1)
    @click.argument("last")
    def tool(many, last):
        return many, last

    assert returned(tool, [*many, last]) == (tuple(many), last)
    assert returned(tool, ["--", *dashed, last]) == (tuple(dashed), last)
    assert returned(tool, [*many, "--", *dashed, last]) == ((*many, *dashed), last)


@given(
    NAME,
    st.lists(st.tuples(st.sampled_from(["apart", "joined", "short", "tight"]), VALUE), max_size=6),
    st.integers(0, 5),
)
def prop_all_ways_to_write_an_option_are_one(name, given_values, count):
    """A value arrives whichever way it is written; occurrences stay in order, the last one counts, flags are counted."""

    @click.command()
    @click.option(f"--{name}", "-n", "every", multiple=True)
    @click.option("--last", "-l", default="none")
    @click.option("-v", count=True)
    def tool(every, last, v):
        return every, last, v

    words = []
    for way, value in given_values:
        words += {
            "apart": [f"--{name}", value],
            "joined": [f"--{name}={value}"],
            "short": ["-n", value],
            "tight": [f"-n{value}"],
        }[way]
        words += [f"-l{value}"]
    words += ["-" + "v" * count] if count else []
    values = [value for _, value in given_values]
    assert returned(tool, words) == (tuple(values), values[-1] if values else "none", count)


@given(NUMBERS, NUMBERS, NUMBERS, st.booleans(), st.booleans())
def prop_ranges_take_exactly_what_lies_in_them(low, high, number, low_open, high_open):
    """A range takes a number that lies between its bounds, tells the others apart, and clamps them to the nearest."""
    low, high = sorted((low, high))
    kind = click.IntRange(low, high, min_open=low_open, max_open=high_open)
    inside = (low < number if low_open else low <= number) and (number < high if high_open else number <= high)
    shown = f"{low}{'<' if low_open else '<='}x{'<' if high_open else '<='}{high}"
    assert message(kind, str(number)) == (None if inside else f"{number} is not in the range {shown}.")
    if inside:
        assert kind.convert(str(number), None, None) == number
    assert click.IntRange(low, high, clamp=True).convert(str(number), None, None) == max(low, min(number, high))
    assert click.FloatRange(low, high, clamp=True).convert(str(number / 8), None, None) == max(
        low, min(number / 8, high)
    )
    assert click.IntRange(min=low).convert(str(high), None, None) == high


@given(st.lists(st.text("abcXYZ", min_size=1, max_size=4), min_size=1, max_size=5, unique_by=str.lower), st.data())
def prop_a_choice_is_one_of_the_originals(choices, data):
    """Whatever the case it is written in, a choice is the original one; what is no choice is refused."""
    wanted = data.draw(st.sampled_from(choices))
    written = data.draw(st.sampled_from([wanted, wanted.upper(), wanted.lower(), wanted.swapcase()]))
    assert click.Choice(choices, case_sensitive=False).convert(written, None, None) == wanted
    strict = click.Choice(choices)
    if written in choices:
        assert strict.convert(written, None, None) == written
    else:
        assert message(strict, written) is not None
    assert message(click.Choice(choices, case_sensitive=False), "q" + written) is not None


@given(
    st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(9999, 12, 31)),
    st.sampled_from(["%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H-%M-%S"]),
)
def prop_moments_come_back(moment, format):
    """A moment that is written by a format is read by it, and refused by formats that do not fit."""
    moment = moment.replace(microsecond=0)
    text = moment.strftime(format)
    assert click.DateTime(["%H", format]).convert(text, None, None) == moment
    assert message(click.DateTime(["%H:%M"]), text) == f"'{text}' does not match the format '%H:%M'."


@given(
    st.text(st.characters(max_codepoint=0x2FFF, exclude_characters="\x1b"), max_size=12),
    st.sampled_from([None, *COLOURS, *(f"bright_{name}" for name in COLOURS)]) | st.integers(0, 255),
    st.dictionaries(
        st.sampled_from(["bold", "dim", "underline", "blink", "reverse", "italic"]), st.booleans(), max_size=4
    ),
    st.booleans(),
)
def prop_styles_come_off_again(text, colour, attributes, reset):
    """unstyle undoes style; a style is codes before the text and, if asked for, the reset after it."""
    styled = click.style(text, fg=colour, reset=reset, **attributes)
    assert click.unstyle(styled) == text
    assert styled.endswith(text + "\x1b[0m" if reset else text)
    assert styled.count("\x1b[") == (colour is not None) + len(attributes) + reset
    plain, kept = io.StringIO(), io.StringIO()
    click.echo(styled, file=plain)
    click.echo(styled, file=kept, color=True)
    assert [plain.getvalue(), kept.getvalue()] == [text + "\n", styled + "\n"]


@given(st.dictionaries(st.sampled_from(["flag", "env", "map"]), NUMBERS, max_size=3), NUMBERS)
def prop_the_nearest_source_gives_the_value(sources, default):
    """The command line goes before the environment, that before the map of defaults, that before the default."""

    @click.group()
    def cli():
        pass

    @cli.command()
    @click.option("--number", default=default, envvar="PROP_NUMBER")
    def sub(number):
        return number

    words = ["sub", f"--number={sources['flag']}"] if "flag" in sources else ["sub"]
    environment = {"PROP_NUMBER": str(sources["env"]) if "env" in sources else None}
    defaults = {"sub": {"number": sources["map"]}} if "map" in sources else None
    expected = next((sources[name] for name in ("flag", "env", "map") if name in sources), default)
    assert returned(cli, words, env=environment, default_map=defaults) == expected


@given(st.lists(NAME, min_size=1, max_size=6, unique=True), st.data())
def prop_groups_find_their_commands(names, data):
    """A group lists its commands sorted, runs the one that is named, in a chain all of them, and knows no others."""
    plain, chain = click.Group(), click.Group(chain=True)
    for name in names:
        command = click.Command(name, callback=lambda name=name: name.upper())
        plain.add_command(command)
        chain.add_command(command)
    order = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=5))
    assert plain.list_commands(click.Context(plain)) == sorted(names)
    assert returned(plain, order[:1]) == order[0].upper()
    assert returned(chain, order) == [name.upper() for name in order]
    result = CliRunner().invoke(plain, ["x" + order[0]])
    assert [result.exit_code, f"No such command 'x{order[0]}'." in result.stderr] == [2, True]


@given(
    st.lists(st.tuples(NAME, st.text("abc def.", max_size=20)), max_size=5, unique_by=lambda pair: pair[0]),
    st.integers(60, 120),
)
def prop_help_pages_keep_to_their_width(options, width):
    """A help page names every option once at the beginning of a line, in order, and no line is wider than asked for."""
    command = click.Command("tool", callback=lambda **values: None, help="word " * 60)
    for name, text in options:
        click.option(f"--{name}", help=text)(command)
    result = CliRunner().invoke(command, ["--help"], terminal_width=width)
    lines = result.output.splitlines()
    assert [result.exit_code, lines[0]] == [0, "Usage: tool [OPTIONS]"]
    assert max(map(len, lines)) <= width
    section = lines[lines.index("Options:") + 1 :]
    assert sorted(line.split()[0] for line in section if line.startswith("  --")) == sorted(
        ["--help", *(f"--{name}" for name, _ in options)]
    )
    assert " ".join(result.output.split()).count("word") == 60


@given(st.lists(st.sampled_from(["x", "0", "11", ""]), max_size=4), st.integers(1, 10), st.integers(1, 10) | st.none())
def prop_prompts_ask_until_an_answer_is_good(bad, answer, default):
    """A prompt asks again after every bad answer, takes the default for an empty one, and gives the first good one."""

    @click.command()
    def tool():
        return click.prompt("Number", type=click.IntRange(1, 10), default=default)

    expected = default if default is not None and "" in bad else answer
    answers = bad[: bad.index("")] if default is not None and "" in bad else bad
    result = CliRunner().invoke(tool, input="".join(f"{word}\n" for word in [*bad, answer]), standalone_mode=False)
    assert result.return_value == expected
    assert result.output.count("Error: ") == len([word for word in answers if word])


@given(st.lists(WORD, max_size=5))
def prop_a_text_of_arguments_is_split_as_by_a_shell(words):
    """A runner splits a text of arguments as a shell does."""

    @click.command(context_settings={"ignore_unknown_options": True})
    @click.argument("words", nargs=-1)
    def tool(words):
        return words

    text = shlex.join(["--", *words])
    assert returned(tool, text) == returned(tool, ["--", *words]) == tuple(words)


@given(st.lists(st.sampled_from(["outer", "inner"]), max_size=8), st.integers(0, 99))
def prop_contexts_close_in_the_order_of_a_stack(places, code):
    """Functions for the end of a context run once each, the last one first, the inner context before the outer, whatever ends it."""
    seen = []

    @click.group()
    @click.pass_context
    def cli(ctx):
        ctx.obj = ctx

    @cli.command()
    @click.pass_context
    def sub(ctx):
        for number, place in enumerate(places):
            (ctx.obj if place == "outer" else ctx).call_on_close(lambda number=number: seen.append(number))
        ctx.exit(code)

    assert CliRunner().invoke(cli, ["sub"]).exit_code == code
    expected = [[number for number, place in enumerate(places) if place == name][::-1] for name in ("inner", "outer")]
    assert seen == [*expected[0], *expected[1]]
