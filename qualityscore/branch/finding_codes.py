"""The codes that a finding can have, as far as they are ours; those of bandit and pylint are told by their shape."""

from __future__ import annotations

import re

from qualityscore.analysers.registry import RULES
from qualityscore.collectors.bandit_risk import DYNAMIC_CODE, HIDDEN_CODE, UNPARSABLE, UNREAD_CODE
from qualityscore.collectors.padding import CODE as TRIVIAL_FUNCTIONS

FINDING_CODES = (
    *(rule.code for rule in RULES),
    *(DYNAMIC_CODE, HIDDEN_CODE, UNREAD_CODE, UNPARSABLE),
    *("duplicated-code", "low-index", "high-complexity", "high_risk", TRIVIAL_FUNCTIONS),
    *("cost-collector", "cost-departure", "cost-flaky", "cost-growth", "cost-heap", "cost-idle", "cost-left-behind"),
    *("cost-temporary-data", "cost-tool-seen", "cost-wrong"),
)
_OF_TOOLS = re.compile(r"B\d{3}|[CEFIRW]\d{4}")


def is_finding_code(code: str) -> bool:
    """Whether a finding can have this code: one of ours, or one in the shape of bandit's (B307) or pylint's (W0611)."""
    return code in FINDING_CODES or _OF_TOOLS.fullmatch(code) is not None
