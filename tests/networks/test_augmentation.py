"""Moves and mirrors: each image stays itself, only moved or mirrored, and its borders are reflected."""

from __future__ import annotations

import torch
from torch import Tensor

from dnncov_core.networks.augmentation import BatchShift, ShiftAndFlip


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
