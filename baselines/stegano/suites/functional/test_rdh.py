"""Messages that leave no trace once they are taken out."""

from PIL import Image
from stegano import rdh


def busy(mode="L", peak=90, size=(40, 30)):
    """A picture with many samples of one value, in which 93 is the nearest value that does not occur."""
    count = size[0] * size[1] * len(mode)
    raw = bytes(peak if number % 3 else (88, 89, 91, 92, 200)[number // 3 % 5] for number in range(count))
    return Image.frombytes(mode, size, raw)


def test_messages_and_pictures_come_back(picture):
    hidden = [rdh.hide(picture(image=busy(mode)), f"in {mode} äöü") for mode in ("L", "RGB", "RGBA")]
    assert [rdh.reveal(picture(image=image)) for image in hidden] == ["in L äöü", "in RGB äöü", "in RGBA äöü"]
    recovered = [rdh.recover(picture(image=image)) for image in hidden]
    assert [image.mode for image in recovered] == ["L", "RGB", "RGBA"]
    assert [image.tobytes() == busy(image.mode).tobytes() for image in recovered] == [True, True, True]


def test_the_header(picture, values):
    after, before = values(image=rdh.hide(picture(image=busy()), "abc")), values(image=busy())
    bits = "".join(str(sample & 1) for sample in after[:64])
    assert [int(bits[:16], 2), int(bits[16:24], 2), int(bits[24:32], 2), int(bits[32:], 2)] == [0x5244, 90, 87, 88]
    assert [sample >> 1 for sample in after[:64]] == [sample >> 1 for sample in before[:64]]


def test_the_bits_at_the_peak(picture, values):
    after, before = values(image=rdh.hide(picture(image=busy()), "Az")), values(image=busy())
    places = [number for number in range(64, len(before)) if before[number] == 90]
    bits = "".join(str(90 - after[place]) for place in places)
    assert [bits[:64], bits[64:80]] == ["".join(str(sample & 1) for sample in before[:64]), "0100000101111010"]
    assert set(bits[80:]) == {"0"}
    moved = sorted({(before[number], after[number]) for number in range(64, len(before)) if before[number] != 90})
    assert moved == [(88, 87), (89, 88), (91, 91), (92, 92), (200, 200)]


def test_peaks_that_move_up(picture, values):
    raw = bytes([5, 6, 7] * 40 + [0, 1, 2, 3] * 10 + [1] * 400)
    hidden = rdh.hide(picture(image=Image.frombytes("L", (56, 10), raw)), "up")
    after = values(image=hidden)
    assert [after[120:160:4], after[122:160:4], after[123:160:4]] == [[0] * 10, [3] * 10, [4] * 10]
    bits = "".join(str(value - 1) for value in after[160:])
    assert [bits[54:70], set(bits[70:]), after[64:120] == list(raw[64:120])] == ["0111010101110000", {"0"}, True]
    assert [rdh.reveal(picture(image=hidden)), rdh.recover(hidden).tobytes() == raw] == ["up", True]


def test_wide_characters_in_rdh(picture):
    hidden = rdh.hide(picture(image=busy()), "日本", encoding="UTF-32LE")
    assert [ord(letter) for letter in rdh.reveal(picture(image=hidden), encoding="UTF-32LE")] == [0x65E5, 0x672C]
    assert rdh.recover(hidden).tobytes() == busy().tobytes()


def test_how_much_fits(picture):
    room = rdh.capacity(picture(image=busy()))
    assert [room, rdh.capacity(picture(image=busy("RGB"))), rdh.capacity(picture("L", (8, 9)))] == [86, 286, 0]
    hidden = rdh.hide(picture(image=busy()), "x" * room)
    assert [rdh.reveal(picture(image=hidden)), rdh.recover(hidden).tobytes() == busy().tobytes()] == ["x" * 86, True]
