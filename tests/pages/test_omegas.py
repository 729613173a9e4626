"""The section about feature sizes of the page Distances."""

from __future__ import annotations

from pathlib import Path

from dnncov_core.campaign.spec import CampaignSpec
from tests.builders import campaign
from tests.pages.looking import page, words

HEADING = "Distance by feature size"


def made(folder: Path, name: str, omega: float, **changes: object) -> None:
    spec = CampaignSpec("mnist-n1", "mnist", feature_mode="free", omega=omega, **changes)
    campaign(folder / f"{name}.dnncov", spec=spec).close()


def test_campaigns_of_other_sizes_are_compared(folder: Path) -> None:
    made(folder, "abc", 0.01)
    made(folder, "fine", 0.001, max_seeds=9)
    made(folder, "other", 0.001, criterion="sv")
    campaign(folder / "neurons.dnncov").close()
    test = page("pages/distances.py", "abc")
    choice = test.multiselect(key="omegas-abc")
    assert len(choice.options) == 1
    assert choice.options[0].startswith("ω = 0.1 % · mnist-n1 · SS")
    assert "Choose at least one campaign" in words(test)
    choice.set_value(["fine"]).run()
    assert not test.exception
    table = test.dataframe[1].value
    assert list(table["ω"]) == ["0.1 %", "1 %"]
    assert list(table["Campaign"]) == ["fine", "abc"]
    assert list(table["Adversarial, of test pairs"]) == ["50.0 % (3 of 6)"] * 2
    assert "Beside ω these campaigns differ in: max seeds." in words(test)


def test_without_another_campaign_it_says_what_to_run(folder: Path) -> None:
    made(folder, "abc", 0.01)
    test = page("pages/distances.py", "abc")
    assert HEADING in words(test)
    assert "No other campaign of free features asks mnist-n1 · SS" in words(test)
    assert "omegas-abc" not in [choice.key for choice in test.multiselect]


def test_single_neurons_have_no_such_section(folder: Path) -> None:
    made(folder, "free", 0.01)
    campaign(folder / "abc.dnncov").close()
    test = page("pages/distances.py", "abc")
    assert not test.exception
    assert HEADING not in words(test)


def test_a_file_that_cannot_be_read_is_no_choice(folder: Path) -> None:
    made(folder, "abc", 0.01)
    (folder / "broken.dnncov").write_bytes(b"no database")
    test = page("pages/distances.py", "abc")
    assert not test.exception
    assert "No other campaign" in words(test)
