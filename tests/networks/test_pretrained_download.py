"""The download of weights: once, on standard error, checked, and nothing half done when it fails."""

from __future__ import annotations

import hashlib
import io
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import torch

from dnncov_core.errors import NetworkError
from dnncov_core.networks import pretrained_modules
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.pretrained import PRETRAINED, weights_file, whereabouts
from dnncov_core.networks.pretrained_modules import weights_of

NAME = "squeezenet1_1"


class Server(HTTPServer):
    """Serves one file of weights, cut short if asked."""

    def __init__(self, content: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.content, self.sent, self.requests = content, len(content), 0


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.requests += 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content[: self.server.sent])

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    """A server that stands for torchvision's: the URL of the weights and the hash in their name are changed."""
    from torchvision.models import squeezenet1_1

    buffer = io.BytesIO()
    torch.save(squeezenet1_1().state_dict(), buffer)
    server = Server(buffer.getvalue())
    file = f"squeezenet1_1-{hashlib.sha256(server.content).hexdigest()[:8]}.pth"
    monkeypatch.setitem(PRETRAINED, NAME, replace(PRETRAINED[NAME], file=file))
    monkeypatch.setattr(weights_of(NAME).value, "url", f"http://127.0.0.1:{server.server_port}/models/{file}")
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setenv("no_proxy", "*")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def left() -> list[str]:
    folder = weights_file(NAME).parent
    return [path.name for path in folder.iterdir()] if folder.exists() else []


def assert_refused(got: str) -> None:
    with pytest.raises(NetworkError) as caught:
        load_network(NAME)
    message = str(caught.value)
    assert f"to download the weights of {NAME} (5 MB) from {weights_of(NAME).url}; got " in message
    assert got in message
    assert f"name it: {NAME}=FILE" in message
    assert "\n" not in message
    assert left() == []


def test_weights_are_downloaded_once(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert "downloaded on first use" in whereabouts(NAME)
    first, card = load_network(NAME)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Downloading" in captured.err
    assert "100%" in captured.err
    assert left() == [weights_file(NAME).name]
    assert whereabouts(NAME) == "weights are here"
    assert card.accuracy == pytest.approx(0.58178)
    assert load_network(NAME)[0].fingerprint == first.fingerprint
    assert server.requests == 1
    assert socket.getdefaulttimeout() is None


@pytest.mark.parametrize("sent", [0, 1000])
def test_a_download_cut_short_is_no_download(server: Server, sent: int) -> None:
    server.sent = sent
    assert_refused("invalid hash value")


def test_another_file_in_its_place_is_refused(server: Server) -> None:
    server.content = server.content[:-1] + b"x"
    assert_refused("invalid hash value")


def test_an_interrupt_leaves_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def __enter__(self) -> Interrupted:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def update(self, _: int) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr("torch.hub.tqdm", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        load_network(NAME)
    assert left() == []


def test_offline_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def no_network(*_: Any, **__: Any) -> Any:
        raise OSError("Network is unreachable")

    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    monkeypatch.setattr(socket, "create_connection", no_network)
    assert_refused("Network is unreachable")


def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "file"))
    with pytest.raises(NetworkError, match=r"to download the weights of squeezenet1_1 .*; got .*Not a directory"):
        load_network(NAME)


def test_damaged_weights_in_the_cache_say_what_to_delete(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    weights_file(NAME).parent.mkdir(parents=True)
    weights_file(NAME).write_bytes(b"PK\x03\x04")
    with pytest.raises(NetworkError, match=r"squeezenet1_1-b8a52dc0\.pth, which is damaged: .*; delete that file"):
        load_network(NAME)


def test_the_download_gives_up_on_a_server_that_is_silent(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    given = weights_of(NAME)

    class Silent:
        url = given.url

        def get_state_dict(self, **_: Any) -> Any:
            seen.append(socket.getdefaulttimeout())
            raise TimeoutError("timed out")

    monkeypatch.setattr(pretrained_modules, "weights_of", lambda name: Silent())
    assert_refused("timed out")
    assert seen == [30.0]
