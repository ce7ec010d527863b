"""Properties of the markdown task: each docstring states the documented claim."""

import html
import io

from hypothesis import given
from hypothesis import strategies as st
from markdown import Markdown, markdown, markdownFromFile
from markdown.extensions.fenced_code import FencedCodeExtension
from markdown.extensions.tables import TableExtension
from markdown.extensions.toc import TocExtension, slugify, slugify_unicode, unique
from markdown.util import Registry

WORD = st.text("abcdefgxyzABCäø", min_size=1, max_size=6)
WORDS = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
TEXTS = st.lists(WORDS, min_size=1, max_size=6)
MARKS = "\\`*_{}[]()>#+-.!"
MARKED = st.text(MARKS + "abc xyz1", min_size=1, max_size=20).map(str.strip).filter(bool)
CODE = st.text("abc <>&*_\\[]()#\"'1.", min_size=1, max_size=15).map(str.strip).filter(bool)
BLOCK = st.sampled_from(
    ["a", "# b", "- c", "> d", "    e", "1. f", "***", "[g]: /g", "[g]", "<div>*h*</div>", "*i*  \nj", "`k`", "&"]
)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@given(TEXTS)
def prop_blocks_of_words_are_paragraphs(texts):
    """Blank lines separate paragraphs, each on a line of its own."""
    assert markdown("\n\n".join(texts)) == "\n".join(f"<p>{text}</p>" for text in texts)
    assert markdown("\n".join(texts)) == "<p>" + "\n".join(texts) + "</p>"
    assert markdown("  \n".join(texts)) == "<p>" + "<br />\n".join(texts) + "</p>"


@given(MARKED)
def prop_a_backslash_takes_away_meaning(text):
    """Marks with a backslash in front come out as themselves."""
    source = "".join("\\" + letter if letter in MARKS else letter for letter in text)
    assert html.unescape(markdown(source)) == f"<p>{text}</p>"


@given(CODE, st.sampled_from(["`", "``", "```"]))
def prop_code_is_left_alone(text, fence):
    """Between backticks nothing but &, < and > is changed."""
    assert markdown(f"a {fence}{text}{fence} b") == f"<p>a <code>{escaped(text)}</code> b</p>"


@given(st.lists(CODE, min_size=1, max_size=5), st.sampled_from(["\n", "\n\n"]))
def prop_code_blocks_are_left_alone(lines, between):
    """Indented lines and lines between fences are kept; only references are made."""
    assert (
        markdown(between.join("    " + line for line in lines))
        == f"<pre><code>{escaped(between.join(lines))}\n</code></pre>"
    )
    fenced = markdown("```\n" + between.join(lines) + "\n```", extensions=[FencedCodeExtension()])
    assert fenced == "<pre><code>" + escaped(between.join(lines)).replace('"', "&quot;") + "\n</code></pre>"


@given(st.lists(st.tuples(st.integers(1, 6), WORDS), min_size=1, max_size=6), st.booleans())
def prop_number_signs_give_the_level(headings, closed):
    """A heading has the level of its number signs, with or without some at its end."""
    source = "\n".join("#" * level + f" {text}" + (" ##" if closed else "") for level, text in headings)
    assert markdown(source) == "\n".join(f"<h{level}>{text}</h{level}>" for level, text in headings)


@given(TEXTS, st.sampled_from(["*", "+", "-", "1.", "77."]))
def prop_each_mark_is_an_item(texts, mark):
    """Lines with a mark are items, tight without blank lines, in paragraphs with them, also one level deeper."""
    tag = "ol" if mark[0] in "17" else "ul"
    tight = f"<{tag}>\n" + "".join(f"<li>{text}</li>\n" for text in texts) + f"</{tag}>"
    assert markdown("\n".join(f"{mark} {text}" for text in texts)) == tight
    inner = markdown("- outer\n" + "\n".join(f"    {mark} {text}" for text in texts))
    assert inner == f"<ul>\n<li>outer{tight}\n</li>\n</ul>"
    if len(texts) > 1:
        loose = markdown("\n\n".join(f"{mark} {text}" for text in texts))
        assert loose == f"<{tag}>\n" + "".join(f"<li>\n<p>{text}</p>\n</li>\n" for text in texts) + f"</{tag}>"


@given(WORDS, WORDS)
def prop_stars_and_lines_mean_the_same(first, second):
    """* and _ around words give em, ** and __ strong, and they nest."""
    for mark in "*_":
        two = mark * 2
        assert markdown(f"x {mark}{first}{mark} y") == f"<p>x <em>{first}</em> y</p>"
        assert (
            markdown(f"{two}{first} {mark}{second}{mark} z{two}")
            == f"<p><strong>{first} <em>{second}</em> z</strong></p>"
        )
        assert markdown(f"{two}{mark}{first}{mark}{two}") == f"<p><strong><em>{first}</em></strong></p>"


