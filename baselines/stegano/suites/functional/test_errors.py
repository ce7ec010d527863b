"""What is refused, and images in which nothing is hidden."""

import io

import pytest
from PIL import Image
from stegano import exifHeader, lsb, rdh, red, wav
from stegano.lsb import generators
from stegano.steganalysis import parity


def refusals(calls):
    """Per call what it raises, as the first of the named kinds, or what it returns."""
    found = []
    for call in calls:
        try:
            found.append(call())
        except ValueError:
            found.append("ValueError")
        except IndexError:
            found.append("IndexError")
        except Exception:
            found.append("Exception")
    return found


def refused(calls):
    """Whether each call raises an exception."""
    return [answer in ("ValueError", "IndexError", "Exception") for answer in refusals(calls)]


def test_messages_that_cannot_be_hidden_in_bits(picture):
    calls = [
        lambda: lsb.hide(picture(), ""),
        lambda: lsb.hide(picture(), "x" * 141),
        lambda: lsb.hide(picture(size=(2, 2)), "long"),
    ]
    assert refused(calls) == [True, True, True]
    assert lsb.reveal(lsb.hide(picture(), "x" * 140)) == "x" * 140


def test_unknown_encodings(picture, sound):
    calls = [
        lambda: lsb.hide(picture(), "x", encoding="latin-1"),
        lambda: lsb.reveal(picture(), encoding="UTF-16"),
        lambda: wav.hide(sound(), "x", io.BytesIO(), encoding="ascii"),
        lambda: wav.reveal(sound(), encoding="utf8"),
    ]
    assert refusals(calls) == ["ValueError", "ValueError", "ValueError", "ValueError"]


def test_bits_without_a_message(picture):
    cut = lsb.hide(picture(), "x" * 100).crop((0, 0, 24, 8))
    calls = [
        lambda: lsb.reveal(Image.new("RGB", (20, 20))),
        lambda: lsb.reveal(Image.new("RGB", (20, 20), (255, 255, 255))),
        lambda: lsb.reveal(cut),
        lambda: lsb.reveal(lsb.hide(picture(), "ten")),
    ]
    assert refusals(calls) == ["IndexError", "IndexError", "IndexError", "ten"]


def test_pixels_beyond_the_image(picture):
    with pytest.raises(IndexError):
        lsb.hide(picture(), "fermat", generators.fermat())
    with pytest.raises(IndexError):
        lsb.hide(picture(), "shifted", shift=380)
    assert lsb.reveal(lsb.hide(picture(), "fine", shift=360), shift=360).upper() == "FINE"


def test_text_that_is_none(picture):
    image = lsb.hide(picture(), "a", encoding="UTF-8")
    raw = bytearray(image.tobytes())
    for number, bit in enumerate("11111111", start=16):
        raw[number] = raw[number] & ~1 | int(bit)
    broken = Image.frombytes("RGB", image.size, bytes(raw))
    assert refusals([lambda: lsb.reveal(broken), lambda: lsb.reveal(image)]) == ["IndexError", "a"]


def test_red_messages_of_bad_lengths(picture):
    assert refused([lambda: red.hide(picture(), ""), lambda: red.hide(picture(), "x" * 255)]) == [True, True]
    assert red.reveal(red.hide(picture(), "x" * 253 + "y"))[-2:] == "xy"


def test_images_that_rdh_cannot_use(picture):
    plain = Image.new("L", (40, 30), 7)
    full = Image.frombytes("L", (64, 64), bytes(range(256)) * 16)
    calls = [
        lambda: rdh.hide(picture(image=plain), "€"),
        lambda: rdh.hide(picture(image=plain), "x" * 135),
        lambda: rdh.hide(picture("L", (8, 8)), "x"),
        lambda: rdh.hide(picture(image=full), "x"),
        lambda: rdh.capacity(picture(image=full)),
        lambda: rdh.hide(Image.new("CMYK", (30, 30)), "x"),
        lambda: rdh.reveal(picture(image=plain)),
        lambda: rdh.recover(picture(image=plain)),
        lambda: rdh.reveal(rdh.hide(picture(image=plain), "x" * 134)),
    ]
    assert refusals(calls) == ["ValueError"] * 8 + ["x" * 134]


def test_sounds_and_descriptions_that_are_refused(picture, sound):
    calls = [
        lambda: wav.hide(sound(), "", io.BytesIO()),
        lambda: wav.hide(sound(3000), "x" * 256, io.BytesIO()),
        lambda: wav.hide(sound(39), "four", io.BytesIO()),
        lambda: exifHeader.reveal(picture()),
    ]
    assert refused(calls) == [True, True, True, True]
    assert refusals(calls[3:]) == ["ValueError"]
    target = io.BytesIO()
    wav.hide(sound(40), "four", target)
    assert wav.reveal(io.BytesIO(target.getvalue())) == "four"


def test_parity_of_what_was_hidden(picture):
    before = parity.steganalyse(Image.new("RGB", (20, 4), (10, 20, 30)))
    after = parity.steganalyse(lsb.hide(Image.new("RGB", (20, 4), (10, 20, 30)), "U"))
    assert [set(before.tobytes()), after.size, list(after.tobytes()[:9])] == [
        {0},
        (20, 4),
        [0, 0, 255, 255, 0, 0, 0, 255, 0],
    ]
