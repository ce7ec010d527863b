"""Workloads of the python-slugify task: seeded inputs, a body that uses the surface, a digest of the result."""

import random
import zlib

WORDS = (
    "river stone Garden WINTER letter, (bright) silver's 1,000 and the of to small wind_mill night & day echo "
    "northern Lights 3.14 harbour; journey... 'quoted' meadow un-even path Forest #12 Q&amp;A"
).split()
ACCENTED = "Crème brûlée Ångström Łódź Žižkov São Façade Øresund naïve Größe œuvre piñata jalapeño Übung Dvořák".split()
OTHER = "Привет мир Αθήνα 影師嗎 東京 नमस्ते दुनिया வணக்கம் Größe été Ünïcode straße Ελλάδα Сердце ශ්‍රී".split()


def titles(rng, words, count, low, high):
    return [" ".join(rng.choices(words, k=rng.randrange(low, high))) for _ in range(count)]


def fingerprint(slugs):
    joined = "\n".join(slugs).encode("utf-8", "surrogatepass")
    return [len(slugs), len(joined), zlib.crc32(joined)]


class PlainTitles:
    """Many short ASCII titles, one call each, all defaults."""

    id = "plain-titles"
    n = 4500

    def setup(self, size):
        return titles(random.Random(f"{self.id}/{size}"), WORDS, size, 4, 12)

    def body(self, inputs):
        import slugify

        return [slugify.slugify(title) for title in inputs]

    def digest(self, result):
        return fingerprint(result)


class AccentedTitles:
    """Titles with accented letters, transliterated, with a replacement table."""

    id = "accented-titles"
    n = 700

    def setup(self, size):
        return titles(random.Random(f"{self.id}/{size}"), WORDS[:12] + ACCENTED * 2, size, 5, 12)

    def body(self, inputs):
        import slugify

        return [slugify.slugify(title, replacements=slugify.GERMAN, replacement_stage="pre") for title in inputs]

    def digest(self, result):
        return fingerprint(result)


class UnicodeTitles:
    """Titles of many scripts, kept in Unicode by the modern algorithm."""

    id = "unicode-titles"
    n = 2200

    def setup(self, size):
        return titles(random.Random(f"{self.id}/{size}"), WORDS[:8] + OTHER, size, 5, 14)

    def body(self, inputs):
        import slugify

        return [slugify.slugify(title, allow_unicode=True, algorithm="modern") for title in inputs]

    def digest(self, result):
        return fingerprint(result)


class ShortIdentifiers:
    """Long titles cut at word ends, stop words left out; once in order, once filled up."""

    id = "short-identifiers"
    n = 500

    def setup(self, size):
        return titles(random.Random(f"{self.id}/{size}"), WORDS, size, 15, 30)

    def body(self, inputs):
        import slugify

        options = {"max_length": 48, "word_boundary": True, "stopwords": ("and", "the", "of", "to"), "separator": "_"}
        slugs = []
        for title in inputs:
            slugs.append(slugify.slugify(title, **options))
            slugs.append(slugify.slugify(title, save_order=True, **options))
            slugs.append(slugify.smart_truncate(title, max_length=60, word_boundary=True))
        return slugs

    def digest(self, result):
        return fingerprint(result)


class OneLongText:
    """One long text as a whole: every step of the work holds copies of it."""

    id = "one-long-text"
    n = 75000
    holds_mib = 20

    def setup(self, size):
        return " ".join(random.Random(f"{self.id}/{size}").choices(WORDS, k=size))

    def body(self, inputs):
        import slugify

        return slugify.slugify(inputs, stopwords=("and", "the", "of", "to"), replacements=(("harbour", "port"),))

    def digest(self, result):
        return fingerprint([result])


WORKLOADS = [PlainTitles(), AccentedTitles(), UnicodeTitles(), ShortIdentifiers(), OneLongText()]
