"""From a document to dictionaries."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any
from xml.parsers import expat as _expat

Attributes = dict[str, Any]
Path = list[tuple[str, "Attributes | None"]]
Decision = bool | None | Container[str] | Callable[[Path, str, Any], bool]

_BLOCK_SIZE = 1 << 16

# Stands between URI and local name in what the parser reports.  It may not occur in any
# document, so any separator can be asked for and any URI be used.
_SPLIT = "\x01"

_DECLARATION_END = b"?>"
_LONGEST_DECLARATION = 1024
_DECLARED_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']""")


class ParsingInterrupted(Exception):
    """Raised when the callback of a streaming parse returns something false."""


def parse(
    xml_input: Any,
    encoding: str | None = None,
    expat: Any = _expat,
    process_namespaces: bool = False,
    namespace_separator: str = ":",
    disable_entities: bool = True,
    process_comments: bool = False,
    *,
    item_depth: int = 0,
    item_callback: Callable[[Path, Any], Any] = lambda *args: True,
    xml_attribs: bool = True,
    attr_prefix: str = "@",
    cdata_key: str = "#text",
    force_cdata: Decision = False,
    cdata_separator: str = "",
    postprocessor: Callable[[Path, str, Any], tuple[str, Any] | None] | None = None,
    dict_constructor: Callable[[], Any] = dict,
    strip_whitespace: bool = True,
    namespaces: Mapping[str, str | None] | None = None,
    force_list: Decision = None,
    comment_key: str = "#comment",
) -> Any:
    """Return a document as a dictionary with one entry, its root element.

    Args:
        xml_input: text, bytes, a binary file, or a generator of pieces of text or bytes.
        encoding: the encoding of bytes that do not name it themselves.
        expat: the module whose `ParserCreate` is used.
        process_namespaces: replace prefixes by the URIs that they stand for.
        namespace_separator: what stands between a URI and a local name.
        disable_entities: raise ValueError for a document that declares an entity.
        process_comments: keep comments.
        item_depth: call `item_callback` for every element at this depth, and return None.
        item_callback: called as ``item_callback(path, item)``.
        xml_attribs: keep attributes.
        attr_prefix: what stands before the names of attributes.
        cdata_key: the key of text.
        force_cdata: where text is in a dictionary even if the element has nothing else.
        cdata_separator: what joins the pieces of text between child elements.
        postprocessor: called as ``postprocessor(path, key, value)`` for every entry; gives
            the pair to store instead, or None.
        dict_constructor: makes the dictionaries.
        strip_whitespace: strip white space from the ends of texts.
        namespaces: what stands in names instead of URIs.
        force_list: where the value of an element is a list even if there is only one.
        comment_key: the key of comments.
    """
    builder = _Builder(
        item_depth=item_depth,
        item_callback=item_callback,
        xml_attribs=xml_attribs,
        attr_prefix=attr_prefix,
        cdata_key=cdata_key,
        force_cdata=force_cdata,
        cdata_separator=cdata_separator,
        postprocessor=postprocessor,
        dict_constructor=dict_constructor,
        strip_whitespace=strip_whitespace,
        namespace_separator=namespace_separator,
        namespaces=namespaces if namespaces is not None else {},
        force_list=force_list,
        comment_key=comment_key,
    )
    parser = expat.ParserCreate(None, _SPLIT if process_namespaces else None)
    parser.ordered_attributes = True
    parser.buffer_text = True
    parser.StartElementHandler = builder.start_element
    parser.EndElementHandler = builder.end_element
    parser.CharacterDataHandler = builder.characters
    if process_namespaces:
        parser.StartNamespaceDeclHandler = builder.declare_namespace
    if process_comments:
        parser.CommentHandler = builder.comment
    if disable_entities:
        parser.EntityDeclHandler = _refuse_entity

    pieces = _pieces(xml_input)
    if encoding is not None:
        pieces = _decoded(pieces, encoding)
    try:
        for piece in pieces:
            parser.Parse(piece, False)
    except UnicodeDecodeError as error:
        if encoding is None:
            raise
        raise _expat.ExpatError(f"not well-formed (invalid token): {error}") from error
    parser.Parse(b"", True)
    return builder.result()


def _refuse_entity(name: str, *_: Any) -> None:
    raise ValueError(f"entities are disabled, but {name!r} is declared")


# -- input --------------------------------------------------------------------------


