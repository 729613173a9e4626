"""What a report says of one measurement: what stands for the names in braces of ``measurement.md``."""

from __future__ import annotations

from collections.abc import Iterator

from dnncov_core.evidence.commands import measurement_command
from dnncov_core.evidence.document import Block, Commands, Figure, Items, Table
from dnncov_core.evidence.parts import definitions, facts_table, figures, table_of
from dnncov_core.export.exhibits import measurement_exhibits
from dnncov_core.phrases.numbers import counted, duration
from dnncov_core.phrases.origins import come_from
from dnncov_core.suites import remarks
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement


class MeasurementPart:
    """One measurement, whose file has this ``stem``. Each public method stands for its name in braces."""

    template = "measurement.md"

    def __init__(self, measured: StoredMeasurement, stem: str) -> None:
        self._measured, self._stem, self._spec = measured, stem, measured.spec
        self._exhibits = measurement_exhibits(measured, stem)

    def found(self) -> Items:
        """The numbers of each criterion, in sentences."""
        inputs, labels = self._measured.inputs, remarks.classified(self._measured.misclassified, self._spec.suite)
        first = f"The suite {self._spec.suite} has {counted(inputs, 'input')} ({labels})."
        return Items((first, *(self._sentence(each) for each in self._measured.criteria)))

    def _sentence(self, each: MeasuredCriterion) -> str:
        if each.total is None:
            return f"{each.name}: the inputs have {remarks.without_share(each)}."
        shown = each.shown
        beside = "" if shown is None else f", {shown.covered:,} ({shown.percent}) with effect"
        conditions = counted(each.total, "test condition")
        return f"{each.name}: the suite covers {each.covered:,} of {conditions} ({each.percent}){beside}."

    def network(self) -> Table:
        """Network and suite with their fingerprints."""
        measured, spec = self._measured, self._spec
        named = {"network": spec.network, "suite": spec.suite, "reference": spec.reference}
        known = {key: name for key, name in named.items() if name is not None}
        facts = {key.capitalize(): name for key, name in known.items()}
        facts |= {f"Fingerprint of the {key}": measured.fingerprints.get(key, "not known") for key in known}
        facts |= come_from(measured.origins)
        facts["Layers"] = ", ".join(f"{index} ({name})" for index, name in sorted(measured.layers.items()))
        return facts_table("The network and the suite. A fingerprint is a SHA-256 digest.", facts)

    def criteria(self) -> Iterator[Block]:
        """The definitions, and the numbers with which they were asked."""
        yield from definitions(*dict.fromkeys(each.key for each in self._measured.criteria))
        asked = {each.name: self._measured.parameters.get(each.text, "") for each in self._measured.criteria}
        if known := {name: words for name, words in asked.items() if words}:
            yield facts_table("Value functions and numbers of criteria, as they were asked.", known)

    def work(self) -> str:
        """How long it took."""
        return f"That took {duration(self._measured.seconds)}."

    def settings(self) -> Items:
        """What else decides the numbers."""
        said = [f"Condition features: {remarks.features_in_words(self._spec)}."]
        said += [f"Setting: {words}." for words in remarks.measurement_settings(self._spec)]
        return Items((*said, *filter(None, [remarks.effect_in_words(self._spec.effect)])))

    def coverage(self) -> Table:
        """Each criterion."""
        rows = [
            {
                "Criterion": each.name,
                "Covered": each.covered if isinstance(each.covered, int) else each.percent,
                "Test conditions": "not known" if each.total is None else each.total,
                "Coverage": each.percent,
                "With effect": "" if each.shown is None else f"{each.shown.percent} ({each.shown.covered:,})",
            }
            for each in self._measured.criteria
        ]
        return table_of("Coverage by criterion. ≥ marks a lower bound.", rows, *[*rows[0]][1:])

    def layers(self) -> Iterator[Figure]:
        """Coverage by layer."""
        drawn = [each for each in self._exhibits if each.name == "suite-coverage"]
        return figures(each for each in drawn if not each.part.endswith("-layer-pairs"))

    def relations(self) -> Iterator[Figure]:
        """The diagram of criteria."""
        return figures(each for each in self._exhibits if each.name == "relations")

    def gaps(self) -> Iterator[Table]:
        """Test conditions that are not covered, by layer."""
        rows = [
            {"Criterion": each.name, "Layers": row.place, "Test conditions": row.total, "Covered": row.covered}
            | {"Not covered": row.total - row.covered}
            for each in self._measured.criteria
            for row in each.readable.rows
        ]
        if rows:
            yield table_of("Test conditions that the suite leaves open, by layer.", rows, *[*rows[0]][2:])

    def remarks(self) -> Iterator[Items]:
        """Why numbers are what they are."""
        criteria, prints = self._measured.criteria, self._measured.fingerprints
        same = prints["suite"] == prints.get("reference")
        said = [
            *remarks.left_out(criteria),
            *remarks.not_monotone(criteria),
            *remarks.lower_bounds(criteria),
            *remarks.no_pairs(self._measured.inputs, criteria, self._spec.feature_mode),
            *filter(None, [remarks.same_inputs(each.text for each in criteria)] * same),
        ]
        if said:
            yield Items(tuple(said))

    def environment(self) -> Table:
        """Versions."""
        return facts_table("The environment in which the measurement was made.", dict(self._measured.versions))

    def commands(self) -> Commands:
        """How the measurement is made again."""
        return Commands((measurement_command(self._spec, f"{self._stem}.json"),))
