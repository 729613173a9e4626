"""Packs of evidence with one lie each, whose digests the liar has made anew: verify.py has to find and name each.

    python -m tests.hostile.packs PACK.zip [PACK.zip ...] --lies 200

It prints the lies that were not found, and a table of how many of each kind were made and found.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.evidence.statement import SIGNED, STATEMENT
from dnncov_core.evidence.verify import Row, verify

Contents = dict[str, bytes]
ANYTHING = {"name": "any", "number": None}
Lie = Callable[[Contents, np.random.Generator], str]
"""Changes the contents, and says how."""


def _table(contents: Contents, end: str, rng: np.random.Generator) -> tuple[str, dict[str, Any]]:
    name = rng.choice([name for name in contents if name.endswith(f"{end}.npz")])
    return str(name), dict(np.load(io.BytesIO(contents[name])))


def _store(contents: Contents, name: str, table: Mapping[str, Any]) -> None:
    file = io.BytesIO()
    np.savez_compressed(file, **table)
    contents[name] = file.getvalue()


def _pixel(contents: Contents, rng: np.random.Generator) -> str:
    """One number of an input moves by a grey level or more."""
    name, table = _table(contents, "inputs", rng)
    row, inputs = int(rng.integers(len(table["inputs"]))), table["inputs"]
    flat = inputs.reshape(len(inputs), -1)
    place, step = int(rng.integers(flat.shape[1])), float(rng.uniform(1 / 255, 0.5))
    flat[row, place] += -step if flat[row, place] > 0.5 else step
    _store(contents, name, table)
    return f"number {place} of input {row} moves by {step:.3f}"


def _cell(end: str, *columns: str) -> Lie:
    """One number of a column becomes another one that stands there, or the next one."""

    def lie(contents: Contents, rng: np.random.Generator) -> str:
        name, table = _table(contents, end, rng)
        known = [column for column in columns if column in table and len(table[column])]
        if not known:
            return ""
        column = table[str(rng.choice(known))]
        asked = np.flatnonzero(table["flipped"] >= 0) if known == ["flipped"] else np.arange(len(column))
        if known == ["pair"]:  # of a single neuron, another pair may cover it, too
            asked = np.flatnonzero(table["condition_layer"] > 0)
        if not len(asked):
            return ""
        row = int(rng.choice(asked))
        others = [value for value in np.unique(column).tolist() if value != column[row]]
        before = column[row].item()
        if column.dtype == bool:
            column[row] = not before
        elif column.dtype.kind == "f":
            column[row] = before * rng.choice([0.5, 0.99, 1.001]) + 1e-3
        else:
            column[row] = rng.choice(others) if others else 1 - before if known == ["holds_8bit"] else before + 1
        _store(contents, name, table)
        return f"row {row} of {known} in {name}: {before} became {column[row]}"

    return lie


def _from_the_end(contents: Contents, rng: np.random.Generator) -> str:
    """x2 of a pair is the same input, counted from the end."""
    name, table = _table(contents, "pairs", rng)
    inputs = np.load(io.BytesIO(contents[name.removesuffix("pairs.npz") + "inputs.npz"]))["norm"]
    row = int(rng.integers(len(table["x2"])))
    table["x2"][row] -= len(inputs)
    _store(contents, name, table)
    return f"x2 in row {row} of {name} became {table['x2'][row]}"


def _dropped(end: str) -> Lie:
    """A row is left out of all columns of a table."""

    def lie(contents: Contents, rng: np.random.Generator) -> str:
        name, table = _table(contents, end, rng)
        row = int(rng.integers(len(next(iter(table.values())))))
        _store(contents, name, {column: np.delete(values, row, axis=0) for column, values in table.items()})
        return f"row {row} of {name} is left out"

    return lie


def _swapped_layers(contents: Contents, rng: np.random.Generator) -> str:
    """The condition layer and the decision layer of a test condition change places."""
    name, table = _table(contents, "conditions", rng)
    row = int(rng.choice(np.flatnonzero(table["condition_layer"] > 0)))
    layers = [table[name] for name in ("condition_layer", "decision_layer")]
    layers[0][row], layers[1][row] = layers[1][row], layers[0][row]
    _store(contents, name, table)
    return f"the layers of row {row} of {name} change places"


def _claim(*fields: str) -> Lie:
    """A number of a claim becomes another one."""

    def lie(contents: Contents, rng: np.random.Generator) -> str:
        document = json.loads(contents["claims.json"])
        source = document["sources"][int(rng.integers(len(document["sources"])))]
        claims = [each for each in source["claims"] if not each["not_computed"]]
        claim, field = claims[int(rng.integers(len(claims)))], str(rng.choice(fields))
        if claim[field] is None:
            return ""
        before = claim[field]
        if field == "rows":
            claim["rows"] = rng.choice([[0, 0], [before[0] + 1, before[1] + 1], [before[0], before[1] - 1]]).tolist()
        elif field == "layers":
            claim["layers"] = [[k + 1, after + 1] for k, after in before]
        else:
            less = before * 0.9 if isinstance(before, float) else before - 1
            claim[field] = before + 1 if rng.random() < 0.5 or before < 1 else less
        contents["claims.json"] = json.dumps(document).encode()
        return "" if claim[field] == before else f"{field} of {claim['id']}: {before} became {claim[field]}"

    return lie


def _digest(contents: Contents, rng: np.random.Generator) -> str:
    """A digit of a digest in the statement; this one is not made anew."""
    told = json.loads(contents[STATEMENT])
    subject = told["subject"][int(rng.integers(len(told["subject"])))]
    digest = subject["digest"]["sha256"]
    place = int(rng.integers(64))
    subject["digest"]["sha256"] = digest[:place] + ("0" if digest[place] != "0" else "1") + digest[place + 1 :]
    contents[STATEMENT] = json.dumps(told).encode()
    return f"digit {place} of the digest of {subject['name']}"


def _file(contents: Contents, rng: np.random.Generator) -> str:
    """A file is left out, or one is added; the statement is not made anew."""
    if rng.random() < 0.5:
        contents["extra.txt"] = b"more"
        return "the file extra.txt is added"
    name = str(rng.choice([name for name in contents if name not in (STATEMENT, "claims.json")]))
    del contents[name]
    return f"the file {name} is left out"


def _document(change: Callable[[dict[str, Any]], object]) -> Lie:
    """Something in claims.json is changed in the first of its sources."""

    def lie(contents: Contents, rng: np.random.Generator) -> str:
        document = json.loads(contents["claims.json"])
        change(document["sources"][0])
        contents["claims.json"] = json.dumps(document).encode()
        return str(change.__doc__)

    return lie


def _claim_left_out(contents: Contents, rng: np.random.Generator) -> str:
    document = json.loads(contents["claims.json"])
    claims = document["sources"][0]["claims"]
    left_out = claims.pop(int(rng.integers(len(claims))))
    contents["claims.json"] = json.dumps(document).encode()
    return f"the claim {left_out['id']} is left out"


def _one_interval_left_out(contents: Contents, rng: np.random.Generator) -> str:
    document = json.loads(contents["claims.json"])
    claim = document["sources"][0]["claims"][0]
    if claim["low"] is None:
        return ""
    claim |= {"low": None, "high": None}
    contents["claims.json"] = json.dumps(document).encode()
    return f"the interval of {claim['id']} is left out"


def _one_more_pair(contents: Contents, rng: np.random.Generator) -> str:
    """A pair of no distance, which makes the mean one smaller; the claims are made anew."""
    name, table = _table(contents, "pairs", rng)
    more = {column: np.append(values, values[-1:]) for column, values in table.items()}
    more["x2"][-1] = more["x1"][-1]
    for column in [each for each in more if each.startswith("distance")]:
        more[column][-1] = 0.0
    _store(contents, name, more)
    document = json.loads(contents["claims.json"])
    for claim in document["sources"][0]["claims"]:
        if claim["kind"] == "mean_distance":
            claim["number"] = float(more["distance"].mean())
        if "_distance" in claim["kind"]:
            claim["rows"][1] += 1
    contents["claims.json"] = json.dumps(document).encode()
    return "there is one more pair"


def _no_sources(contents: Contents, rng: np.random.Generator) -> str:
    contents["claims.json"] = b'{"sources": []}'
    return "claims.json is empty"


def _no_subject(contents: Contents, rng: np.random.Generator) -> str:
    contents[STATEMENT] = json.dumps(json.loads(contents[STATEMENT]) | {"subject": []}).encode()
    return "the statement names no file"


def _other_result(contents: Contents, rng: np.random.Generator) -> str:
    told = json.loads(contents[STATEMENT])
    told["predicate"]["passedTests"] = ["everything"]
    contents[STATEMENT] = json.dumps(told).encode()
    return "the statement says that everything passed"


def _other_signed(contents: Contents, rng: np.random.Generator) -> str:
    contents[SIGNED] = b'{"payload": "e30=", "payloadType": "x", "signatures": []}'
    return "something else than the statement is signed"


def _empty_feature(contents: Contents, rng: np.random.Generator) -> str:
    name, table = _table(contents, "features", rng)
    _store(contents, name, table | {"start": np.append(table["start"], table["start"][-1])})
    return "a feature without neurons is added"


def _feature_twice(contents: Contents, rng: np.random.Generator) -> str:
    name, table = _table(contents, "features", rng)
    start, neurons = table["start"], table["neurons"]
    first = neurons[: start[1]]
    more = {"start": np.append(start, start[-1] + len(first)), "neurons": np.append(neurons, first)}
    _store(contents, name, more)
    return "the first feature is there twice"


LIES: dict[str, Lie] = {
    "pixel": _pixel,
    "label": _cell("pairs", "label1", "label2"),
    "distance": _cell("pairs", "distance", "distance_1", "distance_2", "distance_inf"),
    "adversarial": _cell("pairs", "adversarial"),
    "8 bits": _cell("pairs", "holds_8bit"),
    "input of a pair": _cell("pairs", "x1", "x2"),
    "input from the end": _from_the_end,
    "outcome": _cell("conditions", "outcome"),
    "pair of a condition": _cell("conditions", "pair"),
    "layer": _cell("conditions", "condition_layer", "decision_layer"),
    "swapped layers": _swapped_layers,
    "feature": _cell("conditions", "condition_feature", "decision_feature"),
    "flipped neurons": _cell("conditions", "flipped"),
    "count": _claim("number"),
    "denominator": _claim("of"),
    "interval": _claim("low", "high"),
    "rows of a claim": _claim("rows"),
    "place of a claim": _claim("layers"),
    "dropped condition": _dropped("conditions"),
    "dropped pair": _dropped("pairs"),
    "dropped input": _dropped("inputs"),
    "digest": _digest,
    "file": _file,
    "no claims": _document(lambda source: source["claims"].clear()),
    "no sources": _no_sources,
    "a claim twice": _document(lambda source: source["claims"].append(source["claims"][0])),
    "a sentence": _document(lambda source: source["claims"][0].update(text="The network is safe.")),
    "a claim left out": _claim_left_out,
    "one interval left out": _one_interval_left_out,
    "another criterion": _document(lambda source: source["criteria"][0].update(decision="value", g2=ANYTHING)),
    "a pair of no test condition": _one_more_pair,
    "another name of a place": _document(lambda source: source["claims"][-1].update(place="7 to 8")),
    "no model without a reason": _document(lambda source: source.update(model=None)),
    "more neurons than the model": _document(lambda source: source["layers"][-1].update(neurons=99)),
    "no files in the statement": _no_subject,
    "another result in the statement": _other_result,
    "another statement is signed": _other_signed,
    "an empty feature": _empty_feature,
    "a feature twice": _feature_twice,
}
"""Kinds of lies."""
WITH_OLD_DIGESTS = ("digest", "file", *(kind for kind in LIES if "statement" in kind))


def lied(contents: Contents, number: int) -> tuple[str, str, Contents]:
    """Lie number so and so of a pack: its kind, what it is, and the contents; the same in each run."""
    kinds = [*LIES]
    for turn in range(1000):
        kind, rng, changed = kinds[(number + turn) % len(kinds)], np.random.default_rng([number, turn]), dict(contents)
        words = LIES[kind](changed, rng)
        if words:
            if kind not in WITH_OLD_DIGESTS:
                del changed[STATEMENT]  # as if it were made anew
            return kind, words, changed
    raise AssertionError("no lie can be told of this pack")


def named_in(rows: list[Row]) -> list[str]:
    """The lines that do not hold."""
    return [row.claim for row in rows if not row.holds]


def read_pack(path: Path) -> Contents:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def main() -> int:
    """Prints what was not found, and a table; 1 if something was not found."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.packs", description=__doc__)
    parser.add_argument("packs", nargs="+", type=Path)
    parser.add_argument("--lies", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    packs = [read_pack(path) for path in options.packs]
    made, found = Counter[str](), Counter[str]()
    for number in range(options.first, options.first + options.lies):
        kind, words, contents = lied(packs[number % len(packs)], number)
        wrong = named_in(list(verify(contents)))
        made[kind] += 1
        found[kind] += bool(wrong)
        if not wrong:
            print(f"{number} not found in {options.packs[number % len(packs)].name}: {kind}: {words}", flush=True)
    for kind, n in made.items():
        print(f"{kind:<22} {n:>4} made, {found[kind]:>4} found")
    print(f"{made.total()} lies, {found.total()} found")
    return int(found.total() < made.total())


if __name__ == "__main__":
    sys.exit(main())
