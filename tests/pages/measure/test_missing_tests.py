"""From a measurement to the tests that are missing: the list, the campaign that it starts, and both together."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.worker import work
from dnncov_core.errors import DataError
from dnncov_core.phrases.states import WITHOUT_LABELS
from dnncov_core.records import State
from dnncov_core.resources import versions
from dnncov_core.suites.measurement_file import MeasuredCriterion
from dnncov_core.suites.measurement_reader import read
from dnncov_core.suites.open_conditions import campaign_for, load_list, read_table, save
from dnncov_core.types import IntArray
from pages.measure.missing_tests import NO_LIST
from tests.command import call
from tests.pages.looking import app, opened, words

PATH = "pages/measure/page.py"
Started = list[tuple[CampaignSpec, IntArray]]


@pytest.fixture
def measured(folder: Path) -> Path:
    """The stem of a measurement of the network toy by the suite toy, as the app's worker writes it."""
    stem = folder.parent / "measurements" / "one"
    stem.parent.mkdir()
    files = [f"--open={stem}.npz", f"--out={stem}.json"]
    assert call("measure", "toy", "--suite", "toy", "--criteria", "ss,sv:ratio=3,n", *files) == 0
    return stem


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """What the page would have started; no process starts."""
    seen: Started = []

    def start(spec: CampaignSpec, rows: IntArray) -> str:
        seen.append((spec, rows))
        return "none"

    monkeypatch.setattr("pages.measure.campaign_form.start", start)
    return seen


def page() -> AppTest:
    test = app()
    test.query_params["measurement"] = "one"
    return test.switch_page(PATH).run()


def links(test: AppTest) -> list[str]:
    return [link.proto.label for link in test.get("page_link")]


def of(stem: Path, text: str) -> MeasuredCriterion:
    return next(each for each in read(stem.with_suffix(".json")).criteria if each.text == text)


def counts(stem: Path, text: str) -> tuple[int, int]:
    return of(stem, text).covered, of(stem, text).total or 0


def listed(stem: Path, text: str) -> IntArray:
    return load_list(stem.with_suffix(".npz"), of(stem, text))


def choose(test: AppTest, key: str, value: str) -> AppTest:
    return next(each for each in test.button_group if (each.key or "").startswith(key)).set_value(value).run()


def test_the_button_starts_a_campaign_on_exactly_what_is_open(measured: Path, started: Started) -> None:
    test = page()
    covered, total = counts(measured, "ss")
    assert f"**{total - covered}** of {total} test conditions of SS are not covered by toy." in words(test)
    button = test.button(key="generate-missing")
    assert button.label == f"Generate tests for these {total - covered}"
    button.click().run()
    ((spec, rows),) = started
    assert (spec.network, spec.data, spec.criterion, spec.grid, spec.pairs) == ("toy", "toy", "ss", "none", None)
    assert rows.tolist() == listed(measured, "ss").tolist()
    assert spec.suite_gaps is not None
    assert (spec.suite_gaps.total, spec.suite_gaps.covered, spec.suite_gaps.listed) == (total, covered, len(rows))
    assert not test.exception


