"""Back and forth, and the command."""

import io
import marshal
import os
import subprocess
import sys

import xmltodict


def run(depth, document):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
    done = subprocess.run(
        [sys.executable, "-m", xmltodict.__name__, depth],
        input=document.encode(),
        capture_output=True,
        env=environment,
        timeout=8,
        check=False,
    )
    stream, pairs = io.BytesIO(done.stdout), []
    while stream.tell() < len(done.stdout):
        pairs.append(marshal.load(stream))
    return done.returncode, pairs


def test_a_document_survives_the_way_there_and_back():
    content = {
        "library": {
            "@name": "north & south",
            "book": [
                {"@id": "1", "title": "Æsop <b>", "author": ["A", "B"]},
                {"@id": "2", "title": {"@lang": "de", "#text": "Für \"Elise\" & 'Ludwig'"}, "author": "C"},
            ],
            "closed": None,
        }
    }
    text = xmltodict.unparse(content, pretty=True)
    assert [text.count("<"), text.count("&amp;"), text.count("\n")] == [19, 2, 12]
    assert xmltodict.parse(text) == {
        "library": {
            "@name": "north & south",
            "book": [
                {"@id": "1", "title": "Æsop <b>", "author": ["A", "B"]},
                {"@id": "2", "title": {"@lang": "de", "#text": "Für \"Elise\" & 'Ludwig'"}, "author": "C"},
            ],
            "closed": None,
        }
    }


def test_quotes_and_line_breaks_in_attributes_survive():
    values = ["\"double\" only", "'single' only", "\"both\" 'kinds'", "a\nb\tc", "<&>"]
    texts = [xmltodict.unparse({"a": {"@v": value}}) for value in values]
    assert [xmltodict.parse(text)["a"]["@v"] for text in texts] == [
        '"double" only',
        "'single' only",
        "\"both\" 'kinds'",
        "a\nb\tc",
        "<&>",
    ]
    assert len(set(texts)) == 5


def test_a_document_can_be_edited():
    document = "<cfg><host>old</host><port>1</port><drop/></cfg>"
    content = xmltodict.parse(document)
    content["cfg"]["host"] = "new"
    content["cfg"]["port"] = int(content["cfg"]["port"]) + 8079
    del content["cfg"]["drop"]
    content["cfg"]["tags"] = {"tag": ["x", "y"]}
    assert xmltodict.unparse(content, full_document=False) == (
        "<cfg><host>new</host><port>8080</port><tags><tag>x</tag><tag>y</tag></tags></cfg>"
    )


def test_namespaces_survive_with_the_same_mapping():
    document = '<p:r xmlns:p="urn:p"><p:x p:k="1">2</p:x></p:r>'
    content = xmltodict.parse(document, process_namespaces=True)
    assert content == {"urn:p:r": {"@xmlns": {"p": "urn:p"}, "urn:p:x": {"@urn:p:k": "1", "#text": "2"}}}
    assert xmltodict.unparse(content, namespaces={"urn:p": "p"}, full_document=False) == (
        '<p:r xmlns:p="urn:p"><p:x p:k="1">2</p:x></p:r>'
    )


def test_comments_survive():
    document = "<a><!--top--><b><!--inner-->1</b></a>"
    content = xmltodict.parse(document, process_comments=True)
    assert xmltodict.unparse(content, full_document=False) == "<a><!--top--><b><!--inner-->1</b></a>"
    assert content["a"]["b"] == {"#comment": "inner", "#text": "1"}


def test_deep_documents():
    depth = 60
    document = "".join(f"<n{i}>" for i in range(depth)) + "core" + "".join(f"</n{i}>" for i in reversed(range(depth)))
    content = xmltodict.parse(document)
    levels, node = [], content
    while isinstance(node, dict):
        ((name, node),) = node.items()
        levels.append(name)
    assert [len(levels), levels[0], levels[59], node] == [60, "n0", "n59", "core"]
    assert xmltodict.unparse(content, full_document=False) == document


def test_calls_do_not_change_what_they_are_given():
    content = {"a": {"@k": 1, "b": [None, True], "c": {"#text": 2.5}, "e": []}}
    first = xmltodict.unparse(content, full_document=False)
    second = xmltodict.unparse(content, full_document=False)
    assert [first, second] == ['<a k="1"><b></b><b>true</b><c>2.5</c></a>'] * 2
    assert content == {"a": {"@k": 1, "b": [None, True], "c": {"#text": 2.5}, "e": []}}


def test_the_command_writes_one_pair_per_item():
    code, pairs = run("2", '<log day="1"><e n="1"><m>up</m></e><e n="2"><m>down</m></e></log>')
    assert [code, len(pairs)] == [0, 2]
    assert [(list(path), item) for path, item in pairs] == [
        ([("log", {"day": "1"}), ("e", {"n": "1"})], {"@n": "1", "m": "up"}),
        ([("log", {"day": "1"}), ("e", {"n": "2"})], {"@n": "2", "m": "down"}),
    ]


def test_the_command_writes_the_whole_document_at_depth_0():
    assert run("0", "<r><x>ä</x><x k='2'/></r>") == (0, [([], {"r": {"x": ["ä", {"@k": "2"}]}})])
