"""Documents become dictionaries, and dictionaries documents."""

import xmltodict

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def test_text_attributes_and_children():
    document = '<order id="17"><to>Ada</to><note lang="en">fragile</note><gift/></order>'
    assert xmltodict.parse(document) == {
        "order": {"@id": "17", "to": "Ada", "note": {"@lang": "en", "#text": "fragile"}, "gift": None}
    }


def test_repeated_elements_become_a_list():
    document = "<shop><item>tea</item><owner>Bo</owner><item>jam</item><item><kind>rye</kind></item></shop>"
    assert xmltodict.parse(document) == {"shop": {"item": ["tea", "jam", {"kind": "rye"}], "owner": "Bo"}}


def test_the_order_is_that_of_the_document():
    parsed = xmltodict.parse('<r b="2" a="1">tail<z/><y>7</y><z>8</z></r>')
    assert list(parsed["r"].items()) == [("@b", "2"), ("@a", "1"), ("z", [None, "8"]), ("y", "7"), ("#text", "tail")]


def test_text_between_children_is_joined_and_stripped():
    assert xmltodict.parse("<p>  one <b>two</b> three  </p>") == {"p": {"b": "two", "#text": "one  three"}}
    assert xmltodict.parse("<p>\n  <b> two\n words </b>\n</p>") == {"p": {"b": "two\n words"}}


def test_references_and_cdata_sections_are_text():
    document = "<m>&lt;b&gt; &amp; &#65;&#x42;<![CDATA[ <raw> & ]]>&quot;</m>"
    assert xmltodict.parse(document) == {"m": '<b> & AB <raw> & "'}
    assert xmltodict.parse('<m t="a&amp;b &#x3e;"/>') == {"m": {"@t": "a&b >"}}


def test_empty_elements_are_none():
    document = "<r><a/><b></b><c>  </c><d x=''/><e><f/></e></r>"
    assert xmltodict.parse(document) == {"r": {"a": None, "b": None, "c": None, "d": {"@x": ""}, "e": {"f": None}}}


def test_a_dictionary_becomes_a_document():
    text = xmltodict.unparse({"order": {"@id": "17", "to": "Ada", "note": {"@lang": "en", "#text": "fragile"}, "gift": None}})
    assert text == HEAD + '<order id="17"><to>Ada</to><note lang="en">fragile</note><gift></gift></order>'


def test_lists_become_repeated_elements():
    text = xmltodict.unparse({"shop": {"item": ["tea", {"kind": "rye"}, None], "owner": ["Bo"]}})
    assert text == HEAD + "<shop><item>tea</item><item><kind>rye</kind></item><item></item><owner>Bo</owner></shop>"


def test_values_of_other_types_are_written_out():
    text = xmltodict.unparse({"v": {"@n": 3, "@yes": True, "@none": None, "i": 42, "f": 2.5, "t": True, "b": [False, b"raw"]}})
    assert text == HEAD + '<v n="3" yes="true" none=""><i>42</i><f>2.5</f><t>true</t><b>false</b><b>raw</b></v>'


def test_special_characters_are_escaped():
    text = xmltodict.unparse({"m": {"@t": "a<b & c>d", "#text": "<x> && \"y\" 'z'"}})
    assert text == HEAD + "<m t=\"a&lt;b &amp; c&gt;d\">&lt;x&gt; &amp;&amp; \"y\" 'z'</m>"
