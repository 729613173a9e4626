"""The networks and data that the person who runs the app offers, beside the embedded ones: one TOML file.

    [[network]]
    name = "digits"
    file = "digits.pt2"                     # or an .onnx file; or: factory = "package.module:factory"
    data = "my-digits"                      # the data to begin with; mnist if left out
    description = "two convolutions, trained on our own digits"

    [[data]]
    name = "my-digits"
    path = "digits.npz"                     # or a .csv or .parquet file, or a folder with one subfolder per class
    description = "200 scanned digits"

Paths are relative to the file's folder. The file is ``$DNNCOV_REGISTRY``, or ``registry.toml`` in the user's folder,
where it may be absent. An entry with a mistake is left out, and the others stay: `Registry.problems` says which, and
whoever asks for its name is told why. What somebody brought into the app follows. Imports no torch, so that menus open
at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from dnncov_core.data import EMBEDDED_DATA
from dnncov_core.errors import SpecificationError
from dnncov_core.networks.pretrained import PRETRAINED
from dnncov_core.networks.reference import is_factory, is_file
from dnncov_core.networks.zoo import EMBEDDED
from dnncov_core.outside_text import toml_value
from dnncov_core.records import NetworkCard
from dnncov_core.registry.brought import Brought, brought
from dnncov_core.resources import home, path_in

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LOCATION = "DNNCOV_REGISTRY"
"""The environment variable that names another file."""
MOST_BYTES = 2**20
"""A registry that is larger is something else."""
FIELDS = {"data": ("name", "path", "description"), "network": ("name", "factory", "file", "data", "description")}
"""Kind of entry -> the fields that it may have."""
Registered = TypeVar("Registered")


@dataclass(frozen=True)
class RegisteredNetwork:
    """A network of the file, or one that was brought, whose description says all of its file.

    ``reference`` is its file or its factory.
    """

    name: str
    reference: str
    data: str
    description: str
    card: NetworkCard | None = None
    brought: bool = False


@dataclass(frozen=True)
class RegisteredData:
    """A data set of the file, or one that was brought, whose description says all of it; ``path`` is where it is."""

    name: str
    path: str
    description: str
    brought: bool = False


@dataclass(frozen=True)
class Problem:
    """What is left out of the file, and why.

    Attributes:
        kind: ``network`` or ``data``; empty for the whole file.
        name: the name of the entry; empty where it has none, or one that cannot be a name.
        error: the mistake, with the names of files and without their folders, since visitors of the app read it.
    """

    kind: str
    name: str
    error: SpecificationError


@dataclass(frozen=True)
class Registry:
    """What the file registers, and then what was brought, by name; ``problems`` are what is left out.

    What was brought stands under its earlier names as well: an entry whose own name is another one is not for menus.
    """

    networks: dict[str, RegisteredNetwork]
    data: dict[str, RegisteredData]
    problems: tuple[Problem, ...] = ()

    def check(self, kind: str, name: str) -> None:
        """Refuses the name of an entry that is left out; where the whole file is, every name that asks for it.

        Raises:
            SpecificationError: why it is left out.
        """
        for problem in self.problems:
            if (problem.kind, problem.name) in ((kind, name), ("", "")):
                raise problem.error


def location() -> Path:
    """Where the file is: ``$DNNCOV_REGISTRY``, or ``registry.toml`` in the user's folder."""
    return path_in(LOCATION, str(home() / "registry.toml"))


def registered() -> Registry:
    """What the file registers, without the entries that have a mistake, and what was brought."""
    path = location()
    known = _of_file(path) if path.exists() or os.environ.get(LOCATION) else Registry({}, {})
    problems = list(known.problems)
    data = _with_brought("data", known.data, set(EMBEDDED_DATA), _brought_data, problems)
    names = {name: entry.name for name, entry in data.items()}
    read = partial(_brought_network, data_names=names)
    networks = _with_brought("network", known.networks, {*EMBEDDED, *PRETRAINED}, read, problems)
    return Registry(networks, data, tuple(problems))


def _of_file(path: Path) -> Registry:
    try:
        entries = _entries(path)
    except SpecificationError as error:
        return Registry({}, {}, (Problem("", "", error),))
    problems: list[Problem] = []
    data = _read(entries["data"], set(EMBEDDED_DATA), _data_entry, problems)
    left_out = [problem.name for problem in problems if problem.name]
    known = tuple(dict.fromkeys([*EMBEDDED_DATA, *data, *brought("data"), *left_out]))
    taken = {*EMBEDDED, *PRETRAINED}
    networks = _read(entries["network"], taken, partial(_network_entry, known_data=known), problems)
    return Registry(networks, data, tuple(problems))


def _with_brought(
    kind: str,
    known: dict[str, Registered],
    embedded: set[str],
    read: Callable[[Brought], Registered],
    problems: list[Problem],
) -> dict[str, Registered]:
    """The entries of the file, and those of what was brought, by its name and by the names that it had before."""
    there, found = brought(kind), dict(known)
    for name, each in there.items():
        if name in known:
            got = f"{name!r}, which {location().name} has, too"
            error = SpecificationError(f"a name that no other {kind} has", got, "rename it on the page Bring")
            problems.append(Problem(kind, name, error))
        found.setdefault(name, read(each))
    for each in there.values():
        for name in each.about.earlier:
            if name not in embedded:
                found.setdefault(name, read(each))
    return found


