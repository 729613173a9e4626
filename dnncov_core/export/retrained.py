"""A comparison of ways to train further as columns of plain values, its caption, and where its numbers come from."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from dnncov_core.export.provenance import Provenance, writers
from dnncov_core.export.sheets import Sheet, sheet
from dnncov_core.outside_text import with_codes
from dnncov_core.phrases.caption import Caption
from dnncov_core.phrases.numbers import counted
from dnncov_core.retraining.outcome import ARMS, Outcome
from dnncov_core.retraining.student import Estimate
from dnncov_core.retraining.words import conclusions, notes


def rows(found: Outcome) -> Sheet:
    """One row for each measure and arm."""
    ends = "of its interval, 95 % over the repeats"

    def mean(row: tuple[str, str]) -> Estimate:
        return found.mean(row[1], row[0])

    def apart(row: tuple[str, str]) -> Estimate:
        return found.difference(row[1], row[0])

    return sheet(
        [(measure, arm) for measure in found.before for arm in ARMS],
        ("measure", str, "what is measured; of coverage, the criterion", lambda row: row[0]),
        ("arm", str, "with what was trained", lambda row: ARMS[row[1]].title),
        ("before", int, "counted of the network as it was", lambda row: found.before[row[0]].n),
        ("of", int, "of how many", lambda row: found.before[row[0]].total),
        ("mean", float, "of the shares over the repeats", lambda row: mean(row).mean),
        ("low", float, f"the lower end {ends}", lambda row: mean(row).low),
        ("high", float, f"the upper end {ends}", lambda row: mean(row).high),
        ("difference", float, "from the training data alone, repeat by repeat", lambda row: apart(row).mean),
        ("difference_low", float, f"the lower end {ends}", lambda row: apart(row).low),
        ("difference_high", float, f"the upper end {ends}", lambda row: apart(row).high),
    )


def retrained(found: Outcome) -> Caption:
    """What is drawn, and in the details what test pairs did, measure by measure."""
    words = f"Each mark is the mean difference over {found.spec.repeats} repeats, with its 95 % interval."
    return Caption(words).followed_by(*conclusions(found), *notes(found))


def of_retrained(path: Path, found: Outcome) -> Provenance:
    """Where the numbers of a comparison come from."""
    own, pairs = found.sources, counted(found.sizes.pairs, "test pair")
    return Provenance(
        kind="retraining",
        id=with_codes(path.stem),
        name="",
        date=own.date,
        network=own.network,
        network_fingerprint=own.fingerprint,
        data=own.test,
        data_fingerprint=own.test_fingerprint,
        reference=None,
        reference_fingerprint=None,
        criterion=found.spec.criteria,
        state="finished",
        parameters=asdict(found.spec) | {"campaigns": own.campaigns, "training": own.training, "faults": own.faults},
        seeds={},
        versions=own.versions,
        written_with=writers(),
        source=f"{own.network} · {pairs} · retraining {with_codes(path.stem)}",
        how={"arms": f"Trained with {pairs} of {', '.join(own.campaigns)}, beside {own.training}."},
    )
