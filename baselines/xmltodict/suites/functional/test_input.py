"""Kinds of input, streaming, and namespaces."""

import io

import pytest
import xmltodict


def test_bytes_follow_their_declaration():
    document = '<?xml version="1.0" encoding="iso-8859-1"?><caf\u00e9 prix="3\u00a3">cr\u00e8me</caf\u00e9>'
    assert xmltodict.parse(document.encode("iso-8859-1")) == {"café": {"@prix": "3£", "#text": "crème"}}
    assert xmltodict.parse("<t>žluťoučký</t>".encode()) == {"t": "žluťoučký"}


def test_the_encoding_can_be_given():
    assert xmltodict.parse("<t>żółw</t>".encode("iso-8859-2"), encoding="iso-8859-2") == {"t": "żółw"}
    assert xmltodict.parse("<t>größer</t>".encode("utf-16")) == {"t": "größer"}


def test_files_and_generators_are_read():
    pieces = (piece for piece in ["<r><x>1", "2</x><", "y z='3'/>", "</r>"])
    assert xmltodict.parse(pieces) == {"r": {"x": "12", "y": {"@z": "3"}}}
    assert xmltodict.parse(io.BytesIO(b"<r><x>34</x><x>56</x></r>")) == {"r": {"x": ["34", "56"]}}


def test_a_declaration_and_a_doctype_are_no_content():
    document = '<?xml version="1.0"?><!DOCTYPE r><?style sheet?><!-- c --><r><?do it?><x>5</x></r><!-- d -->'
    assert xmltodict.parse(document) == {"r": {"x": "5"}}


def test_streaming_calls_back_for_every_item():
    seen = []

    def collect(path, item):
        seen.append((path[-1][0], path[-1][1], item))
        return True

    document = "<log day='1'><e n='1'><m>up</m></e><e n='2'><m>down</m><m>up</m></e><f><m>x</m></f></log>"
    result = xmltodict.parse(document, item_depth=2, item_callback=collect)
    assert seen == [
        ("e", {"n": "1"}, {"@n": "1", "m": "up"}),
        ("e", {"n": "2"}, {"@n": "2", "m": ["down", "up"]}),
        ("f", None, {"m": "x"}),
    ]
    assert [result, len(seen)] == [None, 3]


def test_streaming_tells_the_whole_path():
    seen = []

    def collect(path, item):
        seen.append((list(path), item))
        return True

    xmltodict.parse("<a x='1'><b y='2'><c>3</c></b><b><c>4</c></b></a>", item_depth=3, item_callback=collect)
    assert seen == [
        ([("a", {"x": "1"}), ("b", {"y": "2"}), ("c", None)], "3"),
        ([("a", {"x": "1"}), ("b", None), ("c", None)], "4"),
    ]


def test_streaming_stops_when_the_callback_says_so():
    seen = []

    def until_three(path, item):
        seen.append(item)
        return item != "three"

    with pytest.raises(xmltodict.ParsingInterrupted):
        xmltodict.parse(
            "<r><n>one</n><n>two</n><n>three</n><n>four</n></r>", item_depth=2, item_callback=until_three
        )
    assert seen == ["one", "two", "three"]


def test_prefixes_are_part_of_names_by_default():
    document = '<a:r xmlns:a="urn:a" xmlns="urn:d"><a:x a:k="1">2</a:x><y/></a:r>'
    assert xmltodict.parse(document) == {
        "a:r": {"@xmlns:a": "urn:a", "@xmlns": "urn:d", "a:x": {"@a:k": "1", "#text": "2"}, "y": None}
    }


def test_namespaces_are_expanded_on_request():
    document = '<r xmlns="http://d/" xmlns:a="http://a/"><x>1</x><a:y a:k="2">3</a:y></r>'
    assert xmltodict.parse(document, process_namespaces=True) == {
        "http://d/:r": {
            "@xmlns": {"": "http://d/", "a": "http://a/"},
            "http://d/:x": "1",
            "http://a/:y": {"@http://a/:k": "2", "#text": "3"},
        }
    }


def test_namespaces_are_shortened_on_request():
    document = '<r xmlns="http://d/" xmlns:a="http://a/" xmlns:b="http://b/"><x>1</x><a:y>2</a:y><b:z>3</b:z></r>'
    short = xmltodict.parse(
        document, process_namespaces=True, namespaces={"http://d/": None, "http://a/": "A"}, namespace_separator="|"
    )
    assert sorted(short) == ["r"]
    assert [(key, value) for key, value in short["r"].items() if key != "@xmlns"] == [
        ("x", "1"),
        ("A|y", "2"),
        ("http://b/|z", "3"),
    ]
