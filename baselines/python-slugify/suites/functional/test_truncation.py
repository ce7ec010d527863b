"""Limits of length, for slugs and for `smart_truncate`."""

import slugify


def test_slugs_are_cut_at_the_limit():
    text = "jaja lol mememeoo a"
    slugs = [slugify.slugify(text, max_length=length) for length in (0, 9, 8, 5, 100)]
    assert slugs == ["jaja-lol-mememeoo-a", "jaja-lol", "jaja-lol", "jaja", "jaja-lol-mememeoo-a"]


def test_slugs_are_cut_at_the_end_of_a_word_on_request():
    text = "one two three four five"
    slugs = [slugify.slugify(text, max_length=length, word_boundary=True) for length in (4, 7, 12, 13, 18)]
    assert slugs == ["one", "one-two", "one-two-four", "one-two-three", "one-two-three-four"]


def test_the_order_of_words_is_kept_on_request():
    text = "one two three four five"
    slugs = [
        slugify.slugify(text, max_length=length, word_boundary=True, save_order=True) for length in (4, 8, 12, 13, 17)
    ]
    assert slugs == ["one", "one-two", "one-two", "one-two-three", "one-two-three"]


def test_a_first_word_beyond_the_limit():
    text = "extraordinary cat"
    assert slugify.slugify(text, max_length=6, word_boundary=True) == "cat"
    assert slugify.slugify(text, max_length=6, word_boundary=True, save_order=True) == "extrao"
    assert slugify.slugify("extraordinary", max_length=5, word_boundary=True) == "extra"


def test_the_limit_does_not_count_long_separators():
    assert slugify.slugify("alpha beta gamma", max_length=10, separator="...") == "alpha...beta"
    assert slugify.slugify("alpha beta gamma", max_length=10, separator="") == "alphabeta"
    assert slugify.slugify("alpha beta gamma", max_length=16, word_boundary=True, separator="<>") == "alpha<>beta<>gamma"


def test_limits_below_one_are_none():
    assert slugify.slugify("Some Long Title", max_length=-4) == "some-long-title"
    assert slugify.slugify("Some Long Title", max_length=0, word_boundary=True) == "some-long-title"


def test_stop_words_free_room_before_the_cut():
    slug = slugify.slugify("the end of the long road", max_length=9, stopwords=["the", "of"], word_boundary=True)
    assert slug == "end-long"
    assert slugify.slugify("the end of the long road", max_length=9) == "the-end-o"


def test_smart_truncate_cuts_at_the_limit():
    cuts = [slugify.smart_truncate("1000 reasons you are #1", max_length=length) for length in (0, 5, 12, 14, 60)]
    assert cuts == ["1000 reasons you are #1", "1000", "1000 reasons", "1000 reasons y", "1000 reasons you are #1"]


def test_smart_truncate_takes_whole_words():
    text = "lorem ipsum dolor sit amet"
    cuts = [slugify.smart_truncate(text, max_length=length, word_boundary=True) for length in (3, 5, 9, 11, 15, 26)]
    assert cuts == ["sit", "lorem", "lorem sit", "lorem ipsum", "lorem ipsum sit", "lorem ipsum dolor sit amet"]


def test_smart_truncate_keeps_the_order_on_request():
    text = "lorem ipsum dolor sit amet"
    cuts = [slugify.smart_truncate(text, length, True, " ", True) for length in (3, 9, 11, 16, 21)]
    assert cuts == ["lor", "lorem", "lorem ipsum", "lorem ipsum", "lorem ipsum dolor sit"]


def test_smart_truncate_strips_separators_at_the_ends():
    assert slugify.smart_truncate("__snake_case_name__", max_length=11, separator="_") == "snake_case"
    assert slugify.smart_truncate("--kebab-case--", separator="-") == "kebab-case"
    assert slugify.smart_truncate("a.b.c.d", max_length=5, word_boundary=True, separator=".") == "a.b.c"


def test_smart_truncate_of_one_long_word():
    assert slugify.smart_truncate("incomprehensible", max_length=7, word_boundary=True) == "incompr"
    assert slugify.smart_truncate("incomprehensible", max_length=4, word_boundary=True, save_order=True) == "inco"
