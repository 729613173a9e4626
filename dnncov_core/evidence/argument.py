"""What the numbers of a pack support, as an argument in the Goal Structuring Notation (GSN), as gsn2x reads it.

Its texts say only what was measured. What is open is a goal that nothing supports.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.criteria import CRITERIA
from dnncov_core.data.own_decisions import own_decisions
from dnncov_core.evidence.claims import Claim
from dnncov_core.phrases.adversarial import baseline_searches
from dnncov_core.phrases.coverage import sampling
from dnncov_core.phrases.numbers import agreeing, counted, fingerprinted
from dnncov_core.statistics.adversarial import baselines_by_layer
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.gaps import gap_table
from dnncov_core.suites.measurement_file import StoredMeasurement

MOST_GOALS = 8
"""Layer pairs that have a goal each; of more there is one goal for all."""
REPORT, CLAIMS, PAIRS = "report.html", "claims.json", "pairs.npz"
"""Files of a pack to which elements lead, and the one that lies beside the argument."""
UNPRINTED = re.compile("[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""What YAML does not print, or takes for the end of a line."""
OPERATION = "the data are those that matter in operation."
LABELS = f"It is assumed that the labels of the data are right, and that {OPERATION}"
COUNTED = "A test pair counts only if the network itself confirms it on a fresh forward pass, whatever a search says."


@dataclass(frozen=True)
class Element:
    """One element of an argument with all that it leads to; equal elements are one.

    Attributes:
        kind: "G" for a goal, "S" strategy, "Sn" solution, "C" context, "A" assumption, "J" justification.
        text: a sentence.
        support: goals, strategies and solutions. A goal without any is undeveloped.
        context: contexts, assumptions and justifications.
        url: a file of the pack.
    """

    kind: str
    text: str
    support: tuple[Element, ...] = ()
    context: tuple[Element, ...] = ()
    url: str = ""

    @property
    def undeveloped(self) -> bool:
        """Whether it needs support and has none."""
        return self.kind in ("G", "S") and not self.support


def named(top: Element) -> dict[str, Element]:
    """All elements of an argument by their names, such as "G1", each before what it leads to."""
    names: dict[Element, str] = {}
    counts: Counter[str] = Counter()

    def add(element: Element) -> None:
        if element not in names:
            counts[element.kind] += 1
            names[element] = f"{element.kind}{counts[element.kind]}"
            for each in (*element.context, *element.support):
                add(each)

    add(top)
    return {name: element for element, name in names.items()}


def yaml_of(top: Element, title: str, *, in_folder: bool = False) -> str:
    """The argument in gsn2x's format, which may lie in a folder of the pack; texts are written as JSON writes them."""
    elements = named(top)
    names = {element: name for name, element in elements.items()}
    lines = ["module:", f"  name: {_quoted(title)}", '  brief: "What the numbers of this pack support."']
    for name, each in elements.items():
        lines += ["", f"{name}:", f"  text: {_quoted(each.text)}"]
        for key, others in {"supportedBy": each.support, "inContextOf": each.context}.items():
            if others:
                lines.append(f"  {key}: [{', '.join(names[other] for other in others)}]")
        up = "../" * (in_folder and each.url != PAIRS)
        lines += ["  undeveloped: true"] * each.undeveloped + [f"  url: {_quoted(up + each.url)}"] * bool(each.url)
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return UNPRINTED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(text, ensure_ascii=False))


