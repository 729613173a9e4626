"""python -m tests.screenshots.report: pages of the report about the finished example, beside each other."""

from __future__ import annotations

import io
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageOps

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.entries.kinds import named_apart
from dnncov_core.evidence.claims import campaign_claims
from dnncov_core.evidence.pdf import pdf_file
from dnncov_core.evidence.report import report, subject_of
from dnncov_core.example import FOLDER, ID
from dnncov_core.export.provenance import of_campaign
from tests.browser.conftest import ROOT

FILE = ROOT / "assets" / "screenshots" / "report.png"
PAGES = (4, 7, 10)
"""Coverage, test pairs, and the argument."""
DPI, GAP, COLOURS = 78, 14, 88


def pages(content: bytes, numbers: Sequence[int]) -> list[Image.Image]:
    """Pages of a PDF file, by pdftoppm, each with a thin line around it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.pdf")
        path.write_bytes(content)
        subprocess.run(["pdftoppm", "-r", str(DPI), "-png", path, path.with_suffix("")], check=True)
        files = sorted(path.parent.glob("report-*.png"))
        return [ImageOps.expand(Image.open(io.BytesIO(files[n - 1].read_bytes())), 1, "#C9CFD8") for n in numbers]


def main() -> None:
    """Makes the picture."""
    with CampaignStore(FOLDER / f"{ID}.dnncov") as store:
        ((name, _),) = named_apart([store]).items()
        subject = subject_of(store, name, campaign_claims(store), model="model.onnx")
        made = report([subject], {name: store}, [of_campaign(store)], f"dnncov evidence {ID}.dnncov --out PACK.zip")
        some = pages(pdf_file(made), PAGES)
    width, height = some[0].size
    paper = Image.new("RGB", (len(some) * (width + GAP) + GAP, height + 2 * GAP), "#F3F5F8")
    for at, each in enumerate(some):
        paper.paste(each, (GAP + at * (width + GAP), GAP))
    paper.quantize(COLOURS, kmeans=2).save(FILE, "PNG", optimize=True)


if __name__ == "__main__":
    main()
