"""torchvision's ImageNet networks: as torchvision describes them, without their weights and with random ones."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn
from torchvision.models import GoogLeNet, Inception3, get_model
from torchvision.transforms import InterpolationMode

from dnncov_core import Network
from dnncov_core.activations import capture
from dnncov_core.digests import with_digest
from dnncov_core.errors import NetworkError, SpecificationError
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.pretrained import PRETRAINED, pretrained_card, weights_file, whereabouts
from dnncov_core.networks.pretrained_modules import COMPUTED, HALVES, WITH_MORE, fitted, structure, weights_of
from dnncov_core.records import NetworkCard
from dnncov_core.registry import open_data_for
from tests.networks_for_tests import seeded

SMALL = ("resnet18", "squeezenet1_1", "mobilenet_v2")
"""Whose random weights take megabytes, not half a gigabyte."""


# What is known without weights


@pytest.mark.parametrize("name", PRETRAINED)
def test_what_is_written_here_is_what_torchvision_says(name: str) -> None:
    weights, known, card = weights_of(name), PRETRAINED[name], pretrained_card(name)
    assert weights.url.rsplit("/", 1)[1] == known.file
    assert round(weights.meta["_file_size"]) == known.megabytes
    assert card.accuracy == pytest.approx(weights.meta["_metrics"]["ImageNet-1K"]["acc@1"] / 100)
    transforms = weights.transforms()
    assert transforms.crop_size == [card.input_shape[1]] == [card.input_shape[2]]
    assert f"photos are resized to {transforms.resize_size[0]} pixels" in card.description
    assert transforms.interpolation in (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC)
    assert transforms.antialias
    assert card.classes == tuple(weights.meta["categories"])


@pytest.mark.parametrize("name", PRETRAINED)
def test_cards_have_what_the_structures_have(name: str) -> None:
    with torch.device("cpu" if name in COMPUTED else "meta"):
        net, card = structure(name), pretrained_card(name)
    assert card.parameters == sum(parameter.numel() for parameter in net.parameters())
    side = 299 if name == "inception_v3" else 224
    assert (card.name, card.input_shape, card.bounds, card.fingerprint) == (name, (3, side, side), (0.0, 1.0), "")
    assert [layer.index for layer in card.layers] == list(range(1, len(card.layers) + 1))
    assert card.layers[-1].neurons == len(card.classes) == 1000
    assert card.edges[-1][1] == len(card.layers)


@pytest.mark.parametrize("name", PRETRAINED)
def test_the_weights_that_torchvision_has_fit(name: str) -> None:
    """With classifiers for training, and the names that its file of DenseNet's weights has."""
    with torch.device("cpu" if name in COMPUTED else "meta"):
        full = get_model(name, weights=None, **({"init_weights": False} if name in WITH_MORE else {})).state_dict()
    state = {
        re.sub(r"(denselayer\d+\.(norm|conv))([12])", r"\1.\3", key): torch.full((), 0.5).expand(tensor.shape)
        for key, tensor in full.items()
        if not key.endswith("num_batches_tracked")
    }
    assert (name == "densenet121") == any(".norm.1." in key for key in state)
    net = fitted(name, state, Path("w.pth"))
    assert not any(tensor.is_meta for tensor in net.state_dict().values())
    assert all(bool((parameter.flatten()[:1] == 0.5).all()) for parameter in net.parameters())


@pytest.mark.parametrize("name", WITH_MORE)
def test_normalisation_is_what_torchvision_s_transform_input_leaves(name: str) -> None:
    x, mean, std = torch.rand(2, 3, 4, 4), *(torch.tensor(HALVES[i])[:, None, None] for i in (0, 1))
    transforms, kind = weights_of(name).transforms(), {"googlenet": GoogLeNet, "inception_v3": Inception3}[name]
    its_mean, its_std = (torch.tensor(each)[:, None, None] for each in (transforms.mean, transforms.std))
    expected = kind._transform_input(SimpleNamespace(transform_input=True), (x - its_mean) / its_std)
    torch.testing.assert_close((x - mean) / std, expected)


def test_no_such_network() -> None:
    for ask in (pretrained_card, weights_file):
        with pytest.raises(SpecificationError, match=r"one of vgg16, .*vit_b_16; got 'vgg19'"):
            ask("vgg19")


