"""Figures: each draws one table of `dnncov_core.statistics`, all in one style (`style`, `axes`). Reading order:

``coverage``, ``adversarial``, ``controls``, ``distances``, ``spreads``, ``gaps`` -- Plotly figures of campaigns;
``main_table``, ``layerwise``, ``top_weights``, ``programmes`` -- of several beside each other; ``methods`` -- the four
covering methods as pictures; ``suites``, ``relations`` -- figures of measurements; ``neurons``, ``plane`` -- two inputs
of a small network; ``pictures`` -- inputs as images.
"""

from __future__ import annotations

from dnncov_core.figures.adversarial import plot_adversarial
from dnncov_core.figures.controls import plot_controls
from dnncov_core.figures.coverage import plot_coverage
from dnncov_core.figures.distances import plot_distance_curve
from dnncov_core.figures.gaps import plot_gaps
from dnncov_core.figures.layerwise import SHARES, plot_layerwise
from dnncov_core.figures.main_table import plot_main_adversarial, plot_main_coverage
from dnncov_core.figures.methods import plot_method
from dnncov_core.figures.neurons import neurons_in_words, plot_neurons
from dnncov_core.figures.plane import plane_in_words, plot_plane
from dnncov_core.figures.programmes import plot_programmes
from dnncov_core.figures.relations import plot_relations, relations_in_words
from dnncov_core.figures.spreads import plot_distance_by_omega, plot_layer_distances
from dnncov_core.figures.suites import plot_suite_coverage
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
