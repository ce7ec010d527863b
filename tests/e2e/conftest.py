"""Subjects put together once per test session, and evaluations of them for real."""

from pathlib import Path

import pytest

from qualityscore import evaluate
from qualityscore.model.report import Report
from qualityscore.runtime import reference
from qualityscore.runtime.cache import cache_root
from qualityscore.runtime.tasks import load_task
from repos.make import build, subjects

SUBJECTS = {subject.name: subject for subject in subjects()}


@pytest.fixture(scope="session")
def subject_folder(tmp_path_factory):
    """A function from a subject's name to its folder."""
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            subject = SUBJECTS[name]
            source = reference.fetch(load_task(subject.task), cache_root()) if subject.needs_reference else None
            made[name] = build(subject, tmp_path_factory.mktemp("repos") / name, source)
        return made[name]

    return folder


@pytest.fixture(scope="session")
def evaluated(subject_folder):
    """A function from a subject's name (and what to measure) to its report; each is evaluated once."""
    done: dict[tuple[str, tuple[str, ...] | None], Report] = {}

    def report(name: str, only: tuple[str, ...] | None = None) -> Report:
        if (name, only) not in done:
            done[name, only] = evaluate(subject_folder(name), task=SUBJECTS[name].task, only=only)
        return done[name, only]

    return report