def test_a_short_run_finds_out_how_long_they_take(
    measured: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dnncov_core.workers.start", lambda command, file, *options: work(file))
    test = page()
    assert "time not known yet" in words(test)
    test = test.button(key="trial").click().run()
    assert not test.exception
    assert "time not known yet" not in words(test)
    assert "trial" not in {each.key for each in test.button}
    assert list(folder.iterdir()) == []


def test_another_criterion_is_asked_with_its_value_function(measured: Path, started: Started) -> None:
    test = choose(page(), "missing-ss", "sv:ratio=3")
    test.button(key="generate-missing").click().run()
    ((spec, rows),) = started
    assert (spec.criterion, spec.value_function, spec.sigma) == ("sv", "ratio", 3.0)
    assert rows.tolist() == listed(measured, "sv:ratio=3").tolist()


def test_without_labels_no_campaign_is_offered_and_a_failed_one_offers_nothing_in_vain(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = folder.parent
    (home / "bare.csv").write_text("a,b\n" + "\n".join(f"{n / 7},{-n / 5}" for n in range(9)))
    (home / "registry.toml").write_text("[[data]]\nname = 'bare'\npath = 'bare.csv'\n")
    stem = home / "measurements" / "one"
    stem.parent.mkdir()
    files = [f"--open={stem}.npz", f"--out={stem}.json"]
    assert call("measure", "toy", "--suite", "bare", "--criteria", "ss", *files) == 0
    found = read(stem.with_suffix(".json"))
    path = folder / "tests.dnncov"
    rows = listed(stem, "ss")
    spec = campaign_for(found, of(stem, "ss"), listed=len(rows), data="bare")
    CampaignStore.create(path, spec, versions(), rows).close()
    with pytest.raises(DataError, match="label"):
        work(path)
    test = page()
    assert test.button(key="generate-missing").label.startswith("Generate")  # from the network's own data
    monkeypatch.setattr("pages.measure.campaign_form.default_data", lambda network: "bare")
    test = page()
    assert not [button for button in test.button if button.key == "generate-missing"]
    assert "bare has none. Bring can take the network's own decisions as labels." in words(test)
    assert "Open the campaign" in links(test)
    assert "See and download its tests" not in links(test)
    assert "these tests" not in words(test)
    run = app("tests")
    assert WITHOUT_LABELS in words(run)
    assert "bare has none. Bring can take the network's own decisions as labels." in words(run)
    assert {"Get labels on Bring", "Its measurement"} <= set(links(run))
    assert not {"resume", "restart"} & {each.key for each in run.button}
    assert "This campaign has no test pair." in words(opened("pages/examples/page.py", campaign="tests").run())


def test_some_of_the_list_and_a_sample_of_these(measured: Path, started: Started) -> None:
    test = page()
    edge = next(box for box in test.selectbox if box.label == "Only layer pair")
    edge.set_value((2, 3)).run()
    everything = listed(measured, "ss")
    first = everything[everything[:, 1] == 2]
    assert test.button(key="generate-missing").label == f"Generate tests for these {len(first)}"
    test.number_input(key="missing-neuron").set_value(1).run()
    some = [row for row in first.tolist() if 1 in (row[2], row[4])]
    assert 1 < len(some) < len(first)
    assert f"Download these {len(some)} (CSV)" in [each.label for each in test.get("download_button")]
    assert test.dataframe[1].value["Ordinal"].tolist() == [row[0] for row in some]
    test = choose(test, "missing-how", "sample")
    test.number_input(key="missing-pairs-False").set_value(1).run()
    test.button(key="generate-missing").click().run()
    ((spec, rows),) = started
    assert (spec.pairs, rows.tolist()) == (1, some)
    test = page()
    test.number_input(key="missing-neuron").set_value(999).run()
    assert not [button for button in test.button if button.key == "generate-missing"]


def test_afterwards_suite_and_tests_stand_together(measured: Path, folder: Path) -> None:
    save(folder / "open.csv", read(measured.with_suffix(".json")), {"ss": listed(measured, "ss")})
    spec, rows = read_table(folder / "open.csv", CampaignSpec("toy", "toy"))
    path = folder.parent / "campaigns" / "tests.dnncov"
    path.parent.mkdir(exist_ok=True)
    CampaignStore.create(path, spec, versions(), rows).close()
    assert work(path) is State.FINISHED
    with CampaignStore(path) as store:
        found = store.counts.progress().covered
    test = page()
    covered, total = counts(measured, "ss")
    assert f"both together {covered + found} of {total}" in words(test)
    assert f"these tests {found} more with the effect asked for (of {len(rows)} asked)" in words(test)
    assert "both together" not in words(choose(test, "missing-ss", "sv:ratio=3"))
    run = app()
    run.query_params["campaign"] = "tests"
    run.switch_page("pages/run/page.py").run()
    assert f"both together {covered + found} of {total}" in words(run)
    assert f"the {len(rows)} conditions that the suite toy left open, of {total} measured" in words(run)


def test_a_measurement_without_a_list_says_so(measured: Path) -> None:
    measured.with_suffix(".npz").unlink()
    test = page()
    assert NO_LIST in words(test)
    assert not [button for button in test.button if button.key == "generate-missing"]


def test_a_damaged_list_is_said(measured: Path) -> None:
    measured.with_suffix(".npz").write_bytes(b"PK")
    test = page()
    assert "expected" in test.error[0].value
    assert not test.exception


def test_single_neurons_alone_have_no_missing_tests(measured: Path) -> None:
    assert call("measure", "toy", "--suite", "toy", "--criteria", "n", f"--out={measured}.json") == 0
    assert "Missing tests" not in [each.value for each in page().subheader]
