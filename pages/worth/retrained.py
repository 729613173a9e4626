"""What training further with test pairs changed: the comparisons of the user's folder of retrainings."""

from __future__ import annotations

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.retrained import of_retrained
from dnncov_core.phrases.numbers import counted, fingerprinted
from dnncov_core.retraining.outcome import ARMS, NONE, outcomes, read
from dnncov_core.retraining.words import conclusions, difference, mean, title
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
    heads = ["Measure", "Before", *(f"{arm.title}, mean" for arm in ARMS.values())]
    rows = [
        [title(each).capitalize(), found.before[each].display(), *(mean(found.mean(arm, each)) for arm in ARMS)]
        for each in found.before
    ]
    table(heads, rows)
    apart = {title(each): {arm: found.difference(arm, each) for arm in ARMS if arm != NONE} for each in found.before}
    table(
        ["Against the training data alone", *(ARMS[arm].title for arm in ARMS if arm != NONE)],
        [[name.capitalize(), *map(difference, by_arm.values())] for name, by_arm in apart.items()],
    )
