"""The report: its numbers are those of `dnncov show`, and both of its files show all of it."""

from __future__ import annotations

import inspect
import itertools
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.cli.show import campaign_summary
from dnncov_core.evidence.campaign_part import CampaignPart
from dnncov_core.evidence.claims import campaign_claims, measurement_claims
from dnncov_core.evidence.document import (
    Block,
    Commands,
    Document,
    Figure,
    Heading,
    Items,
    Paragraph,
    Signatures,
    Table,
)
from dnncov_core.evidence.measurement_part import MeasurementPart
from dnncov_core.evidence.page import html_page
from dnncov_core.evidence.parts import MOST_LAYERS
from dnncov_core.evidence.pdf import pdf_file
from dnncov_core.evidence.report import report, subject_of
from dnncov_core.export.provenance import of_campaign, of_measurement
from dnncov_core.ratios import Ratio
from tests.builders import campaign, card, mixed, say
from tests.evidence.reading import Page
from tests.suites.made import baseline, covering, measurement, patterns

FORBIDDEN = ("adequate", "robust", "complian", "e.g.", "i.e.")
HOSTILE = '<script src="https://example.org/x.js">alert(1)</script> & {names} ]]>'
LONG = " ".join(["word"] * 2500)
SUITE = measurement(covering("ss", (10, 1386, 630), effect=(1, 1000, 500)), baseline("tn:2", (5, 5, 5)), patterns(9))


def of_one(store: CampaignStore, unwritten: str = "") -> Document:
    subject = subject_of(store, "one", campaign_claims(store), model="model.onnx", unwritten=unwritten)
    return report([subject], {"one": store}, [of_campaign(store)], "dnncov evidence one.dnncov --out PACK.zip")


def of_suite() -> Document:
    subject = subject_of(SUITE, "suite", measurement_claims(SUITE))
    return report([subject], {}, [of_measurement(SUITE, "suite")], "dnncov evidence suite.json --out PACK.zip")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CampaignStore]:
    spec = CampaignSpec("mnist-n1", "mnist", generator="lp")
    with mixed(tmp_path_factory.mktemp("evidence") / "one.dnncov", spec=spec) as made:
        say(made, [made.targets.all()[5].ordinal], HOSTILE, "A. Engineer", "2026-01-02")
        yield made


@pytest.fixture(scope="module")
def document(store: CampaignStore) -> Document:
    return of_one(store)


@pytest.fixture(scope="module")
def page(document: Document) -> Page:
    return Page(html_page(document))


def table(document: Document, caption: str) -> Table:
    (found,) = (each for each in document.blocks if isinstance(each, Table) and each.caption.startswith(caption))
    return found


def facts(document: Document, caption: str) -> dict[str, str]:
    return dict(table(document, caption).rows)  # type: ignore[arg-type]


def test_numbers_are_those_of_show(store: CampaignStore, document: Document) -> None:
    summary = campaign_summary(store)
    counts = dict(zip(table(document, "What the test").heads, table(document, "What the test").rows[-1], strict=True))
    names = {"Test conditions": "pairs", "Covered": "covered", "Justified": "justified", "Open": "open"}
    for head, key in (names | {"Proved infeasible": "proved_infeasible"}).items():
        assert counts[head] == str(summary[key]), head
    by_layer = table(document, "Counts by layer pair")
    for row, layer in zip(by_layer.rows, summary["layers"], strict=False):
        cells = dict(zip(by_layer.heads, row, strict=True))
        assert cells["Covered"] == Ratio(layer["covered"], layer["pairs"]).display()
        assert cells["Hold at 8 bits"] == Ratio(layer["holds_8bit"], layer["covered"]).display()
        assert cells["Adversarial"] == Ratio(layer["adversarial"], layer["covered"]).display()
        assert cells["With effect"] == Ratio(layer["with_effect"]["covered"], layer["pairs"]).display()
    network = facts(document, "The network and the data")
    assert network["Fingerprint of the network"] == summary["spec"]["network_fingerprint"]
    assert network["Fingerprint of the data"] == summary["spec"]["data_fingerprint"]
    assert network["Inputs that may serve as seeds"] == str(summary["seeds"])
    assert facts(document, "The environment") == {"Device": summary["device"], **summary["versions"]}


