"""Where a Python repository keeps its importable code: root, src, single module, several folders, namespace package."""

from __future__ import annotations

from pathlib import PurePosixPath

_NOT_CODE = frozenset({"tests", "test", "testing", "docs", "doc", "examples", "example", "build", "dist", "vendor"})


def import_roots(files: tuple[str, ...], imports: tuple[str, ...]) -> tuple[str, ...]:
    """Folders (relative, "." for the root) to put on sys.path so that the surface's modules import.

    For each import name: the shallowest folder that holds it as a package, a module or a namespace package; folders of
    tests and documents come last. The root itself is always included, at the end, since code may import siblings.
    Nothing is executed, and build files (setup.py, pyproject.toml) are not needed.
    """
    roots: list[str] = []
    for name in imports:
        place = _holder(files, tuple(name.split(".")))
        if place is not None and place not in roots:
            roots.append(place)
    if not roots and any(f.startswith("src/") and f.endswith(".py") for f in files):
        roots.append("src")
    if "." not in roots:
        roots.append(".")
    return tuple(roots)


def _holder(files: tuple[str, ...], dotted: tuple[str, ...]) -> str | None:
    """The folder under which a dotted name can be imported; regular packages and modules before namespace packages."""
    regular: set[tuple[str, ...]] = set()
    namespace: set[tuple[str, ...]] = set()
    for file in files:
        path = PurePosixPath(file)
        if path.suffix != ".py":
            continue
        module = path.parent.parts if path.name == "__init__.py" else (*path.parent.parts, path.stem)
        if module[-len(dotted) :] == dotted:
            regular.add(module[: -len(dotted)])
        for start in range(len(path.parent.parts) - len(dotted) + 1):
            if path.parent.parts[start : start + len(dotted)] == dotted:
                namespace.add(path.parent.parts[:start])
    candidates = regular or namespace
    if not candidates:
        return None
    return "/".join(sorted(candidates, key=_preference)[0]) or "."


def _preference(folder: tuple[str, ...]) -> tuple[bool, int, tuple[str, ...]]:
    return (any(part in _NOT_CODE for part in folder), len(folder), folder)
