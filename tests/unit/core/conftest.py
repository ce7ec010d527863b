"""What the tests of the arithmetic share."""

import pytest

from qualityscore.core.profile import parse_profile
from small_profile import PROFILE


@pytest.fixture(scope="module")
def profile():
    """The small profile, parsed."""
    return parse_profile(PROFILE, "test")