def test_a_missing_card_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnncov_core.networks.pretrained.FOLDER", tmp_path)
    with pytest.raises(NetworkError, match=r"the card of vgg16 in .*vgg16\.json; got FileNotFoundError"):
        pretrained_card("vgg16")


@pytest.mark.parametrize("variables", [{}, {"XDG_CACHE_HOME": "cache"}, {"XDG_CACHE_HOME": "c", "TORCH_HOME": "~/t"}])
def test_weights_are_where_torch_keeps_them(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "TORCH_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert weights_file("resnet18").parent == Path(torch.hub.get_dir()) / "checkpoints"


def test_whether_weights_are_here_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    assert whereabouts("vgg16") == "weights are downloaded on first use (528 MB)"
    weights_file("vgg16").parent.mkdir(parents=True)
    weights_file("vgg16").touch()
    assert whereabouts("vgg16") == "weights are here"


def test_cards_need_no_torch() -> None:
    code = (
        "import sys; from dnncov_core.networks.pretrained import *;"
        "[(pretrained_card(name), whereabouts(name)) for name in PRETRAINED]; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# With random weights


@dataclass
class Loaded:
    name: str
    net: nn.Module
    network: Network
    card: NetworkCard
    file: Path


@pytest.fixture(scope="module", params=SMALL)
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    """A network loaded from a file of random weights, beside torchvision's own module with the same ones."""
    net = seeded(lambda: get_model(request.param))
    file = tmp_path_factory.mktemp("weights") / "random.pth"
    torch.save(net.state_dict(), file)
    network, card = load_network(f"{request.param}={file}")
    yield Loaded(request.param, net, network, card, file)
    file.unlink()


def test_a_file_of_weights_gives_the_structure_of_the_card(loaded: Loaded) -> None:
    network, known = loaded.network, pretrained_card(loaded.name)
    assert (network.layers, network.edges, network.parameters) == (known.layers, known.edges, known.parameters)
    assert (network.input_shape, network.bounds, network.classes) == (known.input_shape, known.bounds, known.classes)
    assert (network.resize, network.dtype) == (256, torch.float32)
    origin = f"{loaded.name} of torchvision, weights {with_digest(loaded.file)}"
    assert loaded.card == network.card(f"{loaded.name}=random.pth", description=origin)


def test_photos_get_the_logits_that_torchvision_s_own_transforms_give(loaded: Loaded, tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (30, 41, 3), dtype=np.uint8)
    (tmp_path / "golden_retriever").mkdir()
    Image.fromarray(pixels).resize((410, 300)).save(tmp_path / "golden_retriever" / "a.png")
    data = open_data_for(loaded.network, str(tmp_path))
    assert loaded.network.classes[data.labels[0]] == "golden retriever"
    transforms = weights_of(loaded.name).transforms()
    with torch.no_grad(), Image.open(tmp_path / "golden_retriever" / "a.png") as image:
        expected = loaded.net(transforms(image)[None])
        logits = loaded.network(torch.from_numpy(data.pixels([0])))
    torch.testing.assert_close(logits, expected, rtol=1e-4, atol=1e-5)


def test_every_layer_has_values(loaded: Loaded) -> None:
    with torch.no_grad():
        values = capture(loaded.network, torch.rand(1, 3, 224, 224))
    assert [values[layer.index].u.numel() for layer in loaded.network.layers[1:]] == [
        layer.neurons for layer in loaded.network.layers[1:]
    ]


@pytest.mark.parametrize("loaded", ["squeezenet1_1"], indirect=True)
def test_a_name_takes_the_weights_that_are_here(
    loaded: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    weights_file(loaded.name).parent.mkdir(parents=True)
    weights_file(loaded.name).write_bytes(loaded.file.read_bytes())
    network, card = load_network(loaded.name)
    assert network.fingerprint == card.fingerprint == loaded.network.fingerprint
    assert replace(card, fingerprint="") == pretrained_card(loaded.name)
    with pytest.raises(NetworkError, match=r"features\.2\.weight of shape .* in the weights of vgg16 in .*random\.pth"):
        load_network(f"vgg16={loaded.file}")


@pytest.mark.parametrize("reference", ["vgg19=w.pth", "vgg16=", "=w.pth", "VGG16"])
def test_references_that_are_none_list_the_names(reference: str) -> None:
    with pytest.raises(SpecificationError, match=r"NAME=FILE with its weights.*, vgg16, vgg16_bn, .*vit_b_16; got"):
        load_network(reference)
