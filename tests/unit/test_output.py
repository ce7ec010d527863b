"""Where documents go: links are followed, standard output by any name is standard output."""

import json
import subprocess
import sys

import pytest

from qualityscore.commands.output import check_writable, write
from qualityscore.errors import OutputError


def test_a_link_is_followed_and_stays(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "report.json", tmp_path / "latest.json"
    link.symlink_to(target)
    for text in ("new", "replaced"):  # the target is not there yet, then it is
        check_writable(str(link))
        write(str(link), text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["report.json"]


def test_a_link_to_a_place_that_takes_no_file_is_refused_before_any_work(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "missing" / "report.json")
    with pytest.raises(OutputError, match=r"The folder .*missing of the output .*link does not exist"):
        check_writable(str(tmp_path / "link"))


def test_a_name_of_standard_output_is_never_replaced(tmp_path):
    # What /dev/stdout is; standard output is a regular file here.
    link, out = tmp_path / "stdout", tmp_path / "out.txt"
    link.symlink_to("/proc/self/fd/1")
    with out.open("w") as file:
        argv = [sys.executable, "-m", "qualityscore.cli", "weights", "--json", str(link)]
        subprocess.run(argv, stdout=file, check=True, timeout=60)
    assert link.is_symlink()
    assert "schema_version" in json.loads(out.read_text())  # and nothing after it