def _brought_data(each: Brought) -> RegisteredData:
    return RegisteredData(each.name, each.reference, each.about.description, brought=True)


def _brought_network(each: Brought, data_names: Mapping[str, str]) -> RegisteredNetwork:
    data = data_names.get(each.about.data, each.about.data if each.about.data in EMBEDDED_DATA else "")
    return RegisteredNetwork(each.name, each.reference, data, each.about.description, each.card, brought=True)


def _entries(path: Path) -> dict[str, list[_Fields]]:
    """The entries of each kind as they stand in the file.

    Raises:
        SpecificationError: the file cannot be read, or is no registry.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES:,} bytes")
        tables = toml_value(content.decode("utf-8"))
    except OSError as error:
        got = f"{path.name}: {error.strerror}"
        raise SpecificationError("a readable registry file", got, "correct DNNCOV_REGISTRY or the file") from error
    except ValueError as error:
        raise SpecificationError("a registry in TOML", f"{path.name}: {error}", "correct the file") from error
    if unknown := sorted(tables.keys() - FIELDS.keys()):
        fix = "correct the headings"
        raise SpecificationError(f"[[network]] and [[data]] in {path.name}", ", ".join(unknown), fix)
    found: dict[str, list[_Fields]] = {}
    for kind in FIELDS:
        entries = tables.get(kind, [])
        if not isinstance(entries, list):
            raise SpecificationError(f"[[{kind}]] in {path.name}", f"[{kind}]", "double the brackets")
        found[kind] = [_Fields(values, kind, number, path) for number, values in enumerate(entries, start=1)]
    return found


def _read(
    entries: list[_Fields], taken: set[str], read: Callable[[_Fields], Registered], problems: list[Problem]
) -> dict[str, Registered]:
    """The entries of one kind by name; those with a mistake are added to the problems instead.

    Args:
        entries: the entries as they stand in the file.
        taken: names that are taken; those of the entries are added.
        read: makes an entry of its fields.
        problems: the list that problems are added to.
    """
    found: dict[str, Registered] = {}
    for fields in entries:
        try:
            fields.check()
            if fields.name in taken:
                raise fields.mistake("a name of its own", f"{fields.name!r}, which is taken")
            taken.add(fields.name)
            found[fields.name] = read(fields)
        except SpecificationError as error:
            problems.append(Problem(fields.kind, fields.name, error))
    return found


def _network_entry(fields: _Fields, known_data: tuple[str, ...]) -> RegisteredNetwork:
    file, factory = fields.text("file"), fields.text("factory")
    if bool(file) == bool(factory):
        raise fields.mistake("either file or factory", "both" if file else "neither")
    if file and not is_file(file):
        raise fields.mistake("a .pt2 or .onnx file", repr(Path(file).name))
    if factory and not is_factory(factory):
        raise fields.mistake("factory = 'package.module:factory'", repr(Path(factory).name))
    data = fields.text("data") or "mnist"
    if data not in known_data:
        raise fields.mistake(f"data, one of {', '.join(known_data)}", repr(Path(data).name))
    return RegisteredNetwork(fields.name, factory or fields.path("file"), data, fields.text("description"))


def _data_entry(fields: _Fields) -> RegisteredData:
    if not fields.text("path"):
        raise fields.mistake("path = an .npz, .csv or .parquet file, or a folder", "none")
    return RegisteredData(fields.name, fields.path("path"), fields.text("description"))


@dataclass(frozen=True)
class _Fields:
    """One entry as it stands in the file."""

    values: Any
    kind: str
    number: int
    file: Path

    @property
    def name(self) -> str:
        """The entry's name; empty where it has none."""
        return str(self.values.get("name", "")) if isinstance(self.values, dict) else ""

    def mistake(self, expected: str, got: str) -> SpecificationError:
        """The error for this entry, which is known by its name, or by its number without one."""
        entry = f"{self.kind} {repr(self.name) if self.name else f'number {self.number}'}"
        return SpecificationError(f"{expected} for {entry} of {self.file.name}", got, "correct the entry")

    def check(self) -> None:
        """Checks that there are only known fields, all texts, and a name that may be one."""
        allowed = FIELDS[self.kind]
        if not isinstance(self.values, dict):
            raise self.mistake(f"fields {', '.join(allowed)}", repr(self.values))
        for field, value in self.values.items():
            if field not in allowed:
                raise self.mistake(f"fields {', '.join(allowed)}", repr(field))
            if not isinstance(value, str):
                raise self.mistake(f"a text as {field}", repr(value))
        if NAME.fullmatch(self.values.get("name", "")) is None:
            raise self.mistake("a name of letters, digits, dots, dashes and underscores", repr(self.values.get("name")))

    def text(self, field: str) -> str:
        """A field's text; empty if it is left out."""
        return str(self.values.get(field, ""))

    def path(self, field: str) -> str:
        """A field's path, relative to the file's folder, which must exist."""
        named = Path(self.text(field))
        try:
            path = self.file.absolute().parent / named.expanduser()
            reason = "" if path.exists() else "which is not there"
        except (OSError, RuntimeError, ValueError) as error:  # too long a name, a folder of nobody
            reason = getattr(error, "strerror", None) or str(error)
        if reason:
            raise self.mistake(f"an existing {field}", f"{named.name}, {reason}")
        return str(path)
