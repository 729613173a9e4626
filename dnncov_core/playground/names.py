"""How neurons, features, signs and numbers are written, as the paper writes them: neurons from 1 within their layer."""

from __future__ import annotations

from collections.abc import Iterable

from dnncov_core.features import FeaturePair
from dnncov_core.partitions import Feature
from dnncov_core.phrases.numbers import MINUS


def neuron(layer: int, place: int) -> str:
    """A neuron's name, from its 0-based place.

    >>> neuron(2, 0)
    'n2,1'
    """
    return f"n{layer},{place + 1}"


def neurons(layer: int, places: Iterable[int]) -> str:
    """Names of several neurons.

    >>> neurons(2, (0, 2))
    'n2,1, n2,3'
    """
    return ", ".join(neuron(layer, place) for place in places)


def feature(of: Feature) -> str:
    """A feature's name.

    >>> feature(Feature(2, (0, 1)))
    '{n2,1, n2,2}'
    """
    return f"{{{neurons(of.layer, of.neurons)}}}"


def pair(of: FeaturePair) -> str:
    """A feature pair's name."""
    return f"{feature(of.condition)} → {feature(of.decision)}"


def number(value: float) -> str:
    """Three figures, without an exponent where numbers are of a common size.

    >>> number(-0.30000000000000004), number(-14.0), number(1234.5), number(-0.0)
    ('−0.3', '−14', '1,234', '0')
    """
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value + 0.0:.3g}"
    return text.replace("-", MINUS)


def signs(pattern: Iterable[bool]) -> str:
    """Signs of a layer's neurons.

    >>> signs((True, False, False))
    '+ − −'
    """
    return " ".join("+" if positive else MINUS for positive in pattern)


def letter(place: int) -> str:
    """The name of region number ``place``, from 0.

    >>> letter(0), letter(27)
    ('A', 'B2')
    """
    return chr(ord("A") + place % 26) + (str(place // 26 + 1) if place >= 26 else "")
