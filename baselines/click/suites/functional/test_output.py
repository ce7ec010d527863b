"""What programs print."""

import io

import click
import pytest


def test_echo_prints_anything(program):
    run = program("""
        click.echo("text", nl=False)
        click.echo()
        click.echo(b"bytes \\xc3\\xa9")
        click.echo([1, None])
        click.echo(None)
        click.echo("wrong", err=True)
        click.echo("gr\\u00fc\\u00df")
    """)
    assert run() == (0, "text\nbytes é\n[1, None]\n\ngrüß\n", "wrong\n")


def test_echo_into_files():
    text, raw = io.StringIO(), io.BytesIO()
    click.echo("one", file=text)
    click.echo(2, file=text, nl=False)
    click.echo(b"\x00\xff", file=raw)
    assert [text.getvalue(), raw.getvalue()] == ["one\n2", b"\x00\xff\n"]


def test_styles_only_reach_terminals(program):
    run = program("""
        click.echo(click.style("plain", fg="red", bold=True))
        click.echo(click.style("kept", fg="red"), color=True)
        click.secho("both", fg="green", underline=True)
        click.secho("err", bold=True, err=True, color=True, nl=False)
    """)
    assert run() == (0, "plain\n\x1b[31mkept\x1b[0m\nboth\n", "\x1b[1merr\x1b[0m")


def test_codes_of_colours():
    assert [click.style("x", fg="black"), click.style("x", fg="white"), click.style("x", fg="bright_black")] == [
        "\x1b[30mx\x1b[0m",
        "\x1b[37mx\x1b[0m",
        "\x1b[90mx\x1b[0m",
    ]
    assert [click.style("x", bg="magenta"), click.style("x", bg="bright_cyan")] == [
        "\x1b[45mx\x1b[0m",
        "\x1b[106mx\x1b[0m",
    ]
    assert [click.style("x", fg=0), click.style("x", bg=200), click.style("x", fg=(1, 20, 255), bg=(0, 0, 9))] == [
        "\x1b[38;5;0mx\x1b[0m",
        "\x1b[48;5;200mx\x1b[0m",
        "\x1b[38;2;1;20;255m\x1b[48;2;0;0;9mx\x1b[0m",
    ]


def test_codes_of_attributes():
    names = ["bold", "dim", "underline", "overline", "italic", "blink", "reverse", "strikethrough"]
    assert [click.style("", **{name: True}, reset=False) for name in names] == [
        f"\x1b[{code}m" for code in (1, 2, 4, 53, 3, 5, 7, 9)
    ]
    assert [click.style("", **{name: False}, reset=False) for name in names] == [
        f"\x1b[{code}m" for code in (22, 22, 24, 55, 23, 25, 27, 29)
    ]
    assert click.style(12, bold=True, fg="red", italic=False, bg="blue") == "\x1b[31m\x1b[44m\x1b[1m\x1b[23m12\x1b[0m"


def test_styles_can_be_removed():
    styled = click.style("in", fg=(1, 2, 3), bold=True) + " and " + click.style("out", bg="red", reset=False)
    assert [click.unstyle(styled), click.unstyle("nothing [31m here")] == ["in and out", "nothing [31m here"]


def test_colours_that_are_none():
    refused = []
    for colour in ("puce", 256, -1, (1, 2), (1, 2, 256)):
        try:
            click.style("x", fg=colour)
        except ValueError:
            refused.append(colour)
    assert refused == ["puce", 256, -1, (1, 2), (1, 2, 256)]
    with pytest.raises(ValueError):
        click.secho("text", bg="bright_puce")
    assert click.style("x", fg=255) == "\x1b[38;5;255mx\x1b[0m"
