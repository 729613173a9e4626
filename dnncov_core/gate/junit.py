"""Coverage as a JUnit file, which services of continuous integration show: a test case for each layer pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from xml.etree import ElementTree

from dnncov_core.gate.coverage import Counts, Coverage
from dnncov_core.gate.demands import Verdict, failures, unfinished
from dnncov_core.phrases.numbers import agreeing, out_of
from dnncov_core.ratios import Ratio

MOST_LISTED = 20
"""Open test conditions of a layer pair that are listed; of the others it is said how many there are."""
Listed = Callable[[Counts, int], Iterable[str]]
"""Lines about the first open test conditions of a layer pair, at most so many."""


def junit(coverage: Coverage, verdicts: Sequence[Verdict], listed: Listed) -> str:
    """A test case for each layer pair and criterion, which fails where conditions are open, and one for each verdict.

    Where a gate was asked and passes, none fails, so that the file and the exit status agree: what is open is then the
    output of its test case. A campaign that is not finished has a failure that says so, whatever was asked.
    """
    suite = ElementTree.Element("testsuite", name=_text(coverage.name), time=f"{coverage.seconds:.3f}")
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in coverage.facts.items():
        ElementTree.SubElement(properties, "property", name=name, value=_text(value))
    fails, network = not verdicts or bool(failures(verdicts)), coverage.facts["network"]
    for row in coverage.rows:
        case = _case(suite, f"{network}.{row.criterion}", row.where)
        if row.open:
            message = f"{out_of(Ratio(row.open, row.total), 'test condition')} {agreeing(row.open, 'is', 'are')} open"
            more = [f"and {row.open - MOST_LISTED:,} more"] if row.open > MOST_LISTED else []
            _say(case, message, [*listed(row, MOST_LISTED), *more], failed=fails)
    for verdict in verdicts or unfinished(coverage):
        _say(_case(suite, f"{network}.gate", verdict.demand), verdict.words, [], failed=not verdict.passed)
    for name, path in (("tests", "testcase"), ("failures", "testcase/failure")):
        suite.set(name, str(len(suite.findall(path))))
    whole = ElementTree.Element("testsuites")
    whole.append(suite)
    ElementTree.indent(whole)
    text: bytes = ElementTree.tostring(whole, "utf-8", xml_declaration=True)
    return text.decode() + "\n"


def _case(suite: ElementTree.Element, group: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=_text(group), name=_text(name), time="0")


def _say(case: ElementTree.Element, message: str, lines: Iterable[str], *, failed: bool) -> None:
    into = ElementTree.SubElement(case, "failure" if failed else "system-out")
    if failed:
        into.set("message", _text(message))
    into.text = "\n".join(map(_text, (message, *lines)))


def _text(text: str) -> str:
    """Text without what XML cannot hold."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
