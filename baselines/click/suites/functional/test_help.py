"""Help pages of programs."""

import click
from click.testing import CliRunner


def test_the_page_of_a_command(program):
    run = program('''
        @click.command(epilog="See the manual.")
        @click.argument("src", nargs=-1, required=True)
        @click.argument("dst", required=False)
        @click.option("-n", "--name", default="me", show_default=True, help="Its name.")
        @click.option("--count", type=int, help="How many.", required=True)
        @click.option("--loud/--silent", " /-S", help="How.")
        @click.option("--secret", hidden=True)
        def tool(**values):
            """Copy things from here to there, in a sentence that is long enough to be broken in two.

            Another paragraph.
            """

        tool()
    ''')
    assert run("--help") == (
        0,
        "Usage: tool.py [OPTIONS] SRC... [DST]\n"
        "\n"
        "  Copy things from here to there, in a sentence that is long enough to be\n"
        "  broken in two.\n"
        "\n"
        "  Another paragraph.\n"
        "\n"
        "Options:\n"
        "  -n, --name TEXT        Its name.  [default: me]\n"
        "  --count INTEGER        How many.  [required]\n"
        "  --loud / -S, --silent  How.\n"
        "  --help                 Show this message and exit.\n"
        "\n"
        "  See the manual.\n",
        "",
    )


def test_what_options_take(program):
    run = program("""
        @click.command()
        @click.option("--f", type=float)
        @click.option("--c", type=click.Choice(["a", "b"]))
        @click.option("--r", type=click.IntRange(0, 10, max_open=True), help="Range.")
        @click.option("--p", nargs=2, type=float)
        @click.option("--i", type=(str, int))
        @click.option("--d", type=click.DateTime(["%Y"]))
        @click.option("--x", type=click.Path(dir_okay=False))
        @click.option("--y", type=click.Path(file_okay=False))
        @click.option("--z", type=click.Path())
        @click.option("--u", type=click.UUID)
        @click.option("--o", type=click.File())
        @click.option("--m", metavar="<thing>")
        @click.option("-v", count=True)
        def tool(**values):
            pass

        tool()
    """)
    lines = run("--help")[1].splitlines()
    assert lines[3:] == [
        "  --f FLOAT",
        "  --c [a|b]",
        "  --r INTEGER RANGE      Range.  [0<=x<10]",
        "  --p FLOAT...",
        "  --i <TEXT INTEGER>...",
        "  --d [%Y]",
        "  --x FILE",
        "  --y DIRECTORY",
        "  --z PATH",
        "  --u UUID",
        "  --o FILENAME",
        "  --m <thing>",
        "  -v",
        "  --help                 Show this message and exit.",
    ]


def test_what_is_told_in_brackets(program):
    run = program("""
        @click.command()
        @click.option("--many", multiple=True, default=["a", "b"], show_default=True, help="M.")
        @click.option("--pair", nargs=2, default=(1, 2), show_default=True)
        @click.option("--made", default=lambda: "x", show_default="current user", help="D.")
        @click.option("--env", envvar="THE_ENV", show_envvar=True, default=3, show_default=True, help="E.")
        def tool(**values):
            pass

        tool()
    """)
    assert run("--help")[1].splitlines()[3:7] == [
        "  --many TEXT        M.  [default: a, b]",
        "  --pair INTEGER...  [default: 1, 2]",
        "  --made TEXT        D.  [default: (current user)]",
        "  --env INTEGER      E.  [env var: THE_ENV; default: 3]",
    ]


def test_arguments_can_be_described(program):
    run = program("""
        @click.command()
        @click.argument("src", help="Where from.")
        @click.argument("dst", required=False)
        @click.argument("kind", metavar="<kind>")
        def tool(**values):
            pass

        tool()
    """)
    assert run("--help")[1].splitlines()[:6] == [
        "Usage: tool.py [OPTIONS] SRC [DST] <kind>",
        "",
        "Positional arguments:",
        "  SRC     Where from.",
        "  [DST]",
        "  <kind>",
    ]


def test_the_page_of_a_group(program):
    run = program('''
        @click.group()
        @click.version_option("2.0")
        def cli():
            """Many tools."""

        @cli.command()
        def zeta():
            """Does the last thing. And more."""

        @cli.command(short_help="Shorter.")
        def alpha():
            """Does the first thing."""

        @cli.command(hidden=True)
        def secret():
            """Nobody sees it."""

        @cli.command(help="Given as text")
        @click.argument("word")
        def given(word):
            pass

        cli()
    ''')
    status, text, errors = run("--help")
    assert [status, errors, text.splitlines()[:5], text.splitlines()[-5:]] == [
        0,
        "",
        ["Usage: tool.py [OPTIONS] COMMAND [ARGS]...", "", "  Many tools.", "", "Options:"],
        ["", "Commands:", "  alpha  Shorter.", "  given  Given as text", "  zeta   Does the last thing."],
    ]
    assert run("given", "--help")[1] == (
        "Usage: tool.py given [OPTIONS] WORD\n\n  Given as text\n\nOptions:\n  --help  Show this message and exit.\n"
    )


def test_paragraphs_that_stay_and_text_that_is_left_out(program):
    run = program('''
        @click.command(context_settings={"terminal_width": 50, "help_option_names": ["-h", "--hilfe"]})
        def tool():
            """One two three four five six seven eight nine ten eleven twelve.

            \\b
            kept
              as it is

            wrapped
            again
            \\f
            for readers of the source only
            """

        tool()
    ''')
    assert run("-h")[1] == (
        "Usage: tool.py [OPTIONS]\n"
        "\n"
        "  One two three four five six seven eight nine ten\n"
        "  eleven twelve.\n"
        "\n"
        "  kept\n"
        "    as it is\n"
        "\n"
        "  wrapped again\n"
        "\n"
        "Options:\n"
        "  -h, --hilfe  Show this message and exit.\n"
    )


def test_pages_without_being_asked(program):
    run = program("""
        @click.group()
        def cli():
            pass

        @cli.command(no_args_is_help=True)
        @click.option("--x")
        def sub(x):
            click.echo(f"x is {x}")

        cli()
    """)
    status, output, errors = run()
    assert [status, (output + errors).splitlines()[0], (output + errors).splitlines()[-1]] == [
        2,
        "Usage: tool.py [OPTIONS] COMMAND [ARGS]...",
        "  sub",
    ]
    status, output, errors = run("sub")
    assert [status, (output + errors).splitlines()[0]] == [2, "Usage: tool.py sub [OPTIONS]"]
    assert run("sub", "--x=1") == (0, "x is 1\n", "")


def test_long_names_in_narrow_pages():
    @click.group(context_settings={"terminal_width": 40})
    def tool():
        pass

    @tool.command("a-command-with-a-rather-long-name")
    @click.argument("source")
    @click.option("--an-option-with-a-rather-long-name", help="What it is good for.")
    def inner(source, an_option_with_a_rather_long_name):
        click.echo(source)

    page = CliRunner().invoke(tool, ["a-command-with-a-rather-long-name", "--help"], prog_name="tool")
    assert page.output.split()[:5] == ["Usage:", "tool", "a-command-with-a-rather-long-name", "[OPTIONS]", "SOURCE"]
    assert "--an-option-with-a-rather-long-name TEXT What it is good for." in " ".join(page.output.split())
