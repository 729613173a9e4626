"""The file with which the person who runs the app registers networks and data."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from torch import nn

from dnncov_core import Network, registry
from dnncov_core.data import EMBEDDED_DATA
from dnncov_core.digests import with_digest
from dnncov_core.errors import DataError, SpecificationError
from dnncov_core.networks.pretrained import PRETRAINED
from dnncov_core.networks.zoo import EMBEDDED, load_embedded
from dnncov_core.registry.file import registered
from tests.command import call

Write = Callable[[str], Path]
TOY = load_embedded("toy")

GOOD = """
[[network]]
name = "ours"
file = "nets/ours.pt2"
data = "our-data"

[[network]]
name = "built_2.0"
factory = "package.module:build"
description = "Built by a function."

[[data]]
name = "our-data"
path = "data.npz"
description = "Four inputs."

[[data]]
name = "pictures"
path = "nets"
"""


@pytest.fixture(autouse=True)
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes the registry; until then there is none."""
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "ours.pt2").touch()
    np.savez(tmp_path / "data.npz", images=np.zeros((4, 2)), labels=np.zeros(4, np.int64))
    monkeypatch.delenv("DNNCOV_REGISTRY", raising=False)
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))

    def write(text: str) -> Path:
        path = tmp_path / "registry.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_without_a_file_there_is_what_is_embedded() -> None:
    cards = registry.networks()
    assert tuple(cards) == (*EMBEDDED, *PRETRAINED)
    assert all(card is not None and card.name == name for name, card in cards.items())
    assert list(registry.data_names()) == ["mnist", "toy", "mnist-full", "cifar10-sample", "cifar10"]
    assert registry.data_names()["toy"].startswith("the six inputs")


def test_registered_names_follow_the_embedded_ones(write: Write) -> None:
    write(GOOD)
    assert list(registry.networks().items())[-2:] == [("ours", None), ("built_2.0", None)]
    assert list(registry.data_names().items())[-2:] == [("our-data", "Four inputs."), ("pictures", "")]


def test_references_are_paths_beside_the_file_and_factories(write: Write, tmp_path: Path) -> None:
    write(GOOD)
    entries = registered()
    assert entries.networks["ours"].reference == str(tmp_path / "nets" / "ours.pt2")
    assert entries.networks["built_2.0"].reference == "package.module:build"
    assert entries.data["our-data"].path == str(tmp_path / "data.npz")


def test_default_data(write: Write) -> None:
    write(GOOD)
    assert registry.default_data("toy") == "toy"
    assert registry.default_data("mnist-n10") == "mnist"
    assert registry.default_data("cifar10-cnn") == "cifar10-sample"
    assert registry.default_data("ours") == "our-data"
    assert registry.default_data("built_2.0") == "mnist"
    assert registry.default_data("some/net.pt2") == "mnist"
    for name in (*PRETRAINED, "vgg16=vgg16.pth"):
        assert registry.default_data(name) is None


def test_data_are_those_asked_for_or_the_network_s_own(write: Write) -> None:
    assert registry.data_name("toy", None) == "toy"
    assert registry.data_name("toy", "mnist") == registry.data_name("vgg16", "mnist") == "mnist"
    with pytest.raises(DataError, match=r"photos for vgg16, none of .*; got no data; give --data a folder of photos"):
        registry.data_name("vgg16", None)


def test_data_keeps_the_name_it_was_asked_by(write: Write, tmp_path: Path) -> None:
    write(GOOD)
    data = registry.open_data_for(TOY, "our-data")
    origin = f"Four inputs; {with_digest(tmp_path / 'data.npz')}"
    assert (data.name, data.source, len(data)) == ("our-data", origin, 4)
    assert registry.open_data_for(TOY, "toy").name == "toy"
    assert registry.open_data_for(TOY, str(tmp_path / "data.npz")).name == str(tmp_path / "data.npz")


