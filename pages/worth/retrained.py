"""What training further with test pairs changed: the comparisons of the user's folder of retrainings."""

from __future__ import annotations

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.retrained import of_retrained
from dnncov_core.phrases.numbers import counted, fingerprinted
from dnncov_core.retraining.outcome import ARMS, NONE, outcomes, read
from dnncov_core.retraining.words import conclusions, difference, heading, mean
from pages.shared.charts import chart
from pages.shared.words import plain, say_error, table


def retrained() -> None:
    """Table, figure and sentences of one comparison; nothing where there is none."""
    there = outcomes()
    if not there:
        return
    st.header("Training further with test pairs", anchor="retraining")
    path = there[str(st.selectbox("Retraining", list(there), key="retraining"))]
    try:
        found = read(path)
    except DnncovError as error:
        say_error(error)
        return
    about = f"{counted(found.sizes.pairs, 'test pair')}, {counted(found.spec.repeats, 'repeat')} of each way to train"
    st.caption(plain(f"{fingerprinted(found.sources.network, found.sources.fingerprint)}, {about}"))
    alt = "Marks with intervals: how far each way to train further is from the training data alone"
    chart(exhibit("retrained", found, of_retrained(path, found)), key="retrained", alt=alt)
    for text in conclusions(found):
        st.markdown(plain(text))
    rows = []
    for measure, before in found.before.items():
        rows.append((heading(measure), "before", before.display(), ""))
        for arm, way in ARMS.items():
            apart = "" if arm == NONE else difference(found.difference(arm, measure))
            rows.append(("", way.title, mean(found.mean(arm, measure)), apart))
    table(("Measure", "Trained with", "Mean (95 % interval)", "Against the training data alone"), rows)
