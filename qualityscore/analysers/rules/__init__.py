"""The rules, one per file, each with GOOD and BAD cases that generate its tests and its page."""
