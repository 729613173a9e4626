"""Files that cannot be read or written, or are damaged: one line each, exit status 2, and nothing is lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.command import call, is_whole, refused

pytestmark = pytest.mark.usefixtures("folder")


class TestFiles:
    def test_an_existing_out_is_kept(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "c.dnncov").write_text("mine")
        assert "got c.dnncov, which exists" in refused(capsys, "run", "toy", "--out", "c.dnncov")
        assert (folder / "c.dnncov").read_text() == "mine"

    @pytest.mark.parametrize(
        "option",
        [
            ("run", "nowhere", "--out"),
            ("pairs", "nowhere.dnncov", "--out"),
            ("measure", "nowhere", "--suite", "nowhere", "--out"),
            ("measure", "nowhere", "--suite", "nowhere", "--witnesses"),
            ("measure", "nowhere", "--suite", "nowhere", "--status"),
        ],
        ids=" ".join,
    )
    @pytest.mark.parametrize("file", [".", "/", "", "no/such/file", "file/file", "folder", "n" * 300, "/proc/no/file"])
    def test_what_cannot_be_written_is_refused_before_anything(
        self, option: tuple[str, ...], file: str, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "file").write_text("")
        (folder / "folder").mkdir()
        expected = f"argument {option[-1]}: expected a file that can be written, in a folder that exists; got {file!r}"
        assert expected in refused(capsys, *option, file)
        assert sorted(path.name for path in folder.iterdir()) == ["file", "folder"]

    @pytest.mark.parametrize("command", ["resume", "cancel", "show", "verify", "pairs"])
    def test_campaign_files_that_are_none(self, command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "text.dnncov").write_text("no database, but long enough to be read as one" * 30)
        (folder / "empty.dnncov").write_bytes(b"")
        (folder / "folder.dnncov").mkdir()
        sqlite3.connect(folder / "other.dnncov").executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1);")
        more = ("--out", "p.npz") if command == "pairs" else ()
        for name, expected in {
            "missing.dnncov": "no file missing.dnncov",
            "n" * 300: "no file",
            "text.dnncov": "another kind of file, text.dnncov",
            "empty.dnncov": "an empty file, empty.dnncov",
            "folder.dnncov": "a folder, folder.dnncov",
            "other.dnncov": "another database, other.dnncov",
        }.items():
            message = refused(capsys, command, name, *more)
            assert expected in message
            assert is_whole(message)
        assert not (folder / "p.npz").exists()

    @pytest.mark.parametrize(
        "damage",
        [
            "UPDATE campaign SET spec = '{'",
            "UPDATE campaign SET spec = '[]'",
            "UPDATE campaign SET spec = '{}'",
            "UPDATE campaign SET spec = replace(spec, '\"ss\"', '\"xx\"')",
            "UPDATE campaign SET card = '{\"name\": 1}'",
            "UPDATE campaign SET card = 'x'",
            "UPDATE campaign SET seeds = x'00'",
            "UPDATE worker SET state = 'flying'",
            "UPDATE test_pair SET x1 = x'0011'",
            "UPDATE target SET outcome = 'flying'",
            "UPDATE target SET condition_neurons = 'a b', outcome = 'pending'",
            "DELETE FROM campaign",
            "DELETE FROM worker",
            "DROP TABLE target",
            "DROP TABLE test_pair",
        ],
    )
    def test_a_damaged_campaign_gives_one_line_and_stays(
        self, damage: str, campaign: Path, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = folder / "c.dnncov"
        path.write_bytes(campaign.read_bytes())
        connection = sqlite3.connect(path)
        connection.execute(damage)
        connection.commit()
        connection.close()
        statuses = []
        for command in (["show"], ["resume"], ["verify"], ["pairs", "--out", "p.npz"], ["cancel"]):
            statuses.append(call(command[0], path, *command[1:]))
            captured = capsys.readouterr()
            assert "Traceback" not in captured.err
            lines = [line for line in captured.err.replace("\r", "\n").splitlines() if line.startswith("dnncov")]
            assert len(lines) == (statuses[-1] == 2)
            assert all(is_whole(line) for line in lines)
        assert set(statuses) <= {0, 2}
        assert 2 in statuses
        assert path.is_file()
