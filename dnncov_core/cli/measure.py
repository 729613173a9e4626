"""``dnncov measure``: how much of a network given inputs cover."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dnncov_core import registry
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.cli.bars import ShareBar, say_note
from dnncov_core.cli.gate import MEASUREMENT_GATE, demands_of, judged, status_of, with_verdicts
from dnncov_core.cli.options import (
    ASKED_NETWORK,
    DEVICE,
    JSON,
    WORKER,
    Option,
    choices,
    file_to_write,
    option_of,
    say,
    subcommand,
)
from dnncov_core.criteria import CRITERIA, EFFECTS
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.gate.coverage import Counts, of_measurement
from dnncov_core.gate.demands import Verdict
from dnncov_core.jobs import reporting
from dnncov_core.phrases.numbers import counted
from dnncov_core.suites.criterion_names import ALL, DEFAULT, MODES, SAFETY, AskedCriterion
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer, StoredMeasurement, write
from dnncov_core.suites.open_conditions import MOST_LISTED, OpenConditions, check_listed, open_conditions, save
from dnncov_core.suites.remarks import classified, left_out, lower_bounds, no_pairs, not_monotone, same_inputs
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.workers import Reporter

if TYPE_CHECKING:
    from dnncov_core.suites.asked_measurement import AskedMeasurement

_WITH_FUNCTIONS = ", ".join(key for key, method in CRITERIA.items() if method.own_function is not None)


@subcommand(
    ASKED_NETWORK,
    Option(
        "--suite",
        required=True,
        metavar="DATA",
        help="the inputs: a name, a file (.npz, .csv, .parquet), a folder, or a campaign",
    ),
    Option(
        "--criteria",
        default=DEFAULT,
        metavar="LIST",
        help=f"some of {', '.join(ALL)}, separated by commas (default: %(default)s); each of {_WITH_FUNCTIONS} takes"
        " a value function (sv:ratio=3, sv:upper_boundary; for the paper's lemmas sv:nb, vv:nb, sv:mn=3/10, vv:mn=3/10,"
        " vs:tn=2 and vv:tn=2), tn, tknc, mn and kmnc take their m (tn:2, mn:10), and lsc, dsc and mdsc their m, upper"
        " bound and layer (lsc:m=100/upper=50/layer=3)",
    ),
    Option(
        "--reference",
        metavar="DATA",
        help="training data, from which nb, snac, nbc, mn, kmnc and upper_boundary take the range of each neuron, and"
        " with which lsc, dsc and mdsc compare",
    ),
    Option(
        "--layers",
        metavar="LIST",
        help="only layer pairs with these decision layers: numbers, or names of modules, which stand for each layer"
        " within them, separated by commas; criteria of single neurons count all layers",
    ),
    Option("--condition-layers", metavar="LIST", help="only layer pairs with these condition layers, likewise"),
    Option("--feature-mode", default="neuron", help=f"condition features: {choices(MODES)}"),
    option_of(PARAMETERS["omega"]),
    Option(
        "--effect",
        default=MeasurementSpec.effect,
        help="tell beside it which test conditions are covered with this effect of the condition, and keep witnesses"
        f" that show it: {choices(EFFECTS)}",
    ),
    DEVICE,
    Option(
        "--witnesses",
        type=file_to_write,
        metavar="FILE.csv",
        help="write which two inputs of the suite meet each test condition, as row numbers, and whether the"
        " condition's change is needed and sufficient",
    ),
    Option(
        "--open",
        type=file_to_write,
        metavar="FILE.csv",
        help="write the test conditions of ss, vs, sv and vv that the suite does not cover, as dnncov run --conditions"
        " reads them",
    ),
    Option(
        "--out",
        type=file_to_write,
        metavar="FILE.json",
        help="write the numbers to a file, with what they were measured on",
    ),
    *WORKER,
    JSON,
    *MEASUREMENT_GATE,
)
def command(options: argparse.Namespace) -> int | None:
    """Measure how much of a network given inputs cover."""
    spec = MeasurementSpec(**{each.name: getattr(options, each.name) for each in dataclasses.fields(MeasurementSpec)})
    with reporting(options.status, spec.network, spec.suite, spec.reference, attended=options.attended) as reporter:
        found, verdicts = _measure(options, spec, reporter)
    say(options.json, with_verdicts(found.summary, verdicts), _lines(found.stored))
    return status_of(verdicts)


def _measure(
    options: argparse.Namespace, spec: MeasurementSpec, reporter: Reporter
) -> tuple[AskedMeasurement, list[Verdict]]:
    """Measures, writes the files that were asked for, and judges."""
    asked = spec.asked()  # before PyTorch, which takes seconds to load
    demands = demands_of(options, [each.text for each in asked if each.has_total])

    from dnncov_core.suites.asked_measurement import measure_as_asked
    from dnncov_core.suites.summary import save_witnesses

    if spec.used() != spec:
        print(f"reference data are left out: none of {spec.criteria} needs them", file=sys.stderr)
    with redirect_stdout(sys.stderr), ShareBar(reporter.tell) as show:
        network = registry.open_network(spec.network)[0]
        to_open = _to_open(options, asked, spec.pairs(network))
        say_note(registry.class_order(spec.suite, network.classes))
        found = measure_as_asked(spec, network=network, on_progress=show)
    if options.witnesses is not None:
        n = save_witnesses(found.found, found.pairs, options.witnesses)
        print(f"{counted(n, 'witness', 'witnesses')} in {options.witnesses.name}", file=sys.stderr)
    same = found.reference is not None and found.reference.fingerprint == found.suite.fingerprint
    if same and (words := same_inputs(each.text for each in asked)):
        print(f"warning: {words}", file=sys.stderr)
    listed = to_open is not None or (demands.junit is not None and len(found.pairs) <= MOST_LISTED)
    everything = FeaturePairs(network.layers, network.edges, mode=spec.feature_mode, omega=spec.omega)
    conditions = open_conditions(found.found, everything) if listed else {}
    if to_open is not None:
        _save_open(to_open, found.stored, conditions)
    if options.out is not None:  # last: its file says that the measurement is finished
        write(options.out, found.document)
    return found, judged(demands, lambda: of_measurement(found.stored), partial(_open_lines, conditions))


def _open_lines(conditions: OpenConditions, row: Counts, most: int) -> list[str]:
    """The first feature pairs of a layer pair that are not covered; none of single neurons, which are not listed."""
    if (listed := conditions.get(row.criterion)) is None:
        return []
    k, layer = map(int, row.place.split(" to "))
    here = listed[(listed[:, 1] == k) & (listed[:, 3] == layer)][:most].tolist()
    return [
        f"ordinal {n}, condition feature {i} of layer {k}, decision feature {j} of layer {layer}"
        for n, _, i, _, j in here
    ]


def _to_open(options: argparse.Namespace, asked: Sequence[AskedCriterion], pairs: FeaturePairs) -> Path | None:
    """Where what is not covered is written. The app always asks for it, and does without where it cannot be."""
    try:
        if options.open is not None:
            check_listed(asked, pairs)
    except SpecificationError:
        if not options.attended:
            raise
        return None
    found: Path | None = options.open
    return found


def _save_open(path: Path, found: StoredMeasurement, conditions: OpenConditions) -> None:
    save(path, found, conditions)
    n = sum(map(len, conditions.values()))
    print(f"{counted(n, 'test condition')} that the suite does not cover in {path.name}", file=sys.stderr)


def _lines(found: StoredMeasurement) -> list[str]:
    """A measurement for people."""
    spec, inputs, criteria = found.spec, found.inputs, found.criteria
    reference = "" if spec.reference is None else f", reference data {spec.reference}"
    effect = f"with effect ({spec.effect})" if any(each.shown for each in criteria) else ""
    lines = [
        f"{spec.suite}, {counted(inputs, 'input')} ({classified(found.misclassified, spec.suite)}), on {spec.network}"
        f"{reference}; {found.seconds:.1f} s",
        "",
        f"{'criterion':<20} {'layers':>8} {'covered':>22}  {'coverage':<10}  {effect}".rstrip(),
    ]
    for each in criteria:
        lines.append(_coverage_line(each.text, "all", each))
        lines += [_coverage_line("", row.place, row) for row in each.readable.rows]
    lines += lower_bounds(criteria) + left_out(criteria) + not_monotone(criteria)
    return lines + no_pairs(inputs, criteria, spec.feature_mode)


def _coverage_line(name: str, layers: str, found: MeasuredCriterion | MeasuredLayer) -> str:
    if found.ratio is None:
        number = f"{name:<20} {layers:>8} {found.percent.removesuffix(' patterns'):>22}"
        return f"{number}  sign patterns; their total number is not known" if found.key == SAFETY else number
    shown = "" if found.shown is None else f"{found.shown.percent:<10} {found.shown.covered:,}"
    return f"{name:<20} {layers:>8} {found.ratio.counts:>22}  {found.percent:<10}  {shown}".rstrip()
