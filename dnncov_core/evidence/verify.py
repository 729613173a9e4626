"""Checks a pack of evidence without the program that wrote it:  python verify.py [PACK.zip, or the folder it lies in]

It computes claims.json again by the definitions in fields.md, and exits with 1 if something does not hold. NEAR, which
never counts as agreed, is within 1e-5 (double precision: 1e-9) of a limit, as a share of a layer's largest |u|."""

import base64
import hashlib
import io
import json
import math
import sys
import zipfile
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

TOLERANCE = {"tensor(double)": ("d", 1e-9), "tensor(float)": ("f", 1e-5), "none": ("f", math.inf)}
YES, NEAR, NO, NONE, AT_ONCE, BATCH, SHOWN, EXACT = 1, 0, -1, 2, 2**25, 64, 5, 1e-9
TABLES = ["conditions.npz", "pairs.npz", "inputs.npz", "features.npz"]
STATEMENT, SIGNED, SIGNATURE = "statement.json", "statement.dsse.json", "statement.json.sig"
FIELDS = ["id", "kind", "number", "of", "low", "high", "criterion", "place", "layers", "table", "rows", "not_computed"]
UNIQUE = ["criterion", "condition_layer", "decision_layer", "condition_feature", "decision_feature"]
Table = dict[str, Any]
Row = namedtuple("Row", "claim stated computed agree near holds")  # agree and near: how many rows of the tables do


def require(holds: Any, what: str) -> None:
    """Raises what is missing, with the first rows in which it is."""
    if rows := np.flatnonzero(~np.atleast_1d(np.asarray(holds, bool)))[:SHOWN].tolist():
        raise ValueError(f"expected {what}, not so in row {', '.join(map(str, rows))}")


def answers(no: Any, unsure: Any) -> Any:
    """The answers where something does not hold, and where that is unsure."""
    return np.where(no, NO, np.where(unsure, NEAR, YES)).astype(np.int8)


class Layer:
    """Values of one layer at x1 and x2 of pairs, ``(pairs, neurons)``; ``t`` says how much is near, for each pair."""

    def __init__(self, k: int, u: Any, v: Any, limit: Any, x1: Any, x2: Any) -> None:
        self.k, near, sign = k, np.abs(u) < limit[:, None], u >= 0
        self.u1, self.u2, self.v1, self.v2 = u[x1], u[x2], v[x1], v[x2]
        self.near, self.t = near[x1] | near[x2], np.maximum(limit[x1], limit[x2])
        self.changed = (sign[x1] != sign[x2]) & ~self.near  # those that are near may do either
        self.kept = (sign[x1] == sign[x2]) & ~self.near


class Model:
    """model.onnx: from inputs x to "scores" and u and v of each hidden layer, called u2, v2, u3 and so on."""

    def __init__(self, content: bytes | None, layers: list[Table]) -> None:
        session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"]) if content else None
        kind = session.get_inputs()[0].type if session else "none"  # without a model, everything is near
        self.session, self.layers, (self.dtype, self.tolerance) = session, layers, TOLERANCE[kind]

    def values(self, x: Any, *names: str) -> list[Any]:
        if self.session is None:
            places = [-1 if name == "scores" else int(name[1:]) - 1 for name in names]
            return [np.zeros((len(x), self.layers[place]["neurons"])) for place in places]
        parts = [x[i : i + BATCH].astype(self.dtype) for i in range(0, max(1, len(x)), BATCH)]
        found = [self.session.run(names, {"x": part}) for part in parts]
        values = [np.concatenate(each) for each in zip(*found, strict=True)]
        for name, each in zip(names, values, strict=True):
            neurons = self.layers[-1 if name == "scores" else int(name[1:]) - 1]["neurons"]
            require(each.shape == (len(x), neurons) and not np.isnan(each).any(), f"{neurons} neurons in {name}")
        return values

    def limit(self, values: Any) -> Any:  # how much is near, for each input
        return self.tolerance * np.maximum(1, np.abs(values).max(axis=1).astype(np.float64))

    def layer(self, x: Any, k: int, x1: Any, x2: Any) -> Layer:
        u, v = self.values(x, *(("scores", "scores") if k == len(self.layers) else (f"u{k}", f"v{k}")))
        return Layer(k, u, v, self.limit(u), x1, x2)


