"""What commands share, and how they call each other."""


def test_objects_go_down(program):
    run = program("""
        @click.group()
        @click.pass_context
        def cli(ctx):
            ctx.ensure_object(dict)["seen"] = ["cli"]

        @cli.group()
        @click.pass_obj
        def inner(obj):
            obj["seen"].append("inner")

        @inner.command()
        @click.argument("word")
        @click.pass_obj
        def leaf(obj, word):
            click.echo(repr([obj, word]))

        cli(obj={"given": 1})
    """)
    assert run("inner", "leaf", "w") == (0, "[{'given': 1, 'seen': ['cli', 'inner']}, 'w']\n", "")


def test_the_nearest_object_of_a_type(program):
    run = program("""
        class Repo:
            def __init__(self, home="made"):
                self.home = home

        pass_repo = click.make_pass_decorator(Repo)
        make_repo = click.make_pass_decorator(Repo, ensure=True)

        @click.group()
        @click.option("--home")
        @click.pass_context
        def cli(ctx, home):
            ctx.obj = Repo(home) if home else None

        @cli.group()
        @click.pass_context
        def plugin(ctx):
            ctx.obj = {"other": True}

        @plugin.command()
        @pass_repo
        def show(repo):
            click.echo(repo.home)

        @plugin.command()
        @make_repo
        @click.pass_context
        def make(ctx, repo):
            click.echo(f"{repo.home} {ctx.find_object(Repo) is repo} {ctx.find_object(list)}")

        cli()
    """)
    assert run("--home", "house", "plugin", "show") == (0, "house\n", "")
    assert [run("plugin", "make")[1], run("--home", "tent", "plugin", "make")[1]] == [
        "made True None\n",
        "tent True None\n",
    ]
    status, output, errors = run("plugin", "show")
    assert [status, output, errors.splitlines()[-1].startswith("RuntimeError: ")] == [1, "", True]


def test_the_present_context(program):
    run = program("""
        def describe():
            ctx = click.get_current_context()
            return [ctx.info_name, ctx.command.name, ctx.parent.info_name, ctx.find_root() is ctx.parent, sorted(ctx.params.items())]

        @click.group()
        def cli():
            pass

        @cli.command()
        @click.option("--n", type=int, default=3)
        @click.argument("t")
        def sub(n, t):
            click.echo(repr(describe()))

        click.echo(repr(click.get_current_context(silent=True)))
        try:
            click.get_current_context()
        except RuntimeError:
            click.echo("no context")
        cli(prog_name="prog")
    """)
    assert run("sub", "x") == (0, "None\nno context\n['sub', 'sub', 'prog', True, [('n', 3), ('t', 'x')]]\n", "")


def test_commands_call_commands(program):
    run = program("""
        @click.group()
        def cli():
            pass

        @cli.command()
        @click.option("--count", default=1)
        @click.option("--word", default="w")
        def test(count, word):
            click.echo(f"test {count} {word}")
            return count * 10

        @cli.command()
        @click.option("--count", default=2)
        @click.pass_context
        def dist(ctx, count):
            results = [ctx.invoke(test), ctx.invoke(test, count=42), ctx.forward(test), ctx.forward(test, word="z")]
            results.append(ctx.invoke(lambda a, b: a + b, 1, b=2))
            click.echo(repr(results))

        cli()
    """)
    assert run("dist", "--count", "5") == (0, "test 1 w\ntest 42 w\ntest 5 w\ntest 5 z\n[10, 420, 50, 50, 3]\n", "")


def test_functions_at_the_end_of_a_context(program):
    run = program("""
        @click.group()
        @click.pass_context
        def cli(ctx):
            ctx.call_on_close(lambda: click.echo("outer closed"))

        @cli.command()
        @click.option("--fail", is_flag=True)
        @click.pass_context
        def sub(ctx, fail):
            ctx.call_on_close(lambda: click.echo("first"))
            ctx.call_on_close(lambda: click.echo("second"))
            click.echo("working")
            if fail:
                ctx.exit(9)

        cli()
    """)
    assert run("sub") == (0, "working\nsecond\nfirst\nouter closed\n", "")
    assert run("sub", "--fail") == (9, "working\nsecond\nfirst\nouter closed\n", "")


def test_contexts_made_by_hand():
    import click

    seen = []
    outer = click.Context(click.Command("a"), info_name="app", obj=["thing"])
    inner = click.Context(click.Command("b"), parent=outer, info_name="sub")
    with inner:
        seen.append(click.get_current_context().command_path)
        inner.call_on_close(lambda: seen.append("closed"))
    assert seen == ["app sub", "closed"]
    assert [inner.obj, inner.find_root().info_name, inner.find_object(list), inner.ensure_object(dict)] == [
        ["thing"],
        "app",
        ["thing"],
        {},
    ]