def test_every_claim_about_all_layers_stands_in_the_report(store: CampaignStore, document: Document) -> None:
    claims = [claim for claim in campaign_claims(store) if not claim.place]
    assert [row[0] for row in table(document, f"{len(claims)} claims about all").rows] == [each.text for each in claims]


def test_open_and_proved_conditions_have_their_reasons(document: Document) -> None:
    assert len(table(document, "Open test conditions").rows) == 6
    why = [row[-1] for row in table(document, "Test conditions proved").rows]
    assert len(why) == 2
    assert all("has u < 0 for every input" in each for each in why)


def test_justifications_have_author_and_date_and_refuted_ones_are_marked(document: Document) -> None:
    rows = table(document, "Justifications").rows
    became = {row[0]: row[-1] for row in rows}
    assert sum("refuted by pair" in each for each in became.values()) == 1
    assert {row[2:4] for row in rows} == {("A. Engineer", "2026-01-02")}


def test_what_is_not_in_the_pack_is_said(store: CampaignStore) -> None:
    texts = [block.text for block in of_one(store, "an operator").blocks if isinstance(block, Paragraph)]
    (said,) = (text for text in texts if "cannot be written as ONNX: an operator" in text)
    assert "cannot compute whether a pair covers" in said


def test_an_unfinished_campaign_says_so(tmp_path: Path) -> None:
    with campaign(tmp_path / "one.dnncov", found=3, exhausted=1, pending=2, message="") as made:
        made.worker.claim()
        items = [item for block in of_one(made).blocks if isinstance(block, Items) for item in block.items]
    assert any(item.startswith("The campaign is not finished. 4 of 6 test conditions done") for item in items)


@pytest.mark.parametrize("part", [CampaignPart, MeasurementPart])
def test_every_name_of_a_template_is_a_method_and_every_method_is_used(part: type[CampaignPart]) -> None:
    text = Path(inspect.getfile(part)).with_name(part.template).read_text()
    methods = {name for name, _ in inspect.getmembers(part, inspect.isfunction) if name[0] != "_"}
    assert set(re.findall(r"\{(\w+)\}", text)) - {"claims"} == methods


def test_a_measurement_has_its_criteria_and_what_is_open() -> None:
    document = of_suite()
    rows = table(document, "Coverage by criterion").rows
    assert [row[:4] for row in rows] == [
        ("SS", "2,026", "3,490", "58.1 %"),
        ("TN, m = 2", "15", "152", "9.9 %"),
        ("S", "9", "not known", "9 patterns"),
    ]
    open_ = table(document, "Test conditions that the suite leaves open")
    assert sum(int(row[-1].replace(",", "")) for row in open_.rows if row[0] == "SS") == 3490 - 2026
    assert any(isinstance(block, Signatures) for block in document.blocks)


def test_several_campaigns_have_a_section_each_and_a_common_one(tmp_path: Path) -> None:
    with campaign(tmp_path / "one.dnncov") as one, campaign(tmp_path / "two.dnncov", found=7, exhausted=1) as two:
        stores = {"first": one, "second": two}
        subjects = [subject_of(each, name, campaign_claims(each)) for name, each in stores.items()]
        document = report(subjects, stores, [of_campaign(each) for each in stores.values()], "dnncov evidence")
        headings = [(block.level, block.text) for block in document.blocks if isinstance(block, Heading)]
        assert [text for level, text in headings if level == 1][1:4] == ["All campaigns beside each other", *stores]
        assert headings.count((2, "What was found")) == 2
        rows = table(document, "Campaigns beside each other").rows
        found = [(row[0], row[1].partition(",")[0]) for row in rows]
        assert found == [("first", "75.0 % (6 of 8)"), ("second", "87.5 % (7 of 8)")]


def test_tables_and_figures_have_captions_heads_and_texts(document: Document) -> None:
    for _, block in document.numbered():
        if isinstance(block, Table | Figure):
            assert block.caption.endswith((".", "has all."))
        if isinstance(block, Figure):
            assert block.alt
        if isinstance(block, Table):
            assert block.rows
            assert {len(row) for row in block.rows} == {len(block.heads)}


def test_the_words_of_the_report_are_explained_and_no_others(document: Document) -> None:
    words = {word for word, _ in table(document, "Words of this report").rows}
    assert {"layer pair", "witness", "effect", "baseline search"} <= words
    assert not {"seeded fault", "mutant", "killed"} & words