class Features:
    """Sets of neurons by number; -1 is the empty one."""

    def __init__(self, start: Any, neurons: Any) -> None:
        self.start, self.neurons, self.size = start.astype(np.int64), neurons, np.append(np.diff(start), 0)
        sets = [frozenset(part.tolist()) for part in np.split(neurons, start[1:-1])][: len(start) - 1]
        whole = [*map(len, sets)] == np.diff(start).tolist() and bool((neurons >= 0).all())
        require(whole and all(sets) and len({*sets}) == len(sets), "features that differ, none of them empty")

    def spread(self, features: Any) -> tuple[Any, Any]:
        """Each neuron of each feature: the place of its feature among those asked for, and the neuron."""
        n = self.size[features]
        place = np.repeat(np.arange(len(features)), n)
        return place, self.neurons[np.arange(len(place)) - np.repeat(np.cumsum(n) - n - self.start[features], n)]

    def count(self, where: Any, row: Any, features: Any) -> Any:
        """Of how many neurons of each feature this is true, in the pair ``row`` of each."""
        place, neuron = self.spread(features)
        return np.bincount(place, where[row[place], neuron], len(row)).astype(np.int64)


SURPLUS: dict[str, Any] = {  # by how much a value function of one neuron holds, in units of u; n is its number
    "any": lambda u1, u2, n: np.full(len(u2), np.inf),
    "n": lambda u1, u2, n: u2,  # the sign is +1
    "ratio": lambda u1, u2, n: (np.where(u1 < 0, -u2, u2) - n * np.abs(u1)) / (1 + n),  # u[x2] / u[x1] >= sigma
    "ratio_symmetric": lambda u1, u2, n: np.maximum(SURPLUS["ratio"](u1, u2, n), SURPLUS["ratio"](u2, u1, n)),
    "absolute": lambda u1, u2, n: np.abs(u1 - u2) - n,  # |u[x1] - u[x2]| >= d
    "upper_boundary": lambda u1, u2, n: u2 - n,  # u[x2] > d
}


def is_known(asked: Table) -> bool:
    """Whether a criterion is computed here: not one of sign patterns, of ranges of data, or of similarity."""
    used = [asked[g] for side, g in (("condition", "g1"), ("decision", "g2")) if asked[side] == "value"]
    known = {*SURPLUS, "norm", "top", "tn"}
    return bool(asked["decision"]) and all(g["name"] in known and g.get("limits") != {} for g in used)


def value_changes(g: Table, layer: Layer, row: Any, features: Any, sets: Features) -> Any:
    """Whether the value function g holds: of a feature as a whole, or of each of its neurons."""
    (place, i), t, found = sets.spread(features), layer.t[row], np.full(len(row), np.inf)
    u1, u2 = (u[row[place], i].astype(np.float64) for u in (layer.u1, layer.u2))
    if g["name"] == "norm":  # the p-norm of u[x1] - u[x2] over the feature is at least d, or at most d
        size, p, apart = np.zeros(len(row)), float(g["p"]), np.abs(u1 - u2)
        (np.maximum if p == math.inf else np.add).at(size, place, apart if p == math.inf else apart**p)
        found = ((size if p == math.inf else size ** (1 / p)) - g["number"]) * (-1 if g["at_most"] else 1)
        t = t * sets.size[features]
    elif g["name"] in ("top", "tn"):  # fewer than m neurons of the layer have a greater v; equal ones share a rank
        v = (layer.v1 if g.get("of") == "x1" else layer.v2)[row[place]]
        own, m, padded = v[np.arange(len(i)), i], min(g["number"], v.shape[1]), np.pad(v, ((0, 0), (1, 0)), "minimum")
        ranked = np.partition(padded, (-m - 1, -m), axis=1)[:, [-m - 1, -m]]
        lead = own - np.where(own >= ranked[:, 1], ranked[:, 0], ranked[:, 1])
        np.minimum.at(found, place, np.where(lead == 0, np.inf, lead))
    else:
        number = g["number"] if "limits" not in g else np.array(g["limits"][str(layer.k)])[i]
        unsure = (np.abs(u1) < t[place]) & (g["name"][:5] == "ratio")  # 0 / 0 is no change and x / 0 is one
        np.minimum.at(found, place, np.where(unsure, 0, SURPLUS[g["name"]](u1, u2, number)))
    return answers(found < -t, found <= t)


