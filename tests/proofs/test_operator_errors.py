"""Each operator's twin bounds what it does; roundings are counted, and what has no known error is refused by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from dnncov_core.proofs import operator_errors
from dnncov_core.proofs.intervals import Intervals
from dnncov_core.proofs.operator_errors import roundings
from tests.networks_for_tests import Fn, seeded

W = torch.randn(4, 4, generator=torch.Generator().manual_seed(1)).double()
VARIANCES = torch.tensor([0.5, 2.0]).double()
IMAGES: dict[str, Callable[[Tensor], Tensor]] = {
    "factors": lambda x: -2 * x + 0.5 * x / -4 - (3 - x) + torch.sub(x, 2 * x, alpha=-3),
    "rsub": lambda x: torch.rsub(x, 2, alpha=-3),
    "matmul": lambda x: x @ W,
    "matmul from the left": lambda x: W @ x,
    "weights by stage": lambda x: x * W - W,
    "averages": lambda x: functional.avg_pool2d(x, 3, 1, 1) - functional.adaptive_avg_pool2d(x, (1, 1)),
    "totals": lambda x: x - x.sum(dim=(2, 3), keepdim=True) + x.mean(dim=1, keepdim=True),
    "pad": lambda x: functional.pad(x, (1, 1, 0, 0), value=-3.0)[..., :4] - functional.pad(x, (0, 0, 2, 0))[..., :4, :],
    "moves": lambda x: x.permute(0, 1, 3, 2).flip(2) - torch.cat(x.split(2, dim=2)[::-1], dim=2).expand(-1, 2, -1, -1),
    "normalisation": lambda x: functional.batch_norm(x, W[0, :2], VARIANCES, W[2, :2], -W[3, :2]),
    "convolution": lambda x: functional.conv2d(x, W.reshape(2, 2, 2, 2), W[0, :2], padding=1)[..., 1:, 1:],
    "groups": lambda x: functional.conv2d(x, W[:2].reshape(2, 1, 2, 2), groups=2, padding=1)[..., 1:, 1:],
}


def network(function: Callable[[Tensor], Tensor], dtype: torch.dtype = torch.float64) -> Network:
    def forward(m: nn.ModuleList, x: Tensor) -> Tensor:
        return m[0](torch.relu(function(x)).flatten(1))

    def build() -> nn.Module:
        return Fn(forward, nn.Linear(32, 2))

    module = seeded(build).to(dtype)
    module.w = nn.Parameter(W)
    return Network(module, (2, 4, 4), (-1.0, 2.0))


@pytest.mark.parametrize("name", IMAGES)
def test_bounds_hold_and_extremes_are_found(name: str) -> None:
    """u is affine in the input here, so that intervals of a single operator are exact; of several, not too wide."""
    tested = network(IMAGES[name])
    bounds = Intervals(tested).bounds()[2]
    x = (torch.rand(4000, 2, 4, 4, generator=torch.Generator().manual_seed(0)) * 3 - 1).double()
    x[1000:] = torch.where(x[1000:] > 0.5, 2.0, -1.0)
    u = IMAGES[name](x).flatten(1)
    assert bool((bounds.before.low <= u).all())
    assert bool((u <= bounds.before.high).all())
    assert float(bounds.before.size().max()) < 60 * float(u.abs().max())


def test_half_precision_is_refused() -> None:
    with pytest.raises(NetworkError, match=r"float32 or float64 for proofs; got torch\.float16"):
        Intervals(Network(nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)).half(), (2,)))


REFUSED: dict[str, Callable[[Tensor], Tensor]] = {
    "computed": lambda x: x * (W + W),
    "div": lambda x: torch.div(x, 2.0, rounding_mode="floor"),
    "mul": lambda x: x * (1 - x),
    "softmax": nn.Softmax(dim=1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_known_rounding_error_is_refused_by_name(name: str) -> None:
    named = {"computed": "add that computes weights"}.get(name, name)
    with pytest.raises(NetworkError, match=f"proofs; got {named}"):
        roundings(network(REFUSED[name]))


def test_a_passed_operator_is_refused_with_its_module() -> None:
    module = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1), nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 2))
    expected = "affine operators and max_pool2d between activation layers, for proofs; got softmax in the module 1"
    with pytest.raises(NetworkError, match=expected):
        roundings(Network(module, (2,)))


def test_operators_that_are_one_activation_function_together_are_no_roundings() -> None:
    first, last = nn.Linear(4, 3), nn.Linear(3, 2)
    written = {
        "relu": torch.relu,
        "maximum": lambda u: torch.maximum(u, torch.zeros_like(u)),
        "constant": lambda u: torch.maximum(u, torch.zeros(())),
        "softsign": nn.functional.softsign,
    }
    networks = {name: Network(Fn(lambda m, x, f=f: m[1](f(m[0](x))), first, last), (4,)) for name, f in written.items()}
    counts = [roundings(network) for network in networks.values()]
    for counted in counts:
        assert counts[0][2] <= counted[2] <= counts[0][2] + 3  # u is used more often
        assert counted[3] == counts[0][3]


def test_an_affine_operator_without_an_entry_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever adds an operator to those that load does not make a proof unsound: it must not count as exact."""
    monkeypatch.setattr(operator_errors, "POOLINGS", set())
    with pytest.raises(NetworkError, match="known rounding error, for proofs; got avg_pool2d"):
        roundings(network(IMAGES["averages"]))


def test_roundings_of_a_plain_network_count_the_terms_of_its_sums() -> None:
    module = nn.Sequential(nn.Linear(50, 20), nn.ReLU(), nn.Linear(20, 3))
    counted = roundings(Network(module, (50,)))
    assert counted.keys() == {2, 3}
    assert counted[2] >= 51
    assert counted[3] >= 21
    assert sum(counted.values()) < 120
