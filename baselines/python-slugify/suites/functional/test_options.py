"""Separators, stop words, patterns and replacements."""

import re

import slugify


def test_the_separator_may_be_anything():
    text = "Deep Blue-Sea 42"
    slugs = [slugify.slugify(text, separator=separator) for separator in ["_", "", "::", " ", "%20"]]
    assert slugs == ["deep_blue_sea_42", "deepbluesea42", "deep::blue::sea::42", "deep blue sea 42", "deep%20blue%20sea%2042"]


def test_stop_words_are_left_out():
    text = "The cat and the dog in the hat"
    assert slugify.slugify(text, stopwords=["the", "in"]) == "cat-and-dog-hat"
    assert slugify.slugify(text, stopwords=("THE", "And")) == "cat-dog-in-hat"
    assert slugify.slugify(text, stopwords=["th", "do", "hats"]) == "the-cat-and-the-dog-in-the-hat"


def test_stop_words_and_capitals():
    text = "The THE the end"
    assert slugify.slugify(text, stopwords=["the"], lowercase=False) == "The-THE-end"
    assert slugify.slugify(text, stopwords=["The", "THE"], lowercase=False) == "the-end"
    assert slugify.slugify(text, stopwords=["The"]) == "end"


def test_stop_words_with_another_separator():
    assert slugify.slugify("one and two and three", stopwords=["and"], separator="_") == "one_two_three"
    assert slugify.slugify("to be or not to be", stopwords={"be", "to"}, separator="") == "ornot"


def test_a_pattern_says_what_is_not_allowed():
    assert slugify.slugify("___This is a test___", regex_pattern=r"[^-a-z0-9_]+") == "___this-is-a-test___"
    assert slugify.slugify("v1.2.3 (final)", regex_pattern=r"[^-a-z0-9.]+") == "v1.2.3-final"
    assert slugify.slugify("a1b22c333", regex_pattern=re.compile(r"\d+")) == "a-b-c"


def test_an_empty_pattern_means_the_usual_rule():
    assert slugify.slugify("some_text & more", regex_pattern="") == "some-text-more"
    assert slugify.slugify("some_text & more", regex_pattern=None) == "some-text-more"


def test_a_pattern_for_unicode_text():
    slug = slugify.slugify("Größe_über Alles!", allow_unicode=True, regex_pattern=r"[^-\w]+")
    assert slug == "größe_über-alles"


def test_replacements_come_in_order():
    assert slugify.slugify("10 | 20 %", replacements=[["|", "or"], ["%", "percent"]]) == "10-or-20-percent"
    assert slugify.slugify("cat", replacements=[("c", "b"), ("b", "r")]) == "rat"
    assert slugify.slugify("C++ & C#", replacements=(("++", "pp"), ("#", "sharp"), ("&", "and"))) == "cpp-and-csharp"


def test_replacements_apply_before_and_after_by_default():
    assert slugify.slugify("a b", replacements=[("a", "aa")]) == "aaaa-b"
    assert slugify.slugify("X-Ray", replacements=[("x", "ex")]) == "ex-ray"


def test_the_stage_of_replacements_can_be_chosen():
    rules = [("o", "0o"), ("É", "accent")]
    assert slugify.slugify("Oo É", replacements=rules, replacement_stage="pre") == "o0o-accent"
    assert slugify.slugify("Oo É", replacements=rules, replacement_stage="post") == "0o0o-e"
    assert slugify.slugify("Oo É", replacements=rules, replacement_stage="both") == "0o00o-accent"


def test_late_replacements_are_not_filtered():
    assert slugify.slugify("a b c", replacements=[("b", "(B)")], replacement_stage="post") == "a-(B)-c"
    assert slugify.slugify("a b c", replacements=[("b", "x-y")], replacement_stage="post", separator="+") == "a+x+y+c"


def test_stop_words_go_before_late_replacements():
    slug = slugify.slugify("red and blue", stopwords=["and"], replacements=[("red", "and")], replacement_stage="post")
    assert slug == "and-blue"


def test_the_backend_can_be_named():
    assert slugify.slugify("Köln", backend="text-unidecode") == "koln"
    assert slugify.slugify("Köln", backend="unidecode", allow_unicode=True) == "köln"
    assert slugify.slugify("Plain Text", backend="anyascii") == "plain-text"
