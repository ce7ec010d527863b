"""Several options and several calls together."""

import slugify


def test_a_slug_of_a_slug_is_itself():
    texts = ["Déjà Vu: the Movie", "  50%  of 1,000 ", "Mixed_Case & more", "東京 tower"]
    once = [slugify.slugify(text) for text in texts]
    assert once == ["deja-vu-the-movie", "50-of-1000", "mixed-case-more", "dong-jing-tower"]
    assert [slugify.slugify(slug) for slug in once] == ["deja-vu-the-movie", "50-of-1000", "mixed-case-more", "dong-jing-tower"]


def test_many_options_at_once():
    slug = slugify.slugify(
        "The Ünïcode & Other Stories (2nd ed.)",
        max_length=18,
        word_boundary=True,
        separator="_",
        stopwords=["The", "and"],
        replacements=[("&", "and"), ("2nd", "second")],
        lowercase=False,
    )
    assert slug == "Unicode_Other_ed"


def test_calls_do_not_change_their_arguments_or_each_other():
    stopwords, replacements = ["The", "of"], [["&", "and"], ["%", "percent"]]
    slugs = [
        slugify.slugify("The % of & beyond", stopwords=stopwords, replacements=replacements),
        slugify.slugify("The % of & beyond"),
        slugify.slugify("The % of & beyond", stopwords=stopwords, replacements=replacements),
    ]
    assert slugs == ["percent-and-beyond", "the-of-beyond", "percent-and-beyond"]
    assert [stopwords, replacements] == [["The", "of"], [["&", "and"], ["%", "percent"]]]


def test_slugs_for_a_table_of_contents():
    headings = ["1. Introduction", "1.1 What's new?", "2. Größen & Maße", "Appendix A – Tables"]
    slugs = [slugify.slugify(heading, replacements=slugify.GERMAN, max_length=14, word_boundary=True) for heading in headings]
    assert slugs == ["1-introduction", "1-1-what-s-new", "2-groessen", "appendix-a"]


def test_unicode_with_limit_stop_words_and_separator():
    slug = slugify.slugify(
        "Über den Wolken muss die Freiheit", allow_unicode=True, stopwords=["den", "die"], max_length=16, separator="~"
    )
    assert slug == "über~wolken~muss"
    assert slugify.slugify("Über den Wolken", allow_unicode=True, max_length=4) == "über"


def test_entities_with_replacements_before_and_after():
    slug = slugify.slugify("Q&amp;A: R&D", replacements=[("&amp;", " and "), ("&", " n ")], replacement_stage="pre")
    assert slug == "q-and-a-r-n-d"
    assert slugify.slugify("AT&amp;T", replacements=[("at-t", "telephone")], replacement_stage="post") == "telephone"