def _pieces(xml_input: Any) -> Iterator[str | bytes]:
    """Iterate over the document in pieces."""
    if isinstance(xml_input, (str, bytes)):
        yield xml_input
    elif isinstance(xml_input, (bytearray, memoryview)):
        yield bytes(xml_input)
    elif hasattr(xml_input, "read"):
        while piece := xml_input.read(_BLOCK_SIZE):
            yield piece
    else:
        yield from xml_input


def _decoded(pieces: Iterable[str | bytes], encoding: str) -> Iterator[str | bytes]:
    """Decode pieces of a document, unless it says itself what its encoding is."""
    decoder = codecs.getincrementaldecoder(encoding)()
    pieces = iter(pieces)
    head = b""
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
            yield from pieces
            return
        head += piece
        if _is_decidable(head):
            break
    if _names_encoding(head, encoding):
        yield head
        yield from pieces
        return
    yield decoder.decode(head)
    for piece in pieces:
        yield piece if isinstance(piece, str) else decoder.decode(piece)
    yield decoder.decode(b"", True)


def _is_decidable(head: bytes) -> bool:
    """Whether the beginning of a document is enough to tell if it names its encoding."""
    if len(head) < 4:
        return False
    start = b"<?xml"
    if head[: len(start)] != start[: len(head)]:
        return True
    return _DECLARATION_END in head or len(head) > _LONGEST_DECLARATION


def _names_encoding(head: bytes, encoding: str) -> bool:
    """Whether the beginning of a document names its encoding, or shows it by its bytes."""
    if head.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return not codecs.lookup(encoding).name.startswith("utf-32")
    if head.startswith((b"<\0", b"\0<")):
        return not codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    return _DECLARED_ENCODING.match(head.partition(_DECLARATION_END)[0]) is not None


# -- building -----------------------------------------------------------------------


class _Entries:
    """A dictionary being made: values under the same key are collected in a list."""

    __slots__ = ("_constructor", "_lists", "content")

    def __init__(self, constructor: Callable[[], Any]) -> None:
        self._constructor = constructor
        self._lists: set[str] | None = None
        self.content: Any = None

    def __contains__(self, key: str) -> bool:
        return self.content is not None and key in self.content

    def add(self, key: str, value: Any, as_list: bool = False) -> None:
        """Store a value; the first one under its key in a list too if `as_list` is true."""
        if self.content is None:
            self.content = self._constructor()
        content = self.content
        if key not in content:
            if as_list:
                self._mark(key)
                content[key] = [value]
            else:
                content[key] = value
        elif self._lists is not None and key in self._lists:
            content[key].append(value)
        else:
            self._mark(key)
            content[key] = [content[key], value]

    def _mark(self, key: str) -> None:
        if self._lists is None:
            self._lists = set()
        self._lists.add(key)


class _Element:
    """An element that has not ended yet."""

    __slots__ = ("_open", "_pieces", "entries", "name")

    def __init__(self, name: str, entries: _Entries) -> None:
        self.name = name
        self.entries = entries
        self._pieces: list[str] | None = None
        self._open: list[str] = []

    def add_text(self, text: str) -> None:
        """Add text to the present piece."""
        self._open.append(text)

    def end_piece(self) -> None:
        """Let further text be a new piece."""
        if self._open:
            if self._pieces is None:
                self._pieces = []
            self._pieces.append("".join(self._open))
            self._open = []

    def text(self, separator: str, strip: bool) -> str:
        """Return the pieces joined; a text of nothing but white space is empty."""
        self.end_piece()
        if self._pieces is None:
            return ""
        if not strip:
            return separator.join(self._pieces)
        if all(piece.isspace() for piece in self._pieces):
            return ""
        return separator.join(self._pieces).strip()


