"""The test conditions that a suite does not cover: counted, as a table to read and to search for, and as arrays.

A row of the table says all that a campaign has to know, so that rows can be left out in any spreadsheet.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from dnncov_core.arrays import Array, npz_array, npz_names
from dnncov_core.campaign.spec import FUNCTION_PARAMETERS, CampaignSpec
from dnncov_core.criteria import NO_EFFECT, CoveringMethod
from dnncov_core.errors import DataError, SpecificationError, reason_of
from dnncov_core.features import LISTED, FeaturePairs
from dnncov_core.outside_values import named, shown
from dnncov_core.record_files import writing
from dnncov_core.records import FINGERPRINT_SHOWN, SuiteGaps
from dnncov_core.suites.criterion_names import AskedCriterion, LemmaFunction, parse
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement
from dnncov_core.types import IntArray

if TYPE_CHECKING:
    from dnncov_core.suites.edge_coverage import EdgeCoverage
    from dnncov_core.suites.measurement import Measurement

COUNTS = ("total", "covered")
FACTS = ("features", "suite", "suite_fingerprint", "network", "reference", *COUNTS)
"""Columns that are alike in all rows of a criterion: how features were formed, and most of `SuiteGaps`."""
COLUMNS = ("criterion", *LISTED, *FACTS)
FREE = "free"
"""What stands in the table for a free condition feature."""
MOST_LISTED = 5_000_000
"""Feature pairs that are listed at most."""
MOST_DIGITS = 18
"""Of a number in the table."""
OpenConditions = Mapping[str, IntArray]
"""By the text of a criterion, its test conditions that are not covered, ``(n, 5)``, the columns `LISTED`."""


def is_listed(text: str) -> bool:
    """Whether campaigns can be asked for the test conditions of a criterion.

    >>> [is_listed(text) for text in ("ss", "sv:ratio=3", "sv:nb", "tn:2")]
    [True, True, False, False]
    """
    (asked,) = parse(text, reference="")
    return isinstance(asked.method, CoveringMethod) and LemmaFunction.read(text.partition(":")[2]) is None


def check_listed(asked: Sequence[AskedCriterion], pairs: FeaturePairs) -> None:
    """Refuses a list of test conditions of criteria that have none, or of too many.

    Raises:
        SpecificationError: they have none, or are too many.
    """
    if not any(is_listed(each.text) for each in asked):
        got = ", ".join(each.text for each in asked)
        raise SpecificationError("criteria with feature pairs to list, ss, vs, sv or vv", got, "name one of these too")
    if len(pairs) > MOST_LISTED:
        fix = "choose some layers with --layers or --condition-layers"
        raise SpecificationError(f"a list of at most {MOST_LISTED:,} feature pairs", f"{len(pairs):,}", fix)


def open_conditions(found: Measurement, pairs: FeaturePairs) -> dict[str, IntArray]:
    """What a measurement found no witness for, by criterion; ``pairs`` are all of the network, whose ordinals count."""
    asked = (result for result in found.results if is_listed(result.asked.text))
    return {result.asked.text: _open(result.edges, pairs) for result in asked}


def _open(edges: Sequence[EdgeCoverage], pairs: FeaturePairs) -> IntArray:
    parts = [np.empty((0, len(LISTED)), np.int64)]
    for each in edges:
        width = len(each.witnesses.lacking(0))
        conditions = range(pairs.range_of(each.edge)[1] // width)
        parts.append(pairs.listed(each.edge, np.stack([each.witnesses.lacking(feature) for feature in conditions])))
    return np.concatenate(parts)


def gaps_of(found: StoredMeasurement, criterion: MeasuredCriterion, listed: int) -> SuiteGaps:
    """What a campaign records of the measurement that left ``listed`` of its test conditions open."""
    assert criterion.total is not None
    prints = {name: print_[:FINGERPRINT_SHOWN] for name, print_ in found.fingerprints.items()}
    return SuiteGaps(
        suite=found.spec.suite,
        suite_fingerprint=prints["suite"],
        network=prints["network"],
        reference=prints.get("reference", ""),
        total=criterion.total,
        covered=int(criterion.covered),
        listed=listed,
    )


def campaign_for(
    found: StoredMeasurement, criterion: MeasuredCriterion, *, listed: int, data: str, **chosen: Any
) -> CampaignSpec:
    """The campaign that asks for ``listed`` test conditions that the suite does not cover, with the ``chosen`` search.

    Raises:
        SpecificationError: choices that no campaign can have.
    """
    (asked,) = parse(criterion.text, found.spec.reference)
    assert isinstance(asked.method, CoveringMethod)
    own, functions = asked.method.own_function, dict[str, Any]()
    if own is not None:
        functions = {name: value for name, value in vars(own).items() if name in FUNCTION_PARAMETERS}
        functions |= {"value_function": own.name, "reference": found.spec.reference if asked.by_reference else None}
    return CampaignSpec(
        found.spec.network,
        data,
        criterion.key,
        feature_mode=found.spec.feature_mode,
        omega=found.spec.omega,
        suite_gaps=gaps_of(found, criterion, listed),
        **functions,
        **chosen,
    )


def is_about(spec: CampaignSpec, found: StoredMeasurement, criterion: MeasuredCriterion) -> bool:
    """Whether a campaign asks for what a measurement, or one like it, found open."""
    gaps = spec.suite_gaps
    if gaps is None or replace(gaps, listed=0) != gaps_of(found, criterion, 0):
        return False
    return _method(criterion.text, spec.reference) == replace(spec.covering_method(), effect=NO_EFFECT)


def save(path: Path, found: StoredMeasurement, conditions: OpenConditions) -> None:
    """Writes them as a table for `read_table`, or into an ``.npz`` file for `load_list`.

    Raises:
        DataError: the file cannot be written.
    """
    with writing("--open"):
        if path.suffix == ".npz":
            np.savez_compressed(path, allow_pickle=False, **conditions)
            return
        with path.open("w", newline="", encoding="utf-8") as file:
            write_table(file, found, conditions)


def load_list(path: Path, criterion: MeasuredCriterion) -> IntArray:
    """The test conditions of a criterion that `save` wrote into an ``.npz`` file, ``(n, 5)``, the columns `LISTED`.

    Raises:
        DataError: no such file, a damaged one, or that of another measurement.
    """
    rows: Array = npz_array(path, criterion.text) if criterion.text in npz_names(path) else np.empty(0)
    if rows.dtype != np.int64 or rows.shape != ((criterion.total or 0) - criterion.covered, len(LISTED)):
        expected = f"the list of test conditions of {criterion.name} that are not covered"
        raise DataError(expected, f"something else in {path.name}", "measure again")
    return rows


def write_table(file: TextIO, found: StoredMeasurement, conditions: OpenConditions) -> None:
    """A row for each test condition; neurons are numbered from 0 within their layer, a free feature is ``free``."""
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    features = _features(found.spec.feature_mode, found.spec.omega)
    for criterion in found.criteria:
        rows = conditions.get(criterion.text, np.empty((0, len(LISTED)), np.int64))
        if len(rows):
            known = vars(gaps_of(found, criterion, len(rows)))
            facts = [features, *(known[name] for name in FACTS[1:])]
            for ordinal, k, feature, layer, decision in rows.tolist():
                named = feature if found.spec.feature_mode == "neuron" else FREE
                writer.writerow((criterion.text, ordinal, k, named, layer, decision, *facts))


def _features(mode: str, omega: float) -> str:
    return mode if mode == "neuron" else f"{mode} {omega:g}"


def read_table(path: Path, spec: CampaignSpec) -> tuple[CampaignSpec, IntArray]:
    """The test conditions of a table that a campaign can ask about; and the campaign with the record of them.

    Raises:
        DataError: no such table, a damaged one, or one of several measurements.
        SpecificationError: test conditions of other criteria or features than those of the campaign.
    """
    method = replace(spec.covering_method(), effect=NO_EFFECT)
    is_same = cache(lambda text: _method(text, spec.reference) == method)
    numbers, facts, others = array("q"), set[tuple[str, ...]](), dict[str, None]()
    for criterion, listed, known in _lines(path):
        if is_same(criterion):
            numbers.extend(listed)
            facts.add(known)
        else:
            others[criterion] = None
    if not facts:
        got = ", ".join(others) or "none"
        expected = f"test conditions of {method.title}{f' ({method.functions})' if method.functions else ''}"
        raise SpecificationError(f"{expected} in {path.name}", got, "choose the same --criterion, or another file")
    if len(facts) > 1:
        raise DataError(f"test conditions of one measurement in {path.name}", f"{len(facts)}", "take a file of each")
    rows = np.array(numbers, np.int64).reshape(-1, len(LISTED))
    features, suite, suite_print, network, reference, total, covered = facts.pop()
    if features != (asked := _features(spec.feature_mode, spec.omega)):
        fix = "choose the same --feature-mode and --omega, or another file"
        raise SpecificationError(f"test conditions with features as asked for ({asked}) in {path.name}", features, fix)
    gaps = SuiteGaps(suite, suite_print, network, reference, int(total), int(covered), len(rows))
    if gaps.listed > gaps.total - gaps.covered:
        got = f"{gaps.listed:,} of {gaps.total:,}, of which {gaps.covered:,} are covered"
        raise DataError(f"test conditions in {path.name} that are not covered", got, "measure again")
    return replace(spec, suite_gaps=gaps), rows


def _method(text: str, reference: str | None) -> object:
    """The covering method that a criterion in the table stands for; None where it is none."""
    try:
        return parse(text, reference)[0].method
    except SpecificationError:
        return None


Line = tuple[str, tuple[int, ...], tuple[str, ...]]
"""A row of the table: its criterion, `LISTED`, and `FACTS`."""


def _lines(path: Path) -> Iterator[Line]:
    """The rows of a table, whatever other columns it has."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            table = csv.DictReader(file)
            if missing := [name for name in COLUMNS if name not in (table.fieldnames or ())]:
                raise ValueError(f"no column {missing[0]}")
            for place, row in enumerate(table, 2):
                yield named(f"line {place}", _line, row)
    except (OSError, ValueError, csv.Error) as error:
        got = f"{path.name} ({reason_of(error)})"
        fix = "take the table as dnncov measure --open wrote it, with rows left out at most"
        raise DataError("a table of test conditions that a suite does not cover", got, fix) from error


def _line(row: Mapping[str, str]) -> Line:
    if None in row.values():
        raise ValueError("too few cells")
    numbers = tuple(_number(row[name]) for name in (*LISTED, *COUNTS))
    return row["criterion"], numbers[: len(LISTED)], tuple(row[name] for name in FACTS)


def _number(word: str) -> int:
    """A number of the table; a free feature is the only one of its layer."""
    if word == FREE:
        return 0
    if not (word.isdecimal() and word.isascii() and len(word) <= MOST_DIGITS):
        raise ValueError(f"{shown(word)} instead of a whole number")
    return int(word)
