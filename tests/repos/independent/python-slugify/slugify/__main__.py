"""The command ``python -m slugify``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from ._backends import BACKENDS
from ._slugify import ALGORITHMS, REPLACEMENT_STAGES, slugify


def _pair(text: str) -> tuple[str, str]:
    """Read a replacement."""
    old, arrow, new = text.partition("->")
    if not arrow:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form old->new")
    return old, new


def _pattern(text: str) -> re.Pattern[str]:
    """Read a regular expression."""
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m slugify", description="Print the slug of a text.", allow_abbrev=False
    )
    add = parser.add_argument
    add("text", nargs="*", help="the text, its parts are joined by blanks")
    add("--stdin", action="store_true", help="read the text from standard input")
    add("--no-entities", dest="entities", action="store_false", help="keep &amp;")
    add("--no-decimal", dest="decimal", action="store_false", help="keep &#381;")
    add("--no-hexadecimal", dest="hexadecimal", action="store_false", help="keep &#x17d;")
    add("--max-length", type=int, default=0, metavar="N", help="cut the slug to this length")
    add("--word-boundary", action="store_true", help="cut it between words")
    add("--save-order", action="store_true", help="end it with the first word too long")
    add("--separator", default="-", metavar="S", help="what stands between words")
    add("--stopwords", nargs="+", default=[], metavar="W", help="words to leave out")
    add("--regex-pattern", type=_pattern, metavar="R", help="what is not allowed in words")
    add("--no-lowercase", dest="lowercase", action="store_false", help="keep capitals")
    add("--replacements", nargs="+", type=_pair, default=[], metavar="old->new",
        help="literal replacements")
    add("--allow-unicode", action="store_true", help="keep letters that are not ASCII")
    add("--algorithm", choices=ALGORITHMS, default="legacy", help="the rules to follow")
    add("--backend", choices=BACKENDS, default="auto", help="the package that transliterates")
    add("--replacement-stage", choices=REPLACEMENT_STAGES, default="both",
        help="when to replace")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    rest: list[str] = []
    if "--" in arguments:  # what follows is text whatever it looks like
        end = arguments.index("--")
        arguments, rest = arguments[:end], arguments[end + 1 :]
    parser = make_parser()
    options = vars(parser.parse_intermixed_args(arguments))
    words = options.pop("text") + rest
    text: str | bytes = " ".join(words)
    if options.pop("stdin"):
        if words:
            parser.error("text and --stdin exclude each other")
        text = sys.stdin.buffer.read()
    try:
        print(slugify(text, **options))
    except ModuleNotFoundError as error:
        parser.exit(1, f"{parser.prog}: error: {error}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
