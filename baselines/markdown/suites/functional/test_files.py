"""Files, streams, and what a converter remembers."""

import io

from markdown import Markdown, markdownFromFile
from markdown.extensions.toc import TocExtension


def test_files_are_converted(tmp_path):
    source, target = tmp_path / "in.md", tmp_path / "out.html"
    source.write_text("# Grüße\n\n*日本*  \nend", encoding="utf-8")
    md = Markdown(output_format="html")
    same = md.convertFile(input=str(source), output=str(target)) is md
    assert [same, target.read_text(encoding="utf-8")] == [True, "<h1>Grüße</h1>\n<p><em>日本</em><br>\nend</p>"]


def test_encodings_of_files(tmp_path):
    source, target = tmp_path / "in.md", tmp_path / "out.html"
    source.write_bytes("caf\xe9 & \xdf".encode("latin-1"))
    markdownFromFile(input=str(source), output=str(target), encoding="latin-1")
    assert target.read_bytes() == b"<p>caf\xe9 &amp; \xdf</p>"
    source.write_bytes("&eacute; is \u00e9".encode("utf-16"))
    markdownFromFile(input=str(source), output=str(target), encoding="utf-16")
    assert target.read_bytes().decode("utf-16") == "<p>&eacute; is \u00e9</p>"


def test_a_byte_order_mark_is_ignored(tmp_path):
    source = tmp_path / "in.md"
    source.write_bytes(b"\xef\xbb\xbf# Head")
    output = io.BytesIO()
    markdownFromFile(input=str(source), output=output)
    assert output.getvalue() == b"<h1>Head</h1>"


def test_streams_are_converted():
    source, target = io.BytesIO("a | ü\n--|--".encode()), io.BytesIO(b"")
    target.write(b"[")
    markdownFromFile(input=source, output=target, extensions=["markdown.extensions.tables"])
    target.write(b"]")
    assert target.getvalue().decode() == (
        "[<table>\n<thead>\n<tr>\n<th>a</th>\n<th>ü</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td></td>\n<td></td>\n</tr>\n</tbody>\n</table>]"
    )


def test_characters_that_an_encoding_lacks():
    target = io.BytesIO()
    Markdown().convertFile(input=io.BytesIO(b"plain &hearts; \\& text"), output=target, encoding="ascii")
    first = target.getvalue()
    md, target = Markdown(extensions=[TocExtension(permalink="→é")]), io.BytesIO()
    md.convertFile(input=io.BytesIO(b"# a"), output=target, encoding="ascii")
    assert [first, b"&#8594;&#233;" in target.getvalue()] == [b"<p>plain &hearts; \\&amp; text</p>", True]


def test_definitions_are_remembered_until_reset():
    md = Markdown()
    texts = [md.convert("[x]: /u 'T'"), md.convert("[x]"), md.convert("[x][]")]
    texts.append(md.reset().convert("[x]"))
    assert texts == ["", '<p><a href="/u" title="T">x</a></p>', '<p><a href="/u" title="T">x</a></p>', "<p>[x]</p>"]


def test_formats_can_be_changed():
    md = Markdown()
    texts = [
        md.convert("***"),
        md.set_output_format("HTML").convert("![a](b)"),
        md.set_output_format("xhtml").convert("![a](b)"),
    ]
    assert texts == ["<hr />", '<p><img alt="a" src="b"></p>', '<p><img alt="a" src="b" /></p>']


def test_documents_do_not_disturb_each_other():
    md = Markdown(extensions=["markdown.extensions.toc", "markdown.extensions.fenced_code"])
    first = md.convert("# A\n\n<div>*x*</div>\n\n```\n1\n```")
    second = md.reset().convert("# A\n\n```\n2\n```\n\n`c`")
    empty = md.reset().convert("")
    assert [first.count("<div>*x*</div>"), second, empty] == [
        1,
        '<h1 id="a">A</h1>\n<pre><code>2\n</code></pre>\n<p><code>c</code></p>',
        "",
    ]
    assert [md.toc, md.toc_tokens, first.count("<code>1\n</code>")] == ["", [], 1]
