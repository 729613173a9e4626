"""Networks by name, from files and from factories, and one clear line where there is none."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.export import Dim

from dnncov_core import registry
from dnncov_core.digests import with_digest
from dnncov_core.errors import DnncovError, NetworkError, SpecificationError
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.network import Network
from tests.networks_for_tests import save_network

BATCH = ({0: Dim("batch")},)


class Convolutional(nn.Module):
    """Has batch norm, pooling, something in place, a buffer, a constant tensor and numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(inplace=True), nn.MaxPool2d(2))
        self.second = nn.Linear(3 * 3 * 2, 4)
        self.register_buffer("mean", torch.tensor(0.25))
        self.shift = torch.tensor([0.5, 0.0, 0.0, 1.0])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first((x - self.mean) / 0.5 * 2)
        return self.second(hidden.reshape(x.shape[0], -1)) + self.shift


def mlp() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3)).double()


def in_place() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 5), nn.Hardtanh(0, 6, inplace=True), nn.Dropout(inplace=True), nn.Linear(5, 3))


MODULES = {"mlp": (mlp, (2, 3)), "in place": (in_place, (6,)), "convolutional": (Convolutional, (1, 8, 6))}


@pytest.fixture(params=MODULES.values(), ids=MODULES.keys())
def module_and_shape(request: pytest.FixtureRequest) -> tuple[nn.Module, tuple[int, ...]]:
    torch.manual_seed(0)
    build, shape = request.param
    return build().eval(), shape


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, with nothing registered."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DNNCOV_REGISTRY", raising=False)
    return tmp_path


def exported(path: Path, module: nn.Module, *examples: torch.Tensor, dynamic: Any = BATCH) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(module.eval(), examples, dynamic_shapes=dynamic), path)
    return str(path)


# Names


def test_embedded_names_come_with_their_cards(folder: Path) -> None:
    network, card = load_network("toy")
    assert card.name == "toy"
    assert (card.fingerprint, card.layers) == (network.fingerprint, network.layers)


def test_embedded_names_need_no_registry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNNCOV_REGISTRY", "missing.toml")
    assert load_network("toy")[1].name == "toy"


