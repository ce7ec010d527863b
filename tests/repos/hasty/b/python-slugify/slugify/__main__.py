"""The command: python -m slugify [options] [text ...]"""

import argparse
import sys

from .core import ALGORITHMS, BACKENDS, STAGES, slugify


def _pair(text):
    if "->" not in text:
        raise argparse.ArgumentTypeError("replacement without '->': %r" % text)
    old, new = text.split("->", 1)
    return (old, new)


def _make_parser():
    parser = argparse.ArgumentParser(prog="slugify", allow_abbrev=False)
    parser.add_argument("text", nargs="*", help="text to slugify")
    parser.add_argument("--stdin", action="store_true", help="read the text from standard input")
    for name in ("entities", "decimal", "hexadecimal", "lowercase"):
        parser.add_argument("--no-" + name, dest=name, action="store_false")
    for name in ("word-boundary", "save-order", "allow-unicode"):
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("--max-length", type=int, default=0, metavar="N")
    parser.add_argument("--separator", default="-", metavar="S")
    parser.add_argument("--stopwords", nargs="+", default=[], metavar="W")
    parser.add_argument("--regex-pattern", default=None, metavar="R")
    parser.add_argument("--replacements", nargs="+", type=_pair, default=[], metavar="OLD->NEW")
    parser.add_argument("--algorithm", choices=ALGORITHMS, default="legacy")
    parser.add_argument("--backend", choices=BACKENDS, default="auto")
    parser.add_argument("--replacement-stage", choices=STAGES, default="both")
    return parser


def main(argv=None):
    parser = _make_parser()
    options = vars(parser.parse_args(argv))
    words = options.pop("text")
    stdin = options.pop("stdin")
    if stdin and words:
        parser.error("text arguments and --stdin exclude each other")
    text = sys.stdin.read() if stdin else " ".join(words)
    print(slugify(text, **options))


if __name__ == "__main__":
    main()
