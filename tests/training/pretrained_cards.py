"""python -m tests.training.pretrained_cards [NAME ...]: the cards of torchvision's networks, from random weights.

Nothing is downloaded for that. A card has no fingerprint, which is that of weights.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from dnncov_core.networks.cards import to_json
from dnncov_core.networks.pretrained import FOLDER, PRETRAINED
from dnncov_core.networks.pretrained_modules import in_pixel_space, structure, weights_of
from dnncov_core.records import NetworkCard


def made_card(name: str) -> NetworkCard:
    """The card of a network before its weights are known."""
    weights = weights_of(name)
    network = in_pixel_space(name, structure(name))
    card = network.card(
        name,
        dataset="ImageNet-1K",
        accuracy=round(weights.meta["_metrics"]["ImageNet-1K"]["acc@1"] / 100, 5),
        accuracy_on="50,000 ImageNet validation images, by torchvision",
        description=f"{name} of torchvision with the weights {weights}; photos are resized to {network.resize} pixels",
    )
    return replace(card, fingerprint="")


def main() -> None:
    """Writes every card to the assets folder, or those that are named."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PRETRAINED:
        (FOLDER / f"{name}.json").write_text(to_json(made_card(name)), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
