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
from collections import Counter, namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

TOLERANCE = {"tensor(double)": ("d", 1e-9), "tensor(float)": ("f", 1e-5), "none": ("f", math.inf)}
YES, NEAR, NO, NONE, AT_ONCE, SHOWN, EXACT = 1, 0, -1, 2, 2**21, 5, 1e-9
STATEMENT, SIGNED, SIGNATURE = "statement.json", "statement.dsse.json", "statement.json.sig"
CHANGES = {"ss": ("sign", "sign"), "vs": ("value", "sign"), "sv": ("sign", "value"), "vv": ("value", "value")}
TABLES, DISTANCES = ("conditions", "pairs", "inputs", "features"), ("largest_distance", "mean_distance")
UNIQUE = ["criterion", "condition_layer", "decision_layer", "condition_feature", "decision_feature"]
Table = dict[str, Any]
answers: Any = lambda no, unsure: np.where(no, NO, np.where(unsure, NEAR, YES)).astype(np.int8)
Layer = namedtuple("Layer", "k t u1 u2 v1 v2 near changed kept")  # a row a pair; signs that are near may do either
Row = namedtuple("Row", "claim stated computed agree near holds")  # agree and near: how many rows of the tables do


def require(holds: Any, what: str) -> None:
    """Raises what is missing, with the first rows in which it is."""
    if rows := np.flatnonzero(~np.atleast_1d(np.asarray(holds, bool)))[:SHOWN].tolist():
        raise ValueError(f"expected {what}" + f", not so in row {', '.join(map(str, rows))}" * bool(np.ndim(holds)))


SURPLUS: dict[str, Any] = {  # by how much a value function of one neuron holds, in units of u; n is its number
    "any": lambda u1, u2, n: np.full(u2.shape, np.inf),
    "n": lambda u1, u2, n: u2,  # the sign is +1
    "ratio": lambda u1, u2, n: (np.where(u1 < 0, -u2, u2) - n * np.abs(u1)) / (1 + n),  # u[x2] / u[x1] >= sigma
    "ratio_symmetric": lambda u1, u2, n: np.maximum(SURPLUS["ratio"](u1, u2, n), SURPLUS["ratio"](u2, u1, n)),
    "absolute": lambda u1, u2, n: np.abs(u1 - u2) - n,  # |u[x1] - u[x2]| >= d
    "upper_boundary": lambda u1, u2, n: u2 - n,  # u[x2] > d
}


def value_change(g: Table, layer: Layer, its: Any) -> Any:
    """Whether the value function g holds for a feature in each pair; ``its`` neurons are True in the pair's row."""
    u1, u2, t = layer.u1.astype(np.float64), layer.u2.astype(np.float64), layer.t
    if g["name"] == "norm":  # the p-norm of u[x1] - u[x2] over the feature is at least d, or at most d
        apart = np.linalg.norm(np.where(its, u1 - u2, 0), float(g["p"]), axis=1, keepdims=True)
        t, surplus = t * its.sum(axis=1, keepdims=True), (apart - g["number"]) * (-1 if g["at_most"] else 1)
    elif g["name"] in ("top", "tn"):  # fewer than m neurons of the layer have a greater v; equal ones share a rank
        v, m = layer.v1 if g.get("of") == "x1" else layer.v2, min(g["number"], layer.v2.shape[1])
        ranked = np.partition(np.hstack([v, v.min(axis=1, keepdims=True)]), (-m - 1, -m))
        surplus = v - np.where(v >= ranked[:, -m, None], ranked[:, -m - 1, None], ranked[:, -m, None])
        surplus = np.where(surplus == 0, np.inf, surplus)
    else:
        number = g["number"] if "limits" not in g else np.array(g["limits"][str(layer.k)])
        unsure = (np.abs(u1) < t) & (g["name"][:5] == "ratio")  # 0 / 0 is no change and x / 0 is one
        surplus = np.where(unsure, 0, SURPLUS[g["name"]](u1, u2, number))
    return answers((its & (surplus < -t)).any(axis=1), (its & (surplus <= t)).any(axis=1))


