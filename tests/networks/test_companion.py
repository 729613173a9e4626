"""The TOML file beside a network's file: what it says of inputs and outputs, and one line where it says it wrong."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core.data import load_data
from dnncov_core.errors import NetworkError, SpecificationError
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.network import Network
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.readings.check import balanced
from dnncov_core.readings.factory import companion_text
from dnncov_core.readings.steps import steps
from dnncov_core.readings.trials import Trial
from tests.command import call, is_whole, refused
from tests.networks.onnx_models import model, node, perceptron, weights
from tests.networks_for_tests import save_network

pytestmark = pytest.mark.usefixtures("folder")
README = Path(__file__).parents[2] / "README.md"


def beside(name: str, text: str) -> None:
    Path(f"{name}.toml").write_text(text, encoding="utf-8")


def scores(shape: tuple[int, ...] = (1, 1, 1, 5)) -> bytes:
    """Five numbers, seven ReLU neurons, five scores, exported for a batch of one as ACAS-Xu's networks are."""
    nodes = [node("Flatten", "x", "f"), node("Gemm", "f w b", "h"), node("Relu", "h", "v"), node("MatMul", "v u", "y")]
    return model(nodes, shape, {"w": weights(5, 7), "b": weights(7, seed=1), "u": weights(7, 5, seed=2)})


def two_numbers() -> None:
    """A network of two inputs and two classes in net.pt2."""
    module = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
    save_network(Network(module, (2,), classes=["a", "b"]), Path("net.pt2"))


def readme_example() -> str:
    """The TOML of README's section."""
    section = README.read_text(encoding="utf-8").split("#### What a file does not say")[1]
    return section.split("```toml\n")[1].split("```")[0]


