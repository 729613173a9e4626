"""The words that the product uses, each with its meaning."""

from __future__ import annotations

from collections.abc import Mapping

PURPOSE = "finds which interactions of a network's neurons your tests never exercised, and generates tests for them."
"""What the app is for; its name stands before it."""

WORDS: Mapping[str, str] = {
    "layer pair": "a condition layer k and a decision layer that takes its values",
    "feature": "a set of neurons of one layer, often a single one",
    "omega": "the largest share of a layer's neurons that one feature may have",
    "feature pair": "a condition feature of layer k and a decision feature of the layer after it",
    "test condition": "the criterion asked of one feature pair",
    "ordinal": "the number of a test condition in its campaign, by which pages and commands name it",
    "stratified sample": "about as many test conditions of each layer pair, drawn at random within it; in an estimate"
    " of the whole, layer pairs count by their sizes",
    "justified": "said of a test condition without a witness by a person, with a reason why none is needed",
    "seed": "the given input x1 from which a search for x2 starts",
    "test pair": "two inputs, the seed x1 and the generated x2",
    "witness": "a test pair that covers a test condition when the network itself runs on it",
    "covering method": "SS, VS, SV or VV: what has to change, and what has to stay, from x1 to x2",
    "criterion": "a covering method, or another coverage metric such as neuron coverage",
    "effect": "how the condition's own change acts on the decision in one test pair: needed, sufficient, both or none",
    "needed": "without the condition's change, all else as at x2, the decision does not change",
    "sufficient": "the condition's change alone, all else as at x1, changes the decision",
    "value function": "says how much a feature's values have to change from x1 to x2",
    "baseline search": "a search from the same seed with the same budget, which only asks for an adversarial x2",
    "campaign": "one search for test pairs, with all that it was asked and found, in one file",
    "suite": "inputs that somebody already has",
    "measurement": "how much of a network a suite covers, by one or more criteria",
    "pool": "inputs from which suites are drawn, or some are selected",
    "reference data": "inputs, mostly training data, that say which values of a neuron are usual",
    "surprise": "how unlike reference data of its class an input is, by the values of one layer: LSA, DSA or MDSA",
    "seeded fault": "a change of a network that is made on purpose, as mistakes and damage make them",
    "mutant": "a network with one seeded fault, strong enough to lower its accuracy on a suite, and not too strong",
    "killed": "said of a mutant by an input that the network has right and the mutant has wrong",
    "worth": "whether suites that cover more of a network kill more of its mutants, as a rank correlation",
    "early detection": "how early an order of inputs kills mutants; as APFD (Rothermel et al. 2001) the mean over"
    " mutants of 1 − (place of the first input that kills it − 1/2) / number of inputs",
}
"""In the order in which they build on each other."""
_DEEPGAUGE, _SURPRISE = "Ma et al., DeepGauge, ASE 2018", "Kim, Feldt and Yoo, ICSE 2019"
SOURCES: Mapping[str, str] = {
    **dict.fromkeys(("snac", "nbc", "kmnc", "tknc"), _DEEPGAUGE),
    "nlc": "Yuan, Pang and Wang, ICSE 2023",
    **dict.fromkeys(("lsc", "dsc"), _SURPRISE),
    "mdsc": "Kim, Ju, Feldt and Yoo, ESEC/FSE 2020, of whose MDSA it counts degrees",
}
"""Where criteria are from that are not the paper's."""


def explained(*words: str) -> str:
    """Words and their meanings, in Markdown.

    >>> explained("seed")
    '**Seed**: the given input x1 from which a search for x2 starts.'
    """
    return " ".join(f"**{word.capitalize()}**: {WORDS[word]}." for word in words)


GLOSSARY = explained("test condition", "test pair", "witness")
"""The words that stand above every explanation of a campaign's numbers."""
