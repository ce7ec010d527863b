"""Observe changes of files and folders."""
