"""Workloads of the markdown task: seeded inputs, a body that uses the surface, a digest of the result."""

import random
import zlib

WORDS = "anchor beacon cargo drift eddy fathom galley harbour inlet jetty keel lagoon mooring narrows".split()


def phrase(rng, low=3, high=9):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(low, high)))


def fingerprint(text):
    return [len(text), zlib.crc32(text.encode())]


def section(rng, number):
    items = "\n".join(f"- {phrase(rng)}\n    1. {phrase(rng)}\n    2. {phrase(rng)}" for _ in range(2))
    return (
        f"## {phrase(rng)} {number}\n\n{phrase(rng, 20, 40)}\n{phrase(rng)}  \n{phrase(rng)}\n\n{items}\n\n"
        f"> {phrase(rng)}\n> {phrase(rng)}\n\n    {rng.choice(WORDS)} = <{number}> & {rng.choice(WORDS)}\n\n***\n\n{phrase(rng)}\n---"
    )


class Documents:
    """One long document of all kinds of blocks."""

    id = "blocks"
    n = 45

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return "\n\n".join(section(rng, number) for number in range(size))

    def body(self, inputs):
        import markdown

        return markdown.markdown(inputs)

    def digest(self, result):
        return fingerprint(result)


class Inline:
    """Paragraphs full of links, emphasis, code and references."""

    id = "inline"
    n = 70

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        texts = []
        for number in range(size):
            word, other = rng.sample(WORDS, 2)
            texts.append(
                f"*{phrase(rng)}* and **{word} _{other}_** in `{word}<{number}>`, see [{phrase(rng)}](/{word}/{number} '{other}'), "
                f"[{word}][{other}] or ![{other}](/{other}.png) & <http://{word}.org/{number}>; \\*{phrase(rng)}\\* &copy; {number} < {number + 1} "
                f"<b>{word}</b> {phrase(rng)}"
            )
        return "\n\n".join(texts) + "\n\n" + "\n".join(f"[{word}]: /{word} '{word}'" for word in WORDS)

    def body(self, inputs):
        import markdown

        return markdown.markdown(inputs, output_format="html")

    def digest(self, result):
        return fingerprint(result)


class Small:
    """Many short texts with one converter."""

    id = "short-texts"
    n = 80

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [
            f"# {phrase(rng)}\n\n*{phrase(rng)}* [x]\n\n- {phrase(rng)}\n- `{number}`\n\n[x]: /{number}"
            for number in range(size)
        ]

    def body(self, inputs):
        import markdown

        converter = markdown.Markdown()
        return "\n".join(converter.reset().convert(text) for text in inputs)

    def digest(self, result):
        return fingerprint(result)


class Extended:
    """Tables, code, headings with a table of contents, and definitions."""

    id = "extensions"
    n = 30

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        parts = ["title: " + phrase(rng), "[TOC]"]
        for number in range(size):
            rows = "\n".join(f"{rng.choice(WORDS)} | *{number}* | `{rng.choice(WORDS)}`" for _ in range(4))
            parts.append(f"{'#' * rng.randrange(1, 5)} {phrase(rng, 1, 3)}")
            parts.append(f"a | b | c\n:--|:-:|---\n{rows}")
            parts.append(f"```python\nif {rng.choice(WORDS)} < {number}:\n\n    {rng.choice(WORDS)}()\n```")
            parts.append(f"{rng.choice(WORDS)}\n:   {phrase(rng)}")
        return "\n\n".join(parts)

    def body(self, inputs):
        import markdown
        from markdown.extensions.def_list import DefListExtension
        from markdown.extensions.fenced_code import FencedCodeExtension
        from markdown.extensions.meta import MetaExtension
        from markdown.extensions.tables import TableExtension
        from markdown.extensions.toc import TocExtension

        extensions = [
            MetaExtension(),
            TableExtension(),
            FencedCodeExtension(),
            TocExtension(permalink=True),
            DefListExtension(),
        ]
        converter = markdown.Markdown(extensions=extensions)
        return converter.convert(inputs) + converter.toc + converter.Meta["title"][0]

    def digest(self, result):
        return fingerprint(result)


class LongListing:
    """A very long document of paragraphs and listings."""

    id = "long-listing"
    n = 12000
    holds_mib = 20

    def setup(self, size):
        return {"size": size, "step": random.Random(f"{self.id}/{size}").randrange(100, 999)}

    def body(self, inputs):
        import markdown

        lines = []
        for number in range(inputs["size"]):
            value = number * inputs["step"]
            if number % 60 == 0:
                lines += ["", f"{WORDS[number % 14]} *{value}*", ""]
            lines.append(f"    {WORDS[value % 13]}[{number}] = {value} < {WORDS[number % 11]} & {value % 97}")
        return markdown.markdown("\n".join(lines))

    def digest(self, result):
        return [len(result), zlib.crc32(result[::41].encode())]


WORKLOADS = [Documents(), Inline(), Small(), Extended(), LongListing()]