def test_photos_are_read_as_the_network_asks(write: Write, tmp_path: Path) -> None:
    write(GOOD)
    (tmp_path / "nets" / "ours.pt2").rename(tmp_path / "ours.pt2")
    (tmp_path / "nets" / "Traffic_Light").mkdir()
    Image.new("RGB", (90, 40)).save(tmp_path / "nets" / "Traffic_Light" / "a.jpg")
    write(GOOD.replace("nets/ours", "ours"))
    module = nn.Sequential(nn.Flatten(), nn.ReLU(), nn.Linear(3 * 20 * 30, 3))
    network = Network(module, (3, 20, 30), classes=["fish", "bird", "traffic light"], resize=35)
    for name in ("pictures", str(tmp_path / "nets")):
        data = registry.open_data_for(network, name)
        assert (data.name, data.shape, data.labels.tolist()) == (name, (3, 20, 30), [2])
    with pytest.raises(DataError, match=r"images of shape \(3, 20, 30\); got \(2,\) in toy"):
        registry.open_data_for(network, "toy")


def test_the_variable_names_another_file(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = write(GOOD).rename(tmp_path / "other.toml")
    assert "ours" not in registry.networks()
    monkeypatch.setenv("DNNCOV_REGISTRY", str(other))
    assert "ours" in registry.networks()
    monkeypatch.setenv("DNNCOV_REGISTRY", str(tmp_path / "missing.toml"))
    assert "ours" not in registry.networks()
    with pytest.raises(SpecificationError, match=r"got missing\.toml: No such file or directory; correct DNNCOV_REG"):
        registry.open_network("ours")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "a registry in TOML; got .*registry.toml: Invalid value"),
        ("a = " + "[" * 5000 + "]" * 5000, "a registry in TOML; got registry.toml: more than 100 lists or tables"),
        ("# " + "x" * 2**20, "a registry in TOML; got registry.toml: more than 1,048,576 bytes"),
        ("[[data]]\nname = 'a'\npath = '" + "x" * 300 + "'", "an existing path .*; got x+, File name too long; corr"),
        ("[[data]]\nname = 'a'\npath = '~nobody-here/x'", "an existing path .*; got x, Could not determine home dir"),
        ("[[data]]\nname = 'a'\npath = '" + "x" * 10**5 + "'", "an existing path .*; got x{4000}…; correct the entry"),
        ("a = 1e999", "a registry in TOML; got registry.toml: a number that is not finite"),
        ("[[networks]]", r"\[\[network\]\] and \[\[data\]\] in .*; got networks"),
        ("[network]", r"\[\[network\]\] in .*; got \[network\]; double the brackets"),
        ("network = [3]", "fields name, factory, file, data, description for network number 1 of .*; got 3"),
        ("[[network]]\nfile = 'nets/ours.pt2'", "a name of letters.* for network number 1 of .*; got None"),
        ("[[network]]\nname = '-x'", "a name of letters.* for network '-x' of .*; got '-x'"),
        ("[[network]]\nname = 'a/b'", "a name of letters.* for network 'a/b'"),
        ('[[network]]\nname = "a\\n"', "a name of letters"),
        ("[[network]]\nname = 5", "a text as name for network '5'"),
        ("[[network]]\nname = 'a'\npath = 'x'", "fields name, factory.* for network 'a' of .*; got 'path'"),
        ("[[network]]\nname = 'toy'\nfactory = 'a:b'", "a name of its own for network 'toy' of .*; got 'toy', which"),
        ("[[network]]\nname = 'vgg16'\nfactory = 'a:b'", "a name of its own for network 'vgg16'"),
        ("[[network]]\nname = 'a'", "either file or factory for network 'a' of .*; got neither"),
        ("[[network]]\nname = 'a'\nfile = 'x.pt2'\nfactory = 'a:b'", "either file or factory .*; got both"),
        ("[[network]]\nname = 'a'\nfile = 'x.pth'", r"a \.pt2 or \.onnx file for network 'a' of .*; got 'x.pth'"),
        (
            "[[network]]\nname = 'a'\nfile = 'x.pt2'",
            "an existing file for network 'a' of .*; got x.pt2, which is not there",
        ),
        ("[[network]]\nname = 'a'\nfactory = 'a.b'", "factory = 'package.module:factory' for network 'a'"),
        ("[[network]]\nname = 'a'\nfactory = 'a:b'\ndata = 'c'", "data, one of mnist, toy, .*cifar10 for network 'a'"),
        ("[[data]]\nname = 'a'", "path = an .npz, .csv or .parquet file, or a folder for data 'a' of .*; got none"),
        (
            "[[data]]\nname = 'a'\npath = 'x'",
            "an existing path for data 'a' of .*; got x, which is not there; correct the entry",
        ),
        ("[[data]]\nname = 'mnist'\npath = 'nets'", "a name of its own for data 'mnist'"),
        ("[[data]]\nname = 'a'\npath = 'nets'\n[[data]]\nname = 'a'\npath = 'nets'", "a name of its own for data 'a'"),
    ],
)
def test_mistakes_name_the_entry(text: str, message: str, write: Write) -> None:
    path = write(text)
    (problem,) = registered().problems
    assert re.search(message, str(problem.error))
    assert "\n" not in str(problem.error)
    assert str(path.parent) not in str(problem.error)
    assert list(registry.networks()) == [*EMBEDDED, *PRETRAINED]
    assert [*registry.data_names()][: len(EMBEDDED_DATA)] == [*EMBEDDED_DATA]


