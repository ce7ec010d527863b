"""Verdicts over tests that the code under test cannot reach: what to record, and what must hold of it."""
