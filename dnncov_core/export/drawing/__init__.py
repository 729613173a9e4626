"""Plotly figures drawn by Matplotlib, for paper: no browser, no network, the same numbers, colours and second cues.

Only what the figures of this package use is understood; whatever else a figure holds is refused by its name with a
`NotDrawnError`, so that nothing is ever left out silently. Reading order:

``properties`` -- what a figure says, each property taken once; ``translation`` -- Plotly's colours, symbols, dashes and
hatching in Matplotlib's words; ``text`` -- lines and fonts; ``axes`` -- places on axes and their ticks; ``lines``,
``bars``, ``cells``, ``labels`` -- traces and their text; ``page`` -- sizes, and the legend; ``draw`` -- all of it.
"""
