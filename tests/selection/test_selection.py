"""Selections: orders by scores, what curves count, and a file that is read as it was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria.surprise import SURPRISES
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
