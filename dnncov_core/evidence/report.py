"""The report of a pack: what a person reads, as one document for its HTML page and its PDF file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.evidence.argument import Element, campaign_argument, measurement_argument, named
from dnncov_core.evidence.campaign_part import CampaignPart
from dnncov_core.evidence.claims import Claim
from dnncov_core.evidence.document import (
    Block,
    Commands,
    Document,
    Figure,
    Filled,
    Heading,
    Paragraph,
    Signatures,
    Table,
    blocks_of,
)
from dnncov_core.evidence.measurement_part import MeasurementPart
from dnncov_core.evidence.parts import PAPER, facts_table, figures, table_of
from dnncov_core.export.exhibits import comparison_exhibits
from dnncov_core.export.provenance import Origin
from dnncov_core.phrases.glossary import WORDS
from dnncov_core.phrases.numbers import counted, from_to, short
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.differences import differences
from dnncov_core.statistics.main_table import MainCell, main_table
from dnncov_core.suites.measurement_file import StoredMeasurement
from dnncov_core.suites.remarks import headline

TITLE = "Test evidence of a neural network"
ROLES = (
    "Test engineer: the tests were made as this report says",
    "Reviewer: the report was read, and verify.py was run",
    "Responsible for the network: open test conditions and limits are known",
)
NOT_WRITTEN = (
    "The network of {} is not in the pack, since it cannot be written as ONNX: {}. There verify.py counts rows again,"
    " and compares digests, distances and intervals, but it cannot compute whether a pair covers, nor labels."
    " “dnncov verify” does so with the network itself."
)
ABOUT_ARGUMENT = (
    "The argument says what these numbers support. The file argument.gsn.yaml has it in the format of gsn2x, where the"
    " elements lead to files of the pack. Their texts say only what was measured."
)
ARGUMENT = (
    "The argument in the Goal Structuring Notation: goals are rectangles, strategies parallelograms, solutions green"
    " and round, contexts have rounded corners, and assumptions and justifications are round with the letter A or J."
    " A diamond marks a goal that nothing supports: what it names is open."
)


@dataclass(frozen=True)
class Subject:
    """A campaign or measurement of a pack.

    Attributes:
        name: what the report calls it.
        part: what is said of it.
        claims: what the pack claims of it.
        argument: what these support.
        unwritten: why its network is not in the pack as ONNX; empty where it is.
    """

    name: str
    part: CampaignPart | MeasurementPart
    claims: Sequence[Claim]
    argument: Element
    unwritten: str = ""

    def blocks(self, level: int) -> list[Block]:
        """The sections about it."""
        return blocks_of(self.part.template, self._fill, level=level)

    def _fill(self, name: str) -> Filled:
        if name == "claims":
            return [_claims_table(self.claims), Paragraph(ABOUT_ARGUMENT), self.picture]
        filled: Filled = getattr(self.part, name)()
        return filled

    @property
    def picture(self) -> Figure:
        """The picture of its argument."""
        from dnncov_core.evidence.argument_picture import argument_picture  # Matplotlib only where it is needed

        said = "; ".join(f"{name}: {element.text}" for name, element in named(self.argument).items())
        return Figure(ARGUMENT, f"Argument. {said}", partial(argument_picture, self.argument), 0.85)


def _claims_table(claims: Sequence[Claim]) -> Table:
    """The claims about a whole campaign or measurement; those of single layer pairs are in the pack."""
    whole = [claim for claim in claims if not claim.place]
    drawn = any(claim.low is not None for claim in whole)
    rows = [
        {
            "Claim": claim.text,
            "Number": claim.number if isinstance(claim.number, int) else short(claim.number),
            "Of": "" if claim.of is None else claim.of,
            **({"95 % interval": _interval(claim)} if drawn else {}),
            "Rests on": _rows(claim),
        }
        for claim in whole
    ]
    caption = (
        f"{counted(len(whole), 'claim')} about all layers together. The file claims.json has these and"
        f" {len(claims) - len(whole):,} about single layer pairs or layers, each with the rows that it rests on."
    )
    return table_of(caption, rows, "Number", "Of")


def _interval(claim: Claim) -> str:
    return "" if claim.low is None or claim.high is None else from_to((claim.low, claim.high))


def _rows(claim: Claim) -> str:
    if claim.not_computed:
        return f"not computed again: {claim.not_computed}"
    return f"{counted(claim.rows[1] - claim.rows[0], 'row')} of {claim.table}"


def subject_of(
    held: CampaignStore | StoredMeasurement, name: str, claims: Sequence[Claim], *, model: str = "", unwritten: str = ""
) -> Subject:
    """A campaign that has test conditions, or a measurement.

    Args:
        held: either.
        name: what the report calls the campaign, or the stem of the measurement's file.
        claims: what the pack claims of it.
        model: the file of its network in the pack; empty where there is none.
        unwritten: why there is none.
    """
    if isinstance(held, CampaignStore):
        return Subject(name, CampaignPart(held), claims, campaign_argument(held, claims, model), unwritten)
    argument = measurement_argument(held, claims, model)
    return Subject(headline(held.spec), MeasurementPart(held, name), claims, argument, unwritten)


def report(
    subjects: Sequence[Subject], stores: Mapping[str, CampaignStore], known: Sequence[Origin], command: str
) -> Document:
    """The report.

    Args:
        subjects: what it is about.
        stores: its campaigns, by what tables call them.
        known: where the numbers of each come from.
        command: the command that makes the pack.
    """
    several = len(subjects) > 1
    unwritten = [NOT_WRITTEN.format(each.name, each.unwritten) for each in subjects if each.unwritten]
    instead: dict[str, Filled] = {
        "names": "; ".join(subject.name for subject in subjects),
        "paper": PAPER,
        "command": Commands((command,)),
        "words": "",
        "signatures": Signatures(ROLES),
        "beside": [*_beside(stores)] if len(stores) > 1 else "",
        "subjects": [block for each in subjects for block in _sections(each, several=several)],
        "unwritten": [Paragraph(words) for words in unwritten],
    }
    said = repr(blocks_of("report.md", instead.__getitem__))
    used = {word: meaning for word, meaning in WORDS.items() if re.search(rf"\b{word}", said, re.IGNORECASE)}
    instead["words"] = facts_table("Words of this report.", used, heads=("Word", "Meaning"))
    blocks = blocks_of("report.md", instead.__getitem__)
    about = known[0].source if not several else ", ".join(subject.name for subject in subjects)
    return Document(TITLE, about, max(each.date for each in known), known[0].version, tuple(blocks))


def _sections(subject: Subject, *, several: bool) -> Iterator[Block]:
    if several:
        yield Heading(subject.name)
    yield from subject.blocks(1 + several)


def _beside(stores: Mapping[str, CampaignStore]) -> Iterator[Block]:
    cells = main_table(stores).cells
    what = "Campaigns beside each other. An interval is given where test conditions are a simple random sample."
    yield table_of(what, [_row(cell) for cell in cells], "Covered", "With effect", "Adversarial")
    yield from figures(comparison_exhibits(stores, ["main-coverage", "main-adversarial"]))
    rows = [
        {"What": each.what, "Why it matters": each.why}
        | {"Values": "; ".join(f"{words}: {', '.join(names)}" for words, names in each.values)}
        for each in differences(stores)
    ]
    if rows:
        yield table_of("What differs between the campaigns beside network and criterion.", rows)


def _row(cell: MainCell) -> dict[str, object]:
    def found(ratio: Ratio, interval: tuple[float, float] | None) -> str:
        return ratio.display() + (f", interval {from_to(interval)}" if interval else "")

    return {
        "Campaign": cell.name,
        "Covered": found(cell.covered, cell.covered_interval),
        "With effect": found(cell.with_effect, cell.with_effect_interval),
        "Adversarial": found(cell.adversarial, cell.adversarial_interval),
        "Random perturbations": cell.baselines.random.display(),
        "Gradient ascent": cell.baselines.ascent.display(),
    }
