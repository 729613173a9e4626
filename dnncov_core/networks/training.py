"""Trains the embedded digit classifiers, as ``python -m dnncov_core.networks.training``; writes weights and cards.

The 60,000 MNIST training images train each network for a fixed number of epochs, and the last epoch's weights are
kept: no epoch is chosen by the 10,000 test images. One thread and one seed give the same weights again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from dnncov_core.data import check_for_network, load_data
from dnncov_core.data_downloads import DIGITS, read_mnist
from dnncov_core.errors import DnncovError, NetworkError
from dnncov_core.networks import zoo
from dnncov_core.networks.cards import to_json
from dnncov_core.networks.network import Network
from dnncov_core.records import NetworkCard

LEAST_ACCURACY = 0.97
SHAPE = (1, 28, 28)
BOUNDS = (0.0, 1.0)
Report = Callable[[str], None]


@dataclass(frozen=True)
class Recipe:
    """How a network is trained; ``shift`` is the furthest that a batch is moved in each direction, in pixels.

    Plain momentum leaves almost no neuron without a sign change over the images; Adam left up to a quarter of a layer.
    """

    epochs: int = 20
    batch: int = 128
    learning_rate: float = 0.05
    momentum: float = 0.9
    shift: int = 1
    seed: int = 0

    def __str__(self) -> str:
        return (
            f"{self.epochs} epochs of gradient descent (learning rate {self.learning_rate} with cosine decay, momentum "
            f"{self.momentum}, batches of {self.batch}, each moved by up to {self.shift} pixel), seed {self.seed}"
        )


@dataclass(frozen=True)
class Digits:
    """Images ``(N, 1, 28, 28)``, uint8 or float in [0, 1], and labels int64 ``(N,)`` as tensors."""

    images: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    def pixels(self, rows: Tensor | slice) -> Tensor:
        """Float32 images ``(len(rows), 1, 28, 28)`` in [0, 1]."""
        chosen = self.images[rows]
        return chosen.float() / 255 if chosen.dtype == torch.uint8 else chosen.float()


def read_digits(file: Path | None, *, train: bool) -> Digits:
    """The digits of an ``.npz`` file, or without one MNIST's training or test images through torchvision.

    Raises:
        DataError: the digits cannot be read or downloaded, or are no 28x28 digits in [0, 1].
    """
    if file is None:
        arrays = read_mnist(train=train)
        return Digits(torch.tensor(arrays.images), torch.tensor(arrays.labels))
    data = load_data(file, SHAPE)
    check_for_network(data, SHAPE, BOUNDS, len(DIGITS))
    return Digits(torch.tensor(data.images), torch.tensor(data.labels))


def train(module: nn.Module, digits: Digits, recipe: Recipe, report: Report = print) -> None:
    """Trains ``module`` in place from its present weights.

    Args:
        module: ``(batch, 1, 28, 28)`` in [0, 1] to logits.
        digits: the training images.
        recipe: epochs, optimiser, augmentation; its seed decides order and shifts.
        report: receives one line after each epoch.
    """
    torch.manual_seed(recipe.seed)
    optimizer = torch.optim.SGD(module.parameters(), lr=recipe.learning_rate, momentum=recipe.momentum)
    n_steps = recipe.epochs * -(-len(digits) // recipe.batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_steps)
    module.train()
    for epoch in range(1, recipe.epochs + 1):
        total = 0.0
        for rows in torch.split(torch.randperm(len(digits)), recipe.batch):
            loss = nn.functional.cross_entropy(module(_moved(digits.pixels(rows), recipe.shift)), digits.labels[rows])
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
            schedule.step()
            total += loss.item() * len(rows)
        report(f"epoch {epoch}/{recipe.epochs}: mean loss {total / len(digits):.4f}")
    module.eval()


def _moved(images: Tensor, shift: int) -> Tensor:
    """The batch moved by one random offset; digits have an empty border, so nothing is cut off."""
    down, right = torch.randint(-shift, shift + 1, (2,)).tolist()
    return images.roll((down, right), dims=(-2, -1))


def n_correct(module: nn.Module, digits: Digits) -> int:
    """How many images ``module`` labels as they are labelled."""
    with torch.no_grad():
        batches = [slice(start, start + 1000) for start in range(0, len(digits), 1000)]
        return sum(int((module(digits.pixels(b)).argmax(1) == digits.labels[b]).sum()) for b in batches)


def trained(name: str, digits: Digits, recipe: Recipe, report: Report = print) -> nn.Module:
    """A newly trained ``mnist-nX``; initial weights follow from the recipe's seed."""
    torch.manual_seed(recipe.seed)
    module = zoo.mnist_structure(name)
    train(module, digits, recipe, lambda line: report(f"{name} {line}"))
    return module


