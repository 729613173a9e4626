"""Figures: each draws one table of `dnncov_core.statistics`, all in one style (`style`, `axes`).

A ``plot_`` function takes the table that it draws and ``source``, the second line of the title: network, criterion and
campaign, or what a comparison says of its campaigns. With ``log`` the distance axis is logarithmic, ``chosen`` names
the campaigns that are drawn (the first ones if empty), and with ``paper`` the paper's numbers stand beside.

Reading order:

``coverage``, ``adversarial``, ``distances``, ``gaps`` -- Plotly figures of campaigns, of measurements too;
``main_table``, ``layerwise``, ``top_weights``, ``programmes`` -- several campaigns beside each other; ``methods`` --
the four covering methods as pictures; ``relations`` -- the diagram of criteria; ``neurons``, ``plane`` -- two inputs of
a small network; ``pictures`` -- inputs as images.
"""

from __future__ import annotations

from dnncov_core.figures.adversarial import plot_adversarial, plot_controls
from dnncov_core.figures.coverage import plot_coverage, plot_suite_coverage
from dnncov_core.figures.distances import plot_distance_by_omega, plot_distance_curve, plot_layer_distances
from dnncov_core.figures.gaps import plot_gaps
from dnncov_core.figures.layerwise import SHARES, plot_layerwise
from dnncov_core.figures.main_table import plot_main_adversarial, plot_main_coverage
from dnncov_core.figures.methods import plot_method
from dnncov_core.figures.neurons import neurons_in_words, plot_neurons
from dnncov_core.figures.plane import plane_in_words, plot_plane
from dnncov_core.figures.programmes import plot_programmes
from dnncov_core.figures.relations import plot_relations, relations_in_words
from dnncov_core.figures.top_weights import plot_top_weights

__all__ = [
    "SHARES",
    "neurons_in_words",
    "plane_in_words",
    "plot_adversarial",
    "plot_controls",
    "plot_coverage",
    "plot_distance_by_omega",
    "plot_distance_curve",
    "plot_gaps",
    "plot_layer_distances",
    "plot_layerwise",
    "plot_main_adversarial",
    "plot_main_coverage",
    "plot_method",
    "plot_neurons",
    "plot_plane",
    "plot_programmes",
    "plot_relations",
    "plot_suite_coverage",
    "plot_top_weights",
    "relations_in_words",
]
