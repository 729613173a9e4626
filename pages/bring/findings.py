"""Step 3: what the check does, and what it found."""

from __future__ import annotations

import streamlit as st

from dnncov_core.brought.drafts import Standing, cancel, start_check
from dnncov_core.brought.limits import MEMORY_GIB
from dnncov_core.brought.report import Choice, Report
from dnncov_core.figures.style import layer_pair
from dnncov_core.phrases.networks import equal_readings, helpless, right_answers
from dnncov_core.phrases.numbers import counted
from dnncov_core.ratios import Ratio
from dnncov_core.records import NetworkCard, State
from dnncov_core.types import Shape
from dnncov_core.workers import ACTIVE, WorkerStatus
from pages.shared.network import network_card
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import plain, say_error, table

DOING = {
    "network": "Loading the network, and comparing it with what its file says",
    "readings": "Trying the usual ways to read the data",
    "mends": "Writing what mends it",
}
"""What a worker does, by its own word."""
GONE = (
    f"The check ended without a word: it may have needed more than {MEMORY_GIB} GiB of memory. Take a smaller network,"
    " or fewer or smaller inputs."
)
MOST_PAIRS = 60
"""Layer pairs that are listed."""


def progress(draft_id: str, found: Standing) -> None:
    """How far the check is, or why it has no result, each with what can be done."""
    say_refusal(draft_id)
    if found.state is None or found.state is State.FINISHED:
        return
    with st.container(border=True):
        st.markdown("##### 3 · Check")
        _standing(draft_id, found)


def _standing(draft_id: str, found: Standing) -> None:
    if found.state in ACTIVE:
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch"):
                _bar(found.status)
            args = (draft_id, cancel, draft_id)
            st.button("Cancel", icon=":material/stop:", key="cancel-check", on_click=attempt, args=args)
        return
    if found.state is State.CANCELLED:
        st.info("The check was stopped. Both files are still here.", icon=":material/stop:")
    else:
        say_error((found.status.message if found.status else "") or GONE)
    args = (draft_id, start_check, draft_id)
    st.button("Check again", icon=":material/refresh:", key="check-again", on_click=attempt, args=args)


def _bar(status: WorkerStatus | None) -> None:
    if status is None or not status.total:
        st.progress(0.0, text="Starting …")
    else:
        st.progress(status.share, text=f"{DOING.get(status.doing) or plain(status.doing)} …")


def findings(report: Report) -> int | None:
    """What was found, and the choice of how both are taken, as a place in the report; None where there is none."""
    card = report.card
    with st.grid(4, min_column_width=160):
        st.metric("An input of the network", _size(card.input_shape), help=plain(report.layout) or None)
        st.metric("An input of the data", _size(report.shape), help=_of_data(report))
        st.metric(
            f"{right_answers(card)} as they are",
            _accuracy(report),
            help=f"Of {report.sample:,} inputs that were tried.",
        )
        st.metric("Layers", f"{len(card.layers)}", help=f"{len(card.edges)} layer pairs can be tested.")
    _verdict(report)
    for note in report.notes:
        st.caption(plain(note))
    if not report.choices:
        return None
    number = _choice(report) if len(report.choices) > 1 or report.choices[0].causes else 0
    chosen = report.choices[number]
    if chosen.inputs and chosen.correct < report.least * chosen.inputs:
        st.warning(
            "So read, the network is hardly better than guessing. Campaigns refuse it, since test pairs of a network"
            " that misreads its inputs mean nothing; what the data cover can be measured.",
            icon=":material/warning:",
        )
    with st.expander(f"{counted(len(card.layers), 'layer')}, {counted(len(card.edges), 'layer pair')}"):
        network_card(chosen.card)
        _layer_pairs(chosen.card)
    return number


def _size(shape: Shape) -> str:
    return " × ".join(f"{size:,}" for size in shape)


def _of_data(report: Report) -> str:
    return f"{report.inputs:,} inputs as {plain(report.kind)} from {report.low:g} to {report.high:g}."


def _accuracy(report: Report) -> str:
    if not report.labelled:
        return "no labels"
    return "do not fit" if report.correct is None else Ratio(report.correct, report.sample).percent


def _verdict(report: Report) -> None:
    """One sentence on whether the data have to be read another way."""
    if not report.labelled:
        then = "For a campaign, take the network's own decisions as labels below, or bring labels."
        if report.card.quantities:
            then = "In a campaign all of them are seeds."
        st.info(f"The data have no labels: what they cover can be measured. {then}", icon=":material/label_off:")
        if not report.inside:
            low, high = report.card.bounds
            st.warning(
                f"The data leave the bounds {low:g} to {high:g} that the network has, and it gets theirs: of each"
                " number the smallest and the largest value. Whether it was trained with such values cannot be told"
                " without labels. If you know its bounds, an .onnx or .pt2 file takes them under “What the file does"
                " not say”."
            )
    elif report.fine:
        others = counted(report.tried, "other way", "other ways")
        words = f"{_right(report)}, as they are; none of {others} to read them is clearly better."
        st.success(words, icon=":material/check_circle:")
    elif report.choices and report.choices[0].causes:
        now = "do not fit" if report.correct is None else f"give {_accuracy(report)}"
        if report.fits and not report.inside:
            low, high = report.card.bounds
            now += f", and leave the bounds {low:g} to {high:g} that the network has"
        best = report.choices[0]
        if best.correct < report.least * best.inputs:
            st.warning(f"As they are, the data {now}, and none of {_ways(report)} helps. {helpless(report.card)}")
        else:
            st.warning(f"As they are, the data {now}. Below is what mends it: it is written around your network.")
    else:
        st.warning(f"None of {_ways(report)} helps. {helpless(report.card)}", icon=":material/warning:")


def _right(report: Report) -> str:
    """On how many inputs the network is right, where nothing has to be mended."""
    right = "within its tolerances" if report.card.quantities else "right"
    return (
        f"The network is {right} on {report.correct:,} of {counted(report.sample, 'input')} tried ({_accuracy(report)})"
    )


def _ways(report: Report) -> str:
    return f"{counted(report.tried, 'usual way', 'usual ways')} to read the data"


def _choice(report: Report) -> int:
    """Ways to take both, the best one chosen."""
    choices = report.choices
    alike = sum(bool(each.causes and each.inputs) for each in choices)
    if alike > 1:
        st.markdown(equal_readings(alike))
    chosen: int = st.radio(
        "How to take them",
        range(len(choices)),
        format_func=lambda number: _label(choices[number]),
        captions=[plain("; ".join(each.mends)) for each in choices],
        key=f"choice-{report.card.fingerprint[:12]}-{len(choices)}",
        help="How accurate the network is with it, on the inputs that were tried.",
    )
    return chosen


def _label(choice: Choice) -> str:
    if choice.own_decisions:
        return "**Take the network's own decisions as labels**, for a campaign; accuracy then says nothing"
    if not choice.inputs:
        return "As they are, without labels"
    accuracy = f"**{choice.accuracy.percent}** ({choice.accuracy.counts})"
    said = "; ".join(choice.causes)
    return f"{accuracy} · {plain(said[0].upper() + said[1:])}" if said else f"{accuracy} · as they are"


def _layer_pairs(card: NetworkCard) -> None:
    rows = [
        (layer_pair(edge), f"{card.layer(edge[0]).neurons * card.layer(edge[1]).neurons:,}")
        for edge in card.edges[:MOST_PAIRS]
    ]
    table(("Layer pair", "Feature pairs of single neurons"), rows)
    if len(card.edges) > MOST_PAIRS:
        st.caption(f"And {len(card.edges) - MOST_PAIRS:,} more.")
