"""Whole numbers, fractions and powers."""

import decimal
import fractions

import humanize


def each(function, *values, **options):
    return [function(value, **options) for value in values]


def test_ordinals():
    assert each(humanize.ordinal, 0, 1, 2, 3, 4, 10, 21, 32, 43, 100) == [
        "0th",
        "1st",
        "2nd",
        "3rd",
        "4th",
        "10th",
        "21st",
        "32nd",
        "43rd",
        "100th",
    ]
    assert each(humanize.ordinal, 11, 12, 13, 111, 212, 1013, 1011, 1021) == [
        "11th",
        "12th",
        "13th",
        "111th",
        "212th",
        "1013th",
        "1011th",
        "1021st",
    ]
    assert each(humanize.ordinal, "7", "102", 3.9, decimal.Decimal("22"), gender="female") == ["7th", "102nd", "3rd", "22nd"]


def test_commas():
    assert each(humanize.intcomma, 0, 12, 999, 1000, 1234567, -98765, 10**12) == [
        "0",
        "12",
        "999",
        "1,000",
        "1,234,567",
        "-98,765",
        "1,000,000,000,000",
    ]
    assert each(humanize.intcomma, "1000", "10,311", "1234567.89", "-4500.5") == ["1,000", "10,311", "1,234,567.89", "-4,500.5"]


def test_commas_with_decimal_places():
    assert each(humanize.intcomma, 1234.5454545, 14308.4, 0.5, 99999.999, ndigits=2) == ["1,234.55", "14,308.40", "0.50", "100,000.00"]
    assert each(humanize.intcomma, 1234.6, "14308.40", 7, ndigits=0) == ["1,235", "14,308", "7"]
    assert [humanize.intcomma(1234.25), humanize.intcomma(1234567.1, ndigits=3), humanize.intcomma(5, 1)] == [
        "1,234.25",
        "1,234,567.100",
        "5.0",
    ]


def test_large_numbers_in_words():
    assert each(humanize.intword, 100, 999, 1000, 12400, 1000000, 1200000000, 8 * 10**12) == [
        "100",
        "999",
        "1.0 thousand",
        "12.4 thousand",
        "1.0 million",
        "1.2 billion",
        "8.0 trillion",
    ]
    assert each(humanize.intword, 3 * 10**15, 4 * 10**18, 5 * 10**21, 6 * 10**24, 7 * 10**27, 8 * 10**30, 9 * 10**33, 2 * 10**100) == [
        "3.0 quadrillion",
        "4.0 quintillion",
        "5.0 sextillion",
        "6.0 septillion",
        "7.0 octillion",
        "8.0 nonillion",
        "9.0 decillion",
        "2.0 googol",
    ]


def test_words_that_round_up_and_other_formats():
    assert each(humanize.intword, 999499, 999999, 999999999, -1500, -999999, "1234000") == [
        "999.5 thousand",
        "1.0 million",
        "1.0 billion",
        "-1.5 thousand",
        "-1.0 million",
        "1.2 million",
    ]
    assert each(humanize.intword, 1234000, 999999, 5050, format="%0.3f") == ["1.234 million", "999.999 thousand", "5.050 thousand"]
    assert humanize.intword(1750000, format="%d") == "1 million"


def test_small_numbers_in_words():
    assert each(humanize.apnumber, *range(12)) == [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "10",
        "11",
    ]
    assert each(humanize.apnumber, "7", 5.8, -1, "250") == ["seven", "five", "-1", "250"]


def test_fractions():
    assert each(humanize.fractional, 0.3, 1.3, 1 / 3, 0.75, 2.5, "0.125", "1.5") == ["3/10", "1 3/10", "1/3", "3/4", "2 1/2", "1/8", "1 1/2"]
    assert each(humanize.fractional, 1, 4.0, 0, "-7", 2.9999999) == ["1", "4", "0", "-7", "3"]
    assert each(humanize.fractional, -0.3, -1.3, fractions.Fraction(-7, 2)) == ["-3/10", "-1 3/10", "-3 1/2"]


