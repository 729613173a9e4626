"""What a report says of a campaign's test conditions: what they count as, and which are open, proved, justified."""

from __future__ import annotations

from collections.abc import Iterator

from dnncov_core.campaign.file.conditions import OPEN, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.evidence.document import Block, Figure, Paragraph, Table
from dnncov_core.evidence.parts import MOST_ROWS, by_layer, figures, first_rows
from dnncov_core.export.exhibits import campaign_exhibits
from dnncov_core.figures.gap_marks import STATUS_LOOKS
from dnncov_core.figures.style import layer_pair
from dnncov_core.phrases import proofs
from dnncov_core.phrases.conditions import why
from dnncov_core.phrases.neurons import neuron_words
from dnncov_core.records import NetworkCard
from dnncov_core.statistics.gaps import Gap, gap_table, with_certificates

MOST_MATRICES = 6
"""Layer pairs whose test conditions are drawn."""


class GapPart:
    """The test conditions of one campaign. Each public method stands for its name in braces."""

    def __init__(self, store: CampaignStore) -> None:
        card = store.card()
        assert card is not None, "a campaign with test conditions"
        self._store, self._spec, self._gaps = store, store.spec(), gap_table(store)
        self._card: NetworkCard = card

    def counts(self) -> Table:
        """What the test conditions of each layer pair count as."""
        both = [*((layer_pair(edge), each) for edge, each in self._gaps.rows.items()), ("all", self._gaps.total)]
        rows = [
            {
                "Layers": name,
                "Test conditions": each.total,
                "Covered": each.covered.n,
                "Proved infeasible": each.proved_infeasible,
                "Justified": each.justified,
                "Open": each.open,
            }
            for name, each in both
        ]
        what = "What the test conditions count as. Each counts once, so that the four counts add up to all."
        return by_layer(what, rows)

    def matrices(self) -> Iterator[Figure]:
        """The test conditions of layer pairs that are not wholly covered, where they are few."""
        left = {f"{k}-{d}" for (k, d), counts in self._gaps.rows.items() if counts.total > counts.covered.n}
        if left and len(left) <= MOST_MATRICES and self._spec.feature_mode != "free":
            yield from figures(each for each in campaign_exhibits(self._store, ["gaps"]) if each.part in left)

    def open(self) -> Iterator[Block]:
        """Test conditions without a test pair and without an explanation."""
        yield from self._listed("Open test conditions, and what was tried.", *OPEN)

    def proved(self) -> Iterator[Block]:
        """Test conditions that no input can satisfy."""
        proof = self._store.proof.status()
        if proof is not None or self._gaps.total.proved_infeasible:
            ended = None if proof is None else proof.now
            yield Paragraph(proofs.last_proof(ended, self._store.proof_counts()))
        yield from self._listed("Test conditions proved infeasible, and by what.", Status.PROVED_INFEASIBLE)

    def _listed(self, what: str, *statuses: Status) -> Iterator[Block]:
        total = self._gaps.total.count(*statuses)
        found = with_certificates(self._store, self._store.conditions.page(statuses=statuses, limit=MOST_ROWS))
        rows = [self._row(gap) for gap in found]
        yield first_rows(what, rows, total, "“dnncov gaps”", "Ordinal") if rows else Paragraph("There is none.")

    def _row(self, gap: Gap) -> dict[str, object]:
        condition, target, card = gap.condition, gap.condition.target, self._card
        seeds, asked = self._store.prepared.pool(), self._spec.effect
        one, two = card.layer(target.condition_layer), card.layer(target.decision_layer)
        return {
            "Ordinal": str(target.ordinal),
            "Layers": layer_pair(target.edge),
            "Condition": neuron_words(one, target.condition_neurons, target.condition_most),
            "Decision": neuron_words(two, target.decision_neurons),
            "Counts as": STATUS_LOOKS[condition.status].name,
            "Why": why(condition, gap.certificate, card=card, seeds=seeds, effect=asked),
        }

    def justified(self) -> Iterator[Block]:
        """Justifications, with what became of each."""
        said = self._store.justifications.history()
        if not said:
            yield Paragraph("Nobody has justified a test condition.")
            return
        yield Paragraph(
            "A justification is the word of the person who gives it. The program checks one thing: a test pair that is"
            " found later refutes it. The table also has those that were replaced or withdrawn."
        )
        rows = [
            {
                "Ordinal": str(each.ordinal),
                "Reason": each.reason,
                "Author": each.author,
                "Given (UTC)": (each.time or each.date)[:16].replace("T", " "),
                "What became of it": each.became,
            }
            for each in said[:MOST_ROWS]
        ]
        yield first_rows("Justifications: who gave them, and when.", rows, len(said), "“dnncov gaps”", "Ordinal")
