"""The embedded networks: their cards are true, their weights fit, and damage is told in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.data import check_for_network, load_data
from dnncov_core.errors import DnncovError, NetworkError, SpecificationError
from dnncov_core.networks import zoo
from dnncov_core.networks.cards import from_json, to_json

STRUCTURES = {
    "mnist-n1": "67x22x63",
    "mnist-n2": "59x94x56x45",
    "mnist-n3": "72x61x70x77",
    "mnist-n4": "65x99x87x23x31",
    "mnist-n5": "49x61x90x21x48",
    "mnist-n6": "97x83x32",
    "mnist-n7": "33x95x67x43x76",
    "mnist-n8": "78x62x73x47",
    "mnist-n9": "87x33x62",
    "mnist-n10": "76x55x74x98x75",
}
"""As the paper's table prints them."""


@pytest.mark.parametrize("name", zoo.EMBEDDED)
def test_card_is_that_of_the_loaded_network(name: str) -> None:
    card, network = zoo.embedded_card(name), zoo.load_embedded(name)
    assert card == network.card(
        name=name,
        dataset=card.dataset,
        accuracy=card.accuracy,
        accuracy_on=card.accuracy_on,
        description=card.description,
    )


@pytest.mark.parametrize(("name", "structure"), STRUCTURES.items())
def test_digit_network_has_the_papers_structure_and_its_accuracy_on_its_card(name: str, structure: str) -> None:
    card = zoo.embedded_card(name)
    hidden = "x".join(str(layer.neurons) for layer in card.layers[1:-1])
    assert (card.layers[0].neurons, hidden, card.layers[-1].neurons) == (784, structure, 10)
    assert structure in card.description
    assert "seed 0" in card.description
    assert card.accuracy is not None
    assert 0.97 <= card.accuracy <= 1
    assert card.accuracy_on == "10,000 MNIST test images"
    assert (card.input_shape, card.bounds, card.dataset) == ((1, 28, 28), (0.0, 1.0), "mnist")


@pytest.mark.parametrize("name", STRUCTURES)
def test_weights_and_preprocessing_fit_the_embedded_digits(name: str) -> None:
    card, data = zoo.embedded_card(name), load_data("mnist", (1, 28, 28))
    check_for_network(data, card.box, len(card.classes))
    with torch.no_grad():
        logits = zoo.embedded_module(name)(torch.from_numpy(data.pixels(slice(None))).float())
    assert logits.dtype == torch.float32
    assert (logits.argmax(1).numpy() == data.labels).mean() >= 0.97


def test_photo_network_has_plain_convolutions_and_its_accuracy_on_its_card() -> None:
    card, module = zoo.embedded_card("cifar10-cnn"), zoo.embedded_module("cifar10-cnn")
    kinds = {type(layer).__name__ for layer in module.children()}
    assert kinds == {"Conv2d", "ReLU", "MaxPool2d", "Flatten", "Linear"}
    assert [layer.shape for layer in card.layers[1:-1]] == [
        (24, 32, 32),
        (24, 32, 32),
        (48, 16, 16),
        (48, 16, 16),
        (96, 8, 8),
        (96, 8, 8),
        (128,),
    ]
    assert card.accuracy is not None
    assert 0.8 <= card.accuracy <= 1
    assert card.accuracy_on == "10,000 CIFAR-10 test images (JPEG, quality 75)"
    assert "50,000 CIFAR-10 training images (JPEG, quality 75)" in card.description
    assert (card.input_shape, card.bounds, card.dataset) == ((3, 32, 32), (0.0, 1.0), "cifar10-sample")


def test_photo_network_knows_most_of_the_embedded_photos() -> None:
    card, data = zoo.embedded_card("cifar10-cnn"), load_data("cifar10-sample", (3, 32, 32))
    check_for_network(data, card.box, len(card.classes))
    assert card.classes == data.classes
    with torch.no_grad():
        logits = zoo.embedded_module("cifar10-cnn")(torch.from_numpy(data.pixels(slice(None))).float())
    assert (logits.argmax(1).numpy() == data.labels).sum() >= 15


def test_all_embedded_files_stay_small() -> None:
    sizes = [path.stat().st_size for path in zoo.FOLDER.iterdir() if path.is_file()]
    assert len(sizes) == 12 + 11
    assert max(sizes) < 3_000_000
    assert sum(sizes) < 6_000_000