def test_powers_of_ten():
    assert each(humanize.scientific, 0.3, 500, -1000, "99", 0, 123456789, 0.00000671) == [
        "3.00 x 10⁻¹",
        "5.00 x 10²",
        "-1.00 x 10³",
        "9.90 x 10¹",
        "0.00 x 10⁰",
        "1.23 x 10⁸",
        "6.71 x 10⁻⁶",
    ]
    assert [humanize.scientific(1000, 1), humanize.scientific(98765, precision=4), humanize.scientific(5e300, 0)] == [
        "1.0 x 10³",
        "9.8765 x 10⁴",
        "5 x 10³⁰⁰",
    ]


def test_prefixes():
    assert [humanize.metric(1500, "V"), humanize.metric(2e8, "W"), humanize.metric(220e-6, "F"), humanize.metric(1e-14, precision=4)] == [
        "1.50 kV",
        "200 MW",
        "220 μF",
        "10.00 f",
    ]
    assert each(humanize.metric, 0, 1, 12, 123, 1234, 123000, 1230000, -4567) == [
        "0.00",
        "1.00",
        "12.0",
        "123",
        "1.23 k",
        "123 k",
        "1.23 M",
        "-4.57 k",
    ]
    assert each(humanize.metric, 3e9, 3e12, 3e15, 3e18, 3e21, 3e24, 3e-3, 3e-9, 3e-12, 3e-18, unit="g") == [
        "3.00 Gg",
        "3.00 Tg",
        "3.00 Pg",
        "3.00 Eg",
        "3.00 Zg",
        "3.00 Yg",
        "3.00 mg",
        "3.00 ng",
        "3.00 pg",
        "3.00 ag",
    ]


def test_the_largest_and_smallest_prefixes():
    assert each(humanize.metric, 3e27, 4.5e30, -6e32, 3e-21, 3e-24, 3e-27, 4.5e-30, unit="m") == [
        "3.00 Rm",
        "4.50 Qm",
        "-600 Qm",
        "3.00 zm",
        "3.00 ym",
        "3.00 rm",
        "4.50 qm",
    ]
    assert [humanize.metric(12, "′"), humanize.metric(0.25, "V", precision=2)] == ["12.0′", "250 mV"]


def test_prefixes_that_round_up_or_run_out():
    assert each(humanize.metric, 999.9, 999999, 9.999) == ["1.00 k", "1.00 M", "10.0"]
    assert [humanize.metric(1e40), humanize.metric(2.5e-31, "m"), humanize.metric(30, "°"), humanize.metric(5, "″"), humanize.metric(7, "x")] == [
        "1.00 x 10⁴⁰",
        "2.50 x 10⁻³¹m",
        "30.0°",
        "5.00″",
        "7.00 x",
    ]


def test_limits():
    assert [
        humanize.clamp(123.456),
        humanize.clamp(0.0001, floor=0.01),
        humanize.clamp(0.999, format="{:.0%}", ceil=0.99),
        humanize.clamp(0.99, format="{:.0%}", ceil=0.99),
        humanize.clamp(1, format=humanize.intword, floor=1e6, floor_token="under "),
        humanize.clamp(80, floor=10, ceil=50, ceil_token="over "),
        humanize.clamp(30, "{:.1f}", 10, 50),
    ] == ["123.456", "<0.01", ">99%", "99%", "under 1.0 million", "over 50", "30.0"]


def test_lists():
    assert [
        humanize.natural_list([]),
        humanize.natural_list(["one"]),
        humanize.natural_list(("one", "two")),
        humanize.natural_list(["one", "two", "three"]),
        humanize.natural_list(range(5)),
        humanize.natural_list(word for word in ["a", None, 2.5]),
    ] == ["", "one", "one and two", "one, two and three", "0, 1, 2, 3 and 4", "a, None and 2.5"]
