"""XML documents as plain dictionaries, and back."""

import codecs
import re
from collections.abc import Mapping
from itertools import chain
from xml.parsers import expat as _expat
from xml.sax.saxutils import escape, quoteattr

__all__ = ("parse", "unparse", "ParsingInterrupted")


class ParsingInterrupted(Exception):
    """Raised when the callback of a streaming parse returns something false."""


# Cannot occur in a document, so it splits the names that expat gives for certain.
_NS_MARK = "\x1f"


class _Element:
    """An element that has not ended yet."""

    __slots__ = ("name", "attributes", "entries", "pieces", "divided", "has_children")

    def __init__(self, name, attributes):
        self.name = name
        self.attributes = attributes  # pairs
        self.entries = {}  # key -> [whether a list is forced, value, ...]
        self.pieces = []  # of text, each a list of parts
        self.divided = True  # whether the next text begins a new piece
        self.has_children = False


def _chunks(source):
    if isinstance(source, (str, bytes, bytearray, memoryview)):
        yield source
    elif hasattr(source, "read"):
        while chunk := source.read(65536):
            yield chunk
    else:
        yield from source


def _names_encoding(chunks):
    """Whether the document says its encoding itself, and the chunks read to find out."""
    seen = []
    head = b""
    for chunk in chunks:
        seen.append(chunk)
        if isinstance(chunk, str):
            return True, seen
        head += bytes(chunk)
        if len(head) >= 5 and not (head.startswith(b"<?xml") and b"?>" not in head):
            break
    named = (
        head.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        or b"\0" in head[:4]
        or re.match(rb"<\?xml\s[^>]*?\sencoding\s*=", head) is not None
    )
    return named, seen


def _wanted(option, path, key, value):
    if option is None or isinstance(option, bool):
        return bool(option)
    if callable(option):
        return option(path, key, value)
    return key in option


def _put(entries, key, value, forced=False):
    entry = entries.setdefault(key, [False])
    entry[0] = entry[0] or bool(forced)
    entry.append(value)


def parse(
    xml_input,
    encoding=None,
    expat=_expat,
    process_namespaces=False,
    namespace_separator=":",
    disable_entities=True,
    process_comments=False,
    *,
    item_depth=0,
    item_callback=lambda *args: True,
    xml_attribs=True,
    attr_prefix="@",
    cdata_key="#text",
    force_cdata=False,
    cdata_separator="",
    postprocessor=None,
    dict_constructor=dict,
    strip_whitespace=True,
    namespaces=None,
    force_list=None,
    comment_key="#comment",
):
    """A document as dictionaries, lists and strings."""
    document = {}
    stack = []  # the open elements
    path = []  # their names and attributes
    declarations = []

    def rename(name):
        uri, mark, local = name.rpartition(_NS_MARK)
        if not mark:
            return name
        if namespaces is not None:
            try:
                uri = namespaces[uri]
            except KeyError:
                pass
        return f"{uri}{namespace_separator}{local}" if uri else local

    def ask(key, value):
        return (key, value) if postprocessor is None else postprocessor(list(path), key, value)

    def build(entries):
        return dict_constructor(
            [(key, e[1:] if e[0] or len(e) > 2 else e[1]) for key, e in entries.items()]
        )

    def value_of(element):
        entries = {}
        for name, value in element.attributes:
            pair = ask(attr_prefix + name, value)
            if pair is not None:
                _put(entries, *pair)
        for key, (forced, *values) in element.entries.items():
            for value in values:
                _put(entries, key, value, forced)
        text = cdata_separator.join(["".join(parts) for parts in element.pieces])
        if strip_whitespace:
            text = text.strip()
        if not (element.attributes or element.has_children or element.entries):
            if not text:
                return None
            if not _wanted(force_cdata, path[:-1], element.name, text):
                return text
        if text:
            pair = ask(cdata_key, text)
            if pair is not None:
                _put(entries, *pair)
        return build(entries)

    def declare(prefix, uri):
        declarations.append((prefix or "", uri or ""))

    def start(name, flat):
        attributes = []
        if xml_attribs:
            if declarations:
                attributes.append(("xmlns", dict_constructor(list(declarations))))
            attributes += [(rename(n), v) for n, v in zip(flat[::2], flat[1::2])]
        declarations.clear()
        name = rename(name)
        path.append((name, dict_constructor(list(attributes)) if attributes else None))
        stack.append(_Element(name, attributes))

    def end(_):
        element = stack.pop()
        if len(path) >= item_depth:
            value = value_of(element)
            if len(path) == item_depth:
                if not item_callback(list(path), value):
                    raise ParsingInterrupted
            else:
                pair = ask(element.name, value)
                if pair is not None:
                    key, value = pair
                    forced = _wanted(force_list, path[:-1], key, value)
                    _put(stack[-1].entries if stack else document, key, value, forced)
        path.pop()
        if stack:
            stack[-1].divided = stack[-1].has_children = True

    def characters(data):
        if len(path) < item_depth:
            return
        element = stack[-1]
        if element.divided:
            element.pieces.append([])
            element.divided = False
        element.pieces[-1].append(data)

    def comment(data):
        if stack and len(path) >= item_depth:
            _put(stack[-1].entries, comment_key, data.strip() if strip_whitespace else data)

    def refuse_entity(*args):
        raise ValueError("entities are disabled")

    chunks = _chunks(xml_input)
    if encoding is not None:
        named, seen = _names_encoding(chunks)
        chunks = chain(seen, chunks)
        if named:
            encoding = None
    parser = expat.ParserCreate(encoding, _NS_MARK if process_namespaces else None)
    parser.ordered_attributes = True
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    if process_namespaces:
        parser.StartNamespaceDeclHandler = declare
    if process_comments:
        parser.CommentHandler = comment
    if disable_entities:
        parser.EntityDeclHandler = refuse_entity
    for chunk in chunks:
        parser.Parse(chunk, False)
    parser.Parse(b"", True)
    return None if item_depth > 0 else build(document)


