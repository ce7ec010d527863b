"""Sequences of pixel numbers."""

from itertools import islice

from stegano.lsb import generators


def first(count, numbers):
    return list(islice(numbers, count))


def test_simple_sequences():
    assert first(5, generators.identity()) == [0, 1, 2, 3, 4]
    assert first(7, generators.triangular_numbers()) == [0, 1, 3, 6, 10, 15, 21]
    assert first(8, generators.fibonacci()) == [1, 2, 3, 5, 8, 13, 21, 34]


def test_primes_and_composites():
    assert first(12, generators.eratosthenes()) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    assert first(10, generators.composite()) == [4, 6, 8, 9, 10, 12, 14, 15, 16, 18]
    assert first(500, generators.eratosthenes())[-1] == 3571


def test_numbers_with_names():
    assert first(5, generators.fermat()) == [3, 5, 17, 257, 65537]
    assert first(6, generators.mersenne()) == [3, 7, 31, 127, 2047, 8191]
    assert first(4, generators.carmichael()) == [561, 1105, 1729, 2465]


def test_steps_that_grow():
    numbers = first(30, generators.log_gen())
    assert numbers[:12] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30]
    assert numbers[12:] == [40, 50, 60, 70, 80, 90, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 2000, 3000]


def test_ackermann():
    assert [first(4, generators.ackermann(m)) for m in range(4)] == [
        [1, 2, 3, 4],
        [2, 3, 4, 5],
        [3, 5, 7, 9],
        [5, 13, 29, 61],
    ]
