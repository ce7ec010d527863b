"""Messages in the lowest bits."""

from PIL import Image
from stegano import lsb
from stegano.lsb import generators


def lowest(image, count, step=1):
    """The bytes that the lowest bits of `count` pixels' colours make up, every `step`-th pixel."""
    channels = len(image.mode)
    raw = image.tobytes()
    bits = [raw[pixel * step * channels + colour] & 1 for pixel in range(count) for colour in range(3)]
    return bytes(int("".join(map(str, bits[at : at + 8])), 2) for at in range(0, len(bits) - 7, 8))


def test_messages_come_back(picture):
    messages = ["Hello, world!", "x", "zwölf Boxkämpfer", "日本 🍕", "two\nlines", "12:34:"]
    assert [lsb.reveal(lsb.hide(picture(), message)).encode() for message in messages] == [
        b"Hello, world!",
        b"x",
        b"zw\xc3\xb6lf Boxk\xc3\xa4mpfer",
        b"\xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x8d\x95",
        b"two\nlines",
        b"12:34:",
    ]


def test_the_bits_of_a_message(picture):
    image = lsb.hide(picture(), "hello")
    assert [image.mode, image.size, lowest(image, 19)[:7]] == ["RGB", (24, 16), b"5:hello"]
    assert lowest(lsb.hide(picture(), "é€"), 19)[:7] == b"5:\xc3\xa9\xe2\x82\xac"


def test_only_the_lowest_bits_that_are_needed_change(picture, values):
    before, after = values(), values(image=lsb.hide(picture(), "Secret"))
    changed = [number for number, (old, new) in enumerate(zip(before, after)) if old != new]
    assert [
        max(abs(old - new) for old, new in zip(before, after)),
        [old >> 1 for old in before] == [new >> 1 for new in after],
    ] == [1, True]
    assert max(changed) < 66
    assert after[64:66] == [before[64] & ~1, before[65] & ~1]


def test_wide_characters(picture):
    image = lsb.hide(picture(), "é🍫", encoding="UTF-32LE")
    assert list(lowest(image, 30)[:10]) == [56, 58, 0xE9, 0, 0, 0, 0x6B, 0xF3, 1, 0]
    assert [ord(letter) for letter in lsb.reveal(image, encoding="UTF-32LE")] == [0xE9, 0x1F36B]


def test_generators_choose_the_pixels(picture, values):
    before = values()
    image = lsb.hide(picture(), "abc", generator=iter(range(0, 384, 3)))
    assert lowest(image, 14, step=3)[:5] == b"3:abc"
    after = values(image=image)
    assert [before[number : number + 6] == after[number : number + 6] for number in range(3, 360, 9)] == [True] * 40
    assert lsb.reveal(image, generator=iter(range(0, 384, 3))) == "abc"


def test_numbers_can_be_left_out(picture, values):
    image = lsb.hide(picture(), "shifted", shift=100)
    assert values(image=image)[:300] == values()[:300]
    found = [lsb.reveal(image.copy(), shift=100), lsb.reveal(image, generators.identity(), shift=100)]
    assert [message[::-1] for message in found] == ["detfihs", "detfihs"]


def test_primes_and_others(picture):
    made = {
        "eratosthenes": lsb.hide(picture(), "primes", generators.eratosthenes()),
        "composite": lsb.hide(picture(), "others", generators.composite(), shift=5),
        "triangular_numbers": lsb.hide(picture(size=(60, 60)), "threes", generators.triangular_numbers()),
    }
    assert lsb.reveal(made["eratosthenes"], generators.eratosthenes()).upper() == "PRIMES"
    assert lsb.reveal(made["composite"], generators.composite(), shift=5).upper() == "OTHERS"
    assert lsb.reveal(made["triangular_numbers"], generators.triangular_numbers()).upper() == "THREES"


def test_alpha_stays(picture, values):
    image = lsb.hide(picture("RGBA"), "transparent")
    assert [image.mode, values(image=image)[3::4] == values("RGBA")[3::4]] == ["RGBA", True]
    assert [lowest(image, 24)[:9], lsb.reveal(image)] == [b"11:transp", "transparent"]


def test_other_modes_are_converted(picture):
    image = lsb.hide(picture("L"), "grey", auto_convert_rgb=True)
    assert [image.mode, image.size, lsb.reveal(image)] == ["RGB", (24, 16), "grey"]


def test_paths_files_and_images(picture, tmp_path):
    (tmp_path / "in.png").write_bytes(picture().read())
    lsb.hide(str(tmp_path / "in.png"), "by path").save(tmp_path / "out.png")
    with Image.open(tmp_path / "out.png") as image:
        found = [
            lsb.reveal(image, close_file=False),
            lsb.reveal(image, close_file=False),
            image.getpixel((0, 0))[2] & 1,
        ]
    with (tmp_path / "out.png").open("rb") as file:
        found.append(lsb.reveal(file))
    assert [*found, lsb.reveal(str(tmp_path / "out.png"))] == ["by path", "by path", 1, "by path", "by path"]
