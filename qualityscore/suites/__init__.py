"""Functional, robustness and cost suites: plan, run inside the sandbox, outcomes."""
