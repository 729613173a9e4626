"""A figure as one page that needs no network: Plotly's program, the data, the caption and the provenance inside."""

from __future__ import annotations

import html

import plotly.graph_objects as go
import plotly.io

from dnncov_core.export.origin import Origin

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width">
<meta name="description" content="{caption}">
<meta name="generator" content="{generator}">
<meta name="dcterms.created" content="{date}">
<meta name="dnncov" content="{provenance}">
<style>
body {{ margin: 24px auto; max-width: 1000px; padding: 0 16px; background: #fff; color: #3A3F47;
  font: 15px/1.5 "Source Sans", "Source Sans 3", Helvetica, Arial, sans-serif }}
figure {{ margin: 0 }}
</style>
</head>
<body>
<figure>
{figure}
<figcaption>{caption}</figcaption>
</figure>
</body>
</html>
"""


def page(figure: go.Figure, title: str, caption: str, known: Origin, name: str) -> bytes:
    """The page.

    Args:
        figure: what is shown.
        title: of the page.
        caption: below the figure.
        known: where the numbers come from.
        name: of the figure among the page's elements.
    """
    drawn = plotly.io.to_html(
        figure,
        config={"displaylogo": False, "responsive": True},
        include_plotlyjs=True,
        include_mathjax=False,
        full_html=False,
        div_id=name,
    )
    words = {"title": title, "caption": caption, "generator": known.version, "date": known.date}
    escaped = {key: html.escape(text) for key, text in words.items()}
    return PAGE.format(**escaped, provenance=html.escape(known.to_json()), figure=drawn).encode("utf-8")
