"""Programs that ask."""

import click
from click.testing import CliRunner


def test_options_that_nothing_gives_are_asked_for(program):
    run = program("""
        @click.command()
        @click.option("--first-name", prompt=True)
        @click.option("--age", prompt="Your age", type=int, default=30)
        @click.option("--kind", prompt=True, type=click.Choice(["a", "b"]))
        @click.option("--sure", prompt=True, is_flag=True)
        def ask(first_name, age, kind, sure):
            click.echo("")
            click.echo(f"{first_name} {age} {kind} {sure}")

        ask()
    """)
    assert run(stdin="Ann\n\nb\ny\n") == (
        0,
        "First name: Your age [30]: Kind (a, b): Sure [y/N]: \nAnn 30 b True\n",
        "",
    )
    assert run("--kind", "a", "--age", "5", stdin="Bob\nno\n") == (0, "First name: Sure [y/N]: \nBob 5 a False\n", "")


def test_bad_answers_are_asked_for_again(program):
    run = program("""
        @click.command()
        @click.option("--n", prompt=True, type=click.IntRange(1, 9))
        def ask(n):
            click.echo(f"got {n}")

        ask()
    """)
    assert run(stdin="x\n10\n\n7\n")[1] == (
        "N: Error: 'x' is not a valid integer range.\nN: Error: 10 is not in the range 1<=x<=9.\nN: N: got 7\n"
    )


def test_prompts_anywhere(program):
    run = program("""
        @click.command()
        def ask():
            answers = [
                click.prompt("Whole", default=3),
                click.prompt("Word", prompt_suffix="? "),
                click.prompt("Back", value_proc=lambda text: text[::-1]),
                click.prompt("Quiet", default="silent", show_default=False),
                click.prompt("Pick", type=click.Choice(["q", "r"]), default="q"),
                click.prompt("Part", type=float),
            ]
            click.echo(repr(answers))

        ask()
    """)
    assert run(stdin="\nhello\nabc\n\nr\n2\n")[1] == (
        "Whole [3]: Word? Back: Quiet: Pick (q, r) [q]: Part: [3, 'hello', 'cba', 'silent', 'r', 2.0]\n"
    )


def test_yes_or_no(program):
    run = program("""
        @click.command()
        def ask():
            answers = [click.confirm("One"), click.confirm("Two", default=True), click.confirm("Three", default=None)]
            click.echo(repr(answers))
            click.confirm("Go on", abort=True)
            click.echo("went on")

        ask()
    """)
    assert run(stdin="\n\nmaybe\nYES\ny\n") == (
        0,
        "One [y/N]: Two [Y/n]: Three [y/n]: Error: invalid input\nThree [y/n]: [False, True, True]\nGo on [y/N]: went on\n",
        "",
    )
    status, output, errors = run(stdin="Y\nN\nno\nn\n")
    assert [status, output, errors.split()] == [
        1,
        "One [y/N]: Two [Y/n]: Three [y/n]: [True, False, False]\nGo on [y/N]: ",
        ["Aborted!"],
    ]


def test_the_confirmation_option(program):
    run = program("""
        @click.command()
        @click.confirmation_option(prompt="Drop it all?")
        def drop():
            click.echo("dropped")

        drop()
    """)
    assert [run("--yes"), run(stdin="y\n")] == [(0, "dropped\n", ""), (0, "Drop it all? [y/N]: dropped\n", "")]
    status, output, errors = run(stdin="n\n")
    assert [status, output, errors.split()] == [1, "Drop it all? [y/N]: ", ["Aborted!"]]


def test_the_end_of_input_aborts(program):
    run = program("""
        @click.command()
        @click.option("--name", prompt=True)
        def ask(name):
            click.echo(f"hello {name}")

        ask()
    """)
    status, output, errors = run()
    assert [status, output.rstrip(), errors.split()] == [1, "Name:", ["Aborted!"]]
    assert run(stdin="last line without end") == (0, "Name: hello last line without end\n", "")


def test_passwords_are_hidden_and_asked_for_twice():
    @click.command()
    @click.password_option()
    def turn(password):
        click.echo(password[::-1])

    result = CliRunner().invoke(turn, input="abc\nabd\nsecret\nsecret\n")
    assert [result.exit_code, result.output.replace("\n\n", "\n").splitlines()] == [
        0,
        [
            "Password: ",
            "Repeat for confirmation: ",
            "Error: The two entered values do not match.",
            "Password: ",
            "Repeat for confirmation: ",
            "terces",
        ],
    ]
    assert CliRunner().invoke(turn, ["--password", "short"]).output == "trohs\n"


def test_hidden_answers_stay_hidden_when_they_are_wrong():
    @click.command()
    @click.option("--pin", prompt=True, hide_input=True, type=int)
    def ask(pin):
        click.echo(f"{pin + 1}")

    result = CliRunner().invoke(ask, [], input="se3cret\n41\n")
    assert [result.exit_code, result.output.splitlines()[-1], "se3cret" in result.output, "Error: " in result.output] == [0, "42", False, True]
