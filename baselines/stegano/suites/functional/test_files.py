"""Secrets in the description of images and in sounds."""

import io
import wave

from PIL import Image
from stegano import exifHeader, wav


def photograph(description=None):
    """An open JPEG file, with the name of an artist among its EXIF fields."""
    exif = Image.Exif()
    exif[0x013B] = "An artist"
    if description is not None:
        exif[0x010E] = description
    file = io.BytesIO()
    Image.new("RGB", (20, 10), (90, 120, 30)).save(file, "JPEG", exif=exif)
    file.seek(0)
    return file


def described(**secret):
    """What comes back, the size and the artist of the image that was written."""
    target = io.BytesIO()
    exifHeader.hide(photograph(), target, **secret)
    written = target.getvalue()
    with Image.open(io.BytesIO(written)) as image:
        about = [image.format, image.size, image.getexif()[0x013B]]
    return [exifHeader.reveal(io.BytesIO(written)), *about]


def test_secrets_in_the_description(tmp_path):
    (tmp_path / "secret.bin").write_bytes(b"\x00\x01\xfe\xff")
    assert described(secret_message="geheim: ß") == [b"geheim: \xc3\x9f", "JPEG", (20, 10), "An artist"]
    assert described(secret_message=b"\xff\x00raw")[0] == b"\xff\x00raw"
    assert described(secret_file=str(tmp_path / "secret.bin"))[0] == b"\x00\x01\xfe\xff"


def test_descriptions_are_replaced_and_files_named(tmp_path):
    (tmp_path / "in.jpg").write_bytes(photograph("An old description").read())
    exifHeader.hide(str(tmp_path / "in.jpg"), str(tmp_path / "out.jpg"), "new one", img_format="JPEG")
    assert exifHeader.reveal(str(tmp_path / "out.jpg")) == b"new one"


def test_messages_in_sounds(sound):
    found = []
    for width, channels, message, encoding in (
        (2, 1, "Grüße", "UTF-8"),
        (1, 2, "x" * 40, "UTF-8"),
        (3, 1, "日本", "UTF-32LE"),
    ):
        target = io.BytesIO()
        wav.hide(sound(800, width, channels), message, target, encoding=encoding)
        found.append(wav.reveal(io.BytesIO(target.getvalue()), encoding))
    assert found == ["Grüße", "x" * 40, "日本"]


def test_the_bits_of_a_sound(sound):
    target = io.BytesIO()
    wav.hide(sound(), "Hi", target)
    with wave.open(io.BytesIO(target.getvalue())) as after, wave.open(sound()) as before:
        new, old = after.readframes(400), before.readframes(400)
        assert [after.getnchannels(), after.getsampwidth(), after.getframerate(), after.getnframes()] == [
            1,
            2,
            8000,
            400,
        ]
    assert "".join(str(value & 1) for value in new[0:48:2]) == "000000100100100001101001"
    assert [new[1::2] == old[1::2], new[48:] == old[48:], max(abs(a - b) for a, b in zip(new, old))] == [True, True, 1]
