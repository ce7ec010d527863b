"""The options of `parse`."""

import collections

import xmltodict


def test_attributes_can_be_left_out():
    document = '<a x="1"><b y="2">text</b><c z="3"/></a>'
    assert xmltodict.parse(document, xml_attribs=False) == {"a": {"b": "text", "c": None}}


def test_prefix_and_keys_can_be_chosen():
    document = '<a x="1">one<b y="2">two</b></a>'
    assert xmltodict.parse(document, attr_prefix="!", cdata_key="value") == {
        "a": {"!x": "1", "b": {"!y": "2", "value": "two"}, "value": "one"}
    }
    assert xmltodict.parse(document, attr_prefix="") == {"a": {"x": "1", "b": {"y": "2", "#text": "two"}, "#text": "one"}}


def test_text_can_be_forced_into_a_dictionary():
    document = "<a><b>one</b><c>two</c><d/></a>"
    assert xmltodict.parse(document, force_cdata=True) == {"a": {"b": {"#text": "one"}, "c": {"#text": "two"}, "d": None}}
    assert xmltodict.parse(document, force_cdata=("c", "d")) == {"a": {"b": "one", "c": {"#text": "two"}, "d": None}}
    chosen = xmltodict.parse(document, force_cdata=lambda path, key, value: (path[0][0], key, value) == ("a", "b", "one"))
    assert chosen == {"a": {"b": {"#text": "one"}, "c": "two", "d": None}}


def test_pieces_of_text_can_be_separated():
    document = "<p>red<br/>green<br/>blue</p>"
    assert xmltodict.parse(document, cdata_separator=" / ") == {"p": {"br": [None, None], "#text": "red / green / blue"}}
    assert xmltodict.parse(document)["p"]["#text"] == "redgreenblue"


def test_white_space_can_be_kept():
    document = "<a>\n <b> x </b>\n</a>"
    assert xmltodict.parse(document, strip_whitespace=False) == {"a": {"b": " x ", "#text": "\n \n"}}
    assert xmltodict.parse("<a>   </a>", strip_whitespace=False) == {"a": "   "}


def test_lists_can_be_forced_for_names():
    document = "<a><b>1</b><c><d>2</d></c><c/></a>"
    assert xmltodict.parse(document, force_list=("b", "d")) == {"a": {"b": ["1"], "c": [{"d": ["2"]}, None]}}
    assert xmltodict.parse(document, force_list={"a"}) == {"a": [{"b": "1", "c": [{"d": "2"}, None]}]}


def test_lists_can_be_forced_everywhere():
    assert xmltodict.parse('<a k="v"><b>1</b><c/></a>', force_list=True) == {"a": [{"@k": "v", "b": ["1"], "c": [None]}]}


def test_lists_can_be_forced_by_a_function():
    asked = []

    def decide(path, key, value):
        asked.append(([name for name, _ in path], key, value))
        return key == "port" and path[-1][0] == "server"

    document = "<net><server up='1'><port>80</port></server><host><port>22</port></host></net>"
    assert xmltodict.parse(document, force_list=decide) == {
        "net": {"server": {"@up": "1", "port": ["80"]}, "host": {"port": "22"}}
    }
    assert asked == [
        (["net", "server"], "port", "80"),
        (["net"], "server", {"@up": "1", "port": ["80"]}),
        (["net", "host"], "port", "22"),
        (["net"], "host", {"port": "22"}),
        ([], "net", {"server": {"@up": "1", "port": ["80"]}, "host": {"port": "22"}}),
    ]


def test_another_kind_of_dictionary_can_be_used():
    parsed = xmltodict.parse("<a x='9'><b>1</b></a>", dict_constructor=collections.OrderedDict)
    assert [type(parsed).__name__, type(parsed["a"]).__name__, list(parsed["a"].items())] == [
        "OrderedDict",
        "OrderedDict",
        [("@x", "9"), ("b", "1")],
    ]


def test_a_postprocessor_changes_keys_and_values():
    def numbers(path, key, value):
        try:
            return key + ":int", int(value)
        except (ValueError, TypeError):
            return key, value

    document = '<a n="5"><b>1</b><b>2</b><b>x</b><c>3<d/></c></a>'
    assert xmltodict.parse(document, postprocessor=numbers) == {
        "a": {"@n:int": 5, "b:int": [1, 2], "b": "x", "c": {"d": None, "#text:int": 3}}
    }


def test_a_postprocessor_leaves_entries_out():
    def public(path, key, value):
        return None if key in ("secret", "@key") else (key.upper(), value)

    document = '<a key="k" id="7"><secret>s</secret><b>open</b></a>'
    assert xmltodict.parse(document, postprocessor=public) == {"A": {"@ID": "7", "B": "open"}}


def test_a_postprocessor_is_told_where_it_is():
    seen = []

    def watch(path, key, value):
        seen.append(("/".join(name for name, _ in path), key))
        return key, value

    xmltodict.parse("<a><b x='1'><c>t</c>u</b></a>", postprocessor=watch)
    assert sorted(seen) == [("a", "a"), ("a/b", "#text"), ("a/b", "@x"), ("a/b", "b"), ("a/b/c", "c")]


def test_comments_are_kept_on_request():
    document = "<a><!-- first --><b><!--in b-->1</b><!--second--></a>"
    assert xmltodict.parse(document) == {"a": {"b": "1"}}
    assert xmltodict.parse(document, process_comments=True) == {
        "a": {"#comment": ["first", "second"], "b": {"#comment": "in b", "#text": "1"}}
    }
    assert xmltodict.parse("<a><!-- x --></a>", process_comments=True, comment_key="rem", strip_whitespace=False) == {
        "a": {"rem": " x "}
    }


def test_entities_are_expanded_only_on_request():
    document = '<!DOCTYPE a [<!ENTITY who "World">]><a>Hello &who;!</a>'
    refused = []
    try:
        xmltodict.parse(document)
    except ValueError:
        refused.append("refused")
    assert [refused, xmltodict.parse(document, disable_entities=False)] == [["refused"], {"a": "Hello World!"}]
