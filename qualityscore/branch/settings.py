"""`qualityscore.toml`: what a repository says about its own evaluation. Read strictly; unknown keys are errors."""

from __future__ import annotations

import fnmatch
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from qualityscore.core.gate import KEYS, Gate, GateSpec, gate_of, parse_gate
from qualityscore.errors import SettingsError
from qualityscore.model.foreign import first_problem, read_toml

NAME = "qualityscore.toml"
MAX_BYTES = 1 << 20
DEFAULT_BUDGET_S = 900.0
_DEFAULT_GATE = Path(__file__).resolve().parent / "default_gate.toml"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ProductionSpec(_Strict):
    """Patterns (as for a shell, relative to the root) that overrule which files are production code."""

    include: list[str] = []
    exclude: list[str] = []


class WorkloadSpec(_Strict):
    """The file of workloads, and the import names that they use."""

    file: str


def _kind_of_gate(written: Any) -> str:
    """Which of its two forms a gate has, so that a mistake is named in the form that was meant."""
    return "[table]" if isinstance(written, dict | GateSpec) else "[file]"


class SettingsSpec(_Strict):
    """The content of `qualityscore.toml`."""

    task: str | None = None
    baseline: str | None = None
    profile: str | None = None
    time_budget_s: Annotated[float, Field(gt=0, le=24 * 3600)] = DEFAULT_BUDGET_S
    gate: (
        Annotated[
            Annotated[str, Tag("[file]")] | Annotated[GateSpec, Tag("[table]")],
            Discriminator(_kind_of_gate),
        ]
        | None
    ) = None
    production: ProductionSpec = ProductionSpec()
    workloads: WorkloadSpec | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings with the place that they were read from; `source` is None where there is no file."""

    spec: SettingsSpec
    source: str | None
    text: str = ""


_KEYS = (*SettingsSpec.model_fields, *ProductionSpec.model_fields, *WorkloadSpec.model_fields, *KEYS)


def read_settings(folder: Path, shown: str | None = None) -> Settings:
    """The settings in a folder, or the defaults; `shown` is how the file is called in messages.

    Raises SettingsError with one sentence for a file that cannot be used.
    """
    file = folder / NAME
    name = shown or str(file)
    if not file.is_file():
        return Settings(spec=SettingsSpec(), source=None)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise SettingsError(f"The settings {name} are larger than {MAX_BYTES} bytes; they are not ours.")
        text = file.read_text("utf-8")
        spec = SettingsSpec.model_validate(read_toml(text))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The settings {name} cannot be read: {error}.") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"The settings {name} are not TOML: {error}.") from error
    except ValidationError as error:
        raise SettingsError(f"The settings {name} are not valid: {first_problem(error, _KEYS)}.") from error
    if spec.task is not None and spec.baseline is not None:
        raise SettingsError(f"The settings {name} name both a task and a baseline; keep one of them.")
    return Settings(spec=spec, source=name, text=text)


def default_gate() -> Gate:
    """The gate that applies when no other is named."""
    return parse_gate(_DEFAULT_GATE.read_text("utf-8"), "default")


def choose_gate(given: str | None, settings: Settings, folder: Path) -> Gate:
    """The gate of the command line, of the settings (a file beside them, or a table), or the default one.

    Raises SettingsError for a gate that cannot be read.
    """
    if given is not None:
        return read_gate(given)
    gate = settings.spec.gate
    if isinstance(gate, str):
        return _read_gate(folder / gate, gate)
    if gate is not None:
        return gate_of(gate, str(settings.source), default_gate())
    return default_gate()


def read_gate(name: str) -> Gate:
    """The gate in a file. Raises SettingsError with one sentence for one that cannot be read."""
    return _read_gate(Path(name), name)


def _read_gate(file: Path, shown: str) -> Gate:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise SettingsError(f"The gate {shown} is larger than {MAX_BYTES} bytes; it is not one.")
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingsError(f"The gate {shown} cannot be read: {reason}.") from error
    return parse_gate(text, shown, default_gate())


def overruled(production: ProductionSpec, files: tuple[str, ...], chosen: tuple[str, ...]) -> tuple[str, ...]:
    """The production files after the settings' patterns, which come before the built-in rule; exclusion wins."""
    included = {f for f in files if f.endswith(".py") and _matches(f, production.include)}
    return tuple(sorted(f for f in {*chosen, *included} if not _matches(f, production.exclude)))


def _matches(path: str, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)
