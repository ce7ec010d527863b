"""Pictures and sounds of the suite, made from numbers, and its commands, run as processes of their own."""

import io
import os
import subprocess
import sys
import wave

import pytest
from PIL import Image

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads of a numerical library would keep tests from being forked


def drawn(mode="RGB", size=(24, 16), top=200):
    """A picture whose values are below `top`, in no simple order."""
    width, height = size
    count = width * height * len(mode)
    return Image.frombytes(mode, size, bytes((number * 37 + number // 7 * 11) % top for number in range(count)))


@pytest.fixture
def picture():
    """A function that makes a picture, as an open PNG file."""

    def make(mode="RGB", size=(24, 16), top=200, image=None):
        file = io.BytesIO()
        (image or drawn(mode, size, top)).save(file, "PNG")
        file.seek(0)
        return file

    return make


@pytest.fixture
def values():
    """A function that gives the values of a picture: those that `picture` makes, or those of an image."""

    def read(mode="RGB", size=(24, 16), top=200, image=None):
        return list((image or drawn(mode, size, top)).tobytes())

    return read


@pytest.fixture
def sound():
    """A function that makes a sound, as an open WAV file."""

    def make(frames=400, width=2, channels=1):
        file = io.BytesIO()
        with wave.open(file, "wb") as writer:
            writer.setnchannels(channels)
            writer.setsampwidth(width)
            writer.setframerate(8000)
            writer.writeframes(bytes(number * 29 % 251 for number in range(frames * width * channels)))
        file.seek(0)
        return file

    return make


@pytest.fixture
def command(tmp_path):
    """A function that runs a command in a folder of the test's and tells status, output and errors."""

    def run(name, *arguments, stdin=""):
        # arguments follow the locale otherwise, where they are encoded as where they are decoded
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path), PYTHONUTF8="1")
        script = (
            f"import sys; from stegano.console import {name}; sys.argv[0] = 'stegano-{name}'; sys.exit({name}.main())"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, *(argument.encode() for argument in arguments)],
            input=stdin,
            capture_output=True,
            env=environment,
            encoding="utf-8",
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run
