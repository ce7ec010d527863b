"""What is refused."""

from xml.parsers.expat import ExpatError

import pytest
import xmltodict


def test_documents_that_are_not_well_formed_are_refused():
    bad = ["", "   ", "text", "<a>", "<a></b>", "<a/><b/>", "<a b=1/>", "<a b='1' b='2'/>", "<a>&nope;</a>", "<1a/>", "<a>\x01</a>"]
    refused = []
    for position, document in enumerate(bad):
        try:
            xmltodict.parse(document)
        except ExpatError:
            refused.append(position)
    assert refused == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert xmltodict.parse("<a><b>fine</b></a>") == {"a": {"b": "fine"}}


def test_declared_entities_are_refused_at_once():
    bomb = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]><r>&c;</r>'
    with pytest.raises(ValueError):
        xmltodict.parse(bomb)
    with pytest.raises(ValueError):
        xmltodict.parse('<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/hostname">]><r>plain</r>')
    assert xmltodict.parse(bomb, disable_entities=False) == {"r": "hahahahahahahahaha"}


def test_a_document_has_exactly_one_root():
    refused = []
    for content in ({}, {"a": "1", "b": "2"}, {"a": ["1", "2"]}, {"#comment": "only"}):
        try:
            xmltodict.unparse(content)
        except ValueError:
            refused.append(len(content))
    assert refused == [0, 2, 1, 1]
    assert xmltodict.unparse({"a": "1", "b": ["2"]}, full_document=False) == "<a>1</a><b>2</b>"


def test_names_that_would_break_out_of_a_tag_are_refused():
    bad = ["a b", "a>", "<a", "a/b", 'a"', "a'", "a=b", "?a", "!a", "a\n"]
    refused = []
    for name in bad:
        try:
            xmltodict.unparse({"root": {name: "x"}}, full_document=False)
        except ValueError:
            refused.append(name)
    assert refused == ["a b", "a>", "<a", "a/b", 'a"', "a'", "a=b", "?a", "!a", "a\n"]
    assert xmltodict.unparse({"a-b.c_d": "x"}, full_document=False) == "<a-b.c_d>x</a-b.c_d>"


def test_attribute_names_are_checked_too():
    with pytest.raises(ValueError):
        xmltodict.unparse({"a": {"@x y": "1"}})
    with pytest.raises(ValueError):
        xmltodict.unparse({"a": {'@x="1" onload': "2"}})
    with pytest.raises(ValueError):
        xmltodict.unparse({"a": {"@xmlns": {"p q": "urn:x"}}})
    assert xmltodict.unparse({"a": {"@x.y-z": "1"}}, full_document=False) == '<a x.y-z="1"></a>'


def test_names_must_be_text():
    with pytest.raises(ValueError):
        xmltodict.unparse({"a": {1: "x"}})
    with pytest.raises(ValueError):
        xmltodict.unparse({None: "x"})
    assert xmltodict.unparse({"a": {"b1": 7}}, full_document=False) == "<a><b1>7</b1></a>"


def test_comments_that_would_end_early_are_refused():
    refused = []
    for comment in ("a--b", "ends-", "--", "x -->"):
        try:
            xmltodict.unparse({"a": {"#comment": comment}})
        except ValueError:
            refused.append(comment)
    assert refused == ["a--b", "ends-", "--", "x -->"]
    assert xmltodict.unparse({"a": {"#comment": "a-b"}}, full_document=False) == "<a><!--a-b--></a>"


def test_unknown_ways_of_decoding_are_refused():
    with pytest.raises(ValueError):
        xmltodict.unparse({"a": b"x"}, bytes_errors="perhaps")
    with pytest.raises(UnicodeDecodeError):
        xmltodict.unparse({"a": b"\xff"}, bytes_errors="strict")
    assert xmltodict.unparse({"a": b"ok \xe2\x82\xac"}, bytes_errors="strict", full_document=False) == "<a>ok €</a>"


def test_errors_of_callbacks_reach_the_caller():
    def picky(path, key, value):
        if value == "bad":
            raise LookupError("bad value")
        return key, value

    with pytest.raises(LookupError):
        xmltodict.parse("<a><b>good</b><c>bad</c></a>", postprocessor=picky)
    assert xmltodict.parse("<a><b>good</b><c>better</c></a>", postprocessor=picky) == {"a": {"b": "good", "c": "better"}}
