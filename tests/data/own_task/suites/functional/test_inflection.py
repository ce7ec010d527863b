"""Every function of the surface, by its documentation."""

import inflection


def test_camelize():
    assert inflection.camelize("device_type") == "DeviceType"
    assert inflection.camelize("device_type", False) == "deviceType"
    assert inflection.camelize("io_error_log") == "IoErrorLog"


def test_dasherize():
    assert inflection.dasherize("puni_puni") == "puni-puni"
    assert inflection.dasherize("a_b_c") == "a-b-c"


def test_humanize():
    assert inflection.humanize("employee_salary") == "Employee salary"
    assert inflection.humanize("author_id") == "Author"


def test_ordinal():
    endings = [inflection.ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 111, 1002, 1003, -11, -1021)]
    assert endings == ["st", "nd", "rd", "th", "th", "th", "th", "st", "th", "nd", "rd", "th", "st"]


def test_ordinalize():
    texts = [inflection.ordinalize(number) for number in (1, 2, 1002, 1003, -11, -1021, 0)]
    assert texts == ["1st", "2nd", "1002nd", "1003rd", "-11th", "-1021st", "0th"]


def test_parameterize():
    assert inflection.parameterize("Donald E. Knuth") == "donald-e-knuth"
    assert inflection.parameterize("Donald E. Knuth", separator="_") == "donald_e_knuth"
    assert inflection.parameterize("  --Äpfel & Birnen!--  ") == "apfel-birnen"
    assert inflection.parameterize("some more text", separator="") == "somemoretext"


def test_pluralize():
    words = ("post", "octopus", "sheep", "CamelOctopus", "city", "box", "wife", "person", "child", "posts")
    plurals = ["posts", "octopi", "sheep", "CamelOctopi", "cities", "boxes", "wives", "people", "children", "posts"]
    assert [inflection.pluralize(word) for word in words] == plurals


def test_singularize():
    words = ("posts", "octopi", "sheep", "word", "CamelOctopi", "cities", "boxes", "wives", "people", "children")
    singulars = ["post", "octopus", "sheep", "word", "CamelOctopus", "city", "box", "wife", "person", "child"]
    assert [inflection.singularize(word) for word in words] == singulars


def test_tableize():
    assert inflection.tableize("RawScaledScorer") == "raw_scaled_scorers"
    assert inflection.tableize("egg_and_ham") == "egg_and_hams"
    assert inflection.tableize("fancyCategory") == "fancy_categories"


def test_titleize():
    assert inflection.titleize("man from the boondocks") == "Man From The Boondocks"
    assert inflection.titleize("x-men: the last stand") == "X Men: The Last Stand"
    assert inflection.titleize("TheManWithoutAPast") == "The Man Without A Past"
    assert inflection.titleize("raiders_of_the_lost_ark") == "Raiders Of The Lost Ark"


def test_transliterate():
    assert inflection.transliterate("älämölö") == "alamolo"
    assert inflection.transliterate("Ærøskøbing") == "rskbing"


def test_underscore():
    assert inflection.underscore("DeviceType") == "device_type"
    assert inflection.underscore("HTMLTidyGenerator") == "html_tidy_generator"
    assert inflection.underscore("area51-Controller") == "area51_controller"
