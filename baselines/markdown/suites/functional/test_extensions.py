"""The extensions that come with the library."""

import pytest
from markdown import Markdown, markdown
from markdown.extensions.fenced_code import FencedCodeExtension
from markdown.extensions.sane_lists import SaneListExtension
from markdown.extensions.tables import TableExtension
from markdown.extensions.toc import TocExtension

BREAK = "markdown.extensions.nl2br"


def table(text, **settings):
    html = markdown(text, extensions=[TableExtension(**settings)])
    return html.replace("\n", "").replace("</tr>", "</tr>\n").split("\n")


def fenced(text, **settings):
    return markdown(text, extensions=[FencedCodeExtension(**settings)])


def test_tables_have_a_head_and_a_body():
    expected = (
        "<table>\n<thead>\n<tr>\n<th>Name</th>\n<th>Age</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><em>Ann</em></td>\n<td>31</td>\n</tr>\n"
        "<tr>\n<td>Bo</td>\n<td><code>7</code></td>\n</tr>\n</tbody>\n</table>\n<p>end</p>"
    )
    text = "Name | Age\n-----|----\n*Ann* | 31\nBo | `7`\n\nend"
    assert markdown(text, extensions=["markdown.extensions.tables"]) == expected
    assert (
        markdown("| Name | Age |\n| --- | --- |\n| *Ann* | 31 |\n| Bo | `7` |\n\nend", extensions=["tables"])
        == expected
    )


def test_columns_of_tables_are_aligned():
    text = "a | b | c | d\n:-- | :-: | --: | ---\n1 | 2 | 3 | 4"
    assert table(text) == [
        '<table><thead><tr><th style="text-align: left;">a</th><th style="text-align: center;">b</th>'
        '<th style="text-align: right;">c</th><th>d</th></tr>',
        '</thead><tbody><tr><td style="text-align: left;">1</td><td style="text-align: center;">2</td>'
        '<td style="text-align: right;">3</td><td>4</td></tr>',
        "</tbody></table>",
    ]
    assert table("a|b\n:-|-:\n1|2", use_align_attribute=True) == [
        '<table><thead><tr><th align="left">a</th><th align="right">b</th></tr>',
        '</thead><tbody><tr><td align="left">1</td><td align="right">2</td></tr>',
        "</tbody></table>",
    ]


def test_rows_have_as_many_cells_as_the_head():
    assert table("a|b\n-|-\n1\n1|2|3")[1:] == [
        "</thead><tbody><tr><td>1</td><td></td></tr>",
        "<tr><td>1</td><td>2</td></tr>",
        "</tbody></table>",
    ]
    assert table("|a|\n|-|\n|1|\n|2|") == [
        "<table><thead><tr><th>a</th></tr>",
        "</thead><tbody><tr><td>1</td></tr>",
        "<tr><td>2</td></tr>",
        "</tbody></table>",
    ]


def test_bars_that_separate_nothing():
    assert table("a|b\n-|-\nx \\| y|`p|q`")[1] == "</thead><tbody><tr><td>x | y</td><td><code>p|q</code></td></tr>"


def test_what_is_no_table():
    assert [table("a | b\nc | d"), table("a | b\n--- | --- | ---"), table("text\n\n-|-")] == [
        ["<p>a | bc | d</p>"],
        ["<p>a | b--- | --- | ---</p>"],
        ["<p>text</p><p>-|-</p>"],
    ]
    assert markdown("a|b\n-|-\n1|2") == "<p>a|b\n-|-\n1|2</p>"


def test_fenced_code():
    assert fenced('```\nif a < "b" & c:\n\n    *go*\n```\n\n~~~~\n~~~\n~~~~') == (
        "<pre><code>if a &lt; &quot;b&quot; &amp; c:\n\n    *go*\n</code></pre>\n<pre><code>~~~\n</code></pre>"
    )
    assert fenced("up\n```\n# x\n```\ndown") == "<p>up</p>\n<pre><code># x\n</code></pre>\n<p>down</p>"


def test_languages_of_fenced_code():
    codes = [
        fenced(f"```{word}\nx\n```")
        for word in ("python", " python", " .python", "{.python}", " { .python #me .k1 .k2 }")
    ]
    assert codes == ['<pre><code class="language-python">x\n</code></pre>'] * 4 + [
        '<pre id="me" class="k1 k2"><code class="language-python">x\n</code></pre>'
    ]
    assert fenced("~~~ c++\nx\n~~~", lang_prefix="lang ") == '<pre><code class="lang c++">x\n</code></pre>'


def test_fences_that_do_not_close():
    assert "<pre>" not in fenced("```\nx\n~~~\n\ny")
    assert fenced("````\nx\n```\n````") == "<pre><code>x\n```\n</code></pre>"


def test_headings_get_identifiers():
    md = Markdown(extensions=[TocExtension()])
    assert md.convert("# Ärger & *Ruhe*\n\n## A b\n\n## A  b!\n\n## A b") == (
        '<h1 id="arger-ruhe">Ärger &amp; <em>Ruhe</em></h1>\n<h2 id="a-b">A b</h2>\n<h2 id="a-b_1">A  b!</h2>\n<h2 id="a-b_2">A b</h2>'
    )


