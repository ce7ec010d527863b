"""Bytes."""

import humanize


def test_thousands():
    values = [0, 1, 300, 999, 1000, 3000, 1500000, 3 * 10**9, 4.2e12, 10**15, 10**18, 10**21, 10**24, 10**28, 10**30]
    assert [humanize.naturalsize(value) for value in values] == [
        "0 Bytes",
        "1 Byte",
        "300 Bytes",
        "999 Bytes",
        "1.0 kB",
        "3.0 kB",
        "1.5 MB",
        "3.0 GB",
        "4.2 TB",
        "1.0 PB",
        "1.0 EB",
        "1.0 ZB",
        "1.0 YB",
        "10.0 RB",
        "1.0 QB",
    ]


def test_powers_of_two():
    values = [1, 1023, 1024, 3000, 1024**2, 1536 * 1024, 1024**3 * 5, 1024**4, 1024**8]
    assert [humanize.naturalsize(value, binary=True) for value in values] == [
        "1 Byte",
        "1023 Bytes",
        "1.0 KiB",
        "2.9 KiB",
        "1.0 MiB",
        "1.5 MiB",
        "5.0 GiB",
        "1.0 TiB",
        "1.0 YiB",
    ]


def test_short_forms():
    values = [1, 300, 1023, 1024, 3000, 1024**2 * 7, 1024**3, 1024**10]
    assert [humanize.naturalsize(value, gnu=True) for value in values] == ["1B", "300B", "1023B", "1.0K", "2.9K", "7.0M", "1.0G", "1.0Q"]
    assert humanize.naturalsize(3000, False, True, "%.3f") == "2.930K"


def test_formats_texts_and_signs():
    assert [
        humanize.naturalsize("4096", binary=True),
        humanize.naturalsize(-4096, True),
        humanize.naturalsize(-1),
        humanize.naturalsize(-250),
        humanize.naturalsize(1234567, format="%.3f"),
        humanize.naturalsize(123456, format="%d"),
        humanize.naturalsize(500.9),
    ] == ["4.0 KiB", "-4.0 KiB", "-1 Byte", "-250 Bytes", "1.235 MB", "123 kB", "500 Bytes"]


def test_sizes_that_round_up_or_run_out():
    assert [
        humanize.naturalsize(999949),
        humanize.naturalsize(999999),
        humanize.naturalsize(1024**2 - 1, binary=True),
        humanize.naturalsize(1024**2 - 1, gnu=True),
        humanize.naturalsize(10**34 * 3),
    ] == ["999.9 kB", "1.0 MB", "1.0 MiB", "1.0M", "30000.0 QB"]
