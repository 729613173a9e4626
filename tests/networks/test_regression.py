"""Networks whose outputs are numbers: other than the seed's where one moves by more than its tolerance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.plan import plan_targets
from dnncov_core.campaign.work.seeds import correct_rows, plan_seeds
from dnncov_core.data import Data, load_data
from dnncov_core.errors import DataError, NetworkError
from dnncov_core.generators import GRIDS
from dnncov_core.generators.base import Seed
from dnncov_core.generators.baseline_searches import BASELINE_SEARCHES, Starts
from dnncov_core.generators.seed_order.label_distance import label_distances
from dnncov_core.networks.cards import from_json, to_json
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Quantity
from tests.networks_for_tests import random_mlp, seeded

TOLERANCE = np.array([0.02, 0.2])
X = 4 * np.random.default_rng(0).random((30, 3)) - 2


def regression(**told: object) -> Network:
    return Network(random_mlp([3, 6, 5, 2]), (3,), (-2.0, 2.0), tolerance=TOLERANCE, **told)  # type: ignore[arg-type]


def moved(network: Network, x1: np.ndarray, x2: np.ndarray) -> float:
    """The largest move of an output, in shares of its tolerance."""
    with torch.no_grad():
        y1, y2 = (network(torch.from_numpy(x)[None])[0].numpy() for x in (x1, x2))
    return float((np.abs(y2 - y1) / TOLERANCE).max())


def test_a_pair_is_adversarial_where_an_output_moves_beyond_its_tolerance() -> None:
    network, seen = regression(), set()
    assert network.classes == ("within tolerance", "beyond tolerance")
    for x1, x2 in zip(X, X[::-1], strict=True):
        verdict, beyond = Oracle().judge(network, x1, x2), moved(network, x1, x2) > 1
        assert (verdict.label1, verdict.label2, verdict.adversarial) == (0, int(beyond), beyond)
        seen.add(beyond)
    assert seen == {True, False}


def test_seeds_are_inputs_within_the_tolerance_of_their_targets() -> None:
    network = regression()
    with torch.no_grad():
        y = network(torch.from_numpy(X)).numpy()
    targets = y + np.where(np.arange(30) % 3 == 0, 1.1, 0.9)[:, None] * TOLERANCE
    data = Data("net", X, None, (), "made", targets)
    assert correct_rows(network, data).tolist() == [row for row in range(30) if row % 3]
    assert correct_rows(network, Data("net", X, None, (), "made")).tolist() == list(range(30))
    spec = CampaignSpec("net", "data")
    assert plan_seeds(network, data, spec).misclassified == 10
    with pytest.raises(DataError, match="within the tolerance of its targets; got none of 30"):
        plan_seeds(network, Data("net", X, None, (), "made", y + 3), spec)


def test_the_first_order_distance_is_that_of_the_nearest_output() -> None:
    network, x = regression(), torch.from_numpy(X).requires_grad_()
    gradients = [torch.autograd.grad(network(x)[:, j].sum(), x)[0].abs().sum(dim=1) for j in range(2)]
    each = torch.stack([t / g for t, g in zip(TOLERANCE, gradients, strict=True)])
    for other in range(4):
        found = label_distances(network, torch.from_numpy(X), [other] * 30)
        assert found == pytest.approx(each[other % 2].numpy())


@pytest.mark.parametrize("generator", ["lp", "targeted"])
def test_searches_find_pairs_whose_outputs_move(generator: str) -> None:
    network = regression()
    spec = CampaignSpec("net", "data", criterion="ss", generator=generator, objective="adversarial", effect="none")
    method, targets = spec.covering_method(), plan_targets(network, spec).targets[:20]
    found = list(spec.search(network, method).run(targets, lambda asked: [map(Seed, range(30), X) for _ in asked]))
    held = [each for each in found if each.seed is not None and each.x2 is not None]
    assert len(held) >= 6
    for each in held:
        assert each.seed is not None
        assert each.x2 is not None
        assert moved(network, each.seed.x, each.x2) > 1


@pytest.mark.parametrize("name", BASELINE_SEARCHES)
def test_baseline_searches_move_outputs(name: str) -> None:
    network, n = regression(), len(X)
    x1 = torch.from_numpy(X)
    rngs = [torch.Generator().manual_seed(i) for i in range(n)]
    starts = Starts(x1, network(x1).detach(), torch.full((n,), 0.5).double(), torch.full((n,), 21), rngs)
    changed = BASELINE_SEARCHES[name](network, starts, "inf", GRIDS["none"])
    assert n / 3 <= int(changed.sum()) < n


def test_the_card_names_outputs_with_units() -> None:
    network = regression(quantities=["cross-track error", "heading error"], quantity_units=["m", "°"])
    wanted = (Quantity("cross-track error", "m", 0.02), Quantity("heading error", "°", 0.2))
    card = network.card("taxi")
    assert card.quantities == network.quantities == wanted
    assert from_json(to_json(card)) == card


@pytest.mark.parametrize(
    ("told", "got"),
    [
        ({"tolerance": 0}, "got 0"),
        ({"tolerance": [1, 2, 3]}, "or 2 of them"),
        ({"tolerance": "high"}, "got 'high'"),
        ({"tolerance": 1, "quantities": ["one"]}, "quantities, 2 texts"),
        ({"quantities": ["one", "two"]}, "tolerance, a number above 0"),
    ],
)
def test_mistakes_are_one_line(told: dict[str, object], got: str) -> None:
    module = seeded(lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))
    with pytest.raises(NetworkError, match=got):
        Network(module, (3,), **told)  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_targets_of_files(tmp_path: Path, suffix: str) -> None:
    path, targets = tmp_path / f"data{suffix}", X[:, :2] + 1
    if suffix == ".npz":
        np.savez(path, inputs=X, targets=targets)
    else:
        rows = ["a,b,c,along,across", *(",".join(map(repr, map(float, row))) for row in np.hstack([X, targets]))]
        path.write_text("\n".join(rows))
    data = load_data(path, (3,), quantities=["along", "across"], labelled=False)
    assert data.targets is not None
    assert np.array_equal(data.images, X)
    assert np.array_equal(data.targets, targets)
    assert data.labels is None
