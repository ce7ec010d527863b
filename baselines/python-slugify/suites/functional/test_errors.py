"""What is refused."""

import pytest
import slugify


def test_other_types_of_text_are_refused():
    refused = []
    for value in (None, 42, 1.5, ["text"], {"a": 1}, object):
        try:
            slugify.slugify(value)
        except TypeError:
            refused.append(type(value).__name__)
    assert refused == ["NoneType", "int", "float", "list", "dict", "type"]
    assert slugify.slugify(b"bytes ARE fine") == "bytes-are-fine"


def test_unknown_algorithms_are_refused():
    with pytest.raises(ValueError):
        slugify.slugify("some text", algorithm="postmodern")
    with pytest.raises(ValueError):
        slugify.slugify("some text", algorithm="")
    assert slugify.slugify("Some Text Here", algorithm="legacy") == "some-text-here"


def test_unknown_stages_are_refused_by_both_algorithms():
    refused = []
    for algorithm in ("legacy", "modern"):
        for stage in ("before", "", "PRE"):
            try:
                slugify.slugify("some text", algorithm=algorithm, replacement_stage=stage)
            except ValueError:
                refused.append(f"{algorithm}:{stage}")
    assert refused == ["legacy:before", "legacy:", "legacy:PRE", "modern:before", "modern:", "modern:PRE"]


def test_unknown_backends_are_refused_even_for_plain_text():
    with pytest.raises(ValueError):
        slugify.slugify("plain", backend="iconv")
    with pytest.raises(ValueError):
        slugify.slugify("plain", backend="text_unidecode", algorithm="modern")
    assert slugify.slugify("Plain But Näive", backend="auto") == "plain-but-naive"


def test_a_backend_that_is_not_installed_is_not_replaced():
    with pytest.raises(ModuleNotFoundError):
        slugify.slugify("Köln", backend="anyascii")
    with pytest.raises(ModuleNotFoundError):
        slugify.slugify("Köln", backend="anyascii", algorithm="modern")
    assert slugify.slugify("Köln am Rhein", backend="anyascii", allow_unicode=True) == "köln-am-rhein"


def test_new_options_cannot_be_given_by_position():
    arguments = ("Some Text", True, True, True, 0, False, "-", False, (), None, True, (), False)
    with pytest.raises(TypeError):
        slugify.slugify(*arguments, "both")
    assert slugify.slugify(*arguments) == "some-text"


def test_modern_limits_must_be_whole_numbers():
    refused = []
    for value in (True, False, "3", 2.0, None):
        try:
            slugify.slugify("some text", max_length=value, algorithm="modern")
        except TypeError:
            refused.append(repr(value))
    assert refused == ["True", "False", "'3'", "2.0", "None"]
    assert slugify.slugify("some text", max_length=6, algorithm="modern") == "some-t"


def test_modern_separators_must_be_text():
    with pytest.raises(TypeError):
        slugify.slugify("some text", separator=None, algorithm="modern")
    with pytest.raises(TypeError):
        slugify.slugify("some text", separator=b"-", algorithm="modern")
    assert slugify.slugify("some other text", separator="~", algorithm="modern") == "some~other~text"


def test_smart_truncate_needs_a_separator():
    with pytest.raises(ValueError):
        slugify.smart_truncate("some words here", max_length=7, separator="", word_boundary=True)
    assert slugify.smart_truncate("some words here", max_length=7, word_boundary=True) == "some"
