"""``dnncov networks``: its JSON and its text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnncov_core.networks.pretrained import PRETRAINED, weights_file
from dnncov_core.networks.zoo import EMBEDDED
from tests.cli.fields import NETWORK, has_types
from tests.command import call, write_factory

pytestmark = pytest.mark.usefixtures("folder")


class TestNetworks:
    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("networks", "--json") == 0
        listed = json.loads(capsys.readouterr().out)
        assert [entry["name"] for entry in listed] == [*EMBEDDED, *PRETRAINED]
        assert all(has_types(entry, NETWORK) for entry in listed)
        n8 = next(entry for entry in listed if entry["name"] == "mnist-n8")
        assert [layer["neurons"] for layer in n8["layers"]] == [784, 78, 62, 73, 47, 10]
        assert [layer["index"] for layer in n8["layers"]] == [1, 2, 3, 4, 5, 6]
        assert list(n8["layers"][0]) == ["index", "name", "kind", "neurons"]
        assert n8["input_shape"] == [1, 28, 28]
        assert n8["accuracy"] >= 0.97
        vgg16 = next(entry for entry in listed if entry["name"] == "vgg16")
        assert (len(vgg16["layers"]), vgg16["parameters"], len(vgg16["classes"])) == (17, 138_357_544, 1000)

    def test_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("networks") == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines[1:]] == [*EMBEDDED, *PRETRAINED]
        assert "784-78-62-73-47-10" in lines[1 + list(EMBEDDED).index("mnist-n8")]

    def test_text_says_where_weights_are(
        self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TORCH_HOME", str(folder))
        weights_file("resnet18").parent.mkdir(parents=True)
        weights_file("resnet18").touch()
        assert call("networks") == 0
        lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
        assert "13,555,712 in 15 hidden layers" in lines["vgg16"]
        assert lines["vgg16"].endswith("by torchvision; weights are downloaded on first use (528 MB)")
        assert lines["resnet18"].endswith("by torchvision; weights are here")

    def test_one_network_says_what_it_passes_through(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("networks", "vit_b_16") == 0
        _, line, _, said, shape, lie, classes, _, *layers = capsys.readouterr().out.splitlines()
        assert line.startswith("vit_b_16 ")
        assert (shape, lie) == ("One input has the shape (3, 224, 224).", "Inputs lie from 0 to 1.")
        assert classes.startswith("1000 classes: tench, ")
        assert classes.endswith(", ...")
        assert len(layers) == 14
        assert "Passed through on the way, as no layers: layer_norm, scaled_dot_product_attention." in said
        assert "In all hidden layers, a neuron is one channel of one token" in said
        assert "Linear programming cannot work with layer_norm in the module net.encoder.layers.encoder_layer_0" in said

    def test_one_network_alone_with_the_range_of_its_vectors(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("networks", "toy") == 0
        _, line, _, shape, said, classes, _, *layers = capsys.readouterr().out.splitlines()
        assert line.startswith("toy ")
        assert (shape, classes) == ("One input has the shape (2,).", "2 classes: 0, 1")
        assert [each.split()[:3] for each in layers[:2]] == [["1", "input", "2"], ["2", "relu", "3"]]
        assert said == "All features of the input are searched from −10 to 10, also those whose own range is smaller."
        assert call("networks", "mnist-n8") == 0
        assert "Inputs lie from 0 to 1." in capsys.readouterr().out.splitlines()
        assert call("networks", "toy", "--json") == 0
        assert [entry["name"] for entry in json.loads(capsys.readouterr().out)] == ["toy"]

    def test_one_network_by_a_reference(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_factory(folder, (3,))
        assert call("networks", "made:make") == 0
        assert "searched from 0 to 1, also" in capsys.readouterr().out
        assert call("networks", "no-such-network") == 2
        assert "choose one of these names" in capsys.readouterr().err

    def test_registered_networks(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_factory(folder)
        (folder / "home").mkdir()
        (folder / "home" / "registry.toml").write_text('[[network]]\nname = "mine"\nfactory = "made:make"\n')
        assert call("networks") == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith("mine ")
        assert call("networks", "--json") == 0
        mine = json.loads(capsys.readouterr().out)[-1]
        assert has_types(mine, NETWORK)
        assert mine["accuracy"] is None
        assert mine["input_shape"] == [1, 17, 29]
