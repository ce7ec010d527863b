"""XML documents as plain dictionaries, and back."""

import codecs
import re
import xml.parsers.expat
from collections.abc import Iterable, Mapping

__all__ = ["parse", "unparse", "ParsingInterrupted"]

# between URI and local name inside the parser; cannot occur in a document
_NS_MARK = "\x01"


class ParsingInterrupted(Exception):
    """Raised when the callback of a streaming parse returns something false."""


# -- parse: input


def _read_pieces(stream):
    while True:
        piece = stream.read(65536)
        if not piece:
            return
        yield piece


def _pieces(xml_input):
    if isinstance(xml_input, (str, bytes, bytearray)):
        return iter([xml_input])
    if hasattr(xml_input, "read"):
        return _read_pieces(xml_input)
    return iter(xml_input)


def _says_encoding(head):
    """Whether the document names its encoding, by mark or declaration."""
    if isinstance(head, str):
        return True
    if head.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    return re.match(rb"<\?xml[^>]*\sencoding\s*=", head) is not None


# -- parse: values


def _asked(option, path, key, value):
    """The answer of force_list or force_cdata."""
    if not option:
        return False
    if option is True:
        return True
    if callable(option):
        return bool(option(path, key, value))
    return key in option


def _push(groups, key, value):
    groups.setdefault(key, []).append(value)


def _collapse(groups, forced):
    return [
        (key, values if len(values) > 1 or key in forced else values[0])
        for key, values in groups.items()
    ]


def _text_of(frame, options):
    pieces = frame["pieces"]
    text = options["cdata_separator"].join(pieces)
    if options["strip_whitespace"]:
        if not "".join(pieces).strip():
            return None
        text = text.strip()
    return text or None


def _processed(options, path, key, value):
    """The pair to store, or None."""
    if options["postprocessor"] is None:
        return (key, value)
    return options["postprocessor"](list(path), key, value)


def _value_of(frame, path, options):
    """The value of an element that has ended."""
    groups = {}
    for name, value in (frame["attrs"] or {}).items():
        pair = _processed(options, path, options["attr_prefix"] + name, value)
        if pair is not None:
            _push(groups, *pair)
    for key, values in frame["children"].items():
        for value in values:
            _push(groups, key, value)

    text = _text_of(frame, options)
    if text is not None:
        forced = _asked(options["force_cdata"], path[:-1], frame["name"], text)
        if not groups and not forced:
            return text
        pair = _processed(options, path, options["cdata_key"], text)
        if pair is not None:
            _push(groups, *pair)
    if not groups:
        return None
    return options["dict_constructor"](_collapse(groups, frame["forced"]))


def _new_frame(name, attrs):
    return {
        "name": name,
        "attrs": attrs,
        "children": {},
        "forced": set(),
        "pieces": [],
        "open": False,
    }


def _short_name(name, separator, namespaces):
    if _NS_MARK not in name:
        return name
    uri, local = name.rsplit(_NS_MARK, 1)
    if namespaces and uri in namespaces:
        uri = namespaces[uri]
    return uri + separator + local if uri else local


def _install_handlers(parser, options, top):
    """Let the parser collect what it finds in the frame `top`."""
    path = []
    frames = [top]
    declared = {}
    depth_wanted = options["item_depth"]

    def rename(name):
        return _short_name(name, options["namespace_separator"], options["namespaces"])

    def attributes(found):
        attrs = {}
        if options["xml_attribs"]:
            if declared:
                attrs["xmlns"] = options["dict_constructor"](list(declared.items()))
            attrs.update((rename(name), value) for name, value in found.items())
        declared.clear()
        return attrs or None

    def on_namespace(prefix, uri):
        declared[prefix or ""] = uri or ""

    def on_start(name, found):
        frames[-1]["open"] = False
        attrs = attributes(found)
        name = rename(name)
        path.append((name, attrs))
        frames.append(_new_frame(name, attrs))

    def on_text(data):
        frame = frames[-1]
        if len(path) < depth_wanted:
            return
        if frame["open"]:
            frame["pieces"][-1] += data
        else:
            frame["pieces"].append(data)
            frame["open"] = True

    def on_comment(data):
        if not path or len(path) < depth_wanted:
            return
        if options["strip_whitespace"]:
            data = data.strip()
        if data:
            _push(frames[-1]["children"], options["comment_key"], data)

    def on_end(name):
        frame = frames.pop()
        depth = len(path)
        if depth >= depth_wanted:
            value = _value_of(frame, path, options)
            if depth == depth_wanted:
                if not options["item_callback"](list(path), value):
                    raise ParsingInterrupted()
            else:
                store(frame["name"], value)
        path.pop()

    def store(name, value):
        parent = frames[-1]
        pair = _processed(options, path, name, value)
        if pair is None:
            return
        key, value = pair
        if _asked(options["force_list"], path[:-1], key, value):
            parent["forced"].add(key)
        _push(parent["children"], key, value)

    def on_entity(*args):
        raise ValueError("entities are disabled")

    parser.buffer_text = True
    parser.StartElementHandler = on_start
    parser.EndElementHandler = on_end
    parser.CharacterDataHandler = on_text
    if options["process_namespaces"]:
        parser.StartNamespaceDeclHandler = on_namespace
    if options["process_comments"]:
        parser.CommentHandler = on_comment
    if options["disable_entities"]:
        parser.EntityDeclHandler = on_entity


