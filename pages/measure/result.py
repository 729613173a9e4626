"""The result of a measurement: numbers, coverage by layer, relations between criteria, and what can be downloaded."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.export.catalogue import file_part
from dnncov_core.export.exhibits import exhibit, measurement_exhibits
from dnncov_core.export.provenance import Provenance, of_measurement
from dnncov_core.figures import relations_in_words
from dnncov_core.figures.style import layer_pair
from dnncov_core.phrases.numbers import duration
from dnncov_core.records import State
from dnncov_core.suites.criteria import ENTRIES
from dnncov_core.suites.library import file_of, open_measurement, standing
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer, StoredMeasurement
from dnncov_core.suites.remarks import SAME_INPUTS, classified, no_pairs
from pages.measure.progress import own_name_of
from pages.shared.charts import chart, places_for_two
from pages.shared.downloads import export_page
from pages.shared.layer_tables import layer_table
from pages.shared.words import table

COLUMNS = {
    "Covered": st.column_config.Column(
        help="Test conditions that are met, of how many. For S: different sign patterns."
    ),
    "Coverage": st.column_config.Column(help="≥ marks a lower bound, where the search left something out."),
    "Joined pairs": st.column_config.Column(
        help="Pairs of inputs whose signs in the condition layer are as the criterion asks: for SS and SV, patterns"
        " that differ in one neuron; for VS and VV, patterns that several inputs share."
    ),
}


def show_result(measurement_id: str) -> None:
    """Everything about a finished measurement; nothing about another."""
    try:
        if standing(measurement_id).state is not State.FINISHED:
            return
        found = open_measurement(measurement_id)
    except DnncovError:
        return  # said above
    own = own_name_of(measurement_id)
    provenance = of_measurement(found, measurement_id, own)
    st.markdown(_sentence(found))
    _numbers(found)
    _remarks(found)
    chosen = _chosen(found)
    left, right = places_for_two(len(found.layers))
    with left:
        _by_layer(found, chosen, provenance)
    with right:
        chart(exhibit("relations", found, provenance), key="relations", alt=relations_in_words(found))
    _layers(found, chosen)
    _downloads(measurement_id)
    export_page("measure", provenance, lambda: measurement_exhibits(found, measurement_id, name=own))
    _what_was_measured(measurement_id, found)


def _sentence(found: StoredMeasurement) -> str:
    return f"**{found.inputs:,} inputs** ({classified(found.misclassified)}), measured in {duration(found.seconds)}."


def _numbers(found: StoredMeasurement) -> None:
    rows = [
        {
            "Criterion": _title(each),
            "Covered": f"{each.covered:,} patterns" if each.ratio is None else each.ratio.counts,
            "Coverage": "total not known" if each.ratio is None else each.percent,
            "Joined pairs": "" if each.joined is None else f"{each.joined:,}",
        }
        for each in found.criteria
    ]
    st.dataframe(rows, hide_index=True, height="content", column_config=COLUMNS, alt="Coverage by criterion")
    for each in found.criteria:
        for bound in each.bounds:
            st.caption(f"{each.name} is a lower bound: {bound}.")


def _remarks(found: StoredMeasurement) -> None:
    """Why numbers are what they are, where they alone do not show it."""
    for words in no_pairs(found.inputs, found.criteria, found.spec.feature_mode):
        st.info(f"{words} Such pairs have to be generated, on the page Run.", icon=":material/info:")
    prints = found.fingerprints
    if prints["suite"] == prints.get("reference"):
        st.warning(SAME_INPUTS, icon=":material/warning:")


def _title(measured: MeasuredCriterion) -> str:
    """The criterion's whole name with its parameter."""
    return measured.name.replace(measured.key.upper(), ENTRIES[measured.key].title, 1)


def _chosen(found: StoredMeasurement) -> MeasuredCriterion | None:
    """The criterion that is shown by layer; None where none has layers."""
    drawn = {each.text: each for each in found.criteria if each.rows}
    if not drawn:
        return None
    chosen = st.segmented_control(
        "Criterion by layer",
        list(drawn),
        format_func=lambda text: drawn[text].name,
        default=next(iter(drawn)),
        required=True,
        key=f"by-layer-{','.join(drawn)}",
        help="Which criterion figure and table show by layer.",
    )
    return drawn[chosen]


def _by_layer(found: StoredMeasurement, chosen: MeasuredCriterion | None, provenance: Provenance) -> None:
    if chosen is None:
        st.info(
            "Safety coverage has no layers: a pattern is of all hidden neurons. Measure other criteria to see them."
        )
        return
    chart(
        exhibit("suite-coverage", (found, chosen), provenance, part=file_part(chosen.text)),
        key="suite-coverage",
        alt=f"Bars: share of test conditions of {chosen.name} that the suite covers, by layer",
    )


def _layers(found: StoredMeasurement, chosen: MeasuredCriterion | None) -> None:
    """The numbers of the figure by layer."""
    if chosen is None:
        return
    rows = [_layer_row(found, row) for row in chosen.rows]
    layer_table(rows, columns=COLUMNS, alt=f"{chosen.name} by layer")


def _layer_row(found: StoredMeasurement, row: MeasuredLayer) -> dict[str, object]:
    name, numbers = found.layers.get(row.layer, ""), {"Covered": row.ratio.counts, "Coverage": row.percent}
    if row.condition_layer is None:
        return {"Layer": str(row.layer), "Module": name, **numbers}
    modules = f"{found.layers.get(row.condition_layer, '')} → {name}"
    pair = layer_pair((row.condition_layer, row.layer))
    return {"Layer pair": pair, "Modules": modules, **numbers, "Joined pairs": f"{row.joined or 0:,}"}


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
                    _reader(file),
                    f"{measurement_id}{suffix}",
                    mime,
                    icon=":material/download:",
                    on_click="ignore",
                )


def _reader(file: Path):  # type: ignore[no-untyped-def]  # as st.download_button wants it
    return file.read_bytes


def _what_was_measured(measurement_id: str, found: StoredMeasurement) -> None:
    spec = found.spec
    with st.expander("What was measured", icon=":material/fact_check:"):
        rows = [
            ("Measurement", measurement_id),
            ("Date", f"{found.date} (UTC)"),
            ("Network", f"{spec.network}, fingerprint {found.fingerprints['network'][:12]}"),
            ("Suite", f"{spec.suite}, fingerprint {found.fingerprints['suite'][:12]}"),
            ("Reference data", _reference(found)),
            ("Criteria", "; ".join(_asked(found, each) for each in found.criteria)),
            ("Condition features", f"free, ω = {spec.omega:g}" if spec.feature_mode == "free" else "single neurons"),
            ("Versions", ", ".join(f"{name} {version}" for name, version in found.versions.items())),
        ]
        table(("What", "Value"), rows)


def _asked(found: StoredMeasurement, measured: MeasuredCriterion) -> str:
    """A criterion with its value functions, or its m, also where they are the usual ones."""
    parameters = found.parameters.get(measured.text)
    return f"{measured.key.upper()} ({parameters})" if parameters else measured.name


def _reference(found: StoredMeasurement) -> str:
    if "reference" not in found.fingerprints:
        return "none"
    return f"{found.spec.reference}, fingerprint {found.fingerprints['reference'][:12]}"
