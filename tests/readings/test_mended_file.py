"""A mended network is written as a file that loads without code, takes the data as they are, and answers alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core import Network
from dnncov_core.errors import NetworkError
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.readings import factory, mended_file
from dnncov_core.readings.check import check
from dnncov_core.readings.mended_file import save_mended
from dnncov_core.registry import open_data_for, open_network


def digits(tmp_path: Path, change: str) -> Path:
    """Some embedded digits with a usual mistake."""
    network = load_embedded("mnist-n1")
    data = open_data_for(network, "mnist")
    rows = np.arange(0, len(data), 17)
    x, labels = data.pixels(rows).astype(np.float32), data.labels[rows]  # type: ignore[index]
    changed = {
        "grey levels": (255 * x, labels),
        "vectors": (x.reshape(len(x), -1), labels),
        "no channel": (x[:, 0], labels),
        "exchanged": (1 - x, labels),
        "from one": (x, labels + 1),
    }[change]
    path = tmp_path / "digits.npz"
    np.savez(path, images=changed[0], labels=changed[1])
    return path


@pytest.mark.parametrize(
    ("change", "shape", "bounds"),
    [
        ("grey levels", (1, 28, 28), (0.0, 255.0)),
        ("vectors", (784,), (0.0, 1.0)),
        ("exchanged", (1, 28, 28), (0.0, 1.0)),
    ],
)
def test_a_mended_file_is_right_on_the_data_as_they_are(
    tmp_path: Path, change: str, shape: tuple[int, ...], bounds: tuple[float, float]
) -> None:
    network, path = load_embedded("mnist-n1"), digits(tmp_path, change)
    found = check(network, str(path))
    saved = save_mended(network, found, found.mended[0], tmp_path / "mended.pt2")
    again, _ = load_network(str(tmp_path / "mended.pt2"))
    assert (again.input_shape, again.bounds, again.fingerprint) == (shape, bounds, saved.fingerprint)
    assert again.box.ranges is None
    data = open_data_for(again, str(path))
    x = torch.from_numpy(data.pixels(slice(None))).to(again.dtype)
    assert data.labels is not None
    right = again.decision.agrees(again(x), data.labels)
    assert right.mean() > 0.95


def test_labels_that_count_from_one(tmp_path: Path) -> None:
    network, path = load_embedded("mnist-n1"), digits(tmp_path, "from one")
    found = check(network, str(path))
    best = found.mended[0]
    assert best.labels is not None
    labels = mended_file.mended_labels(found.data, best).labels
    assert labels is not None
    np.testing.assert_array_equal(labels, np.load(path)["labels"] - 1)


def test_rows_of_a_table_keep_the_names_and_ranges_of_their_columns(tmp_path: Path) -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Flatten(), nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))
    network = Network(module, (1, 1, 3), classes=["a", "b", "c"])
    x = np.random.default_rng(0).normal(size=(200, 3)) * (1, 5, 30)
    labels = network(torch.from_numpy(x.reshape(-1, 1, 1, 3)).float()).argmin(dim=1)
    path = tmp_path / "rows.csv"
    lines = [",".join(map(str, [*row, int(label)])) for row, label in zip(x, labels, strict=True)]
    path.write_text("\n".join(["rho,theta,psi,label", *lines]))
    found = check(network, str(path))
    saved = save_mended(network, found, found.mended[0], tmp_path / "mended.pt2")
    again, _ = open_network(str(tmp_path / "mended.pt2"))
    assert again.box == saved.box
    assert (again.input_shape, again.box.features) == ((3,), ("rho", "theta", "psi"))
    assert again.box.ranges == tuple(map(tuple, zip(x.min(axis=0), x.max(axis=0), strict=True)))
    assert again.decision == replace(network.decision, rule="min")  # type: ignore[type-var]
    assert again.classes == ("a", "b", "c")
    assert len(open_data_for(again, str(path))) == 200


def test_grey_pictures_of_a_network_of_vectors_get_their_channel(tmp_path: Path) -> None:
    plain = load_embedded("mnist-n1")
    vectors = Network(nn.Sequential(nn.Unflatten(1, (1, 28, 28)), plain.program.module()), (784,))
    found = check(vectors, str(digits(tmp_path, "no channel")))
    saved = save_mended(vectors, found, found.mended[0], tmp_path / "mended.pt2")
    assert saved.input_shape == (1, 28, 28)


def test_one_that_answers_otherwise_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = load_embedded("mnist-n1")
    found = check(network, str(digits(tmp_path, "exchanged")))
    lying = replace(found.mended[0], steps=())
    with pytest.raises(NetworkError, match=r"expected an accuracy of .* from the file"):
        save_mended(network, found, lying, tmp_path / "mended.pt2")


def photos(path: Path, **told: object) -> Network:
    """A small network of photos that takes grey levels in [0, 1], and such photos in [0, 255]."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.Flatten(), nn.Linear(48, 12), nn.ReLU(), nn.Linear(12, 4))
    network = Network(module, (3, 4, 4), resize=6, **told)  # type: ignore[arg-type]
    x = np.random.default_rng(0).random((200, 3, 4, 4)).astype(np.float32)
    np.savez(path, images=255 * x, labels=network(torch.from_numpy(x)).argmax(dim=1).numpy())
    return network


@pytest.mark.parametrize("bicubic", [True, False])
def test_photos_are_resized_as_before(tmp_path: Path, bicubic: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    network = photos(tmp_path / "photos.npz", bicubic=bicubic)
    found = check(network, str(tmp_path / "photos.npz"))
    save_mended(network, found, found.mended[0], tmp_path / "mended.pt2")
    again, _ = load_network(str(tmp_path / "mended.pt2"))
    assert (again.resize, again.bicubic) == (6, bicubic)
    text = factory.source(network, "net", found, found.mended[0])
    assert "resize=6" in text
    assert ("bicubic=True" in text) == bicubic


def test_a_regression_loads_again(tmp_path: Path) -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)).double()
    network = Network(module, (3,), tolerance=[0.01, 0.02], quantities=["a", "b"], quantity_units=["m", "s"])
    x = np.random.default_rng(0).random((100, 3))
    with torch.no_grad():
        np.savez(tmp_path / "x.npz", inputs=255 * x, targets=module(torch.from_numpy(x)).numpy())
    found = check(network, str(tmp_path / "x.npz"))
    save_mended(network, found, found.mended[0], tmp_path / "mended.pt2")
    again, _ = load_network(str(tmp_path / "mended.pt2"))
    assert (again.quantities, again.decision) == (network.quantities, network.decision)
