"""The embedded networks: the paper's ``toy``, ``mnist-n1`` ... ``mnist-n10`` by its structures, and ``cifar10-cnn``.

Names and cards come without importing torch; only what builds a module imports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from dnncov_core.arrays import npz_array, npz_names
from dnncov_core.errors import DataError, NetworkError, unknown_name
from dnncov_core.networks.cards import stored_card
from dnncov_core.records import NetworkCard
from dnncov_core.resources import ASSETS

if TYPE_CHECKING:
    import torch
    from torch import nn

    from dnncov_core.networks.network import Network


@dataclass(frozen=True)
class FullyConnected:
    """Linear layers with ReLU between them over the flattened input, ``(batch, ...)`` to ``(batch, outputs)``.

    Attributes:
        hidden: number of neurons of each hidden layer.
    """

    hidden: tuple[int, ...]
    inputs: int = 28 * 28
    outputs: int = 10
    bias: bool = True

    def module(self) -> nn.Sequential:
        """The untrained module."""
        from torch import nn

        layers: list[nn.Module] = [nn.Flatten()]
        for n_inputs, n_outputs in pairwise((self.inputs, *self.hidden, self.outputs)):
            layers += [nn.Linear(n_inputs, n_outputs, bias=self.bias), nn.ReLU()]
        return nn.Sequential(*layers[:-1])


@dataclass(frozen=True)
class Convolutional:
    """Blocks of two 3x3 convolutions and a 2x2 max pooling, two fully connected layers; ReLU but at the end.

    Takes ``(batch, 3, size, size)`` to ``(batch, outputs)``.

    Attributes:
        channels: feature maps of each block.
        hidden: neurons of the first fully connected layer.
    """

    channels: tuple[int, ...]
    hidden: int
    size: int = 32
    outputs: int = 10

    def module(self) -> nn.Sequential:
        """The untrained module."""
        from torch import nn

        return nn.Sequential(*self._layers())

    def _layers(self) -> Iterator[nn.Module]:
        from torch import nn

        maps, size = 3, self.size
        for n_maps in self.channels:
            for n_inputs in (maps, n_maps):
                yield from (nn.Conv2d(n_inputs, n_maps, 3, padding=1), nn.ReLU())
            yield nn.MaxPool2d(2)
            maps, size = n_maps, size // 2
        yield from (nn.Flatten(), nn.Linear(maps * size * size, self.hidden), nn.ReLU())
        yield nn.Linear(self.hidden, self.outputs)


Structure = FullyConnected | Convolutional
EMBEDDED: dict[str, Structure] = {
    "toy": FullyConnected((3, 3), inputs=2, outputs=2, bias=False),
    "mnist-n1": FullyConnected((67, 22, 63)),
    "mnist-n2": FullyConnected((59, 94, 56, 45)),
    "mnist-n3": FullyConnected((72, 61, 70, 77)),
    "mnist-n4": FullyConnected((65, 99, 87, 23, 31)),
    "mnist-n5": FullyConnected((49, 61, 90, 21, 48)),
    "mnist-n6": FullyConnected((97, 83, 32)),
    "mnist-n7": FullyConnected((33, 95, 67, 43, 76)),
    "mnist-n8": FullyConnected((78, 62, 73, 47)),
    "mnist-n9": FullyConnected((87, 33, 62)),
    "mnist-n10": FullyConnected((76, 55, 74, 98, 75)),
    "cifar10-cnn": Convolutional(channels=(24, 48, 96), hidden=128),
}
"""Name -> structure, in the order of menus."""

TOY_WEIGHTS: tuple[tuple[tuple[float, ...], ...], ...] = (
    ((4, 0, -1), (1, -2, 1)),
    ((2, 3, -1), (-7, 6, 4), (1, -5, 9)),
    ((1, -1), (-1, 1), (1, -1)),
)
"""(inputs, outputs) each. The first two are the paper's; it gives none for the output layer, so that one is ours."""

FOLDER = ASSETS / "networks"


def embedded_card(name: str) -> NetworkCard:
    """What is known of an embedded network without loading it.

    Raises:
        SpecificationError: there is no such network; the message lists those that exist.
        NetworkError: the card is missing or damaged.
    """
    _check_name(name)
    return stored_card(name, FOLDER)


def load_embedded(name: str) -> Network:
    """An embedded network, ready for coverage; raises what `embedded_card` and `embedded_module` do."""
    from dnncov_core.networks.network import Network

    card = embedded_card(name)
    return Network(embedded_module(name), card.input_shape, card.bounds, card.classes)


def embedded_module(name: str) -> nn.Module:
    """The plain torch module behind an embedded network, in eval mode and with its weights: float32 but for the toy.

    Raises:
        SpecificationError: there is no such network; the message lists those that exist.
        NetworkError: the stored weights are missing, damaged, or of another structure.
    """
    _check_name(name)
    if name == "toy":
        return toy()
    module = EMBEDDED[name].module()
    module.load_state_dict(_stored_state(name, module.state_dict()))
    return module.eval()


def toy() -> nn.Module:
    """The paper's example network in float64: ``(batch, 2)`` to ``(batch, 2)``, no bias."""
    import torch

    module = EMBEDDED["toy"].module().double()
    for parameter, weight in zip(module.parameters(), TOY_WEIGHTS, strict=True):
        parameter.data = torch.tensor(weight, dtype=torch.float64).T.contiguous()
    return module.eval()


def _stored_state(name: str, like: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The arrays of ``assets/networks/NAME.npz``: float32, with the names and shapes of ``like``, none more or less."""
    import torch

    path = FOLDER / f"{name}.npz"
    arrays = _read_arrays(path)
    got = {key: f"{array.dtype} {array.shape}" for key, array in arrays.items()}
    expected = {key: f"float32 {tuple(tensor.shape)}" for key, tensor in like.items()}
    for key in sorted(got.keys() | expected.keys()):
        if got.get(key) != expected.get(key):
            what = f"{expected.get(key, 'no array')} as {key} in {path}"
            raise NetworkError(what, got.get(key, "no array"), "restore the assets folder")
    return {key: torch.from_numpy(array) for key, array in arrays.items()}


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        return {key: npz_array(path, key) for key in npz_names(path)}
    except DataError as error:
        raise NetworkError(f"network weights in {path}", error.got, "restore the assets folder") from error


def _check_name(name: str) -> None:
    if name not in EMBEDDED:
        raise unknown_name("network", name, EMBEDDED)
