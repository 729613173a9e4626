"""What a report says of one campaign: what stands for the names in braces of ``campaign.md``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.criteria import VALUE_FUNCTIONS
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.data.own_decisions import own_decisions
from dnncov_core.evidence.commands import campaign_commands
from dnncov_core.evidence.document import Block, Commands, Figure, Items, Paragraph, Table
from dnncov_core.evidence.gap_part import GapPart
from dnncov_core.evidence.parts import MOST_LAYERS, by_layer, definitions, facts_table, figures, first_rows
from dnncov_core.export.exhibits import campaign_exhibits
from dnncov_core.export.folder import pair_png
from dnncov_core.export.provenance import of_campaign
from dnncov_core.figures.axes import layer_tick
from dnncov_core.figures.pictures import is_picture
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.phrases import adversarial, coverage, effect, inputs, networks, states
from dnncov_core.phrases.conditions import refuted_words
from dnncov_core.phrases.definitions import NOTHING_ASKED
from dnncov_core.phrases.numbers import counted, duration
from dnncov_core.phrases.origins import come_from
from dnncov_core.phrases.pairs import CONFIDENCE
from dnncov_core.ratios import Ratio
from dnncov_core.records import State, TestPair
from dnncov_core.statistics.adversarial import adversarial_table, baselines_by_layer
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from dnncov_core.statistics.grouping import usual_grouping
from dnncov_core.statistics.settings import facts

MOST_CLASSES = 20
"""Classes that are named."""
MOST_EXAMPLES, PAIR = 3, 110.0
"""Test pairs that are drawn, and the width of each in millimetres."""


class CampaignPart(GapPart):
    """One campaign, which has test conditions. Each public method stands for its name in braces."""

    template = "campaign.md"

    def __init__(self, store: CampaignStore) -> None:
        super().__init__(store)
        by = usual_grouping(counts_by_layer(store))
        self._coverage, self._adversarial = coverage_table(store, by), adversarial_table(store, by)
        self._total = self._coverage.total
        self._beside = baselines_by_layer(store).total

    def found(self) -> Items:
        """The numbers of all test conditions together, in sentences."""
        spec, total, beside = self._spec, self._total, self._beside
        gaps = self._gaps.total
        said = [
            coverage.have_witness(total.covered, total.available, spec.effect),
            coverage.estimated(coverage.eligible(spec, total.available), total.estimate),
            f"Of those not proved infeasible, {total.feasible.display()} have one." * (gaps.proved_infeasible > 0),
            effect.with_effect(total.with_effect, total.effects, self._coverage.effect),
            coverage.at_8_bits(total.holds_8bit, total.with_effect_8bit),
            f"Of the test pairs, {self._adversarial.total.words} are adversarial.",
            adversarial.baseline_searches(beside.searched, beside.random, beside.ascent),
            f"Of the test conditions without a test pair, {gaps.open:,} are open, {gaps.justified:,} are justified by"
            f" persons, and {gaps.proved_infeasible:,} are proved infeasible.",
            refuted_words(self._store.conditions.refuted()),
            states.failure(self._store.state(), self._store.worker.message()),
            f"The campaign is not finished. {states.how_far(self._store)}"
            * (self._store.state() is not State.FINISHED),
        ]
        return Items(tuple(filter(None, said)))

    def network(self) -> Table:
        """Network and data with their fingerprints."""
        card, spec, seeds = self._card, self._spec, self._store.prepared.seeds()
        assert seeds is not None, "a campaign with test conditions"
        right = Ratio(seeds.inputs - seeds.misclassified, seeds.inputs)
        return facts_table(
            "The network and the data. A fingerprint is a SHA-256 digest, by which anyone can tell whether they have"
            " the same network and the same data.",
            {
                "Network": spec.network,
                "Fingerprint of the network": card.fingerprint,
                "Parameters of the network": f"{card.parameters:,}",
                "Shape of an input": " × ".join(map(str, card.input_shape)),
                "Range of inputs": inputs.input_ranges(card.box),
                **({} if card.quantities else {"Classes": _in_short(card.classes)}),
                "Data": spec.data,
                "Fingerprint of the data": self._store.prepared.data_fingerprint() or "not known",
                **come_from(self._store.prepared.origins()),
                "Inputs that the network gets right": own_decisions(spec.data) or right.display(),
                "Inputs that may serve as seeds": f"{len(seeds.rows):,}",
            },
        )

    def structure(self) -> str:
        """What is special about the network; mostly nothing."""
        return networks.structure_words(self._card)

    def layers(self) -> Table:
        """The layers of the network."""
        rows = [
            {"Layer": each.index, "Module": each.name, "Kind": each.kind, "Neurons": each.neurons}
            | {"Shape": " × ".join(map(str, each.shape))}
            for each in self._card.layers
        ]
        what = "Layers by the paper's numbers: the input is layer 1, the first activation layer is layer 2."
        return first_rows(what, rows[:MOST_LAYERS], len(rows), "“dnncov networks”", "Layer", "Neurons")

    def criterion(self) -> Iterator[Block]:
        """The definition, and its value functions."""
        method = self._spec.covering_method()
        yield from definitions(method.key)
        sides = (("condition", method.condition, method.g1), ("decision", method.decision, method.g2))
        for side, g in [(side, g) for side, change, g in sides if change is Change.VALUE]:
            words = f": {VALUE_FUNCTIONS[g.name].words}" if g.name in VALUE_FUNCTIONS else ""
            said = f"Value function of the {side} feature, {g.describe()}{words}."
            yield Paragraph(NOTHING_ASKED.format(side) if g.name == ANY.name else said)

    def features(self) -> str:
        """What the features are sets of, and how large they may be."""
        mode, omega = FEATURE_MODES[self._spec.feature_mode], f" Here ω is {100 * self._spec.omega:g} %."
        return f"Features: {mode.title.lower()}. {mode.words}{omega * (self._spec.feature_mode != 'neuron')}"

    def adversarial_means(self) -> str:
        """What makes a test pair adversarial."""
        return f"A test pair is adversarial if this holds: {adversarial.adversarial_means(self._spec, self._card)}."

    def effect(self) -> str:
        """What "with effect" means."""
        name = self._coverage.effect
        asked = (
            "asks of each test pair" if self._spec.effect == name else "does not ask for, and counts beside coverage"
        )
        return f"The effect that the campaign {asked} is called {name}: {effect.EFFECT_MEANS[name]}."

    def sampling(self) -> str:
        """Which feature pairs are asked about."""
        return coverage.sampling(self._spec, self._total.covered.total, self._total.available)

    def settings(self) -> Table:
        """All that was asked."""
        told = {name: words for name, words in facts(self._spec).items() if name not in ("network", "data", "pairs")}
        return facts_table(
            "What the campaign was asked, with the budgets of its search.",
            {PARAMETERS[name].label: words for name, words in told.items()},
        )

    def work(self) -> str:
        """What it took."""
        progress, device = self._store.counts.progress(), self._store.worker.device()
        attempts = f"{counted(progress.attempts, 'attempt')} in {duration(progress.seconds)} of working time"
        return f"The search made {attempts} (device: {states.worked_on(device, self._spec.device)})."

    def searched(self) -> str:
        """In which ranges x2 was searched, where that has to be said."""
        return inputs.searched_range(self._card)

    def baselines(self) -> str:
        """What baseline searches are; nothing where there were none."""
        return adversarial.BASELINE_SEARCHES * (self._beside.searched.total > 0)

    def coverage(self) -> Iterator[Block]:
        """The figure, and the counts by layer."""
        yield from self._figures("coverage")
        both = zip((*self._coverage.rows, self._total), (*self._adversarial.rows, self._adversarial.total), strict=True)
        rows = [
            {
                "Layers": "all" if row.place is None else layer_tick(row.place, self._coverage.by),
                "Feature pairs": row.available,
                "Covered": row.covered.display(),
                **({} if self._total.feasible == self._total.covered else {"Of feasible": row.feasible.display()}),
                "With effect": "not known" if row.effects.unknown else row.with_effect.display(),
                "Hold at 8 bits": coverage.held_at_8_bits(row.holds_8bit, row.covered.n),
                "Adversarial": pairs.of_pairs.display(),
            }
            for row, pairs in both
        ]
        what = f"Counts by {self._coverage.by.value}, each share with its numerator and denominator."
        yield by_layer(what, rows)

    def adversarial(self) -> Iterator[Figure]:
        """Adversarial pairs, and what baseline searches find."""
        if self._adversarial.total.of_pairs.n:
            yield from self._figures("adversarial")
        if self._beside.searched.total:
            yield from self._figures("controls")

    def distances(self) -> Iterator[Figure]:
        """Distances of test pairs."""
        if self._adversarial.total.of_pairs.n:
            yield from self._figures("distance-curve")
        if self._total.covered.n:
            yield from self._figures("layer-distances")

    def examples(self) -> Iterator[Block]:
        """A few test pairs."""
        pairs = self._store.pairs.page(PairFilter(adversarial=True), order="nearest", limit=MOST_EXAMPLES)
        nearest = self._store.pairs.page(order="nearest", limit=MOST_EXAMPLES)
        pairs += [each for each in nearest if each.target.ordinal not in {pair.target.ordinal for pair in pairs}]
        if pairs:
            n, some = self._total.covered.n, min(len(pairs), MOST_EXAMPLES)
            yield Paragraph(
                f"These are {some} of {n:,} test pairs: adversarial ones come first, and of them the nearest."
                + ("" if self._card.quantities else f" {CONFIDENCE}")
            )
        yield from map(self._example, pairs[:MOST_EXAMPLES])

    def _example(self, pair: TestPair) -> Figure:
        from dnncov_core.export.pair_plots import plot_caption  # Matplotlib only where it is needed
        from dnncov_core.export.pictures import pair_caption

        card, known = self._card, of_campaign(self._store)
        caption = (pair_caption if is_picture(card) else plot_caption)(pair, card, known)
        said = " ".join((caption.summary, *caption.details[:-1]))
        return Figure(said, caption.summary, lambda form: pair_png(pair, card, known, PAIR), 0.21)

    def _figures(self, *names: str) -> Iterator[Figure]:
        return figures(each for each in campaign_exhibits(self._store, names) if not each.part)

    def environment(self) -> Table:
        """Device and versions."""
        device = states.worked_on(self._store.worker.device(), self._spec.device)
        known = {"Device": device, **self._store.versions()}
        return facts_table("The environment in which the campaign was made.", known)

    def commands(self) -> Iterator[Block]:
        """How the campaign is made again."""
        file = self._store.path.name
        again = campaign_commands(self._spec, file)
        yield Commands((*again, f"dnncov verify {file}", f"dnncov show {file} --json"))
        if self._spec.suite_gaps is not None:
            yield Paragraph("OPEN.csv is the list of test conditions that “dnncov measure --open” wrote.")


def _in_short(classes: Sequence[str]) -> str:
    """The classes, the first ones where there are very many."""
    more = f", … {len(classes):,} in all" if len(classes) > MOST_CLASSES else ""
    return ", ".join(classes[:MOST_CLASSES]) + more
