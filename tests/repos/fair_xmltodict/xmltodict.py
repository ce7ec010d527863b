"""XML documents as plain dictionaries, and back."""

import codecs
import inspect
import marshal
import sys
from xml.parsers import expat as _expat

_BAD_IN_NAMES = set("<>/='\"")
_BYTES = (bytes, bytearray, memoryview)


class ParsingInterrupted(Exception):
    """The callback of a streaming parse asked to stop."""


class _Node:
    """An element that is being read."""

    def __init__(self, name, attributes):
        self.name = name
        self.attributes = attributes
        self.entries = None
        self.pieces = []


class _Reader:
    """Turns parser events into dictionaries."""

    def __init__(self, separator, *, item_depth=0, item_callback=lambda *args: True, xml_attribs=True, attr_prefix="@",
                 cdata_key="#text", force_cdata=False, cdata_separator="", postprocessor=None, dict_constructor=dict,
                 strip_whitespace=True, namespaces=None, force_list=None, comment_key="#comment"):
        self.separator = separator
        self.item_depth = item_depth
        self.item_callback = item_callback
        self.xml_attribs = xml_attribs
        self.attr_prefix = attr_prefix
        self.cdata_key = cdata_key
        self.force_cdata = force_cdata
        self.cdata_separator = cdata_separator
        self.postprocessor = postprocessor
        self.dict_constructor = dict_constructor
        self.strip_whitespace = strip_whitespace
        self.namespaces = namespaces
        self.force_list = force_list
        self.comment_key = comment_key
        self.open = []
        self.root = None
        self.declared = dict_constructor()

    def path(self, count=None):
        return [(node.name, node.attributes or None) for node in self.open[:count]]

    def short(self, name):
        if not self.namespaces or self.separator not in name:
            return name
        uri, local = name.rsplit(self.separator, 1)
        prefix = self.namespaces.get(uri, uri)
        return f"{prefix}{self.separator}{local}" if prefix else local

    def declare(self, prefix, uri):
        self.declared[prefix or ""] = uri

    def start(self, name, flat):
        attributes = self.dict_constructor(zip(flat[::2], flat[1::2]))
        if self.declared:
            attributes["xmlns"] = self.declared
            self.declared = self.dict_constructor()
        self.open.append(_Node(self.short(name), attributes))
        if self.xml_attribs:
            for key, value in attributes.items():
                self.add(self.open[-1], self.attr_prefix + self.short(key), value, single=True)

    def text(self, data):
        self.open[-1].pieces.append(data)

    def comment(self, data):
        if self.open:
            self.add(self.open[-1], self.comment_key, data.strip() if self.strip_whitespace else data)

    def end(self, _name):
        node = self.open[-1]
        text = self.cdata_separator.join(node.pieces)
        if self.strip_whitespace:
            text = text.strip()
        value = node.entries
        if value is None and text and self.wanted(self.force_cdata, node.name, text):
            value = node.entries = self.dict_constructor()
        if value is None:
            value = text or None
        elif text:
            self.add(node, self.cdata_key, text, single=True)
        if self.item_depth:
            path = self.path()
            self.open.pop()
            if len(path) == self.item_depth:
                if not self.item_callback(path, value):
                    raise ParsingInterrupted()
            elif self.open and len(path) > self.item_depth:
                self.open.append(node)
                self.add(self.open[-2], node.name, value)
                self.open.pop()
            return
        if len(self.open) == 1:
            holder = _Node("", None)
            self.add(holder, node.name, value)
            self.root = holder.entries
        else:
            self.add(self.open[-2], node.name, value)
        self.open.pop()

    def wanted(self, rule, name, value):
        if not rule or rule is True:
            return bool(rule)
        if callable(rule):
            return rule(self.path(-1), name, value)
        return name in rule

    def add(self, node, key, value, single=False):
        if self.postprocessor is not None:
            answer = self.postprocessor(self.path(), key, value)
            if answer is None:
                return
            key, value = answer
        if node.entries is None:
            node.entries = self.dict_constructor()
        if key not in node.entries:
            forced = not single and key != self.comment_key and self.wanted(self.force_list, key, value)
            node.entries[key] = [value] if forced else value
        elif isinstance(node.entries[key], list):
            node.entries[key].append(value)
        else:
            node.entries[key] = [node.entries[key], value]


def parse(xml_input, encoding=None, expat=_expat, process_namespaces=False, namespace_separator=":",
          disable_entities=True, process_comments=False, **options):
    """Turn a document into a dictionary."""
    reader = _Reader(namespace_separator, **options)
    if isinstance(xml_input, str):
        encoding = encoding or "utf-8"
        xml_input = xml_input.encode(encoding)
    parser = expat.ParserCreate(encoding, namespace_separator if process_namespaces else None)
    parser.ordered_attributes = True
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartNamespaceDeclHandler = reader.declare
    if process_comments:
        parser.CommentHandler = reader.comment
    if disable_entities:
        parser.EntityDeclHandler = _refuse
    if inspect.isgenerator(xml_input):
        for piece in xml_input:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    elif hasattr(xml_input, "read"):
        parser.ParseFile(xml_input)
    else:
        parser.Parse(xml_input, True)
    return reader.root


