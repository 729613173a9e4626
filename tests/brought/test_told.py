"""What a dropped network's file does not say: dropped or typed, it is one file, which goes with the network."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from dnncov_core import registry
from dnncov_core.brought import drafts
from dnncov_core.brought.adoption import adopt
from dnncov_core.brought.drafts import Part, choose, new_draft, read_draft, receive
from dnncov_core.brought.told import FIELDS, as_typed, receive_told, tell, told
from dnncov_core.entries.trash import discard, restore
from dnncov_core.errors import DataError, NetworkError, SpecificationError
from dnncov_core.networks.companion import companion, text_of
from dnncov_core.registry.brought import brought, rename
from tests.brought.conftest import Check
from tests.networks.onnx_models import model, node, weights

ACAS = {
    "classes": "COC, WL, WR",
    "decision": "min",
    "features": "rho, theta",
    "units": "m, rad",
    "low": "0, -3.25",
    "high": "60760, 3.25",
    "mean": "19791, 0",
    "deviation": "60261, 6.5",
}


def scores() -> bytes:
    """An ONNX network of two inputs and three scores."""
    nodes = [node("Gemm", "x w", "h", transB=1), node("Relu", "h", "v"), node("Gemm", "v u", "y", transB=1)]
    return model(nodes, ("batch", 2), {"w": weights(4, 2), "u": weights(3, 4)})


def draft_of_scores() -> str:
    draft_id = new_draft()
    receive(draft_id, "network", "scores.onnx", BytesIO(scores()))
    return draft_id


def files(draft_id: str) -> set[str]:
    return {path.name for path in drafts.folder_of(draft_id).iterdir()}


def test_what_is_typed_is_the_file_beside_the_network() -> None:
    draft_id = draft_of_scores()
    assert told(draft_id) == {}
    tell(draft_id, ACAS)
    fields = companion(drafts.folder_of(draft_id) / "network.onnx")
    assert fields == {
        "classes": ["COC", "WL", "WR"],
        "decision": "min",
        "features": ["rho", "theta"],
        "units": ["m", "rad"],
        "mean": [19791.0, 0.0],
        "deviation": [60261.0, 6.5],
        "bounds": [[0.0, -3.25], [60760.0, 3.25]],
    }
    assert told(draft_id) == fields
    assert as_typed(fields) == dict.fromkeys(FIELDS, "") | ACAS


def test_what_is_dropped_is_shown_as_typed_and_what_cannot_be_typed_stays() -> None:
    draft_id = draft_of_scores()
    receive_told(draft_id, BytesIO(b'# mine\ninput_shape = [2]\nbounds = [[[0]], [[1]]]\nclasses = ["a", "b", "c"]\n'))
    fields = told(draft_id)
    assert fields is not None
    typed = as_typed(fields)
    assert (typed["classes"], typed["low"]) == ("a, b, c", "")
    tell(draft_id, typed | {"classes": "", "decision": "min"})
    assert told(draft_id) == {"input_shape": [2], "bounds": [[[0]], [[1]]], "decision": "min"}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"low": "0, x"}, "“Smallest values of the inputs” as numbers with commas between; got '0, x'"),
        ({"input_shape": "two"}, "“Shape of an input (.onnx)” as numbers with commas between; got 'two'"),
        ({"tolerance": "nan"}, "as numbers with commas between; got 'nan'"),
        ({"low": "0"}, "smallest and largest values of the inputs; got one of them; type the other, too"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(typed: dict[str, str], said: str) -> None:
    draft_id = draft_of_scores()
    before = files(draft_id)
    with pytest.raises(SpecificationError, match=re.escape(said)):
        tell(draft_id, typed)
    assert files(draft_id) == before


@pytest.mark.parametrize(
    "content", [b"classes = [", b"\xff\xfe", b'pickle = "x"', b"a" * (2**24 + 1), b"classes = 1\nclasses = 2"]
)
def test_a_file_that_is_no_such_toml_is_refused_and_the_earlier_one_stays(content: bytes) -> None:
    draft_id = draft_of_scores()
    tell(draft_id, {"classes": "a, b, c"})
    with pytest.raises(NetworkError, match=r"^expected .*network\.onnx\.toml.*; .*correct"):
        receive_told(draft_id, BytesIO(content))
    assert told(draft_id) == {"classes": ["a", "b", "c"]}


@pytest.mark.parametrize("network", [Part("mnist-n1"), Part("w.pth", "network.pth", "vgg16"), None])
def test_only_a_network_with_a_file_of_its_own_can_be_told(network: Part | None) -> None:
    draft_id = new_draft()
    choose(draft_id, "network", network)
    acts = (lambda: told(draft_id), lambda: tell(draft_id, {"classes": "a"}), lambda: receive_told(draft_id, BytesIO()))
    for act in acts:
        with pytest.raises(DataError, match=r"^expected an \.onnx or \.pt2 file that a \.toml file can say more of"):
            act()
    with pytest.raises(DataError):
        tell("../x", {})


def test_it_stays_with_other_data_and_goes_with_another_network() -> None:
    draft_id = draft_of_scores()
    tell(draft_id, {"classes": "a, b, c"})
    receive(draft_id, "data", "a.csv", BytesIO(b"x"))
    assert told(draft_id) == {"classes": ["a", "b", "c"]}
    receive(draft_id, "network", "other.onnx", BytesIO(scores()))
    assert told(draft_id) == {}
    assert files(draft_id) == {"draft.json", "network.onnx", "data.csv"}


def test_the_check_reads_it_and_it_goes_with_the_name(tmp_path: Path, home: Path, check: Check) -> None:
    draft_id = draft_of_scores()
    tell(draft_id, {**ACAS, "mean": "", "deviation": "", "low": "-1", "high": "1"})
    x = np.random.default_rng(0).uniform(-1, 1, (60, 2)).astype(np.float32)
    np.savez(tmp_path / "d.npz", inputs=x, labels=np.zeros(60, int))
    receive(draft_id, "data", "d.npz", BytesIO((tmp_path / "d.npz").read_bytes()))
    report = check(draft_id).report
    assert report is not None
    assert (report.card.classes, report.card.features) == (("COC", "WL", "WR"), ("rho", "theta"))
    number = next(place for place, each in enumerate(report.choices) if not each.network_file)
    adopt(draft_id, number, network_name="scores", data_name="points")
    network, _ = registry.open_network("scores")
    assert (network.box.units, getattr(network.decision, "rule", "")) == (("m", "rad"), "min")
    rename("network", "scores", "better")
    discard("network", "better")
    restore("network", "better")
    assert sorted(path.name for path in brought("network")["better"].path.parent.iterdir()) == [
        *("better.about", "better.card", "better.onnx", "better.onnx.toml"),
    ]
    assert registry.open_network("better")[0].fingerprint == network.fingerprint


def test_a_shape_is_a_sequence_of_whole_numbers_and_only_of_an_onnx_file() -> None:
    draft_id = draft_of_scores()
    tell(draft_id, {"input_shape": "2"})
    assert told(draft_id) == {"input_shape": [2]}
    receive(draft_id, "network", "net.pt2", BytesIO(b"x"))
    with pytest.raises(NetworkError, match=r"got input_shape in network\.pt2\.toml; correct their names"):
        tell(draft_id, {"input_shape": "2"})
    assert told(draft_id) == {}


def test_text_in_any_script_is_read_as_it_was_written() -> None:
    draft_id = draft_of_scores()
    names = {"classes": ["ä", "\U0001f600", 'a"b\\c\t']}
    receive_told(draft_id, BytesIO(text_of(names, comment="é").encode()))
    assert told(draft_id) == names
    assert read_draft(draft_id).check == ""