_BAD_NAME = re.compile(r"""^[?!]|[\s<>/="']""")


def _is_series(value):
    return hasattr(value, "__iter__") and not isinstance(
        value, (str, bytes, bytearray, memoryview, Mapping)
    )


def unparse(
    input_dict,
    output=None,
    encoding="utf-8",
    full_document=True,
    short_empty_elements=False,
    comment_key="#comment",
    *,
    attr_prefix="@",
    cdata_key="#text",
    preprocessor=None,
    pretty=False,
    newl="\n",
    indent="\t",
    namespace_separator=":",
    namespaces=None,
    expand_iter=None,
    bytes_errors="replace",
):
    """Such a dictionary as a document."""
    try:
        codecs.lookup_error(bytes_errors)
    except LookupError:
        raise ValueError(f"unknown error handler {bytes_errors!r}") from None
    if isinstance(indent, int):
        indent = " " * indent
    if not pretty:
        newl = indent = ""

    def to_text(value):
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value).decode(encoding, bytes_errors)
        return str(value)

    def to_name(name):
        if isinstance(name, str) and namespaces:
            uri, separator, local = name.rpartition(namespace_separator)
            if separator and uri in namespaces:
                prefix = namespaces[uri]
                name = f"{prefix}:{local}" if prefix else local
        if not isinstance(name, str) or not name or _BAD_NAME.search(name):
            raise ValueError(f"invalid name {name!r}")
        return name

    def is_attribute(key):
        return bool(attr_prefix) and isinstance(key, str) and key.startswith(attr_prefix)

    def attributes(name, value):
        if name == "xmlns" and isinstance(value, Mapping):
            for prefix, uri in value.items():
                declared = to_name(f"xmlns:{prefix}" if prefix else "xmlns")
                yield f" {declared}={quoteattr(to_text(uri), _WHITE)}"
        else:
            yield f" {to_name(name)}={quoteattr(to_text(value), _WHITE)}"

    def comments(value, depth):
        for comment in value if _is_series(value) else (value,):
            text = to_text(comment)
            if "--" in text or text.endswith("-"):
                raise ValueError("a comment cannot contain '--' or end with '-'")
            if text:
                yield f"{indent * depth}<!--{escape(text)}-->{newl}"

    def pairs(key, value):
        """The elements that one entry stands for, after preprocessing."""
        for member in value if _is_series(value) else (value,):
            pair = (key, member) if preprocessor is None else preprocessor(key, member)
            if pair is None:
                continue
            name, new = pair
            if new is not member and _is_series(new):
                for part in new:
                    yield name, part
            else:
                yield name, new

    def element(name, value, depth):
        name = to_name(name)
        if _is_series(value):
            value = str(value) if expand_iter is None else {expand_iter: value}
        head = []
        children = []
        text = ""
        if isinstance(value, Mapping):
            for key, inner in value.items():
                if key == cdata_key:
                    text = to_text(inner)
                elif key == comment_key:
                    children.extend(comments(inner, depth + 1))
                elif is_attribute(key):
                    head.extend(attributes(key[len(attr_prefix) :], inner))
                else:
                    for child, content in pairs(key, inner):
                        children.append(element(child, content, depth + 1))
        else:
            text = to_text(value)
        text = escape(text)
        margin = indent * depth
        tag = f"{margin}<{name}{''.join(head)}"
        after = newl if depth else ""
        if not children and not text and short_empty_elements:
            return f"{tag}/>{after}"
        if children:
            if text:
                children.append(f"{margin}{indent}{text}{newl}")
            return f"{tag}>{newl}{''.join(children)}{margin}</{name}>{after}"
        return f"{tag}>{text}</{name}>{after}"

    parts = []
    roots = 0
    after_root = ""
    for key, value in input_dict.items():
        if key == comment_key:
            for comment in comments(value, 0):
                parts += after_root, comment
                after_root = ""
            continue
        if key == cdata_key or is_attribute(key):
            raise ValueError(f"{key!r} outside any element")
        for name, content in pairs(key, value):
            roots += 1
            if full_document and roots > 1:
                raise ValueError("a document has one root only")
            parts += after_root, element(name, content, 0)
            after_root = newl
    if full_document:
        if not roots:
            raise ValueError("a document needs a root")
        parts.insert(0, f'<?xml version="1.0" encoding="{encoding}"?>\n')
    text = "".join(parts)
    if output is None:
        return text
    output.write(text)
    return None


_WHITE = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def _main():
    import marshal
    import sys

    depth = int(sys.argv[1])
    out = sys.stdout.buffer

    def write(path, item):
        marshal.dump((path, item), out)
        return True

    document = parse(sys.stdin.buffer, item_depth=depth, item_callback=write)
    if depth == 0:
        write([], document)
    out.flush()


if __name__ == "__main__":
    _main()
