"""Every rule, in the order in which reports list them: the place to add one."""

from __future__ import annotations

from types import ModuleType

from qualityscore.analysers.rule import Rule
from qualityscore.analysers.rules import (
    fields_call,
    fields_late,
    fields_override,
    fields_twins,
    fields_undefined,
    fields_unread,
    layers_cycle,
    layers_order,
    names_call,
    names_exported,
    names_imported,
    names_module,
    names_redefined,
    names_unbound,
    surface_extra,
    surface_incompatible,
    surface_missing,
    surface_stub,
    unreadable,
)

RULE_MODULES: tuple[ModuleType, ...] = (
    unreadable,
    layers_cycle,
    layers_order,
    fields_undefined,
    fields_twins,
    fields_late,
    fields_unread,
    fields_call,
    fields_override,
    surface_stub,
    surface_missing,
    surface_extra,
    surface_incompatible,
    names_unbound,
    names_module,
    names_imported,
    names_exported,
    names_redefined,
    names_call,
)
RULES: tuple[Rule, ...] = tuple(module.RULE for module in RULE_MODULES)
ANALYSERS: tuple[str, ...] = ("layers", "fields", "surface", "names")
