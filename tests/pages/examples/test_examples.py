"""Examples: one pair with a permanent link, filters in the address, and the way between them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.networks.zoo import TOY_WEIGHTS
from dnncov_core.phrases.numbers import short
from dnncov_core.records import TestPair
from pages.shared.gallery import Gallery, read, write
from tests import runs
from tests.builders import campaign, card, convolutional, costly
from tests.pages.looking import address, app, words
from tests.statistics.branches import branched

PATH = "pages/examples/page.py"
TICK = ":material/check_circle:"


def page(**asked: str) -> AppTest:
    test = app()
    for name, value in asked.items():
        test.query_params[name] = value
    return test.switch_page(PATH).run()


def pairs(path: Path) -> list[TestPair]:
    with CampaignStore(path) as store:
        return store.pairs.page()


def links(test: AppTest, label: str) -> list[str]:
    """What the links with a label ask their page for; nothing where there is none."""
    return [each.proto.query_string for each in test.get("page_link") if each.proto.label == label]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("toy")
    return {key: runs.finished(folder / f"{key}.dnncov", runs.toy_spec(key)) for key in ("ss", "vv")}


class TestOnePair:
    @pytest.mark.parametrize(("criterion", "parts"), [("ss", 3), ("vv", 4)])
    def test_it_says_why_the_pair_covers(self, folder: Path, toy: dict[str, Path], criterion: str, parts: int) -> None:
        shutil.copy(toy[criterion], folder / "abc.dnncov")
        for pair in pairs(folder / "abc.dnncov"):
            test = page(campaign="abc", pair=str(pair.target.ordinal))
            assert not test.exception
            said = [element.value for element in test.markdown if TICK in element.value and "**: " in element.value]
            said = [text for text in said if text.split("**")[1] not in ("needed", "sufficient")]
            assert len(said) == parts
            assert "All hold: covered, on a fresh pass" in words(test)
            assert address(test, "pair") == str(pair.target.ordinal)
            u1, u2 = runs.toy_values(pair)[pair.target.decision_layer - 2]
            (j,) = pair.target.decision_neurons
            table = next(d.value for d in test.dataframe if "decision feature" in list(d.value.get("Part", [])))
            expected = (f"{u[j]:.4g}".replace("-", "−") for u in (u1, u2))
            assert list(table.iloc[0][["Neuron", "u[x1]", "u[x2]"]]) == [j, *expected]

    def test_signs_are_told_apart_without_colour_and_named(self, folder: Path, toy: dict[str, Path]) -> None:
        shutil.copy(toy["ss"], folder / "abc.dnncov")
        pair = pairs(folder / "abc.dnncov")[0]
        test = page(campaign="abc", pair=str(pair.target.ordinal))
        cells = [element.proto.body for element in test.get("html") if 'class="signs"' in element.proto.body]
        assert len(cells) == 2
        (i,) = pair.condition_neurons
        u1, u2 = runs.toy_values(pair)[pair.target.condition_layer - 2]
        signs = [("+" if u[i] >= 0 else "−") for u in (u1, u2)]
        assert f"<small>◆{i}</small> {signs[0]}→{signs[1]}" in cells[0]
        assert cells[0].count("<span") == len(u1)
        assert cells[0].count("→</") == 0
        assert f"{len(u1)} neurons; changed: {i}; condition: {i}" in cells[0]

    @pytest.mark.parametrize(
        ("generator", "said"),
        [
            ("lp", "It asked each u whose sign changes to be at least 0.0001 from 0; rounding may take a little"),
            ("targeted", "It aims at a u at least 0.0001 from 0 wherever a sign changes, and takes one that is nearer"),
            ("gradient", "It asks for no margin"),
        ],
    )
    def test_the_margin_is_the_one_that_its_search_keeps(self, folder: Path, generator: str, said: str) -> None:
        spec = CampaignSpec("mnist-n1", "mnist", generator=generator)
        campaign(folder / "abc.dnncov", spec=spec).close()
        assert said in words(page(campaign="abc", pair="0"))

    def test_one_neuron_of_a_large_layer_is_shown(
        self, folder: Path, toy: dict[str, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shutil.copy(toy["ss"], folder / "abc.dnncov")
        monkeypatch.setattr("pages.examples.signs.MOST_CELLS", 1)
        pair = pairs(folder / "abc.dnncov")[0]
        said = words(page(campaign="abc", pair=str(pair.target.ordinal)))
        n = len(runs.toy_values(pair)[pair.target.condition_layer - 2][0])
        assert f"Each cell is one of 1 neurons shown of {n}, + for u ≥ 0" in said
        assert f"1 of {n} neurons changed sign; " in said

    def test_signs_near_zero_are_counted(
        self, folder: Path, toy: dict[str, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shutil.copy(toy["ss"], folder / "abc.dnncov")
        pair = pairs(folder / "abc.dnncov")[0]
        n = len(runs.toy_values(pair)[pair.target.condition_layer - 2][0])
        near_zero = "dnncov_core.campaign.review.examination.near_zero"
        monkeypatch.setattr(near_zero, lambda u: torch.ones_like(u, dtype=torch.bool))
        said = words(page(campaign="abc", pair=str(pair.target.ordinal)))
        assert f"Signs so near zero that they may differ on another machine: {n + 1}." in said

    def test_value_functions_say_what_they_compare(self, folder: Path, toy: dict[str, Path]) -> None:
        shutil.copy(toy["vv"], folder / "abc.dnncov")
        pair = pairs(folder / "abc.dnncov")[0]
        text = words(page(campaign="abc", pair=str(pair.target.ordinal)))
        assert "must be ≥ sigma = 5" in text

    def test_a_network_that_is_not_here_leaves_what_is_stored(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", spec=CampaignSpec("nets:gone", "mnist", bound=0.5)).close()
        test = page(campaign="abc", pair="0")
        assert not test.exception
        text = words(test)
        assert "The network nets\\:gone cannot be asked here" in text
        assert "register it, or use the command dnncov" in text
        assert "| L∞ | 0.0100 | 2.55 | 0.5\\: within |" in text
        assert "| SS | holds | holds |" in text
        assert "By **Linear programming**, with 1 attempt in under 1 s." in text
        assert "| Generator | Linear programming |" in text
        labels = [button.label for button in test.get("download_button")]
        assert labels == ["PNG", "NPZ"]

    def test_other_weights_are_said(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov").close()
        text = words(page(campaign="abc", pair="0"))
        assert "The network mnist-n1 cannot be asked here" in text
        assert "(SHA-256 ffffffffffff…)" in text

    @pytest.mark.parametrize(
        ("ordinal", "why"), [("99999", "asks about no such"), ("../x", "asks about no such"), ("2", "not covered")]
    )
    def test_an_unknown_pair_is_said_and_the_gallery_shown(self, folder: Path, ordinal: str, why: str) -> None:
        campaign(folder / "abc.dnncov", found=6, exhausted=3).close()
        test = page(campaign="abc", pair=ordinal)
        assert not test.exception
        assert why in test.warning[0].value
        assert "1 to 6 of 6 test pairs" in words(test)
        assert "pair" not in test.query_params

    def test_another_campaign_shows_its_gallery(self, folder: Path) -> None:
        campaign(folder / "one.dnncov").close()
        campaign(folder / "two.dnncov").close()
        test = page(campaign="one", pair="0")
        assert "Why it covers" in words(test)
        test.selectbox[0].select("two").run()
        assert "1 to 6 of 6 test pairs" in words(test)
        assert "pair" not in test.query_params
        assert not test.warning

    def test_attempts_before_are_shown(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", solved=costly).close()
        with CampaignStore(folder / "abc.dnncov") as store:
            pair = store.pairs.page()[1]
            attempts = store.attempts.of(pair.target)
        test = page(campaign="abc", pair=str(pair.target.ordinal))
        table = test.dataframe[0].value
        assert list(table["Seed"]) == [attempt.seed for attempt in attempts]
        assert list(table["Outcome"])[-1] == "found"

    def test_reuse_leads_to_the_search_that_found_it(self, folder: Path) -> None:
        runs.finished(folder / "abc.dnncov", runs.toy_spec(reuse=True))
        found = [pair for pair in pairs(folder / "abc.dnncov") if pair.found_for is not None]
        assert found
        test = page(campaign="abc", pair=str(found[0].target.ordinal))
        assert "in a search for another test condition, which this pair covers too" in words(test)
        (asked,) = links(test, f"The pair of test condition {found[0].found_for}")
        assert f"pair={found[0].found_for}" in asked

    def test_it_says_whether_the_decision_changed_because_of_the_condition(
        self, folder: Path, toy: dict[str, Path]
    ) -> None:
        """By u of the decision, from the paper's weights: with the condition's change alone, and with it put back."""
        shutil.copy(toy["ss"], folder / "abc.dnncov")
        shown = set()
        for pair in pairs(folder / "abc.dnncov"):
            said = words(page(campaign="abc", pair=str(pair.target.ordinal)))
            values, k = runs.toy_values(pair), pair.target.condition_layer
            (i,), (j,) = pair.target.condition_neurons, pair.target.decision_neurons
            (one, two), (u1, u2) = values[k - 2], (u[j] for u in values[k - 1])
            moved = TOY_WEIGHTS[k - 1][i][j] * (max(two[i], 0.0) - max(one[i], 0.0))
            cells = [line.split("|")[2].strip() for line in said.splitlines() if line.startswith(("| x1", "| x2"))]
            assert cells[:4] == [short(u).replace("-", "−") for u in (u1, u1 + moved, u2 - moved, u2)]
            needed, sufficient = (u2 - moved >= 0) == (u1 >= 0), (u1 + moved >= 0) == (u2 >= 0)
            ticked = tuple(f":blue[{TICK}] **{name}**" in said for name in ("needed", "sufficient"))
            assert ticked == (needed, sufficient)
            assert (pair.needed, pair.sufficient) == (needed, sufficient)
            shown.add((needed, sufficient))
        assert len(shown) > 1

    def test_of_an_earlier_version_s_pair_it_says_what_the_network_says_now(self, folder: Path) -> None:
        runs.finished(folder / "abc.dnncov", runs.toy_spec())
        with CampaignStore(folder / "abc.dnncov") as store:
            pair = store.pairs.page()[0]
            store.pairs.record_effects([replace(pair, needed=None, sufficient=None, effect_share=None)])
        test = page(campaign="abc", pair=str(pair.target.ordinal))
        assert "The file says “effect not known yet”, so this is what the network says now." in words(test)


class TestWays:
    def test_previous_and_next_follow_the_filter(self, folder: Path) -> None:
        with campaign(folder / "abc.dnncov", found=12, adversarial=5) as store:
            only = PairFilter(adversarial=True)
            expected = [pair.target.ordinal for pair in store.pairs.page(only, order="farthest")]
        for place, ordinal in enumerate(expected):
            test = page(campaign="abc", pair=str(ordinal), only="adversarial", order="farthest")
            assert f"Pair {place + 1} of 5: adversarial, farthest first" in words(test)
            before, after = links(test, "Previous"), links(test, "Next")
            assert (f"pair={expected[place - 1]}&" in before[0]) if place else not before
            assert (f"pair={expected[place + 1]}&" in after[0]) if place < 4 else not after
            assert "only=adversarial" in links(test, "All test pairs")[0]
            assert f"condition={ordinal}" in links(test, "Its condition on Gaps")[0]

    def test_cards_open_their_pairs_with_the_filter(self, folder: Path) -> None:
        with campaign(folder / "abc.dnncov", found=12, adversarial=5) as store:
            pair = store.pairs.page(order="nearest")[0]
        test = page(campaign="abc", only="adversarial")
        (link,) = links(test, f"Open pair {pair.target.ordinal}")
        assert f"pair={pair.target.ordinal}" in link
        assert "only=adversarial" in link


class TestFilters:
    def test_the_address_says_them_and_asks_for_them(self, folder: Path) -> None:
        with campaign(folder / "abc.dnncov", found=30, adversarial=5, survivors=9, network=card(hidden=(9, 9, 9))):
            pass
        test = page(campaign="abc", layers="2-3", only="adversarial,8bit", order="farthest")
        assert test.selectbox(key="edge").value == (2, 3)
        assert test.selectbox(key="order").value == "farthest"
        assert test.toggle(key="only_adversarial").value
        assert test.toggle(key="only_8bit").value
        test.toggle(key="only_8bit").set_value(False).run()
        assert address(test, "only") == "adversarial"
        test.selectbox(key="edge").select(0).run()
        assert "layers" not in test.query_params
        assert "1 to 5 of 5 test pairs" in words(test)
        test.number_input(key="seed").set_value(0).run()
        assert address(test, "seed") == "0"
        assert "1 to 1 of 1 test pairs" in words(test)

    def test_each_says_how_many_it_leaves(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", found=30, adversarial=5, survivors=9, network=card(hidden=(9, 9, 9))).close()
        test = page(campaign="abc")
        assert test.toggle(key="only_adversarial").label == "Adversarial · 5"
        assert test.toggle(key="only_8bit").label == "Holds after rounding to 8 bits · 9"
        assert list(test.selectbox(key="edge").options) == ["All layer pairs", "2 → 3", "3 → 4", "4 → 5"]
        test.toggle(key="only_8bit").set_value(True).run()
        assert "1 to 9 of 9 test pairs" in words(test)
        assert test.toggle(key="only_effect").label == "With effect (needed) · 2"
        test.toggle(key="only_8bit").set_value(False).run()
        test.toggle(key="only_effect").set_value(True).run()
        assert "1 to 2 of 2 test pairs" in words(test)
        assert address(test, "only") == "effect"

    def test_effects_that_an_earlier_version_did_not_store_are_no_zero(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", needed=None).close()
        test = page(campaign="abc")
        assert test.toggle(key="only_effect").label == "With effect (needed) · not known yet"
        assert "effect not known yet" in words(test)

    def test_of_vectors_nothing_is_said_of_8_bits(self, folder: Path) -> None:
        with campaign(folder / "abc.dnncov", found=3, survivors=2, network=card(input_shape=(6,))) as store:
            assert any(pair.holds_8bit for pair in store.pairs.page(order="nearest"))  # as earlier versions stored
            ordinal = store.pairs.page(order="nearest")[0].target.ordinal
        for asked in ({}, {"pair": str(ordinal)}):
            test = page(campaign="abc", **asked)
            assert not test.exception
            said = ("olds at 8 bits", "lost at 8 bits", "8 bits do not apply", "| Rounded to 8 bits", "just now")
            assert not [each for each in said if each in words(test)]
            assert "only_8bit" not in [toggle.key for toggle in test.toggle]

    def test_neurons_are_searched_on_both_sides(self, folder: Path) -> None:
        with campaign(folder / "abc.dnncov", found=30, network=card(hidden=(9, 9, 9))) as store:
            n = store.pairs.count(PairFilter(neuron=0))
        test = page(campaign="abc", neuron="0")
        assert f"of {n} test pairs" in words(test)
        assert test.number_input(key="neuron").value == 0

    def test_decision_layers_of_networks_with_branches(self, folder: Path) -> None:
        with branched(folder / "abc.dnncov") as store:
            n = store.pairs.count(PairFilter(decision_layer=4))
        test = page(campaign="abc", layers="4")
        assert test.selectbox(key="edge").value == 4
        assert f"of {n} test pairs" in words(test)
        assert page(campaign="abc", layers="3").selectbox(key="edge").value == (2, 3)

    def test_what_the_campaign_does_not_have_is_as_if_not_asked(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov").close()
        test = page(campaign="abc", layers="7-9", order="sideways", page="0", seed="-1")
        assert not test.exception
        assert "1 to 6 of 6 test pairs" in words(test)
        assert set(test.query_params) == {"campaign"}

    def test_pages_are_named_and_a_filter_begins_at_the_first(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", found=30, adversarial=20, network=card(hidden=(9, 9, 9))).close()
        test = page(campaign="abc", page="2")
        assert "13 to 24 of 30 test pairs" in words(test)
        test.toggle(key="only_adversarial").set_value(True).run()
        assert "1 to 12 of 20 test pairs" in words(test)
        assert "page" not in test.query_params

    def test_of_a_layer_pair_with_channels_a_channel_can_be_chosen(self, folder: Path) -> None:
        network = convolutional((2, 2, 2), (3, 2, 2))
        with campaign(folder / "abc.dnncov", found=120, adversarial=5, network=network) as store:
            pairs = store.pairs.page(PairFilter(edge=(2, 3)))
        of = [p for p in pairs if p.condition_neurons[0] // 4 == 1 or p.target.decision_neurons[0] // 4 == 1]
        assert 0 < len(of) < len(pairs)
        test = page(campaign="abc")
        assert "channel" not in [field.key for field in test.number_input]
        test = page(campaign="abc", layers="2-3")
        test.number_input(key="channel").set_value(1).run()
        assert f" of {len(of)} test pairs" in words(test)
        assert address(test, "channel") == "1"
        test = page(campaign="abc", layers="2-3", channel="1")
        assert f" of {len(of)} test pairs" in words(test)
        test.selectbox(key="edge").select((3, 4)).run()
        assert "channel" not in test.query_params

    def test_they_are_kept_on_the_way_to_another_page(self, folder: Path) -> None:
        campaign(folder / "abc.dnncov", found=30, adversarial=5, network=card(hidden=(9, 9, 9))).close()
        test = page(campaign="abc", only="adversarial")
        test.switch_page("pages/layers/page.py").run()
        for name in list(test.query_params):
            del test.query_params[name]
        test.switch_page(PATH).run()
        assert "1 to 5 of 5 test pairs" in words(test)


@pytest.mark.parametrize(
    "shown",
    [
        Gallery(),
        Gallery(
            PairFilter(edge=(10, 11), adversarial=True, holds_8bit=True, needed=True, seed=0, neuron=7), "farthest", 3
        ),
        Gallery(PairFilter(decision_layer=4), "plan"),
        Gallery(PairFilter(edge=(2, 3)), channel=5),
    ],
)
def test_an_address_reads_what_it_wrote(shown: Gallery) -> None:
    assert read(write(shown)) == shown


def test_why_a_file_cannot_be_read_is_said_once(folder: Path) -> None:
    (folder / "abc.dnncov").write_bytes(b"no campaign")
    test = page(campaign="abc")
    assert not test.exception
    assert len(test.error) == 1


def test_a_network_registered_by_another_name_is_asked(
    folder: Path, toy: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DNNCOV_REGISTRY", raising=False)
    shutil.copy(toy["ss"], folder / "abc.dnncov")
    with CampaignStore(folder / "abc.dnncov") as store, store.database.transaction() as connection:
        connection.execute("UPDATE campaign SET spec = json_set(spec, '$.network', 'made_for_this:toy')")
    (folder / "made_for_this.py").write_text(
        "from dnncov_core.networks.zoo import load_embedded\n\n\ndef toy():\n    return load_embedded('toy')\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    pair = pairs(folder / "abc.dnncov")[0]
    assert "cannot be asked here" in words(page(campaign="abc", pair=str(pair.target.ordinal)))
    entry = '[[network]]\nname = "mine"\nfactory = "made_for_this:toy"\n'
    (folder.parent / "registry.toml").write_text(entry)
    assert "All hold: covered, on a fresh pass" in words(page(campaign="abc", pair=str(pair.target.ordinal)))


RANGED = replace(
    card(input_shape=(3,), bounds=(-5.0, 900.0)),
    ranges=((0.0, 900.0), (-5.0, 5.0), (2.0, 2.0)),
    features=("speed", "`angle`", "fixed"),
    units=("m/s", "", ""),
)


def test_a_vector_is_a_table_of_features_with_shares_of_their_ranges(folder: Path) -> None:
    store = campaign(folder / "abc.dnncov", network=RANGED)
    for pair in store.pairs.page():
        test = page(campaign="abc", pair=str(pair.target.ordinal))
        assert not test.exception
        shown = next(each.value for each in test.dataframe if "Share of range" in each.value)
        assert list(shown["Feature"]) == ["speed (m/s)", "`angle`", "fixed"]
        (place,) = np.flatnonzero(pair.x2 != pair.x1).tolist() or [None]
        shares = [0.0, 0.0, 0.0]
        if place is not None and place < 2:
            shares[place] = abs(pair.x2[place] - pair.x1[place]) / (900, 10)[place] * 100
        assert list(shown["Share of range"]) == pytest.approx(shares)
        assert "1 of 3 features moved; " in words(test) or place is None
        assert "Each feature is searched within its own range" in words(test)
    gallery = words(page(campaign="abc"))
    assert "L∞ 0.0100 = 1.00 % of a feature's range" in gallery
    assert "(share of each feature's range)" in gallery


def test_a_series_is_drawn_as_lines(folder: Path) -> None:
    series = replace(card(input_shape=(2, 30), bounds=(-1.0, 4.0)), ranges=((-1.0, 1.0), (0.0, 4.0)), units=("V", "A"))
    campaign(folder / "abc.dnncov", network=series)
    test = page(campaign="abc")
    assert not test.exception
    assert len(test.get("plotly_chart")) == 6
    assert "of 2 channels moved; channel" in words(test)
    assert not test.get("imgs")
