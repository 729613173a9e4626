"""Files that mend a network: each step written as Python gives what was promised."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.data import load_data
from dnncov_core.errors import NetworkError
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.readings import factory
from dnncov_core.readings.check import check
from dnncov_core.readings.steps import Step, fits, steps

pytestmark = pytest.mark.usefixtures("folder")
X = torch.from_numpy(np.random.default_rng(0).random((2, 3, 4, 4)))
SHAPES = {
    (3, 4, 4): [(4, 4, 3), (48,), (1, 4, 4)],
    (4, 4, 3): [(3, 4, 4), (48, 1), (1, 4, 4)],
    (4, 4): [(1, 4, 4), (16,), (3, 4, 4), (4, 4, 3)],
    (1, 4, 4): [(3, 4, 4), (4, 4, 3), (4, 4)],
}


def batch(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.rand(2, *shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("found", [(0.0, 1.0), (-1.0, 1.0), (0.0, 255.0), None])
def test_each_step_gives_a_batch_of_the_shape_that_it_is_for(
    shape: tuple[int, ...], found: tuple[float, float] | None
) -> None:
    x = batch(shape)
    tried: list[Step] = [*steps(shape, found), *(step for wanted in SHAPES[shape] for step in fits(shape, wanted))]
    assert len({step.code for step in tried}) > 2
    for step in steps(shape, found):
        assert step.act(x).shape == x.shape
    for wanted in SHAPES[shape]:
        for step in fits(shape, wanted):
            assert step.act(x).shape == (len(x), *wanted)
    for step in tried:
        torch.testing.assert_close(eval(step.code, {"torch": torch, "x": x}), step.act(x), rtol=1e-6, atol=1e-9)


def test_ranges_by_hand() -> None:
    acts = {step.cause.split(";")[0]: step.act for step in steps((16,), (0.0, 255.0))}
    x = torch.tensor([0.0, 51.0, 255.0])
    assert acts["the network expects values in [0, 1]"](x).tolist() == pytest.approx([0, 0.2, 1])
    assert acts["the network expects values in [-1, 1]"](x).tolist() == pytest.approx([-1, -0.6, 1])
    assert acts["the network expects light and dark exchanged"](x).tolist() == [255, 204, 0]


def test_means_and_deviations_by_hand() -> None:
    acts = {step.cause: step.act for step in steps((3, 4, 4), (0.0, 255.0))}
    act = acts["the network expects normalised inputs, by means and deviations that are ImageNet's"]
    got = act(torch.full((1, 3, 4, 4), 51.0))[0, :, 0, 0]
    assert got.tolist() == pytest.approx([(0.2 - 0.485) / 0.229, (0.2 - 0.456) / 0.224, (0.2 - 0.406) / 0.225])
    last = {step.cause: step.act for step in steps((4, 4, 3), (0.0, 1.0))}[
        "inputs are normalised twice, by means and deviations that are CIFAR-10's"
    ]
    assert last(torch.ones(1, 4, 4, 3))[0, 0, 0].tolist() == pytest.approx([0.7384, 0.7257, 0.7081])


def test_layouts_by_hand() -> None:
    first = batch((3, 4, 4)).numpy()
    acts = {step.cause: step.act for step in steps((3, 4, 4), (0.0, 1.0)) if step.family != "values"}
    wrong = torch.from_numpy(first.transpose(0, 2, 3, 1).reshape(2, 3, 4, 4).copy())
    reshaped = next(act for cause, act in acts.items() if cause.startswith("the data were reshaped"))
    np.testing.assert_array_equal(reshaped(wrong).numpy(), first)
    swapped = acts["height and width are swapped"](torch.from_numpy(first.transpose(0, 1, 3, 2).copy()))
    np.testing.assert_array_equal(swapped.numpy(), first)
    np.testing.assert_array_equal(acts["channels are blue, green, red"](X).numpy(), X.numpy()[:, ::-1])
    (permuted,) = fits((4, 4, 3), (3, 4, 4))
    np.testing.assert_array_equal(permuted.act(torch.from_numpy(first.transpose(0, 2, 3, 1))).numpy(), first)


def test_inputs_of_other_sizes_do_not_fit() -> None:
    assert fits((28, 28), (1, 32, 32)) == []
    assert fits((3, 28, 28), (28,)) == []


def test_nothing_is_left_of_a_file_that_does_not_do_what_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    data = load_data("mnist", (1, 28, 28))
    rows = slice(100)
    np.savez("light.npz", images=1 - data.pixels(rows), labels=np.array(data.labels)[rows])
    network = load_embedded("mnist-n1")
    unmended = (
        "from dnncov_core.networks.zoo import load_embedded\ndef build():\n    return load_embedded('mnist-n1')\n"
    )
    monkeypatch.setattr(factory, "source", lambda *_: unmended)
    with pytest.raises(NetworkError, match=r"expected an accuracy of .*98 of 100.*; got .* from the file"):
        factory.apply(network, "mnist-n1", check(network, "light.npz"), Path("bad.py"))
    assert not Path("bad.py").exists()


def test_a_mended_network_is_still_affine_between_its_layers() -> None:
    data = load_data("mnist", (1, 28, 28))
    images = data.pixels(slice(100)).swapaxes(2, 3) * 255
    np.savez("transposed.npz", images=images, labels=np.array(data.labels)[:100])
    network = load_embedded("mnist-n1")
    mend = factory.apply(network, "mnist-n1", check(network, "transposed.npz"), Path("mended.py"))
    assert mend.accuracy.n > 95
    mended, _ = load_network(mend.network)
    assert (mended.obstacle, mended.bounds, mended.parameters) == ("", (0.0, 255.0), network.parameters)
    x = torch.from_numpy(images[:3])
    torch.testing.assert_close(mended(x), network(x.transpose(2, 3) / 255))


SEVERAL = """
import torch
from torch import nn
from dnncov_core import Network

