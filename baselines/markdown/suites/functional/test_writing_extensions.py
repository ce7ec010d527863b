"""Extensions of one's own, and registries."""

from markdown import Markdown, markdown
from markdown.extensions import Extension
from markdown.extensions.def_list import DefListExtension
from markdown.extensions.meta import MetaExtension
from markdown.extensions.nl2br import Nl2BrExtension
from markdown.extensions.toc import slugify, slugify_unicode, unique
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.util import Registry


class Shout(Preprocessor):
    def run(self, lines):
        return [line.upper() for line in lines if not line.startswith("%")]


class Frame(Postprocessor):
    def run(self, text):
        return f"<main>{text}</main>"


class House(Extension):
    def __init__(self, **kwargs):
        self.config = {"shout": [True, "Whether to shout"], "frame": ["", "A frame"], "size": [3, "A number"]}
        self.resets = 0
        super().__init__(**kwargs)

    def extendMarkdown(self, md):
        md.registerExtension(self)
        if self.getConfig("shout"):
            md.preprocessors.register(Shout(md), "shout", 35)
        if self.getConfig("frame"):
            md.postprocessors.register(Frame(md), "frame", 5)

    def reset(self):
        self.resets += 1


def makeExtension(**kwargs):
    return House(**kwargs)


def test_preprocessors_change_the_source():
    assert markdown("*a*\n% gone\nb", extensions=[House()]) == "<p><em>A</em>\nB</p>"


def test_postprocessors_change_the_html():
    md = Markdown(extensions=[House(shout="off", frame="x")])
    assert md.convert("a & <i>b</i>") == "<main><p>a &amp; <i>b</i></p></main>"


def test_processors_can_be_taken_out():
    md = Markdown(extensions=[House(frame="x"), "markdown.extensions.nl2br"])
    md.preprocessors.deregister("shout")
    assert [md.convert("a\nb"), "frame" in md.postprocessors, "shout" in md.preprocessors] == [
        "<main><p>a<br />\nb</p></main>",
        True,
        False,
    ]


def test_registered_extensions_are_reset():
    house = House()
    md = Markdown(extensions=[house])
    before = house.resets
    md.convert("a")
    same = md.reset() is md.reset()
    assert [house.resets - before, same, md.registerExtension(house) is md] == [2, True, True]


def test_settings_are_asked_for():
    house = House(frame="wide")
    assert [house.getConfig("frame"), house.getConfig("none"), house.getConfig("none", 8)] == ["wide", "", 8]
    assert [house.getConfigs(), house.getConfigInfo()] == [
        {"shout": True, "frame": "wide", "size": 3},
        [("shout", "Whether to shout"), ("frame", "A frame"), ("size", "A number")],
    ]


def test_settings_are_set():
    house = House()
    house.setConfig("size", 9)
    house.setConfigs({"frame": "f"})
    switched = []
    for word in ("no", "YES", "0", "on", "False", "y"):
        house.setConfigs([("shout", word)])
        switched.append(house.getConfig("shout"))
    assert [house.getConfigs(), switched] == [
        {"shout": True, "frame": "f", "size": 9},
        [False, True, False, True, False, True],
    ]


def test_extensions_are_found_by_module_and_class(tmp_path, monkeypatch):
    (tmp_path / "house_of_mine.py").write_text(
        "from markdown.extensions import Extension\n"
        "from markdown.postprocessors import Postprocessor\n"
        "class Mark(Postprocessor):\n"
        "    def run(self, text):\n"
        "        return text + self.word\n"
        "class Mine(Extension):\n"
        "    def __init__(self, **kwargs):\n"
        "        self.config = {'word': ['!', 'At the end']}\n"
        "        super().__init__(**kwargs)\n"
        "    def extendMarkdown(self, md):\n"
        "        mark = Mark(md)\n"
        "        mark.word = self.getConfig('word')\n"
        "        md.postprocessors.register(mark, 'mark', 1)\n"
        "def makeExtension(**kwargs):\n"
        "    return Mine(**{'word': '?', **kwargs})\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = [markdown("a", extensions=["house_of_mine"]), markdown("a", extensions=["house_of_mine:Mine"])]
    found.append(markdown("a", extensions=["house_of_mine"], extension_configs={"house_of_mine": {"word": "..."}}))
    assert found == ["<p>a</p>?", "<p>a</p>!", "<p>a</p>..."]


def test_extensions_can_be_loaded_later():
    md = Markdown()
    before = md.convert("a\nb")
    same = (
        md.registerExtensions(
            [Nl2BrExtension(), "markdown.extensions.toc"], {"markdown.extensions.toc": {"baselevel": 3}}
        )
        is md
    )
    assert [before, same, md.convert("# a\n\nb\nc")] == ["<p>a\nb</p>", True, '<h3 id="a">a</h3>\n<p>b<br />\nc</p>']


def test_objects_of_extensions():
    md = Markdown(extensions=[MetaExtension(), DefListExtension()])
    assert [md.convert("a: 1\n\nterm\n:   text"), md.Meta] == [
        "<dl>\n<dt>term</dt>\n<dd>text</dd>\n</dl>",
        {"a": ["1"]},
    ]


def test_slugs():
    texts = ["Hello, World!", "  a -- b  ", "Ünïcödé 12", "日本 x", "snake_case"]
    assert [slugify(text, "-") for text in texts] == ["hello-world", "a-b", "unicode-12", "x", "snake_case"]
    assert [slugify_unicode(text, "-") for text in texts] == [
        "hello-world",
        "a-b",
        "ünïcödé-12",
        "日本-x",
        "snake_case",
    ]
    assert [slugify("A b  C", "_"), slugify("É", "-", unicode=True)] == ["a_b_c", "é"]


def test_identifiers_are_made_unique():
    ids = {"a", "a_1", "b_7"}
    assert [unique("a", ids), unique("c", ids), unique("b_7", ids), unique("c", ids), unique("", ids)] == [
        "a_2",
        "c",
        "b_8",
        "c_1",
        "_1",
    ]
    assert ids == {"a", "a_1", "a_2", "b_7", "b_8", "c", "c_1", "_1"}


def test_registries_are_ordered_by_priority():
    registry = Registry()
    for item, name, priority in (("low", "l", 5), ("high", "h", 50.5), ("mid", "m", 20), ("mid too", "n", 20)):
        registry.register(item, name, priority)
    assert [list(registry), len(registry), registry[0], registry[-1], registry["m"]] == [
        ["high", "mid", "mid too", "low"],
        4,
        "high",
        "low",
        "mid",
    ]
    assert [registry.get_index_for_name("l"), "m" in registry, "x" in registry, list(registry[1:3])] == [
        3,
        True,
        False,
        ["mid", "mid too"],
    ]


def test_registries_replace_and_remove():
    registry, first, second = Registry(), ["first"], ["second"]
    registry.register(first, "a", 10)
    registry.register(["other"], "b", 20)
    registry.register(second, "a", 30)
    assert [list(registry), first in registry, second in registry] == [[["second"], ["other"]], False, True]
    registry.deregister("a")
    registry.deregister("never there", strict=False)
    assert [list(registry), "a" in registry, second in registry] == [[["other"]], False, False]
