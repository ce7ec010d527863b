"""The corpus: every attack, by family."""

from __future__ import annotations

from attacks.corpus import blind, cost_gaming, escape, exhaustion, machinery, static_gaming
from attacks.corpus.attack import Attack, Elsewhere

CARELESS = static_gaming.CARELESS
ATTACKS: tuple[Attack, ...] = (
    *machinery.ATTACKS,
    *static_gaming.ATTACKS,
    *escape.ATTACKS,
    *exhaustion.ATTACKS,
    *blind.ATTACKS,
)
ELSEWHERE: tuple[Elsewhere, ...] = (*cost_gaming.ROWS, *escape.ROWS, *exhaustion.ROWS)