def covers(asked: Table, one: Layer, two: Layer, condition: Any, decision: Any, most: float) -> Any:
    """Whether each pair covers its test condition; ``most`` neurons may be in a free feature, empty where not told."""
    parts, near, n, size = [], one.near.any(axis=1), one.changed.sum(axis=1), condition.sum(axis=1)
    if asked["condition"] == "sign":  # it changes, and nothing else of the layer
        wrong = (condition & one.kept | ~condition & one.changed).any(axis=1) | (size > most)
        parts += [answers(np.where(size > 0, wrong, (n > most) | (n < 1 - one.near.sum(axis=1))), near)]
    elif asked["condition"] == "value":
        parts += [answers((n > 0) | (size == 0), near), value_change(asked["g1"], one, condition)]
    if asked["condition"]:  # a criterion of single neurons asks no signs: x1 alone meets g2
        wrong = decision & (two.kept if asked["decision"] == "sign" else two.changed)
        parts += [answers(wrong.any(axis=1), (decision & two.near).any(axis=1))]
    return np.min([*parts, value_change(asked["g2"], two, decision)] if asked["decision"] == "value" else parts, axis=0)


def is_end(n: int, of: int, p: float) -> bool:
    """Whether n or more of so many, each with probability p, have the probability 0.025 (Clopper and Pearson 1934)."""
    if n == 0 or not 0 < p < 1:
        return n == p == 0
    ways = (math.lgamma(of + 1) - math.lgamma(i + 1) - math.lgamma(of - i + 1) for i in range(n, of + 1))
    parts = (math.exp(way + i * math.log(p) + (of - i) * math.log1p(-p)) for i, way in enumerate(ways, n))
    return abs(math.fsum(parts) - 0.025) < 1e-6


