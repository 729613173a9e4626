"""Export: figures, tables and test pairs as files, made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from dnncov_core.campaign.library import open_campaign
from dnncov_core.export.exhibits import Exhibit, campaign_exhibits
from dnncov_core.export.folder import File, files, pair_png, zipped
from dnncov_core.export.formats import FORMATS, WIDTHS, drawn_by, fits
from dnncov_core.export.pairs import pairs_bytes
from dnncov_core.export.provenance import Origin, Provenance
from dnncov_core.figures.pictures import is_picture
from dnncov_core.phrases.caption import Caption
from dnncov_core.records import NetworkCard, TestPair
from pages.shared.frame import skip_to

USUAL = ("svg", "pdf", "png", "csv")
"""Formats of a page unless others are chosen."""
MIME = {"npz": "application/octet-stream", "zip": "application/zip"} | {
    key: FORMATS[key].mime for key in ("png", "svg")
}
ABOUT_PICTURES = (
    f"{drawn_by()} A PNG has 300 dpi; an HTML page is interactive, as on the screen. All show the numbers of the table,"
    " and say in the file where they come from."
)
ABOUT_CSV = (
    "A CSV file has the numbers alone; JSON and Parquet files say where they come from, and so does a page's ZIP file."
)


def export_figure(exhibit: Exhibit, key: str) -> None:
    """A button that opens formats, width and caption of one figure or table."""
    kinds = "picture, page or table" if exhibit.has_figure else "table"
    what = f"{exhibit.kind.title}: {kinds} as a file, and a caption."
    with st.popover("Export", icon=":material/download:", type="tertiary", key=f"export-{key}", help=what):
        width = _width(key) if exhibit.has_figure else 0.0
        with st.container(horizontal=True, gap="small"):
            for name, form in FORMATS.items():
                if fits(exhibit, name):
                    st.download_button(
                        form.title,
                        partial(form.write, exhibit, width),
                        f"{exhibit.provenance.id}-{exhibit.stem}.{name}",
                        form.mime,
                        key=f"export-{key}-{name}",
                        on_click="ignore",
                    )
        st.caption(f"{ABOUT_PICTURES} {ABOUT_CSV}" if exhibit.has_figure else ABOUT_CSV)
        _caption(exhibit.caption())


def _width(key: str) -> float:
    """Width of pictures in millimetres."""
    chosen = st.segmented_control(
        "Width of pictures",
        list(WIDTHS),
        format_func=lambda name: f"{name.capitalize()}, {WIDTHS[name]:g} mm",
        default=next(iter(WIDTHS)),
        required=True,
        key=f"export-{key}-width",
    )
    return WIDTHS[chosen]


def export_page(name: str, provenance: Origin, exhibits: Callable[[], Sequence[Exhibit]]) -> None:
    """A button that opens the export of a page: its ``exhibits``, once somebody asks for them, as one ZIP file."""
    place = st.container(key=skip_to("export"))
    with place.popover("Export this page", icon=":material/folder_zip:", key=f"export-page-{name}"):
        chosen = st.pills(
            "Formats",
            list(FORMATS),
            format_func=lambda key: FORMATS[key].title,
            selection_mode="multi",
            default=USUAL,
            key=f"export-page-{name}-formats",
        )
        width = _width(f"page-{name}")
        st.download_button(
            "Download ZIP",
            lambda: zipped(files(exhibits(), list(chosen), width), provenance),
            f"{provenance.id}-{name}.zip",
            "application/zip",
            icon=":material/download:",
            key=f"export-page-{name}-zip",
            disabled=not chosen,
            on_click="ignore",
        )
        st.caption(f"{ABOUT_PICTURES} Captions and provenance are files of their own.")


def of_campaign_now(campaign_id: str, *names: str) -> list[Exhibit]:
    """What a campaign has of these figures and tables at this moment."""
    with open_campaign(campaign_id) as store, store.at_one_moment():
        return campaign_exhibits(store, names)


def export_pairs(
    provenance: Provenance, card: NetworkCard, pairs: Sequence[TestPair], *, of_all: int | None = None
) -> None:
    """A button that opens the export of test pairs: pictures of those that a page shows, arrays of all.

    ``of_all`` is how many the campaign has; without it, the one that is shown is exported alone, with a caption.
    """
    alone, drawn = of_all is None, is_picture(card)
    key = "pair" if alone else "pairs"
    stem = f"{provenance.id}-pair-{pairs[0].target.ordinal}" if alone else f"{provenance.id}-pairs"
    place = st.container(key=skip_to("export"))
    with place.popover("Export", icon=":material/download:", type="tertiary", key=f"export-{key}"):
        width = _width(key)
        pictures = [
            File(f"{pair.target.ordinal}.png", partial(pair_png, pair, card, provenance, width)) for pair in pairs
        ]
        with st.container(horizontal=True, gap="small"):
            if alone:
                _file("PNG", pictures[0].content, f"{stem}.png", key=f"export-{key}-png")
                if not drawn:
                    svg = partial(_pair_svg, pairs[0], card, provenance, width)
                    _file("SVG", svg, f"{stem}.svg", key=f"export-{key}-svg")
            else:
                content = lambda: zipped(iter(pictures), provenance)
                _file(f"PNG, the {len(pairs):,} shown (ZIP)", content, f"{stem}.zip", key=f"export-{key}-png")
            label = "NPZ" if alone else f"NPZ, all {of_all:,}"
            _file(
                label, lambda: _arrays(provenance.id, pairs if alone else None), f"{stem}.npz", key=f"export-{key}-npz"
            )
        shown = (
            "seed, generated input and difference, enlarged without smoothing" if drawn else "what moved, and how far"
        )
        st.caption(
            f"Pictures show {shown}. The NumPy file holds the exact values, neurons, and the seeds' rows in the data."
        )
        if alone:
            _caption(_pair_caption(pairs[0], card, provenance))


def _caption(told: Caption) -> None:
    """Its first sentence, which often suffices, and all of it; each with a button that copies it."""
    st.markdown("**Caption in short**")
    st.code(told.summary, language=None, wrap_lines=True)
    st.markdown("**Caption in full**")
    st.code(str(told), language=None, wrap_lines=True)


def _file(label: str, content: Callable[[], bytes], name: str, *, key: str) -> None:
    """A button that makes a file and hands it over; the name's ending says which kind it is."""
    st.download_button(label, content, name, MIME[name.rpartition(".")[2]], key=key, on_click="ignore")


def _pair_svg(pair: TestPair, card: NetworkCard, provenance: Provenance, width: float) -> bytes:
    from dnncov_core.export.pair_plots import pair_plot  # Matplotlib only where it is needed

    return pair_plot(pair, card, provenance, width, "svg")


def _pair_caption(pair: TestPair, card: NetworkCard, provenance: Provenance) -> Caption:
    from dnncov_core.export.pair_plots import plot_caption  # Matplotlib only where it is needed
    from dnncov_core.export.pictures import pair_caption

    return (pair_caption if is_picture(card) else plot_caption)(pair, card, provenance)


def _arrays(campaign_id: str, pairs: Sequence[TestPair] | None) -> bytes:
    with open_campaign(campaign_id) as store:
        return pairs_bytes(store, pairs)
