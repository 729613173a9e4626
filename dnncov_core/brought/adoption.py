"""What was checked gets names, by which menus, campaigns and the command know it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dnncov_core.brought.drafts import Part, folder_of, read_draft, remove, standing
from dnncov_core.brought.report import Choice
from dnncov_core.data.own_decisions import check_says_so
from dnncov_core.digests import with_digest
from dnncov_core.errors import DataError
from dnncov_core.networks.companion import companion
from dnncov_core.networks.origins import told_in_words
from dnncov_core.networks.reference import is_file
from dnncov_core.registry import data_names, networks
from dnncov_core.registry.brought import About, check_name, put
from dnncov_core.registry.file import RegisteredData, RegisteredNetwork, registered


@dataclass(frozen=True)
class Adopted:
    """The names of a network and of data that can now be used together."""

    network: str
    data: str


def taken(kind: str) -> dict[str, object]:
    """Names that a kind has already, earlier ones included."""
    known = registered()
    return {**networks(), **known.networks} if kind == "network" else {**data_names(), **known.data}


def suggested(kind: str, file: str, *, ending: str = "") -> str:
    """A free name made of a file's.

    >>> suggested("network", "my net (2).onnx"), suggested("data", "mnist.npz"), suggested("data", "a.csv", ending="b")
    ('my-net-2', 'mnist-2', 'a-b')
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(file).stem).strip("-._")[:60] or kind
    name += f"-{ending}" if ending else ""
    others = taken(kind)
    free = (name if number == 1 else f"{name}-{number}" for number in range(1, len(others) + 2))
    return next(each for each in free if each not in others)


def adopt(draft_id: str, number: int, *, network_name: str, data_name: str) -> Adopted:
    """Takes a draft by one of the choices of its report; the draft is gone then.

    Args:
        draft_id: the draft, whose check has finished.
        number: the choice's place in the report.
        network_name: the name that the network gets, unless it is here already and stays as it is.
        data_name: likewise.

    Raises:
        DataError: there is no such draft or choice, or the folder cannot be written.
        SpecificationError: a name that is none, or taken.
    """
    folder, draft, report = folder_of(draft_id), read_draft(draft_id), standing(draft_id).report
    if draft.network is None or draft.data is None or report is None or number >= len(report.choices):
        raise DataError("a check that has finished", "none", "check again")
    choice = report.choices[number]
    network_file, data_file = choice.network_file or draft.network.file, choice.data_file or draft.data.file
    if network_file:
        check_name("network", network_name, taken("network"))
    if data_file:
        check_name("data", data_name, taken("data"))
        if choice.own_decisions:
            check_says_so(data_name)
        put("data", data_name, folder / data_file, About(_of_data(folder, draft.data, choice)))
    data = data_name if data_file else draft.data.name
    if network_file:
        weights_of = "" if choice.network_file else draft.network.weights_of
        about = About(_of_network(folder, draft.network, choice), data, weights_of)
        put("network", network_name, folder / network_file, about, replace(choice.card, description=about.description))
    remove(draft_id)
    return Adopted(network_name if network_file else draft.network.name, data)


def _of_network(folder: Path, part: Part, choice: Choice) -> str:
    given = told_in_words(companion(folder / part.file)) if is_file(part.file) else ""
    said = [_brought(folder, part, registered().networks), f"told: {given}" if given else ""]
    said += [f"mended: {_with_code(choice)}" if choice.network_file else ""]
    return "; ".join(filter(None, said))


def _of_data(folder: Path, part: Part, choice: Choice) -> str:
    labels = "the network's own decisions as labels" if choice.own_decisions else f"labels mended: {_with_code(choice)}"
    return _brought(folder, part, registered().data) + (f", with {labels}" if choice.data_file else "")


def _with_code(choice: Choice) -> str:
    """What was wrong, and the Python that mends it."""
    causes, mends = "; ".join(choice.causes), "; ".join(choice.mends)
    return f"{causes} ({mends})" if mends else causes


def _brought(folder: Path, part: Part, known: Mapping[str, RegisteredNetwork | RegisteredData]) -> str:
    """The file as it was called, with the digest that ``sha256sum`` prints of it; or what was here already."""
    if not part.file:
        before = known[part.name].description if part.name in known else ""
        return f"made from {part.name}{f' ({before})' if before else ''}"
    weights = f", weights of {part.weights_of}" if part.weights_of else ""
    return f"brought as {with_digest(folder / part.file, part.name)}{weights}"
