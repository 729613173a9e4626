"""The page Overview."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core import paper
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.entries.kinds import Note, write_note
from dnncov_core.entries.ready_made import READY_MADE
from dnncov_core.entries.rows import entry_row
from dnncov_core.example import ID
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.playground import of_method
from dnncov_core.phrases.glossary import PURPOSE
from dnncov_core.ratios import Ratio
from dnncov_core.records import State
from pages.overview import entries as listed
from pages.shared import entry_rows
from pages.shared.campaigns import label, spec_of
from pages.shared.downloads import ABOUT_CSV, ABOUT_PICTURES
from pages.shared.words import plain
from tests.builders import campaign
from tests.pages.looking import APP, address, app, opened, page, words
from tests.suites.made import covering, patterns, save


def overview(**address: str) -> AppTest:
    test = AppTest.from_file(str(APP), default_timeout=30)
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def made(folder: Path, name: str, network: str = "mnist-n8", **changes: object) -> None:
    campaign(folder / f"{name}.dnncov", spec=CampaignSpec(network, "mnist", **changes)).close()


def bars(test: AppTest) -> list[tuple[int, str]]:
    """Bars of progress in whole per cent, with their text."""
    return [(bar.proto.value, bar.proto.text) for bar in test.get("progress")]


def keys(test: AppTest) -> list[str]:
    return [button.key for button in test.button]


def test_a_first_visit_explains_and_offers_examples(folder: Path) -> None:
    test = overview()
    assert not test.exception
    assert test.title[0].value == "Overview"
    assert f"**DNN Coverage Explorer** {PURPOSE}" in words(test)
    assert f"[arXiv:{paper.ARXIV}](https://arxiv.org/abs/{paper.ARXIV})" in words(test)
    assert len(test.get("image")) == 3
    assert {"start-toy", "start-digits", "start-measure"} <= set(keys(test))
    assert not test.latex
    test.session_state["minute"] = True
    test.run()
    captions = [exhibit("method", method, of_method(method)).caption() for method in CRITERIA.values()]
    text, behind = words(test), {f"- {plain(each)}" for told in captions for each in told.details}
    for each in (
        *behind,
        f"{ABOUT_PICTURES} {ABOUT_CSV}",
        "**Caption in short**",
        "**Caption in full**",
    ):  # what only opens at a click
        assert each in text
        text = text.replace(each, "")
    text = re.sub(r"\]\([^)]*\)", "", text)
    titles = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in test.get("plotly_chart")]
    assert titles == [method.title for method in CRITERIA.values()]
    assert len(test.latex) == len(CRITERIA)
    criteria = sum(len(method.words.split()) for method in CRITERIA.values())
    examples = sum(len(ready.words.split()) for ready in READY_MADE.values())
    assert len(text.split()) < 255 + criteria + examples


def test_the_finished_example_is_apart_from_what_is_the_users_own(folder: Path) -> None:
    made(folder, "a")
    test = overview()
    assert not test.exception
    assert "1 entry" in words(test)
    assert "**Nothing to wait for: a finished campaign** on mnist-n9" in words(test)
    assert not [key for key in keys(test) if key.endswith(ID)]
    test.segmented_control(key="view").set_value("Table").run()
    assert list(test.dataframe[0].value["Id"]) == ["a"]


def test_the_example_is_hidden_for_good_until_it_is_shown_again(folder: Path) -> None:
    overview().button(key="example-shown").click().run()
    test = overview()
    assert not test.exception
    assert "finished campaign" not in words(test)
    menu = page("pages/compare/page.py")
    assert "No campaign yet" in menu.info[0].value
    test.button(key="example-shown").click().run()
    assert "finished campaign" in words(test)
    assert page("pages/layers/page.py").selectbox[0].options[0].startswith("Example · mnist-n9 · SS")


def test_a_network_of_ones_own_can_be_brought_before_and_after_the_first_campaign(folder: Path) -> None:
    for name in ("a", "b"):
        labels = [link.proto.label for link in overview().get("page_link")]
        assert labels.count("Bring your own network or inputs") == 1
        made(folder, name)


def test_the_chosen_view_is_kept(folder: Path) -> None:
    made(folder, "a")
    overview().segmented_control(key="view").set_value("Table").run()
    assert overview().segmented_control(key="view").value == "Table"


def test_coverage_is_a_bar_on_cards(folder: Path) -> None:
    made(folder, "a")
    save(folder.parent / "measurements" / "m.json", covering("ss", (10, 1386, 630)), patterns(7))
    assert bars(overview()) == [
        (75, "**75.0 %** covered: 6 of 8 sampled conditions (of 62), **25.0 %** with effect"),
        (58, "**SS** 58.1 %"),
    ]


def test_an_example_starts_with_one_click(folder: Path, started: list[str]) -> None:
    test = overview()
    test.button(key="start-toy").click().run()
    assert not test.exception
    assert [path.stem for path in folder.glob("*.dnncov")] == started
    assert test.title[0].value == "Run"
    assert [address(test, "campaign")] == started


def test_cards_say_what_tells_campaigns_apart(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b", seed_order="random", pairs=8, bound=0.3)
    save(folder.parent / "measurements" / "m.json", patterns(7))
    test = overview()
    assert not test.exception
    text = words(test).replace("\\", "")
    assert "3 entries" in text
    assert "data mnist, generator lp, 8 pairs, random order, effect needed, b = 0.3" in text
    assert [line.partition(",")[0] for _, line in bars(test)][:2] == [
        "**75.0 %** covered: 6 of 8 sampled conditions (of 62)"
    ] * 2
    assert "**50.0 %** adversarial: 3 of 6 test pairs" in text
    assert "a measurement" in text


def test_filters_leave_what_was_asked_for(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b", "mnist-n9", criterion="sv", seed_order="random")
    campaign(folder / "c.dnncov", state=State.CANCELLED, pending=2).close()
    write_note("campaign", "a", Note("for the safety case", "January"))
    test = overview()
    for find, left in (("n9", "1 of 3"), ("safety january", "1 of 3"), ("random lp", "1 of 3"), ("zzz", "0 of 3")):
        test.text_input(key="find").set_value(find).run()
        assert not test.exception
        assert f"{left} entries" in words(test)
    assert "No campaigns or measurements match." in words(test)
    test.button(key="clear-filters").click().run()
    assert "3 entries" in words(test)
    assert test.text_input(key="find").value == ""
    test.multiselect(key="of-criteria").set_value(["SS"]).run()
    assert "2 of 3 entries" in words(test)
    test.multiselect(key="of-states").set_value(["Cancelled"]).run()
    assert "1 of 3 entries" in words(test)


def test_the_table_has_numbers_that_sort(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b", "mnist-n9", criterion="sv")
    test = overview()
    test.segmented_control(key="view").set_value("Table").run()
    assert not test.exception
    table = test.dataframe[0].value
    assert sorted(table["Id"]) == ["a", "b"]
    assert list(table["Coverage"]) == [75.0, 75.0]
    assert list(table["Covered"]) == ["6 of 8 sampled (of 62)"] * 2
    assert list(table["AE"]) == [50.0, 50.0]


@pytest.mark.parametrize(
    ("n", "total", "shown"), [(0, 9, 0.0), (9, 9, 100.0), (99_999, 100_000, 99.9), (1, 100_000, 0.1), (1, 3, 33.3)]
)
def test_100_per_cent_only_for_all(n: int, total: int, shown: float) -> None:
    assert listed._sortable(Ratio(n, total)) == shown


def test_names_and_notes_are_kept_and_shown_in_menus(folder: Path) -> None:
    made(folder, "a")
    test = overview()
    test.text_input(key="name-campaign-a").set_value("for the safety case")
    test.text_area(key="note-campaign-a").set_value("of January")
    test.button(key="save-campaign-a").click().run()
    assert not test.exception
    assert "*of January*" in words(test)
    assert entry_row("campaign", "a", folder / "a").note == Note("for the safety case", "of January")
    menu = test.switch_page("pages/layers/page.py").run().selectbox[0]
    assert menu.options[0].startswith("for the safety case · mnist-n8 · SS")


def test_deletion_can_be_undone(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b")
    before = (folder / "a.dnncov").read_bytes()
    test = overview()
    test.button(key="delete-campaign-a").click().run()
    assert not test.exception
    assert "In the trash: **mnist-n8 · SS**" in words(test)
    assert "1 entry" in words(test)
    assert not (folder / "a.dnncov").exists()
    assert (folder.parent / "trash" / "campaigns" / "a.dnncov").read_bytes() == before
    test.button(key="undo").click().run()
    assert not test.exception
    assert (folder / "a.dnncov").read_bytes() == before
    assert "In the trash" not in words(test)


def test_the_last_one_deleted_leaves_undo_and_the_trash(folder: Path) -> None:
    made(folder, "a")
    test = overview()
    test.button(key="delete-campaign-a").click().run()
    assert not test.exception
    assert {"undo", "start-toy", "restore-campaign-a"} <= set(keys(test))
    test.button(key="restore-campaign-a").click().run()
    assert (folder / "a.dnncov").exists()
    assert "restore-campaign-a" not in keys(test)


def test_the_trash_is_emptied_by_the_user_alone(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b")
    test = overview()
    test.button(key="delete-campaign-a").click().run()
    test.button(key="empty-trash").click().run()
    assert not test.exception
    assert not list((folder.parent / "trash").rglob("*.dnncov"))
    assert (folder / "b.dnncov").exists()
    assert not {"undo", "restore-campaign-a", "empty-trash"} & set(keys(test))


def test_what_cannot_be_restored_is_said(folder: Path) -> None:
    made(folder, "a")
    test = overview()
    test.button(key="delete-campaign-a").click().run()
    made(folder, "a", "mnist-n9")
    test.button(key="undo").click().run()
    assert not test.exception
    assert "an id that is free" in words(test)
    assert (folder.parent / "trash" / "campaigns" / "a.dnncov").exists()


def test_a_campaign_at_work_cannot_be_deleted(folder: Path) -> None:
    campaign(folder / "a.dnncov", pending=2, state=State.RUNNING).close()
    assert overview().button(key="delete-campaign-a").disabled


def test_a_damaged_file_is_a_card_that_says_so(folder: Path) -> None:
    made(folder, "a")
    (folder / "broken.dnncov").write_bytes(b"SQLite format 3\0" + b"x" * 4000)
    test = overview()
    assert not test.exception
    assert "damaged" in words(test)
    test.segmented_control(key="view").set_value("Table").run()
    table = test.dataframe[0].value.set_index("Id")
    assert "damaged" in table["Settings"]["broken"]
    assert test.dataframe[0].proto.placeholder == "–"
    test.segmented_control(key="view").set_value("Cards").run()
    test.button(key="delete-campaign-broken").click().run()
    assert not (folder / "broken.dnncov").exists()


def test_an_address_of_earlier_versions_leads_to_run(folder: Path) -> None:
    made(folder, "a")
    test = overview(campaign="a")
    assert not test.exception
    assert test.title[0].value == "Run"
    assert address(test, "campaign") == "a"
    assert "There is no campaign" in words(overview(campaign="../../etc/passwd"))


def test_what_has_not_changed_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(folder, "a")
    made(folder, "b")
    read = []

    def reading(kind: str, entry_id: str, stem: Path) -> object:
        read.append(entry_id)
        return entry_row(kind, entry_id, stem)

    monkeypatch.setattr(entry_rows, "entry_row", reading)
    entry_rows._read.clear()
    test = overview()
    assert sorted(read) == ["a", "b", ID, ID]
    os.utime(folder / "a.dnncov", (1, 1))
    read.clear()
    test.run()
    assert read == ["a"]


def test_own_names_stand_in_lists_menus_and_captions(folder: Path) -> None:
    campaign(folder / "one.dnncov", found=7).close()
    write_note("campaign", "one", Note(name="mine *1*"))
    for path in ("pages/layers/page.py", "pages/distances/page.py"):
        test = page(path, "one")
        assert not test.exception
        assert test.selectbox[0].options[0] == "mine *1* · mnist-n1 · SS"
        captions = [code.value for code in test.code if "network = " in code.value]
        assert captions
        assert all("campaign “mine *1*”, one of " in caption for caption in captions)
        for shown in test.get("plotly_chart"):
            subtitle = json.loads(shown.proto.spec)["layout"]["title"]["subtitle"]["text"]
            assert subtitle == "mnist-n1 · SS · campaign “mine *1*”, one"
    headings = [each.value for each in app("one").subheader]
    assert r"mine \*1\* · mnist-n1 · SS" in headings


def test_own_names_of_measurements(folder: Path) -> None:
    save(folder.parent / "measurements" / "m.json", covering("ss", (10, 1386, 630)))
    write_note("measurement", "m", Note(name="mine"))
    test = opened("pages/measure/page.py", measurement="m").run()
    assert not test.exception
    assert any(each.value.startswith("mine · ") for each in test.subheader)
    captions = [code.value for code in test.code if "network = " in code.value]
    assert captions
    assert all("measurement “mine”, m of " in caption for caption in captions)
    assert test.get("page_link")
    assert any(link.proto.label.startswith("mine · ") for link in test.get("page_link"))


def test_a_file_that_was_mended_has_its_name_in_menus(folder: Path) -> None:
    path = folder / "abc.dnncov"
    path.write_bytes(b"damaged")
    assert (label("abc"), spec_of("abc")) == ("abc (cannot be read)", None)
    path.unlink()
    campaign(path).close()
    assert label("abc").startswith("mnist-n1 · SS")
    assert spec_of("abc") is not None