class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.last = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
        self.hidden.weight.data = self.last.weight.data = torch.eye(2)
    def forward(self, x):
        u = self.last(torch.relu(self.hidden(x - 100)))
        return {"u": u, "scaled": {scaled}}

def build():
    return Network(Two(), (2,), output="scaled", {told})
"""


@pytest.mark.parametrize(
    ("name", "scaled", "told", "answers"),
    [
        ("several", "u * 2", "decision='max'", {"labels": np.arange(20) % 2}),
        ("regression", "u * 3", "tolerance=[6, 3], quantities=['a', 'b'], quantity_units=['m', 's']", {}),
    ],
)
def test_outputs_and_what_they_mean_stay(
    name: str, scaled: str, told: str, answers: dict[str, np.ndarray], folder: Path
) -> None:
    (folder / f"{name}.py").write_text(SEVERAL.replace("{scaled}", scaled).replace("{told}", told))
    pixels = np.random.default_rng(0).random((20, 2)) * 0.6
    pixels[np.arange(20), np.arange(20) % 2] = 1
    answers = answers or {"targets": 3 * np.maximum(255 * pixels - 100, 0)}
    np.savez(f"{name}.npz", inputs=pixels, **answers)
    network, _ = load_network(f"{name}:build")
    found = check(network, f"{name}.npz")
    assert found.as_it_is is not None
    assert found.as_it_is.accuracy.n <= 10
    assert [trial.mends for trial in found.mended] == [("x = x * 255",)]
    mend = factory.apply(network, f"{name}:build", found, Path(f"{name}_fixed.py"))
    assert (mend.accuracy.n, mend.accuracy.total) == (20, 20)
    mended, _ = load_network(mend.network)
    assert (mended.decision, mended.quantities, mended.output) == (network.decision, network.quantities, "scaled")


def test_a_threshold_after_a_sigmoid_stays(folder: Path) -> None:
    (folder / "binary.py").write_text(
        """
import torch
from torch import nn
from dnncov_core import Network

def build():
    module = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1), nn.Sigmoid())
    for part, (weight, bias) in {0: (1.0, 0.0), 2: (1.0, -100.0)}.items():
        module[part].weight.data, module[part].bias.data = torch.tensor([[weight]]), torch.tensor([bias])
    return Network(module, (1,), threshold=0.9)
"""
    )
    inputs = np.linspace(0, 1, 40)[:, None]
    np.savez("binary.npz", inputs=inputs, labels=(255 * inputs[:, 0] > 102.2).astype(np.int64))
    network, _ = load_network("binary:build")
    found = check(network, "binary.npz")
    assert found.mended[0].mends == ("x = x * 255",)
    mend = factory.apply(network, "binary:build", found, Path("binary_fixed.py"))
    assert mend.accuracy.n == mend.accuracy.total == 40
    mended, _ = load_network(mend.network)
    assert isinstance(mended.decision, LabelDecision)
    assert mended.decision.threshold == pytest.approx(np.log(9))
