"""A worth as columns of plain values, what its captions say, and where its numbers come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from dnncov_core.export.provenance import Provenance, writers
from dnncov_core.export.sheets import Sheet, sheet
from dnncov_core.outside_text import with_codes
from dnncov_core.phrases.caption import Caption
from dnncov_core.phrases.numbers import counted
from dnncov_core.worth.answer import AT_A_SIZE, OF_ALL, by_criterion, numbers, overall
from dnncov_core.worth.correlations import CONFIDENCE, SAMPLES, Conclusion, Correlation
from dnncov_core.worth.draws import WAYS
from dnncov_core.worth.generated import KINDS
from dnncov_core.worth.tables import GeneratedRow, WorthPlot
from dnncov_core.worth.worth_file import WorthFile

_INTERVALS = (
    f"Intervals hold {100 * CONFIDENCE:.0f} % of {SAMPLES:,} samples, in which mutants, and suites of each size and"
    " way, are drawn anew. Of many intervals some leave out 0 by chance."
)


def suites(table: WorthPlot) -> Sheet:
    """One row for each suite."""
    return sheet(
        table.points,
        ("criterion", str, "as it was asked for", lambda _: table.criterion),
        ("inputs", int, "of the suite", "size"),
        ("way", str, "how it was drawn", "way_title"),
        ("number", int, "of the suites of this size and way, from 0", "number"),
        ("balance", float, "entropy of its labels, as a share of that of even classes", "balance"),
        ("covered", float, "test conditions that it meets", "covered"),
        ("test_conditions", int, "all of them; empty where their number is not known", "total"),
        ("killed", int, "mutants that some input kills", "killed.n"),
        ("mutants", int, "all of them", "killed.total"),
    )


def correlations(found: Sequence[Correlation]) -> Sheet:
    """One row for each criterion and size."""
    return sheet(
        found,
        ("criterion", str, "as it was asked for", "criterion"),
        ("inputs", int, "of the suites; empty for all sizes, with size and class balance removed", "size"),
        ("suites", int, "how many", "suites"),
        (
            "rho",
            float,
            "Spearman's, of coverage and mutants killed; empty where one is constant",
            "rho",
        ),
        ("low", float, "the lower end of its interval", "low"),
        ("high", float, "the upper end", "high"),
        ("conclusion", str, "what may be concluded of suites that cover more", lambda each: _concluded(each)),
    )


def generated(rows: Sequence[GeneratedRow]) -> Sheet:
    """One row for each kind of generated inputs."""
    return sheet(
        rows,
        ("kind", str, "what they are", lambda row: KINDS[row.kind].words),
        ("inputs", int, "how many were run", "inputs"),
        ("there", int, "of how many they were drawn", "there"),
        ("killed", int, "mutants that are wrong on an input on which the network is right", "killed.n"),
        ("differs", int, "mutants that give some input another label than the network", "differs.n"),
        ("mutants", int, "all of them", "killed.total"),
    )


def _concluded(found: Correlation) -> str:
    return (AT_A_SIZE if found.size else OF_ALL)[Conclusion(found.conclusion)]


def worth(table: WorthPlot) -> Caption:
    """The scatter of one criterion."""
    n = len(table.points)
    of = f"{counted(n, 'suite')} of {'all sizes' if table.size is None else counted(table.size, 'input')}"
    if table.correlation is None:
        return Caption(f"Each mark is a suite, {of}.")
    found = table.correlation
    kind = "partial rank correlation" if table.size is None else "rank correlation"
    words = f"The {kind} of coverage and mutants killed over {of} is {numbers(found)}: {_concluded(found)}."
    ways = "; ".join(f"{way.title}: {way.words}" for way in WAYS.values())
    return Caption(words).followed_by(f"Ways of drawing: {ways}.", _INTERVALS)


def worth_correlations(found: Sequence[Correlation]) -> Caption:
    """The table of correlations."""
    told = [Conclusion(each.conclusion) for each in found]
    n = sum(each in (Conclusion.MORE, Conclusion.FEWER) for each in told)
    fewer = sum(each is Conclusion.FEWER for each in told)
    words = f"Of {len(told):,} correlations of {len(by_criterion(found)):,} criteria, {n:,} differ from 0,"
    return Caption(f"{words} {fewer:,} of them are negative.").followed_by(
        overall(found),
        "Spearman's rho of what a suite covers and the share of mutants that it kills, within each size; over all sizes"
        " the partial one, with the mean of each size and a line in the ranks of class balance removed.",
        _INTERVALS,
    )


def worth_generated(rows: Sequence[GeneratedRow]) -> Caption:
    """The table of generated inputs."""
    n = rows[0].inputs if rows else 0
    mutants = rows[0].killed.total if rows else 0
    return Caption(f"Of {mutants:,} mutants, those that {n:,} inputs of each kind kill.").followed_by(
        "The expected label of a generated input is that of its seed: it kills a mutant where the network gives that"
        " label and the mutant does not. An adversarial x2 kills none by this definition; beside it stand the mutants"
        " that give some input another label than the network."
    )


def of_worth(path: Path, found: WorthFile) -> Provenance:
    """Where the numbers of a worth come from."""
    spec, n = found.spec, found.spec.suites * len(found.spec.sizes)
    done = "finished" if found.correlations else f"{len(found.suites):,} of {n:,} suites measured"
    return Provenance(
        kind="worth",
        id=with_codes(path.stem),
        name="",
        date=datetime.fromtimestamp(found.head.created, UTC).isoformat(timespec="seconds"),
        network=spec.network,
        network_fingerprint=spec.fingerprint,
        data=spec.faults,
        data_fingerprint=spec.pool_fingerprint,
        reference=spec.reference,
        reference_fingerprint=spec.reference_fingerprint or None,
        criterion=spec.criteria,
        state=done,
        parameters=asdict(spec),
        seeds={},
        versions=found.head.versions,
        written_with=writers(),
        source=f"{spec.network} · {spec.mutants:,} mutants · worth {with_codes(path.stem)}",
        how={"suites": f"Suites: {spec.suites:,} of each size, drawn from {counted(spec.inputs, 'input')}."},
    )
