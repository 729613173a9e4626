"""A text classifier whose inputs are embedded words: a campaign, beside forward hooks on the module itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.campaign.file.store import CampaignStore
from tests.command import call

pytestmark = pytest.mark.usefixtures("folder")

CLASSIFIER = """
import torch
from torch import nn
from dnncov_core import Network

class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(6, 2, 8, dropout=0.1, activation="gelu", batch_first=True) for _ in range(2)
        )
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))

def module():
    torch.manual_seed(0)
    return Classifier().double().eval()

def build():
    return Network(module(), (4, 6), (-3.0, 3.0), classes=["bad", "neutral", "good"], embedded=True)
"""


def u_of_blocks(module: torch.nn.Module, x: np.ndarray) -> list[np.ndarray]:
    """What arrives at the GELU of each block, tokens x channels flat."""
    found: list[np.ndarray] = []
    hooks = [
        block.linear1.register_forward_hook(lambda _, inputs, u: found.append(u[0].flatten().numpy()))
        for block in module.blocks
    ]
    with torch.no_grad():
        module(torch.from_numpy(x)[None])
    for hook in hooks:
        hook.remove()
    return found


def test_test_pairs_of_a_text_classifier(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("words.py").write_text(CLASSIFIER)
    monkeypatch.syspath_prepend(".")
    from words import module  # type: ignore[import-not-found]

    classifier = module()
    x = np.random.default_rng(0).normal(size=(40, 4, 6)).clip(-3, 3)
    with torch.no_grad():
        labels = classifier(torch.from_numpy(x)).argmax(1).numpy()
    np.savez("sentences.npz", images=x, labels=labels)
    asked = ("--pairs", 12, "--passes", 60, "--max-seeds", 2, "--workers", 1)
    assert call("run", "words:build", "--data", "sentences.npz", *asked, "--out", "words.dnncov") == 0
    said = capsys.readouterr().out
    assert "An input is a sequence of 4 embedded tokens with 6 numbers each. x2 is mostly a point between words" in said
    with CampaignStore(Path("words.dnncov")) as store:
        card, pairs = store.card(), list(store.pairs.page())
    assert card is not None
    assert [(layer.kind, layer.neurons) for layer in card.layers] == [
        *(("input", 24), ("gelu", 32), ("gelu", 32), ("logits", 3))
    ]
    assert set(card.edges) >= {(2, 3), (3, 4)}
    assert len(pairs) >= 6
    between_blocks = [pair for pair in pairs if (pair.target.condition_layer, pair.target.decision_layer) == (2, 3)]
    assert between_blocks
    for pair in between_blocks:
        (i,), (j,) = pair.target.condition_neurons, pair.target.decision_neurons
        (first, second), (first2, second2) = (u_of_blocks(classifier, np.asarray(each)) for each in (pair.x1, pair.x2))
        assert np.flatnonzero((first >= 0) != (first2 >= 0)).tolist() == [i]
        assert (second[j] >= 0) != (second2[j] >= 0)
