"""How a batch settles rows of which nothing has to run."""

from __future__ import annotations

import subprocess
import sys
import textwrap

from backend.tiny import environment, results, write_manifest


def test_a_subject_that_the_hosts_memory_does_not_hold_stops_no_batch(tmp_path):
    (tmp_path / "large").mkdir()
    (tmp_path / "large" / "a.py").write_bytes(b"#" * (31 << 20))
    (tmp_path / "empty").mkdir()
    manifest = write_manifest(tmp_path / "m.jsonl", [{"repository": "large"}, {"repository": "empty"}])
    code = """
        import resource, sys
        from pathlib import Path
        from qualityscore.execution.batch import Settings, run_batch
        from qualityscore.execution.local_engine import LocalEngine

        def engine(scratch):  # made when all that is common to the rows has been read
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            limit = pages * resource.getpagesize() + (26 << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            return LocalEngine(lanes=1, scratch=scratch, longest_s=60)

        settings = Settings(manifest=Path(sys.argv[1]), folder=Path(sys.argv[2]), defaults={"task": "cachetools"})
        run_batch(settings, engine, lambda _: None)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), manifest, tmp_path / "out"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    large, empty = results(tmp_path / "out")
    assert (large["state"], large["score"], large["code"]) == ("harness", None, "QS-300")
    assert "memory" in large["reason"]
    assert (empty["state"], empty["code"]) == ("refused", "QS-110")
