"""Properties of the stegano task: each docstring states the documented claim."""

import io
import wave
from itertools import islice, takewhile

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from stegano import exifHeader, lsb, rdh, red, wav
from stegano.lsb import generators
from stegano.steganalysis import parity

TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
LATIN = st.text(st.characters(max_codepoint=255), min_size=1, max_size=12)
SEED = st.integers(0, 10**6)
ENCODING = st.sampled_from(["UTF-8", "UTF-32LE"])
SIZES = {"RGB": (25, 21), "RGBA": (24, 22), "L": (40, 30)}


def image(seed, mode="RGB", size=None, top=256):
    """An image whose values follow from a number."""
    size = size or SIZES[mode]
    count = size[0] * size[1] * len(mode)
    return Image.frombytes(
        mode, size, bytes((seed + number * (2 * seed + 1) // 3 + number * number) % top for number in range(count))
    )


def quiet(seed, mode):
    """An image with one value in most places, and a value beside it that does not occur."""
    count = SIZES[mode][0] * SIZES[mode][1] * len(mode)
    peak = 10 + seed % 200
    raw = bytes(peak if number % (2 + seed % 5) else peak + 2 + number * seed % 40 for number in range(count))
    return Image.frombytes(mode, SIZES[mode], raw)


def sound(seed, width, channels, frames=600):
    """An open WAV file whose samples follow from a number."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((channels, width, 8000, 0, "NONE", ""))
        writer.writeframes(
            bytes((seed + number * 31 * (seed + 1)) % 256 for number in range(frames * width * channels))
        )
    file.seek(0)
    return file


@given(TEXT, SEED, st.sampled_from(["RGB", "RGBA"]), ENCODING, st.integers(0, 40))
def prop_bits_give_the_message_back(message, seed, mode, encoding, shift):
    """reveal finds what hide hid, with the same encoding and shift, and only lowest bits of colours changed."""
    before = image(seed, mode).tobytes()
    hidden = lsb.hide(image(seed, mode), message, shift=shift, encoding=encoding)
    after = hidden.tobytes()
    assert lsb.reveal(hidden, shift=shift, encoding=encoding) == message
    assert [value >> 1 for value in before] == [value >> 1 for value in after]
    assert before[: shift * len(mode)] == after[: shift * len(mode)]
    if mode == "RGBA":
        assert before[3::4] == after[3::4]


@given(TEXT, SEED, st.integers(1, 2), st.integers(0, 9))
def prop_the_message_lies_where_the_generator_says(message, seed, step, start):
    """The lowest bits of the chosen pixels are the length in bytes, a colon and the message; other pixels stay."""
    data = message.encode()
    payload = str(len(data)).encode() + b":" + data
    bits = [int(bit) for byte in payload for bit in f"{byte:08b}"]
    bits += [0] * (-len(bits) % 3)
    before = image(seed).tobytes()
    hidden = lsb.hide(image(seed), message, generator=iter(range(start, 525, step)))
    after = list(hidden.tobytes())
    expected = list(before)
    for number, bit in enumerate(bits):
        place = (start + number // 3 * step) * 3 + number % 3
        expected[place] = expected[place] & ~1 | bit
    assert after == expected


@given(LATIN, SEED, st.sampled_from(["RGB", "L"]))
def prop_red_values_give_the_message_back(message, seed, mode):
    """The red values of the first pixels are the length and the characters; green, blue and the rest stay."""
    before = image(seed, mode).convert("RGB").tobytes()
    hidden = red.hide(image(seed, mode), message)
    after = hidden.tobytes()
    assert red.reveal(hidden) == message
    assert list(after[0 : 3 * (len(message) + 1) : 3]) == [len(message), *map(ord, message)]
    assert [after[1::3], after[2::3]] == [before[1::3], before[2::3]]
    assert after[3 * (len(message) + 1) :] == before[3 * (len(message) + 1) :]


@given(LATIN, SEED, st.sampled_from(["RGB", "RGBA", "L"]))
def prop_reversible_hiding_is_reversible(message, seed, mode):
    """reveal finds the message and recover the image, equal in every sample; no sample moved by more than 1."""
    cover = quiet(seed, mode)
    hidden = rdh.hide(quiet(seed, mode), message)
    assert max(abs(a - b) for a, b in zip(cover.tobytes(), hidden.tobytes())) <= 1
    assert rdh.reveal(hidden.copy()) == message
    recovered = rdh.recover(hidden.copy())
    assert [recovered.mode, recovered.size, recovered.tobytes()] == [cover.mode, cover.size, cover.tobytes()]


@given(SEED, st.sampled_from(["RGB", "L"]))
def prop_capacity_is_exactly_what_fits(seed, mode):
    """A message as long as the capacity can be hidden, one character more cannot."""
    room = rdh.capacity(quiet(seed, mode))
    hidden = rdh.hide(quiet(seed, mode), "x" * room)
    assert rdh.reveal(hidden) == "x" * room
    rest = quiet(seed, mode).tobytes()[64:]
    assert room == max(0, max(map(rest.count, set(rest))) - 64) // 8
    try:
        rdh.hide(quiet(seed, mode), "x" * (room + 1))
    except ValueError:
        return
    raise AssertionError("a message that is too long was hidden")


@given(TEXT, SEED, st.integers(1, 3), st.integers(1, 2), ENCODING)
def prop_sounds_give_the_message_back(message, seed, width, channels, encoding):
    """reveal finds what hide hid in a sound; only the lowest bit of samples changed, the sound's form stays."""
    target = io.BytesIO()
    wav.hide(sound(seed, width, channels), message, target, encoding=encoding)
    assert wav.reveal(io.BytesIO(target.getvalue()), encoding=encoding) == message
    with wave.open(io.BytesIO(target.getvalue())) as after, wave.open(sound(seed, width, channels)) as before:
        assert after.getparams()[:4] == before.getparams()[:4]
        new, old = after.readframes(600), before.readframes(600)
    changed = [number for number, (a, b) in enumerate(zip(new, old)) if a != b]
    assert all(new[number] ^ old[number] == 1 and number % width == 0 for number in changed)
    assert max(changed, default=0) < 8 * (1 + len(message.encode(encoding))) * width


@given(st.binary(max_size=60) | st.text(st.characters(exclude_categories=("Cs",)), max_size=40), SEED)
def prop_descriptions_give_the_secret_back(secret, seed):
    """A secret in the description of a JPEG image comes back as bytes, whatever it is; the image keeps its size."""
    source, target = io.BytesIO(), io.BytesIO()
    image(seed).save(source, "JPEG")
    source.seek(0)
    exifHeader.hide(source, target, secret_message=secret)
    assert exifHeader.reveal(io.BytesIO(target.getvalue())) == (secret.encode() if isinstance(secret, str) else secret)
    with Image.open(io.BytesIO(target.getvalue())) as written:
        assert [written.size, written.format] == [(25, 21), "JPEG"]


@given(st.integers(2, 900))
def prop_primes_and_composites_share_out_the_numbers(limit):
    """Every whole number from 2 on is in exactly one of the two sequences, each in ascending order."""
    primes = list(takewhile(lambda number: number <= limit, generators.eratosthenes()))
    others = list(takewhile(lambda number: number <= limit, generators.composite()))
    assert primes == [
        number for number in range(2, limit + 1) if all(number % divisor for divisor in range(2, int(number**0.5) + 1))
    ]
    assert sorted(primes + others) == list(range(2, limit + 1))
    assert others == sorted(others)


@given(st.integers(1, 60), st.integers(0, 3))
def prop_sequences_follow_their_definitions(count, m):
    """Each sequence has the terms of its definition, however many are asked for."""
    fibonacci = list(islice(generators.fibonacci(), count + 2))
    assert all(fibonacci[n] + fibonacci[n + 1] == fibonacci[n + 2] for n in range(count))
    assert list(islice(generators.triangular_numbers(), count)) == [n * (n + 1) // 2 for n in range(count)]
    assert list(islice(generators.fermat(), min(count, 9))) == [2 ** (2**n) + 1 for n in range(min(count, 9))]
    assert list(islice(generators.mersenne(), count)) == [2**p - 1 for p in islice(generators.eratosthenes(), count)]
    ackermann = {0: lambda n: n + 1, 1: lambda n: n + 2, 2: lambda n: 2 * n + 3, 3: lambda n: 2 ** (n + 3) - 3}[m]
    assert list(islice(generators.ackermann(m), count)) == [ackermann(n) for n in range(count)]


@given(SEED)
def prop_parity_shows_the_lowest_bits(seed):
    """steganalyse gives 255 where a value is odd and 0 where it is even, in an image of the same form."""
    before = image(seed)
    shown = parity.steganalyse(image(seed))
    assert [shown.mode, shown.size] == [before.mode, before.size]
    assert list(shown.tobytes()) == [255 * (value & 1) for value in before.tobytes()]
