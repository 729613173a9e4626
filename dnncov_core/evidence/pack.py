"""A pack of evidence: what is in it, what the checker says of it, and the statement over all of it, in one ZIP file."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.entries.kinds import named_apart
from dnncov_core.errors import NetworkError, SpecificationError
from dnncov_core.evidence.argument import yaml_of
from dnncov_core.evidence.document import Document
from dnncov_core.evidence.library import need
from dnncov_core.evidence.model import onnx_model
from dnncov_core.evidence.page import html_page
from dnncov_core.evidence.report import report, subject_of
from dnncov_core.evidence.sources import EvidenceSource, campaign_source, measurement_source
from dnncov_core.evidence.statement import CLAIMS, HOW_TO_SIGN, SIGNED, STATEMENT, signed, statement
from dnncov_core.export.folder import File, zipped
from dnncov_core.suites.measurement_file import MEASUREMENT_SUFFIX

if TYPE_CHECKING:
    from dnncov_core.evidence.verify import Row

VERIFIER, FIELDS = Path(__file__).with_name("verify.py"), Path(__file__).with_name("fields.md")


@dataclass(frozen=True)
class Evidence:
    """What a pack is about, while its campaigns are open.

    Attributes:
        sources: campaigns and measurements.
        models: the ONNX file of each network, by fingerprint.
        unwritten: why a network has none, likewise.
    """

    sources: Sequence[EvidenceSource]
    models: Mapping[str, File]
    unwritten: Mapping[str, str]

    def document(self) -> dict[str, Any]:
        """What claims.json holds."""
        made = []
        for each in self.sources:
            model, why = self.model_of(each)
            made.append(each.document() | {"model": model or None, "no_model": why})
        return {"schema": 1, "how_to_sign": HOW_TO_SIGN, "sources": made}

    def model_of(self, source: EvidenceSource) -> tuple[str, str]:
        """The file of a source's network, or why it has none; one of the two is empty."""
        fingerprint = source.network.fingerprint
        model = self.models.get(fingerprint)
        return "" if model is None else model.name, self.unwritten.get(fingerprint, "")


Part = Callable[[Evidence], Iterable[File]]


def _tables(evidence: Evidence) -> Iterable[File]:
    for source in evidence.sources:
        yield from source.tables.files(source.folder)


def _checked(evidence: Evidence) -> Iterable[File]:
    yield from evidence.models.values()
    yield File(CLAIMS, lambda: (json.dumps(evidence.document(), indent=1, ensure_ascii=False) + "\n").encode())
    yield File(VERIFIER.name, VERIFIER.read_bytes)


def _read(evidence: Evidence) -> Iterable[File]:
    """What a person reads: the report, the argument, and which part of the pack answers which ask."""
    stores = named_apart(each.held for each in evidence.sources if isinstance(each.held, CampaignStore))
    names = {store.path: name for name, store in stores.items()}
    subjects = []
    for each in evidence.sources:
        model, unwritten = evidence.model_of(each)
        name = names.get(each.path, each.name)
        subjects.append(subject_of(each.held, name, each.claims, model=model, unwritten=unwritten))
    command = shlex.join(["dnncov", "evidence", *(each.path.name for each in evidence.sources), "--out", "PACK.zip"])
    made = cache(lambda: report(subjects, stores, [each.provenance for each in evidence.sources], command))
    yield File("report.html", lambda: html_page(made()))
    yield File("report.pdf", lambda: _pdf(made()))
    for source, subject in zip(evidence.sources, subjects, strict=True):
        text = yaml_of(subject.argument, subject.name, in_folder=bool(source.folder))
        yield File(f"{source.folder}argument.gsn.yaml", text.encode)
        yield File(f"{source.folder}argument.svg", partial(subject.picture.draw, "svg"))
    yield File(FIELDS.name, FIELDS.read_bytes)


def _pdf(document: Document) -> bytes:
    from dnncov_core.evidence.pdf import pdf_file  # ReportLab only where it is needed

    return pdf_file(document)


PARTS: tuple[Part, ...] = (_tables, _checked, _read)
"""What makes the files of a pack, in their order; the statement over all of them comes last."""


@contextmanager
def gathered(paths: Sequence[Path], *, network: str | None = None, data: str | None = None) -> Iterator[Evidence]:
    """What a pack of campaigns and measurements (``.json``) is about.

    Args:
        paths: their files; of several, each has a folder of its file's name in the pack; see `_folder`.
        network: where the network is, if it is not found by the name in a file.
        data: where the suite of a measurement is, likewise.

    Raises:
        SpecificationError: two files of one name.
        DnncovError: what `need`, `campaign_source` and `measurement_source` raise.
    """
    need()
    often = Counter(map(_folder, paths))
    if twice := [name for name, n in often.items() if n > 1]:
        got = f"{often[twice[0]]} that are {twice[0][:-1]} in the pack"
        raise SpecificationError("files of different names", got, "rename one")
    with ExitStack() as opened:
        sources = []
        for path in paths:
            folder = _folder(path) if len(paths) > 1 else ""
            if path.suffix == MEASUREMENT_SUFFIX:
                sources.append(measurement_source(path, folder, network, data))
                continue
            store = opened.enter_context(CampaignStore(path))
            opened.enter_context(store.at_one_moment())
            sources.append(campaign_source(store, folder, network))
        yield Evidence(sources, *_models(sources))


def _folder(path: Path) -> str:
    """The folder of a file in a pack: its name without dots, so that it leads nowhere else and is no file of the pack.

    >>> _folder(Path("n1.dnncov")), _folder(Path("report.html.dnncov")), _folder(Path("...dnncov"))
    ('n1/', 'report-html/', '-/')
    """
    return re.sub(r"[^\w-]+", "-", path.stem) + "/"


def _models(sources: Sequence[EvidenceSource]) -> tuple[dict[str, File], dict[str, str]]:
    models: dict[str, File] = {}
    unwritten: dict[str, str] = {}
    for network in {source.network.fingerprint: source.network for source in sources}.values():
        name = f"model-{len(models) + 1}.onnx" if models else "model.onnx"
        try:
            content = onnx_model(network)
            models[network.fingerprint] = File(name, partial(bytes, content))
        except NetworkError as error:
            unwritten[network.fingerprint] = str(error)
    return models, unwritten


def packed(
    evidence: Evidence, signer: Any = None, tell: Callable[[str, int, int], None] = lambda *_: None
) -> tuple[bytes, list[Row]]:
    """A pack as a ZIP file, and what verify.py says of it.

    Args:
        evidence: what it is about.
        signer: what signs the statement, see `signer_of`; None for nothing.
        tell: is called with the file that is made next, how many there are already, and how many there will be.
    """
    from dnncov_core.evidence.verify import verify

    files = [file for part in PARTS for file in part(evidence)]
    contents: dict[str, bytes] = {}
    for file in files:
        tell(file.name, len(contents), len(files) + 1)
        contents[file.name] = file.content()
    tell(STATEMENT, len(files), len(files) + 1)
    found = list(verify(contents))
    contents[STATEMENT] = statement(contents, found)
    if signer is not None:
        contents[SIGNED] = signed(contents[STATEMENT], signer)
    made = (File(name, partial(bytes, content)) for name, content in contents.items())
    return zipped(made, evidence.sources[0].provenance), found
