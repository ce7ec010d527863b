"""Import roots of the layouts that repositories have."""

import pytest

from qualityscore.languages.python_layout import import_roots


@pytest.mark.parametrize(
    ("files", "imports", "expected"),
    [
        (("slugify/__init__.py",), ("slugify",), (".",)),
        (("xmltodict.py", "setup.py"), ("xmltodict",), (".",)),
        (("src/slugify/__init__.py", "tests/slugify.py"), ("slugify",), ("src", ".")),
        (("core/space/pkg/module.py",), ("space.pkg",), ("core", ".")),
        (("lib/cachetools/__init__.py", "lib/cachetools/keys.py"), ("cachetools", "cachetools.keys"), ("lib", ".")),
        (("one/a/__init__.py", "two/b.py"), ("a", "b"), ("one", "two", ".")),
        (("tests/pkg/__init__.py", "deep/er/pkg/__init__.py"), ("pkg",), ("deep/er", ".")),
        (("README.md",), ("pkg",), (".",)),
        (("src/other.py",), ("pkg",), ("src", ".")),
    ],
    ids=["root", "module", "src", "namespace", "lib", "several", "tests-last", "nothing", "src-without-it"],
)
def test_import_roots_hold_the_surface(files, imports, expected):
    assert import_roots(files, imports) == expected
