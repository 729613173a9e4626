"""The trainer: epochs are told, the mode at the end is eval, pixels do not depend on how images are stored.

Images are moved and mirrored: each stays itself, and its borders are reflected.
"""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from tests.training.trainer import BatchShift, LabelledImages, Recipe, ShiftAndFlip, n_correct, train


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


def images(n: int, size: int = 8) -> Tensor:
    return torch.rand((n, 3, size, size), generator=torch.Generator().manual_seed(1))


def variants(image: Tensor, pixels: int) -> list[Tensor]:
    """Every move and mirror of ``(channels, height, width)``, by indices reflected one by one."""
    size = image.shape[-1]

    def reflected(start: int) -> list[int]:
        return [size - 1 - abs(size - 1 - abs(k)) for k in range(start, start + size)]

    offsets = range(-pixels, pixels + 1)
    moved = [image[:, reflected(down)][:, :, reflected(right)] for down in offsets for right in offsets]
    return moved + [variant.flip(-1) for variant in moved]


def test_each_image_is_moved_and_mirrored_on_its_own() -> None:
    torch.manual_seed(0)
    before = images(200)
    after = ShiftAndFlip(2)(before)
    assert after.shape == before.shape
    which = [
        next(k for k, variant in enumerate(variants(old, 2)) if torch.equal(variant, new))
        for old, new in zip(before, after, strict=True)
    ]
    assert len(set(which)) > 40
    assert 70 < sum(k >= 25 for k in which) < 130


def test_a_batch_of_digits_moves_as_one_and_loses_nothing() -> None:
    torch.manual_seed(0)
    before = images(4)
    seen = set()
    for _ in range(60):
        after = BatchShift(1)(before)
        offsets = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
        seen.add(next(o for o in offsets if torch.equal(before.roll(o, (-2, -1)), after)))
    assert len(seen) == 9


def test_moving_by_nothing_changes_nothing() -> None:
    before = images(5)
    assert torch.equal(BatchShift(0)(before), before)
    after = ShiftAndFlip(0)(before)
    assert all(torch.equal(new, old) or torch.equal(new, old.flip(-1)) for old, new in zip(before, after, strict=True))
