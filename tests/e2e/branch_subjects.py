"""A small project with its tests, as files and as a git repository of one commit."""

import subprocess
import textwrap
from pathlib import Path

FILES = {
    "pyproject.toml": """
        [project]
        name = "ledger"
        version = "1.0"
        dependencies = []
        [project.optional-dependencies]
        test = ["pytest"]
        [tool.pytest.ini_options]
        testpaths = ["tests"]
        """,
    "src/ledger/__init__.py": """
        from ledger.book import Book, total
        from ledger.text import parse_line

        __all__ = ["Book", "parse_line", "total"]
        """,
    "src/ledger/book.py": """
        import subprocess


        def total(amounts):
            \"\"\"The sum of the amounts.\"\"\"
            result = 0
            for amount in amounts:
                result += amount
            return result


        class Book:
            \"\"\"Entries by account.\"\"\"

            def __init__(self):
                self.entries = {}

            def add(self, account, amount):
                self.entries.setdefault(account, []).append(amount)

            def balance(self, account):
                return total(self.entries.get(account, []))

            def export(self, command):
                return subprocess.run(command, shell=True, check=False).returncode
        """,
    "src/ledger/text.py": """
        def parse_line(line):
            \"\"\"`account: amount` as a pair.\"\"\"
            account, _, amount = line.partition(":")
            if not amount:
                raise ValueError(f"no amount in {line!r}")
            return account.strip(), int(amount)


        def _unused_helper(values):
            kept = []
            for value in values:
                if value:
                    kept.append(value)
            return kept
        """,
    "tests/test_book.py": """
        import pytest
        from ledger import Book, parse_line, total


        @pytest.mark.parametrize(("amounts", "expected"), [([], 0), ([1, 2], 3)])
        def test_total(amounts, expected):
            assert total(amounts) == expected


        def test_balance():
            book = Book()
            book.add("food", 3)
            book.add("food", 4)
            assert book.balance("food") == 7
            assert book.balance("rent") == 0


        def test_parse_line():
            assert parse_line("food: 3") == ("food", 3)
            with pytest.raises(ValueError):
                parse_line("food")
        """,
}


def git(folder: Path, *words: str) -> None:
    nobody = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
    subprocess.run(("git", *nobody, *words), cwd=folder, check=True, capture_output=True)


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text).lstrip("\n"))


def ledger_at(folder: Path) -> Path:
    """The project as a repository whose branch is main."""
    put(folder, FILES)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def edit(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