def campaign_argument(store: CampaignStore, claims: Sequence[Claim], model: str) -> Element:
    """The argument of a campaign; ``model`` is the file of its network in the pack, empty where there is none."""
    spec, card, total = store.spec(), store.card(), coverage_table(store).total
    pairs = _rests_on("test pairs", model)
    by_layer = [_goal(each, pairs) for each in claims if each.kind == "covered" and each.place]
    whole = [claim for claim in claims if not claim.place]
    (top,) = (claim for claim in whole if claim.kind == "covered")
    others = [_goal(each, pairs) for each in whole if each.kind in ("adversarial", "holds_8bit") and each.of]
    context = (
        Element("C", f"Network {fingerprinted(spec.network, None if card is None else card.fingerprint)}."),
        Element("C", f"Data {fingerprinted(spec.data, store.prepared.data_fingerprint())}."),
        Element("C", f"{CRITERIA[spec.criterion].title}: {CRITERIA[spec.criterion].words}"),
        Element("C", sampling(spec, total.covered.total, total.available)),
        Element("A", f"{own} It is assumed that {OPERATION}" if (own := own_decisions(spec.data)) else LABELS),
        Element("J", COUNTED),
    )
    few = by_layer if len(by_layer) <= MOST_GOALS else [Element("G", top.text, pairs)]
    strategies = {
        "Test conditions are counted layer pair by layer pair.": few,
        "The test pairs are looked at by label, and at 8 bits.": [*others, *_baselines(store)],
        "Test conditions without a test pair are explained, or open.": [*_without_pair(store)],
    }
    support = tuple(Element("S", text, tuple(goals)) for text, goals in strategies.items() if goals)
    return Element("G", top.text, support, context, CLAIMS)


def _rests_on(what: str, model: str) -> tuple[Element, ...]:
    rows = Element("Sn", f"The {what}, of which each claim in {CLAIMS} names those that it counts.", url=PAIRS)
    network = Element("Sn", "The network, with u of every layer, through which verify.py sends them.", url=model)
    return (rows, network) if model else (rows,)


def _goal(claim: Claim, support: tuple[Element, ...]) -> Element:
    return Element("G", claim.text, support)


def _baselines(store: CampaignStore) -> Iterator[Element]:
    beside = baselines_by_layer(store).total
    if words := baseline_searches(beside.searched, beside.random, beside.ascent):
        yield Element("G", words, (Element("Sn", "Baseline searches, in the report.", url=REPORT),))


def _without_pair(store: CampaignStore) -> Iterator[Element]:
    total = gap_table(store).total
    reasons = {
        "justified by persons": (total.justified, "Justifications with author and date, in the report."),
        "proved infeasible": (total.count(Status.PROVED_INFEASIBLE), "Proofs of this program, in the report."),
    }
    for words, (n, solution) in reasons.items():
        if n:
            text = f"{counted(n, 'test condition')} {agreeing(n, 'is', 'are')} {words}."
            yield Element("G", text, (Element("Sn", solution, url=REPORT),))
    if total.open:
        is_open = f"{counted(total.open, 'test condition')} {agreeing(total.open, 'is', 'are')} open"
        yield Element("G", f"{is_open}: without a test pair, a proof or a justification.", url=REPORT)


def measurement_argument(found: StoredMeasurement, claims: Sequence[Claim], model: str) -> Element:
    """The argument of a measurement, likewise."""
    spec, prints = found.spec, found.fingerprints
    rows = _rests_on("inputs", model)
    goals = tuple(_goal(claim, rows) for claim in claims if not claim.place)
    left = [(each, each.total - int(each.covered)) for each in found.criteria if each.total is not None]
    uncovered = tuple(
        Element("G", f"{each.name}: {counted(n, 'test condition')} {agreeing(n, 'is', 'are')} not covered.", url=REPORT)
        for each, n in left
        if n
    )
    strategies = {
        "Test conditions are counted criterion by criterion.": goals,
        "What is not covered is open.": uncovered,
    }
    support = tuple(Element("S", text, some) for text, some in strategies.items() if some)
    text = f"The suite {spec.suite}, {counted(found.inputs, 'input')}, was measured on the network {spec.network}."
    context = (
        Element("C", f"Network {fingerprinted(spec.network, prints['network'])}."),
        Element("C", f"Suite {fingerprinted(spec.suite, prints['suite'])}."),
        Element("A", "It is assumed that the suite holds the inputs that matter in operation."),
    )
    return Element("G", text, support, context, CLAIMS)
