"""Renderers: Report to text, without effects."""
