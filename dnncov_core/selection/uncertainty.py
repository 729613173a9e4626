"""How unsure the network is of an input, by its softmax alone: scores of which the greatest comes first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dnncov_core.types import FloatArray


def deepgini(p: FloatArray) -> FloatArray:
    """1 - sum of p^2 over the classes, ``(inputs,)``, of probabilities ``(inputs, classes)``.

    Feng, Shi, Gao, Wan, Fang and Chen: "DeepGini: Prioritizing Massive Tests to Enhance the Robustness of Deep Neural
    Networks", ISSTA 2020.

    >>> deepgini(np.array([[0.5, 0.5], [0.9, 0.1]])).round(2).tolist()
    [0.5, 0.18]
    """
    found: FloatArray = 1 - (p**2).sum(axis=1)
    return found


def margin(p: FloatArray) -> FloatArray:
    """Minus the margin between the two largest probabilities, likewise.

    Scheffer, Decomain and Wrobel: "Active Hidden Markov Models for Information Extraction", IDA 2001.

    >>> margin(np.array([[0.5, 0.4, 0.1], [0.9, 0.1, 0.0]])).round(2).tolist()
    [-0.1, -0.8]
    """
    least = np.sort(p, axis=1)
    found: FloatArray = least[:, -2] - least[:, -1]
    return found


def entropy(p: FloatArray) -> FloatArray:
    """- sum of p ln(p) over the classes, in nats, likewise (Shannon 1948).

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(4).tolist()
    [0.6931, 0.0]
    """
    found: FloatArray = -(p * np.log(np.where(p > 0, p, 1))).sum(axis=1) + 0.0
    return found


@dataclass(frozen=True)
class Uncertainty:
    """An order by how unsure the network is.

    Attributes:
        title: its name.
        words: what comes first.
        score: from probabilities to numbers.
    """

    title: str
    words: str
    score: Callable[[FloatArray], FloatArray]


UNCERTAINTIES: Mapping[str, Uncertainty] = {
    "deepgini": Uncertainty("DeepGini", "first the inputs for which 1 − Σ p² of the softmax is greatest", deepgini),
    "margin": Uncertainty("Margin", "first the inputs whose two most probable classes are nearest", margin),
    "entropy": Uncertainty("Entropy", "first the inputs whose softmax has the greatest entropy", entropy),
}
"""Each by its name, which `dnncov select --by` takes."""
