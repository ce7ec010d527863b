"""The choice of a provider: the strongest that is seen to work."""

from __future__ import annotations

import os
from collections.abc import Sequence

from qualityscore.errors import SandboxUnavailableError, UsageError
from qualityscore.runtime.leases import spare_cpus
from qualityscore.runtime.sandbox import PROVIDERS
from qualityscore.runtime.sandbox.base import Level, Sandbox

_STRENGTH = (Level.NONE, Level.LANDLOCK, Level.NAMESPACE, Level.CONTAINER)


def required_level(name: str | None) -> Level | None:
    """The level that a person asked for by its name. Raises UsageError for a word that is no level of containment."""
    if name is None:
        return None
    levels = [level for level in Level if level is not Level.NONE]
    if name not in levels:
        raise UsageError(f"--require-sandbox {name!r} is no level; the levels are {', '.join(levels)}.")
    return Level(name)


def select(*, required: Level | None = None, unsafe: bool = False, providers: Sequence[Sandbox] = PROVIDERS) -> Sandbox:
    """The first of `providers` that a trial launch shows to work, of level `required` or stronger.

    A provider of level `none` is taken only with `unsafe`, and only where nothing better works: the option lifts the
    refusal, it does not lower what a host can do. Root never gets one.

    Raises SandboxUnavailableError that says, for each provider, what was missing and how to get it.
    """
    reasons = []
    for provider in providers:
        if provider.level is Level.NONE:
            continue
        if required is not None and _STRENGTH.index(provider.level) < _STRENGTH.index(required):
            reasons.append(f"{provider.name}: its level {provider.level} is weaker than {required}")
            continue
        availability = provider.probe(spare_cpus())
        if availability.works:
            return provider
        remedy = f" ({availability.remedy})" if availability.remedy else ""
        reasons.append(f"{provider.name}: {availability.detail}{remedy}")
    if unsafe and required is None:
        if os.geteuid() == 0:
            raise SandboxUnavailableError(
                f"no sandbox works on this host, and root never runs a subject without one. {'; '.join(reasons)}. "
                "Run --unsafe as an ordinary user of a throw-away machine."
            )
        return next(provider for provider in providers if provider.level is Level.NONE)
    wanted = f"no sandbox of level {required} or stronger" if required else "no sandbox"
    raise SandboxUnavailableError(
        f"{wanted} works on this host, so the subject is not run. {'; '.join(reasons)}. "
        "On a throw-away machine, --unsafe runs it without one."
    )
