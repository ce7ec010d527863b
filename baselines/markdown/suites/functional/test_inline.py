"""What is inside a line of text."""

import html
import re

import pytest
from markdown import markdown


def inside(text):
    found = markdown(text)
    return found[3:-4] if found.startswith("<p>") and found.endswith("</p>") else found


def test_emphasis():
    assert (
        inside("*a* _b_ **c** __d__ ***e***")
        == "<em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <strong><em>e</em></strong>"
    )
    assert inside("*a\nb* **c d**") == "<em>a\nb</em> <strong>c d</strong>"


def test_emphasis_nests():
    assert inside("**a *b* c** and *d **e***") == "<strong>a <em>b</em> c</strong> and <em>d <strong>e</strong></em>"
    assert inside("***a** b* ***c* d**") == "<em><strong>a</strong> b</em> <strong><em>c</em> d</strong>"


def test_marks_that_are_text():
    assert [inside("2 * 3 * 4"), inside("**open *too"), inside("a _ b"), inside("*no")] == [
        "2 * 3 * 4",
        "**open *too",
        "a _ b",
        "*no",
    ]


def test_marks_inside_words():
    assert inside("snake_case_name and a__b__c") == "snake_case_name and a__b__c"
    assert inside("un*frigging*believable, (_so_)") == "un<em>frigging</em>believable, (<em>so</em>)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`a < b & *c*`", "<code>a &lt; b &amp; *c*</code>"),
        ("`` a ` b ``", "<code>a ` b</code>"),
        ("`&amp; \\*`", "<code>&amp;amp; \\*</code>"),
        ("`a  b` `c\nd`", "<code>a  b</code> <code>c\nd</code>"),
        ("`never closed", "`never closed"),
    ],
)
def test_code(text, expected):
    assert inside(text) == expected


def test_escapes():
    assert inside("\\*a\\* \\_b\\_ \\`c\\` \\# \\[d](e) \\\\ \\!") == "*a* _b_ `c` # [d](e) \\ !"
    assert inside('\\q \\& \\"') == '\\q \\&amp; \\"'


def test_links():
    assert inside("[a](/u) [b *c*](/v 'T') [d](</w x> \"Y\")") == (
        '<a href="/u">a</a> <a href="/v" title="T">b <em>c</em></a> <a href="/w x" title="Y">d</a>'
    )
    assert (
        inside("[a](/u_(v)) *[`c`](/u)* [x]( /y )")
        == '<a href="/u_(v)">a</a> <em><a href="/u"><code>c</code></a></em> <a href="/y">x</a>'
    )
    assert inside("[a [b] c](/u?x=1&y=2)") == '<a href="/u?x=1&amp;y=2">a [b] c</a>'
    assert inside("[a](/u 'say \"hi\"')") == '<a href="/u" title="say &quot;hi&quot;">a</a>'


def test_images():
    assert (
        inside('![alt](/i.png "T") ![](/j.png)')
        == '<img alt="alt" src="/i.png" title="T" /> <img alt="" src="/j.png" />'
    )
    assert inside("[![x *y*](/i.png)](/page)") == '<a href="/page"><img alt="x *y*" src="/i.png" /></a>'


def test_links_with_definitions():
    text = "[one][a], [two] [B], [C][], [c], [d e]\n\n[A]: /a\n[b]: </b> \"TB\"\n[c]: /c 'TC'\n\n [D E]: /d\n    (TD)"
    assert markdown(text).splitlines()[0] == (
        '<p><a href="/a">one</a>, <a href="/b" title="TB">two</a>, <a href="/c" title="TC">C</a>, '
        '<a href="/c" title="TC">c</a>, <a href="/d" title="TD">d e</a></p>'
    )


def test_images_with_definitions():
    assert markdown("![x][pic] and ![pic]\n\n[pic]: /p.png 'P'") == (
        '<p><img alt="x" src="/p.png" title="P" /> and <img alt="pic" src="/p.png" title="P" /></p>'
    )


def test_unknown_names_stay_text():
    assert inside("[a][b], [c], [d][] and ![e][f]") == "[a][b], [c], [d][] and ![e][f]"
    assert inside("[a] (/u) \\[b](/u)") == "[a] (/u) [b](/u)"


def test_definitions_can_stand_anywhere():
    text = "[x]: /first\n\nsee [x] and [y]\n\n> quoted\n>\n> [y]: /second"
    assert markdown(text) == (
        '<p>see <a href="/first">x</a> and <a href="/second">y</a></p>\n<blockquote>\n<p>quoted</p>\n</blockquote>'
    )


def test_addresses_are_links():
    assert inside("<http://e.org/?a=1&b=*2*> <ssh://h>") == (
        '<a href="http://e.org/?a=1&amp;b=*2*">http://e.org/?a=1&amp;b=*2*</a> <a href="ssh://h">ssh://h</a>'
    )
    assert inside("http://bare.org/x") == "http://bare.org/x"


def test_mail_addresses_are_written_as_references():
    found = inside("<me@example.org>")
    assert html.unescape(found) == '<a href="mailto:me@example.org">me@example.org</a>'
    assert [len(re.findall("&#?[A-Za-z0-9]+;", found)), "@" in found, "mailto" in found] == [21 + 14, False, False]


def test_characters_become_references():
    assert inside("AT&T 1 < 2 > 0 \"q\" 's'") == "AT&amp;T 1 &lt; 2 &gt; 0 \"q\" 's'"
    assert inside("&copy; &#169; &#xA9; &lt;b&gt; & &;") == "&copy; &#169; &#xA9; &lt;b&gt; &amp; &amp;;"


def test_tags_inside_text_stay():
    assert inside('a <b class="x*y*z">*c*</b> <br> <!-- *d* --> *e*') == (
        'a <b class="x*y*z"><em>c</em></b> <br> <!-- *d* --> <em>e</em>'
    )


def test_text_of_all_languages():
    assert (
        inside("*Grüße* **世界** _мир_ `naïve` 🙂")
        == "<em>Grüße</em> <strong>世界</strong> <em>мир</em> <code>naïve</code> 🙂"
    )
