"""The modern algorithm where it differs, and where it does not."""

import slugify


def modern(text, **options):
    return slugify.slugify(text, algorithm="modern", **options)


def test_plain_text_gives_the_same_as_by_default():
    texts = ["Hello, World!", "C'est déjà l'été.", "影師嗎", "1,000 Reasons_why", "Baby’s shoes"]
    assert [modern(text) for text in texts] == [
        "hello-world",
        "c-est-deja-l-ete",
        "ying-shi-ma",
        "1000-reasons-why",
        "babys-shoes",
    ]


def test_references_are_decoded_first():
    assert modern("a&#39;b caf&eacute;s") == "a-b-cafes"
    assert modern("a&#20320;b &#x17d;ilina") == "ani-b-zilina"
    assert modern("&#X4d;ax &#x4D;in") == "max-min"


def test_invalid_references_stand_alone():
    assert modern("&#9999999999; &#98;ig") == "9999999999-big"
    assert modern("&#xD800; and &#x62;ig") == "xd800-and-big"
    assert modern("&#xDFFF; and a") == "xdfff-and-a"


def test_references_can_be_left_alone():
    assert modern("x &amp; y &#98; &#x62;", entities=False, decimal=False, hexadecimal=False) == "x-amp-y-98-x62"


def test_marks_stay_inside_words():
    assert modern("नमस्ते दुनिया", allow_unicode=True) == "नमस्ते-दुनिया"
    assert modern("வணக்கம், உலகம்!", allow_unicode=True) == "வணக்கம்-உலகம்"
    assert modern("snake_case Größe", allow_unicode=True) == "snake-case-größe"


def test_joiners_stay_only_between_parts_of_a_word():
    assert modern("ශ්‍රී ලංකා", allow_unicode=True) == "ශ්‍රී-ලංකා"
    assert modern("ab\u200d cd\u200cef", allow_unicode=True) == "ab-cd\u200cef"
    assert modern("ab\u200c", allow_unicode=True) == "ab"
    assert modern("ab\u200d\u0301c", allow_unicode=True) == "ab\u200d\u0301c"


def test_the_limit_counts_separators_as_written():
    assert modern("a b c", separator="---", max_length=5) == "a---b"
    assert modern("a b c", separator="::", max_length=3) == "a"
    assert modern("alpha beta gamma", separator="", max_length=10) == "alphabetag"
    assert modern("alpha beta gamma", separator="...", max_length=10) == "alpha...be"


def test_the_limit_with_whole_words():
    assert modern("one two three four", max_length=14, word_boundary=True, separator="--") == "one--two--four"
    assert modern("one two three four", max_length=14, word_boundary=True, separator="--", save_order=True) == "one--two"
    assert modern("extraordinary cat", max_length=5, word_boundary=True) == "cat"
    assert modern("extraordinary feats", max_length=4, word_boundary=True) == "extr"


def test_words_that_look_like_the_separator_are_kept():
    assert modern("xylophone x", separator="x", max_length=100) == "xylophonexx"
    assert modern("aba banana a", separator="a", max_length=10, word_boundary=True) == "abaabanana"


def test_rules_may_be_iterators():
    assert modern("a b", replacements=iter([("a", "aa")])) == "aaaa-b"
    assert modern("a b a b", stopwords=iter(["A", "b"]), lowercase=False) == "a-a"
    assert modern("A dog AND a cat", stopwords=(word for word in ["a", "And"])) == "dog-cat"


def test_the_stage_of_replacements_applies_here_too():
    assert modern("a b c", replacements=[("b", "(B)")], replacement_stage="post") == "a-(B)-c"
    assert modern("q b c", replacements=[("q", "qq")], replacement_stage="pre") == "qq-b-c"
