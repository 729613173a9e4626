"""The app in Streamlit's own test runner, and what it shows."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = Path(__file__).parents[2] / "app.py"
BESIDE_EACH_OTHER = ("pages/overview.py", "pages/compare.py")
RESULTS = ("pages/layers.py", "pages/distances.py", "pages/examples.py", "pages/gaps.py")


def app(campaign_id: str | None = None) -> AppTest:
    """The page Run."""
    test = AppTest.from_file(str(APP), default_timeout=30)
    if campaign_id is not None:
        test.query_params["campaign"] = campaign_id
    return test.switch_page("pages/run.py").run()


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


def address(test: AppTest, parameter: str) -> str:
    """What the page's address says, whether the page wrote it or a visitor."""
    value = test.query_params[parameter]
    return value if isinstance(value, str) else ",".join(value)
