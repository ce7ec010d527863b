"""The command."""

import argparse
import sys

from .words import slugify


def main():
    parser = argparse.ArgumentParser(prog="slugify", description="Make a slug.")
    parser.add_argument("text", nargs="*")
    parser.add_argument("--stdin", action="store_true")
    for name in ("entities", "decimal", "hexadecimal", "lowercase"):
        parser.add_argument(f"--no-{name}", action="store_false", dest=name)
    for name in ("word-boundary", "save-order", "allow-unicode"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--max-length", type=int, default=0)
    parser.add_argument("--separator", default="-")
    parser.add_argument("--stopwords", nargs="+", default=())
    parser.add_argument("--replacements", nargs="+", default=())
    parser.add_argument("--regex-pattern")
    parser.add_argument("--algorithm", choices=("legacy", "modern"), default="legacy")
    parser.add_argument("--backend", choices=("auto", "text-unidecode", "unidecode", "anyascii"), default="auto")
    parser.add_argument("--replacement-stage", choices=("both", "pre", "post"), default="both")
    options = vars(parser.parse_args())
    words, stdin = options.pop("text"), options.pop("stdin")
    if words and stdin:
        parser.error("give text or --stdin, not both")
    rules = options.pop("replacements")
    if any("->" not in rule for rule in rules):
        parser.error("a replacement has the form old->new")
    text = sys.stdin.read() if stdin else " ".join(words)
    print(slugify(text, replacements=[rule.split("->", 1) for rule in rules], **options))


main()
