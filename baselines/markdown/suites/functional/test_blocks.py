"""Paragraphs, headings, rules, code, quotes and raw HTML."""

from markdown import Markdown, markdown


def lines(html):
    return [line for line in html.splitlines() if line.strip()]


def test_paragraphs_are_separated_by_blank_lines():
    assert markdown("one\ntwo\n\nthree\n \n\n   four") == "<p>one\ntwo</p>\n<p>three</p>\n<p>four</p>"
    assert [markdown("one\r\ntwo\r\rthree"), markdown(""), markdown(" \n\t\n")] == [
        "<p>one\ntwo</p>\n<p>three</p>",
        "",
        "",
    ]


def test_two_blanks_break_a_line():
    assert markdown("roses  \nviolets\nsugar") == "<p>roses<br />\nviolets\nsugar</p>"
    assert markdown("roses  \nviolets", output_format="html") == "<p>roses<br>\nviolets</p>"


def test_headings_with_number_signs():
    text = "# One\n\n## Two ##\n\n### Three ####\n\n#### Four\n\n##### Five\n\n###### Six"
    expected = "<h1>One</h1>\n<h2>Two</h2>\n<h3>Three</h3>\n<h4>Four</h4>\n<h5>Five</h5>\n<h6>Six</h6>"
    assert markdown(text) == expected
    assert [markdown("#Tight#"), markdown("# C# is *here*"), markdown("## A # b")] == [
        "<h1>Tight</h1>",
        "<h1>C# is <em>here</em></h1>",
        "<h2>A # b</h2>",
    ]


def test_headings_between_the_lines_of_a_paragraph():
    assert markdown("before\n## Middle\nafter") == "<p>before</p>\n<h2>Middle</h2>\n<p>after</p>"


def test_underlined_headings():
    assert (
        markdown("Title\n=====\n\nPart *two*\n-----------\ntext")
        == "<h1>Title</h1>\n<h2>Part <em>two</em></h2>\n<p>text</p>"
    )
    assert markdown("A\n=\nB\n-") == "<h1>A</h1>\n<h2>B</h2>"


def test_rules():
    rules = ["***", "---", "___", "* * *", "-  -  -", "*****************"]
    assert [markdown(f"up\n\n{rule}\n\ndown") for rule in rules] == ["<p>up</p>\n<hr />\n<p>down</p>"] * 6
    assert markdown("up\n***\ndown") == "<p>up</p>\n<hr />\n<p>down</p>"
    assert [markdown("--"), markdown("***", output_format="html")] == ["<p>--</p>", "<hr>"]


def test_indented_code_is_kept():
    text = "see:\n\n    if a < b && *c*:\n        <go> [x](y)\n\n    `done`\n\nend"
    expected = "<p>see:</p>\n<pre><code>if a &lt; b &amp;&amp; *c*:\n    &lt;go&gt; [x](y)\n\n`done`\n</code></pre>\n<p>end</p>"
    assert markdown(text) == expected


def test_indented_lines_of_a_paragraph_are_no_code():
    assert "<pre>" not in markdown("first\n        second")
    assert markdown("first\n\n    second") == "<p>first</p>\n<pre><code>second\n</code></pre>"


def test_tabs_fill_up_to_columns():
    assert markdown("\tcode\tx\n\tb\ty") == "<pre><code>code    x\nb   y\n</code></pre>"
    assert [markdown("ab\tc"), markdown("a\tb", tab_length=8)] == ["<p>ab  c</p>", "<p>a       b</p>"]


def test_the_indent_can_be_chosen():
    assert markdown("  code\n\n- a\n  - b", tab_length=2) == (
        "<pre><code>code\n</code></pre>\n<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"
    )


def test_quotes_hold_documents():
    text = "> # Head\n>\n> - one\n> - two\n\nafter"
    expected = "<blockquote>\n<h1>Head</h1>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n</blockquote>\n<p>after</p>"
    assert markdown(text) == expected
    assert markdown(">     code <1>") == "<blockquote>\n<pre><code>code &lt;1&gt;\n</code></pre>\n</blockquote>"


def test_quotes_may_be_lazy_and_interrupt():
    assert (
        markdown("before\n> quoted\nlazy\n>tight")
        == "<p>before</p>\n<blockquote>\n<p>quoted\nlazy\ntight</p>\n</blockquote>"
    )


def test_quotes_with_blank_lines_between_are_one():
    assert (
        markdown("> a\n\n> b\n\nc\n\n> d")
        == "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>\n<p>c</p>\n<blockquote>\n<p>d</p>\n</blockquote>"
    )


def test_quotes_nest():
    assert markdown("> outer\n>\n> > inner\n>\n> outer again") == (
        "<blockquote>\n<p>outer</p>\n<blockquote>\n<p>inner</p>\n</blockquote>\n<p>outer again</p>\n</blockquote>"
    )


def test_raw_html_blocks_stay_as_they_are():
    assert lines(markdown('<div class="k">\n*raw* & [x](y)\n\n# none\n</div>\n\n*text*')) == [
        '<div class="k">',
        "*raw* & [x](y)",
        "# none",
        "</div>",
        "<p><em>text</em></p>",
    ]
    assert lines(markdown("one\n\n<table><tr><td>*x*</td></tr></table>\n\ntwo")) == [
        "<p>one</p>",
        "<table><tr><td>*x*</td></tr></table>",
        "<p>two</p>",
    ]


def test_comments_are_kept():
    assert lines(markdown("a\n\n<!-- *not*\n\n# this -->\n\nb")) == ["<p>a</p>", "<!-- *not*", "# this -->", "<p>b</p>"]


def test_block_level_elements_are_known():
    md = Markdown()
    blocks = [tag for tag in ("p", "DIV", "h6", "pre", "hr", "Table", "li", "blockquote") if md.is_block_level(tag)]
    others = [tag for tag in ("a", "em", "span", "code", "", None, 7) if md.is_block_level(tag)]
    assert [blocks, others] == [["p", "DIV", "h6", "pre", "hr", "Table", "li", "blockquote"], []]