def parse(
    xml_input,
    encoding=None,
    expat=xml.parsers.expat,
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
    options = {
        "process_namespaces": process_namespaces,
        "namespace_separator": namespace_separator,
        "disable_entities": disable_entities,
        "process_comments": process_comments,
        "item_depth": item_depth,
        "item_callback": item_callback,
        "xml_attribs": xml_attribs,
        "attr_prefix": attr_prefix,
        "cdata_key": cdata_key,
        "force_cdata": force_cdata,
        "cdata_separator": cdata_separator,
        "postprocessor": postprocessor,
        "dict_constructor": dict_constructor,
        "strip_whitespace": strip_whitespace,
        "namespaces": namespaces,
        "force_list": force_list,
        "comment_key": comment_key,
    }
    pieces = _pieces(xml_input)
    head = next(pieces, b"")
    if encoding is not None and _says_encoding(head):
        encoding = None
    if process_namespaces:
        parser = expat.ParserCreate(encoding, _NS_MARK)
    else:
        parser = expat.ParserCreate(encoding)

    top = _new_frame(None, None)
    _install_handlers(parser, options, top)
    parser.Parse(head, False)
    for piece in pieces:
        parser.Parse(piece, False)
    parser.Parse(b"", True)

    if item_depth:
        return None
    return dict_constructor(_collapse(top["children"], top["forced"]))


# -- unparse


def _escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quote(text):
    text = _escape(text)
    for char in "\n\r\t":
        text = text.replace(char, "&#%d;" % ord(char))
    if '"' not in text:
        return '"%s"' % text
    if "'" not in text:
        return "'%s'" % text
    return '"%s"' % text.replace('"', "&quot;")


def _is_series(value):
    """Whether the value stands for several elements."""
    return isinstance(value, Iterable) and not isinstance(
        value, (str, bytes, bytearray, Mapping)
    )


def _scalar(value, options):
    if value is None:
        return ""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, (bytes, bytearray)):
        return value.decode(options["encoding"], options["bytes_errors"])
    return str(value)


def _checked_name(name):
    if not isinstance(name, str):
        raise ValueError("name is not text: %r" % (name,))
    if not name or name[0] in "?!":
        raise ValueError("invalid name: %r" % name)
    if any(char.isspace() or char in "<>/='\"" for char in name):
        raise ValueError("invalid name: %r" % name)
    return name


def _xml_name(name, options):
    """The name as it is written, with a prefix in place of a URI."""
    separator = options["namespace_separator"]
    namespaces = options["namespaces"]
    if namespaces and isinstance(name, str) and separator in name:
        uri, local = name.rsplit(separator, 1)
        if uri in namespaces:
            prefix = namespaces[uri]
            name = prefix + ":" + local if prefix else local
    return _checked_name(name)


def _render_attribute(name, value, options):
    if name == "xmlns" and isinstance(value, Mapping):
        return "".join(
            " %s=%s"
            % (
                _checked_name("xmlns:" + prefix if prefix else "xmlns"),
                _quote(_scalar(uri, options)),
            )
            for prefix, uri in value.items()
        )
    return " %s=%s" % (_xml_name(name, options), _quote(_scalar(value, options)))


