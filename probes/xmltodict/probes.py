"""Properties of the xmltodict task: each docstring states the documented claim."""

import copy
import io
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError

import xmltodict
from hypothesis import given
from hypothesis import strategies as st

NAME = st.sampled_from(["a", "b", "c", "long-name", "x.y", "_z", "été"])
CHARACTERS = st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_characters="\x7f\x85")
TEXT = st.text(CHARACTERS.filter(lambda char: not 0x7F <= ord(char) <= 0x9F), max_size=12).map(str.strip)
SOLID = TEXT.filter(bool)
VALUE = st.deferred(lambda: st.none() | SOLID | ELEMENT)
ELEMENT = st.builds(
    lambda attributes, children, text: {
        **{f"@{key}": value for key, value in attributes.items()},
        **children,
        **({"#text": text} if text and (attributes or children) else {}),
    },
    st.dictionaries(NAME, TEXT, max_size=2),
    st.dictionaries(NAME, VALUE | st.lists(VALUE, min_size=2, max_size=3), max_size=3),
    TEXT,
).filter(bool)
DOCUMENT = st.builds(lambda name, value: {name: value}, NAME, VALUE)


@given(DOCUMENT)
def prop_a_document_survives_the_way_there_and_back(content):
    """parse(unparse(d)) is d for a dictionary in the form that parse gives."""
    assert xmltodict.parse(xmltodict.unparse(content)) == content
    assert xmltodict.parse(xmltodict.unparse(content, short_empty_elements=True)) == content


@given(DOCUMENT)
def prop_writing_changes_nothing(content):
    """unparse leaves its argument as it was and gives the same text again."""
    before = copy.deepcopy(content)
    assert xmltodict.unparse(content) == xmltodict.unparse(content)
    assert content == before


@given(DOCUMENT)
def prop_what_is_written_is_well_formed(content):
    """The standard library's parser accepts the text and finds the same root, attributes and number of elements."""

    def count(value):
        if isinstance(value, list):
            return sum(count(item) for item in value)
        if isinstance(value, dict):
            return 1 + sum(count(item) for key, item in value.items() if key[0] not in "@#")
        return 1

    ((name, value),) = content.items()
    root = ElementTree.fromstring(xmltodict.unparse(content).encode())
    assert root.tag == name
    assert len(list(root.iter())) == count(value)
    if isinstance(value, dict):
        assert root.attrib == {key[1:]: item for key, item in value.items() if key.startswith("@")}


@given(DOCUMENT)
def prop_every_kind_of_input_gives_the_same(content):
    """Text, UTF-8 bytes, a binary file and a generator of pieces give the same result."""
    text = xmltodict.unparse(content)
    data = text.encode()
    expected = xmltodict.parse(text)
    assert xmltodict.parse(data) == expected
    assert xmltodict.parse(io.BytesIO(data)) == expected
    assert xmltodict.parse(data[start : start + 5] for start in range(0, len(data), 5)) == expected


@given(st.dictionaries(NAME, st.lists(SOLID, min_size=1, max_size=3), min_size=1, max_size=4))
def prop_pretty_printing_only_adds_white_space(children):
    """A pretty document parses to the same as a plain one, and has one line per element and closing tag."""
    content = {"root": children}
    plain, pretty = xmltodict.unparse(content), xmltodict.unparse(content, pretty=True)
    assert xmltodict.parse(pretty) == xmltodict.parse(plain)
    leaves = sum(len(values) for values in children.values())
    assert pretty.count("\n") == leaves + 2
    assert pretty.count("\n\t<") == leaves


@given(st.lists(st.tuples(NAME, SOLID), min_size=1, max_size=12))
def prop_streaming_gives_the_items_of_the_tree_in_order(items):
    """With item_depth 2 the callback gets every child of the root in document order, and parse returns None."""
    text = xmltodict.unparse({"root": {"row": [{"@k": name, "v": value} for name, value in items]}})
    seen = []

    def collect(path, item):
        seen.append((path[0][0], path[-1], item))
        return True

    assert xmltodict.parse(text, item_depth=2, item_callback=collect) is None
    assert seen == [("root", ("row", {"k": name}), {"@k": name, "v": value}) for name, value in items]


@given(st.lists(SOLID, min_size=1, max_size=8), st.integers(0, 9))
def prop_streaming_stops_where_the_callback_says(values, stop):
    """ParsingInterrupted is raised when the callback returns something false, and no later item is seen."""
    seen = []

    def collect(path, item):
        seen.append(item["v"])
        return len(seen) <= stop

    text = xmltodict.unparse({"root": {"row": [{"v": value} for value in values]}})
    try:
        xmltodict.parse(text, item_depth=2, item_callback=collect)
    except xmltodict.ParsingInterrupted:
        assert seen == values[: stop + 1]
    else:
        assert seen == values
        assert len(values) <= stop


@given(st.dictionaries(NAME, st.lists(SOLID, min_size=1, max_size=3), min_size=1, max_size=4))
def prop_forced_lists_make_every_child_a_list(children):
    """With force_list naming the elements every child is in a list, however often it occurs."""
    text = xmltodict.unparse({"root": children})
    assert xmltodict.parse(text, force_list=tuple(children)) == {"root": children}
    assert xmltodict.parse(text, force_list=lambda path, key, value: len(path) == 1) == {"root": children}
    single = {key: values if len(values) > 1 else values[0] for key, values in children.items()}
    assert xmltodict.parse(text) == {"root": single}


@given(DOCUMENT)
def prop_a_postprocessor_that_returns_its_arguments_changes_nothing(content):
    """A postprocessor that returns the key and value it is given leaves the result as it is."""
    text = xmltodict.unparse(content)
    assert xmltodict.parse(text, postprocessor=lambda path, key, value: (key, value)) == xmltodict.parse(text)


@given(st.text("<>/ab='\" &;!?-[]", max_size=25))
def prop_documents_are_parsed_or_refused(text):
    """A document is either well formed for the standard parser and parsed, or raises ExpatError."""
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError:
        refused = True
    else:
        refused = False
    try:
        xmltodict.parse(text)
    except ExpatError:
        assert refused
    else:
        assert not refused


@given(st.text(max_size=8))
def prop_names_never_break_out_of_their_tag(name):
    """A name is refused with ValueError, or is written exactly as it is inside its tags."""
    try:
        text = xmltodict.unparse({"r": {name: "v"}}, full_document=False)
    except ValueError:
        assert not name.isidentifier()
    else:
        if name != "#comment" and name != "#text" and not name.startswith("@"):
            assert text == f"<r><{name}>v</{name}></r>"
            assert not set(name) & set("<>/='\" \t\n")
