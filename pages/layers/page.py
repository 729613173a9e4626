"""Layers: coverage, adversarial pairs, and the cost of linear programmes by layer."""

from __future__ import annotations

from functools import partial

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.programme_costs import programme_table
from dnncov_core.statistics.adversarial import adversarial_table, baselines_by_layer
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from pages.shared import address
from pages.shared.campaign_state import sentence, standing, what_was_run
from pages.shared.campaigns import CAMPAIGN, chosen_campaign
from pages.shared.charts import chart, places_for_two
from pages.shared.downloads import export_page
from pages.shared.evidence import evidence_pack
from pages.shared.jobs import follow_campaign
from pages.shared.layer_tables import counts_table, grouping, programme_costs
from pages.shared.links import follow_click, layer_links, on_click, to_gaps, to_pairs
from pages.shared.words import page_help


def show(store: CampaignStore) -> None:
    """Both figures, the table that they draw, and what the linear programmes cost."""
    follow_click()
    layers = counts_by_layer(store)
    line = standing(store)
    with line:
        by = grouping(layers)
    coverage, adversarial = coverage_table(store, by), adversarial_table(store, by)
    sentence(store, coverage.total, line)
    provenance = of_campaign(store)
    left, right = places_for_two(len(coverage.rows))
    with left:
        first = chart(
            exhibit("coverage", coverage, provenance),
            key="coverage",
            alt=f"Bars: share of covered test conditions by {by.value}; a click leads to the matrix on Gaps",
            on_select=on_click("coverage", partial(to_gaps, provenance.id, layers)),
            hint="A click on a bar shows its test conditions on Gaps.",
        )
    with right:
        second = chart(
            exhibit("adversarial", adversarial, provenance),
            key="adversarial",
            alt=f"Bars: share of adversarial pairs by {by.value}; a click leads to these pairs",
            on_select=on_click("adversarial", partial(to_pairs, provenance.id, layers, adversarial=True)),
            hint="A click on a bar shows its adversarial pairs.",
        )
    layer_links(store, layers, by)
    counts_table(coverage, adversarial)
    third = chart(
        exhibit("controls", baselines_by_layer(store, by), provenance),
        key="controls",
        alt="Points with intervals: seeds for which this search, random perturbations and gradient ascent find an"
        f" adversarial x2, by {by.value}",
    )
    programmes = exhibit("programmes", programme_table(store), provenance)
    programme_costs(programmes)
    export_page("layers", provenance, lambda: [first, second, third, programmes])
    what_was_run(store, coverage.total)


campaign = chosen_campaign(
    "Layers", "How many test conditions have a replayable witness, and where the adversarial pairs are."
)
address.say({CAMPAIGN: campaign})
follow_campaign(campaign, show)
evidence_pack("campaign", [campaign])
page_help("layers")
