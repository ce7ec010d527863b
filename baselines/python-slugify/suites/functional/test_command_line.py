"""`python -m slugify` as a process of its own."""

import os
import subprocess
import sys

import slugify


def run(*arguments, stdin=None):
    # arguments follow the locale otherwise, where they are encoded as where they are decoded
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path), PYTHONUTF8="1")
    done = subprocess.run(
        [sys.executable, "-m", slugify.__name__, *(argument.encode() for argument in arguments)],
        input=stdin,
        capture_output=True,
        env=environment,
        encoding="utf-8",
        timeout=8,
        check=False,
    )
    return done.returncode, done.stdout.strip(), bool(done.stderr.strip())


def test_arguments_are_joined_by_blanks():
    assert run("Hello,", "Wide World!") == (0, "hello-wide-world", False)
    assert run("C'est", "déjà", "l'été") == (0, "c-est-deja-l-ete", False)


def test_text_can_come_from_standard_input():
    assert run("--stdin", stdin="Café au\nLait\n") == (0, "cafe-au-lait", False)
    assert run("--stdin", "--separator", "_", stdin="from a pipe") == (0, "from_a_pipe", False)


def test_options_of_the_command():
    assert run("--max-length", "12", "--word-boundary", "one two three four") == (0, "one-two-four", False)
    assert run("--max-length=12", "--word-boundary", "--save-order", "one two three four") == (0, "one-two", False)
    assert run("--no-lowercase", "--allow-unicode", "Größe ÜBER") == (0, "Größe-ÜBER", False)
    assert run("--no-entities", "--no-decimal", "--no-hexadecimal", "&amp;&#98;&#x63;") == (0, "amp-98-x63", False)


def test_options_with_several_values():
    assert run("--stopwords", "the", "in", "--", "the cat in the hat") == (0, "cat-hat", False)
    assert run("--replacements", "|->or", "%->percent", "--", "10 | 20 %") == (0, "10-or-20-percent", False)
    assert run("--regex-pattern", "[^-a-z0-9_]+", "___Snake case___") == (0, "___snake-case___", False)


def test_algorithms_and_stages_of_the_command():
    assert run("--algorithm", "modern", "a&#39;b it") == (0, "a-b-it", False)
    assert run("--algorithm", "legacy", "a&#39;b it") == (0, "ab-it", False)
    assert run("--replacement-stage", "pre", "--replacements", "a->aa", "--", "a b") == (0, "aa-b", False)
    assert run("--backend", "text-unidecode", "--", "Žižkov Tower") == (0, "zizkov-tower", False)


def test_mistakes_on_the_command_line_give_status_2():
    assert [run("--stdin", "text", stdin="more"), run("--replacements", "no arrow", "--", "text")] == [
        (2, "", True),
        (2, "", True),
    ]
    assert [run("--algorithm", "newest", "text"), run("--unheard-of", "text")] == [(2, "", True), (2, "", True)]
    assert run("still", "works") == (0, "still-works", False)
