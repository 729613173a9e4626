"""The result of a measurement: numbers, coverage by layer, relations between criteria, and what can be downloaded."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from dnncov_core.criteria import EFFECTS
from dnncov_core.errors import DnncovError
from dnncov_core.export.catalogue import file_part
from dnncov_core.export.exhibits import exhibit, measurement_exhibits
from dnncov_core.export.provenance import Provenance, of_measurement
from dnncov_core.figures.lemmas import relations_in_words
from dnncov_core.figures.style import layer_pair, modules_in_words
from dnncov_core.phrases.numbers import counted, duration, fingerprinted
from dnncov_core.phrases.origins import come_from
from dnncov_core.records import State
from dnncov_core.statistics.grouping import By
from dnncov_core.suites.criterion_names import ENTRIES, SAFETY
from dnncov_core.suites.library import file_of, open_measurement, standing
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer, StoredMeasurement
from dnncov_core.suites.remarks import (
    classified,
    features_in_words,
    left_out,
    no_pairs,
    not_monotone,
    same_inputs,
)
from pages.measure.criterion_menu import criterion_menu
from pages.measure.further_inputs import further_inputs
from pages.measure.missing_tests import missing_tests
from pages.measure.progress import own_name_of
from pages.shared.captions import caption
from pages.shared.charts import chart, places_for_two
from pages.shared.downloads import export_page
from pages.shared.evidence import evidence_pack
from pages.shared.layer_tables import MODULES, layer_table, rows_choice
from pages.shared.words import plain, table

COLUMNS = MODULES | {
    "Covered": st.column_config.Column(
        help="Test conditions that are met, of how many. For S: different sign patterns. For NLC: its value."
    ),
    "Coverage": st.column_config.Column(help="≥ marks a lower bound, where the search left something out."),
    "With effect": st.column_config.Column(
        help="Share of the test conditions with a witness that shows the effect below, and their number. ≥ marks a"
        " lower bound, where not all pairs of inputs were tried."
    ),
    "Joined pairs": st.column_config.Column(
        help="Pairs of inputs whose signs in the condition layer are as the criterion asks: for SS and SV, patterns"
        " that differ in one neuron; for VS and VV, patterns that several inputs share."
    ),
}


def show_result(measurement_id: str) -> None:
    """Everything about a measurement that has finished; nothing about one that has not."""
    try:
        if standing(measurement_id).state is not State.FINISHED:
            return
        result = open_measurement(measurement_id)
    except DnncovError:
        return  # said above
    own = own_name_of(measurement_id)
    provenance = of_measurement(result, measurement_id, own)
    labels = classified(result.misclassified, result.spec.suite)
    st.markdown(f"**{counted(result.inputs, 'input')}** ({labels}), measured in {duration(result.seconds)}.")
    _numbers(result, provenance)
    _remarks(result)
    missing_tests(measurement_id, result)
    further_inputs(measurement_id, result, provenance)
    drawn, words = [each for each in result.criteria if each.rows], "Which criterion figure and table show by layer."
    chosen = criterion_menu("Criterion by layer", drawn, key="by-layer", words=words) if drawn else None
    if chosen is not None and chosen.readable is not chosen and rows_choice() is By.DECISION_LAYER:
        chosen = chosen.readable
    left, right = places_for_two(len(result.layers))
    with left:
        if chosen is None:
            words = (
                "Safety coverage has no layers, and neither has NLC: they are of all layers together. Measure other"
                " criteria to see them."
            )
            st.info(words)
        else:
            chart(
                exhibit("suite-coverage", (result, chosen), provenance, part=file_part(chosen.text)),
                key="suite-coverage",
                alt=f"Bars: share of test conditions of {chosen.name} that the suite covers, by layer",
            )
    with right:
        chart(exhibit("relations", result, provenance), key="relations", alt=relations_in_words(result))
    if chosen is not None:
        layer_table(
            [_layer_row(result, chosen, row) for row in chosen.rows], columns=COLUMNS, alt=f"{chosen.name} by layer"
        )
    _downloads(measurement_id)
    export_page("measure", provenance, lambda: measurement_exhibits(result, measurement_id, name=own))
    _what_was_measured(measurement_id, result)
    evidence_pack("measurement", [measurement_id])


def _numbers(result: StoredMeasurement, provenance: Provenance) -> None:
    shown = any(criterion.shown is not None for criterion in result.criteria)
    rows = [
        {
            "Criterion": criterion.name.replace(criterion.key.upper(), ENTRIES[criterion.key].title, 1),
            "Covered": criterion.percent if criterion.ratio is None else criterion.ratio.counts,
            "Coverage": _share(criterion),
            **(_shown(criterion) if shown else {}),
            "Joined pairs": "" if criterion.joined is None else f"{criterion.joined:,}",
        }
        for criterion in result.criteria
    ]
    st.dataframe(rows, hide_index=True, height="content", column_config=COLUMNS, alt="Coverage by criterion")
    caption(exhibit("criteria", result, provenance), "criteria")


def _share(criterion: MeasuredCriterion) -> str:
    if criterion.ratio is not None:
        return criterion.percent
    return "total not known" if criterion.key == SAFETY else "no share"


def _shown(measured: MeasuredCriterion | MeasuredLayer) -> dict[str, object]:
    """What is covered with effect, as a cell of a table."""
    shown = measured.shown
    return {"With effect": "" if shown is None else f"{shown.percent} ({shown.covered:,})"}


def _remarks(result: StoredMeasurement) -> None:
    """Why numbers are what they are, where they alone do not show it."""
    for remark in [*left_out(result.criteria), *not_monotone(result.criteria)]:
        st.info(plain(remark), icon=":material/info:")
    for words in no_pairs(result.inputs, result.criteria, result.spec.feature_mode):
        st.info(f"{words} Such pairs have to be generated: see Missing tests.", icon=":material/info:")
    prints = result.fingerprints
    if prints["suite"] == prints.get("reference") and (words := same_inputs(each.text for each in result.criteria)):
        st.warning(words, icon=":material/warning:")


def _layer_row(result: StoredMeasurement, chosen: MeasuredCriterion, row: MeasuredLayer) -> dict[str, object]:
    """The cells of a layer pair, of a decision layer with all its condition layers, or of a layer."""
    name = result.layers.get(row.layer, "")
    numbers: dict[str, object] = {"Covered": row.ratio.counts, "Coverage": row.percent}
    if row.condition_layer is None:
        return {"Layer": str(row.layer), "Module": name, **numbers}
    numbers |= ({} if row.shown is None else _shown(row)) | {"Joined pairs": f"{row.joined or 0:,}"}
    if chosen.by_decision_layer:
        conditions = ", ".join(map(str, row.condition_layers))
        return {"Decision layer": str(row.layer), "Module": name, "Condition layers": conditions, **numbers}
    modules = modules_in_words([result.layers.get(row.condition_layer, "")], name)
    return {"Layer pair": layer_pair((row.condition_layer, row.layer)), "Modules": modules, **numbers}


def _downloads(measurement_id: str) -> None:
    with st.container(horizontal=True, gap="small"):
        for suffix, name, mime in (
            (".json", "Numbers (JSON)", "application/json"),
            (".csv", "Witnesses (CSV)", "text/csv"),
        ):
            file = file_of(measurement_id, suffix)
            if file.exists():
                st.download_button(
                    name,
                    partial(Path.read_bytes, file),
                    f"{measurement_id}{suffix}",
                    mime,
                    icon=":material/download:",
                    on_click="ignore",
                )


def _what_was_measured(measurement_id: str, result: StoredMeasurement) -> None:
    spec, prints = result.spec, result.fingerprints

    def named(key: str) -> str:
        return fingerprinted(getattr(spec, key), prints[key]) if key in prints else "none"

    with st.expander("What was measured", icon=":material/fact_check:"):
        rows = [
            ("Measurement", measurement_id),
            ("Date", f"{result.date} (UTC)"),
            *((key.capitalize(), named(key)) for key in ("network", "suite")),
            ("Reference data", named("reference")),
            *come_from(result.origins).items(),
            ("Criteria", "; ".join(_asked(result, criterion) for criterion in result.criteria)),
            ("Condition features", features_in_words(spec)),
            ("Effect of the condition", EFFECTS[spec.effect].title),
            ("Versions", ", ".join(f"{name} {version}" for name, version in result.versions.items())),
        ]
        table(("What", "Value"), rows)


def _asked(result: StoredMeasurement, measured: MeasuredCriterion) -> str:
    """A criterion with its value functions, or its m, also where they are the usual ones."""
    parameters = result.parameters.get(measured.text)
    return f"{measured.key.upper()} ({parameters})" if parameters else measured.name