def covers(model: Model, source: Table, table: Table, sets: Features, x: Any, x1: Any, x2: Any) -> Any:
    """Whether its pair covers each test condition, NEAR where it has none; x1 and x2 are rows of x."""
    found, there = np.full(len(table["pair"]), NEAR, np.int8), np.flatnonzero(table["pair"] >= 0)
    groups, of = np.unique([table[name][there] for name in UNIQUE[:3]], axis=1, return_inverse=True)
    for number, (c, k, after) in enumerate(groups.T.tolist()):
        those, asked = there[of.reshape(-1) == number], source["criteria"][c]
        pairs, where = np.unique(table["pair"][those], return_inverse=True)
        step = max(1, AT_ONCE // sum(model.layers[layer - 1]["neurons"] for layer in {k, after} - {0}))
        for start in range(0, len(pairs) if is_known(asked) else 0, step):
            chosen = (where >= start) & (where < start + step)
            rows, ends = np.unique([side[pairs[start : start + step]] for side in (x1, x2)], return_inverse=True)
            layers = {layer: model.layer(x[rows], layer, *ends.reshape(2, -1)) for layer in {k, after} - {0}}
            some = {name: column[those[chosen]] for name, column in table.items()}
            found[those[chosen]] = answer(asked, layers, k, after, where[chosen] - start, some, sets)
    return found


def answer(asked: Table, layers: dict[int, Layer], k: int, after: int, row: Any, some: Table, sets: Features) -> Any:
    """The answers for test conditions of one criterion between two layers; ``row`` is the pair of each."""
    parts, decision = [np.full(len(row), YES, np.int8)], some["decision_feature"]
    if asked["condition"] == "sign":
        feature: Any = np.where(some["condition_feature"] < 0, some["flipped"], some["condition_feature"])
        layer, most = layers[k], some["most"]  # of a free feature, any so many neurons that change
        changed, unsure = layer.changed.sum(axis=1)[row], layer.near.sum(axis=1)[row]
        wrong = (sets.count(layer.kept, row, feature) > 0) | (changed > sets.count(layer.changed, row, feature))
        wrong |= (most > 0) & (sets.size[feature] > most)
        parts.append(answers(np.where(feature < 0, (changed > most) | (changed + unsure < 1), wrong), unsure > 0))
    if asked["condition"] == "value":
        parts.append(answers(layers[k].changed.any(axis=1), layers[k].near.any(axis=1))[row])
        parts.append(value_changes(asked["g1"], layers[k], row, some["condition_feature"], sets))
    if asked["condition"]:  # a criterion of single neurons asks no signs: x1 alone meets g2
        wrong = layers[after].kept if asked["decision"] == "sign" else layers[after].changed
        parts.append(answers(*(sets.count(where, row, decision) > 0 for where in (wrong, layers[after].near))))
    if asked["decision"] == "value":
        parts.append(value_changes(asked["g2"], layers[after], row, decision, sets))
    return np.minimum.reduce(parts)


def rounded(x: Any, low: Any, high: Any) -> Any:
    """Inputs on the nearest of 256 levels from low to high."""
    levels = np.rint((x.astype(np.float64) - low) / np.where(high > low, high - low, np.inf) * 255) / 255
    return (low + (high - low) * levels).astype(x.dtype)


def pair_answers(model: Model, source: Table, pairs: Table, x: Any) -> Iterator[tuple[str, Any]]:
    """Whether labels, distances and what is adversarial are computed again as each pair states them."""
    rule, scores = source["decision"], model.values(x, "scores")[0].astype(np.float64)
    x1, x2, limit = pairs["x1"], pairs["x2"], model.limit(scores)
    if rule["tolerance"]:  # of a regression: 1 where an output moves by more than its tolerance
        moved = (np.abs(scores[x2] - scores[x1]) / rule["tolerance"]).max(axis=1)
        label1, label2, near = 0 * x1, moved > 1, np.abs(moved - 1) * min(rule["tolerance"]) < limit[x1]
    else:  # the class of the largest score, or of the smallest, or whether the only one is above a threshold
        above = np.hstack([0 * scores, scores - rule["threshold"]])
        score = {"max": scores, "min": -scores, "threshold": above}[rule["rule"]]
        label, best = score.argmax(axis=1), np.sort(score, axis=1)
        label1, label2, near = label[x1], label[x2], (best[:, -1] - best[:, -2] < limit)[[x1, x2]].any(axis=0)
    yield "labels", answers(~near & ((label1 != pairs["label1"]) | (label2 != pairs["label2"])), near)
    if source["kind"] == "campaign":
        unit, norm, sizes = np.array(source["inputs"]["unit"], np.float64), ["inf", "2", "1"].index(source["norm"]), []
        for a, b in zip(x1, x2, strict=True):
            apart = np.abs((x[a].astype(np.float64) - x[b]) / unit).ravel()
            sizes.append((apart.max(initial=0), math.sqrt(apart @ apart), apart.sum()))
        own = np.reshape(sizes, (-1, 3))[:, [0, 1, 2, norm]]
        stated = np.stack([pairs[name] for name in ("distance_inf", "distance_2", "distance_1", "distance")], axis=1)
        yield "distances", answers(~np.isclose(own, stated, rtol=EXACT, atol=0).all(axis=1), False)
        bound = math.inf if source["bound"] is None else source["bound"] + 2 * np.finfo(x.dtype).eps
        yield "adversarial", answers(((label1 != label2) & (own[:, 3] <= bound) != pairs["adversarial"]) & ~near, near)


def is_end(n: int, of: int, p: float) -> bool:
    """Whether n or more of so many, each with probability p, have the probability 0.025 (Clopper and Pearson 1934)."""
    k = np.arange(n, of + 1)
    log = math.lgamma(of + 1) - np.array([math.lgamma(i + 1) + math.lgamma(of - i + 1) for i in k.tolist()])
    if n == 0 or not 0 < p < 1:
        return n == p == 0
    return bool(abs(np.exp(log + k * math.log(p) + (of - k) * math.log1p(-p)).sum() - 0.025) < 1e-6)


def check_rows(source: Table, table: Table, sets: Features) -> None:
    """Refuses test conditions that are not of the criteria, layers and features, come twice, or are too few."""
    c, k, after, condition, decision = (table[name] for name in UNIQUE)
    single, free = np.array([[not each["condition"], each["free"]] for each in source["criteria"]])[c].T
    known = np.where(free | single, condition == -1, condition >= 0) & (c >= 0) & (decision >= 0)
    require(known & (table["flipped"] >= -1), "features and criteria that there are")
    require(single | (table["most"] == np.where(free, np.array(source["most"])[k - 1], 0)), "the size of free features")
    sizes = np.array([0, *(layer["neurons"] for layer in source["layers"])])
    starts, n = np.full((len(sizes), len(sizes)), -1), 0  # the first ordinal of each layer pair
    for before, layer in source["edges"]:
        starts[before, layer], n = n, n + sizes[layer] * (1 if free.any() else sizes[before])
    require(np.where(single, k == 0, starts[k, after] >= 0), "layer pairs that are asked about")
    require(np.unique([table[name] for name in UNIQUE], axis=1).shape[1] == len(c), "each test condition once")
    if source["ordered"] or source["kind"] == "measurement":
        require((sets.size[decision] == 1) & (sets.size[condition] == (condition >= 0)), "single neurons")
    if source["ordered"]:
        i, j = (np.append(sets.neurons[sets.start[:-1]], 0)[feature] for feature in (condition, decision))
        require(table["ordinal"] == starts[k, after] + i * sizes[after] + j, "the ordinals of the plan")
    require(source["kind"] == "measurement" or len(c) == (source["planned"] or n), "all that was planned")


def check_source(files: dict[str, bytes], source: Table) -> Iterator[Row]:
    """What the rows of one campaign or measurement state, and each of its claims by its rows."""
    table, pairs, held, features = parts = [dict(np.load(io.BytesIO(files[source["folder"] + k]))) for k in TABLES]
    require([len({*map(len, each.values())}) == 1 for each in parts[:3]], "columns of one length in each table")
    model, sets = Model(source["model"] and files[source["model"]], source["layers"]), Features(**features)
    check_rows(source, table, sets)
    x, x1, x2, campaign = held["inputs"], pairs["x1"], pairs["x2"], source["kind"] == "campaign"
    low, high = (np.array(source["inputs"][end], x.dtype) for end in ("low", "high"))
    inside = np.array([((each >= low) & (each <= high)).all() for each in x], bool)
    norms = np.array([math.sqrt((each.astype(np.float64) ** 2).sum()) for each in x])
    found, paired = table["outcome"] == source["outcomes"].index("found"), table["pair"] >= 0
    own = (table["pair"] == np.where(paired, np.cumsum(paired) - 1, -1)) | (not campaign)
    states = {"covered": found, **{name: table["outcome"] == i for i, name in enumerate(source["outcomes"])}}
    require(source["state"] != "finished" or not states.get("pending", found & ~found).any(), "no row left to try")
    checks = {
        "inputs": answers(~(inside & np.isclose(norms, held["norm"], rtol=EXACT)), False),
        "a pair for what is covered": answers((found != paired) | ~own, False),
        "covered": np.where(found, covers(model, source, table, sets, x, x1, x2), NONE),
    } | dict(pair_answers(model, source, pairs, x))
    if campaign:
        states |= {"adversarial": pairs["adversarial"], "holds_8bit": pairs["holds_8bit"] > 0}
    if campaign and (pairs["holds_8bit"] >= 0).any():
        loose = table | {"flipped": np.full(len(found), -1)}  # a free feature may be another one when x2 is rounded
        both = np.concatenate([x, *(rounded(each[None], low, high) for each in x)])
        again = covers(model, source, loose, sets, both, x1, x2 + len(x))[paired]
        unsure = (again == NEAR) | (pairs["holds_8bit"] < 0)
        checks["holds_8bit"] = answers((again == np.where(states["holds_8bit"], NO, YES)) & ~unsure, unsure)
    for name, reply in checks.items():
        yes, near, no = (int((reply == each).sum()) for each in (YES, NEAR, NO))
        rows = f", not row {', '.join(map(str, np.flatnonzero(reply == NO)[:SHOWN]))}" if no else ""
        yield Row(f"{source['name']}: {name}{rows}", f"{yes + near + no:,}", f"{yes + near:,}", yes, near, not no)
    claims, names = source["claims"], sorted(each["name"] for each in source["criteria"])
    whole = sorted(each["criterion"] for each in claims if each["kind"] == "covered" and not each["place"])
    require(names and whole == names and len({each["id"] for each in claims}) == len(claims), "each claim once")
    yield from [check_claim(claim, source, states, checks, table, pairs) for claim in claims]


def check_claim(claim: Table, source: Table, states: Table, checks: Table, table: Table, pairs: Table) -> Row:
    """One claim: its number and denominator, that its rows are all those of its place, and its interval."""
    (start, end), number, kind, of = claim["rows"], claim["number"], claim["kind"], claim["of"]
    name, sizes = f"{source['name']}: {claim['id']}", [0, *(each["neurons"] for each in source["layers"])]
    campaign, place, edges = source["kind"] == "campaign", claim["place"], claim["layers"]
    c, asked = next((i, each) for i, each in enumerate(source["criteria"]) if each["name"] == claim["criterion"])
    told = [kind, "" if campaign else claim["criterion"], place.replace(" to ", "-")]
    require([*claim] == FIELDS and claim["id"] == "/".join(filter(None, told)), f"the fields of {claim['id']}")
    named = [place] == [f"{k} to {n}" if k else f"{n}" for k, n in edges]
    require(named if place else not campaign or edges == source["edges"], f"the layers of {claim['id']}")
    if not campaign and not is_known(asked):
        return Row(f"{name}: not computed again", f"{number:,} of {of}", "", 0, 0, True)
    if "distance" in kind:
        computed = float((np.max if kind == "largest_distance" else np.mean)(pairs["distance"]))
        holds = math.isclose(computed, number, rel_tol=EXACT) and [start, end] == [0, len(pairs["distance"])]
        return Row(name, f"{number:.6g}", f"{computed:.6g}", 1, 0, holds)
    places = [(table["condition_layer"] == k) & (table["decision_layer"] == after) for k, after in edges]
    possible = end - start if campaign else sum(sizes[n] * (asked["free"] or sizes[k] or 1) for k, n in edges)
    here = (table["criterion"] == c) & (np.any(places, axis=0) if place else True)
    here = here[table["pair"] >= 0] if claim["table"] == "pairs" else here
    state, reply = states[kind][start:end], checks.get(kind, np.full(len(here), NONE))[start:end]
    n, yes, near = int(state.sum()), int((reply == YES).sum()), int((reply == NEAR).sum())
    ends = [] if claim["low"] is None else [(number, claim["low"]), (of - number, 1 - claim["high"])]
    holds = n == number and of == possible and all(is_end(m, of, p) for m, p in ends)
    holds = holds and np.array_equal(np.flatnonzero(here), np.arange(start, end)) and not (reply == NO).any()
    return Row(name, f"{number:,} of {of}", f"{n:,} of {possible}", yes, near, bool(holds))


def check_statement(files: dict[str, bytes], found: list[Row]) -> Iterator[Row]:
    """The digests of all files, what the statement says of the claims, and what is signed."""
    told = json.loads(files[STATEMENT])
    stated = {each["name"]: each["digest"]["sha256"] for each in told.get("subject", [])}
    for name in sorted(stated.keys() | files.keys() - {STATEMENT, SIGNED, SIGNATURE}):
        digest = hashlib.sha256(files[name]).hexdigest() if name in files else "missing"
        yield Row(f"file {name}", stated.get(name, "not stated")[:9], digest[:9], 1, 0, stated.get(name) == digest)
    said, held = told.get("predicate", {}), {row.claim for row in found if row.holds}
    passed, warned, failed = (said.get(name, []) for name in ("passedTests", "warnedTests", "failedTests"))
    holds = {*passed, *warned} == held and not failed and said.get("result") == ("WARNED" if warned else "PASSED")
    yield Row("what the statement says of them", said.get("result", "nothing"), len(held), 1, 0, holds)
    if SIGNED in files:
        same = base64.b64decode(json.loads(files[SIGNED])["payload"]) == files[STATEMENT]
        yield Row("what is signed is the statement", 1, int(same), 1, 0, same)


def verify(files: dict[str, bytes]) -> list[Row]:
    """All lines of the table; a part of a pack that cannot be read at all is a line that does not hold."""
    sources = json.loads(files.get("claims.json", b"{}")).get("sources")
    rows = [] if sources else [Row("claims.json, with claims", 1, 0, 0, 0, False)]
    for source in sources or []:
        try:
            if not source["model"]:
                rows.append(Row(f"no model: {source['no_model']}", 0, 0, 0, 0, bool(source["no_model"])))
            rows += check_source(files, source)
        except Exception as error:
            rows.append(Row(f"{source['name']}: {type(error).__name__} {error}", "", "", 0, 0, False))
    return [*(check_statement(files, rows) if STATEMENT in files else ()), *rows]


def main() -> int:
    """Prints the table; 1 if something does not hold."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
    if path.is_dir():
        files = {each.relative_to(path).as_posix(): each.read_bytes() for each in path.rglob("*") if each.is_file()}
    else:
        files = {name: pack.read(name) for pack in [zipfile.ZipFile(path)] for name in pack.namelist()}
    rows = [*verify(files), Row("a statement over all files", 1, n := STATEMENT in files, 0, 0, n)]
    for holds, row in [("", Row._fields), *(("holds" if row.holds else "WRONG", row) for row in rows)]:
        print("{:6} {:<44} {:>18} {:>18} {:>9} {:>7}".format(holds, *row))
    agree, near = (sum(row[at] for row in rows) for at in (3, 4))
    print(f"{agree:,} agree, {near:,} near, {sum('not computed' in row.claim for row in rows):,} claims not computed")
    return int(not all(row.holds for row in rows))


if __name__ == "__main__":
    sys.exit(main())
