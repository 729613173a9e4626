"""The ImageNet networks of torchvision by name: their cards, and where their weights are. Imports no torch.

The weights are those that torchvision calls ``IMAGENET1K_V1``, which does not move as ``DEFAULT`` does. They are in
torch's own cache, so that those that are already there are not downloaded again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dnncov_core.errors import unknown_name
from dnncov_core.networks.cards import stored_card
from dnncov_core.networks.reference import named_weights
from dnncov_core.records import NetworkCard
from dnncov_core.resources import ASSETS, path_in


@dataclass(frozen=True)
class Pretrained:
    """The weights of one network: torchvision's name for them, their file's name and its size."""

    weights: str
    file: str
    megabytes: int


PRETRAINED: dict[str, Pretrained] = {
    "vgg16": Pretrained("IMAGENET1K_V1", "vgg16-397923af.pth", 528),
    "vgg16_bn": Pretrained("IMAGENET1K_V1", "vgg16_bn-6c64b313.pth", 528),
    "resnet18": Pretrained("IMAGENET1K_V1", "resnet18-f37072fd.pth", 45),
    "squeezenet1_1": Pretrained("IMAGENET1K_V1", "squeezenet1_1-b8a52dc0.pth", 5),
    "mobilenet_v2": Pretrained("IMAGENET1K_V1", "mobilenet_v2-b0353104.pth", 14),
    "mobilenet_v3_small": Pretrained("IMAGENET1K_V1", "mobilenet_v3_small-047dcff4.pth", 10),
    "efficientnet_b0": Pretrained("IMAGENET1K_V1", "efficientnet_b0_rwightman-7f5810bc.pth", 20),
    "regnet_y_400mf": Pretrained("IMAGENET1K_V1", "regnet_y_400mf-c65dace8.pth", 17),
    "mnasnet0_5": Pretrained("IMAGENET1K_V1", "mnasnet0.5_top1_67.823-3ffadce67e.pth", 9),
    "shufflenet_v2_x0_5": Pretrained("IMAGENET1K_V1", "shufflenetv2_x0.5-f707e7126e.pth", 5),
    "resnext50_32x4d": Pretrained("IMAGENET1K_V1", "resnext50_32x4d-7cdf4587.pth", 96),
    "densenet121": Pretrained("IMAGENET1K_V1", "densenet121-a639ec97.pth", 31),
    "googlenet": Pretrained("IMAGENET1K_V1", "googlenet-1378be20.pth", 50),
    "inception_v3": Pretrained("IMAGENET1K_V1", "inception_v3_google-0cc3c7bd.pth", 104),
    "convnext_tiny": Pretrained("IMAGENET1K_V1", "convnext_tiny-983f1562.pth", 109),
    "swin_t": Pretrained("IMAGENET1K_V1", "swin_t-704ceda3.pth", 108),
    "vit_b_16": Pretrained("IMAGENET1K_V1", "vit_b_16-c867db91.pth", 330),
}
"""torchvision's name of the network -> its weights."""

FOLDER = ASSETS / "networks" / "pretrained"
"""Cards made from the structures alone; they have no fingerprint."""


def is_pretrained(reference: str) -> bool:
    """Whether it is one of these networks, by its name or as ``NAME=FILE``.

    >>> is_pretrained("vgg16"), is_pretrained("vgg16=vgg16.pth"), is_pretrained("vgg99=vgg99.pth")
    (True, True, False)
    """
    weights = named_weights(reference)
    return (weights[0] if weights else reference) in PRETRAINED


def pretrained_card(name: str) -> NetworkCard:
    """What is known of a network without its weights.

    Raises:
        SpecificationError: there is no such network; the message lists those that exist.
        NetworkError: the card is missing or damaged.
    """
    _check_name(name)
    return stored_card(name, FOLDER)


def weights_file(name: str) -> Path:
    """Where the weights are, or will be: in ``$TORCH_HOME``, or ``torch`` in the user's cache.

    Raises:
        SpecificationError: there is no such network; the message lists those that exist.
    """
    _check_name(name)
    folder = path_in("TORCH_HOME", str(path_in("XDG_CACHE_HOME", "~/.cache") / "torch"))
    return folder / "hub" / "checkpoints" / PRETRAINED[name].file


def whereabouts(name: str) -> str:
    """Whether the weights are here, in words."""
    if weights_file(name).is_file():
        return "weights are here"
    return f"weights are downloaded on first use ({PRETRAINED[name].megabytes} MB)"


def _check_name(name: str) -> None:
    if name not in PRETRAINED:
        raise unknown_name("network of torchvision", name, PRETRAINED)
