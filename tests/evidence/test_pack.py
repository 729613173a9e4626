"""A pack of evidence: what the checker in it finds, that lies are found, and that foreign readers read it."""

from __future__ import annotations

import ast
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.errors import DataError, NetworkError, SpecificationError
from dnncov_core.evidence import library, pack
from dnncov_core.evidence import verify as checker
from dnncov_core.evidence.pack import VERIFIER, gathered, packed
from dnncov_core.evidence.sources import measurement_source
from dnncov_core.evidence.statement import PREDICATE, SIGNED, STATEMENT, TYPE, signed, signer_of
from dnncov_core.example import FOLDER, ID
from tests import runs
from tests.command import call
from tests.evidence.sources import source_of
from tests.hostile.packs import LIES, lied, named_in

Contents = dict[str, bytes]


def contents_of(*paths: Path, key: Path | None = None) -> Contents:
    with pytest.MonkeyPatch.context() as patch, gathered(paths) as evidence:
        patch.setattr(pack, "PARTS", pack.PARTS[:2])  # without what people read, which takes seconds
        content, _ = packed(evidence, None if key is None else signer_of(key))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def campaign() -> Contents:
    """A pack of the example campaign."""
    return contents_of(FOLDER / f"{ID}.dnncov")


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    """A pack of a campaign with free condition features."""
    return contents_of(runs.free_campaign(tmp_path_factory.mktemp("free") / "free.dnncov"))


def table(contents: Contents, name: str) -> dict[str, np.ndarray]:
    return dict(np.load(io.BytesIO(contents[f"{name}.npz"])))


def test_every_claim_of_a_campaign_holds_when_it_is_computed_again(campaign):
    rows = list(checker.verify(campaign))
    assert named_in(rows) == []
    claims = json.loads(campaign["claims.json"])["sources"][0]["claims"]
    assert {row.claim for row in rows} >= {f"{ID}: {claim['id']}" for claim in claims}
    assert {row.claim for row in rows} >= {f"file {name}" for name in campaign if name != STATEMENT}
    covered = next(row for row in rows if row.claim == f"{ID}: covered" and " of " in row.stated)
    assert covered.stated == covered.computed == "57 of 64"
    assert covered.agree + covered.near == 57


@pytest.mark.parametrize("number", range(len(LIES)))
def test_a_lie_is_found_though_its_digests_are_made_anew(campaign, free, number):
    kind, words, contents = lied(free if number % 3 == 2 else campaign, number)
    assert named_in(list(checker.verify(contents))), f"{kind}: {words}"


def test_a_changed_a_missing_and_an_additional_file_are_named(campaign):
    changed = campaign | {"claims.json": campaign["claims.json"] + b" "}
    assert named_in(list(checker.verify(changed))) == ["file claims.json"]
    without = {name: content for name, content in campaign.items() if name != "pairs.parquet"}
    assert named_in(list(checker.verify(without))) == ["file pairs.parquet"]
    assert named_in(list(checker.verify(campaign | {"more.txt": b""}))) == ["file more.txt"]


