"""XML documents as plain dictionaries."""

from ._parse import ParsingInterrupted, parse
from ._unparse import unparse

__all__ = ["ParsingInterrupted", "parse", "unparse"]
