from __future__ import annotations

from dataclasses import replace

from dnncov_core.networks.zoo import embedded_card
from dnncov_core.phrases.networks import structure_words


def test_what_a_plain_network_is_made_of_needs_no_words() -> None:
    assert structure_words(embedded_card("mnist-n1")) == structure_words(embedded_card("cifar10-cnn")) == ""


def test_what_is_passed_through_and_what_keeps_linear_programming_off_is_said() -> None:
    card = embedded_card("toy")
    tokens = replace(card.layers[1], shape=(1, 3), neurons=3, channels_last=True)
    card = replace(card, layers=(card.layers[0], tokens, *card.layers[2:]))
    words = structure_words(replace(card, passed=("layer_norm", "softmax"), obstacle="softmax in the module a.b"))
    assert words == (
        "Layers are the activation functions; two are a layer pair where the values of one reach the other without"
        " another one between. Passed through on the way, as no layers: layer_norm, softmax."
        " In 1 of 2 hidden layers, a neuron is one channel of one token or place; feature mode map takes a channel of"
        " all of them as one feature."
        " Linear programming cannot work with softmax in the module a.b; gradient searches can."
    )
