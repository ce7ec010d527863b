"""The command python -m slugify."""

import argparse
import sys

from ._slug import ALGORITHMS, BACKENDS, STAGES, slugify


def _pair(text):
    old, arrow, new = text.partition("->")
    if not arrow:
        raise argparse.ArgumentTypeError(f"replacement without '->': {text!r}")
    return old, new


def _parser():
    parser = argparse.ArgumentParser(prog="slugify", description="Print the slug of a text.", allow_abbrev=False)
    add = parser.add_argument
    add("text", nargs="*", help="the text; several are joined by blanks")
    add("--stdin", action="store_true", help="read the text from standard input")
    add("--no-entities", dest="entities", action="store_false", help="leave named references")
    add("--no-decimal", dest="decimal", action="store_false", help="leave decimal references")
    add("--no-hexadecimal", dest="hexadecimal", action="store_false", help="leave hexadecimal references")
    add("--max-length", type=int, default=0, metavar="N", help="greatest length, 0 for any")
    add("--word-boundary", action="store_true", help="cut between words")
    add("--save-order", action="store_true", help="end at the first word that does not fit")
    add("--separator", default="-", metavar="S", help="what stands between words")
    add("--stopwords", nargs="+", default=(), metavar="W", help="words to leave out")
    add("--regex-pattern", metavar="R", help="what is not allowed in a slug")
    add("--no-lowercase", dest="lowercase", action="store_false", help="keep capitals")
    add("--replacements", nargs="+", type=_pair, default=(), metavar="old->new", help="literal replacements")
    add("--allow-unicode", action="store_true", help="keep letters that are not ASCII")
    add("--algorithm", choices=ALGORITHMS, default="legacy")
    add("--backend", choices=BACKENDS, default="auto")
    add("--replacement-stage", choices=STAGES, default="both")
    return parser


def main(argv=None):
    argv = list(sys.argv[1:] if argv is None else argv)
    rest = []
    if "--" in argv:
        end = argv.index("--")
        argv, rest = argv[:end], argv[end + 1 :]
    parser = _parser()
    options = vars(parser.parse_intermixed_args(argv))
    words = list(options.pop("text") or ()) + rest
    if options.pop("stdin"):
        if words:
            parser.error("text is not allowed together with --stdin")
        text = getattr(sys.stdin, "buffer", sys.stdin).read()
    else:
        text = " ".join(words).encode("utf-8", "surrogateescape")
    print(slugify(text, **options))


if __name__ == "__main__":
    main()