def test_the_readmes_file_gives_a_network_in_its_own_units(capsys: pytest.CaptureFixture[str]) -> None:
    Path("acasxu.onnx").write_bytes(scores())
    raw = Network.from_onnx("acasxu.onnx", (5,), bounds=(-0.5, 0.7))
    beside("acasxu.onnx", readme_example())
    network, card = load_network("acasxu.onnx")
    low, high = np.array([0, -3.1416, -3.1416, 100, 0]), np.array([60760, 3.1416, 3.1416, 1200, 1200])
    x = low + np.random.default_rng(0).random((40, 5)) * (high - low)
    scaled = (x - [19791.091, 0, 0, 650, 600]) / [60261, 6.28318530718, 6.28318530718, 1100, 1200]
    expected = raw(torch.from_numpy(scaled).float())
    torch.testing.assert_close(network(torch.from_numpy(x).float()), expected, rtol=1e-5, atol=1e-5)
    assert (card.classes, card.units, network.obstacle) == (("COC", "WL", "WR", "SL", "SR"), network.box.units, "")
    assert network.decision == LabelDecision("min")
    np.testing.assert_array_equal((network.box.low, network.box.high), (low, high))
    labels = np.array(card.classes)[expected.argmin(dim=1).numpy()]
    rows = [",".join([*map(repr, row.tolist()), label]) for row, label in zip(x, labels, strict=True)]
    Path("encounters.csv").write_text("\n".join(["rho,theta,psi,v_own,v_int,label", *rows]))
    assert call("networks", "acasxu.onnx") == 0
    assert "rho from 0 to 60,760 m, theta from −3.1416 to 3.1416 rad" in capsys.readouterr().out
    assert call("check", "acasxu.onnx", "--data", "encounters.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out)["as_it_is"]["accuracy"] == 1
    run = ("run", "acasxu.onnx", "--data", "encounters.csv", "--pairs", "3", "--workers", "1", "--out", "a.dnncov")
    assert call(*run) == 0
    assert call("verify", "a.dnncov") == 0
    assert "rho from 0 to 60,760 m" in capsys.readouterr().out


def test_a_pt2_file_keeps_what_it_says_itself_where_the_file_beside_it_says_nothing() -> None:
    two_numbers()
    plain, _ = load_network("net.pt2")
    beside("net.pt2", "mean = 2\ndeviation = [4, -0.5]\nbounds = [2, 6]\n")
    network, card = load_network("net.pt2")
    x = torch.tensor([[2.0, 2.0], [6.0, 3.0]])
    torch.testing.assert_close(network(x), plain(torch.tensor([[0.0, 0.0], [1.0, -2.0]])))
    assert (card.classes, card.bounds) == (("a", "b"), (2.0, 6.0))
    beside("net.pt2", 'classes = ["no", "yes"]\n')
    named, _ = load_network("net.pt2")
    assert (named.classes, named.fingerprint) == (("no", "yes"), plain.fingerprint)


def test_inputs_of_a_regression_and_of_embedded_tokens_are_told() -> None:
    Path("net.onnx").write_bytes(perceptron())
    beside("net.onnx", 'input_shape = [2, 2]\nembedded = true\ntolerance = 0.5\nquantities = ["a", "b", "c"]\n')
    network, card = load_network("net.onnx")
    assert [each.name for each in network.quantities] == ["a", "b", "c"]
    assert (card.embedded, card.box.noun, card.box.name(3)) == (True, "token", "token 1, number 1")


WRONG = {
    "a field": ("colour = 1", r"some of the fields bounds, .*input_shape; got colour in net\.onnx\.toml"),
    "no TOML": ("bounds = [", r"a readable TOML file .*; got net\.onnx\.toml: "),
    "deviation": ("deviation = 0", "deviation, numbers other than 0; got 0"),
    "text": ('mean = "a"', "mean, finite numbers; got 'a'"),
    "sizes": ("mean = [1, 2, 3]", "bounds, mean and deviation, each a number, or as many"),
    "classes": ('classes = ["one"]', "3 class names, one for each label; got 1"),
    "decision": ('decision = "mean"', "max or min for several; got 'mean'"),
    "embedded": ("embedded = true", r"embedded=True for inputs of the shape \(tokens, numbers\)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_in_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text, said = WRONG[name]
    Path("net.onnx").write_bytes(perceptron())
    beside("net.onnx", text)
    with pytest.raises(NetworkError, match=said):
        load_network("net.onnx")
    assert is_whole(refused(capsys, "networks", "net.onnx"))


def test_a_shape_is_told_of_onnx_files_alone() -> None:
    two_numbers()
    beside("net.pt2", "input_shape = [2]")
    with pytest.raises(NetworkError, match=r"got input_shape in net\.pt2\.toml"):
        load_network("net.pt2")


# What `dnncov check` writes


class _Exchanged(nn.Module):
    """The embedded digits' network, which takes dark digits on light ground."""

    def __init__(self) -> None:
        super().__init__()
        self.network = load_embedded("mnist-n1").program.module()

    def forward(self, x: torch.Tensor) -> Any:
        return self.network(1 - x)


def digits(path: str) -> None:
    data = load_data("mnist", (1, 28, 28))
    assert data.labels is not None
    rows = balanced(data.labels, 100)
    np.savez(path, images=data.pixels(rows), labels=data.labels[rows])


def test_a_mend_is_written_beside_the_network(capsys: pytest.CaptureFixture[str]) -> None:
    save_network(Network(_Exchanged().double(), (1, 28, 28)), Path("net.pt2"))
    digits("digits.npz")
    assert call("check", "net.pt2", "--data", "digits.npz", "--apply", "net.pt2.toml") == 1
    said = capsys.readouterr().out
    assert said.endswith("dnncov run net.pt2 --data digits.npz --pairs 100 --sampling even --grid 8bit\n")
    assert re.search(r"Written: net\.pt2\.toml\. Accuracy with it: 9\d\.0 % \(9\d of 100\)", said)
    fields = [line for line in Path("net.pt2.toml").read_text().splitlines() if "=" in line]
    assert fields == ["bounds = [0.0, 1.0]", "mean = 1.0", "deviation = -1.0"]
    assert call("check", "net.pt2", "--data", "digits.npz") == 0
    assert "a file that is not there yet" in refused(
        capsys, "check", "net.pt2", "--data", "digits.npz", "--apply", "net.pt2.toml"
    )


def test_only_the_file_beside_the_network_can_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    two_numbers()
    for name, path in (("net.pt2", "other.toml"), ("net.pt2", "net.toml"), ("mnist-n1", "mnist-n1.toml")):
        assert is_whole(refused(capsys, "check", name, "--data", "mnist", "--apply", path))
    assert not list(Path().glob("*.toml"))


def test_steps_by_channel_become_a_mean_and_a_deviation_by_channel() -> None:
    for shape, sizes in (((3, 4, 4), (3, 1, 1)), ((4, 4, 3), (1, 1, 3))):
        cause = "the network expects normalised inputs, by means and deviations that are ImageNet's"
        step = next(each for each in steps(shape, (0.0, 255.0)) if each.cause == cause)
        trial = Trial((step,), "min", None, True, np.ones(1, bool), least=0.19)
        fields = tomllib.loads(companion_text("net.onnx", trial, shape, (0.0, 255.0)))
        mean, deviation = np.array(fields["mean"]), np.array(fields["deviation"])
        assert (mean.shape, fields["decision"], fields["bounds"]) == (sizes, "min", [0, 255])
        np.testing.assert_allclose(mean.ravel(), 255 * np.array([0.485, 0.456, 0.406]), rtol=1e-9)
        np.testing.assert_allclose(deviation.ravel(), 255 * np.array([0.229, 0.224, 0.225]), rtol=1e-9)
    swapped = next(each for each in steps((1, 4, 4), (0.0, 1.0)) if each.family == "layout")
    with pytest.raises(SpecificationError, match=r"a mend of ranges.*; got height and width are swapped; give --apply"):
        companion_text("net.onnx", Trial((swapped,), None, None, True, np.ones(1, bool), 0.1), (1, 4, 4), None)
