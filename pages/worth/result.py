"""What coverage is worth: the scatter of a criterion, all correlations, sentences, and generated inputs."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.worth import of_worth
from dnncov_core.phrases.numbers import counted, fingerprinted
from dnncov_core.worth.answer import by_criterion, name_of, numbers, overall, sentence
from dnncov_core.worth.tables import generated_rows, worth_plot
from dnncov_core.worth.worth_file import WorthFile
from pages.shared.captions import caption
from pages.shared.charts import chart
from pages.shared.downloads import export_page
from pages.shared.words import plain, table


def show_result(path: Path, found: WorthFile) -> None:
    """Everything about a worth."""
    spec, provenance, together = found.spec, of_worth(path, found), by_criterion(found.correlations)
    mutants, pool = counted(spec.mutants, "mutant"), counted(spec.inputs, "input")
    st.caption(plain(f"{fingerprinted(spec.network, spec.fingerprint)}, {mutants}, suites drawn from {pool}"))
    st.markdown(plain(overall(found.correlations)))
    left, right = st.columns(2)
    criterion = left.selectbox("Criterion", list(together), format_func=name_of, key="worth-criterion")
    sizes = [*spec.sizes, None]
    size = right.selectbox("Suites", sizes, format_func=_size, index=len(sizes) // 2 - 1, key="worth-size")
    drawn = chart(
        exhibit("worth", worth_plot(found, criterion, size), provenance),
        key="worth",
        alt="Marks, one a suite: its coverage, and the share of mutants that it kills",
    )
    st.subheader("What may be concluded by each criterion", anchor=False)
    for text, some in together.items():
        st.markdown(plain(sentence(some, name_of(text))))
    heads = ["Criterion", *(f"{each:,} inputs" for each in spec.sizes), "All sizes, partial"]
    rows = [dict(zip(heads, [name_of(text), *map(numbers, some)], strict=True)) for text, some in together.items()]
    st.dataframe(rows, hide_index=True, height="content", alt="Correlations of coverage and mutants killed")
    correlations = exhibit("worth-correlations", found.correlations, provenance)
    caption(correlations, "worth-correlations")
    exhibits = [drawn, correlations]
    if made := generated_rows(found):
        st.subheader("Generated inputs", anchor=False)
        heads = ["Inputs", "Run", "Mutants killed", "Labels differ"]
        table(heads, [[row.title, f"{row.inputs:,}", row.killed.counts, row.differs.counts] for row in made])
        exhibits.append(exhibit("worth-generated", made, provenance))
        caption(exhibits[-1], "worth-generated")
    export_page("worth", provenance, lambda: exhibits)


def _size(size: int | None) -> str:
    return "All sizes" if size is None else counted(size, "input")
