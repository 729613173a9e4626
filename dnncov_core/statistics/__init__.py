"""From a campaign's records to tables: plain numbers that figures, pages and exports share, so they cannot disagree.

Reading order: ``grouping`` -- by layer pair or by decision layer; ``coverage``, ``adversarial``, ``distances`` -- the
tables of one campaign; ``gaps`` -- what is not covered, and why; ``omegas`` -- distances of several campaigns
by the size of their features; ``samples`` -- what a random sample says of all; ``settings`` -- what campaigns were
asked, in words; ``differences``, ``main_table``, ``layerwise``, ``top_weights`` -- several campaigns beside each other.
"""

from __future__ import annotations

from dnncov_core.statistics.adversarial import (
    AdversarialRow,
    AdversarialTable,
    ControlRow,
    ControlTable,
    adversarial_of,
    adversarial_table,
    control_table,
)
from dnncov_core.statistics.coverage import (
    TARGET_OUTCOMES,
    CoverageRow,
    CoverageTable,
    counts_by_layer,
    coverage_table,
    has_grid,
    short_criterion,
)
from dnncov_core.statistics.differences import Difference, differences
from dnncov_core.statistics.distances import (
    MOST_STEPS,
    UNITS,
    DistanceCurve,
    DistanceRow,
    LayerDistanceTable,
    Spread,
    curves_by_unit,
    distance_curve,
    distance_table,
    has_pixels,
)
from dnncov_core.statistics.gaps import (
    Gap,
    GapCounts,
    GapMatrix,
    GapTable,
    every_gap,
    gap_matrix,
    gap_page,
    gap_table,
    grid_of,
    with_certificates,
)
from dnncov_core.statistics.grouping import By, Place, usual_grouping
from dnncov_core.statistics.layerwise import LayerSeries, LayerwiseTable, layerwise_table
from dnncov_core.statistics.main_table import MainCell, MainRow, MainTable, main_table, names_by_id
from dnncov_core.statistics.omegas import OmegaRow, OmegaTable, has_omega, omega_table, omega_tables
from dnncov_core.statistics.samples import Interval, curve_band, difference_interval, interval_of, is_random_sample
from dnncov_core.statistics.settings import names_apart, search_in_words, settings_in_words, title_of
from dnncov_core.statistics.top_weights import WeightsRow, weights_table

__all__ = [
    "MOST_STEPS",
    "TARGET_OUTCOMES",
    "UNITS",
    "AdversarialRow",
    "AdversarialTable",
    "By",
    "ControlRow",
    "ControlTable",
    "CoverageRow",
    "CoverageTable",
    "Difference",
    "DistanceCurve",
    "DistanceRow",
    "Gap",
    "GapCounts",
    "GapMatrix",
    "GapTable",
    "Interval",
    "LayerDistanceTable",
    "LayerSeries",
    "LayerwiseTable",
    "MainCell",
    "MainRow",
    "MainTable",
    "OmegaRow",
    "OmegaTable",
    "Place",
    "Spread",
    "WeightsRow",
    "adversarial_of",
    "adversarial_table",
    "control_table",
    "counts_by_layer",
    "coverage_table",
    "curve_band",
    "curves_by_unit",
    "difference_interval",
    "differences",
    "distance_curve",
    "distance_table",
    "every_gap",
    "gap_matrix",
    "gap_page",
    "gap_table",
    "grid_of",
    "has_grid",
    "has_omega",
    "has_pixels",
    "interval_of",
    "is_random_sample",
    "layerwise_table",
    "main_table",
    "names_apart",
    "names_by_id",
    "omega_table",
    "omega_tables",
    "search_in_words",
    "settings_in_words",
    "short_criterion",
    "title_of",
    "usual_grouping",
    "weights_table",
    "with_certificates",
]
