"""Ships with it."""

from _canary import sing

sing(__name__)
