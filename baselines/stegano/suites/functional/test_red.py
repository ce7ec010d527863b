"""Messages in the red values."""

from stegano import red


def test_the_red_values_are_the_message(picture, values):
    image = red.hide(picture(), "Hello")
    after, before = values(image=image), values()
    assert after[0:18:3] == [5, 72, 101, 108, 108, 111]
    assert [after[18:] == before[18:], after[1::3] == before[1::3], after[2::3] == before[2::3]] == [True, True, True]


def test_messages_come_back_from_red(picture):
    messages = ["a", "Straße", "x" * 254, "blanks and\nlines"]
    assert [red.reveal(red.hide(picture(), message)) for message in messages[1::2]] == ["Straße", "blanks and\nlines"]
    assert [red.reveal(red.hide(picture(), message)) for message in messages[0::2]] == ["a", "x" * 254]


def test_red_in_other_modes(picture):
    image = red.hide(picture("L"), "from grey")
    assert [image.mode, image.size, red.reveal(picture(image=image))] == ["RGB", (24, 16), "from grey"]


def test_lengths_that_cannot_be(picture, values):
    refused = []
    for first in (255, 254, 24, 23):
        image = red.hide(picture(size=(6, 4)), "kept")
        image.putpixel((0, 0), (first, 0, 0))
        try:
            refused.append(len(red.reveal(image)))
        except ValueError:
            refused.append(f"refused {first}")
    assert refused == ["refused 255", "refused 254", "refused 24", 23]
