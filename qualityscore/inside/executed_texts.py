"""Texts that were compiled, and which of them holds a code object that is run. Standard library only; runs inside the
sandbox, called from an audit hook.
"""

import __future__

import ast
import hashlib
import io
import tokenize

import source_codes

LARGEST_BYTES = 4 << 20
_PENDING_BYTES = 4 * LARGEST_BYTES
_TEXT_BYTES = 1 << 10  # what a text takes besides its characters
_TREE_BYTES = 1 << 14
_SHORT_TOKENS = 35  # five lines
_LAYOUT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)
_WAYS = (("single", -1), ("exec", 0), ("exec", 1), ("exec", 2))
_ANNOTATIONS = __future__.annotations.compiler_flag
# the subject may replace them later
_compile, _sha256, _unparse = compile, hashlib.sha256, ast.unparse
_parse, _tokens, _BytesIO = ast.parse, tokenize.tokenize, io.BytesIO


class Text:
    """A source text that was compiled. `lines`: first lines in it, by what its code objects do. `name` stands for it in
    the log.
    """

    def __init__(self, source, flags):
        self._given = source
        self._flags = flags
        self._is_expression = False
        self.size = _TEXT_BYTES + (len(source) if isinstance(source, bytes) else _TREE_BYTES)
        self.lines = {}
        self.source = self.name = None

    def read(self):
        """Compile it as it most often is."""
        self.source, self._given = self._given, None
        if not isinstance(self.source, bytes):
            try:
                self.source = _unparse(self.source).encode("utf-8", "surrogatepass")
            except Exception:  # a tree that its maker has changed since
                self.source = b""
        self._is_expression = self._collect(self.source, "eval", -1, self._flags)
        if self._is_expression:
            self.source = self.source.lstrip(b" \t")  # as eval does, and a file may not begin with them
        else:
            self._collect(self.source, "exec", -1, self._flags)
        self.name = f"<text {_sha256(self.source).hexdigest()[:32]}>"

    def read_thoroughly(self):
        """Compile it in all other ways: flags may be given and not inherited, a string's encoding is not looked at."""
        sources = [self.source]
        if b"coding" in self.source:
            sources.append(self.source.decode("utf-8", "surrogatepass"))
        for source in sources:
            for flags in (self._flags, self._flags ^ _ANNOTATIONS):
                for mode, level in (("exec", -1), *_WAYS):
                    self._collect(source, mode, level, flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            self._collect(source, "eval", -1, self._flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    def is_short_expression(self):
        """An expression without functions in it and of no more than five lines."""
        if not self._is_expression:
            return False
        try:
            if b"lambda" in self.source and any(
                isinstance(node, ast.Lambda) for node in ast.walk(_parse(self.source, mode="eval"))
            ):
                return False
            if len(self.source) <= _SHORT_TOKENS:
                return True
            found = 0
            for token in _tokens(_BytesIO(self.source).readline):
                found += token.type not in _LAYOUT and token.type != tokenize.ENCODING
                if found > _SHORT_TOKENS:
                    return False
        except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
            return False
        return True

    def _collect(self, source, mode, level, flags):
        with source_codes.silence():
            try:
                compiled = _compile(source, "", mode, flags, True, level)
            except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
                return False
        source_codes.collect(compiled, self.lines)
        return True


class Texts:
    """The texts that were compiled, as many of the latest as there is room for. Each is read once, when code is looked
    for that no text which was read before has.
    """

    def __init__(self):
        self._texts = {}  # (source, flags) or a tree's own key -> Text, the latest last
        self._unread = {}
        self._half_read = {}
        self._found = {}  # what code does -> Text
        self._bytes = 0

    def add(self, source, flags):
        """A text, or a tree: that may be changed and compiled once more."""
        key = (source, flags) if isinstance(source, bytes) else object()
        text = self._texts.pop(key, None)
        if text is None:
            text = self._unread[key] = Text(source, flags)
            self._bytes += text.size
        self._texts[key] = text
        while self._bytes > _PENDING_BYTES:
            self._drop(next(iter(self._texts)))

    def of(self, signature):
        """The text that holds code which does this; None where there is none."""
        while signature not in self._found and self._unread:
            key, text = self._unread.popitem()
            self._half_read[key] = text
            text.read()
            self._index(text)
        while signature not in self._found and self._half_read:
            _, text = self._half_read.popitem()
            text.read_thoroughly()
            self._index(text)
        return self._found.get(signature)

    def _index(self, text):
        for signature in text.lines:
            self._found.setdefault(signature, text)

    def _drop(self, key):
        text = self._texts.pop(key)
        self._bytes -= text.size
        self._unread.pop(key, None)
        self._half_read.pop(key, None)
        for signature in text.lines:
            if self._found.get(signature) is text:
                del self._found[signature]
