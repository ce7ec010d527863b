"""Providers of containment for code under judgement, in the order in which they are tried.

A container may be stronger than bubblewrap's namespaces, but is experimental here and hundreds of times slower to
start, so it is tried after it.
"""

from __future__ import annotations

from qualityscore.runtime.sandbox.base import Sandbox
from qualityscore.runtime.sandbox.bubblewrap import Bubblewrap
from qualityscore.runtime.sandbox.container import Container
from qualityscore.runtime.sandbox.landlock import Landlock
from qualityscore.runtime.sandbox.unsafe import Unsafe

PROVIDERS: tuple[Sandbox, ...] = (Bubblewrap(), Container(), Landlock(), Unsafe())
