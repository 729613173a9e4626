"""A .pt2 file runs no code: each way in which PyTorch would run some is refused, and honest files load."""

from __future__ import annotations

import contextlib
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from dnncov_core.errors import NetworkError
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.pt2_check import check
from tests.networks.malicious import (
    ATTACKS,
    PROGRAM,
    SAMPLES,
    WEIGHTS,
    Attack,
    Honest,
    Members,
    changed,
    function_as_operator,
    honest_members,
    payload,
    sample_inputs,
    written,
)


@pytest.fixture(scope="module")
def honest() -> Members:
    return honest_members()


@pytest.mark.parametrize("attack", [*ATTACKS, function_as_operator])
def test_a_file_that_would_run_code_is_refused(attack: Attack, honest: Members, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    path = written(tmp_path / "evil.pt2", attack(honest, marker))
    with pytest.raises(NetworkError, match=r"nothing but tensors and a graph.*never use a file whose maker"):
        load_network(str(path))
    assert not marker.exists()


@pytest.mark.parametrize("attack", [*ATTACKS, sample_inputs])
def test_the_attack_is_one(attack: Attack, honest: Members, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch by itself runs the code; otherwise the test above would show nothing."""
    monkeypatch.syspath_prepend(tmp_path)
    marker = tmp_path / "marker"
    path = written(tmp_path / "evil.pt2", attack(honest, marker))
    with contextlib.suppress(Exception):  # once the code has run, PyTorch misses the tensor that it asked for
        torch.export.load(str(path)).run_decompositions({})
    sys.modules.pop("evil_module", None)
    assert marker.exists(), f"PyTorch {torch.__version__} does not run it: a way that it does must take its place"


def test_sample_inputs_are_left_out_whatever_they_are(honest: Members, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    for members in (sample_inputs(honest, marker), {**honest, SAMPLES: b"no file of torch.save"}):
        assert load_network(str(written(tmp_path / "net.pt2", members)))[0].input_shape == (4,)
        assert check(tmp_path / "net.pt2").archive.getvalue().count(b"marker") == 0
    assert not marker.exists()


def test_guards_are_left_out(honest: Members, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    guard = f"open('{marker}', 'w') is None"
    path = written(tmp_path / "net.pt2", changed(honest, PROGRAM, lambda fields: fields.update(guards_code=[guard])))
    assert load_network(str(path))[0].input_shape == (4,)
    assert not marker.exists()


@pytest.mark.parametrize(
    "name",
    [
        "net/data/aotinductor/model/model.so",
        "net/data/constants/custom_obj_0",
        "net/data/weights/model.pt",
        "net/models/other.json",
        "net/data/weights/../weight_0",
        "../outside",
        "/etc/passwd",
        "net/extra/../../outside",
        "net/data/sample_inputs/MODEL.PT",
    ],
)
def test_members_that_no_network_needs_are_refused(name: str, honest: Members, tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="got the member"):
        check(written(tmp_path / "net.pt2", {**honest, name: b"x"}))


def test_an_archive_of_an_old_pytorch_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "net.pt2", {"version": b"8.8", "serialized_exported_program.json": b"{}"})
    with pytest.raises(NetworkError, match=r"PyTorch 2\.8 or newer; got .*export the network again"):
        check(path)


def test_compressed_members_are_refused(honest: Members, tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="compressed members"):
        check(written(tmp_path / "net.pt2", honest, zipfile.ZIP_DEFLATED))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(honest: Members, tmp_path: Path) -> None:
    path = written(tmp_path / "net.pt2", honest)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(PROGRAM, honest[PROGRAM])
    with pytest.raises(NetworkError, match="two members of one name"):
        check(path)


def test_an_operator_that_fills_the_memory_is_refused(tmp_path: Path) -> None:
    class Wide(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(x)[:, :, None].expand(-1, -1, 10**9).sum(2)

    program = torch.export.export(Wide(), (torch.zeros(2, 3),), dynamic_shapes=({0: torch.export.Dim("batch")},))
    torch.export.save(program, tmp_path / "net.pt2")
    with pytest.raises(NetworkError, match=r"at most 67,108,864 values for one input; got \(3, 1000000000\) at expand"):
        load_network(str(tmp_path / "net.pt2"))


def test_a_number_in_a_program_that_is_not_finite_is_refused(honest: Members, tmp_path: Path) -> None:
    text = honest[PROGRAM].replace(b'"as_float": 0.25', b'"as_float": 1e999')
    with pytest.raises(NetworkError, match="a number that is not finite"):
        load_network(str(written(tmp_path / "net.pt2", {**honest, PROGRAM: text})))


def test_another_byte_order_is_refused(honest: Members, tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="byte order"):
        check(written(tmp_path / "net.pt2", {**honest, "net/byteorder": b"big"}))


@pytest.mark.parametrize("content", [None, b""])
def test_a_tensor_of_absurd_size_is_refused(content: bytes | None, honest: Members, tmp_path: Path) -> None:
    def change(fields: Any) -> None:
        fields["config"]["first.bias"]["tensor_meta"].update(sizes=[{"as_int": 10**12}], strides=[{"as_int": 0}])

    members = changed(honest, WEIGHTS, change)
    if content is not None:
        members[f"net/data/weights/{payload(honest, WEIGHTS, 'first.bias')}"] = content
    with pytest.raises(NetworkError, match="1000000000000 numbers in"):
        check(written(tmp_path / "net.pt2", members))


@pytest.mark.parametrize(
    "text",
    [
        "().__class__.__base__",
        "Symbol('s77').__class__",
        "s77.func",
        "Symbol('s77', positive=exit())",
        "exec(s77)",
        "lambda: s77",
        "9**9**9**9",
        "Pow(Integer(9), Integer(999999999))",
        "Integer(99999999999999999999999)",
        "[s77]",
        "s77; s78",
        "s77\n",
        "'s77'",
        "1if s77 else 2",
        "s77 " * 1000,
    ],
)
def test_sizes_that_are_no_arithmetic_are_refused(text: str, honest: Members, tmp_path: Path) -> None:
    def change(fields: Any) -> None:
        fields["graph_module"]["graph"]["tensor_values"]["x"]["sizes"][0]["as_expr"]["expr_str"] = text

    with pytest.raises(NetworkError, match="nothing but tensors"):
        check(written(tmp_path / "net.pt2", changed(honest, PROGRAM, change)))


@pytest.mark.parametrize("text", ["s77", "2*s77 + 1", "Mul(Integer(2), Symbol('s77', positive=True, integer=True))"])
def test_sizes_that_are_arithmetic_pass(text: str, honest: Members, tmp_path: Path) -> None:
    def change(fields: Any) -> None:
        fields["graph_module"]["graph"]["tensor_values"]["x"]["sizes"][0]["as_expr"]["expr_str"] = text

    check(written(tmp_path / "net.pt2", changed(honest, PROGRAM, change)))


@pytest.mark.parametrize(
    "target",
    [
        "torch.ops.aten.from_file.default",
        "torch.ops.aten.relu.__class__",
        "torch.ops.aten.relu.default.decompose",
        "torch.ops.other.relu.default",
        "torch.serialization.os.system",
        "_operator.methodcaller",
        "math.floor",
        "#namespace:operator",
    ],
)
def test_operators_outside_the_list_are_refused(target: str, honest: Members, tmp_path: Path) -> None:
    def change(fields: Any) -> None:
        fields["graph_module"]["graph"]["nodes"][0]["target"] = target

    with pytest.raises(NetworkError, match="operator"):
        check(written(tmp_path / "net.pt2", changed(honest, PROGRAM, change)))


@pytest.mark.parametrize("field", ["as_operator", "as_custom_obj", "as_strings", "a_new_field"])
def test_text_in_a_field_without_a_rule_is_refused(field: str, honest: Members, tmp_path: Path) -> None:
    def change(fields: Any) -> None:
        fields["graph_module"]["graph"]["nodes"][0]["inputs"][0]["arg"] = {field: ["torch.os.system"]}

    with pytest.raises(NetworkError, match=f"text in the field '{field}'"):
        check(written(tmp_path / "net.pt2", changed(honest, PROGRAM, change)))


def test_a_path_that_is_python_source_is_refused(honest: Members, tmp_path: Path) -> None:
    text = honest[PROGRAM].decode().replace('"first.bias"', '"first.bias\\"), exit(\\""')
    with pytest.raises(NetworkError, match="parameter_name"):
        check(written(tmp_path / "net.pt2", {**honest, PROGRAM: text.encode()}))


def complaint(path: Path) -> str | None:
    """What is wrong with a file; None if it passes."""
    try:
        check(path)
    except NetworkError as error:
        return str(error)
    return None


def test_a_damaged_file_gives_one_clear_line(honest: Members, tmp_path: Path) -> None:
    path = written(tmp_path / "net.pt2", honest)
    content = path.read_bytes()
    places = torch.randint(len(content), (30,), generator=torch.Generator().manual_seed(0)).tolist()
    cut, turned = [], []
    for place in places:
        path.write_bytes(content[:place])
        cut.append(complaint(path))
        path.write_bytes(content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :])
        turned.append(complaint(path))
    assert None not in cut
    assert any(turned)  # a byte between two members says nothing
    assert not any("\n" in each for each in (*cut, *turned) if each)


@pytest.mark.parametrize("change", [{PROGRAM: b"{"}, {PROGRAM: b"[" * 100_000}, {PROGRAM: b"[]"}, {WEIGHTS: b"{}"}])
def test_damaged_json_gives_one_clear_line(change: Members, honest: Members, tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="export the network again"):
        load_network(str(written(tmp_path / "net.pt2", {**honest, **change})))


def test_an_honest_file_passes_with_its_numbers(honest: Members, tmp_path: Path) -> None:
    network, _ = load_network(str(written(tmp_path / "net.pt2", honest)))
    torch.manual_seed(0)
    module = Honest().eval()
    x = torch.rand(7, 4)
    torch.testing.assert_close(network(x), module(x), rtol=0, atol=0)


def test_a_file_of_another_device_is_read_on_the_cpu(honest: Members, tmp_path: Path) -> None:
    here, there = b'{"type": "cpu", "index": null}', b'{"type": "cuda", "index": 0}'
    moved = {name: content.replace(here, there) for name, content in honest.items()}
    assert moved[WEIGHTS] != honest[WEIGHTS]
    network, _ = load_network(str(written(tmp_path / "there.pt2", moved)))
    assert network.fingerprint == load_network(str(written(tmp_path / "here.pt2", honest)))[0].fingerprint
