"""Every bad input: one line with what was expected, what came and what to do; exit status 2; nothing is lost."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dnncov_core.campaign.parameters import DEVICES
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.data import EMBEDDED_DATA, load_data
from dnncov_core.distances import NORMS
from dnncov_core.features import SAMPLINGS
from dnncov_core.generators import AUTO, GENERATORS, OBJECTIVES
from dnncov_core.networks.pretrained import PRETRAINED
from dnncov_core.networks.zoo import EMBEDDED
from dnncov_core.partitions import FEATURE_MODES
from tests.command import is_whole, refused, write_factory

pytestmark = pytest.mark.usefixtures("folder")


UNKNOWN = [
    (
        ("--network", "mnist-n99"),
        [*EMBEDDED, *PRETRAINED, "NAME=FILE", ".pt2", ".onnx", "package.module:factory"],
    ),
    (("--data", "imagenet"), [*EMBEDDED_DATA, ".npz"]),
    (("--criterion", "mcdc"), [*CRITERIA]),
    (("--generator", "magic"), [AUTO, *GENERATORS]),
    (("--sampling", "odd"), [*SAMPLINGS]),
    (("--objective", "fame"), [*OBJECTIVES]),
    (("--criterion", "sv", "--value-function", "huge"), [*VALUE_FUNCTIONS]),
    (("--criterion", "vv", "--condition-value-function", "huge"), [*VALUE_FUNCTIONS]),
    (("--norm", "3"), [*NORMS]),
    (("--device", "tpu"), [*DEVICES]),
    (("--feature-mode", "cloud"), [*FEATURE_MODES]),
]


@pytest.mark.parametrize(("options", "listed"), UNKNOWN, ids=lambda value: value[-1])
def test_an_unknown_name_lists_what_exists(
    options: tuple[str, ...], listed: list[str], capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    network = "toy"
    if options[0] == "--network":
        network, options = options[1], ()
    message = refused(capsys, "run", network, *options)
    assert is_whole(message)
    assert all(name in message for name in listed)
    assert list(folder.iterdir()) == []


NUMBERS = [
    (("--pairs", "0"), "--pairs must be at least 1; got 0; change it"),
    (("--pairs", "many"), "argument --pairs: expected all or a whole number; got 'many'"),
    (("--pairs", "1.5"), "argument --pairs: expected all or a whole number"),
    (("--layers", "99"), "--layers must be some of the decision layers 3, 4; got layer 99"),
    (("--layers", "x"), "argument --layers: expected whole numbers separated by commas, such as 3,4; got 'x'"),
    (("--layers", ""), "argument --layers"),
    (("--criterion", "sv", "--sigma", "-1"), "--sigma must be above 0 and finite; got -1.0"),
    (("--criterion", "sv", "--sigma", "inf"), "--sigma must be above 0 and finite; got inf"),
    (("--criterion", "sv", "--sigma", "nan"), "--sigma must be above 0 and finite; got nan"),
    (
        ("--criterion", "sv", "--sigma", "two"),
        "argument --sigma: expected a number; got 'two'",
    ),
    (("--sigma", "2"), "no value function for SS"),
    (("--criterion", "vv", "--value-function", "absolute", "--d", "nan"), "--d must be finite; got nan"),
    (("--criterion", "vv", "--condition-value-function", "absolute=inf"), "absolute=NUMBER"),
    (("--omega", "2"), "--omega must be above 0 and at most 1; got 2.0"),
    (("--seeds", "0"), "--seeds must be at least 1; got 0; change it"),
    (("--seeds", "x"), "argument --seeds: expected a whole number; got 'x'"),
    (("--max-seeds", "0"), "--max-seeds must be at least 1; got 0; change it"),
    (("--margin", "0"), "--margin must be above 0 and below 1; got 0.0"),
    (
        ("--grid", "8bit"),
        "inputs in [0, 1], or images (channels, height, width), for the grid 8-bit grey levels; got a network with"
        " inputs of shape (2,) in [-10, 10]",
    ),
    (("--bound", "-1"), "--bound must be above 0 and finite; got -1.0"),
    (("--bound", "8/0"), "two with a slash such as 8/255; got '8/0'"),
    (("--bound", "inf"), "--bound must be above 0 and finite; got inf"),
    (("--random-seed", "-1"), "--random-seed must be at least 0; got -1"),
    (("--criterion", "sv", "--value-function", "ssim"), "linear in u[x2]; got ssim"),
    (("--omega", "0"), "--omega must be above 0 and at most 1; got 0.0"),
    (("--omega", "nan"), "--omega must be above 0 and at most 1; got nan"),
    (("--passes", "11"), "--passes must be at least 12; got 11"),
    (("--passes", "few"), "argument --passes: expected a whole number; got 'few'"),
    (("--batch", "0"), "--batch must be at least 1; got 0"),
    (
        ("--feature-mode", "free", "--criterion", "vs"),
        "criterion SS or SV for free features, the sets that change their sign",
    ),
    (("--feature-mode", "free", "--criterion", "vv"), "got VV (value-value)"),
    (
        ("--feature-mode", "free", "--generator", "lp"),
        "--generator must be a gradient search for free features; got lp",
    ),
    (("--feature-mode", "map"), "or with tokens, for feature mode map; got layer 2"),
    (("--feature-mode", "map", "--layers", "4"), "for feature mode map; got layer 3"),
    (("--generator", "gradient", "--objective", "prefer"), "choose generator lp or targeted, or objective distance"),
    (
        ("--generator", "gradient", "--objective", "adversarial"),
        "for the generator Gradient search (the paper's Algorithm 1)",
    ),
    *(
        (("--generator", name, "--criterion", "sv", "--value-function", function), f"gradient search; got {function}")
        for name in ("targeted", "gradient")
        for function in ("ssim", "top")
    ),
    (("--generator", "targeted", "--grid", "8bit"), "got a network with inputs of shape (2,) in [-10, 10]"),
]


@pytest.mark.parametrize(
    ("options", "expected"), NUMBERS, ids=lambda value: " ".join(value) if value is not str else ""
)
def test_a_wrong_number_is_refused(
    options: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    message = refused(capsys, "run", "toy", *options)
    assert expected in message
    assert is_whole(message)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("omega", ["nan", "inf"])
def test_a_share_of_a_layer_to_measure_by_is_a_number(omega: str, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "measure", "toy", "--suite", "toy", "--omega", omega)
    assert f"omega: a share above 0 and up to 1; got {omega}" in message
    assert is_whole(message)


@pytest.mark.parametrize("generator", [AUTO, *GENERATORS])
@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_refused(
    generator: str, device: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    message = refused(capsys, "run", "toy", "--generator", generator, "--device", device)
    assert f"expected a device of this machine (cpu); got {device}; choose device auto or cpu" in message
    assert list(folder.iterdir()) == []


def test_arguments_that_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert "COMMAND" in refused(capsys)
    assert "invalid choice: 'fly'" in refused(capsys, "fly")
    assert "unrecognized arguments: --fast" in refused(capsys, "run", "toy", "--fast")
    assert "NETWORK" in refused(capsys, "run")
    assert "--out" in refused(capsys, "pairs", "c.dnncov")


Images = np.ndarray[Any, Any]
TOY_LABELS = [1, 1, 0, 1, 1, 0]


def _toy_images(change: Callable[[Images], None] = lambda images: None) -> Images:
    images = np.array(load_data("toy").images)
    change(images)
    return images


def _put(value: float) -> Images:
    return _toy_images(lambda images: images.__setitem__((1, 0), value))


BAD_DATA = [
    (_toy_images(), [1, 1, 0, 1, 1, 7], "labels from 0 to 1; got 1 labels above, up to 7"),
    (_toy_images(), [1, 1, 0, 1, 1, -1], "labels from 0"),
    (_toy_images(), [1, 1, 0], "6 labels, one for each image"),
    (_toy_images(), [1.0, 1, 0, 1, 1, 0], "integer labels"),
    (_put(11.0), TOY_LABELS, "inputs from -10.0 to 10.0; got -1.0 to 11.0"),
    (_put(float("nan")), TOY_LABELS, "got 1 NaN and 0 infinite values"),
    (_put(float("inf")), TOY_LABELS, "got 0 NaN and 1 infinite values"),
    (_toy_images()[:, :1], TOY_LABELS, "images of shape (2,)"),
    (_toy_images()[:0], [], "at least one image"),
    (
        _toy_images(),
        [0, 0, 1, 1, 1, 0],
        "clean accuracy clearly above chance (55.0% with 2 classes); got 50.0% (3 of 6)",
    ),
    (_toy_images(), [0, 0, 1, 0, 0, 1], "a correctly classified input to serve as seed; got none of 6"),
]


@pytest.mark.parametrize(("images", "labels", "expected"), BAD_DATA, ids=[text for *_, text in BAD_DATA])
def test_bad_data_are_refused(
    images: Images, labels: list[float], expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(folder / "d.npz", images=images, labels=np.array(labels) if labels else np.zeros(0, int))
    message = refused(capsys, "run", "toy", "--data", folder / "d.npz")
    assert expected in message
    assert is_whole(message)
    assert [path.name for path in folder.iterdir()] == ["d.npz"]


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 cut off", b"text" * 100], ids=str)
def test_unreadable_data_are_refused(content: bytes | None, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if content is not None:
        (folder / "d.npz").write_bytes(content)
    assert is_whole(refused(capsys, "run", "toy", "--data", "d.npz"))
    assert not list(folder.glob("*.dnncov*"))


BAD_FACTORIES = [
    ("no_such_module:make", "", "no module no_such_module"),
    ("made:absent", "def make(): ...", "a function absent in made"),
    ("made:make", "def make(): return 3", "got int; return a Network"),
    ("made:make", "def make(): raise RuntimeError('no weights')", "RuntimeError: no weights"),
    ("made:make", "def make(:", "the module made to be importable"),
    (
        "made:make",
        "import torch\nfrom dnncov_core import Network\nclass Odd(torch.nn.Module):\n    def forward(self, x):"
        "\n        return torch.relu(x + torch.rand_like(x))\ndef make(): return Network(Odd(), (2,))",
        "operators that always give the same; got rand_like",
    ),
    (
        "made:make",
        "import torch\nfrom dnncov_core import Network\ndef make(): return Network(torch.nn.Linear(3, 2), (2,))",
        "torch.export takes on a batch of shape (batch, 2)",
    ),
    (
        "made:make",
        "import torch\nfrom dnncov_core import Network\ndef make(): return Network(torch.nn.Sequential("
        "torch.nn.Linear(2, 2), torch.nn.Sigmoid(), torch.nn.Linear(2, 2)), (2,), (-10, 10))",
        "piecewise-linear activations, for linear programming; got sigmoid in the module 1; choose a gradient search",
    ),
    (
        "made:make",
        "import torch\nfrom dnncov_core import Network\ndef make(): return Network(torch.nn.Sequential("
        "torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 2)), (2,), classes=['a', 'b', 'c'])",
        "2 class names",
    ),
]


@pytest.mark.parametrize(("network", "text", "expected"), BAD_FACTORIES, ids=[text for *_, text in BAD_FACTORIES])
def test_bad_factories_are_refused(
    network: str, text: str, expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sys.modules.pop("made", None)
    (folder / "made.py").write_text(text)
    message = refused(capsys, "run", network, "--data", "toy", "--generator", "lp")
    assert expected in message
    assert is_whole(message)
    assert not list(folder.glob("*.dnncov*"))


@pytest.mark.parametrize("network", [*PRETRAINED, "vgg16=weights/vgg16.pth"])
def test_networks_of_torchvision_need_data(network: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "run", network)
    assert f"photos for {network}" in message
    assert "give --data a folder of photos with one subfolder per class, or an .npz file" in message
    assert is_whole(message)
    assert list(folder.iterdir()) == []


def test_weights_that_cannot_be_read_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "w.pth").write_bytes(b"none")
    for file in ("w.pth", "no/w.pth"):
        message = refused(capsys, "run", f"squeezenet1_1={file}", "--data", "cifar10-sample")
        assert f"got {file}" in message
        assert is_whole(message)
    assert [path.name for path in folder.iterdir()] == ["w.pth"]


@pytest.mark.parametrize("labels", [[0] * 6, TOY_LABELS])
@pytest.mark.parametrize("number", ["nan", "inf"])
def test_weights_that_are_no_numbers_are_never_coverage(
    labels: list[int], number: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_factory(folder, (2,))
    text = (folder / "made.py").read_text()
    (folder / "made.py").write_text(
        text.replace("    return N", f"    module[0].weight.data[:] = float('{number}')\n    return N")
    )
    images = np.random.default_rng(0).random((6, 2))
    np.savez(folder / "d.npz", images=images, labels=labels)
    assert "expected finite logits; got NaN or infinite ones for 6 of 6 inputs" in refused(
        capsys, "run", "made:make", "--data", "d.npz"
    )
    assert not list(folder.glob("*.dnncov*"))


NETWORKS = {
    "bfloat16": ("module.bfloat16(), shape", "expected weights in float16, float32 or float64; got bfloat16"),
    "no output": ("module.append(nn.Linear(2, 0)), shape", "one output, max or min for several; got None for 0"),
    "a shape that is a number": ("module, 2", "input_shape, the sizes of one input .*; got 2; write \\(2,\\)"),
    "bounds of no feature": ("module, shape, ([0, 0, 0], [1, 2, 3])", r"arrays of numbers that broadcast to \(2,\)"),
    "bounds upside down": ("module, shape, ([0, 2], [1, 1])", "low <= high for feature 1; got low 2 and high 1"),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_a_factory_whose_network_cannot_be_used_is_refused(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, said = NETWORKS[name]
    write_factory(folder, (2,))
    text = (folder / "made.py").read_text()
    (folder / "made.py").write_text(text.replace("Network(module, shape)", f"Network({arguments})"))
    np.savez(folder / "d.npz", images=np.random.default_rng(0).random((6, 2)), labels=TOY_LABELS)
    asked = (
        ("run", "made:make", "--data", "d.npz"),
        ("measure", "made:make", "--suite", "d.npz", "--criteria", "ss,n"),
        ("networks", "made:make"),
    )
    for command in asked:
        message = refused(capsys, *command)
        assert re.search(said, message)
        assert is_whole(message)
    assert not list(folder.glob("*.dnncov*"))
