"""Groups of commands."""


def test_the_group_runs_before_its_command(program):
    run = program("""
        @click.group()
        @click.option("--debug/--no-debug")
        def cli(debug):
            click.echo(f"debug {debug}")

        @cli.command()
        @click.argument("what")
        def sync(what):
            click.echo(f"sync {what}")

        @cli.command("drop-all")
        def dropping():
            click.echo("dropped")

        cli()
    """)
    assert run("sync", "x") == (0, "debug False\nsync x\n", "")
    assert run("--debug", "drop-all") == (0, "debug True\ndropped\n", "")


def test_names_come_from_functions(program):
    run = program("""
        @click.group
        def my_tools_group():
            pass

        @my_tools_group.command
        def make_it_command():
            click.echo("made")

        @my_tools_group.command()
        def Run_cmd():
            click.echo("ran")

        @my_tools_group.group()
        def inner_grp():
            pass

        click.echo(my_tools_group.name)
        click.echo(" ".join(sorted(my_tools_group.commands)))
        my_tools_group()
    """)
    assert run("make-it") == (0, "my-tools\ninner make-it run\nmade\n", "")


def test_groups_in_groups(program):
    run = program("""
        @click.group()
        def outer():
            click.echo("outer")

        @outer.group()
        @click.option("--depth", type=int)
        def middle(depth):
            click.echo(f"middle {depth}")

        @middle.command()
        @click.pass_context
        def leaf(ctx):
            click.echo(ctx.command_path)

        outer(prog_name="tree")
    """)
    assert run("middle", "--depth", "2", "leaf") == (0, "outer\nmiddle 2\ntree middle leaf\n", "")


def test_commands_can_be_added_and_looked_up(program):
    run = program("""
        @click.command()
        def one():
            click.echo("one ran")

        first = click.Group(name="first", help="Made by hand.")
        first.add_command(one)
        first.add_command(one, "uno")
        second = click.Group(commands={"last": one})
        click.echo(repr([first.list_commands(None), second.list_commands(None), first.get_command(None, "uno") is one, first.get_command(None, "x")]))
        first()
    """)
    assert run("uno") == (0, "[['one', 'uno'], ['last'], True, None]\none ran\n", "")


def test_a_group_without_a_command(program):
    run = program("""
        @click.group(invoke_without_command=True)
        @click.option("--loud", is_flag=True)
        @click.pass_context
        def cli(ctx, loud):
            click.echo(f"{ctx.invoked_subcommand} {loud}")

        @cli.command()
        def sub():
            click.echo("sub ran")

        cli()
    """)
    assert run() == (0, "None False\n", "")
    assert run("--loud") == (0, "None True\n", "")
    assert run("sub") == (0, "sub False\nsub ran\n", "")


def test_chains_and_results(program):
    run = program("""
        @click.group(chain=True)
        @click.option("--times", default=1)
        @click.pass_context
        def cli(ctx, times):
            click.echo(f"sub {ctx.invoked_subcommand}")

        @cli.result_callback()
        def done(results, times):
            click.echo(f"{results * times}")

        @cli.command()
        @click.option("--n", default=1)
        def number(n):
            return n

        @cli.command()
        @click.argument("word")
        def text(word):
            return word

        cli()
    """)
    assert run("number", "--n", "3", "text", "ab", "number") == (0, "sub *\n[3, 'ab', 1]\n", "")
    assert run("--times", "2", "text", "number") == (0, "sub *\n['number', 'number']\n", "")


def test_results_of_commands(program):
    run = program("""
        @click.group()
        @click.option("--factor", default=1)
        def cli(factor):
            pass

        @cli.result_callback()
        def scaled(result, factor):
            return ["scaled", result * factor]

        @cli.command()
        def value():
            return 21

        @cli.command()
        @click.pass_context
        def leave(ctx):
            ctx.exit(17)

        for words in (["value"], ["--factor", "2", "value"], ["leave"]):
            click.echo(repr(cli.main(words, standalone_mode=False)))
        cli(["value"])
    """)
    assert run() == (0, "['scaled', 21]\n['scaled', 42]\n17\n", "")


def test_groups_that_find_commands_their_own_way(program):
    run = program("""
        class Short(click.Group):
            def list_commands(self, ctx):
                return sorted(self.commands, reverse=True)

            def get_command(self, ctx, name):
                for full in self.list_commands(ctx):
                    if full.startswith(name):
                        return super().get_command(ctx, full)

        @click.group(cls=Short)
        def cli():
            pass

        @cli.command(short_help="Push it.")
        def push():
            click.echo("pushed")

        @cli.command(short_help="Add it.")
        def add():
            click.echo("added")

        cli()
    """)
    assert [run("p"), run("ad")] == [(0, "pushed\n", ""), (0, "added\n", "")]
    assert run("--help")[1].splitlines()[-3:] == ["Commands:", "  push  Push it.", "  add   Add it."]


def test_defaults_from_a_map(program):
    run = program("""
        @click.group()
        @click.option("--level", default=1)
        def cli(level):
            click.echo(f"level {level}")

        @cli.command()
        @click.option("--port", default=80, envvar="THE_PORT")
        @click.option("--name", default="x")
        def serve(port, name):
            click.echo(f"{port} {name}")

        cli(default_map={"level": 5, "serve": {"port": "8000"}}, auto_envvar_prefix="APP")
    """)
    assert run("serve") == (0, "level 5\n8000 x\n", "")
    assert run("--level", "6", "serve", "--port=1") == (0, "level 6\n1 x\n", "")
    assert run("serve", THE_PORT="7", APP_LEVEL="4", APP_SERVE_NAME="env") == (0, "level 4\n7 env\n", "")
