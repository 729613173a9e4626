"""Sessions without a browser: what Streamlit's own client says over its web socket, and nothing that draws."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.browser.conftest import App

OPTIONS = {"subprotocols": ["streamlit"], "max_size": 20_000_000, "open_timeout": 120, "ping_interval": None}
"""Of a connection; browsers send no pings."""
STEP = 0.1
"""Seconds between looks at the clock."""


@dataclass
class Watcher:
    """A visitor that opens a page and follows it, as a tab that stays open does.

    Attributes:
        app: the server.
        page: its name in the address.
        query: the address's parameters.
        faults: exceptions and errors that the page showed.
        runs: how often the page, or the part of it that follows the campaign, ran.
        seen: words that the page has shown.
    """

    app: App
    page: str
    query: str
    faults: list[str] = field(default_factory=list)
    runs: int = 0
    seen: list[str] = field(default_factory=list)
    _closed: threading.Event = field(default_factory=threading.Event)
    _asked: dict[str, tuple[float, float]] = field(default_factory=dict)
    _due: dict[str, tuple[float, float]] = field(default_factory=dict)
    _thread: threading.Thread | None = None

    def open(self) -> None:
        """Begins to watch."""
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def close(self) -> None:
        """Closes the tab."""
        self._closed.set()
        assert self._thread is not None
        self._thread.join()

    def has_seen(self, words: str) -> bool:
        """Whether the page has shown these words."""
        return any(words in each for each in self.seen)

    def _follow(self) -> None:
        address = self.app.url.replace("http", "ws") + "/_stcore/stream"
        try:
            with connect(address, **OPTIONS) as socket:  # type: ignore[arg-type]
                socket.send(self._rerun().SerializeToString())
                while not self._closed.is_set():
                    with suppress(TimeoutError):
                        self._take(ForwardMsg.FromString(bytes(socket.recv(timeout=STEP))))
                    for fragment, (interval, when) in list(self._due.items()):
                        if time.monotonic() >= when:
                            self._due[fragment] = (interval, time.monotonic() + interval)
                            socket.send(self._rerun(fragment).SerializeToString())
        except ConnectionClosed as error:
            self.faults.append(f"the connection was closed: {error}")

    def _rerun(self, fragment: str = "") -> BackMsg:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = self.page
        message.rerun_script.fragment_id = fragment
        message.rerun_script.is_auto_rerun = bool(fragment)
        return message

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._asked = {}
        elif kind == "auto_rerun":
            interval = message.auto_rerun.interval
            self._asked[message.auto_rerun.fragment_id] = (interval, time.monotonic() + interval)
        elif kind == "script_finished":
            self.runs += 1
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:  # the whole page, not a part of it
                self._due = self._asked
        elif kind == "delta":
            self._look(message)

    def _look(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        shown = element.WhichOneof("type")
        if shown == "exception":
            self.faults.append("\n".join([element.exception.message, *element.exception.stack_trace]))
        elif shown == "alert" and element.alert.format == element.alert.ERROR:
            self.faults.append(element.alert.body)
        elif shown == "markdown":
            self.seen.append(element.markdown.body)
