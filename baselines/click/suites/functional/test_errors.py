"""Mistakes of users, and errors of programs."""

import io

import click
import pytest

GREET = """
        @click.command()
        @click.argument("who")
        @click.option("--count", "-c", type=int)
        @click.option("--kind", type=click.Choice(["a", "b"]))
        @click.option("--pos", nargs=2)
        @click.option("--flag", is_flag=True)
        def greet(**values):
            click.echo("greeted")

        greet()
"""


def test_the_shape_of_a_mistake(program):
    run = program(GREET)
    assert run("--count", "x", "you") == (
        2,
        "",
        "Usage: tool.py [OPTIONS] WHO\nTry 'tool.py --help' for help.\n\nError: Invalid value for '--count' / '-c': 'x' is not a valid integer.\n",
    )
    assert run("you") == (0, "greeted\n", "")


def test_what_is_missing_or_too_much(program):
    run = program(GREET)
    answers = [run(), run("a", "b"), run("a", "b", "c")]
    assert [(status, errors.splitlines()[-1]) for status, _, errors in answers] == [
        (2, "Error: Missing argument 'WHO'."),
        (2, "Error: Got unexpected extra argument (b)"),
        (2, "Error: Got unexpected extra arguments (b c)"),
    ]


def test_options_that_do_not_exist(program):
    run = program(GREET)
    answers = [run("you", "--zzzz"), run("you", "-z"), run("you", "--coun=3")]
    assert [
        (status, errors.splitlines()[-1][: len("Error: No such option '--coun'.")]) for status, _, errors in answers
    ] == [
        (2, "Error: No such option '--zzzz'."),
        (2, "Error: No such option '-z'."),
        (2, "Error: No such option '--coun'."),
    ]


def test_values_that_options_do_not_take(program):
    run = program(GREET)
    answers = [run("you", "--count"), run("you", "--pos", "1"), run("you", "--flag=1"), run("you", "--kind", "c")]
    assert [(status, errors.splitlines()[-1]) for status, _, errors in answers] == [
        (2, "Error: Option '--count' requires an argument."),
        (2, "Error: Option '--pos' requires 2 arguments."),
        (2, "Error: Option '--flag' does not take a value."),
        (2, "Error: Invalid value for '--kind': 'c' is not one of 'a', 'b'."),
    ]


def test_mistakes_in_groups(program):
    run = program("""
        @click.group()
        @click.option("--debug", is_flag=True)
        def cli(debug):
            pass

        @cli.command()
        @click.option("--name", required=True)
        def sub(name):
            click.echo(name)

        cli()
    """)
    assert (
        run("other")[2]
        == "Usage: tool.py [OPTIONS] COMMAND [ARGS]...\nTry 'tool.py --help' for help.\n\nError: No such command 'other'.\n"
    )
    assert (
        run("sub")[2]
        == "Usage: tool.py sub [OPTIONS]\nTry 'tool.py sub --help' for help.\n\nError: Missing option '--name'.\n"
    )
    status, output, errors = run("--debug")
    assert [status, output, errors.splitlines()[-1]] == [2, "", "Error: Missing command."]


def test_ways_to_end_a_program(program):
    run = program("""
        @click.command()
        @click.argument("how")
        @click.pass_context
        def end(ctx, how):
            if how == "exit":
                ctx.exit(7)
            if how == "fail":
                ctx.fail("not like this")
            if how == "abort":
                ctx.abort()
            if how == "interrupt":
                raise KeyboardInterrupt
            if how == "error":
                raise LookupError("lost")
            return 5

        end()
    """)
    answers = [run(how) for how in ("exit", "fail", "abort", "interrupt", "error", "return")]
    assert [(status, errors.splitlines()[-1:]) for status, _, errors in answers] == [
        (7, []),
        (2, ["Error: not like this"]),
        (1, ["Aborted!"]),
        (1, ["Aborted!"]),
        (1, ["LookupError: lost"]),
        (0, []),
    ]


def test_exceptions_for_the_user(program):
    run = program("""
        class Own(click.ClickException):
            exit_code = 33

            def format_message(self):
                return f"<{self.message}>"

        CAUSES = {
            "click": click.ClickException("boom"),
            "usage": click.UsageError("used wrongly"),
            "bad": click.BadParameter("odd"),
            "hint": click.BadParameter("odd", param_hint="THAT"),
            "file": click.FileError("f.txt", "gone"),
            "own": Own("mine"),
            "abort": click.Abort(),
        }

        @click.command()
        @click.argument("cause")
        def fail(cause):
            raise CAUSES[cause]

        fail()
    """)
    answers = [run(cause) for cause in ("click", "usage", "bad", "hint", "file", "own", "abort")]
    assert [(status, errors.splitlines()[-1]) for status, _, errors in answers] == [
        (1, "Error: boom"),
        (2, "Error: used wrongly"),
        (2, "Error: Invalid value: odd"),
        (2, "Error: Invalid value for THAT: odd"),
        (1, "Error: Could not open file 'f.txt': gone"),
        (33, "Error: <mine>"),
        (1, "Aborted!"),
    ]
    assert [answers[0][2], answers[4][2]] == ["Error: boom\n", "Error: Could not open file 'f.txt': gone\n"]


def test_callbacks_refuse_values(program):
    run = program("""
        def even(ctx, param, value):
            if value % 2:
                raise click.BadParameter("must be even")
            return value

        @click.command()
        @click.option("--n", "-n", callback=even, default=2)
        def show(n):
            click.echo(f"n is {n}")

        show()
    """)
    assert run() == (0, "n is 2\n", "")
    status, _, errors = run("-n3")
    assert [status, errors.splitlines()[-1]] == [2, "Error: Invalid value for '--n' / '-n': must be even"]


def test_exceptions_reach_the_caller_who_wants_them():
    @click.command()
    @click.option("--n", type=int)
    @click.pass_context
    def tool(ctx, n):
        if n == 1:
            ctx.abort()
        if n == 2:
            raise click.ClickException("two")
        return [n, "done"]

    def run(*arguments):
        return tool.main(list(arguments), prog_name="tool", standalone_mode=False)

    with pytest.raises(click.Abort):
        run("--n", "1")
    with pytest.raises(click.ClickException) as caught:
        run("--n", "2")
    assert [caught.value.message, caught.value.exit_code, caught.value.format_message()] == ["two", 1, "two"]
    with pytest.raises(click.BadParameter) as caught:
        run("--n", "x")
    assert [caught.value.message, caught.value.exit_code] == ["'x' is not a valid integer.", 2]
    assert run("--n", "4") == [4, "done"]


def test_errors_can_be_shown_elsewhere():
    shown = []
    context = click.Context(click.Command("inner"), info_name="outer")
    for error in (
        click.ClickException("plain"),
        click.UsageError("wrong", context),
        click.BadParameter("odd", ctx=context, param_hint="--x"),
    ):
        file = io.StringIO()
        error.show(file)
        shown.append(file.getvalue())
    assert shown == [
        "Error: plain\n",
        "Usage: outer [OPTIONS]\nTry 'outer --help' for help.\n\nError: wrong\n",
        "Usage: outer [OPTIONS]\nTry 'outer --help' for help.\n\nError: Invalid value for --x: odd\n",
    ]
