"""The options of `unparse`."""

import io

import xmltodict

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def test_pretty_documents():
    text = xmltodict.unparse({"a": {"@k": "v", "b": "1", "c": {"d": [None, "2"]}}}, pretty=True)
    assert text == HEAD + '<a k="v">\n\t<b>1</b>\n\t<c>\n\t\t<d></d>\n\t\t<d>2</d>\n\t</c>\n</a>'


def test_pretty_documents_with_other_indents_and_line_breaks():
    content = {"a": {"b": {"c": "deep"}}}
    assert xmltodict.unparse(content, pretty=True, indent="..", newl="\r\n", full_document=False) == (
        "<a>\r\n..<b>\r\n....<c>deep</c>\r\n..</b>\r\n</a>"
    )
    assert xmltodict.unparse(content, pretty=True, indent=3, full_document=False) == (
        "<a>\n   <b>\n      <c>deep</c>\n   </b>\n</a>"
    )


def test_the_first_line_names_the_encoding_or_is_left_out():
    assert xmltodict.unparse({"a": "ü"}, encoding="iso-8859-1") == '<?xml version="1.0" encoding="iso-8859-1"?>\n<a>ü</a>'
    assert xmltodict.unparse({"a": "1", "b": ["2", "3"]}, full_document=False) == "<a>1</a><b>2</b><b>3</b>"


def test_empty_elements_can_be_short():
    content = {"a": {"b": None, "c": {"@k": "v"}, "d": "", "e": "x"}}
    assert xmltodict.unparse(content, short_empty_elements=True, full_document=False) == (
        '<a><b/><c k="v"/><d/><e>x</e></a>'
    )
    assert xmltodict.unparse(content, full_document=False) == '<a><b></b><c k="v"></c><d></d><e>x</e></a>'


def test_documents_can_be_written_to_a_file():
    output = io.StringIO()
    result = xmltodict.unparse({"a": {"b": "written"}}, output=output)
    assert [result, output.getvalue()] == [None, HEAD + "<a><b>written</b></a>"]


def test_prefix_and_keys_can_be_chosen():
    content = {"a": {"!x": "1", "value": "text", "b": {"value": "inner"}}}
    text = xmltodict.unparse(content, attr_prefix="!", cdata_key="value", full_document=False)
    assert text == '<a x="1"><b>inner</b>text</a>'


def test_lists_in_lists():
    content = {"line": {"points": [[1, 5], [2, 6]]}}
    assert xmltodict.unparse(content, full_document=False) == "<line><points>[1, 5]</points><points>[2, 6]</points></line>"
    assert xmltodict.unparse(content, expand_iter="c", full_document=False) == (
        "<line><points><c>1</c><c>5</c></points><points><c>2</c><c>6</c></points></line>"
    )


def test_iterables_are_like_lists_and_empty_lists_are_left_out():
    content = {"r": {"t": ("x", "y"), "g": (number * 11 for number in range(3)), "e": [], "n": {"e": []}}}
    assert xmltodict.unparse(content, full_document=False) == "<r><t>x</t><t>y</t><g>0</g><g>11</g><g>22</g><n></n></r>"


def test_a_preprocessor_changes_and_drops_elements():
    def shout(key, value):
        if key == "private":
            return None
        return key.upper(), value + "!" if isinstance(value, str) else value

    text = xmltodict.unparse({"a": {"b": "hey", "private": "p", "c": {"d": "ho"}}}, preprocessor=shout, full_document=False)
    assert text == "<A><B>hey!</B><C><D>ho!</D></C></A>"


def test_comments_are_written():
    text = xmltodict.unparse({"a": {"#comment": ["one", None, "", "two & <3>"], "b": "1"}}, full_document=False)
    assert text == "<a><!--one--><!--two &amp; &lt;3&gt;--><b>1</b></a>"
    pretty = xmltodict.unparse({"a": {"rem": "note", "b": "1"}}, comment_key="rem", pretty=True, full_document=False)
    assert pretty == "<a>\n\t<!--note-->\n\t<b>1</b>\n</a>"


def test_namespaces_become_prefixes_and_declarations():
    content = {
        "r": {
            "@xmlns": {"": "http://d/", "a": "http://a/"},
            "x": {"@http://a/:k": "1", "#text": "one"},
            "http://a/:y": "2",
        }
    }
    text = xmltodict.unparse(content, namespaces={"http://a/": "a"}, full_document=False)
    assert text == '<r xmlns="http://d/" xmlns:a="http://a/"><x a:k="1">one</x><a:y>2</a:y></r>'


def test_bytes_are_decoded_as_said():
    content = {"a": {"@k": b"caf\xc3\xa9", "b": bytearray(b"gr\xc3\xbcn"), "c": b"bad\xff!"}}
    assert xmltodict.unparse(content, full_document=False) == '<a k="café"><b>grün</b><c>bad\ufffd!</c></a>'
    assert xmltodict.unparse(content, bytes_errors="ignore", full_document=False) == '<a k="café"><b>grün</b><c>bad!</c></a>'
