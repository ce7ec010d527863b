"""Workloads of the stegano task: seeded inputs, a body that uses the surface, a digest of the result."""

import random
import zlib

WORDS = "amber basalt coral dune ember flint garnet heath islet jade kelp loam".split()


def sentence(rng, count):
    return " ".join(rng.choice(WORDS) for _ in range(count))


def canvas(mode, size, seed, top=250):
    """An image whose values follow from a number, made quickly."""
    from PIL import Image

    width, height = size
    row = bytes((seed + number * 7 + number // 11) % top for number in range(width * len(mode)))
    return Image.frombytes(mode, size, row * height)


class LowestBits:
    """Long messages in the lowest bits, hidden and found again."""

    id = "lowest-bits"
    n = 900

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return {"message": sentence(rng, size), "width": 300, "seed": rng.randrange(200)}

    def body(self, inputs):
        from stegano import lsb

        height = len(inputs["message"]) * 8 // 3 // inputs["width"] + 10
        cover = canvas("RGB", (inputs["width"], height), inputs["seed"])
        hidden = lsb.hide(cover, inputs["message"], shift=7)
        return zlib.crc32(hidden.tobytes()), lsb.reveal(hidden, shift=7)

    def digest(self, result):
        return [result[0], len(result[1]), zlib.crc32(result[1].encode())]


class ScatteredBits:
    """Short messages at pixels that sequences choose."""

    id = "scattered-bits"
    n = 36

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [
            [rng.choice(["eratosthenes", "composite", "identity"]), sentence(rng, 12), rng.randrange(40)]
            for _ in range(size)
        ]

    def body(self, inputs):
        from stegano import lsb
        from stegano.lsb import generators

        found = []
        for name, message, shift in inputs:
            sequence = getattr(generators, name)
            hidden = lsb.hide(canvas("RGBA", (80, 60), shift), message, sequence(), shift=shift, encoding="UTF-8")
            found.append([zlib.crc32(hidden.tobytes()), lsb.reveal(hidden, sequence(), shift=shift)])
        return found

    def digest(self, result):
        return [[checksum, len(message)] for checksum, message in result]


class Sequences:
    """Many terms of the sequences."""

    id = "sequences"
    n = 6000

    def setup(self, size):
        return size

    def body(self, inputs):
        from itertools import islice

        from stegano.lsb import generators

        last = []
        for name in ("eratosthenes", "composite", "triangular_numbers", "identity"):
            numbers = list(islice(getattr(generators, name)(), inputs))
            last.append([numbers[-1], sum(numbers[::50])])
        return last

    def digest(self, result):
        return result


class Reversible:
    """Messages hidden reversibly, found, and the image restored."""

    id = "reversible"
    n = 20

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [[sentence(rng, 6), rng.randrange(60, 90), rng.choice(["L", "RGB"])] for _ in range(size)]

    def body(self, inputs):
        from PIL import Image
        from stegano import rdh

        found = []
        for message, peak, mode in inputs:
            count = 60 * 40 * len(mode)
            raw = (bytes([peak]) * 5 + bytes([peak + 2, peak + 3, peak - 4])) * (count // 8 + 1)
            cover = Image.frombytes(mode, (60, 40), raw[:count])
            room = rdh.capacity(cover.copy())
            hidden = rdh.hide(cover.copy(), message)
            recovered = rdh.recover(hidden.copy())
            found.append([room, rdh.reveal(hidden), zlib.crc32(recovered.tobytes())])
        return found

    def digest(self, result):
        return [[room, len(message), checksum] for room, message, checksum in result]


class LargePicture:
    """A large picture treated reversibly and looked at for its parity."""

    id = "large-picture"
    n = 50
    holds_mib = 20

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return {"message": sentence(rng, 20), "rows": size, "seed": rng.randrange(60)}

    def body(self, inputs):
        from stegano import rdh
        from stegano.steganalysis import parity

        cover = canvas("RGB", (1300, inputs["rows"]), inputs["seed"], top=40)
        hidden = rdh.hide(cover, inputs["message"]) if inputs["rows"] > 1 else cover
        return rdh.reveal(hidden.copy()) if inputs["rows"] > 1 else "", zlib.crc32(
            parity.steganalyse(hidden.crop((0, 0, 100, inputs["rows"]))).tobytes()
        )

    def digest(self, result):
        return [len(result[0]), result[1]]


WORKLOADS = [LowestBits(), ScatteredBits(), Sequences(), Reversible(), LargePicture()]
