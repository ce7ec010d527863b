"""From dictionaries to a document."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

Preprocessor = Callable[[str, Any], "tuple[str, Any] | None"]

_NOT_IN_NAMES = frozenset("<>/='\"")
_IN_ATTRIBUTES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def unparse(
    input_dict: Mapping[str, Any],
    output: TextIO | None = None,
    encoding: str = "utf-8",
    full_document: bool = True,
    short_empty_elements: bool = False,
    comment_key: str = "#comment",
    *,
    attr_prefix: str = "@",
    cdata_key: str = "#text",
    preprocessor: Preprocessor | None = None,
    pretty: bool = False,
    newl: str = "\n",
    indent: str | int = "\t",
    namespace_separator: str = ":",
    namespaces: Mapping[str, str | None] | None = None,
    expand_iter: str | None = None,
    bytes_errors: str = "replace",
) -> str | None:
    """Return a dictionary, as `parse` makes it, as the text of a document.

    Args:
        input_dict: the dictionary, with the root element as its only entry.
        output: a file-like object to write the text to; None is returned then.
        encoding: the encoding that the document names, and that of bytes in values.
        full_document: write the XML declaration, and insist on exactly one root.
        short_empty_elements: write ``<a/>`` for ``<a></a>``.
        comment_key: the key of comments.
        attr_prefix: what stands before the names of attributes.
        cdata_key: the key of text.
        preprocessor: called as ``preprocessor(key, value)`` for every element; gives the
            pair to write instead, or None.
        pretty: write every element on its own line.
        newl: the line break of `pretty`.
        indent: the indentation of `pretty`, or its number of blanks.
        namespace_separator: what stands between a URI and a local name.
        namespaces: the prefixes to write instead of URIs.
        expand_iter: the name of elements for the members of an iterable inside a list.
        bytes_errors: the error handler for decoding bytes.
    """
    try:
        codecs.lookup_error(bytes_errors)
    except LookupError:
        raise ValueError(f"unknown error handler {bytes_errors!r}") from None
    writer = _Writer(
        encoding=encoding,
        short_empty_elements=short_empty_elements,
        comment_key=comment_key,
        attr_prefix=attr_prefix,
        cdata_key=cdata_key,
        preprocessor=preprocessor,
        pretty=pretty,
        newl=newl,
        indent=" " * indent if isinstance(indent, int) else indent,
        namespace_separator=namespace_separator,
        namespaces=namespaces if namespaces is not None else {},
        expand_iter=expand_iter,
        bytes_errors=bytes_errors,
    )
    if full_document:
        text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + writer.document(input_dict)
    else:
        text = writer.fragment(input_dict)
    if output is None:
        return text
    output.write(text)
    return None


class _Content:
    """The entries of a dictionary, sorted by what they stand for."""

    __slots__ = ("attributes", "children", "text")

    def __init__(self) -> None:
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.children: list[tuple[Any, Any]] = []


class _Open:
    """An element, or the whole document, whose children are being written."""

    __slots__ = ("close", "empty_close", "nodes", "text", "written")

    def __init__(
        self, nodes: Iterator[str | tuple[str, Any]], text: str, close: str, empty_close: str
    ) -> None:
        self.nodes = nodes
        self.text = text
        self.close = close
        self.empty_close = empty_close
        self.written = 0


class _Writer:
    """Writes elements.  It keeps its own stack, so the depth of a document is not limited."""

    def __init__(
        self,
        *,
        encoding: str,
        short_empty_elements: bool,
        comment_key: str,
        attr_prefix: str,
        cdata_key: str,
        preprocessor: Preprocessor | None,
        pretty: bool,
        newl: str,
        indent: str,
        namespace_separator: str,
        namespaces: Mapping[str, str | None],
        expand_iter: str | None,
        bytes_errors: str,
    ) -> None:
        self._encoding = encoding
        self._short_empty_elements = short_empty_elements
        self._comment_key = comment_key
        self._attr_prefix = attr_prefix
        self._cdata_key = cdata_key
        self._preprocessor = preprocessor
        self._pretty = pretty
        self._newl = newl
        self._indent = indent
        self._namespace_separator = namespace_separator
        self._namespaces = namespaces
        self._expand_iter = expand_iter
        self._bytes_errors = bytes_errors
        self._parts: list[str] = []
        self._roots = 0

    def document(self, entries: Mapping[str, Any]) -> str:
        """Return the text of a document with exactly one root."""
        content = self._content(entries)
        names = [key for key, _ in content.children if key != self._comment_key]
        if len(names) != 1 or content.text or content.attributes:
            raise ValueError("a document must have exactly one root")
        text = self._write(content, one_root=True)
        if self._roots != 1:
            raise ValueError("a document must have exactly one root")
        return text

    def fragment(self, entries: Mapping[str, Any]) -> str:
        """Return the text of any number of elements."""
        content = self._content(entries)
        if content.attributes:
            raise ValueError("attributes need an element")
        return self._write(content, one_root=False)

    # -- writing --------------------------------------------------------------------

    def _write(self, content: _Content, one_root: bool) -> str:
        parts = self._parts
        stack = [_Open(self._nodes(content.children), content.text, "", "")]
        while stack:
            top = stack[-1]
            node = next(top.nodes, None)
            if node is None:
                stack.pop()
                self._finish(top, len(stack) - 1)
                continue
            self._begin_line(top, len(stack) - 1)
            if isinstance(node, str):
                parts.append(node)
                continue
            if len(stack) == 1:
                self._roots += 1
                if one_root and self._roots > 1:
                    raise ValueError("a document must have exactly one root")
            stack.append(self._opened(*node))
        return "".join(parts)

    def _begin_line(self, parent: _Open, depth: int) -> None:
        """Prepare for the next child of an element or of the document."""
        inside = depth > 0
        if not parent.written and inside:
            self._parts.append(">")
        if self._pretty:
            if parent.written or inside:
                self._parts.append(self._newl)
            self._parts.append(self._indent * depth)
        parent.written += 1

    def _opened(self, name: str, value: Any) -> _Open:
        """Write the start of an element, up to the end of its attributes."""
        if isinstance(value, Mapping):
            content = self._content(value)
        else:
            content = _Content()
            content.text = self._text(value)
        self._parts.append(f"<{name}")
        for key, text in content.attributes:
            self._parts.append(f" {key}={quoteattr(text, _IN_ATTRIBUTES)}")
        close = f"</{name}>"
        empty = "/>" if self._short_empty_elements else ">" + close
        return _Open(self._nodes(content.children), content.text, close, empty)

    def _finish(self, element: _Open, depth: int) -> None:
        """Write the text and the end of an element; below 0 the depth is the document's."""
        parts = self._parts
        if depth < 0:
            parts.append(escape(element.text))
        elif element.written:
            if self._pretty:
                parts.append(self._newl)
            if element.text:
                parts.append(escape(element.text))
            elif self._pretty:
                parts.append(self._indent * depth)
            parts.append(element.close)
        elif element.text:
            parts += (">", escape(element.text), element.close)
        else:
            parts.append(element.empty_close)

    # -- sorting out ----------------------------------------------------------------

    def _content(self, entries: Mapping[str, Any]) -> _Content:
        """Tell attributes, text and children apart."""
        content = _Content()
        prefix = self._attr_prefix
        for key, value in entries.items():
            if key == self._cdata_key:
                content.text = self._text(value)
            elif key == self._comment_key or not isinstance(key, str):
                content.children.append((key, value))
            elif prefix and key.startswith(prefix):
                content.attributes += self._attributes(key.removeprefix(prefix), value)
            else:
                content.children.append((key, value))
        return content

    def _attributes(self, name: str, value: Any) -> Iterator[tuple[str, str]]:
        """Give the attributes that an entry stands for: several for declarations."""
        if name == "xmlns" and isinstance(value, Mapping):
            for prefix, uri in value.items():
                yield (
                    self._name(f"xmlns:{prefix}" if prefix else "xmlns"),
                    self._text(uri),
                )
        else:
            yield self._name(name), self._text(value)

    def _nodes(self, children: Iterable[tuple[Any, Any]]) -> Iterator[str | tuple[str, Any]]:
        """Give children in order: comments as written, elements as name and value."""
        for key, value in children:
            if key == self._comment_key:
                yield from self._comments(value)
            elif _is_list(value):
                for member in value:
                    yield from self._elements(key, member, in_list=True)
            else:
                yield from self._elements(key, value, in_list=False)

    def _elements(self, key: Any, value: Any, in_list: bool) -> Iterator[tuple[str, Any]]:
        """Give an element, once preprocessed; it can become none or several."""
        if self._preprocessor is not None:
            entry = self._preprocessor(key, value)
            if entry is None:
                return
            key, value = entry
        values = value if _is_list(value) and not in_list else (value,)
        for member in values:
            name = self._name(key)
            if not _is_list(member):
                yield name, member
            elif self._expand_iter:
                yield name, {self._expand_iter: member}
            else:
                yield name, str(member)

    def _comments(self, value: Any) -> Iterator[str]:
        for comment in value if _is_list(value) else (value,):
            text = self._text(comment)
            if "--" in text or text.endswith("-"):
                raise ValueError(f"a comment can not contain '--' or end with '-': {text!r}")
            if text:
                yield f"<!--{escape(text)}-->"

    # -- texts and names ------------------------------------------------------------

    def _text(self, value: Any) -> str:
        """Return the text that a value stands for."""
        if isinstance(value, str):
            return value
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value).decode(self._encoding, self._bytes_errors)
        return str(value)

    def _name(self, name: Any) -> str:
        """Return a name with a prefix for its URI; ValueError if it can not be one."""
        if not isinstance(name, str):
            raise ValueError(f"a name must be text, not {name!r}")
        if self._namespaces:
            uri, separator, local = name.rpartition(self._namespace_separator)
            if separator and uri in self._namespaces:
                prefix = self._namespaces[uri]
                name = f"{prefix}:{local}" if prefix else local
        if (
            not name
            or name[0] in "?!"
            or not _NOT_IN_NAMES.isdisjoint(name)
            or any(map(str.isspace, name))
        ):
            raise ValueError(f"{name!r} can not be the name of an element or attribute")
        return name


def _is_list(value: Any) -> bool:
    """Whether a value stands for several elements."""
    return isinstance(value, Iterable) and not isinstance(
        value, (str, bytes, bytearray, memoryview, Mapping)
    )
