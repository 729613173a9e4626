"""Networks and data by name: embedded ones, torchvision's, and those that the registry file has. Imports no torch.

brought keeps what visitors of the app bring, file reads what whoever runs it adds, and puts both together.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dnncov_core.data import EMBEDDED_DATA, Data, check_for_network, files, has_labels, load_data
from dnncov_core.data.archives import folder_of
from dnncov_core.errors import DataError, unknown_name
from dnncov_core.networks.origins import origin
from dnncov_core.networks.pretrained import PRETRAINED, is_pretrained, pretrained_card
from dnncov_core.networks.reference import REFERENCES, is_factory, is_file
from dnncov_core.networks.zoo import EMBEDDED, embedded_card
from dnncov_core.records import NetworkCard
from dnncov_core.registry.file import RegisteredData, RegisteredNetwork, registered
from dnncov_core.types import Shape

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

Entry = TypeVar("Entry", RegisteredNetwork, RegisteredData)


def networks() -> dict[str, NetworkCard | None]:
    """Names of all networks, embedded ones first, then torchvision's, registered ones and those that were brought.

    A network of the registry file has no card before it is loaded, and the card of one of torchvision's has no
    fingerprint. Nothing is downloaded.

    Raises:
        NetworkError: a card is missing.
    """
    embedded: dict[str, NetworkCard | None] = {name: embedded_card(name) for name in EMBEDDED}
    pretrained = {name: pretrained_card(name) for name in PRETRAINED}
    return embedded | pretrained | {name: entry.card for name, entry in _menu(registered().networks).items()}


def is_allowed(network: str) -> bool:
    """Whether a network may be loaded that a campaign's file names: one that has this name, or had it before."""
    return network in networks() or network in registered().networks