def test_toy_has_the_papers_weights_and_labels_its_six_inputs() -> None:
    module, data = zoo.toy(), load_data("toy", (2,))
    first, second, _ = module.parameters()
    assert first.T.tolist() == [[4, 0, -1], [1, -2, 1]]
    assert second.T.tolist() == [[2, 3, -1], [-7, 6, 4], [1, -5, 9]]
    logits = module(torch.from_numpy(data.images.copy()))
    assert logits.dtype == torch.float64
    assert logits.argmax(1).tolist() == data.labels.tolist()
    card = zoo.embedded_card("toy")
    assert (card.bounds, card.accuracy) == ((-10.0, 10.0), None)
    assert "no weights for the output layer" in card.description
    check_for_network(data, card.box, len(card.classes))


def test_modules_are_in_eval_mode_and_take_any_batch() -> None:
    module = zoo.embedded_module("mnist-n7")
    assert not module.training
    assert [tuple(module(torch.zeros(n, 1, 28, 28)).shape) for n in (1, 7)] == [(1, 10), (7, 10)]


def test_card_survives_json() -> None:
    card = zoo.embedded_card("mnist-n4")
    assert from_json(to_json(card)) == card
    bare = replace(card, accuracy=None, layers=(card.layers[0], replace(card.layers[-1], index=2)), edges=())
    assert from_json(to_json(bare)) == bare


def test_cards_import_no_torch() -> None:
    code = (
        "import sys; from dnncov_core.networks.zoo import EMBEDDED, embedded_card;"
        "[embedded_card(name) for name in EMBEDDED]; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("ask", [zoo.embedded_card, zoo.embedded_module, zoo.load_embedded])
@pytest.mark.parametrize("name", ["mnist-n11", "../toy", ""])
def test_unknown_name_lists_what_exists(ask: Callable[[str], object], name: str) -> None:
    with pytest.raises(SpecificationError, match=r"toy, mnist-n1, .*, mnist-n10, cifar10-cnn; got "):
        ask(name)


Damage = Callable[[Path], object]


def rewritten(**changes: object) -> Damage:
    """Replaces arrays of mnist-n1 in its .npz file; None removes one."""

    def damage(folder: Path) -> None:
        with np.load(folder / "mnist-n1.npz") as stored:
            arrays = {**{key: stored[key] for key in stored.files}, **changes}
        kept = {key: np.asarray(array) for key, array in arrays.items() if array is not None}
        np.savez(folder / "mnist-n1.npz", allow_pickle=True, **kept)

    return damage


def cut(file: str) -> Damage:
    return lambda folder: (folder / file).write_bytes((folder / file).read_bytes()[:-100])


def card_without(key: str) -> Damage:
    def damage(folder: Path) -> None:
        fields = json.loads((folder / "mnist-n1.json").read_text(encoding="utf-8"))
        del fields[key]
        (folder / "mnist-n1.json").write_text(json.dumps(fields), encoding="utf-8")

    return damage


@pytest.mark.parametrize(
    ("damage", "expected", "got"),
    [
        (lambda folder: (folder / "mnist-n1.json").unlink(), "the card of mnist-n1", "FileNotFoundError"),
        (cut("mnist-n1.json"), "the card of mnist-n1", "text that is no JSON at line "),
        (card_without("layers"), "the card of mnist-n1", "ValueError: no layers"),
        (card_without("name"), "the card of mnist-n1", "ValueError: no name"),
        (
            lambda folder: (folder / "mnist-n1.npz").unlink(),
            "network weights",
            "got no such file; restore",
        ),
        (cut("mnist-n1.npz"), "network weights", "got "),
        (rewritten(**{"3.bias": None}), "float32 (22,) as 3.bias", "got no array"),
        (rewritten(extra=np.zeros(3)), "no array as extra", "got float64 (3,)"),
        (rewritten(**{"3.bias": np.zeros(21, np.float32)}), "float32 (22,) as 3.bias", "got float32 (21,)"),
        (rewritten(**{"3.bias": np.zeros(22)}), "float32 (22,) as 3.bias", "got float64 (22,)"),
        (rewritten(**{"3.bias": np.array([{}])}), "network weights", "got Python objects, which are not loaded"),
    ],
)
def test_damaged_assets_are_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: Damage, expected: str, got: str
) -> None:
    for suffix in ("npz", "json"):
        (tmp_path / f"mnist-n1.{suffix}").write_bytes((zoo.FOLDER / f"mnist-n1.{suffix}").read_bytes())
    monkeypatch.setattr(zoo, "FOLDER", tmp_path)
    damage(tmp_path)
    with pytest.raises(NetworkError) as caught:
        zoo.load_embedded("mnist-n1")
    assert isinstance(caught.value, DnncovError)
    assert expected in str(caught.value)
    assert got in str(caught.value)
    assert "\n" not in str(caught.value)