@given(WORDS, st.text("abc/?=&.", min_size=1, max_size=8), WORDS)
def prop_all_forms_of_a_link_are_one(text, address, title):
    """A link is the same with its address beside it, in angle brackets, or in a definition; so is an image."""
    inline = markdown(f'[{text}](/{address} "{title}")')
    assert inline == f'<p><a href="/{escaped(address)}" title="{title}">{text}</a></p>'
    assert markdown(f"[{text}](</{address}> '{title}')") == inline
    for form in (f"[{text}][{text.upper()}]", f"[{text}][]", f"[{text}]"):
        assert markdown(f'{form}\n\n[{text}]: /{address} "{title}"') == inline
        assert markdown(f"[{text}]: </{address}>\n  ({title})\n\n!{form}") == markdown(
            f"![{text}](/{address} '{title}')"
        )


@given(
    st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(WORDS, min_size=width, max_size=width), min_size=2, max_size=4)
    )
)
def prop_tables_have_the_cells_that_were_written(rows):
    """A table has its cells in rows and columns, with or without borders."""
    rule = "|".join(["---"] * len(rows[0]))
    plain = "\n".join(["|".join(rows[0]), rule, *(" | ".join(row) for row in rows[1:])])
    head = "".join(f"<th>{cell}</th>\n" for cell in rows[0])
    body = "".join("<tr>\n" + "".join(f"<td>{cell}</td>\n" for cell in row) + "</tr>\n" for row in rows[1:])
    expected = f"<table>\n<thead>\n<tr>\n{head}</tr>\n</thead>\n<tbody>\n{body}</tbody>\n</table>"
    assert markdown(plain, extensions=[TableExtension()]) == expected
    assert markdown("\n".join(f"| {line} |" for line in plain.split("\n")), extensions=[TableExtension()]) == expected


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from(["a", "b", "a b", "c!"])), min_size=1, max_size=8))
def prop_the_contents_are_all_headings_once(headings):
    """The table of contents has every heading in order, with an identifier of its own, under one of a lower number."""
    md = Markdown(extensions=[TocExtension()])
    found = md.convert("\n\n".join("#" * level + f" {text}" for level, text in headings))
    flat, stack = [], [(token, 0) for token in reversed(md.toc_tokens)]
    for _ in range(len(headings)):
        token, above = stack.pop()
        assert token["level"] > above
        flat.append(token)
        stack += [(child, token["level"]) for child in reversed(token["children"])]
    assert not stack
    assert [(token["level"], token["name"]) for token in flat] == headings
    assert len({token["id"] for token in flat}) == len(headings)
    assert found == "\n".join(
        f'<h{token["level"]} id="{token["id"]}">{token["name"]}</h{token["level"]}>' for token in flat
    )


@given(st.text("aB1 -_ÄÉß日!.", max_size=15), st.sampled_from(["-", "_"]))
def prop_slugs_have_nothing_left_to_change(text, separator):
    """A slug of a slug is itself, has no blanks, and is ASCII unless all letters are wanted."""
    slug, wide = slugify(text, separator), slugify_unicode(text, separator)
    assert slugify(slug, separator) == slug
    assert slugify_unicode(wide, separator) == wide == slugify(text, separator, unicode=True)
    assert slug.isascii()
    assert " " not in slug + wide


@given(st.lists(st.sampled_from(["a", "b", "a_1", "a_2", "", "b_9"]), max_size=10))
def prop_unique_identifiers_are(names):
    """unique gives an identifier that was not in the set, and adds it."""
    ids = set()
    found = [unique(name, ids) for name in names]
    assert len(set(found)) == len(names)
    assert ids == set(found)
    assert all(new.startswith(name.partition("_")[0]) for name, new in zip(names, found))


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(-3, 3), st.booleans()), max_size=15))
def prop_registries_are_sorted_and_stable(steps):
    """A registry has one item a name, by falling priority and then in the order of registration."""
    registry, model = Registry(), {}
    for number, (name, priority, removed) in enumerate(steps):
        model.pop(name, None)
        if removed:
            registry.deregister(name, strict=False)
        else:
            registry.register(number, name, priority)
            model[name] = (-priority, number)
    ordered = sorted(model, key=model.get)
    assert list(registry) == [model[name][1] for name in ordered]
    assert [registry.get_index_for_name(name) for name in ordered] == list(range(len(registry)))
    assert all(name in registry and registry[name] == model[name][1] for name in ordered)


@given(st.lists(st.lists(BLOCK, max_size=5).map("\n\n".join), max_size=4))
def prop_a_reset_converter_is_like_a_new_one(texts):
    """After reset a converter knows nothing of the documents before; bytes in files give the same as text."""
    md = Markdown(extensions=[TocExtension()])
    for text in texts:
        expected = markdown(text, extensions=[TocExtension()])
        assert md.reset().convert(text) == expected
        output = io.BytesIO()
        markdownFromFile(input=io.BytesIO(text.encode()), output=output, extensions=[TocExtension()])
        assert output.getvalue().decode() == expected


@given(st.lists(BLOCK, max_size=6), st.sampled_from(["\r\n", "\r"]))
def prop_line_ends_and_formats_make_no_other_difference(blocks, end):
    """All line ends mean the same, and HTML differs from XHTML in empty elements only."""
    text = "\n\n".join(blocks)
    xhtml = markdown(text)
    assert markdown(text.replace("\n", end)) == xhtml
    assert markdown(text, output_format="html") == xhtml.replace(" />", ">")
