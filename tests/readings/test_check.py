"""Readings of data: mistakes planted in embedded networks are named first, and what is right is left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core.errors import DataError
from dnncov_core.networks.network import Network
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.readings.check import Check, balanced, check
from dnncov_core.readings.label_orders import permutation
from dnncov_core.readings.trials import least_accuracy
from tests.readings.mistakes import MISTAKES, Wrong, templates

READ = (
    "the network expects values in [0, 255]; the data have [0, 1]",
    "height and width are swapped",
)
"""Two steps that are tried with digits, the first one first."""
pytestmark = pytest.mark.usefixtures("folder")


def checked(name: str) -> Check:
    """What comes of the check of a planted mistake."""
    mistake = MISTAKES[name]
    module, images, labels = templates(mistake.channels)
    images, labels = mistake.data(images, labels)
    np.savez("made.npz", images=images.astype(np.float32), labels=labels)
    shape = mistake.shape(6) if mistake.shape else (mistake.channels, 6, 6)
    return check(Network(Wrong(module, mistake), shape, classes=mistake.classes), "made.npz")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_planted_mistake_is_named_among_the_best(name: str) -> None:
    found = checked(name)
    assert not found.is_fine
    assert found.mended
    assert any(all(part in " ".join(trial.causes) for part in MISTAKES[name].named) for trial in found.mended)


@pytest.mark.parametrize(("name", "data"), [("mnist-n1", "mnist"), ("cifar10-cnn", "cifar10-sample")])
def test_data_that_are_right_need_no_mend(name: str, data: str) -> None:
    found = check(load_embedded(name), data, 60)
    now = found.as_it_is
    assert now is not None
    assert found.data.labels is not None
    answers = load_embedded(name)(torch.from_numpy(found.data.images[found.rows] / 255.0)).argmax(dim=1).numpy()
    right = int((answers == found.data.labels[found.rows]).sum())
    assert (now.accuracy.n, now.accuracy.total) == (right, len(found.rows))
    assert found.is_fine
    assert found.mended == ()


@pytest.fixture
def images_of_noise(folder: Path) -> Network:
    """A network with random weights, and images of noise for it, which are those of noise.npz."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    np.savez(folder / "noise.npz", images=rng.random((100, 28, 28)), labels=np.arange(100) % 10)
    return Network(nn.Sequential(nn.Flatten(), nn.Linear(784, 8), nn.ReLU(), nn.Linear(8, 10)), (1, 28, 28))


def test_a_network_that_knows_nothing_gets_no_mend(images_of_noise: Network) -> None:
    found = check(images_of_noise, "noise.npz")
    assert found.mended == ()
    assert not found.is_fine


def test_readings_near_chance_are_tried_on_few_inputs(images_of_noise: Network) -> None:
    found = check(images_of_noise, "noise.npz")
    assert {len(trial.correct) for trial in found.trials if not trial.steps} == {100}
    assert {len(trial.correct) for trial in found.trials if trial.steps} == {40}
    two = [trial for trial in found.trials if len(trial.steps) == 2]
    assert len(two) > 3


def test_progress_names_what_is_tried_and_what_it_raises_ends_the_check(images_of_noise: Network) -> None:
    seen: list[tuple[str, int, int]] = []
    check(images_of_noise, "noise.npz", 50, lambda *told: seen.append(told))
    assert [tried for tried, _, _ in seen[:2]] == ["the data as they are", READ[0]]
    assert f"{READ[1]}, and {READ[0]}" in [tried for tried, _, _ in seen]
    assert [done for _, done, _ in seen] == [50, *range(90, 50 + 40 * len(seen), 40)]
    assert all(done <= total for _, done, total in seen)

    def cancelled(tried: str, done: int, total: int) -> None:
        raise InterruptedError(tried)

    with pytest.raises(InterruptedError, match="the data as they are"):
        check(images_of_noise, "noise.npz", 50, cancelled)


def test_a_sample_has_as_many_inputs_of_each_label() -> None:
    labels = np.array([2, 0, 0, 0, 1, 1, 0, 2])
    assert balanced(labels, 6).tolist() == [0, 1, 4, 2, 5, 7]
    assert balanced(labels, 99).tolist() == [0, 1, 4, 2, 5, 7, 3, 6]


def test_least_accuracy_is_a_tenth_of_the_way_from_chance_to_all() -> None:
    assert least_accuracy(2) == pytest.approx(0.55)
    assert least_accuracy(1000) == pytest.approx(0.1009)


def test_an_order_of_classes_is_found_from_half_and_must_hold_for_the_others() -> None:
    labels = np.repeat(np.arange(3), 8)
    order = permutation(np.array([1, 2, 0])[labels], labels, 3)
    assert order is not None
    assert order.table == (1, 2, 0)
    assert order.right(np.array([0, 1, 2, 3])).tolist() == [1, 2, 0, -1]
    half = np.where(np.arange(24) % 2 == 0, np.array([1, 2, 0])[labels], labels)
    assert permutation(half, labels, 3) is None
    assert permutation(np.zeros(24, dtype=np.int64), labels, 3) is None
    assert permutation(labels, labels, 3) is None
    assert permutation(np.array([1, 0]), np.array([0, 1]), 2) is None


def test_inputs_that_no_usual_step_makes_those_of_the_network_are_refused() -> None:
    np.savez("other.npz", images=np.zeros((4, 5, 7)), labels=np.zeros(4, dtype=np.int64))
    with pytest.raises(DataError, match=r"images of shape \(1, 28, 28\); got \(5, 7\)"):
        check(load_embedded("mnist-n1"), "other.npz")


def test_what_is_seen_in_the_network_is_noted() -> None:
    modules: list[nn.Module] = [nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.BatchNorm2d(2)]
    modules += [nn.Flatten(), nn.Linear(2 * 26 * 26, 10), nn.Softmax(dim=1)]
    network = Network(nn.Sequential(*modules), (1, 28, 28))
    probabilities, untouched = check(network, "mnist", 20).notes
    assert probabilities.startswith("The module ends with probabilities; they are left out")
    assert untouched.startswith("The running mean of the batch norm in the module 1, and of 1 more, is 0 and")
    assert check(load_embedded("mnist-n1"), "mnist", 20).notes == ()