STALE = GOOD.replace('"data.npz"', '"/far/away/gone.npz"')


def test_one_stale_entry_leaves_the_others(write: Write) -> None:
    write(STALE)
    assert [*registry.networks()][-2:] == ["ours", "built_2.0"]
    assert [*registry.data_names()][-1] == "pictures"
    assert "our-data" not in registry.data_names()
    assert registry.open_data_for(TOY, "toy").name == "toy"
    (problem,) = registered().problems
    assert (problem.kind, problem.name) == ("data", "our-data")
    gone = "an existing path for data 'our-data' of registry.toml; got gone.npz, which is not there"
    assert gone in str(problem.error)
    assert "far" not in str(problem.error)


def test_whoever_asks_for_what_is_left_out_is_told_why(write: Write) -> None:
    write(STALE + "[[network]]\nname = 'gone'\nfile = 'gone.pt2'\n")
    for ask in (lambda name: registry.open_data_for(TOY, name), lambda name: registry.check_names("toy", name)):
        with pytest.raises(SpecificationError, match=r"data 'our-data' of registry\.toml; got gone\.npz"):
            ask("our-data")
        with pytest.raises(DataError, match=r"data, one of mnist, .*, pictures, an \.npz, .*; got 'nothing'"):
            ask("nothing")
    with pytest.raises(SpecificationError, match=r"network 'gone' of registry\.toml; got gone\.pt2"):
        registry.open_network("gone")


def test_the_place_of_a_name(write: Write, tmp_path: Path) -> None:
    write(GOOD)
    names = {"our-data": str(tmp_path / "data.npz"), "built_2.0": "package.module:build", "x.npz": "x.npz"}
    assert {name: registry.place_of(name) for name in names} == names


def test_a_factory_is_not_imported_before_it_is_used(write: Write) -> None:
    write("[[network]]\nname = 'a'\nfactory = 'no_such_module:build'")
    assert registry.networks()["a"] is None


def test_importing_and_listing_needs_no_torch() -> None:
    code = (
        "import sys; from dnncov_core import registry; registry.networks(), registry.data_names();"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_command_lists_what_is_there_and_says_what_is_left_out(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write("[[network]]\nname = 'gone'\nfile = 'gone.pt2'\n[[network]]\nname = 'here'\nfile = 'nets/ours.pt2'\n")
    assert call("networks") == 0
    out, err = capsys.readouterr()
    assert "\nhere " in out
    assert "\ngone " not in out
    said = "warning: left out: expected an existing file for network 'gone' of registry.toml; got gone.pt2"
    assert err.startswith(said)
    assert call("networks", "toy") == 0
    assert "left out" not in capsys.readouterr().err
