"""Networks and data that somebody brought into the app: files of the user's folder, each under a name of its own.

    brought/networks/NAME.onnx       the file as it was brought, or a .pt2 file with what mends it
    brought/networks/NAME.onnx.toml  what that file does not say
    brought/networks/NAME.about      what else is known of it: the data it was checked on, the names it had before
    brought/networks/NAME.card       its layers, for menus and estimates
    brought/data/NAME.npz

A file is whole as soon as it is here: it is written elsewhere and then moved. Names are looked up among the files of
the folders, never joined into a path. Imports no torch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from dnncov_core.data.own_decisions import check_says_so, own_decisions
from dnncov_core.errors import DataError, SpecificationError, unwritable
from dnncov_core.networks import cards
from dnncov_core.networks.companion import path_beside
from dnncov_core.record_files import read_record, write_record, write_whole
from dnncov_core.records import NetworkCard
from dnncov_core.resources import home

FOLDERS: Mapping[str, str] = {"network": "brought/networks", "data": "brought/data"}
"""Kind -> its folder, below the user's."""
SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "network": (".onnx", ".pt2", ".pth", ".pt", ".safetensors"),
    "data": (".npz", ".csv", ".parquet", ".zip"),
}
"""Kind -> what files of it are called; the last three of a network are weights of one of torchvision's."""
ABOUT, CARD = ".about", ".card"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


@dataclass(frozen=True)
class About:
    """What is known of a file besides its content.

    Attributes:
        description: where it comes from, in a line.
        data: of a network, the data that it was checked on; empty for none.
        weights_of: of a file of weights, torchvision's network that they belong to.
        earlier: names that it had before, by which campaigns still find it.
    """

    description: str = ""
    data: str = ""
    weights_of: str = ""
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True)
class Brought:
    """A file that was brought.

    Attributes:
        kind: ``network`` or ``data``.
        name: by which menus and the command know it.
        path: the file.
        about: what else is known of it.
    """

    kind: str
    name: str
    path: Path
    about: About = field(default_factory=About)

    @property
    def reference(self) -> str:
        """How `load_network` or `load_data` is given it."""
        return f"{self.about.weights_of}={self.path}" if self.about.weights_of else str(self.path)

    @property
    def size(self) -> int:
        """Bytes of the file; 0 where it has just gone."""
        with suppress(OSError):
            return self.path.stat().st_size
        return 0

    @property
    def card(self) -> NetworkCard | None:
        """What is known of a network's layers; None for data, and where that cannot be read."""
        with suppress(OSError, ValueError):
            return replace(cards.from_json(beside(self.path, CARD).read_text(encoding="utf-8")), name=self.name)
        return None


def folder_of(kind: str) -> Path:
    """Where all files of a kind are; it may not exist yet."""
    return home() / FOLDERS[kind]


def stems(kind: str) -> dict[str, Path]:
    """The files of a kind without their suffixes, by name, as `entries.kinds` takes them."""
    return {name: each.path.with_suffix("") for name, each in brought(kind).items()}


def brought(kind: str) -> dict[str, Brought]:
    """All files of a kind by name, in alphabetical order."""
    found: dict[str, Brought] = {}
    for path in sorted(folder_of(kind).glob("*")):
        name = path.name.removesuffix(path.suffix)
        if path.suffix in SUFFIXES[kind] and NAME.fullmatch(name) and path.is_file():
            found.setdefault(name, Brought(kind, name, path, _about(path)))
    return found


def beside(path: Path, suffix: str) -> Path:
    """The file of the same name with another suffix."""
    return path.with_name(path.name.removesuffix(path.suffix) + suffix)


def _about(path: Path) -> About:
    """What stands beside a file; nothing where that cannot be read."""
    with suppress(OSError, ValueError):
        return read_record(About, beside(path, ABOUT), ignore_unknown=True)
    return About()


def put(kind: str, name: str, file: Path, about: About, card: NetworkCard | None = None) -> Brought:
    """Moves a file here under a name, which nothing else may have: whoever asks has checked that.

    The TOML file beside a network's file goes with it.

    Raises:
        DataError: the folder cannot be written.
    """
    path = folder_of(kind) / f"{name}{file.suffix}"
    try:
        write_record(beside(path, ABOUT), about)
        if card is not None:
            write_whole(beside(path, CARD), cards.to_json(replace(card, name=name)))
        if path_beside(file).exists():
            path_beside(file).replace(path_beside(path))
        file.replace(path)
    except OSError as error:
        raise unwritable(error) from error
    return Brought(kind, name, path, about)


def rename(kind: str, name: str, new: str) -> None:
    """Gives a file another name, which nothing else may have; campaigns still find it by the earlier one.

    Raises:
        DataError: there is no such file, or the folder cannot be written.
        SpecificationError: the new name hides that labels are the network's own decisions.
    """
    there = brought(kind).get(name)
    if there is None:
        raise DataError(f"the name of a {kind} that was brought", repr(name), "choose one from the list")
    if kind == "data" and own_decisions(name):
        check_says_so(new)
    earlier = dict.fromkeys([*there.about.earlier, name])
    earlier.pop(new, None)
    put(kind, new, there.path, replace(there.about, earlier=tuple(earlier)), there.card)
    for suffix in (ABOUT, CARD):
        with suppress(OSError):
            beside(there.path, suffix).unlink()


def check_name(kind: str, name: str, taken: Mapping[str, object]) -> None:
    """Refuses what cannot be a name, or stands for something else already.

    Raises:
        SpecificationError: it is such a name.
    """
    if not NAME.fullmatch(name) or name.endswith(SUFFIXES[kind]):
        expected = "a name of up to 80 letters, digits, dots, dashes and underscores, without the ending of a file"
        raise SpecificationError(expected, repr(name), "change the name")
    if name in taken:
        raise SpecificationError(f"a name that no other {kind} has", repr(name), "choose another name")