def mnist_card(name: str, module: nn.Module, test: Digits, description: str) -> NetworkCard:
    """The card of a trained network, accuracy measured on ``test``.

    Raises:
        NetworkError: the accuracy is under 97 %.
    """
    accuracy = n_correct(module, test) / len(test)
    if accuracy < LEAST_ACCURACY:
        expected = f"an accuracy of {LEAST_ACCURACY:.1%} or more on {len(test):,} test images"
        raise NetworkError(expected, f"{accuracy:.2%} for {name}", "train for more epochs")
    return Network(module, SHAPE, BOUNDS, DIGITS).card(
        name=name,
        dataset="mnist",
        accuracy=accuracy,
        accuracy_on=f"{len(test):,} MNIST test images",
        description=description,
    )


def describe(name: str, n_images: int, recipe: Recipe) -> str:
    """Structure, data and training of ``mnist-nX`` in words."""
    structure = "x".join(str(width) for width in zoo.EMBEDDED[name])
    return (
        f"Fully connected, {structure} ReLU neurons, the structure of {name.removeprefix('mnist-').upper()} in the "
        f"paper. Trained on {n_images:,} MNIST training images: {recipe}; last epoch kept."
    )


def toy_card() -> NetworkCard:
    """The card of the paper's example network."""
    return Network(zoo.toy(), (2,), (-10.0, 10.0), ("0", "1")).card(
        name="toy",
        dataset="toy",
        description=(
            "The paper's example: two inputs, two layers of three ReLU neurons with the paper's weights, no bias. "
            "The paper gives no weights for the output layer; here logit 0 is n31 - n32 + n33 and logit 1 its negative."
        ),
    )


def write(folder: Path, card: NetworkCard, module: nn.Module | None = None) -> None:
    """Writes ``NAME.json``, and ``NAME.npz`` when a module is given, under ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    if module is not None:
        arrays = {key: tensor.numpy() for key, tensor in module.state_dict().items()}
        np.savez_compressed(folder / f"{card.name}.npz", allow_pickle=False, **arrays)
    (folder / f"{card.name}.json").write_text(to_json(card), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains or re-reads the networks, writes them, and ends with their accuracies. Returns the exit status."""
    options = _parser().parse_args(arguments)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        return _run(options)
    except DnncovError as error:
        print(error, file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    made = _stored(options) if options.cards else _trained(options, read_digits(options.train, train=True))
    test = read_digits(options.test, train=False)
    lines, refused = [], 0
    for name, module, description in made:
        try:
            card = mnist_card(name, module, test, description)
        except NetworkError as error:
            lines.append(f"{name} is not written: {error}")
            refused += 1
        else:
            write(options.out, card, None if options.cards else module)
            lines.append(f"{name}: {card.accuracy:.2%} of {card.accuracy_on}")
    write(options.out, toy_card())
    print("\n".join(lines))
    return 1 if refused else 0


def _trained(options: argparse.Namespace, digits: Digits) -> Iterator[tuple[str, nn.Module, str]]:
    """Name, newly trained module and description of each network asked for, one after the other."""
    recipe = Recipe(epochs=options.epochs, seed=options.seed)
    for name in options.networks:
        yield name, trained(name, digits, recipe), describe(name, len(digits), recipe)


def _stored(options: argparse.Namespace) -> Iterator[tuple[str, nn.Module, str]]:
    """Name, stored module and description of each network asked for."""
    for name in options.networks:
        yield name, zoo.mnist(name), zoo.embedded_card(name).description


def _parser() -> argparse.ArgumentParser:
    names = [name for name in zoo.embedded_names() if name != "toy"]
    parser = argparse.ArgumentParser(prog="python -m dnncov_core.networks.training", description=__doc__)
    parser.add_argument("--train", type=Path, help=".npz with training images and labels (default: download)")
    parser.add_argument("--test", type=Path, help=".npz with test images and labels (default: download)")
    parser.add_argument("--networks", nargs="+", default=names, choices=names, metavar="NAME", help="mnist-n1 ...")
    parser.add_argument("--out", type=Path, default=zoo.FOLDER, help="folder for weights and cards")
    parser.add_argument("--epochs", type=int, default=Recipe.epochs)
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument("--cards", action="store_true", help="train nothing; rewrite the cards of the stored weights")
    return parser


if __name__ == "__main__":
    sys.exit(main())
