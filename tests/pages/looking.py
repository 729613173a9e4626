"""The app in Streamlit's own test runner, and what it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

APP = Path(__file__).parents[2] / "app.py"


def entry(name: str) -> str:
    """The file of a page."""
    return f"pages/{name}/page.py"


BESIDE_EACH_OTHER = tuple(map(entry, ("overview", "compare")))
RESULTS = tuple(map(entry, ("layers", "distances", "examples", "gaps")))


def opened(path: str, **parameters: str) -> AppTest:
    """The app where a visit begins with this page; it has not run yet.

    Streamlit knows a page by its address, and before a first run `AppTest.switch_page` takes the name of a page's file
    for it. Here all files have one name, and the folder has that of the address.
    """
    test = AppTest.from_file(str(APP), default_timeout=120)
    test.query_params.update(parameters)
    test._page_hash = calc_hash(Path(path).parent.name)
    return test


def app(campaign_id: str | None = None) -> AppTest:
    """The page Run."""
    return page("pages/run/page.py", campaign_id)


def page(path: str, campaign_id: str | None = None) -> AppTest:
    """A page as its address opens it, without another one before it."""
    return opened(path, **({} if campaign_id is None else {"campaign": campaign_id})).run()


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


def needs_pytorch(path: str, **parameters: str) -> bool:
    """Whether a new server loads PyTorch for this page, which takes seconds."""
    code = (
        "import sys; from tests.pages.looking import opened;"
        f"test = opened({path!r}, **{parameters!r}).run();"
        "assert not test.exception and test.title;"
        "print('torch' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=APP.parent, check=True, capture_output=True, text=True)
    return told.stdout.split() != ["False"]
