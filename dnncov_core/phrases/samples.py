"""Which feature pairs became test conditions: all of them, or a sample, and how it was drawn."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.features import strongest
from dnncov_core.phrases.numbers import counted

DRAWN: Mapping[str, tuple[str, str]] = {
    "uniform": ("a random sample", ""),
    "even": ("a sample", ", drawn evenly over layer pairs"),
}
"""How a sample is called and how it was drawn, by the keys of `SAMPLINGS`."""


def is_sample(asked: int, available: int) -> bool:
    """Whether a campaign asks about some of its feature pairs only."""
    return asked < available


def sample(spec: CampaignSpec, asked: int, available: int) -> str:
    """Which feature pairs the test conditions are.

    Args:
        spec: how they were chosen.
        asked: test conditions of the campaign.
        available: feature pairs from which they were chosen.

    >>> sample(CampaignSpec("toy", "toy", pairs=200), 200, 3490)
    'a random sample of 200 of 3,490 feature pairs (random seed 0)'
    >>> sample(CampaignSpec("toy", "toy", pairs=200, sampling="even"), 200, 3490)
    'a sample of 200 of 3,490 feature pairs, drawn evenly over layer pairs (random seed 0)'
    >>> sample(CampaignSpec("toy", "toy", top_weights=10, layers=(3, 4)), 900, 900)
    'all 900 feature pairs of decision layers 3 and 4 among the 10 strongest connections into each decision neuron'
    """
    layers = [str(layer) for layer in spec.layers]
    into = f" of decision layer{'s' * (len(layers) > 1)} {' and '.join(layers)}" if layers else ""
    among = "" if spec.top_weights is None else f" among {strongest(spec.top_weights)}"
    pairs = f"{counted(available, 'feature pair')}{into}{among}"
    if not is_sample(asked, available):
        return f"all {pairs}"
    name, drawn = DRAWN[spec.sampling]
    return f"{name} of {asked:,} of {pairs}{drawn} (random seed {spec.random_seed})"


def sampling(spec: CampaignSpec, asked: int, available: int) -> str:
    """The same in a sentence.

    >>> sampling(CampaignSpec("toy", "toy"), 3490, 3490)
    'The test conditions are all 3,490 feature pairs.'
    """
    return f"The test conditions are {sample(spec, asked, available)}."
