"""Figures: each draws one table of `dnncov_core.statistics`, all in one style (`style`, `axes`). Reading order:

``coverage``, ``adversarial``, ``controls``, ``distances``, ``spreads``, ``gaps`` -- Plotly figures of campaigns;
``suites``, ``relations`` -- figures of measurements; ``neurons``, ``plane`` -- two inputs of a small network;
``pictures`` -- inputs as images.
"""

from __future__ import annotations

from dnncov_core.figures.adversarial import plot_adversarial
from dnncov_core.figures.controls import plot_controls
from dnncov_core.figures.coverage import plot_coverage
from dnncov_core.figures.distances import plot_distance_curve
from dnncov_core.figures.gaps import plot_gaps
from dnncov_core.figures.neurons import neurons_in_words, plot_neurons
from dnncov_core.figures.plane import plane_in_words, plot_plane
from dnncov_core.figures.relations import plot_relations, relations_in_words
from dnncov_core.figures.spreads import plot_distance_by_omega, plot_layer_distances
from dnncov_core.figures.suites import plot_suite_coverage

__all__ = [
    "neurons_in_words",
    "plane_in_words",
    "plot_adversarial",
    "plot_controls",
    "plot_coverage",
    "plot_distance_by_omega",
    "plot_distance_curve",
    "plot_gaps",
    "plot_layer_distances",
    "plot_neurons",
    "plot_plane",
    "plot_relations",
    "plot_suite_coverage",
    "relations_in_words",
]
