"""Kinds of files that are SQLite databases: campaigns, and others that are stored and opened like them."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.campaign.file.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION


@dataclass(frozen=True)
class FileKind:
    """What tells the files of a kind from others.

    Attributes:
        noun: what such a file is, with the word file.
        application_id: SQLite's number of it.
        version: of its tables; a file of a later version is refused.
        schema: its tables.
        start: the command that makes one.
        resume: the command that continues one.
    """

    noun: str
    application_id: int
    version: int
    schema: str
    start: str
    resume: str


CAMPAIGN = FileKind("campaign file", APPLICATION_ID, SCHEMA_VERSION, SCHEMA, "dnncov run", "dnncov resume")