def test_a_file_that_is_there_twice_is_named(campaign, tmp_path, monkeypatch, capsys):
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as archive:
        for name, content in campaign.items():
            archive.writestr(name, content)
    monkeypatch.setattr(sys, "argv", ["verify.py", str(tmp_path / "pack.zip")])
    assert checker.main() == 0
    assert "WRONG" not in capsys.readouterr().out
    with zipfile.ZipFile(tmp_path / "pack.zip", "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("pairs.npz", campaign["pairs.npz"])
    assert checker.main() == 1
    (wrong,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("WRONG")]
    assert wrong.split() == ["WRONG", "file", "pairs.npz,", "once", "1", "2", "0", "0"]


def test_a_claim_without_rows_does_not_hold(campaign):
    document = json.loads(campaign["claims.json"])
    document["sources"][0]["claims"][0]["rows"] = [0, 0]
    wrong = named_in(list(checker.verify(campaign | {"claims.json": json.dumps(document).encode()})))
    assert f"{ID}: covered" in wrong


def test_a_measurement_that_lacks_a_criterion_is_refused(tmp_path):
    content = json.loads((FOLDER / f"{ID}.json").read_text())
    del content["criteria"]["s"]
    (tmp_path / "less.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"numbers of .*,s, as less\.json asks; got ss,.*; measure again"):
        measurement_source(tmp_path / "less.json", "", None, None)


def test_a_measurement_names_no_code_that_runs_here(tmp_path):
    content = json.loads((FOLDER / f"{ID}.json").read_text())
    content["asked"]["network"] = "antigravity:fly"
    (tmp_path / "one.json").write_text(json.dumps(content))
    with pytest.raises(NetworkError, match="got antigravity:fly, which is neither embedded nor registered; give it"):
        measurement_source(tmp_path / "one.json", "", None, None)
    assert "antigravity" not in sys.modules


def test_a_damaged_pack_is_named_and_no_traceback(campaign):
    wrong = named_in(list(checker.verify(campaign | {"pairs.npz": b"no table"})))
    assert any(line.startswith(f"{ID}: ") for line in wrong)
    assert "file pairs.npz" in wrong


def test_signs_near_zero_are_counted_apart_and_never_as_agreement():
    u1, u2 = np.array([1.0, 1e-7]), np.array([-1.0, -1e-7])
    layer = source_of({(2, 0): u1, (2, 1): u2}).layer(2, [0], [1])
    assert layer.changed.tolist() == [[True, False]]
    assert layer.near.tolist() == [[False, True]]


def test_free_features_and_their_flipped_neurons_are_computed_again(free):
    rows = list(checker.verify(free))
    assert named_in(rows) == []
    conditions = table(free, "conditions")
    assert (conditions["condition_feature"] == -1).all()
    assert (conditions["flipped"][conditions["pair"] >= 0] >= 0).all()


def test_parquet_files_hold_what_the_npz_files_hold(campaign):
    import pyarrow.parquet as parquet

    for name in ("conditions", "pairs"):
        read = parquet.read_table(io.BytesIO(campaign[f"{name}.parquet"]))
        for column, values in table(campaign, name).items():
            if column != "outcome":
                np.testing.assert_array_equal(read[column].to_numpy(), values)
            assert read.schema.field(column).metadata[b"meaning"]
    outcomes = json.loads(campaign["claims.json"])["sources"][0]["outcomes"]
    read = parquet.read_table(io.BytesIO(campaign["conditions.parquet"]))
    conditions, features = table(campaign, "conditions"), table(campaign, "features")
    assert read["outcome"].to_pylist() == [outcomes[i] for i in conditions["outcome"]]
    sets = np.split(features["neurons"], features["start"][1:-1])
    assert read["decision_neurons"].to_pylist() == [sets[i].tolist() for i in conditions["decision_feature"]]


def test_the_statement_is_one_of_in_toto(campaign):
    from google.protobuf.json_format import Parse
    from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
    from in_toto_attestation.v1.statement import Statement
    from in_toto_attestation.v1.statement_pb2 import Statement as Message

    told = Parse(campaign[STATEMENT], Message())
    Statement.copy_from_pb(told).validate()
    assert (told.type, told.predicate_type) == (TYPE, PREDICATE)
    assert {each.name for each in told.subject} == campaign.keys() - {STATEMENT}
    result = Parse(json.dumps(json.loads(campaign[STATEMENT])["predicate"]), test_result_pb2.TestResult())
    assert result.result == "WARNED"
    assert not result.failed_tests


def test_a_signature_is_verified_by_its_public_key(campaign, tmp_path):
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    for key in (Ed25519PrivateKey.generate(), generate_private_key(SECP256R1())):
        file = tmp_path / "key.pem"
        file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        told = json.loads(signed(campaign[STATEMENT], signer_of(file)))
        envelope = Envelope.from_dict(told)
        public = SSlibKey.from_crypto(key.public_key())
        assert envelope.verify([public], 1)
        assert envelope.payload == campaign[STATEMENT]
        other = SSlibKey.from_crypto(Ed25519PrivateKey.generate().public_key(), keyid=public.keyid)
        with pytest.raises(VerificationError):
            envelope.verify([other], 1)


def test_the_checker_is_short_and_uses_nothing_but_numpy_and_onnx_runtime():
    text = VERIFIER.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
    tree = ast.parse(text)
    imported = {each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    imported |= {name.name for each in ast.walk(tree) if isinstance(each, ast.Import) for name in each.names}
    assert {name.partition(".")[0] for name in imported} - sys.stdlib_module_names == {"numpy", "onnxruntime"}


def test_the_command_writes_a_pack_whose_checker_runs_alone(tmp_path, capsys):
    path = runs.finished(tmp_path / "toy.dnncov", runs.toy_spec())
    out = tmp_path / "pack.zip"
    assert call("evidence", path, "--out", out) == 0
    assert "toy" not in capsys.readouterr().err
    assert call("evidence", path, "--out", out) == 2
    assert "--replace" in capsys.readouterr().err
    folder = tmp_path / "pack"
    with zipfile.ZipFile(out) as archive:
        archive.extractall(folder)
    read = {"report.html", "report.pdf", "argument.gsn.yaml", "argument.svg", "fields.md"}
    assert read <= {each.name for each in folder.iterdir()}
    urls = re.findall(r'url: "([^"]+)"', (folder / "argument.gsn.yaml").read_text())
    named = set(re.findall(r"`([a-z.]+\.[a-z]+)`", (folder / "fields.md").read_text())) - {SIGNED, ".npz", ".parquet"}
    assert {"model.onnx", "pairs.npz"} <= {*urls}
    assert all((folder / each).is_file() for each in {*urls, *named})
    done = subprocess.run([sys.executable, "-I", folder / "verify.py"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "toy: covered" in done.stdout
    (folder / "claims.json").write_text("{}")
    assert subprocess.run([sys.executable, "-I", folder / "verify.py"], capture_output=True).returncode == 1
    assert SIGNED not in {each.name for each in folder.iterdir()}


@pytest.mark.parametrize("missing", library.PACKAGES)
def test_a_package_that_is_missing_is_named_before_any_work_with_what_installs_it(
    monkeypatch, tmp_path, capsys, missing
):
    monkeypatch.setattr(library, "find_spec", lambda name: None if name == missing else name)
    monkeypatch.setattr(pack, "CampaignStore", None)
    assert call("evidence", FOLDER / f"{ID}.dnncov", "--out", tmp_path / "pack.zip") == 2
    said = capsys.readouterr().err
    assert f"to make a pack; got no {missing}; in the environment that runs this program: pip install {missing}" in said
    assert not list(tmp_path.iterdir())


def test_no_name_of_a_file_leads_out_of_its_folder_or_to_a_file_of_the_pack(tmp_path):
    source = FOLDER / f"{ID}.dnncov"
    paths = [Path(shutil.copy(source, tmp_path / name)) for name in ("...dnncov", "report.html.dnncov", "a b.dnncov")]
    with gathered(paths) as evidence:
        names = [file.name for file in pack._tables(evidence)]
    assert {name.rpartition("/")[0] for name in names} == {"-", "report-html", "a-b"}
    twice = [Path(shutil.copy(source, tmp_path / name)) for name in ("a.b.dnncov", "a-b.dnncov")]
    refused = pytest.raises(SpecificationError, match="files of different names; got 2 that are a-b in the pack")
    with refused, gathered(twice):
        pass
