"""The page Compare."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.entries.kinds import Note, write_note
from dnncov_core.errors import CampaignError
from dnncov_core.preferences import prefer
from dnncov_core.records import State
from tests.builders import campaign, card, costly
from tests.pages.looking import address, opened, page, words

PATH = "pages/compare/page.py"


def made(folder: Path, name: str, network: str = "mnist-n8", **changes: object) -> None:
    spec = CampaignSpec(network, "mnist", **{"effect": "none"} | changes)
    campaign(folder / f"{name}.dnncov", spec=spec, solved=costly, network=card(hidden=(78, 62, 73, 47))).close()


def compare(ids: str) -> AppTest:
    return opened(PATH, campaigns=ids).run()


def test_without_campaigns_it_says_what_to_do(folder: Path) -> None:
    prefer(example=False)
    test = page(PATH)
    assert not test.exception
    assert "Start one on the Run page" in test.info[0].value


def test_nothing_chosen_offers_the_newest(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b")
    test = page(PATH)
    assert not test.exception
    test.button[0].click().run()
    assert not test.exception
    assert test.multiselect(key="compared-campaigns").value == ["b", "a"]
    assert address(test, "campaigns") == "b,a"


def test_what_cannot_be_read_is_not_among_the_newest_and_named_so(folder: Path) -> None:
    for name in ("a", "b"):
        made(folder, name)
    damaged = campaign(folder / "c.dnncov")
    damaged.database._connection.execute("UPDATE test_pair SET distance = 'abc'")
    damaged.close()
    (folder / "d.dnncov").write_bytes(b"no campaign")
    test = page(PATH)
    assert test.button[0].label == "Choose the newest 2"
    assert test.multiselect(key="compared-campaigns").options[:2] == ["d (cannot be read)", "c (cannot be read)"]
    test.button[0].click().run()
    assert not test.exception
    assert test.multiselect(key="compared-campaigns").value == ["b", "a"]
    assert "Left out" not in words(test)


def test_what_failed_is_not_among_the_newest(folder: Path) -> None:
    for name in ("a", "b"):
        made(folder, name)
    campaign(folder / "c.dnncov", state=State.FAILED, message="expected a; got b; do c").close()
    test = page(PATH)
    assert test.button[0].label == "Choose the newest 2"
    assert test.multiselect(key="compared-campaigns").options[0].startswith("mnist-n1 · SS")


def test_where_none_can_be_read_none_is_offered(folder: Path) -> None:
    (folder / "d.dnncov").write_bytes(b"no campaign")
    test = page(PATH)
    assert not test.exception
    assert not test.button


def test_the_address_keeps_the_choice(folder: Path) -> None:
    for name in ("a", "b", "c,d"):
        made(folder, name)
    test = compare("b,c%2Cd")
    assert not test.exception
    assert test.multiselect(key="compared-campaigns").value == ["b", "c,d"]
    test.multiselect(key="compared-campaigns").set_value(["a", "b"]).run()
    assert address(test, "campaigns") == "a,b"
    test.switch_page("pages/run/page.py").run()
    test.switch_page(PATH).run()
    assert not test.exception
    assert test.multiselect(key="compared-campaigns").value == ["a", "b"]


@pytest.mark.parametrize("asked", ["nothing", "../../etc/passwd", "<script>", ",,", "a" * 500])
def test_an_unknown_id_is_a_message(folder: Path, asked: str) -> None:
    made(folder, "a")
    test = compare(f"a,{asked}")
    assert not test.exception
    assert test.multiselect(key="compared-campaigns").value == ["a"]
    assert ("There is no campaign" in words(test)) is (asked != ",,")


def test_a_damaged_file_is_left_out_with_its_reason(folder: Path) -> None:
    made(folder, "a")
    (folder / "broken.dnncov").write_bytes(b"SQLite format 3\0" + b"x" * 4000)
    for ids in ("a,broken", "broken"):
        test = compare(ids)
        assert not test.exception
        assert "Left out: broken" in words(test)
    assert "What differs" in words(compare("a,broken"))


def test_a_file_that_breaks_amid_the_page_is_a_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(folder, "a")

    def broken(*_: object) -> None:
        raise CampaignError("a whole campaign file", "one that ends too soon", "restore it from a copy")

    monkeypatch.setattr("pages.compare.choice._unfinished", broken)
    test = compare("a")
    assert not test.exception
    assert "one that ends too soon" in test.error[0].value


def test_the_main_table_has_the_counts_and_the_papers_numbers(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b", "mnist-n9", criterion="sv")
    test = compare("a,b")
    cells = test.table[0].value
    assert list(cells.columns) == [
        "Network",
        *("M SS", "M SS, with effect", "AE SS"),
        *("M SV", "M SV, with effect", "AE SV"),
    ]
    first = cells.iloc[0]["M SS"].replace("\N{NO-BREAK SPACE}", " ")
    assert first.startswith("**75.0 %**  \n6 of 8  \n(34.9 to 96.8)  \n2 at 8 bits")
    assert "paper" not in first
    assert cells.iloc[0]["M SV"] == cells.iloc[0]["M SV, with effect"] == "–"
    shown = cells.iloc[0]["M SS, with effect"].replace("\N{NO-BREAK SPACE}", " ")
    assert shown == "**25.0 %**  \n2 of 8  \n(3.2 to 65.1)  \nneeded  \n2 at 8 bits"
    test.toggle(key="papers").set_value(True).run()
    assert not test.exception
    cells = test.table[0].value
    assert "paper: 99.8 %" in cells.iloc[0]["M SS"].replace("\N{NO-BREAK SPACE}", " ")
    assert "paper: 5.0 %" in cells.iloc[1]["AE SV"].replace("\N{NO-BREAK SPACE}", " ")
    assert "they are for orientation only, and a difference from them is no error" in words(test)


def test_other_networks_have_no_toggle(folder: Path) -> None:
    made(folder, "a", "cifar10-cnn")
    assert "papers" not in [toggle.key for toggle in compare("a").toggle]


def test_what_makes_it_unfair_is_listed(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b", seed_order="random", bound=0.3)
    text = words(compare("a,b")).replace("\\", "")
    assert "| Order of seeds | Nearest first (mnist-n8 · SS, nearest order, no bound); Random (mnist-n8" in text
    assert "| Bound b |" in text
    made(folder, "c", "mnist-n9", criterion="sv")
    assert "have the same settings and the same data" in words(compare("a,c"))


def test_sections_appear_where_there_is_something_to_compare(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b", top_weights=10)
    for omega in (0.001, 0.01):
        spec = CampaignSpec("mnist-n1", "mnist", feature_mode="free", omega=omega)
        campaign(folder / f"free{omega}.dnncov", spec=spec).close()
    first = [heading.value for heading in compare("a").subheader]
    assert first == ["What differs", "Adversarial distances", "Layer by layer", "Linear programmes by layer"]
    assert "All pairs against top weights" in [heading.value for heading in compare("a,b").subheader]
    assert "choose the campaign that asks the same of all pairs" in words(compare("b"))
    test = compare("free0.001,free0.01")
    assert "Distance by feature size" in [heading.value for heading in test.subheader]
    assert list(test.dataframe[0].value["ω"]) == ["0.1 %", "1 %"]
    assert list(test.dataframe[0].value["Adversarial, of test pairs"]) == ["50.0 % (3 of 6)"] * 2


def test_campaigns_without_a_curve_are_named(folder: Path) -> None:
    made(folder, "a")
    campaign(folder / "none.dnncov", adversarial=0).close()
    assert "without a curve: mnist-n1 · SS." in words(compare("a,none"))


def test_distances_in_other_units_have_figures_of_their_own(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b", norm="2")
    one, two = ([*test.get("plotly_chart")] for test in (compare("a"), compare("a,b")))
    assert len(two) == len(one) + 1


def test_a_running_campaign_is_compared_as_far_as_it_is(folder: Path) -> None:
    campaign(folder / "a.dnncov", pending=3, state=State.CANCELLED).close()
    CampaignStore.create(folder / "new.dnncov", CampaignSpec("mnist-n1", "mnist"), {}).close()
    test = compare("a,new")
    assert not test.exception
    assert "| State | 8 of 11 done" in words(test)


def test_every_figure_and_table_is_offered_and_the_page(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b", top_weights=10)
    test = compare("a,b")
    labels = [button.label for button in test.get("download_button")]
    figures = len(test.get("plotly_chart"))
    assert labels.count("SVG") == labels.count("HTML") == figures == 6
    assert labels.count("Parquet") == figures + 2
    assert labels[-1] == "Download ZIP"
    captions = [code.value for code in test.code][1::2]
    assert len(set(captions)) == figures + 2
    for caption in captions:
        assert "2 campaigns: (1) mnist-n8 · SS, a, " in caption
        assert "All have these settings: network = net" not in caption
        assert "data = mnist (SHA-256 dddddddddddd…);" in caption


def test_own_names_stand_everywhere_with_what_tells_them_apart(folder: Path) -> None:
    for name in ("a", "b", "c"):
        made(folder, name)
    for name in ("a", "b"):
        write_note("campaign", name, Note(name="baseline <b>"))
    test = compare("a,b,c")
    assert not test.exception
    figure = json.loads(test.get("plotly_chart")[0].proto.spec)
    assert figure["data"][0]["y"] == ["baseline &lt;b&gt; · a", "baseline &lt;b&gt; · b", "mnist-n8 · SS"]
    cells = "\n".join(test.table[0].value["M SS"])
    assert "*baseline \\<b\\> · a*" in cells
    assert "baseline <b> · b: 75.0 % (6 of 8)" in test.code[1].value
    assert test.dataframe[-1].value["Campaign"].iloc[0] == "baseline <b> · a"
    assert "baseline <b> · mnist-n8 · SS" in test.multiselect(key="compared-campaigns").options[-2]
    assert test.multiselect(key="compared-campaigns").options[-1].startswith("Example · mnist-n9 · SS")


def test_of_many_campaigns_some_are_drawn_and_all_are_in_the_tables(folder: Path) -> None:
    names = [f"c{at:02d}" for at in range(12)]
    for name in names:
        made(folder, name)
    test = compare(",".join(names))
    assert not test.exception
    assert "4 of 12 campaigns are in the tables alone" in words(test)
    caption = next(code.value for code in test.code if "for one layer pair and campaign, test conditions" in code.value)
    assert "Drawn are 8 of 12 campaigns; the table has all. Left out: mnist-n8 · SS · c08;" in caption
    (menu,) = [each for each in test.multiselect if each.label.startswith("Drawn")]
    menu.set_value(menu.options[9:11]).run()
    assert not test.exception
    caption = next(code.value for code in test.code if "for one layer pair and campaign, test conditions" in code.value)
    assert "Drawn are 2 of 12 campaigns" in caption


def test_the_menu_says_what_differs(folder: Path) -> None:
    made(folder, "a")
    made(folder, "b", seed_order="random", pairs=200)
    made(folder, "c", "mnist-n9")
    (folder / "d.dnncov").write_bytes(b"nothing")
    menu = compare("a,b").multiselect(key="compared-campaigns")
    names = {name for name in menu.options if not name.startswith(("Example", "mnist-n9"))}
    assert names == {
        "d (cannot be read)",
        "mnist-n8 · SS, all feature pairs, nearest order",
        "mnist-n8 · SS, 200 pairs, random order",
    }


def test_figures_without_anything_in_them_are_not_drawn(folder: Path) -> None:
    for name in ("a", "b"):
        campaign(folder / f"{name}.dnncov", found=2, adversarial=0).close()
    test = compare("a,b")
    assert not test.exception
    drawn = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in test.get("plotly_chart")]
    assert "Coverage by layer pair" in drawn
    assert "Accumulated adversarial distance" not in drawn
    test.segmented_control(key="layer-share").set_value("of_adversarial").run()
    assert "No campaign has anything to count here yet." in words(test)
