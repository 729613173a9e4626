"""An exhibit of every kind, from campaigns and measurements made by hand."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
from pathlib import Path

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.export.exhibits import (
    Exhibit,
    campaign_exhibits,
    comparison_exhibits,
    exhibit,
    measurement_exhibits,
)
from dnncov_core.export.playground import of_method, of_setting
from dnncov_core.export.provenance import of_campaign, of_measurement, of_replay
from dnncov_core.export.retrained import of_retrained
from dnncov_core.export.worth import of_worth
from dnncov_core.figures.effect import EffectView
from dnncov_core.playground import names
from dnncov_core.playground.network_view import network_view
from dnncov_core.playground.plain_network import EXAMPLE
from dnncov_core.playground.regions import plane, plane_view, signs_at
from dnncov_core.playground.setting import EXAMPLES
from dnncov_core.records import BaselineSearch
from dnncov_core.statistics.distances import distance_curve
from dnncov_core.statistics.gaps import gap_matrix
from dnncov_core.statistics.omegas import omega_table
from dnncov_core.statistics.replayed import replayed_table
from dnncov_core.worth.tables import generated_rows, worth_plot
from tests.builders import campaign, card, convolutional, costly, mixed, named
from tests.retraining.made import outcome
from tests.selection.made import selection
from tests.statistics.branches import branched
from tests.statistics.replays import replay
from tests.suites.made import baseline, covering, measurement, patterns
from tests.worth.made import made_worth

ASKED: dict[str, tuple[str, ...] | None] = {
    "few": None,
    "many": ("coverage", "adversarial", "layer-distances"),
    "mixed": ("gaps", "conditions", "justification-history"),
    "branched": ("coverage",),
    "empty": ("coverage", "adversarial", "controls", "distance-curve", "layer-distances", "gaps"),
    "free": ("distance-by-omega",),
    "convolution": ("gaps", "decisions"),
}
"""What is made of each campaign; None for everything that it has."""
FIGURES, TABLES = (
    sorted(names.split())
    for names in (
        """
blocks branched-coverage branched-coverage-by-layer-pair convolution-decisions-2-3 convolution-gaps-2-3
crowd-distance-curves-Linf crowd-layerwise-covered crowd-layerwise-with-effect crowd-lp-cost crowd-main-adversarial
curve-log curves distances-log effect empty-adversarial empty-controls empty-coverage empty-distance-curve
empty-gaps empty-layer-distances few-adversarial few-controls few-coverage few-distance-curve few-gaps-2-3
few-layer-distances few-replayed free-distance-by-omega further-covered many-adversarial many-coverage
many-layer-distances mixed-gaps-2-3 mixed-replayed omegas relations retrained several-bands several-costs
several-distance-curves-Linf several-distances-by-omega-net-ss-inf several-layerwise-covered
several-layerwise-of-adversarial several-layerwise-of-pairs several-layerwise-with-effect several-log
several-lp-cost several-main-adversarial several-main-coverage several-papers several-papers-ae several-top-weights
ss-method ss-neurons ss-plane suite-coverage-n suite-coverage-ss suite-coverage-tn-2 suite-coverage-vs sv-method
sv-neurons sv-plane vs-method vv-method worth-n worth-s
""",
        """
