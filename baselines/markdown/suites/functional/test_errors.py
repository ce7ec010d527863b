"""What is refused."""

import io

import pytest
from markdown import Markdown, markdown, markdownFromFile
from markdown.extensions import Extension
from markdown.extensions.tables import TableExtension
from markdown.extensions.toc import TocExtension
from markdown.util import Registry


def refusals(calls):
    """The names of the classes of exception that calls raise, as far as they are of a documented one."""
    names = []
    for call, error in calls:
        try:
            call()
        except error:
            names.append(error.__name__)
        else:
            names.append("nothing")
    return names


def test_unknown_formats_are_refused():
    md = Markdown()
    with pytest.raises(KeyError):
        md.set_output_format("pdf")
    with pytest.raises(KeyError):
        Markdown(output_format="rtf")
    assert Markdown(output_format="XHTML").convert("a  \nb") == "<p>a<br />\nb</p>"


def test_extensions_that_do_not_exist_are_refused():
    with pytest.raises(ImportError):
        markdown("x", extensions=["no.such.module"])
    with pytest.raises(ImportError):
        Markdown().registerExtensions(["nosuchextension"], {})
    assert markdown("*x*", extensions=[]) == "<p><em>x</em></p>"


def test_modules_without_an_extension_are_refused():
    with pytest.raises(AttributeError):
        markdown("x", extensions=["json"])
    with pytest.raises(AttributeError):
        markdown("x", extensions=["markdown.extensions.toc:NoSuchClass"])
    assert markdown("# x", extensions=["markdown.extensions.toc:TocExtension"]) == '<h1 id="x">x</h1>'


def test_objects_that_are_no_extensions_are_refused():
    calls = [lambda thing=thing: markdown("x", extensions=[thing]) for thing in (7, object(), {"a": 1}, Extension)]
    assert refusals([(call, TypeError) for call in calls]) == ["TypeError", "TypeError", "TypeError", "TypeError"]


def test_extensions_must_say_what_they_do():
    class Idle(Extension):
        pass

    with pytest.raises(NotImplementedError):
        Markdown(extensions=[Idle()])
    with pytest.raises(NotImplementedError):
        Extension().extendMarkdown(Markdown())
    assert [Idle().getConfig("any"), Idle().getConfig("any", {"a": 5}), Idle().getConfigs()] == ["", {"a": 5}, {}]


def test_unknown_settings_are_refused():
    calls = [
        lambda: TocExtension(colour="red"),
        lambda: TableExtension().setConfig("width", 3),
        lambda: TableExtension().setConfigs([("width", 3)]),
        lambda: markdown("x", extensions=["toc"], extension_configs={"toc": {"colour": "red"}}),
    ]
    assert refusals([(call, KeyError) for call in calls]) == ["KeyError", "KeyError", "KeyError", "KeyError"]
    assert TocExtension(separator="+").getConfig("separator") == "+"


def test_texts_that_are_no_switches_are_refused():
    extension = TableExtension()
    calls = [
        lambda word=word: extension.setConfig("use_align_attribute", word) for word in ("perhaps", "", "2", "yess")
    ]
    assert refusals([(call, ValueError) for call in calls]) == ["ValueError", "ValueError", "ValueError", "ValueError"]
    extension.setConfig("use_align_attribute", "yes")
    assert extension.getConfigs() == {"use_align_attribute": True}


def test_names_that_a_registry_lacks_are_refused():
    registry = Registry()
    registry.register("item", "name", 10)
    calls = [
        (lambda: registry.deregister("other"), ValueError),
        (lambda: registry.get_index_for_name("other"), ValueError),
        (lambda: registry["other"], KeyError),
        (lambda: registry[1], IndexError),
    ]
    assert refusals(calls) == ["ValueError", "ValueError", "KeyError", "IndexError"]
    assert list(registry) == ["item"]


def test_files_that_cannot_be_read_are_refused(tmp_path):
    output = io.BytesIO()
    calls = [
        (lambda: markdownFromFile(input=str(tmp_path / "none.md"), output=output), FileNotFoundError),
        (
            lambda: Markdown().convertFile(input=io.BytesIO(b"x"), output=str(tmp_path / "none" / "x.html")),
            FileNotFoundError,
        ),
        (lambda: Markdown().convertFile(input=io.BytesIO(b"\xff\xfe\xfd"), output=output), UnicodeDecodeError),
        (
            lambda: Markdown().convertFile(input=io.BytesIO(b"x"), output=output, encoding="no-such-encoding"),
            LookupError,
        ),
    ]
    assert refusals(calls) == ["FileNotFoundError", "FileNotFoundError", "UnicodeDecodeError", "LookupError"]
    markdownFromFile(input=io.BytesIO(b"**x**"), output=output)
    assert output.getvalue() == b"<p><strong>x</strong></p>"


def test_errors_of_extensions_reach_the_caller():
    class Picky(Extension):
        def extendMarkdown(self, md):
            raise LookupError("picky")

    with pytest.raises(LookupError, match="picky"):
        markdown("x", extensions=[Picky()])
