"""Whom the server answers: the app's own address alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from socket import create_connection
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.browser.conftest import App, start_app, stop_app

pytestmark = pytest.mark.browser

ASKED = BackMsg(rerun_script=ClientState())


@contextmanager
def answer(app: App, *, host: str = "", origin: str | None = None) -> Iterator[tuple[str, str]]:
    """What the first page sends over a websocket, which stays open, and the session's id.

    Args:
        app: the server.
        host: what its address is said to be; its own unless another one is given.
        origin: of the page that asks; None for a program that is no browser.
    """
    own = urlsplit(app.url)
    headers = {} if origin is None else {"Origin": origin}
    reached = create_connection((str(own.hostname), own.port or 80))
    sent: list[ForwardMsg] = []
    with connect(f"ws://{host or own.netloc}/_stcore/stream", sock=reached, additional_headers=headers) as stream:
        stream.send(ASKED.SerializeToString())
        while not sent or sent[-1].WhichOneof("type") != "script_finished":
            sent.append(ForwardMsg.FromString(stream.recv(timeout=60, decode=False)))
        session = next(each.new_session.initialize.session_id for each in sent if each.HasField("new_session"))
        yield "".join(map(str, sent)), session


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:80", "192.168.1.1"])
def test_another_host_is_refused(app: App, host: str) -> None:
    """A name whose owner lets it lead to this machine."""
    with pytest.raises(InvalidStatus, match="403"), answer(app, host=host):
        pass


@pytest.mark.parametrize("origin", ["http://localhost:9999", "http://127.0.0.1:1", "http://0.0.0.0"])
def test_a_page_of_another_server_on_this_machine_gets_nothing(app: App, origin: str) -> None:
    with answer(app, origin=origin) as (text, _):
        assert f"got one of {origin}" in text.replace("\\\\", "").replace(":small[]", "")
        assert "never exercised, and generates tests for them" not in text


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_a_page_of_another_machine_is_refused(app: App, origin: str) -> None:
    with pytest.raises(InvalidStatus, match="403"), answer(app, origin=origin):
        pass


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_the_app_itself_is_answered(app: App, name: str) -> None:
    host = f"{name}:{urlsplit(app.url).port}"
    with answer(app, host=host, origin=f"http://{host}") as (text, _):
        assert "never exercised, and generates tests for them" in text


def test_a_page_of_another_server_cannot_show_it_in_a_frame(app: App, page: Page) -> None:
    page.set_content(f'<iframe src="{app.url}" width="900" height="600"></iframe>')
    shown = page.frame_locator("iframe").locator("body")
    expect(shown).to_have_text(re.compile("Open its own address"))
    expect(shown.locator("button")).to_have_count(0)


def upload(app: App, *, says: int | None = None) -> int:
    """The server's answer to a program that sends a byte that no page asks for, or ``says`` that it sends more."""
    with urlopen(f"{app.url}/_stcore/health") as seen:
        cookie = seen.headers["Set-Cookie"].partition(";")[0]
    body = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n1\r\n--x--\r\n'
    headers = {
        "Cookie": cookie,
        "X-Xsrftoken": cookie.partition("=")[2],
        "Content-Type": "multipart/form-data; boundary=x",
        "Content-Length": str(says or len(body)),
    }
    with answer(app) as (_, session), closing(HTTPConnection(urlsplit(app.url).netloc)) as connection:
        connection.request("PUT", f"/_stcore/upload_file/{session}/f", body, headers)
        return connection.getresponse().status


def test_files_can_be_uploaded_where_only_this_machine_reaches_the_app(app: App) -> None:
    assert upload(app) == 204


@pytest.mark.parametrize(
    "options",
    [("--server.address=0.0.0.0",), ("--server.allowedHosts=localhost", "--server.allowedHosts=dnncov.example")],
)
def test_nothing_can_be_uploaded_where_others_reach_the_app(tmp_path: Path, options: tuple[str, ...]) -> None:
    running = start_app(tmp_path, options=options)
    try:
        assert upload(running) == 413
    finally:
        stop_app(running)


def test_who_runs_the_app_can_allow_uploads_up_to_a_size(tmp_path: Path) -> None:
    running = start_app(tmp_path, options=("--server.address=0.0.0.0", "--server.maxUploadSize=1"))
    try:
        assert upload(running) == 204
        assert upload(running, says=2**21) == 413
    finally:
        stop_app(running)
