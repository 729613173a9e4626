"""The pages in Streamlit's own test runner: what they show, what they keep, and what they refuse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core.campaign import library
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.criteria import CRITERIA
from dnncov_core.records import Attempt, Outcome, State, Target
from dnncov_core.registry import networks
from tests.builders import campaign, card, costly

APP = Path(__file__).parents[2] / "app.py"
RESULTS = ("pages/layers.py", "pages/distances.py", "pages/examples.py")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of campaigns, empty."""
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    (tmp_path / "campaigns").mkdir()
    return tmp_path / "campaigns"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Campaigns that a page would have given a worker; no process starts."""
    ids: list[str] = []
    monkeypatch.setattr(library, "resume", ids.append)
    return ids


def app(campaign_id: str | None = None) -> AppTest:
    test = AppTest.from_file(str(APP), default_timeout=30)
    if campaign_id is not None:
        test.query_params["campaign"] = campaign_id
    return test.run()


def page(path: str, campaign_id: str | None = None) -> AppTest:
    test = app()
    if campaign_id is not None:
        test.query_params["campaign"] = campaign_id
    return test.switch_page(path).run()


def words(test: AppTest) -> str:
    """All text of a page."""
    kinds = (test.markdown, test.caption, test.info, test.warning, test.error, test.title, test.subheader)
    return "\n".join(element.value for kind in kinds for element in kind)


def metrics(test: AppTest) -> dict[str, tuple[str, str]]:
    return {metric.label: (metric.value, metric.delta) for metric in test.metric}


def test_the_first_page_offers_a_campaign_at_once(folder: Path) -> None:
    test = app()
    assert not test.exception
    assert test.title[0].value == "Run"
    assert "mnist-n1 · SS" in words(test)
    assert "200 sampled test conditions (of 3,490)" in words(test)
    assert "None yet" in words(test)
    assert not test.button[0].disabled


def test_menus_are_built_from_the_registries(folder: Path) -> None:
    test = app()
    assert list(test.selectbox(key="network").options) == list(networks())
    assert list(test.selectbox(key="criterion").options) == [method.title for method in CRITERIA.values()]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_each_criterion_shows_its_definition_and_only_its_own_choices(folder: Path, criterion: str) -> None:
    test = app()
    test.selectbox(key="criterion").select(criterion).run()
    method = CRITERIA[criterion]
    assert not test.exception
    assert method.words in words(test)
    (formula,) = (element.value for element in test.latex)
    assert all(part.strip() in formula for part in method.formula.replace(r"\;", "").split(r"\wedge"))
    keys = {element.key for element in test.selectbox}
    assert (f"value_function-{criterion}" in keys) == (method.own_function is not None)
    assert ("first_function" in keys) == (criterion == "vv")


def test_start_creates_a_campaign_with_the_chosen_parameters(folder: Path, started: list[str]) -> None:
    test = app()
    test.selectbox(key="network").select("toy").run()
    test.selectbox(key="criterion").select("sv").run()
    test.number_input(key="pairs").set_value(5).run()
    test.selectbox(key="grid").select("8bit").run()
    test.button[0].click().run()
    (campaign_id,) = started
    with library.open_campaign(campaign_id) as store:
        spec = store.spec()
    assert (spec.network, spec.data, spec.criterion, spec.pairs) == ("toy", "toy", "sv", 5)
    assert (spec.value_function, spec.sigma, spec.grid) == ("ratio", 2.0, "8bit")
    assert test.query_params["campaign"] in (campaign_id, [campaign_id])
    assert "Waiting" in words(test)


def test_bad_parameters_are_explained_in_place(folder: Path) -> None:
    test = app()
    test.selectbox(key="criterion").select("sv").run()
    test.number_input(key="sigma-sv-ratio").set_value(-1.0).run()
    assert not test.exception
    assert "sigma above 0" in test.error[0].value
    assert test.button[0].disabled


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pairs", 0),
        ("max_seeds", 0),
        ("bound", -1.0),
        ("bound", 0.0),
        ("seeds", 0),
        ("margin", 0.0),
        ("random_seed", -1),
    ],
)
def test_a_number_that_no_campaign_can_have_starts_nothing(folder: Path, key: str, value: float) -> None:
    test = app()
    test.number_input(key=key).set_value(value).run()
    assert not test.exception
    assert test.number_input(key=key).value == value
    assert key.removesuffix("_seed") in test.error[0].value
    assert "Nothing can start yet" in words(test)
    assert [text.value for text in test.markdown if ":red[:material/error:" in text.value]
    assert test.button[0].disabled


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_omega_outside_its_range_starts_nothing(folder: Path, value: float) -> None:
    test = app()
    test.selectbox(key="feature_mode").select("fixed").run()
    test.number_input(key="omega").set_value(value).run()
    assert "omega: a share above 0 and up to 1" in test.error[0].value
    assert test.button[0].disabled


def test_more_pairs_than_exist_are_all_of_them(folder: Path) -> None:
    test = app()
    test.number_input(key="pairs").set_value(99_999).run()
    assert "all 3,490 test conditions (99,999 asked for)" in words(test)


def test_strongest_connections_only(folder: Path, started: list[str]) -> None:
    test = app()
    test.number_input(key="top_weights").set_value(10).run()
    assert "200 sampled test conditions (of at most 950)" in words(test)
    test.button[0].click().run()
    with library.open_campaign(started[0]) as store:
        assert store.spec().top_weights == 10
    test.selectbox(key="feature_mode").set_value("fixed").run()
    assert not test.exception


def test_reuse_is_asked_for(folder: Path, started: list[str]) -> None:
    test = app()
    assert test.checkbox(key="reuse").value is False
    test.checkbox(key="reuse").check().run()
    test.button[0].click().run()
    with library.open_campaign(started[0]) as store:
        assert store.spec().reuse


def test_sizes_of_features_are_said_by_layer(folder: Path) -> None:
    test = app()
    test.selectbox(key="feature_mode").select("fixed").run()
    assert "Largest feature: 6 neurons in layer" in words(test)


def test_choices_survive_a_look_at_another_page(folder: Path) -> None:
    test = app()
    test.selectbox(key="network").select("mnist-n3").run()
    test.number_input(key="pairs").set_value(77).run()
    test.switch_page("pages/layers.py").run()
    test.switch_page("pages/run.py").run()
    assert test.selectbox(key="network").value == "mnist-n3"
    assert test.number_input(key="pairs").value == 77


def test_a_look_at_results_leaves_the_new_campaign_in_sight(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = app()
    test.switch_page("pages/layers.py").run()
    assert test.query_params["campaign"] in ("abc", ["abc"])
    test.query_params.clear()
    test.switch_page("pages/run.py").run()
    assert "Covered" not in metrics(test)


def test_a_watched_campaign_is_still_there_after_a_look_at_its_results(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = app("abc")
    for path in ("pages/examples.py", "pages/run.py"):
        test.query_params.clear()
        test.switch_page(path).run()
        assert test.query_params["campaign"] in ("abc", ["abc"])
    assert metrics(test)["Covered"] == ("75.0 %", "6 of 8 sampled (of 62)")


def test_the_estimate_counts_pairs_and_sizes(folder: Path) -> None:
    test = app()
    test.selectbox(key="network").select("mnist-n8").run()
    test.segmented_control(key="pairs_how").set_value("all").run()
    assert metrics(test)["Test conditions"][0] == "13,263 of 13,263"
    assert "| 2 → 3 | 4,836 | 864 | 3294 |" in words(test)
    assert "| 5 → 6 | 470 | 1046 | 3658 |" in words(test)


def test_a_campaign_is_found_by_its_address(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = app("abc")
    assert not test.exception
    assert metrics(test)["Covered"] == ("75.0 %", "6 of 8 sampled (of 62)")
    assert metrics(test)["Adversarial"] == ("50.0 %", "3 of 6")
    assert metrics(test)["Hold at 8 bits"] == ("33.3 %", "2 of 6")
    assert "6 of 8 sampled conditions (of 62) have a replayable witness." in words(test)
    assert "label differs, no bound on the distance" in words(test)


@pytest.mark.parametrize("asked", ["nothing", "../../etc/passwd", "<script>", "a" * 500])
@pytest.mark.parametrize("path", ["pages/run.py", *RESULTS])
def test_an_unknown_id_is_a_message(folder: Path, path: str, asked: str) -> None:
    test = page(path, asked)
    assert not test.exception
    assert "There is no campaign" in words(test)


@pytest.mark.parametrize("path", RESULTS)
def test_without_a_campaign_pages_say_what_to_do(folder: Path, path: str) -> None:
    test = page(path)
    assert not test.exception
    assert "Start one on the Run page" in test.info[0].value


@pytest.mark.parametrize("path", RESULTS)
def test_without_results_pages_say_so(folder: Path, path: str) -> None:
    CampaignStore.create(folder / "new.dnncov", CampaignSpec(network="mnist-n1", data="mnist"), {}).close()
    test = page(path, "new")
    assert not test.exception
    assert not test.error


@pytest.mark.parametrize("path", ["pages/run.py", *RESULTS])
def test_a_damaged_file_is_explained_in_place(folder: Path, path: str) -> None:
    (folder / "broken.dnncov").write_bytes(b"SQLite format 3\0" + b"x" * 4000)
    test = page(path, "broken")
    assert not test.exception
    assert "damaged" in words(test)


def test_a_failed_campaign_shows_its_message(folder: Path) -> None:
    message = "expected clean accuracy; got 9.8 %; check the preprocessing"
    campaign(folder / "bad.dnncov", found=0, exhausted=0, adversarial=0, state=State.FAILED, message=message).close()
    test = app("bad")
    assert test.error[0].value == message
    assert test.button(key="resume").label == "Resume"


def test_a_failed_campaign_says_why_before_its_numbers(folder: Path) -> None:
    campaign(folder / "bad.dnncov", state=State.FAILED, message="no memory left").close()
    panel = [type(block).__name__ for block in app("bad").main]
    assert panel.index("Error") < panel.index("Metric")


def test_a_campaign_in_preparation_shows_no_numbers_yet(folder: Path) -> None:
    CampaignStore.create(folder / "new.dnncov", CampaignSpec(network="mnist-n1", data="mnist"), {}).close()
    test = app("new")
    assert "Covered" not in metrics(test)
    assert "0 of 0" not in words(test)


def test_a_click_on_cancel_leaves_no_other_button_in_its_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def at_once(campaign_id: str) -> None:
        with library.open_campaign(campaign_id) as store:
            store.enter(State.CANCELLED)

    monkeypatch.setattr("pages.parts.live.cancel", at_once)
    campaign(folder / "going.dnncov", pending=3, state=State.RUNNING).close()
    test = app("going").button(key="cancel").click().run()
    assert test.button(key="cancel").disabled
    assert not {"resume", "close"} & {button.key for button in test.button}
    monkeypatch.setattr("pages.parts.live.SETTLING_SECONDS", 0.0)
    test.run()
    assert {"resume", "close"} <= {button.key for button in test.button}


@pytest.mark.parametrize("path", ["pages/run.py", *RESULTS])
def test_every_page_says_what_was_run(folder: Path, path: str) -> None:
    spec = CampaignSpec(network="mnist-n1", data="mnist", criterion="vv", pairs=8, bound=0.3)
    campaign(folder / "abc.dnncov", spec=spec).close()
    text = words(page(path, "abc")).replace("\\", "")
    for fact in (
        "| Campaign | abc |",
        "| Network | mnist-n1, fingerprint ffffffffffff |",
        "| Value function | g1: any, g2: ratio (sigma = 5) |",
        "| Note | With any, the condition feature need not change. |",
        "| Test conditions | 8 sampled, of 62 (random seed 0) |",
        "| Left out as misclassified | 10 of 50 inputs |",
        "| Bound b | 0.3 |",
    ):
        assert fact in text


def test_only_data_of_the_network_s_shape_are_offered(folder: Path) -> None:
    test = app()
    assert list(test.selectbox(key="data-mnist-n1").options) == ["mnist", "mnist-full"]
    test.selectbox(key="network").select("toy").run()
    assert list(test.selectbox(key="data-toy").options) == ["toy"]


def test_cancel_and_resume_reach_the_library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []
    for name in ("cancel", "resume"):
        monkeypatch.setattr(
            f"pages.parts.live.{name}", lambda campaign_id, name=name: asked.append((name, campaign_id))
        )
    campaign(folder / "going.dnncov", pending=3, state=State.RUNNING).close()
    campaign(folder / "gone.dnncov", pending=3, state=State.CANCELLED).close()
    app("going").button(key="cancel").click().run()
    app("gone").button(key="resume").click().run()
    assert asked == [("cancel", "going"), ("resume", "gone")]


def test_the_list_links_each_campaign(folder: Path) -> None:
    campaign(folder / "one.dnncov").close()
    campaign(folder / "two.dnncov", found=1, exhausted=0, adversarial=0).close()
    test = app()
    assert "**75.0 %** covered: 6 of 8 sampled conditions (of 62)" in words(test)
    assert "**100 %** covered: 1 of 1 sampled conditions (of 62)" in words(test)


def test_layers_shows_both_denominators(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = page("pages/layers.py", "abc")
    assert not test.exception
    table = test.dataframe[0].value
    assert list(table["Layer pair"]) == ["2 → 3", "3 → 4", "4 → 5", "All"]
    assert list(table["Feature pairs"]) == ["20", "12", "30", "62"]
    assert list(table["Covered, of sampled"])[-1] == "75.0 % (6 of 8)"
    assert next(iter(table["Adversarial, of test pairs"])) == "50.0 % (1 of 2)"
    assert next(iter(table["Share of all adversarial"])) == "33.3 % (1 of 3)"
    assert list(table["Hold at 8 bits"])[-1] == "33.3 % (2 of 6)"


def test_layers_shows_what_linear_programmes_cost(folder: Path) -> None:
    with campaign(folder / "abc.dnncov", network=card(hidden=(78, 62, 73, 47)), solved=costly) as store:
        first = store.programme_costs()[0]
    test = page("pages/layers.py", "abc")
    assert not test.exception
    assert test.subheader[0].value == "Linear programmes by layer"
    assert "adds constraints only when" in words(test)
    assert (
        f"| 2 → 3 | {first.calls:,} | 785 | {first.constraints_mean:,.1f} | {first.constraints_max:,}"
        f" | {first.seconds_mean:.4f} | {first.iterations_mean:,.1f} | 864 | 3,294 |"
    ) in words(test)
    assert " | 999 | 3,564 |" in words(test)


def test_layers_shows_no_cost_that_is_not_known(folder: Path) -> None:
    def old(target: Target) -> tuple[Attempt, ...]:
        return (Attempt(0, Outcome.INFEASIBLE_HERE, 0.1, variables=785, constraints=33),)

    campaign(folder / "abc.dnncov", solved=old).close()
    assert "| 2 → 3 | n/a | 785 | 33.0 | 33 | n/a | n/a | 791 |" in words(page("pages/layers.py", "abc"))


def test_layers_says_nothing_of_programmes_where_none_was_solved(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = page("pages/layers.py", "abc")
    assert not test.subheader
    assert "Linear programmes" not in words(test)


def test_distances_compares_campaigns(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    campaign(folder / "def.dnncov", adversarial=5).close()
    test = page("pages/distances.py", "abc")
    test.multiselect(key="compared").set_value(["def"]).run()
    assert not test.exception
    assert list(test.dataframe[0].value["Test pairs"]) == [2, 2, 2]


@pytest.mark.parametrize("shape", [(1, 28, 28), (1, 17, 29), (3, 40, 24)])
def test_examples_show_images_of_any_shape(folder: Path, shape: tuple[int, ...]) -> None:
    campaign(folder / "abc.dnncov", network=card(input_shape=shape)).close()
    test = page("pages/examples.py", "abc")
    assert not test.exception
    assert "1 to 6 of 6 test pairs" in words(test)
    assert "layer 2, neuron 0 → layer 3, neuron 0" in words(test)
    assert "Holds after rounding to 8 bits" in words(test)
    assert "Lost when rounded to 8 bits" in words(test)


def test_examples_show_numbers_as_tables(folder: Path) -> None:
    toy = card(hidden=(3, 3), input_shape=(2,), bounds=(-10.0, 10.0), classes=2)
    campaign(folder / "abc.dnncov", network=toy, found=2, adversarial=0).close()
    test = page("pages/examples.py", "abc")
    assert not test.exception
    assert len(test.dataframe) == 2
    assert "8 bits do not apply" in words(test)


def test_examples_are_filtered_and_paged(folder: Path) -> None:
    campaign(folder / "abc.dnncov", found=30, adversarial=5, network=card(hidden=(9, 9, 9))).close()
    test = page("pages/examples.py", "abc")
    assert "1 to 12 of 30 test pairs" in words(test)
    test.toggle(key="only_adversarial").set_value(True).run()
    assert "1 to 5 of 5 test pairs" in words(test)
    test.selectbox(key="edge").select((2, 3)).run()
    assert "1 to 2 of 2 test pairs" in words(test)


def test_pages_need_no_torch(folder: Path) -> None:
    code = (
        "import sys; from streamlit.testing.v1 import AppTest;"
        f"test = AppTest.from_file({str(APP)!r}, default_timeout=60).run();"
        "[test.switch_page(path).run() for path in ('pages/layers.py', 'pages/distances.py', 'pages/examples.py')];"
        "sys.exit(bool(test.exception) or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=APP.parent, check=False).returncode == 0


def test_no_page_promises_more_than_was_measured() -> None:
    texts = [APP.read_text(), *(path.read_text() for path in (APP.parent / "pages").rglob("*.py"))]
    for word in ("adequate", "robust", "compliant"):
        assert not [text for text in texts if word in text.lower()]


def test_pages_are_short() -> None:
    for path in (APP, *(APP.parent / "pages").glob("*.py")):
        assert len(path.read_text().splitlines()) < 120


def test_a_page_opened_first_still_has_its_frame(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = AppTest.from_file(str(APP), default_timeout=30)
    test.query_params["campaign"] = "abc"
    test.switch_page("pages/layers.py").run()
    assert not test.exception
    assert test.title[0].value == "Layers"
    assert len(test.title) == 1


def test_a_mistake_in_the_registry_is_explained_in_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "registry.toml"
    path.write_text("[[network]]\nname = 'x'\n")
    monkeypatch.setenv("DNNCOV_REGISTRY", str(path))
    test = app()
    assert not test.exception
    assert "either file or factory" in test.error[0].value


def test_a_registered_network_needs_no_card(folder: Path, monkeypatch: pytest.MonkeyPatch, started: list[str]) -> None:
    path = folder / "registry.toml"
    path.write_text("[[network]]\nname = 'mine'\nfactory = 'package.module:factory'\n")
    monkeypatch.setenv("DNNCOV_REGISTRY", str(path))
    test = app()
    test.selectbox(key="network").select("mine").run()
    assert not test.exception
    assert "no estimate" in words(test)
    test.button[0].click().run()
    with library.open_campaign(started[0]) as store:
        assert store.spec().network == "mine"
