"""The trainer: epochs are told, the mode at the end is eval, and pixels do not depend on how images are stored."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from dnncov_core.networks.augmentation import BatchShift
from dnncov_core.networks.trainer import LabelledImages, Recipe, n_correct, train


def halves(n: int) -> LabelledImages:
    """Two classes: the upper or the lower half is bright."""
    labels = torch.arange(n) % 2
    images = torch.full((n, 1, 6, 6), 20, dtype=torch.uint8)
    for image, label in zip(images, labels.tolist(), strict=True):
        image[0, 3 * label : 3 * label + 3] = 240
    return LabelledImages(images, labels)


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))


@pytest.mark.parametrize("bfloat16", [False, True])
def test_training_learns_reports_each_epoch_and_ends_in_eval_mode(bfloat16: bool) -> None:
    lines: list[str] = []
    module, recipe = network(), Recipe(5, 0.1, BatchShift(0), batch=16, bfloat16=bfloat16)
    train(module, halves(64), recipe, lines.append)
    assert n_correct(module, halves(40)) == 40
    assert [line.split(":")[0] for line in lines] == [f"epoch {epoch}/5" for epoch in range(1, 6)]
    assert not module.training
    assert {parameter.dtype for parameter in module.parameters()} == {torch.float32}


def test_every_batch_is_varied() -> None:
    sizes: list[int] = []

    class Seen:
        def __call__(self, images: Tensor) -> Tensor:
            sizes.append(len(images))
            return images

    train(network(), halves(40), Recipe(2, 0.1, Seen(), batch=16), lambda line: None)
    assert sizes == [16, 16, 8] * 2


def test_weight_decay_shrinks_weights() -> None:
    modules = [network() for _ in range(2)]
    for module, decay in zip(modules, (0.0, 0.1), strict=True):
        train(module, halves(64), Recipe(3, 0.05, BatchShift(0), weight_decay=decay), lambda line: None)
    free, decayed = (sum(float(p.detach().norm()) for p in module.parameters()) for module in modules)
    assert decayed < free


def test_uint8_and_float_images_give_the_same_pixels() -> None:
    grey = halves(20)
    floats = LabelledImages(grey.images.float() / 255, grey.labels)
    assert torch.equal(grey.pixels(slice(3, 9)), floats.pixels(slice(3, 9)))


def test_recipe_in_words() -> None:
    words = str(Recipe(2, 0.1, BatchShift(1), weight_decay=0.01, seed=3))
    assert words.startswith("2 epochs of gradient descent (learning rate 0.1 with cosine decay, momentum 0.9")
    assert words.endswith("weight decay 0.01, batches of 128, each moved by up to 1 pixel), seed 3")
