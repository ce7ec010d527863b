"""Helpers that can be used without an observer."""
