"""An exhibit of every kind, from campaigns and measurements made by hand."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
from pathlib import Path

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.export.exhibits import CAMPAIGN, MEASUREMENT, campaign_exhibits, exhibit, measurement_exhibits
from dnncov_core.export.kinds import Exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.records import ControlResult
from dnncov_core.statistics import distance_curve, gap_matrix, omega_table
from tests.builders import campaign, card, costly, mixed
from tests.statistics.branches import branched
from tests.suites.made import baseline, covering, measurement, patterns

KINDS = {**CAMPAIGN, **MEASUREMENT}
ASKED: dict[str, tuple[str, ...] | None] = {
    "few": None,
    "many": ("coverage", "adversarial", "layer-distances"),
    "mixed": ("gaps", "conditions"),
    "branched": ("coverage",),
    "empty": ("coverage", "adversarial", "controls", "distance-curve", "layer-distances", "gaps"),
    "free": ("distance-by-omega",),
}
"""What is made of each campaign; None for everything that it has."""
CREATED = 1_794_996_000.0
"""When: the same in every process."""
SUITE = measurement(
    covering("ss", (10, 1386, 630)),
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
        "wide": campaign(folder / "wide.dnncov", spec=wide, found=12, adversarial=0),
    }
    ordinals = [pair.target.ordinal for pair in stores["few"].test_pairs()]
    found = [ControlResult(each, 0.1, 400, random=at % 3 == 0, ascent=at % 2 == 0) for at, each in enumerate(ordinals)]
    stores["few"].record_controls(ordinals, found)
    for store in stores.values():
        with store._transaction() as connection:
            connection.execute("UPDATE campaign SET created = ?", (CREATED,))
    for name, asked in ASKED.items():
        some = campaign_exhibits(stores[name], asked)
        made += [(f"{name}-{each.stem}", each) for each in some if each.part not in ("3-4", "4-5")]
    few, known = stores["few"], of_campaign(stores["few"])
    curves = [distance_curve(few, "few"), distance_curve(stores["many"], "many")]
    made += [
        ("curves", exhibit("distance-curve", curves, known)),
        ("curve-log", exhibit("distance-curve", curves[:1], known, log=True)),
        ("omegas", exhibit("distance-by-omega", omega_table([stores["free"], stores["wide"]]), known)),
        ("blocks", exhibit("gaps", gap_matrix(stores["many"], (2, 3), most=4), known, part="2-3")),
        ("distances-log", exhibit("layer-distances", dict(made)["few-layer-distances"].table, known, log=True)),
    ]
    made += [(each.stem, each) for each in measurement_exhibits(SUITE, "suite")]
    return made


def figures() -> dict[str, Exhibit]:
    """Those that are more than a table."""
    return {name: each for name, each in exhibits().items() if each.has_figure}
