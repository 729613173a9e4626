"""What a pack claims of a campaign and of a measurement."""

from __future__ import annotations

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.evidence.claims import PAIRS, campaign_claims, measurement_claims
from dnncov_core.example import FOLDER, ID
from dnncov_core.suites.measurement_reader import read


def test_the_claims_of_a_campaign_are_its_counts_and_their_rows_follow_each_other():
    with CampaignStore(FOLDER / f"{ID}.dnncov") as store:
        claims = campaign_claims(store)
        layers, outcomes = store.counts.layers(), store.counts.outcomes()
    by_id = {claim.id: claim for claim in claims}
    assert len(by_id) == len(claims)
    assert (by_id["covered"].number, by_id["covered"].of) == (
        sum(each.found for each in layers),
        sum(outcomes.values()),
    )
    for kind in ("covered", "adversarial"):
        (*parts,) = (claim for claim in claims if claim.kind == kind and claim.place)
        assert [claim.rows[0] for claim in parts] == [0, *(claim.rows[1] for claim in parts[:-1])]
        assert sum(claim.number for claim in parts) == by_id[kind].number
        assert parts[-1].rows[1] == by_id[kind].rows[1]
    assert by_id["adversarial"].table == PAIRS


def test_the_claims_of_a_measurement_are_its_counts():
    found = read(FOLDER / f"{ID}.json")
    claims = {claim.id: claim for claim in measurement_claims(found)}
    for each in found.criteria:
        assert (claims[f"covered/{each.text}"].number, claims[f"covered/{each.text}"].of) == (each.covered, each.total)
    assert sum(claim.number for claim in claims.values() if not claim.place) == sum(c.covered for c in found.criteria)
    assert len(claims) == sum(1 + len(each.rows) for each in found.criteria)