def test_the_page_loads_nothing_and_runs_nothing(page: Page) -> None:
    assert all(
        address.startswith(("data:image/svg+xml;base64,", "data:image/png;base64,", "#section-"))
        for address in page.addresses
    )
    assert not page.of("script", "link", "iframe", "object", "embed")
    assert HOSTILE in page.text


def test_the_page_can_be_read_by_a_screen_reader(page: Page) -> None:
    assert page.of("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(later <= level + 1 for level, later in itertools.pairwise(levels))
    assert all(each["scope"] == "col" for each in page.of("th"))
    assert all(each["alt"] for each in page.of("img"))
    assert {str(each["style"]) for each in page.of("img")} >= {"--share: 0.42", "--share: 0.21"}, "for printing"
    targets = {f"#{each['id']}" for each in page.of("h2", "h3", "h4") if "id" in each}
    assert {str(each["href"]) for each in page.of("a")} <= targets


def test_page_and_pdf_say_the_same(document: Document, page: Page, tmp_path: Path) -> None:
    content = pdf_file(document)
    assert content.startswith(b"%PDF-")
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not here")
    (tmp_path / "report.pdf").write_bytes(content)
    read = subprocess.run(["pdftotext", "-layout", tmp_path / "report.pdf", "-"], capture_output=True, check=True)
    words = set(read.stdout.decode().split())
    for number, block in document.numbered():
        if isinstance(block, Heading):
            assert {number, *block.text.split()} <= words
    assert len(set(page.text.split()) - words) < 0.1 * len(words)
    assert "<script" in words


@pytest.fixture
def pages_of(tmp_path: Path) -> Callable[..., list[str]]:
    """The pages of the PDF file of a document of these blocks, as text."""

    def read(*blocks: Block) -> list[str]:
        path = tmp_path / "report.pdf"
        path.write_bytes(pdf_file(Document("title", "about", "2026-01-01T00:00:00", "made", blocks)))
        done = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, check=True)
        return done.stdout.decode().split("\f")

    return read


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not here")
@pytest.mark.parametrize("lines", range(22, 52, 3))
def test_no_heading_stands_alone_at_the_end_of_a_page(pages_of: Callable[..., list[str]], lines: int) -> None:
    few, long = (Table("Below.", ("A", "B"), ((f"{n} row", "x"),) * n) for n in (5, 40))
    for table_ in (few, long):
        above = [Paragraph("Above.") for _ in range(lines)]
        pages = pages_of(*above, Heading("Heading"), Paragraph("It leads there."), table_)
        page = next(each for each in pages if "1 Heading" in each and "It leads there." in each)
        assert page.count(f"{len(table_.rows)} row") >= 3, "the first rows of a long table, or all of a short one"


def test_words_that_claim_too_much_are_not_used(page: Page) -> None:
    measured = [block.text for block in of_suite().blocks if isinstance(block, Paragraph)]
    for text in (page.text.replace(HOSTILE, ""), " ".join(measured)):
        assert not [word for word in FORBIDDEN if word in text.lower()]


def test_very_many_layer_pairs_are_shown_in_part_with_their_sum(tmp_path: Path) -> None:
    with campaign(tmp_path / "one.dnncov", network=card(hidden=(2,) * 70), found=80, adversarial=0) as made:
        shown = table(of_one(made), "What the test conditions count as")
    assert len(shown.rows) == MOST_LAYERS + 1
    assert shown.rows[-1][:3] == ("all", "82", "80")
    assert "first 60 of 70 rows" in shown.caption


def test_pdf_pages_take_text_of_any_length_and_any_letters() -> None:
    odd = "<b> & </para> &#0; \x00\x0b\U0001f600 \ud83d 漢字"
    blocks = (
        Heading(odd),
        Paragraph("w" * 5000 + LONG),
        Items((LONG, odd)),
        Commands(("x" * 3000, odd)),
        Table(odd, ("A", odd), ((odd, LONG), ("2", odd))),
        Signatures((odd,)),
    )
    assert pdf_file(Document(odd, odd * 20, "2026-01-01T00:00:00", "made", blocks)).startswith(b"%PDF-")
