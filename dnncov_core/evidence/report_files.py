"""What a person reads of a pack, as files: the report, the argument, and which part of the pack answers which ask."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.entries.kinds import named_apart
from dnncov_core.evidence.argument import yaml_of
from dnncov_core.evidence.document import Document
from dnncov_core.evidence.page import html_page
from dnncov_core.evidence.report import Subject, campaign_subject, measurement_subject, report
from dnncov_core.export.folder import File

if TYPE_CHECKING:
    from dnncov_core.evidence.pack import Evidence
    from dnncov_core.evidence.sources import EvidenceSource

FIELDS = Path(__file__).with_name("fields.md")


def report_files(evidence: Evidence) -> Iterator[File]:
    """The files; while they are made, the campaigns are open."""
    stores = named_apart(each.held for each in evidence.sources if isinstance(each.held, CampaignStore))
    names = {store.path: name for name, store in stores.items()}
    subjects = [_subject(each, evidence, names) for each in evidence.sources]
    files = [
        each.held.path.name if isinstance(each.held, CampaignStore) else f"{each.name}.json"
        for each in evidence.sources
    ]
    command = shlex.join(["dnncov", "evidence", *files, "--out", "PACK.zip"])
    made = cache(lambda: report(subjects, stores, [each.provenance for each in evidence.sources], command))
    yield File("report.html", lambda: html_page(made()))
    yield File("report.pdf", lambda: _pdf(made()))
    for source, subject in zip(evidence.sources, subjects, strict=True):
        text = yaml_of(subject.argument, subject.name, in_folder=bool(source.folder))
        yield File(f"{source.folder}argument.gsn.yaml", text.encode)
        yield File(f"{source.folder}argument.svg", partial(subject.picture.draw, "svg"))
    yield File(FIELDS.name, FIELDS.read_bytes)


def _subject(source: EvidenceSource, evidence: Evidence, names: dict[Path, str]) -> Subject:
    fingerprint = source.network.fingerprint
    model, unwritten = evidence.models.get(fingerprint), evidence.unwritten.get(fingerprint, "")
    name = "" if model is None else model.name
    if isinstance(source.held, CampaignStore):
        called = names[source.held.path]
        return campaign_subject(source.held, called, source.claims, model=name, unwritten=unwritten)
    return measurement_subject(source.held, source.name, source.claims, model=name, unwritten=unwritten)


def _pdf(document: Document) -> bytes:
    from dnncov_core.evidence.pdf import pdf_file  # ReportLab only where it is needed

    return pdf_file(document)