def test_registered_names_come_with_their_data_and_description(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exported(folder / "net.pt2", mlp(), torch.zeros(2, 2, 3, dtype=torch.float64))
    entry = '[[network]]\nname = "ours"\nfile = "net.pt2"\ndata = "toy"\ndescription = "A network."\n'
    (folder / "networks.toml").write_text(entry, encoding="utf-8")
    monkeypatch.setenv("DNNCOV_REGISTRY", str(folder / "networks.toml"))
    network, card = registry.open_network("ours")
    origin = f"A network; {with_digest(folder / 'net.pt2')}"
    assert (card.name, card.dataset, card.description) == ("ours", "toy", origin)
    assert network.fingerprint == load_network("net.pt2")[0].fingerprint
    with pytest.raises(SpecificationError, match=r"one of toy, mnist-n1, .*, mnist-n10, .*ours; got 'theirs'"):
        registry.open_network("theirs")


@pytest.mark.parametrize("reference", ["mnist-n11", "", "net.pth", "a:b:c", "module:", "no/such/folder"])
def test_unknown_names_list_what_exists(reference: str, folder: Path) -> None:
    message = r"a \.pt2 or \.onnx file, or package\.module:factory\), one of toy, .*mnist-n10, .*; got " + re.escape(
        repr(reference)
    )
    with pytest.raises(SpecificationError, match=message):
        load_network(reference)


# Files


def test_an_exported_program_gives_the_network_of_its_module(
    module_and_shape: tuple[nn.Module, tuple[int, ...]], folder: Path
) -> None:
    module, shape = module_and_shape
    dtype = next(module.parameters()).dtype
    path = exported(folder / "net.pt2", module, torch.zeros(2, *shape, dtype=dtype))
    network, card = load_network(path)
    twin = Network(module, shape)
    assert (network.input_shape, network.bounds, network.classes) == (shape, (0.0, 1.0), twin.classes)
    assert (network.layers, network.edges, network.dtype) == (twin.layers, twin.edges, dtype)
    assert network.fingerprint == twin.fingerprint
    assert card == network.card("net", description=with_digest(folder / "net.pt2"))
    x = torch.rand(5, *shape, dtype=dtype)
    torch.testing.assert_close(network(x), module(x.clone()), rtol=0, atol=0)


class Frozen(nn.Sequential):
    """Switches gradients off, which torch.export keeps as a graph within the graph."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            hidden = self[1](self[0](x))
        return self[2](hidden)


def test_a_forward_without_gradients_gives_the_same_network(folder: Path) -> None:
    module = Frozen(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
    network, _ = load_network(exported(folder / "net.pt2", module, torch.zeros(2, 2)))
    assert network.fingerprint == Network(module, (2,)).fingerprint


def test_a_saved_network_comes_back_whole(module_and_shape: tuple[nn.Module, tuple[int, ...]], folder: Path) -> None:
    module, shape = module_and_shape
    n_classes = module(torch.zeros(2, *shape, dtype=next(module.parameters()).dtype)).shape[1]
    network = Network(module, shape, (-1.0, 3.5), [f"klasse {chr(945 + i)}" for i in range(n_classes)])
    save_network(network, folder / "net.pt2")
    loaded, _ = load_network(str(folder / "net.pt2"))
    assert loaded.card("net") == network.card("net")


@pytest.mark.parametrize("resize", [None, 10])
def test_a_saved_network_keeps_its_resize(resize: int | None, folder: Path) -> None:
    network = Network(Convolutional().eval(), (1, 8, 6), resize=resize).to(dtype=torch.float64)
    save_network(network, folder / "net.pt2")
    assert load_network("net.pt2")[0].resize == network.resize == resize


def test_embedded_networks_can_be_saved_and_loaded(folder: Path) -> None:
    network, _ = load_network("mnist-n1")
    save_network(network.to(dtype=torch.float64), folder / "copy.pt2")
    assert load_network("copy.pt2")[0].fingerprint == network.fingerprint


def test_a_fixed_batch_dimension_is_refused(folder: Path) -> None:
    path = exported(folder / "net.pt2", mlp(), torch.zeros(2, 2, 3, dtype=torch.float64), dynamic=None)
    with pytest.raises(NetworkError, match=r"any size; got batch size 2 in .*dynamic_shapes=\(\{0: torch\.export\.Dim"):
        load_network(path)


def test_another_dynamic_dimension_is_refused(folder: Path) -> None:
    module = nn.Sequential(nn.ReLU(), nn.Flatten(2), nn.AdaptiveAvgPool1d(3), nn.Flatten())
    shapes = ({0: Dim("batch"), 2: Dim("rows")},)
    path = exported(folder / "net.pt2", module, torch.zeros(2, 1, 4, 3), dynamic=shapes)
    with pytest.raises(NetworkError, match="batch dimension alone is dynamic"):
        load_network(path)


def test_two_inputs_are_refused(folder: Path) -> None:
    path = exported(folder / "net.pt2", nn.Bilinear(2, 2, 2), torch.zeros(2, 2), torch.zeros(2, 2), dynamic=None)
    with pytest.raises(NetworkError):
        load_network(path)


def test_operators_that_a_file_may_not_contain_are_named(folder: Path) -> None:
    path = exported(folder / "net.pt2", Windows(), torch.zeros(2, 4))
    with pytest.raises(NetworkError, match="operator that a file may contain; got as_strided; load the network by a"):
        load_network(path)


class Windows(nn.Module):
    """A module that reads memory by its place."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.as_strided((x.shape[0], 2), (4, 1)).relu() @ torch.ones(2, 2)


def test_weights_in_bfloat16_are_refused(folder: Path) -> None:
    path = exported(folder / "net.pt2", mlp().bfloat16(), torch.zeros(2, 2, 3, dtype=torch.bfloat16))
    with pytest.raises(
        NetworkError, match=r"got bfloat16; convert the module with module\.float\(\), and export it again"
    ):
        load_network(path)


def test_a_missing_file_is_named(folder: Path) -> None:
    with pytest.raises(NetworkError, match=r"got missing\.pt2: No such file or directory; correct the path"):
        load_network("missing.pt2")


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04"])
def test_a_file_that_is_none_is_refused(content: bytes, folder: Path) -> None:
    (folder / "net.pt2").write_bytes(content)
    with pytest.raises(NetworkError, match=r"net\.pt2 is damaged or no such file"):
        load_network("net.pt2")


def test_a_checkpoint_with_another_name_is_refused(folder: Path) -> None:
    torch.save(mlp().state_dict(), folder / "net.pt2")
    with pytest.raises(NetworkError, match=r"nothing but tensors.*got the member"):
        load_network("net.pt2")


BAD_RESIZE = '{"bounds": [0, 1], "classes": ["a", "b"], "resize": "wide"}'


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        *((text, r"bounds and classes in dnncov\.json") for text in ("", "[]", '{"bounds": [0, 1]}', '{"bounds": 1}')),
        ("[" * 100_000, r"bounds and classes in dnncov\.json; got net\.pt2 with more than 100 lists or tables"),
        ('{"bounds": [0, 1e999], "classes": ["a", "b"]}', r"in dnncov\.json; got .* a number that is not finite"),
        ('{"bounds": [0], "classes": []}', r"bounds \(low, high\), two finite numbers"),
        ('{"bounds": [0, 1], "classes": "ab"}', "classes, a list of names; got 'ab'"),
        ('{"bounds": [0, 1], "classes": {"a": 0, "b": 1}}', "classes, a list of names; got {'a': 0, 'b': 1}"),
        (BAD_RESIZE, "resize of at least the height .*; got 'wide'"),
    ],
)
def test_damaged_bounds_and_classes_are_refused(extra: str, message: str, folder: Path) -> None:
    program = load_network("toy")[0].program
    torch.export.save(program, folder / "net.pt2", extra_files={"dnncov.json": extra})
    with pytest.raises(NetworkError, match=message):
        load_network("net.pt2")