criteria few-conditions few-programmes few-replayed-conditions mixed-conditions mixed-justification-history
mixed-replayed-conditions several-differences several-main-table ss-definition-parts sv-definition-parts
worth-correlations worth-generated
""",
    )
)
"""Names of `exhibits` with a figure and without one, written down: to make them takes seconds, and each process that
collects tests would."""
CROWDED = ("main-adversarial", "distance-curves", "layerwise", "lp-cost")
"""What is made of many campaigns."""
CREATED = 1_794_996_000.0
"""When: the same in every process."""
SUITE = measurement(
    covering("ss", (10, 1386, 630), effect=(1, 1000, 500)),
    covering("vs", (1474, 1386, 630), bound="left out"),
    baseline("n", (60, 22, 63)),
    baseline("tn:2", (5, 5, 5)),
    patterns(9),
)


@functools.cache
def exhibits() -> dict[str, Exhibit]:
    """By a name of their own: every kind, few and many layers, linear and logarithmic, empty ones."""
    with tempfile.TemporaryDirectory() as folder:
        return dict(_made(Path(folder)))


def _made(folder: Path) -> list[tuple[str, Exhibit]]:
    made: list[tuple[str, Exhibit]] = []
    free = CampaignSpec("net", "data", feature_mode="free", omega=0.01, generator="targeted")
    wide = dataclasses.replace(free, omega=0.05)
    stores = {
        "few": campaign(folder / "few.dnncov", found=15, exhausted=3, pending=2, adversarial=6, solved=costly),
        "many": campaign(folder / "many.dnncov", network=card(hidden=(15,) * 12), found=90, adversarial=40),
        "mixed": mixed(folder / "mixed.dnncov"),
        "branched": branched(folder / "branched.dnncov"),
        "empty": campaign(folder / "empty.dnncov", found=0, exhausted=0, adversarial=0),
        "free": campaign(folder / "free.dnncov", spec=free, found=9, adversarial=4),
        "convolution": campaign(
            folder / "convolution.dnncov", network=convolutional((2, 4, 8), (6, 4, 8)), found=30, exhausted=9, pending=5
        ),
        "wide": campaign(folder / "wide.dnncov", spec=wide, found=12, adversarial=0),
    }
    ordinals = [pair.target.ordinal for pair in stores["few"].pairs.page()]
    found = [BaselineSearch(each, 0.1, 400, random=at % 3 == 0, ascent=at % 2 == 0) for at, each in enumerate(ordinals)]
    stores["few"].baseline_searches.record(ordinals, found)
    for store in stores.values():
        _dated(store)
    for name, asked in ASKED.items():
        some = campaign_exhibits(stores[name], asked)
        made += [(f"{name}-{each.stem}", each) for each in some if each.part not in ("3-4", "4-5")]
    few, known = stores["few"], of_campaign(stores["few"])
    curves = [distance_curve(few, "few"), distance_curve(stores["many"], "many")]
    made += [
        ("curves", exhibit("distance-curve", curves, known)),
        ("curve-log", exhibit("distance-curve", curves[:1], known, log=True)),
        ("omegas", exhibit("distance-by-omega", omega_table(named([stores["free"], stores["wide"]])), known)),
        ("blocks", exhibit("gaps", gap_matrix(stores["many"], (2, 3), most=4), known, part="2-3")),
        ("distances-log", exhibit("layer-distances", dict(made)["few-layer-distances"].table, known, log=True)),
    ]
    made += [(each.stem, each) for each in measurement_exhibits(SUITE, "suite")]
    ordered, known = selection(), of_measurement(SUITE, "suite")
    made += [
        (f"further-{curve.measure}", exhibit("further-inputs", (ordered, curve), known, part=curve.measure))
        for curve in ordered.curves[:1]
    ]
    for name, missing in (("few", None), ("mixed", 3)):
        found = replay(stores[name], missing=missing)
        known = of_replay(stores[name], found)
        made.append((f"{name}-replayed", exhibit("replayed", replayed_table(found), known)))
        made.append((f"{name}-replayed-conditions", exhibit("replayed-conditions", found.conditions, known)))
    path = folder / "a.worth"
    worth = made_worth(path)
    known = of_worth(path, worth)
    for criterion, size in (("n", 5), ("s", None)):
        plot = worth_plot(worth, criterion, size)
        made.append((f"worth-{criterion}", exhibit("worth", plot, known, part=criterion)))
    made.append(("worth-correlations", exhibit("worth-correlations", worth.correlations, known)))
    made.append(("worth-generated", exhibit("worth-generated", generated_rows(worth), known)))
    made.append(("retrained", exhibit("retrained", outcome(), of_retrained(folder / "a.json", outcome()))))
    return [*made, *_compared(folder, stores), *_played()]


def _compared(folder: Path, stores: dict[str, CampaignStore]) -> list[tuple[str, Exhibit]]:
    """Two campaigns with a partner in top weights, two sizes of features; and a crowd."""
    strong = CampaignSpec("mnist-n1", "mnist", top_weights=10)
    partner = campaign(folder / "strong.dnncov", spec=strong, found=7, adversarial=2, solved=costly)
    crowd = {
        f"a campaign with a long name <{at}>": campaign(
            folder / f"crowd{at}.dnncov",
            spec=CampaignSpec(f"mnist-n{1 + at % 10}", "mnist", random_seed=at),
            found=5 + at,
            adversarial=at % 4,
            solved=costly,
        )
        for at in range(12)
    }
    for store in (partner, *crowd.values()):
        _dated(store)
    known = {"few": stores["few"], "strong": partner, "free": stores["free"], "wide": stores["wide"]}
    several = comparison_exhibits(known)
    table = next(each.table for each in several if each.name == "main-coverage")
    curves = next(each for each in several if each.name == "distance-curves")
    costs = next(each for each in several if each.name == "lp-cost")
    return [
        *((f"several-{each.stem}", each) for each in several),
        *((f"crowd-{each.stem}", each) for each in comparison_exhibits(crowd, CROWDED) if each.part[:3] != "of-"),
        ("several-papers", exhibit("main-coverage", table, several[0].provenance, paper=True)),
        ("several-papers-ae", exhibit("main-adversarial", table, several[0].provenance, paper=True)),
        ("several-bands", exhibit("distance-curves", curves.table, curves.provenance, bands=True)),
        ("several-log", exhibit("distance-curves", curves.table, curves.provenance, bands=True, log=True)),
        ("several-costs", exhibit("lp-cost", costs.table, costs.provenance, paper=True, chosen=("few",))),
    ]


def _played() -> list[tuple[str, Exhibit]]:
    """The paper's examples in its network, and the four definitions."""
    made = []
    grid = [(x / 2, y / 2) for x in range(-2, 3) for y in range(-2, 3)]
    clickable = list(zip(grid, signs_at(EXAMPLE, grid, 3), strict=True))
    for key in ("ss", "sv"):
        setting = EXAMPLES[key].setting
        known, looked_at = of_setting(setting), network_view(setting)
        divided = plane_view(EXAMPLE, setting, plane(EXAMPLE, 1.2, 3), clickable)
        tables = {"plane": divided, "neurons": looked_at, "definition-parts": looked_at}
        made += [(f"{key}-{name}", exhibit(name, table, known)) for name, table in tables.items()]
    assert looked_at.change is not None
    changes = EffectView(setting.pair, looked_at.change, looked_at.effects[setting.pair], name=names.neuron)
    made.append(("effect", exhibit("effect", changes, known)))
    return [*made, *((f"{m.key}-method", exhibit("method", m, of_method(m))) for m in CRITERIA.values())]


def _dated(store: CampaignStore) -> None:
    with store.database.transaction() as connection:
        connection.execute("UPDATE campaign SET created = ?", (CREATED,))


def figures() -> dict[str, Exhibit]:
    """Those that are more than a table."""
    return {name: each for name, each in exhibits().items() if each.has_figure}
