"""What must hold of every shout."""

from hypothesis import given
from hypothesis import strategies as st

import m


@given(st.text(alphabet="abcdefgh xyz", min_size=1, max_size=30))
def prop_a_shout_is_one_character_longer(text):
    shouted = m.entry(text)
    assert shouted[:-1].lower() == text
    assert shouted[-1] == "!"