def _line(text, depth, options):
    return options["indent"] * depth + text if options["pretty"] else text


def _newl(options):
    return options["newl"] if options["pretty"] else ""


def _render_comments(value, depth, options):
    """The comments under one comment key, as a list of texts."""
    if _is_series(value):
        return [text for member in value for text in _render_comments(member, depth, options)]
    text = _scalar(value, options)
    if not text:
        return []
    if "--" in text or text.endswith("-"):
        raise ValueError("a comment must not contain '--' or end with '-'")
    return [_line("<!--%s-->" % _escape(text), depth, options) + _newl(options)]


def _is_attribute(key, options):
    prefix = options["attr_prefix"]
    return bool(prefix) and isinstance(key, str) and key.startswith(prefix)


def _render_content(value, depth, options):
    """Attributes, children and text of an element."""
    if not isinstance(value, Mapping):
        return "", "", _escape(_scalar(value, options))
    attributes, children, text = [], [], ""
    for key, member in value.items():
        if key == options["cdata_key"]:
            text = _escape(_scalar(member, options))
        elif key == options["comment_key"]:
            children += _render_comments(member, depth + 1, options)
        elif _is_attribute(key, options):
            name = key[len(options["attr_prefix"]):]
            attributes.append(_render_attribute(name, member, options))
        else:
            children += _render_elements(key, member, depth + 1, options)
    return "".join(attributes), "".join(children), text


def _render_element(key, value, depth, options):
    name = _xml_name(key, options)
    if _is_series(value):
        value = {options["expand_iter"]: value} if options["expand_iter"] else str(value)
    attributes, children, text = _render_content(value, depth, options)
    newl = _newl(options)
    if not children and not text and options["short_empty_elements"]:
        body = "<%s%s/>" % (name, attributes)
    elif not children:
        body = "<%s%s>%s</%s>" % (name, attributes, text, name)
    else:
        if text:
            text = _line(text, depth + 1, options) + newl
        close = _line("</%s>" % name, depth, options)
        body = "<%s%s>%s%s%s%s" % (name, attributes, newl, children, text, close)
    return _line(body, depth, options) + (newl if depth else "")


def _render_elements(key, value, depth, options):
    """The elements of one name, as a list of texts."""
    if options["preprocessor"] is not None:
        pair = options["preprocessor"](key, value)
        if pair is None:
            return []
        key, value = pair
    members = list(value) if _is_series(value) else [value]
    return [_render_element(key, member, depth, options) for member in members]


def _join_top(parts, newl):
    """The parts of the document, each on a line of its own if pretty."""
    text = ""
    for part in parts:
        if text and not text.endswith(newl):
            text += newl
        text += part
    return text


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
        raise ValueError("unknown error handler: %r" % bytes_errors) from None
    options = {
        "encoding": encoding,
        "short_empty_elements": short_empty_elements,
        "comment_key": comment_key,
        "attr_prefix": attr_prefix,
        "cdata_key": cdata_key,
        "preprocessor": preprocessor,
        "pretty": pretty,
        "newl": newl,
        "indent": " " * indent if isinstance(indent, int) else indent,
        "namespace_separator": namespace_separator,
        "namespaces": namespaces,
        "expand_iter": expand_iter,
        "bytes_errors": bytes_errors,
    }
    parts = []
    roots = 0
    for key, value in input_dict.items():
        if key == comment_key:
            parts += _render_comments(value, 0, options)
        else:
            elements = _render_elements(key, value, 0, options)
            roots += len(elements)
            parts += elements
    if full_document and roots != 1:
        raise ValueError("a document must have exactly one root")

    document = _join_top(parts, _newl(options))
    if full_document:
        document = '<?xml version="1.0" encoding="%s"?>\n%s' % (encoding, document)
    if output is None:
        return document
    output.write(document)
    return None


# -- command


def _main(argv):
    import marshal
    import sys

    depth = int(argv[0])
    target = sys.stdout.buffer

    def write(path, item):
        marshal.dump((path, item), target)
        return True

    document = parse(
        sys.stdin.buffer,
        item_depth=depth,
        item_callback=write,
    )
    if depth == 0:
        write([], document)
    target.flush()


if __name__ == "__main__":
    import sys

    _main(sys.argv[1:])