def test_a_wrong_number_of_classes_is_refused(folder: Path) -> None:
    program = load_network("toy")[0].program
    extra = '{"bounds": [0, 1], "classes": ["one"]}'
    torch.export.save(program, folder / "net.pt2", extra_files={"dnncov.json": extra})
    with pytest.raises(NetworkError, match="2 class names"):
        load_network("net.pt2")


# Factories

FACTORIES = """
import torch
from dnncov_core import Network

def small():
    return Network(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2)), (2,))

def raises():
    raise OSError("weights.pt is\\nmissing")

def refuses():
    return Network(torch.nn.Linear(2, 3), (2,))

def module():
    return torch.nn.Linear(2, 3)

number = 3
"""


@pytest.fixture
def factories(folder: Path) -> Any:
    """A module in the working folder, imported anew in each test."""
    (folder / "some_factories.py").write_text(FACTORIES)
    (folder / "broken_factories.py").write_text("1 / 0")
    (folder / "needy_factories.py").write_text("import no_such_library")
    yield folder
    for name in ("some_factories", "broken_factories", "needy_factories"):
        sys.modules.pop(name, None)


def test_a_factory_in_the_working_folder_gives_its_network(factories: Path) -> None:
    before = list(sys.path)
    network, card = load_network("some_factories:small")
    assert [layer.neurons for layer in network.layers] == [2, 3, 2]
    assert card == network.card("some_factories:small")
    assert sys.path == before


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("no_such_module:small", "the module no_such_module; got no module no_such_module from"),
        ("needy_factories:small", "the module needy_factories; got no module no_such_library from"),
        ("broken_factories:small", "got ZeroDivisionError: division by zero"),
        ("some_factories:large", "a function large in some_factories; got only .*small, raises"),
        ("some_factories:number", "a function number in some_factories; got only"),
        ("some_factories:raises", r"a network from some_factories:raises\(\); got OSError: weights\.pt is; correct"),
        ("some_factories:refuses", "a hidden activation layer"),
        ("some_factories:module", "a dnncov_core.Network from some_factories:module; got Linear; return a Network"),
    ],
)
def test_a_factory_that_gives_no_network_is_refused(reference: str, message: str, factories: Path) -> None:
    with pytest.raises(NetworkError, match=message):
        load_network(reference)


def test_every_message_is_one_line(factories: Path) -> None:
    for reference in ("some_factories:raises", "broken_factories:small", "missing.pt2", "unknown"):
        with pytest.raises(DnncovError) as caught:
            load_network(reference)
        assert "\n" not in str(caught.value)