class Source:
    """One campaign or measurement: what claims.json tells of it, its tables, and its model."""

    def __init__(self, files: dict[str, bytes], told: Table) -> None:
        self.told, self.name, self.campaign = told, told["name"], told["kind"] == "campaign"
        tables = [dict(np.load(io.BytesIO(files[told["folder"] + name + ".npz"]))) for name in TABLES]
        require([len({*map(len, each.values())}) == 1 for each in tables[:3]], "columns of one length in each table")
        self.table, self.pairs, held, features = tables
        self.x, self.norm, self.x1, self.x2 = held["inputs"], held["norm"], self.pairs["x1"], self.pairs["x2"]
        self.sets = [each.tolist() for each in np.split(features["neurons"], features["start"][1:-1])]
        right = [*map(len, self.sets)] == np.diff(features["start"]).tolist() and (features["neurons"] >= 0).all()
        differ = all(self.sets) and len({*map(frozenset, self.sets)}) == len(self.sets)
        require(right and differ, "features that differ, none of them empty")
        model = told["model"] and files[told["model"]]
        self.session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]) if model else None
        self.dtype, self.tolerance = TOLERANCE[self.session.get_inputs()[0].type if self.session else "none"]
        self.neurons, self.last = [0, *(each["neurons"] for each in told["layers"])], len(told["layers"])
        ended = {name: self.table["outcome"] == i for i, name in enumerate(told["outcomes"])}
        self.found, self.paired, self.checks = ended.pop("found"), self.table["pair"] >= 0, Table()
        self.states = {"covered": self.found} | (ended if self.campaign else {})
        if self.campaign:
            self.states |= {"adversarial": self.pairs["adversarial"]} | dict.fromkeys(DISTANCES, self.pairs["distance"])
            if told["inputs"]["grid"] and self.x.ndim == 4 and (self.pairs["holds_8bit"] >= 0).all():
                self.states |= {"holds_8bit": self.pairs["holds_8bit"] > 0}

    def values(self, k: int, rows: Any) -> Any:  # u and v of a layer for inputs; without a model all is near
        names, n = ["scores"] if k == self.last else [f"u{k}", f"v{k}"], self.neurons[k]
        x = self.x[rows].astype(self.dtype)
        found = self.session.run(names, {"x": x}) if self.session else [np.zeros((len(rows), n))]
        require([e.shape == (len(rows), n) and not np.isnan(e).any() for e in found], f"{n} numbers in {names}")
        return found[0], found[-1]

    def layer(self, k: int, x1: Any, x2: Any) -> Layer:
        rows, at = np.unique([x1, x2], return_inverse=True)
        (u1, u2), (v1, v2) = (each[at.reshape(2, -1)] for each in self.values(k, rows))
        t = self.tolerance * np.maximum(1, np.maximum(np.abs(u1), np.abs(u2)).max(axis=1, keepdims=True))
        near, same = np.minimum(np.abs(u1), np.abs(u2)) < t, (u1 >= 0) == (u2 >= 0)
        return Layer(k, t, u1, u2, v1, v2, near, ~same & ~near, same & ~near)

    def check(self) -> Iterator[Row]:  # what the rows of the tables state, and each claim by its rows
        self.check_conditions()
        low, high = (np.array(self.told["inputs"][end], self.x.dtype) for end in ("low", "high"))
        norm = [math.sqrt((x.astype(np.float64) ** 2).sum()) for x in self.x]
        outside = np.array([((x < low) | (x > high) | np.isnan(x)).any() for x in self.x], bool)
        self.checks["inputs"] = answers(outside | ~np.isclose(norm, self.norm, rtol=EXACT), False)
        self.checks |= {"covered": np.where(self.found, self.covered(), NONE)} | dict(self.pair_answers())
        if self.campaign and ((stated := self.pairs["holds_8bit"]) >= 0).any():  # x2 on the nearest of 256 levels
            levels = [(x.astype(np.float64) - low) / np.where(high > low, high - low, np.inf) * 255 for x in self.x]
            rounded = [(low + (high - low) * np.rint(x) / 255).astype(self.x.dtype)[None] for x in levels]
            first, self.x = len(self.x), np.concatenate([self.x, *rounded])
            again, wrong = self.covered(first)[self.paired], np.array([YES, NO, NONE])[stated]
            self.checks["holds_8bit"] = answers(again == wrong, (again == NEAR) | (stated < 0))
        for name, reply in self.checks.items():
            yes, near, no = (int((reply == each).sum()) for each in (YES, NEAR, NO))
            rows = f", not row {', '.join(map(str, np.flatnonzero(reply == NO)[:SHOWN]))}" if no else ""
            yield Row(f"{self.name}: {name}{rows}", f"{yes + near + no:,}", f"{yes + near:,}", yes, near, not no)
        yield from self.check_claims()

    def check_conditions(self) -> None:  # that they are of the criteria, layers and features, all, and each once
        table, told, neurons = self.table, self.told, np.array(self.neurons)
        asks = [CHANGES.get(each["key"], (None, each["decision"])) for each in told["criteria"]]
        require(asks == [(each["condition"], each["decision"]) for each in told["criteria"]], "criteria as defined")
        c, k, after, condition, decision = (table[name] for name in UNIQUE)
        single, free = np.array([[not each["condition"], each["free"]] for each in told["criteria"]])[c].T
        known = np.where(free | single, condition == -1, condition >= 0) & (decision >= 0) & (c >= 0)
        require(known & (table["flipped"] >= -1), "features and criteria that there are")
        starts, n = np.full((len(neurons), len(neurons)), -1), 0  # the first ordinal of each layer pair
        for before, layer in told["edges"]:
            starts[before, layer], n = n, n + neurons[layer] * (1 if free.any() else neurons[before])
        require(np.where(single, k == 0, starts[k, after] >= 0), "layer pairs that are asked about")
        require(np.unique([table[name] for name in UNIQUE], axis=1).shape[1] == len(c), "each test condition once")
        size, first = np.array([*([len(each), each[0]] for each in self.sets), [1, 0]]).T
        require((size[condition] * size[decision] == 1) | (self.campaign and not told["ordered"]), "single neurons")
        ordinal = starts[k, after] + first[condition] * neurons[after] + first[decision]
        require((table["ordinal"] == ordinal) | (not told["ordered"]), "the ordinals of the plan")
        own = np.where(self.paired, np.cumsum(self.paired) - 1, -1) if self.campaign else table["pair"]
        require((self.found == self.paired) & (table["pair"] == own), "a pair for what is covered")
        require((self.x1 >= 0) & (self.x2 >= 0), "two inputs of each test pair")
        require({*table["pair"][self.paired].tolist()} == {*range(len(self.x1))}, "a test condition for each test pair")
        if self.campaign:
            require(len(c) == (told["planned"] or n), "all that was planned")
            require(told["state"] != "finished" or not self.states["pending"].any(), "no row left to try")

    def covered(self, rounded: int = 0) -> Any:  # NEAR where there is no pair; x2 stands so many rows later
        found, sets = np.full(len(self.found), NEAR, np.int8), [*self.sets, []]  # the last one is that of -1
        places, step = np.array([self.table[name] for name in UNIQUE[:3]]).T, max(1, AT_ONCE // max(self.neurons))
        for c, k, after in np.unique(places[self.paired], axis=0).tolist():
            asked, its = self.told["criteria"][c], np.flatnonzero(self.paired & (places == [c, k, after]).all(axis=1))
            most = self.told["most"][k - 1] if asked["free"] else math.inf
            condition = self.table["flipped" if asked["free"] and not rounded else UNIQUE[3]]  # rounded, maybe another
            for rows in [] if asked["not_computed"] else np.split(its, range(step, len(its), step)):
                pair = self.table["pair"][rows]
                one, two = (self.layer(n, self.x1[pair], self.x2[pair] + rounded) for n in (k or after, after))
                mine, other = np.zeros(one.near.shape, bool), np.zeros(two.near.shape, bool)
                for row, i in enumerate(rows.tolist()):
                    mine[row, sets[condition[i]]], other[row, sets[self.table[UNIQUE[4]][i]]] = True, True
                found[rows] = covers(asked, one, two, mine, other, most)
        return found

    def pair_answers(self) -> Iterator[tuple[str, Any]]:  # whether each pair is as it states
        told, rule, pairs, x, x1, x2 = self.told, self.told["decision"], self.pairs, self.x, self.x1, self.x2
        scores = np.array([self.values(self.last, [i])[0][0] for i in range(len(x))] or np.zeros((0, 2)), np.float64)
        limit = self.tolerance * np.maximum(1, np.abs(scores).max(axis=1))
        if rule["tolerance"]:  # of a regression: 1 where an output moves by more than its tolerance
            moved = (np.abs(scores[x2] - scores[x1]) / rule["tolerance"]).max(axis=1)
            label1, label2, near = 0 * x1, moved > 1, np.abs(moved - 1) * min(rule["tolerance"]) < limit[x1]
        else:  # the class of the largest score, or of the smallest, or whether the only one is above a threshold
            above = np.hstack([0 * scores, scores - rule["threshold"]])
            score = {"max": scores, "min": -scores, "threshold": above}[rule["rule"]]
            label, best = score.argmax(axis=1), np.sort(score, axis=1)
            label1, label2, near = label[x1], label[x2], (best[:, -1] - best[:, -2] < limit)[[x1, x2]].any(axis=0)
        yield "labels", answers(~near & ((label1 != pairs["label1"]) | (label2 != pairs["label2"])), near)
        if self.campaign:
            unit, at = np.array(told["inputs"]["unit"], np.float64), ["inf", "2", "1"].index(told["norm"])
            apart = (np.abs((x[a].astype(np.float64) - x[b]) / unit).ravel() for a, b in zip(x1, x2, strict=True))
            own = np.reshape([(each.max(), math.sqrt(each @ each), each.sum()) for each in apart], (-1, 3))
            said = np.stack([pairs[n] for n in ("distance_inf", "distance_2", "distance_1", "distance")], axis=1)
            yield "distances", answers(~np.isclose(own[:, [0, 1, 2, at]], said, EXACT, 0).all(axis=1), False)
            bound = math.inf if told["bound"] is None else told["bound"] + 2 * np.finfo(x.dtype).eps
            wrong = ((label1 != label2) & (own[:, at] <= bound)) != pairs["adversarial"]
            yield "adversarial", answers(wrong & ~near, near)

    def check_claims(self) -> Iterator[Row]:  # of each criterion as a whole, then of each of its places
        told, left = self.told, {claim["id"]: claim for claim in self.told["claims"]}
        before, after = self.table["condition_layer"], self.table["decision_layer"]
        some = [len({c["low"] is None for c in left.values() if c["of"] and bool(c["place"]) == at}) for at in (0, 1)]
        require(told["criteria"] and len(left) == len(told["claims"]) and max(some) < 2, "claims once, all or no ends")
        for c, asked in enumerate(told["criteria"]):
            edges = told["edges"] if asked["condition"] else [[0, k] for k in range(2, self.last)]
            its, edges = self.table["criterion"] == c, edges if asked["decision"] else []
            for place, layers in [("", edges), *((f"{k} to {n}" if k else f"{n}", [[k, n]]) for k, n in edges)]:
                here = its & np.any([(before == k) & (after == n) for k, n in layers], axis=0)
                for kind in self.states if here.any() or not (place and self.campaign) else ():
                    table = "pairs" if kind in ("adversarial", "holds_8bit", *DISTANCES) else "conditions"
                    rows = np.flatnonzero(here[self.paired] if table == "pairs" else here)
                    none = kind in told["outcomes"] and not self.states[kind][rows].any()
                    if none or (kind in DISTANCES and (place or not len(rows))):
                        continue
                    names = filter(None, [kind, "" if self.campaign else asked["name"], place.replace(" to ", "-")])
                    own = {"id": "/".join(names), "kind": kind, "place": place, "layers": layers, "table": table}
                    yield self.check_claim(left.pop(own["id"], None), own, rows, asked)
        yield from (Row(f"{self.name}: {name}, which no rows claim", "", "", 0, 0, False) for name in left)

    def check_claim(self, claim: Table | None, own: Table, rows: Any, asked: Table) -> Row:  # by its rows
        kind, name, state = own["kind"], f"{self.name}: {own['id']}", self.states[own["kind"]][rows]
        if claim is None:
            return Row(f"{name} is left out", "", f"{len(rows):,} rows", 0, 0, False)
        (start, end), number, of, low, high = (claim[name] for name in ("rows", "number", "of", "low", "high"))
        own |= {"criterion": asked["name"], "not_computed": "" if self.campaign else asked["not_computed"]}
        own |= {"rows": [start, end], "number": number, "of": of, "low": low, "high": high}
        holds = claim == own and rows.tolist() == [*range(start, end)]
        if own["not_computed"]:
            return Row(f"{name}: not computed again", f"{number:,} of {of}", "", 0, 0, holds)
        if "distance" in kind:
            n = float(state.max() if kind[0] == "l" else state.mean())
            return Row(name, f"{number:.6g}", f"{n:.6g}", 1, 0, holds and math.isclose(n, number, rel_tol=EXACT))
        many = (self.neurons[n] * (asked["free"] or self.neurons[k] or 1) for k, n in own["layers"])
        n, possible, reply = int(state.sum()), len(rows) if self.campaign else sum(many), self.checks.get(kind)
        yes, near, no = (0 if reply is None else int((reply[rows] == each).sum()) for each in (YES, NEAR, NO))
        ends = [] if low is None else [(n, low), (possible - n, 1 - high)]
        holds = holds and [n, possible, 0] == [number, of, no] and all(is_end(m, of, p) for m, p in ends)
        return Row(name, f"{number:,} of {of}", f"{n:,} of {possible}", yes, near, bool(holds))


def verify(files: dict[str, bytes]) -> list[Row]:
    """All lines of the table; a part of a pack that cannot be read at all is a line that does not hold."""
    sources, rows = json.loads(files.get("claims.json", b"{}")).get("sources") or [], []
    for source in sources:
        try:
            rows += [] if source["model"] else [Row(f"no model: {(why := source['no_model'])}", 0, 0, 0, 0, bool(why))]
            rows += Source(files, source).check()
        except Exception as error:
            rows.append(Row(f"{source['name']}: {type(error).__name__} {error}", "", "", 0, 0, False))
    rows += [] if sources else [Row("claims.json, with claims", 1, 0, 0, 0, False)]
    return [*(check_statement(files, rows) if STATEMENT in files else ()), *rows]


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


def main() -> int:
    """Prints the table; 1 if something does not hold."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
    packs = [] if path.is_dir() else [zipfile.ZipFile(path)]
    read = [(each.filename, pack.read(each)) for pack in packs for each in pack.infolist()]
    read += [(each.relative_to(path).as_posix(), each.read_bytes()) for each in path.rglob("*") if each.is_file()]
    rows = [*verify(files := dict(read)), Row("a statement over all files", 1, n := int(STATEMENT in files), 0, 0, n)]
    rows += [Row(f"file {name}, once", 1, n, 0, 0, False) for name, n in Counter(x for x, _ in read).items() if n > 1]
    for holds, row in [("", Row._fields), *(("holds" if row.holds else "WRONG", row) for row in rows)]:
        print("{:6} {:<44} {:>18} {:>18} {:>9} {:>7}".format(holds, *row))
    agree, near = (sum(row[at] for row in rows) for at in (3, 4))
    print(f"{agree:,} agree, {near:,} near, {sum('not computed' in row.claim for row in rows):,} claims not computed")
    return int(not all(row.holds for row in rows))


if __name__ == "__main__":
    sys.exit(main())
