"""`qualityscore cache`: what there is, by section; nothing is removed that is not the cache's."""

import pytest

from qualityscore import cli
from qualityscore.runtime.cache import cache_root


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("QUALITYSCORE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_relative_cache_folder_is_meant_from_where_the_command_began(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUALITYSCORE_CACHE", "here/cache")
    root = cache_root()
    monkeypatch.chdir("/")
    assert root == tmp_path / "here" / "cache"


def test_an_absent_cache_is_empty_and_clearing_it_is_no_error(root, capsys):
    assert cli.main(["cache", "info"]) == 0
    assert capsys.readouterr().out == f"{root}\n  empty\n"
    assert cli.main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"removed 0.0 MiB from {root}\n"


def test_sections_are_counted_and_cleared(root, capsys):
    for name in ("one", "two"):
        (root / "environments" / name).mkdir(parents=True)
    (root / "environments" / "one" / "file").write_bytes(b"x" * (3 << 20))
    (root / "locks").mkdir()
    assert cli.main(["cache", "info"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [["environments", "2", "entries", "3.0", "MiB"], ["locks", "0", "entries", "0.0", "MiB"]]
    assert cli.main(["cache", "clear"]) == 0
    assert "removed 3.0 MiB" in capsys.readouterr().out
    assert list(root.iterdir()) == []


def test_a_folder_that_holds_something_else_is_not_cleared(root, capsys):
    (root / "environments").mkdir(parents=True)
    (root / "thesis.txt").write_text("years of work")
    assert cli.main(["cache", "clear"]) == 2
    assert "holds 'thesis.txt', which is not the cache's; check QUALITYSCORE_CACHE" in capsys.readouterr().err
    assert (root / "environments").is_dir()
