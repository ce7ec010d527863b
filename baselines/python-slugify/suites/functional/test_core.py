"""Plain text becomes words with separators between them."""

import slugify


def test_words_are_joined_by_dashes_in_lower_case():
    texts = ["Hello, World!", "  The Quick (Brown) Fox  ", "one_two three", "100% pure & simple"]
    slugs = [slugify.slugify(text) for text in texts]
    assert slugs == ["hello-world", "the-quick-brown-fox", "one-two-three", "100-pure-simple"]


def test_runs_of_other_characters_become_one_dash():
    assert slugify.slugify("a -- b ___ c...d") == "a-b-c-d"
    assert slugify.slugify("---Start---Middle   End---") == "start-middle-end"
    assert slugify.slugify("tabs\tand\nnew\r\nlines\x00here") == "tabs-and-new-lines-here"


def test_text_without_letters_and_digits_gives_nothing():
    slugs = [slugify.slugify(text) for text in ["", "   ", "?!#", "---", "_", "a"]]
    assert slugs == ["", "", "", "", "", "a"]
    assert slugify.slugify("?! what !?") == "what"


def test_capitals_are_kept_on_request():
    assert slugify.slugify("Northern Lights OVER Norway", lowercase=False) == "Northern-Lights-OVER-Norway"
    assert slugify.slugify("MixedCase ÉCOLE", lowercase=False) == "MixedCase-ECOLE"
    assert slugify.slugify("MixedCase ÉCOLE") == "mixedcase-ecole"


def test_apostrophes_separate_words():
    assert slugify.slugify("C'est l'heure") == "c-est-l-heure"
    assert slugify.slugify("rock 'n' roll, it''s") == "rock-n-roll-it-s"


def test_curly_apostrophes_join_words():
    assert slugify.slugify("Baby’s first shoes") == "babys-first-shoes"
    assert slugify.slugify("‘Quoted’ l’été") == "quoted-lete"


def test_commas_inside_numbers_disappear():
    assert slugify.slugify("1,000 reasons") == "1000-reasons"
    assert slugify.slugify("12,345,678 of 9,99,9 and a,b or 7, 8") == "12345678-of-9999-and-a-b-or-7-8"


def test_digits_and_points():
    assert slugify.slugify("Version 3.11.4 (2023)") == "version-3-11-4-2023"
    assert slugify.slugify("50% + 50% = 100%") == "50-50-100"


def test_bytes_are_utf8_and_bad_bytes_are_ignored():
    assert slugify.slugify("Crème Brûlée".encode()) == "creme-brulee"
    assert slugify.slugify(bytearray(b"caf\xc3\xa9 au\xff lait")) == "cafe-au-lait"
    assert slugify.slugify(b"\xfe\xffplain \xc3text") == "plain-text"


def test_the_first_parameters_may_be_given_by_position():
    slug = slugify.slugify("The Big &amp; Small X", True, True, True, 9, True, "_", True, ["the"], None, False)
    assert slug == "The_Big"
    assert slugify.slugify("A &lt; B", False) == "a-lt-b"
