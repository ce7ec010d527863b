"""For providers without a mount namespace: the in-sandbox paths do not exist there, so host paths take their place."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from qualityscore.runtime.sandbox import scenery
from qualityscore.runtime.sandbox.base import HOME_DIR, WORK_DIR, Launch
from qualityscore.runtime.scratch import scratch_folder


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder that stands for /tmp inside, with HOME and the working directory in it; gone after the block."""
    with scratch_folder("qs-") as folder:
        for inner in (HOME_DIR, WORK_DIR):
            (folder / Path(inner).name).mkdir()
        yield folder


def translated(launch: Launch, folder: Path) -> Launch:
    """The launch with mounts' sources and the scratch `folder` in place of in-sandbox paths.

    Replaced are whole paths and their beginnings, in the command, the environment (complete afterwards), the working
    directory, and the standard input.
    """
    places = {mount.target: str(mount.source) for mount in launch.mounts if mount.target != str(mount.source)}
    places["/tmp"] = str(folder)
    longest_first = sorted(places, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<![\w.-]){re.escape(place)}(?![\w.-])" for place in longest_first))

    def here(text: str) -> str:
        return pattern.sub(lambda found: places[found[0]], text)

    return replace(
        launch,
        argv=tuple(here(word) for word in launch.argv),
        env={name: here(value) for name, value in scenery.environment(launch.env).items()},
        cwd=here(launch.cwd),
        stdin=here(launch.stdin.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape"),
    )
