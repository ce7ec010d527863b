"""Lists of all kinds."""

from markdown import markdown


def test_items_of_one_block():
    assert markdown("- a\n- b\n- *c*") == "<ul>\n<li>a</li>\n<li>b</li>\n<li><em>c</em></li>\n</ul>"
    assert markdown("1. a\n2. b") == "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"


def test_numbers_are_without_effect():
    assert markdown("7. a\n3. b\n\ntext") == "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n<p>text</p>"
    assert markdown("1986\\. A great year") == "<p>1986. A great year</p>"


def test_marks_of_lists():
    assert [markdown(f"{mark} x\n   {mark} y") for mark in ("*", "+", "-")] == [
        "<ul>\n<li>x</li>\n<li>y</li>\n</ul>"
    ] * 3
    assert [markdown("-x"), markdown("1.x"), markdown("1) x")] == ["<p>-x</p>", "<p>1.x</p>", "<p>1) x</p>"]


def test_marks_of_one_list_may_differ():
    assert markdown("* a\n+ b\n1. c") == "<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>"
    assert markdown("1. a\n* b") == "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"


def test_lines_without_a_mark_go_on():
    assert (
        markdown("- first\nstill first\n- second\nstill second")
        == "<ul>\n<li>first\nstill first</li>\n<li>second\nstill second</li>\n</ul>"
    )


def test_blank_lines_make_paragraphs_of_items():
    assert (
        markdown("- a\n\n- b\n\n- c")
        == "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n<li>\n<p>c</p>\n</li>\n</ul>"
    )
    assert (
        markdown("1. a\n2. b\n\n3. c\n4. d")
        == "<ol>\n<li>a</li>\n<li>\n<p>b</p>\n</li>\n<li>\n<p>c</p>\n</li>\n<li>d</li>\n</ol>"
    )


def test_a_list_of_another_kind_joins():
    assert markdown("- a\n\n1. b") == "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"


def test_inner_lists():
    text = "- a\n    - b\n        1. c\n        2. d\n    - e\n- f"
    expected = (
        "<ul>\n<li>a<ul>\n<li>b<ol>\n<li>c</li>\n<li>d</li>\n</ol>\n</li>\n<li>e</li>\n</ul>\n</li>\n<li>f</li>\n</ul>"
    )
    assert markdown(text) == expected


def test_items_hold_paragraphs():
    text = "1. a\n\n    more of a\n\n\tand more\n\n2. b"
    assert (
        markdown(text) == "<ol>\n<li>\n<p>a</p>\n<p>more of a</p>\n<p>and more</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ol>"
    )


def test_items_hold_quotes_and_lists():
    text = "- a\n\n    > q\n\n- b\n\n    1. x\n    2. y"
    expected = (
        "<ul>\n<li>\n<p>a</p>\n<blockquote>\n<p>q</p>\n</blockquote>\n</li>\n"
        "<li>\n<p>b</p>\n<ol>\n<li>x</li>\n<li>y</li>\n</ol>\n</li>\n</ul>"
    )
    assert markdown(text) == expected


def test_less_than_an_indent_ends_the_list():
    assert markdown("* one\n\n  two") == "<ul>\n<li>one</li>\n</ul>\n<p>two</p>"


def test_lists_do_not_interrupt_paragraphs():
    assert [markdown("text\n- no item"), markdown("text\n1. no item")] == [
        "<p>text\n- no item</p>",
        "<p>text\n1. no item</p>",
    ]
    assert markdown("text\n\n+ item\n\ntext\n\n+ item") == (
        "<p>text</p>\n<ul>\n<li>item</li>\n</ul>\n<p>text</p>\n<ul>\n<li>item</li>\n</ul>"
    )
