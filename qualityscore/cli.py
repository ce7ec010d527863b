"""The command line: parse arguments, call the API, map exceptions to exit codes."""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from qualityscore.commands.output import drop_stdout
from qualityscore.errors import QualityScoreError, UsageError
from qualityscore.version import __version__

COMMANDS = (
    "evaluate",
    "batch",
    "merge",
    "serve",
    "baseline",
    "analyze",
    "tasks",
    "probes",
    "explain",
    "compare",
    "leaderboard",
    "report",
    "rescore",
    "passk",
    "stability",
    "weights",
    "doctor",
    "cache",
)

EXIT_INTERRUPTED = 130
EXIT_INTERNAL = 3
CLEANING_UP_S = 5.0


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with a command line in one sentence, as all errors are said."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help.")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands. Command modules are light: they import their machinery when they run."""
    parser = _Parser(
        prog="qualityscore",
        description="Score a repository against a reference: function, maintainability, security, robustness, cost.",
        epilog="Exit codes: 0 done, 1 gate failed, 2 bad input, 3 not fully measured, 4 tampering, 130 interrupted "
        "(143 by SIGTERM).",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name in COMMANDS:
        import_module(f"qualityscore.commands.{name}").add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Errors that a person can act on are one line on standard error."""
    _open_standard_streams()
    interrupts = _Interrupts()
    interrupts.listen()
    try:
        code = _run(argv)
        sys.stdout.flush()
        if code == EXIT_INTERRUPTED:
            interrupts.no_more()
            return interrupts.exit_code
        return code
    except QualityScoreError as error:
        sys.stderr.write(f"error {error.code}: {_one_line(error)}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        interrupts.no_more()
        return interrupts.exit_code
    except BrokenPipeError:
        drop_stdout()  # the reader of our output went away; what it read was right
        return 0
    except OSError as error:
        drop_stdout()
        sys.stderr.write(f"error QS-300: the host failed: {error}\n")
        return EXIT_INTERNAL
    except Exception as error:
        traceback.print_exc()
        sys.stderr.write(f"error QS-000: this is a defect of qualityscore ({type(error).__name__}); please report it\n")
        return EXIT_INTERNAL


def _run(argv: Sequence[str] | None) -> int:
    parser = build_parser()
    given = sys.argv[1:] if argv is None else argv
    if stranger := next((text for text in given if "\0" in text), None):
        raise UsageError(
            f"The argument {stranger[:80]!r} holds a null character, which no path or name can; remove it."
        )
    arguments = parser.parse_args(argv)
    if arguments.version:
        sys.stdout.write(f"qualityscore {__version__}\n")
        return 0
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return 2
    return int(arguments.run(arguments))


def _open_standard_streams() -> None:
    """Where the caller closed one, nothing else of ours may take its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))


class _Interrupts:
    """Ctrl-C and a request to end raise KeyboardInterrupt, which cleans up: no process, no temporary folder stays.

    What is pressed again while that is done is not heard, so that it cannot leave half of it.
    """

    def __init__(self) -> None:
        self._last_s = -math.inf
        self.exit_code = EXIT_INTERRUPTED
        """130 after Ctrl-C, 143 after SIGTERM: as a shell says it of a process that such a signal ends."""

    def listen(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self)

    def no_more(self) -> None:
        """The process is about to end with its exit code, which a late signal must not change."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)

    def __call__(self, number: int, frame: object) -> None:
        del frame
        now_s = time.monotonic()
        if now_s - self._last_s >= CLEANING_UP_S:
            self._last_s = now_s
            self.exit_code = 128 + number
            raise KeyboardInterrupt


def _one_line(error: QualityScoreError) -> str:
    text = " ".join(str(error).split())
    return "".join(ch if ch.isprintable() else ch.encode("unicode_escape", "surrogatepass").decode() for ch in text)


if __name__ == "__main__":
    sys.exit(main())
