"""The networks and data that the person who runs the app offers, beside the embedded ones: one TOML file.

    [[network]]
    name = "digits"
    file = "digits.pt2"                     # or: factory = "package.module:factory"
    data = "my-digits"                      # the data to begin with; mnist if left out
    description = "two convolutions, trained on our own digits"

    [[data]]
    name = "my-digits"
    path = "digits.npz"                     # or a folder with one subfolder of images per class
    description = "200 scanned digits"

Paths are relative to the file's folder. The file is ``$DNNCOV_REGISTRY``, or ``registry.toml`` in the user's folder,
where it may be absent. Imports no torch, so that menus open at once.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnncov_core.data import EMBEDDED_DATA, Data, check_for_network, load_data
from dnncov_core.errors import DataError, SpecificationError, unknown_name
from dnncov_core.networks.pretrained import is_pretrained, pretrained_card, pretrained_names
from dnncov_core.networks.reference import KINDS, is_factory, is_file
from dnncov_core.networks.zoo import embedded_card, embedded_names
from dnncov_core.records import NetworkCard
from dnncov_core.resources import home
from dnncov_core.types import Shape

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
NETWORK_FIELDS = ("name", "factory", "file", "data", "description")
DATA_FIELDS = ("name", "path", "description")


@dataclass(frozen=True)
class RegisteredNetwork:
    """A network of the file; ``reference`` is its ``.pt2`` file or its factory."""

    name: str
    reference: str
    data: str
    description: str


@dataclass(frozen=True)
class RegisteredData:
    """A data set of the file; ``path`` is an ``.npz`` file or a folder."""

    name: str
    path: str
    description: str


@dataclass(frozen=True)
class Registry:
    """What the file registers, by name and in its order."""

    networks: dict[str, RegisteredNetwork]
    data: dict[str, RegisteredData]


def location() -> Path:
    """Where the file is: ``$DNNCOV_REGISTRY``, or ``registry.toml`` in the user's folder."""
    named = os.environ.get("DNNCOV_REGISTRY")
    return Path(named).expanduser() if named else home() / "registry.toml"


def registered() -> Registry:
    """What the file registers; nothing if there is none.

    Raises:
        SpecificationError: the file that ``$DNNCOV_REGISTRY`` names is missing, or the file has a mistake.
    """
    path = location()
    if not path.exists() and not os.environ.get("DNNCOV_REGISTRY"):
        return Registry({}, {})
    tables = _tables(path)
    data = {entry.name: entry for entry in map(_data_entry, _entries(path, tables, "data", DATA_FIELDS))}
    known = (*EMBEDDED_DATA, *data)
    entries = _entries(path, tables, "network", NETWORK_FIELDS)
    networks = {entry.name: entry for entry in (_network_entry(fields, known) for fields in entries)}
    return Registry(networks, data)


def networks() -> dict[str, NetworkCard | None]:
    """Names of all networks, embedded ones first, then torchvision's; a registered one has no card before it is loaded.

    Nothing is downloaded. The card of a network of torchvision has no fingerprint.

    Raises:
        SpecificationError: the file has a mistake.
        NetworkError: a card is missing.
    """
    embedded: dict[str, NetworkCard | None] = {name: embedded_card(name) for name in embedded_names()}
    pretrained = {name: pretrained_card(name) for name in pretrained_names()}
    return embedded | pretrained | dict.fromkeys(registered().networks)


def data_names() -> dict[str, str]:
    """Names of all data sets with one line on each, embedded ones first.

    Raises:
        SpecificationError: the file has a mistake.
    """
    embedded = {name: card.source for name, card in EMBEDDED_DATA.items()}
    return embedded | {name: entry.description for name, entry in registered().data.items()}


def default_data(network_name: str) -> str | None:
    """The data that a network is usually tested on: ``mnist`` where nothing else is known, None where none are here.

    >>> default_data("toy"), default_data("vgg16")
    ('toy', None)
    """
    if network_name in embedded_names():
        return embedded_card(network_name).dataset
    if is_pretrained(network_name):
        return None
    entry = registered().networks.get(network_name)
    return entry.data if entry else "mnist"


def data_name(network_name: str, asked: str | None) -> str:
    """The data that were asked for, or the network's own.

    Raises:
        DataError: none were asked for, and the network has none.
        SpecificationError: the file has a mistake.
    """
    name = asked or default_data(network_name)
    if name is None:
        fix = "give --data a folder of photos with one subfolder per class, or an .npz file"
        raise DataError(f"photos for {network_name}, none of which come with this package", "no data", fix)
    return name


def check_names(network: str, data: str) -> None:
    """Refuses names that nothing stands for, before anything is loaded.

    Raises:
        SpecificationError: there is no network of this name.
        DataError: there are no data of this name, and no file or folder.
    """
    _registered_network(network)
    if data not in data_names() and not os.path.exists(data):
        expected = f"data, one of {', '.join(data_names())}, an .npz file or a folder of images by class"
        raise DataError(expected, repr(data), "correct the name or the path")


