"""Options, as a program gets them."""

import click
from click.testing import CliRunner


def test_ways_to_write_a_value(program):
    run = program("""
        @click.command()
        @click.option("--name", "-n", default="nobody")
        @click.option("-x", is_flag=True)
        @click.option("-y", is_flag=True)
        def show(name, x, y):
            click.echo(f"{name} {x} {y}")

        show()
    """)
    assert run() == (0, "nobody False False\n", "")
    assert run("--name", "ann", "--name=bob=c") == (0, "bob=c False False\n", "")
    assert run("-xyncat") == (0, "cat True True\n", "")
    assert run("-yn", "-dash") == (0, "-dash False True\n", "")


def test_names_of_the_keywords(program):
    run = program("""
        @click.command()
        @click.option("-f", "--foo-bar")
        @click.option("-x", "-y")
        @click.option("--name", "-n", "nick")
        @click.option("--CamelCase")
        def show(**values):
            click.echo(" ".join(sorted(values)))

        show()
    """)
    assert run() == (0, "camelcase foo_bar nick x\n", "")


def test_flags_with_two_sides(program):
    run = program("""
        @click.command()
        @click.option("--shout/--no-shout", " /-S", default=True)
        @click.option("--warm / --cold")
        def show(shout, warm):
            click.echo(f"{shout} {warm}")

        show()
    """)
    assert run() == (0, "True False\n", "")
    assert run("-S", "--warm") == (0, "False True\n", "")
    assert run("--no-shout", "--shout", "--warm", "--cold") == (0, "True False\n", "")


def test_counting(program):
    run = program("""
        @click.command()
        @click.option("-v", "--verbose", count=True)
        def show(verbose):
            click.echo(f"level {verbose}")

        show()
    """)
    assert [run()[1], run("-vvv")[1], run("-v", "--verbose")[1]] == ["level 0\n", "level 3\n", "level 2\n"]


def test_options_that_share_a_keyword(program):
    run = program("""
        @click.command()
        @click.option("--upper", "change", flag_value="upper", default=True)
        @click.option("--lower", "change", flag_value="lower")
        def show(change):
            click.echo(getattr("Abc", change)())

        show()
    """)
    assert [run()[1], run("--lower")[1], run("--lower", "--upper")[1]] == ["ABC\n", "abc\n", "ABC\n"]


def test_a_value_may_be_left_out(program):
    run = program("""
        @click.command()
        @click.option("--color", is_flag=False, flag_value="auto", default="never")
        @click.option("-v", is_flag=True)
        def show(color, v):
            click.echo(f"{color} {v}")

        show()
    """)
    assert [run()[1], run("--color")[1], run("--color", "-v")[1], run("--color", "always")[1]] == [
        "never False\n",
        "auto False\n",
        "auto True\n",
        "always False\n",
    ]


def test_several_values_and_several_times(program):
    run = program("""
        @click.command()
        @click.option("--pos", nargs=2, type=float)
        @click.option("--item", type=(str, int), multiple=True)
        @click.option("-t", "--tag", multiple=True)
        def show(pos, item, tag):
            click.echo(f"{pos} {item} {tag}")

        show()
    """)
    assert run() == (0, "None () ()\n", "")
    assert run("--pos", "1", "-2", "--item", "a", "3", "-tx", "--item", "b", "4", "--tag=y") == (
        0,
        "(1.0, -2.0) (('a', 3), ('b', 4)) ('x', 'y')\n",
        "",
    )


def test_types_follow_defaults(program):
    run = program("""
        @click.command()
        @click.option("--whole", default=1)
        @click.option("--part", default=1.5)
        @click.option("--pair", default=(1, 2), nargs=2)
        @click.option("--many", default=[0.5], multiple=True)
        @click.option("--made", default=lambda: "now")
        def show(whole, part, pair, many, made):
            click.echo(repr((whole, part, pair, many, made)))

        show()
    """)
    assert run() == (0, "(1, 1.5, (1, 2), (0.5,), 'now')\n", "")
    assert run("--whole", "7", "--part", "2", "--pair", "3", "4", "--many", "8", "--made", "9") == (
        0,
        "(7, 2.0, (3, 4), (8.0,), '9')\n",
        "",
    )


def test_values_from_the_environment(program):
    run = program("""
        @click.command(context_settings={"auto_envvar_prefix": "TOOL"})
        @click.option("--port", default=80, envvar="SERVICE_PORT")
        @click.option("--host", multiple=True)
        @click.option("--fast/--slow")
        def show(port, host, fast):
            click.echo(f"{port} {host} {fast}")

        show()
    """)
    assert run(SERVICE_PORT="8080", TOOL_HOST="alpha beta", TOOL_FAST="yes") == (0, "8080 ('alpha', 'beta') True\n", "")
    assert run("--port=9", "--slow", SERVICE_PORT="8080", TOOL_FAST="1") == (0, "9 () False\n", "")
    assert run(SERVICE_PORT="", TOOL_FAST="off") == (0, "80 () False\n", "")


def test_callbacks_and_their_order(program):
    run = program("""
        def seen(ctx, param, value):
            click.echo(f"{param.name}={value}")
            return value and value * 2

        @click.command()
        @click.option("--a", type=int, callback=seen)
        @click.option("--b", callback=seen, is_eager=True)
        @click.option("--c", callback=seen, expose_value=False)
        def show(**values):
            click.echo(repr(sorted(values.items())))

        show()
    """)
    assert run("--c", "x", "--a", "4", "--b", "y") == (0, "b=y\nc=x\na=4\n[('a', 8), ('b', 'yy')]\n", "")
    assert run("--c", "x") == (0, "b=None\nc=x\na=None\n[('a', None), ('b', None)]\n", "")


def test_the_version_option(program):
    run = program("""
        @click.command()
        @click.version_option("1.2.3", prog_name="Wonder")
        @click.argument("needed")
        def show(needed):
            click.echo(needed)

        show()
    """)
    assert run("--version") == (0, "Wonder, version 1.2.3\n", "")
    assert run("thing") == (0, "thing\n", "")


def test_flags_from_the_environment_and_with_callbacks():
    @click.command()
    @click.option("--upper", "how", flag_value="up", envvar="HOW")
    @click.option("--loud", is_flag=True, callback=lambda ctx, param, value: f"{param.name} is {value}")
    @click.option("--point", nargs=2, type=int, multiple=True, envvar="POINTS")
    def show(how, loud, point):
        click.echo(f"{how}, {loud}, {point}")

    results = [
        CliRunner().invoke(show, [], env={"HOW": "yes", "POINTS": "1 2 3 4"}),
        CliRunner().invoke(show, ["--loud", "--point", "5", "6"]),
    ]
    assert [result.output for result in results] == ["up, loud is False, ((1, 2), (3, 4))\n", "None, loud is True, ((5, 6),)\n"]
