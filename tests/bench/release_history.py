"""A git history out of a project's successive source releases: one commit per release, tagged with its version."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

PROJECTS = {
    "cachetools": ("5.3.0", "5.3.1", "5.3.2", "5.3.3", "5.4.0", "5.5.0"),
    "humanize": ("4.6.0", "4.7.0", "4.8.0", "4.9.0", "4.10.0"),
    "more-itertools": ("9.0.0", "9.1.0", "10.0.0", "10.1.0", "10.2.0"),
    "tinydb": ("4.7.1", "4.8.0", "4.8.1", "4.8.2"),
    "tomlkit": ("0.11.8", "0.12.0", "0.12.1", "0.12.2", "0.12.3"),
    "toolz": ("0.11.0", "0.11.1", "0.11.2", "0.12.0", "0.12.1"),
    "xmltodict": ("0.11.0", "0.12.0", "0.13.0", "0.14.0", "0.14.2"),
}
"""Pure-Python projects whose source releases hold their tests, with neighbouring releases in order."""

_GIT = {
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "history"),)},
    "GIT_AUTHOR_EMAIL": "history@example.org",
    "GIT_COMMITTER_EMAIL": "history@example.org",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(folder: Path, *words: str) -> str:
    """Run git in a folder, with a configuration of no person's."""
    environment = {**os.environ, **_GIT}
    done = subprocess.run(("git", *words), cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def start(folder: Path) -> Path:
    """An empty repository whose branch is main."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    return folder


def commit(folder: Path, message: str) -> str:
    """Commit all that is there, and give the commit."""
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()


def download(name: str, version: str, folder: Path) -> Path:
    """Fetch and unpack one source release from the configured package index; its code is not run."""
    from unearth import PackageFinder

    from qualityscore.runtime.releases import index_urls

    finder = PackageFinder(index_urls=index_urls(), no_binary=[name], ignore_compatibility=True)
    match = finder.find_best_match(f"{name}=={version}", allow_yanked=True)
    if match.best is None:
        raise SystemExit(f"the package index offers no source release of {name} {version}")
    archive = folder / match.best.link.filename
    archive.write_bytes(finder.session.get(match.best.link.url_without_fragment).content)
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(archive) as tar:
            tar.extractall(place, filter="data")
        (inner,) = Path(place).iterdir()
        unpacked = folder / f"{name}-{version}"
        shutil.copytree(inner, unpacked)
    archive.unlink()
    return unpacked


def history(name: str, versions: tuple[str, ...], folder: Path) -> Path:
    """A repository with one commit and one tag per release."""
    repository = start(folder / name)
    for version in versions:
        for item in repository.iterdir():
            if item.name != ".git":
                shutil.rmtree(item) if item.is_dir() else item.unlink()
        release = download(name, version, folder)
        shutil.copytree(release, repository, dirs_exist_ok=True)
        shutil.rmtree(release)
        commit(repository, f"{name} {version}")
        git(repository, "tag", f"v{version}")
    return repository
