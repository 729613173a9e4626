"""What a suite covers, what the tests of a campaign add that asked for the rest, and both together."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.phrases.coverage import with_suite
from dnncov_core.ratios import Ratio
from dnncov_core.records import SuiteGaps
from dnncov_core.statistics.coverage import CoverageRow
from dnncov_core.statistics.samples import Interval, interval_of


@dataclass(frozen=True)
class SuiteAndTests:
    """A suite and the tests that a campaign found for what it does not cover.

    Attributes:
        gaps: the measurement of the suite.
        suite: test conditions that the suite covers, of all that were measured.
        tests: others that the campaign covers, of those that it asked about.
        together: both, of all that were measured; what was not asked about counts as not covered.
        effect: the effect that the tests were asked for, a key of `EFFECTS`.
        interval: the shares that both would cover together were all others asked about; None unless a random sample
            of all of them was.
    """

    gaps: SuiteGaps
    suite: Ratio
    tests: Ratio
    together: Ratio
    effect: str
    interval: Interval | None

    @property
    def words(self) -> str:
        """All of it in a sentence or two."""
        return with_suite(self.suite, self.tests, self.together, self.interval, self.gaps.suite, self.effect)


def suite_and_tests(spec: CampaignSpec, total: CoverageRow) -> SuiteAndTests | None:
    """Suite and tests of a campaign by its row of all test conditions; None where no list said which to ask."""
    gaps = spec.suite_gaps
    if gaps is None:
        return None
    left = gaps.total - gaps.covered
    drawn = total.is_random_sample and gaps.listed == left
    interval = interval_of(total.covered, sample=drawn)
    if interval is not None:
        low, high = ((gaps.covered + share * left) / gaps.total for share in interval)
        interval = low, high
    together = Ratio(gaps.covered + total.covered.n, gaps.total)
    return SuiteAndTests(gaps, Ratio(gaps.covered, gaps.total), total.covered, together, spec.effect, interval)