def open_network(name: str) -> tuple[Network, NetworkCard]:
    """Loads a network by an embedded or registered name, or by a reference, with what is known of it.

    Raises:
        SpecificationError: there is no network of this name, and the message lists those that exist; or the registry
            file has a mistake.
        NetworkError: see `load_network`.
    """
    from dnncov_core.networks.loading import load_network  # PyTorch is loaded only when a network is opened

    entry = _registered_network(name)
    if entry is None:
        return load_network(name)
    network, _ = load_network(entry.reference)
    return network, network.card(name, dataset=entry.data, description=entry.description)


def _registered_network(name: str) -> RegisteredNetwork | None:
    """The entry of a registered name; None for any other name and a reference, which `load_network` knows."""
    if name in embedded_names() or is_pretrained(name) or is_file(name) or is_factory(name):
        return None
    entry = registered().networks.get(name)
    if entry is None:
        raise unknown_name(f"network (or {KINDS})", name, networks())
    return entry


def open_data(
    name: str, input_shape: Shape | None = None, *, resize: int | None = None, classes: Sequence[str] = ()
) -> Data:
    """Loads data by an embedded or registered name, or by a path; the data keeps the name that was asked for.

    Raises:
        DataError: see `load_data`.
        SpecificationError: the file has a mistake.
    """
    entry = None if name in EMBEDDED_DATA else registered().data.get(name)
    if entry is None:
        return load_data(name, input_shape, resize=resize, classes=classes)
    data = load_data(entry.path, input_shape, resize=resize, classes=classes)
    return replace(data, name=name, source=entry.description or f"registered as {name}")


def open_data_for(network: Network, name: str) -> Data:
    """`open_data` as the network reads them, and checked for it.

    Raises:
        DataError: they cannot be read, or do not fit the network.
        SpecificationError: the file has a mistake.
    """
    data = open_data(name, network.input_shape, resize=network.resize, classes=network.classes)
    check_for_network(data, network.input_shape, network.bounds, len(network.classes))
    return data


def _tables(path: Path) -> dict[str, Any]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        got = f"{path}: {error.strerror}"
        raise SpecificationError("a readable registry file", got, "correct DNNCOV_REGISTRY or the file") from error
    except ValueError as error:
        raise SpecificationError("a registry in TOML", f"{path}: {error}", "correct the file") from error
    unknown = sorted(tables.keys() - {"network", "data"})
    if unknown:
        fix = "correct the headings"
        raise SpecificationError(f"[[network]] and [[data]] in {path}", ", ".join(unknown), fix)
    return tables


def _entries(path: Path, tables: dict[str, Any], kind: str, allowed: tuple[str, ...]) -> Iterator[_Fields]:
    """The entries of one kind, their names checked; an entry is known by its name, or by its number without one."""
    entries = tables.get(kind, [])
    if not isinstance(entries, list):
        raise SpecificationError(f"[[{kind}]] in {path}", f"[{kind}]", "double the brackets")
    taken = {*embedded_names(), *pretrained_names()} if kind == "network" else set(EMBEDDED_DATA)
    for number, values in enumerate(entries, start=1):
        fields = _Fields(values, kind, number, path)
        fields.check(allowed)
        if fields.name in taken:
            raise fields.mistake("a name of its own", f"{fields.name!r}, which is taken")
        taken.add(fields.name)
        yield fields


def _network_entry(fields: _Fields, known_data: tuple[str, ...]) -> RegisteredNetwork:
    file, factory = fields.text("file"), fields.text("factory")
    if bool(file) == bool(factory):
        raise fields.mistake("either file or factory", "both" if file else "neither")
    if file and not is_file(file):
        raise fields.mistake("a .pt2 file", repr(file))
    if factory and not is_factory(factory):
        raise fields.mistake("factory = 'package.module:factory'", repr(factory))
    data = fields.text("data") or "mnist"
    if data not in known_data:
        raise fields.mistake(f"data, one of {', '.join(known_data)}", repr(data))
    return RegisteredNetwork(fields.name, factory or fields.path("file"), data, fields.text("description"))


def _data_entry(fields: _Fields) -> RegisteredData:
    if not fields.text("path"):
        raise fields.mistake("path = an .npz file or a folder", "none")
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
        return str(self.values["name"])

    def mistake(self, expected: str, got: str) -> SpecificationError:
        """The error for this entry."""
        named = isinstance(self.values, dict) and "name" in self.values
        entry = f"{self.kind} {repr(self.name) if named else f'number {self.number}'}"
        return SpecificationError(f"{expected} for {entry} of {self.file}", got, "correct the entry")

    def check(self, allowed: tuple[str, ...]) -> None:
        """Checks that there are only known fields, all texts, and a name that may be one."""
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
        path = self.file.absolute().parent / Path(self.text(field)).expanduser()
        if not path.exists():
            raise self.mistake(f"an existing {field}", str(path))
        return str(path)
