"""python -m tests.training: trains the embedded networks; writes weights and cards.

The training images train each network for a fixed number of epochs, and the last epoch's weights are kept: no epoch is
chosen by the test images. One thread and one seed give the same weights again on the same kind of processor.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from dnncov_core.errors import DnncovError, NetworkError, SpecificationError
from dnncov_core.networks import zoo
from dnncov_core.networks.cards import to_json
from dnncov_core.networks.network import Network
from dnncov_core.records import NetworkCard
from tests.training.courses import BOUNDS, COURSES, Course
from tests.training.trainable import finished, trainable
from tests.training.trainer import LabelledImages, Recipe, Report, n_correct, train


def trained(name: str, data: LabelledImages, recipe: Recipe, report: Report = print) -> nn.Module:
    """A newly trained embedded network; initial weights follow from the recipe's seed."""
    torch.manual_seed(recipe.seed)
    module = trainable(zoo.EMBEDDED[name])
    train(module, data, recipe, lambda line: report(f"{name} {line}"))
    return finished(module)


def measured_card(name: str, module: nn.Module, course: Course, test: LabelledImages, **words: str) -> NetworkCard:
    """The card of a trained network, accuracy measured on ``test``; ``words`` are further fields of the card.

    Raises:
        NetworkError: the accuracy is under the least that the course asks for.
    """
    accuracy = n_correct(module, test) / len(test)
    if accuracy < course.least_accuracy:
        expected = f"an accuracy of {course.least_accuracy:.1%} or more on {len(test):,} test images"
        raise NetworkError(expected, f"{accuracy:.2%} for {name}", "train for more epochs")
    network = Network(module, course.shape, BOUNDS, course.classes)
    return network.card(name=name, dataset=course.campaign_data, accuracy=accuracy, **words)


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
        return _run(options, COURSES[options.dataset])
    except DnncovError as error:
        print(error, file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, course: Course) -> int:
    names = _names(options, course)
    made = _stored(names) if options.cards else _trained(names, options, course)
    test = course.read(options.test, train=False)
    accuracy_on = course.images(len(test), "test", options.encoding)
    lines, refused = [], 0
    for name, module, description in made:
        try:
            card = measured_card(name, module, course, test, accuracy_on=accuracy_on, description=description)
        except NetworkError as error:
            lines.append(f"{name} is not written: {error}")
            refused += 1
        else:
            write(options.out, card, None if options.cards else module)
            lines.append(f"{name}: {card.accuracy:.2%} of {card.accuracy_on}")
    write(options.out, toy_card())
    print("\n".join(lines))
    return 1 if refused else 0


def _names(options: argparse.Namespace, course: Course) -> Sequence[str]:
    """The networks asked for, which must belong to the data set.

    Raises:
        SpecificationError: one does not.
    """
    if wrong := [name for name in options.networks or () if name not in course.networks]:
        expected = f"networks of {options.dataset}, among {', '.join(course.networks)}"
        raise SpecificationError(expected, ", ".join(wrong), "choose among these, or another --dataset")
    return options.networks or course.networks


def _trained(names: Sequence[str], options: argparse.Namespace, course: Course) -> Iterator[tuple[str, nn.Module, str]]:
    """Name, newly trained module and description of each network asked for, one after the other."""
    epochs = course.recipe.epochs if options.epochs is None else options.epochs
    recipe = replace(course.recipe, epochs=epochs, seed=options.seed)
    data = course.read(options.train, train=True)
    images = course.images(len(data), "training", options.encoding)
    for name in names:
        yield name, trained(name, data, recipe), course.describe(name, images, recipe)


def _stored(names: Sequence[str]) -> Iterator[tuple[str, nn.Module, str]]:
    """Name, stored module and description of each network asked for."""
    for name in names:
        yield name, zoo.embedded_module(name), zoo.embedded_card(name).description


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.training", description=__doc__)
    parser.add_argument("--dataset", default="mnist", choices=COURSES, help="whose networks to train (default: mnist)")
    parser.add_argument("--train", type=Path, help=".npz with training images and labels (default: download)")
    parser.add_argument("--test", type=Path, help=".npz with test images and labels (default: download)")
    parser.add_argument("--encoding", default="", metavar="WORDS", help="how these files were made, for the cards")
    parser.add_argument("--networks", nargs="+", metavar="NAME", help="some of the data set's (default: all)")
    parser.add_argument("--out", type=Path, default=zoo.FOLDER, help="folder for weights and cards")
    parser.add_argument("--epochs", type=int, help="instead of the data set's own number")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cards", action="store_true", help="train nothing; rewrite the cards of the stored weights")
    return parser


if __name__ == "__main__":
    sys.exit(main())
