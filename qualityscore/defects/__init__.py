"""Injected defects: what the suites of a task detect of them says what the suites are worth."""