class _Builder:
    """Receives the events of the parser and makes the dictionaries."""

    def __init__(
        self,
        *,
        item_depth: int,
        item_callback: Callable[[Path, Any], Any],
        xml_attribs: bool,
        attr_prefix: str,
        cdata_key: str,
        force_cdata: Decision,
        cdata_separator: str,
        postprocessor: Callable[[Path, str, Any], tuple[str, Any] | None] | None,
        dict_constructor: Callable[[], Any],
        strip_whitespace: bool,
        namespace_separator: str,
        namespaces: Mapping[str, str | None],
        force_list: Decision,
        comment_key: str,
    ) -> None:
        self._item_depth = item_depth
        self._item_callback = item_callback
        self._xml_attribs = xml_attribs
        self._attr_prefix = attr_prefix
        self._cdata_key = cdata_key
        self._force_cdata = force_cdata
        self._cdata_separator = cdata_separator
        self._postprocessor = postprocessor
        self._dict_constructor = dict_constructor
        self._strip = strip_whitespace
        self._namespace_separator = namespace_separator
        self._namespaces = namespaces
        self._force_list = force_list
        self._comment_key = comment_key
        self._path: Path = []
        self._document = _Entries(dict_constructor)
        self._elements: list[_Element] = []  # those at `item_depth` and below
        self._declared: list[tuple[str, str]] = []

    def result(self) -> Any:
        """Return the document, None if it was streamed."""
        if self._item_depth > 0:
            return None
        content = self._document.content
        return self._dict_constructor() if content is None else content

    # -- events ---------------------------------------------------------------------

    def declare_namespace(self, prefix: str | None, uri: str | None) -> None:
        """Take note of a declaration of the element that starts next."""
        self._declared.append((prefix or "", uri or ""))

    def start_element(self, full_name: str, values: list[str]) -> None:
        """Begin an element."""
        name = self._short(full_name)
        attributes = self._attributes(values)
        self._path.append((name, attributes or None))
        if len(self._path) < self._item_depth:
            return
        if self._elements:
            self._elements[-1].end_piece()
        element = _Element(name, _Entries(self._dict_constructor))
        self._elements.append(element)
        for key, value in attributes.items():
            self._store(element.entries, self._attr_prefix + key, value)

    def characters(self, text: str) -> None:
        """Add text to the present element."""
        if self._elements:
            self._elements[-1].add_text(text)

    def comment(self, text: str) -> None:
        """Add a comment to the present element."""
        if not self._elements:
            return
        if self._strip:
            text = text.strip()
            if not text:
                return
        self._elements[-1].entries.add(self._comment_key, text)

    def end_element(self, full_name: str) -> None:
        """Finish an element."""
        depth = len(self._path)
        if depth < self._item_depth:
            self._path.pop()
            return
        element = self._elements.pop()
        value = self._value(element)
        if depth == self._item_depth:
            go_on = self._item_callback(list(self._path), value)
            self._path.pop()
            if not go_on:
                raise ParsingInterrupted()
            return
        entry = self._processed(element.name, value)
        self._path.pop()
        if entry is not None:
            key, value = entry
            entries = self._elements[-1].entries if self._elements else self._document
            as_list = key not in entries and self._decide(self._force_list, key, value)
            entries.add(key, value, as_list)

    # -- values ---------------------------------------------------------------------

    def _value(self, element: _Element) -> Any:
        """Return the value of an element that has ended; it is still on the path."""
        text = element.text(self._cdata_separator, self._strip)
        entries = element.entries
        if entries.content is None and not (text and self._forces_cdata(element.name, text)):
            return text or None
        if text:
            self._store(entries, self._cdata_key, text)
        return entries.content

    def _forces_cdata(self, name: str, text: str) -> bool:
        if not self._force_cdata:
            return False
        last = self._path.pop()
        try:
            return self._decide(self._force_cdata, name, text)
        finally:
            self._path.append(last)

    def _decide(self, option: Decision, key: str, value: Any) -> bool:
        """Answer whether an option applies to an element; the path ends with its parent."""
        if option is None or isinstance(option, bool):
            return bool(option)
        if callable(option):
            return bool(option(list(self._path), key, value))
        return key in option

    def _processed(self, key: str, value: Any) -> tuple[str, Any] | None:
        """Return what the postprocessor makes of an entry."""
        if self._postprocessor is None:
            return key, value
        return self._postprocessor(list(self._path), key, value)

    def _store(self, entries: _Entries, key: str, value: Any) -> None:
        """Store an attribute or text, once postprocessed."""
        entry = self._processed(key, value)
        if entry is not None:
            entries.add(*entry)

    def _attributes(self, values: list[str]) -> Attributes:
        """Return the attributes of the element that starts, declarations first."""
        declared, self._declared = self._declared, []
        attributes: Attributes = {}
        if self._xml_attribs:
            if declared:
                uris = self._dict_constructor()
                for prefix, uri in declared:
                    uris[prefix] = uri
                attributes["xmlns"] = uris
            for name, value in zip(values[::2], values[1::2]):
                attributes[self._short(name)] = value
        return attributes

    def _short(self, full_name: str) -> str:
        """Return what stands for a name as the parser reports it."""
        uri, split, local = full_name.rpartition(_SPLIT)
        if not split:
            return full_name
        try:
            short = self._namespaces[uri]
        except KeyError:
            short = uri
        return f"{short}{self._namespace_separator}{local}" if short else local