def test_the_table_of_contents():
    md = Markdown(extensions=["markdown.extensions.toc"])
    found = md.convert("[TOC]\n\n# One\n\n## Two *x*\n\n### Three\n\n## Four & `c`\n\n# Five")
    toc = (
        '<div class="toc">\n<ul>\n<li><a href="#one">One</a><ul>\n<li><a href="#two-x">Two x</a><ul>\n<li><a href="#three">Three</a></li>\n</ul>\n</li>\n'
        '<li><a href="#four-c">Four &amp; c</a></li>\n</ul>\n</li>\n<li><a href="#five">Five</a></li>\n</ul>\n</div>'
    )
    assert [
        found.startswith(toc + '\n<h1 id="one">One</h1>\n<h2 id="two-x">Two <em>x</em></h2>\n'),
        md.toc.strip(),
    ] == [True, toc]
    assert [[token["level"], token["id"], token["name"], len(token["children"])] for token in md.toc_tokens] == [
        [1, "one", "One", 2],
        [1, "five", "Five", 0],
    ]
    assert [[token["level"], token["name"], token["html"]] for token in md.toc_tokens[0]["children"]] == [
        [2, "Two x", "Two <em>x</em>"],
        [2, "Four &amp; c", "Four &amp; <code>c</code>"],
    ]


def test_settings_of_the_table_of_contents():
    md = Markdown(
        extensions=[
            TocExtension(title="Inhalt", toc_class="menu", baselevel=2, toc_depth=3, separator="_", marker="%%")
        ]
    )
    found = md.convert("# A b\n\n## C\n\n### D\n\n%%")
    toc = '<div class="menu"><span class="toctitle">Inhalt</span><ul>\n<li><a href="#a_b">A b</a><ul>\n<li><a href="#c">C</a></li>\n</ul>\n</li>\n</ul>\n</div>'
    assert found == '<h2 id="a_b">A b</h2>\n<h3 id="c">C</h3>\n<h4 id="d">D</h4>\n' + toc


def test_ranges_and_slugs_of_the_table_of_contents():
    md = Markdown(extensions=[TocExtension(toc_depth="2-3", slugify=lambda text, separator: text.upper() + separator)])
    found = md.convert("# a\n\n## b\n\n### c\n\n#### d")
    assert found == '<h1 id="A-">a</h1>\n<h2 id="B-">b</h2>\n<h3 id="C-">c</h3>\n<h4 id="D-">d</h4>'
    assert [[token["id"], [child["id"] for child in token["children"]]] for token in md.toc_tokens] == [["B-", ["C-"]]]


def test_links_of_headings():
    assert (
        markdown("# A *b*", extensions=[TocExtension(anchorlink=True)])
        == '<h1 id="a-b"><a class="toclink" href="#a-b">A <em>b</em></a></h1>'
    )
    assert markdown("# A", extensions=[TocExtension(permalink=True)]) == (
        '<h1 id="a">A<a class="headerlink" href="#a" title="Permanent link">&para;</a></h1>'
    )
    assert markdown("# A", extensions=["toc"], extension_configs={"toc": {"permalink": "link"}}) == (
        '<h1 id="a">A<a class="headerlink" href="#a" title="Permanent link">link</a></h1>'
    )


def test_meta_data_are_taken_out():
    md = Markdown(extensions=["markdown.extensions.meta"])
    found = md.convert("Title: A: B\nAuthors: Ann\n    Bo\nauthors: Cy\n\n# Text")
    assert [found, md.Meta] == ["<h1>Text</h1>", {"title": ["A: B"], "authors": ["Ann", "Bo", "Cy"]}]
    found = md.reset().convert("---\nkey: value\n---\nText")
    assert [found, md.Meta] == ["<p>Text</p>", {"key": ["value"]}]
    found = md.convert("No data here\n\nkey: value")
    assert [found, md.Meta] == ["<p>No data here</p>\n<p>key: value</p>", {}]


def test_every_line_end_breaks():
    assert markdown("a\nb\n\n- c\nd", extensions=[BREAK]) == "<p>a<br />\nb</p>\n<ul>\n<li>c<br />\nd</li>\n</ul>"
    assert markdown("    a\n    b", extensions=[BREAK]) == "<pre><code>a\nb\n</code></pre>"


def test_lists_of_one_kind():
    sane = [SaneListExtension()]
    assert (
        markdown("- a\n\n1. b\n\n* c", extensions=sane)
        == "<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>\n<ul>\n<li>c</li>\n</ul>"
    )
    assert [markdown("4. a\n7. b", extensions=sane), markdown("- a\n1. b", extensions=sane)] == [
        '<ol start="4">\n<li>a</li>\n<li>b</li>\n</ol>',
        "<ul>\n<li>a\n1. b</li>\n</ul>",
    ]


def test_definition_lists():
    definitions = ["markdown.extensions.def_list"]
    assert markdown("Apple\n:   Red *fruit*\n\nPear\nQuince\n:   One\n:   Two", extensions=definitions) == (
        "<dl>\n<dt>Apple</dt>\n<dd>Red <em>fruit</em></dd>\n<dt>Pear</dt>\n<dt>Quince</dt>\n<dd>One</dd>\n<dd>Two</dd>\n</dl>"
    )
    assert markdown("a: b\n:c", extensions=definitions) == "<p>a: b\n:c</p>"


@pytest.mark.parametrize(
    ("first", "second", "text", "expected"),
    [
        ("tables", "toc", "# T\n\na|b\n-|-", '<h1 id="t">T</h1>'),
        ("meta", "nl2br", "k: v\n\nx\ny", "<p>x<br />"),
        ("fenced_code", "toc", "```\n# no\n```\n\n# yes", '<h1 id="yes">yes</h1>'),
        ("sane_lists", "def_list", "1. x\n\n- y", "<ul>"),
    ],
)
def test_extensions_work_together(first, second, text, expected):
    found = markdown(text, extensions=[f"markdown.extensions.{first}", f"markdown.extensions.{second}"])
    picked = [line for line in found.split("\n") if line.startswith(("<h1", "<p>x", "<ul"))]
    assert picked == [expected]
