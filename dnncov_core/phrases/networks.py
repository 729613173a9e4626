"""What is neuron, layer and edge in a network, and what keeps linear programming from it."""

from __future__ import annotations

from dnncov_core.errors import WHERE_TOLD
from dnncov_core.records import NetworkCard


def structure_words(card: NetworkCard) -> str:
    """Which operators are passed through, what a neuron is there, and what keeps linear programming from the network.

    Empty for networks in which layers of neurons follow each other by affine operators and max pooling alone.
    """
    outputs = f"The outputs are numbers and no classes: {quantity_names(card)}." if card.quantities else ""
    return " ".join(filter(None, [outputs, _passed(card), _tokens(card), _obstacle(card)]))


def right_answers(card: NetworkCard) -> str:
    """What a network's right answers are a share of: its accuracy, or outputs within the tolerance of targets."""
    return "Outputs within the tolerance" if card.quantities else "Accuracy"


def helpless(card: NetworkCard) -> str:
    """What to look at where no usual way to read the data makes a network's answers right."""
    told = "outputs, their tolerances" if card.quantities else "classes"
    rule = "" if card.quantities else ", or that the smallest output decides"
    return (
        f"Check the {told}, the weights and the data, and what the network is not told yet, such as means and"
        f" deviations of its inputs{rule}: it can be said {WHERE_TOLD}."
    )


def equal_readings(n: int) -> str:
    """Which of several ways to read data to take, where the inputs that were tried do not tell."""
    return (
        f"{n} readings are better, and these inputs do not tell them apart. Take the one that the network was trained"
        " with: coverage depends on it."
    )


def quantity_names(card: NetworkCard) -> str:
    """The outputs of a regression, each with its tolerance in its unit.

    >>> from dnncov_core.networks.zoo import embedded_card
    >>> from dataclasses import replace
    >>> from dnncov_core.records import Quantity
    >>> quantity_names(replace(embedded_card("toy"), quantities=(Quantity("heading", "°", 2.0),)))
    'heading, tolerance 2 °'
    """
    return "; ".join(f"{of.name}, tolerance {of.tolerance:g} {of.unit}".rstrip() for of in card.quantities)


def _passed(card: NetworkCard) -> str:
    if not card.passed:
        return ""
    return (
        "Layers are the activation functions; two are a layer pair where the values of one reach the other without"
        f" another one between. Passed through on the way, as no layers: {', '.join(card.passed)}."
    )


def _tokens(card: NetworkCard) -> str:
    layers = [layer for layer in card.layers if layer.channels_last]
    if not layers:
        return ""
    others = len(card.layers) - 2 - len(layers)
    which = f"{len(layers)} of {len(card.layers) - 2} hidden layers" if others else "all hidden layers"
    return (
        f"In {which}, a neuron is one channel of one token or place; feature mode map takes a channel of all of them"
        " as one feature."
    )


def _obstacle(card: NetworkCard) -> str:
    if not card.obstacle:
        return ""
    return f"Linear programming cannot work with {card.obstacle}; gradient searches can."
