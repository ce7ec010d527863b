"""YAML that strangers wrote: a regular file of bounded size, no key twice, few enough aliases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from qualityscore.runtime.documents import read_regular_at_most

MAX_NODES = 200_000
"""Keys and values of a document, each counted as often as its aliases repeat it."""

# The C loader, where PyYAML was built with it, reads a folder of results ten times faster.
_SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(ValueError):
    """A file that is not such YAML; the message says why and ends without a full stop."""


class _Loader(_SafeLoader):  # type: ignore[misc,valid-type]
    """Says by line of a scalar that it is not what its tag or its form promises, such as the date 2020-99-99."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
            kind, text = node.tag.rpartition(":")[2], str(node.value)[:40]
            raise YamlError(f"line {node.start_mark.line + 1}: {text!r} is no {kind}") from None


def read_yaml(path: Path, most_bytes: int) -> Any:
    """The document in a file, None of an empty one. Raises YamlError, and OSError as opening a file does."""
    data = read_regular_at_most(path, most_bytes)
    if data is None:
        raise YamlError(f"it is larger than {most_bytes} bytes")
    return parse_yaml(data)


def parse_yaml(data: bytes) -> Any:
    """The document in some bytes. Raises YamlError."""
    try:
        loader = _Loader(data.decode("utf-8"))
        try:
            root = loader.get_single_node()
            if root is None:
                return None
            _check(root)
            return loader.construct_document(root)
        finally:
            loader.dispose()
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise YamlError(" ".join(str(error).split())) from None
    except RecursionError:
        raise YamlError("it is nested too deeply") from None


def _check(root: yaml.Node) -> None:
    pending, seen = [root], 0
    while pending:
        node = pending.pop()
        seen += 1
        if seen + len(pending) > MAX_NODES:  # what waits would be counted anyway, and takes memory until then
            raise YamlError(f"it holds more than {MAX_NODES} keys and values, aliases expanded")
        if isinstance(node, yaml.MappingNode):
            keys: set[tuple[str, str]] = set()
            for key, value in node.value:
                pending += (key, value)
                if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                    if (key.tag, key.value) in keys:
                        raise YamlError(f"line {key.start_mark.line + 1}: key {key.value[:200]!r} is given twice")
                    keys.add((key.tag, key.value))
        elif isinstance(node, yaml.SequenceNode):
            pending += node.value