def _refuse(*_declaration):
    raise ValueError("entity declarations are not allowed")


class _Writer:
    """Collects the pieces of a document."""

    def __init__(self, *, encoding="utf-8", short_empty_elements=False, comment_key="#comment", attr_prefix="@",
                 cdata_key="#text", preprocessor=None, pretty=False, newl="\n", indent="\t", namespace_separator=":",
                 namespaces=None, expand_iter=None, bytes_errors="replace"):
        try:
            codecs.lookup_error(bytes_errors)
        except LookupError:
            raise ValueError(f"unknown error handler {bytes_errors!r}") from None
        self.encoding = encoding
        self.short = short_empty_elements
        self.comment_key = comment_key
        self.attr_prefix = attr_prefix
        self.cdata_key = cdata_key
        self.preprocessor = preprocessor
        self.newl = newl if pretty else ""
        self.indent = (" " * indent if isinstance(indent, int) else indent) if pretty else ""
        self.separator = namespace_separator
        self.namespaces = namespaces or {}
        self.expand_iter = expand_iter
        self.bytes_errors = bytes_errors
        self.pieces = []

    def string(self, value):
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, _BYTES):
            return bytes(value).decode(self.encoding, self.bytes_errors)
        return str(value)

    def prefixed(self, name):
        if isinstance(name, str) and self.separator in name:
            uri, local = name.rsplit(self.separator, 1)
            prefix = self.namespaces.get(uri)
            if prefix:
                return f"{prefix}{self.separator}{local}"
        return name

    def comments(self, value, depth):
        for text in value if isinstance(value, list) else [value]:
            text = self.string(text)
            if not text:
                continue
            if "--" in text or text.endswith("-"):
                raise ValueError("a comment may not contain '--' or end with '-'")
            self.pieces.append(f"{self.indent * depth}<!--{_escape(text)}-->{self.newl}")

    def entry(self, key, value, depth, single_root=False):
        if key == self.comment_key:
            self.comments(value, depth)
            return
        key = self.prefixed(key)
        if self.preprocessor is not None:
            answer = self.preprocessor(key, value)
            if answer is None:
                return
            key, value = answer
        _check_name(key)
        if isinstance(value, (str, dict, *_BYTES)) or not hasattr(value, "__iter__"):
            value = [value]
        for position, item in enumerate(value):
            if single_root and position:
                raise ValueError("a document has exactly one root")
            self.element(key, item, depth)

    def element(self, name, value, depth):
        if hasattr(value, "__iter__") and not isinstance(value, (str, dict, *_BYTES)) and self.expand_iter:
            value = {self.expand_iter: value}
        if not isinstance(value, dict):
            value = {self.cdata_key: value}
        attributes, children, text = [], [], ""
        for key, item in value.items():
            if key == self.cdata_key:
                text = self.string(item)
            elif isinstance(key, str) and key.startswith(self.attr_prefix):
                self.attribute(key[len(self.attr_prefix):], item, attributes)
            elif not (isinstance(item, list) and not item):
                children.append((key, item))
        self.pieces.append(f"{self.indent * depth}<{name}{''.join(attributes)}")
        if not children and not text and self.short:
            self.pieces.append("/>")
        else:
            self.pieces.append(">")
            if children:
                self.pieces.append(self.newl)
                for key, item in children:
                    self.entry(key, item, depth + 1)
            self.pieces.append(_escape(text))
            if children:
                self.pieces.append(self.indent * depth)
            self.pieces.append(f"</{name}>")
        if depth:
            self.pieces.append(self.newl)

    def attribute(self, name, value, attributes):
        if name == "xmlns" and isinstance(value, dict):
            for prefix, uri in value.items():
                self.attribute(f"xmlns:{prefix}" if prefix else "xmlns", uri, attributes)
            return
        name = self.prefixed(name)
        _check_name(name)
        text = _escape(self.string(value))
        attributes.append(f' {name}="{text.replace(chr(34), "&quot;")}"')


def _escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _check_name(name):
    if not isinstance(name, str):
        raise ValueError("a name must be text")
    if name[:1] in ("?", "!") or any(char in _BAD_IN_NAMES or char.isspace() for char in name):
        raise ValueError(f"{name!r} cannot be the name of an element or attribute")


def unparse(input_dict, output=None, encoding="utf-8", full_document=True, short_empty_elements=False,
            comment_key="#comment", **options):
    """Turn a dictionary into a document."""
    writer = _Writer(encoding=encoding, short_empty_elements=short_empty_elements, comment_key=comment_key, **options)
    if full_document:
        roots = [key for key in input_dict if key != comment_key]
        if len(roots) != 1:
            raise ValueError("a document has exactly one root")
        writer.pieces.append(f'<?xml version="1.0" encoding="{encoding}"?>\n')
    for key, value in input_dict.items():
        writer.entry(key, value, 0, single_root=full_document)
    text = "".join(writer.pieces)
    if output is None:
        return text
    output.write(text)
    return None


def _main():
    depth = int(sys.argv[1])

    def write(path, item):
        marshal.dump((path, item), sys.stdout.buffer)
        return True

    document = parse(sys.stdin.buffer, item_depth=depth, item_callback=write)
    if not depth:
        write([], document)


if __name__ == "__main__":
    _main()