def _menu(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """Without the earlier names of what was renamed."""
    return {name: entry for name, entry in entries.items() if entry.name == name}


def data_names() -> dict[str, str]:
    """Names of all data sets with one line on each, embedded ones first; empty where nobody has described them."""
    embedded = {name: card.source for name, card in EMBEDDED_DATA.items()}
    return embedded | {name: entry.description for name, entry in _menu(registered().data).items()}


def described(name: str, classes: Sequence[str] = ()) -> str:
    """One line on a data set: where it comes from; of a registered one its description, its file and its images.

    With a network's class names, it says which of them a folder's subfolders stand for where only their order decides.

    >>> described("toy")
    "the six inputs of the paper's table of activation values, labelled by the network toy itself"
    """
    if name in EMBEDDED_DATA:
        return EMBEDDED_DATA[name].source
    entry = registered().data[name]
    said = [entry.description, files.described(Path(entry.path)), class_order(name, classes)]
    return "; ".join(filter(None, said))


def inputs_of(name: str) -> int | None:
    """How many inputs data of a name have, as far as that is known without reading them."""
    return EMBEDDED_DATA[name].inputs if name in EMBEDDED_DATA else files.inputs_of(Path(place_of(name)))


def lacks_labels(network: str, data: str) -> bool:
    """Whether no campaign on a network can start from data of a name, since they have no labels, and it needs some."""
    card = networks().get(network)
    needed = card is not None and not card.quantities and data in data_names() and data not in EMBEDDED_DATA
    return needed and not has_labels(place_of(data))


def class_order(name: str, classes: Sequence[str]) -> str:
    """A sentence on a folder of images whose subfolders stand for a network's classes by their order alone, else empty.

    Args:
        name: of data.
        classes: the network's class names in the order of their numbers.
    """
    folder = None if name in EMBEDDED_DATA else folder_of(Path(place_of(name)))
    return "" if folder is None else files.class_order(folder, classes)


def default_data(network_name: str) -> str | None:
    """The data that a network is usually tested on: ``mnist`` where nothing else is known, None where none are here.

    >>> default_data("toy"), default_data("vgg16")
    ('toy', None)
    """
    if network_name in EMBEDDED:
        return embedded_card(network_name).dataset
    if is_pretrained(network_name):
        return None
    entry = registered().networks.get(network_name)
    return (entry.data or None) if entry else "mnist"


def data_name(network_name: str, asked: str | None) -> str:
    """The data that were asked for, or the network's own.

    Raises:
        DataError: none were asked for, and the network has none.
    """
    name = asked or default_data(network_name)
    if name is None:
        fix = "give --data a folder of photos with one subfolder per class, or an .npz file"
        raise DataError(f"photos for {network_name}, none of which come with this package", "no data", fix)
    return name


def check_names(network: str, data: str) -> None:
    """Refuses names that nothing stands for, before anything is loaded.

    Raises:
        SpecificationError: there is no network of this name, or the entry of a name has a mistake.
        DataError: there are no data of this name, and no file or folder.
    """
    _registered_network(network)
    _registered_data(data)


def open_network(name: str) -> tuple[Network, NetworkCard]:
    """Loads a network by an embedded or registered name, or by a reference, with what is known of it.

    Raises:
        SpecificationError: there is no network of this name, and the message lists those that exist; or its entry in
            the registry has a mistake.
        NetworkError: see `load_network`.
    """
    from dnncov_core.networks.loader import load_network  # PyTorch is loaded only when a network is opened

    entry = _registered_network(name)
    if entry is None:
        return load_network(name)
    network, card = load_network(entry.reference)
    return network, network.card(name, dataset=entry.data, description=_described(entry, card.description))


def network_source(name: str) -> str:
    """Where a network of a name comes from; empty for a factory, of which no more is known.

    >>> network_source("mnist-n1")[:50]
    'Fully connected, 67x22x63 ReLU neurons, the struct'
    """
    entry = registered().networks.get(name)
    if entry is not None:
        return _described(entry, "" if entry.brought else origin(entry.reference))
    card = networks().get(name)
    return card.description if card else origin(name)


def _described(entry: RegisteredNetwork | RegisteredData, of_file: str) -> str:
    """The entry's description with what is known of its file, which that of one that was brought has already."""
    if entry.brought or not of_file:
        return entry.description
    return f"{entry.description.rstrip('.')}; {of_file}" if entry.description else of_file


def _registered_network(name: str) -> RegisteredNetwork | None:
    """The entry of a registered name; None for any other name and a reference, which `load_network` knows."""
    if name in EMBEDDED or is_pretrained(name) or is_file(name) or is_factory(name):
        return None
    known = registered()
    entry = known.networks.get(name)
    if entry is None:
        known.check("network", name)
        raise unknown_name(f"network (or {REFERENCES})", name, networks())
    return entry


def _registered_data(name: str) -> RegisteredData | None:
    """The entry of a registered name; None for an embedded name, and for a path, which `load_data` knows."""
    if name in EMBEDDED_DATA:
        return None
    known = registered()
    entry = known.data.get(name)
    if entry is None and not os.path.exists(name):
        known.check("data", name)
        expected = f"data, one of {', '.join(data_names())}, {files.DATA_FILES}"
        raise DataError(expected, repr(name), "choose one of these names or correct the path")
    return entry


def place_of(name: str) -> str:
    """The file or folder behind a registered name; any other name, or reference, as it is.

    >>> place_of("mnist")
    'mnist'
    """
    known = registered()
    if name in known.data:
        return known.data[name].path
    return known.networks[name].reference if name in known.networks else name


def open_data_for(network: Network, name: str, *, labelled: bool = True) -> Data:
    """Loads data by an embedded or registered name, or by a path, as a network reads them, and checks them for it.

    The data keep the name that was asked for. Seeds have to be ``labelled``, suites need not.

    Raises:
        DataError: there are no data of this name, and the message lists those that exist; or they cannot be read, or
            do not fit the network.
        SpecificationError: their entry in the registry has a mistake.
    """
    data = read_data_for(network, name, network.input_shape, labelled=labelled)
    check_for_network(data, network.box, len(network.classes), len(network.quantities))
    return data


def read_data_for(network: Network, name: str, shape: Shape | None, *, labelled: bool = True) -> Data:
    """Data by name or path, laid out for inputs of a shape, or as they are; whether they fit a network is not checked.

    Raises:
        DataError: see `open_data_for`.
        SpecificationError: their entry in the registry has a mistake.
    """
    entry = _registered_data(name)
    data = load_data(
        entry.path if entry else name,
        shape,
        resize=network.resize,
        bicubic=network.bicubic,
        classes=network.classes,
        features=network.box.features if len(network.input_shape) == 1 else (),
        quantities=[each.name for each in network.quantities],
        labelled=labelled and not network.quantities,
    )
    return replace(data, name=name, source=_described(entry, data.source)) if entry else data
