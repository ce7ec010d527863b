"""Positional arguments, as a program gets them."""


def test_an_argument_reaches_the_function(program):
    run = program("""
        @click.command()
        @click.argument("name")
        def hello(name):
            click.echo(f"Hello {name}!")

        hello()
    """)
    assert run("Ann Lee") == (0, "Hello Ann Lee!\n", "")
    assert run("--", "-dash") == (0, "Hello -dash!\n", "")


def test_many_arguments_and_one_more(program):
    run = program("""
        @click.command()
        @click.argument("src", nargs=-1)
        @click.argument("dst")
        def copy(src, dst):
            click.echo(f"{src!r} to {dst}")

        copy()
    """)
    assert run("a", "b", "c") == (0, "('a', 'b') to c\n", "")
    assert run("only") == (0, "() to only\n", "")


def test_several_values_with_types(program):
    run = program("""
        @click.command()
        @click.argument("point", nargs=2, type=float)
        @click.argument("tail", nargs=-1, type=int)
        def go(point, tail):
            click.echo(f"{point} {tail}")

        go()
    """)
    assert run("1", "2.5", "7", "8") == (0, "(1.0, 2.5) (7, 8)\n", "")
    assert run("1", "2") == (0, "(1.0, 2.0) ()\n", "")


def test_arguments_that_may_be_missing(program):
    run = program("""
        @click.command()
        @click.argument("first", default="one")
        @click.argument("second", required=False)
        @click.argument("third", default=3)
        def show(first, second, third):
            click.echo(repr((first, second, third)))

        show()
    """)
    assert run() == (0, "('one', None, 3)\n", "")
    assert run("x", "y", "9") == (0, "('x', 'y', 9)\n", "")


def test_arguments_from_the_environment(program):
    run = program("""
        @click.command()
        @click.argument("where", envvar=["FIRST_PLACE", "SECOND_PLACE"])
        @click.argument("parts", nargs=-1, envvar="PARTS", type=int)
        def show(where, parts):
            click.echo(f"{where} {parts}")

        show()
    """)
    assert run(SECOND_PLACE="attic", PARTS="4 5 6") == (0, "attic (4, 5, 6)\n", "")
    assert run("cellar", "1", FIRST_PLACE="attic", PARTS="4") == (0, "cellar (1,)\n", "")


def test_options_among_arguments(program):
    run = program("""
        @click.command()
        @click.option("-v", is_flag=True)
        @click.argument("rest", nargs=-1)
        def mixed(v, rest):
            click.echo(f"{v} {rest}")

        mixed()
    """)
    assert run("a", "-v", "b") == (0, "True ('a', 'b')\n", "")
    assert run("a", "--", "-v", "b") == (0, "False ('a', '-v', 'b')\n", "")


def test_options_only_before_arguments_where_that_is_set(program):
    run = program("""
        @click.command(context_settings={"allow_interspersed_args": False})
        @click.option("-v", is_flag=True)
        @click.argument("rest", nargs=-1)
        def wrapper(v, rest):
            click.echo(f"{v} {rest}")

        wrapper()
    """)
    assert run("-v", "ls", "-v", "--all") == (0, "True ('ls', '-v', '--all')\n", "")


def test_unknown_options_and_extra_arguments_can_pass(program):
    run = program("""
        @click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
        @click.option("-v", is_flag=True)
        @click.argument("one", type=click.UNPROCESSED)
        @click.pass_context
        def wrapper(ctx, v, one):
            click.echo(f"{v} {one} {ctx.args}")

        wrapper()
    """)
    assert run("--fast", "-v", "x", "y") == (0, "True --fast ['x', 'y']\n", "")
