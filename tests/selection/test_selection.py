"""Selections: orders by scores, what curves count, and a file that is read as it was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core import Network
from dnncov_core.activations import capture
from dnncov_core.criteria.surprise import SURPRISES
from dnncov_core.data import Data
from dnncov_core.errors import DataError
from dnncov_core.selection.selection import Selection, SelectionSpec
from dnncov_core.selection.selection_file import read, save
from dnncov_core.selection.work import select
from tests.selection import reference
from tests.selection.test_greedy import REFERENCE, alone, inputs, network, together

DATA = inputs(24, 3)


@pytest.fixture(scope="module")
def made() -> Selection:
    spec = SelectionSpec("made", "made", "sv,deepgini,mdsa", 5, reference="made", seeds=4)
    return select(network(), DATA, spec, reference=REFERENCE)


def test_scores_order_inputs(made: Selection) -> None:
    rows = {each.order: each.rows for each in made.rankings}
    assert [*rows] == ["sv", "deepgini", "mdsa", "random"]
    logits = capture(network(), torch.from_numpy(DATA.images))[5].u.tolist()
    gini = [reference.deepgini(reference.softmax(each)) for each in logits]
    assert [gini[row] for row in rows["deepgini"]] == pytest.approx(sorted(gini, reverse=True))
    known, own = (capture(network(), torch.from_numpy(each.images)) for each in (REFERENCE, DATA))
    kind = SURPRISES["mdsa"](known[4].v.numpy(), known[5].u.argmax(dim=1).numpy())
    scores = kind.of(own[4].v.numpy(), own[5].u.argmax(dim=1).numpy())
    assert [scores[row] for row in rows["mdsa"]] == sorted(scores, reverse=True)


def test_surprise_takes_the_mean_of_each_channel() -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Conv2d(1, 2, 2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
    network, rng = Network(module, (1, 3, 3)), np.random.default_rng(0)
    some, known = (Data("made", rng.random((n, 1, 3, 3)), np.zeros(n, np.int64), (), "made") for n in (12, 30))
    order = select(network, some, SelectionSpec("a", "b", "mdsa", 3, reference="c", seeds=2), reference=known).first
    values = [capture(network, torch.from_numpy(each.images).float()) for each in (known, some)]
    channels = [each[2].v.reshape(-1, 2, 4).mean(dim=2).numpy() for each in values]
    classes = [each[3].u.argmax(dim=1).numpy() for each in values]
    scores = SURPRISES["mdsa"](channels[0], classes[0]).of(channels[1], classes[1])
    assert [scores[row] for row in order.rows] == sorted(scores, reverse=True)


def test_curves_count_what_the_first_inputs_cover_and_find(made: Selection) -> None:
    covered, wrong = made.curves
    own, both = alone("sv", DATA), together("sv", DATA)
    labels = capture(network(), torch.from_numpy(DATA.images))[5].u.argmax(dim=1).numpy()
    assert made.misclassified == (labels != DATA.labels).sum() == wrong.total
    for each in made.rankings[:-1]:
        counts = reference.covered(each.rows, own, both)
        assert covered.of(each.order).counts == tuple(counts[n - 1] for n in covered.points)
        misses = np.cumsum(labels[[*each.rows]] != np.asarray(DATA.labels)[[*each.rows]])
        assert wrong.of(each.order).counts == tuple(misses[n - 1] for n in wrong.points)
    random = covered.of("random")
    assert random.low is not None
    assert random.high is not None
    assert all(a <= b <= c for a, b, c in zip(random.low, random.counts, random.high, strict=True))
    assert random.counts[-1] == covered.reached == counts[-1]


def test_a_file_is_read_as_it_was_written(made: Selection, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    save(made, path)
    assert read(path) == made
    path.write_text("{}")
    with pytest.raises(DataError, match="order the inputs again"):
        read(path)
