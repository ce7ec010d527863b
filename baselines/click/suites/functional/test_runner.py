"""Commands run in this process, as their own tests do."""

import os

import click
import pytest
from click.testing import CliRunner


@click.command()
@click.argument("word")
@click.option("--n", default=1)
def repeat(word, n):
    """Say it."""
    click.echo(word * n)
    click.echo("warned", err=True)


def test_output_and_errors_are_kept_apart():
    result = CliRunner().invoke(repeat, ["ab", "--n", "3"])
    assert [result.exit_code, result.stdout, result.stderr, result.output, result.exception] == [
        0,
        "ababab\n",
        "warned\n",
        "ababab\nwarned\n",
        None,
    ]


def test_arguments_as_a_text():
    assert CliRunner().invoke(repeat, "'a b ' --n 2").stdout == "a b a b \n"


def test_mistakes_and_statuses():
    @click.command()
    @click.argument("code", type=int)
    @click.pass_context
    def leave(ctx, code):
        ctx.exit(code)

    answers = [CliRunner().invoke(leave, [code]) for code in ("0", "3", "x")]
    assert [(answer.exit_code, answer.exception is None) for answer in answers] == [(0, True), (3, False), (2, False)]
    assert answers[2].stderr.splitlines()[-1] == "Error: Invalid value for 'CODE': 'x' is not a valid integer."


def test_exceptions_are_kept_or_raised():
    @click.command()
    def broken():
        click.echo("before")
        raise LookupError("lost key")

    result = CliRunner().invoke(broken)
    assert [result.exit_code, result.output, type(result.exception).__name__, str(result.exception)] == [
        1,
        "before\n",
        "LookupError",
        "lost key",
    ]
    with pytest.raises(LookupError, match="lost key"):
        CliRunner().invoke(broken, catch_exceptions=False)


def test_input_is_shown_after_prompts():
    @click.command()
    @click.option("--name", prompt=True)
    @click.option("--pin", prompt=True, hide_input=True, type=int)
    def ask(name, pin):
        click.echo(f"{name} {pin + 1}")

    result = CliRunner().invoke(ask, input="wau wau\n41\n")
    assert result.output == "Name: wau wau\nPin: \nwau wau 42\n"


def test_the_environment_is_for_that_run_only():
    @click.command()
    @click.option("--level", envvar="THE_LEVEL", type=int)
    def show(level):
        click.echo(f"{level} {os.environ.get('LEVEL_TWO')}")

    os.environ["LEVEL_TWO"] = "outside"
    answers = [
        CliRunner().invoke(show, env={"THE_LEVEL": "12", "LEVEL_TWO": None}).output,
        CliRunner().invoke(show).output,
    ]
    assert answers == ["12 None\n", "None outside\n"]
    assert ["THE_LEVEL" in os.environ, os.environ["LEVEL_TWO"]] == [False, "outside"]


def test_settings_and_results_of_a_run():
    @click.group()
    def cli():
        pass

    @cli.command()
    @click.option("--port", default=80)
    @click.pass_obj
    def serve(obj, port):
        """Serve a long list of many things to everybody around."""
        return [obj, port]

    result = CliRunner().invoke(cli, ["serve"], obj="thing", default_map={"serve": {"port": 8}}, standalone_mode=False)
    assert result.return_value == ["thing", 8]
    page = CliRunner().invoke(cli, ["serve", "--help"], prog_name="app", terminal_width=50).output
    assert page.splitlines()[:5] == [
        "Usage: app serve [OPTIONS]",
        "",
        "  Serve a long list of many things to everybody",
        "  around.",
        "",
    ]


def test_streams_of_bytes_and_lines():
    @click.command()
    @click.argument("source", type=click.File("rb"))
    def count(source):
        data = source.read()
        click.echo(f"{len(data)} {data[:3]!r}")

    assert CliRunner().invoke(count, ["-"], input=b"\xff\x00abc").output == "5 b'\\xff\\x00a'\n"


def test_decorators_without_parentheses():
    @click.group
    def tool():
        """Tools."""

    @tool.command
    @click.option("--n", default=2)
    def tell_cmd(n):
        """Tell it."""
        click.echo(f"told {n}")

    @click.command
    def alone():
        click.echo("alone")

    result = CliRunner().invoke(tool, ["tell", "--n", "5"])
    assert [result.exit_code, result.stdout, sorted(tool.commands), CliRunner().invoke(alone).stdout] == [
        0,
        "told 5\n",
        ["tell"],
        "alone\n",
    ]


def test_the_end_of_input_aborts():
    @click.command()
    @click.argument("how")
    def ask(how):
        if how == "sure":
            click.confirm("Sure?")
        click.echo(click.prompt("Word", hide_input=how == "hidden"))

    answers = [
        CliRunner().invoke(ask, [how], input=given)
        for how, given in [("sure", ""), ("open", ""), ("hidden", ""), ("open", "yes\n")]
    ]
    assert [(answer.exit_code, answer.stderr.splitlines()[-1:]) for answer in answers[:3]] == [
        (1, ["Aborted!"]),
        (1, ["Aborted!"]),
        (1, ["Aborted!"]),
    ]
    assert [answers[3].exit_code, answers[3].stdout.splitlines()] == [0, ["Word: yes", "yes"]]


def test_a_version_and_values_of_the_environment():
    @click.command()
    @click.version_option("1.2")
    @click.option("--pair", type=int, nargs=2, multiple=True, envvar="E_PAIRS")
    def show(pair):
        click.echo(repr(pair))

    runner = CliRunner()
    answers = [
        runner.invoke(show, ["--version"], prog_name="tool"),
        runner.invoke(show, [], env={"E_PAIRS": "1 2 3 4"}),
        runner.invoke(show, []),
    ]
    assert [answer.stdout for answer in answers] == ["tool, version 1.2\n", "((1, 2), (3, 4))\n", "()\n"]


def test_names_of_the_environment_can_be_removed(monkeypatch):
    monkeypatch.setenv("DEMO_REMOVED", "before")

    @click.command()
    def show():
        click.echo(f"{os.environ.get('DEMO_REMOVED')} {os.environ.get('DEMO_GIVEN')}")

    result = CliRunner().invoke(show, [], env={"DEMO_REMOVED": None, "DEMO_GIVEN": "new"})
    assert [result.output, os.environ["DEMO_REMOVED"], "DEMO_GIVEN" in os.environ] == ["None new\n", "before", False]
