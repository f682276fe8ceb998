"""Text and documents that nothing in them can break."""

import argparse
import os
import re
import stat
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from reports.results.outcomes import Outcome
from reports.results.records import ResultsError
from reports.results.shared.files import write_text
from reports.results.shared.text import count, listing, markdown, markdown_code, printable, trim
from reports.views.documents import (
    Item,
    Remark,
    ReportDocument,
    add_format_arguments,
    as_html,
    as_markdown,
    as_text,
    show,
)
from tests.unit.reports.small_results import HOSTILE

NASTY = [
    HOSTILE,
    "a|b",
    "a\\|b",
    "a\\\\|b",
    "``` `x` ```",
    "*a* _b_ **c** ~~d~~",
    "# no heading",
    "- no item",
    "12. no item",
    "1) no item",
    "[a](javascript:alert(1)) ![b](c)",
    "<b>&amp;</b>",
    " leading and trailing ",
    "$x$",
    "a\tb\r\nc",
    "$(rm -rf) ${x}",
    "https://example.org/a_b_c",
]


def text_of(markdown_text: str) -> str:
    """Return what a reader of the Markdown sees, as GitHub's rules have it."""
    shown = []

    class Reader(HTMLParser):
        def handle_data(self, data):
            shown.append(data)

        def handle_starttag(self, tag, attributes):
            assert tag in {"p", "code", "table", "thead", "tbody", "tr", "td", "th"}, tag

    Reader().feed(MarkdownIt("commonmark").enable("table").render(markdown_text))
    return "".join(shown).strip("\n")


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("escape", [markdown, markdown_code])
def test_markdown_shows_exactly_the_text(text, escape):
    assert text_of(escape(text)).strip() == printable(text).strip()


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("escape", [markdown, markdown_code])
def test_a_cell_of_a_markdown_table_stays_one_cell(text, escape):
    table = f"| head | next |\n| --- | --- |\n| {escape(text)} | other |\n"
    cells = [line.strip() for line in text_of(table).splitlines() if line.strip()]
    assert cells == ["head", "next", printable(text).strip(), "other"]


def test_ordinary_ids_stay_readable_in_markdown():
    assert markdown_code("A-1/f32[5,7]/x=1") == "`A-1/f32[5,7]/x=1`"
    assert markdown("97.1% 2 of 3") == "97.1% 2 of 3"


def test_printable_is_one_line_that_no_terminal_obeys():
    shown = printable(HOSTILE + "\x00\x9b\x7fé漢")
    assert shown.isprintable()
    assert r"\n\x1b[31mred\u2028\u202e\ud800" in shown
    assert shown.endswith(r"\x00\x9b\x7fé漢")


def test_trim():
    assert trim("abcdef", 6) == "abcdef"
    assert trim("abcdef", 5) == "abcd…"
    assert trim("abc def", 5) == "abc…"


def test_phrases():
    assert [count(1, "case"), count(4213, "case")] == ["1 case", "4,213 cases"]
    assert count(0, "entry", "entries") == "0 entries"
    assert [listing(["a", "b", "c"][:length]) for length in range(4)] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


@pytest.fixture
def page() -> ReportDocument:
    page = ReportDocument()
    page.heading(HOSTILE, 1)
    page.paragraph(HOSTILE)
    page.table(["name", "number"], [["short", "1"], [HOSTILE, "1,000"]])
    page.items([Item("FAIL", "A-1/x", HOSTILE), Item("CRASH", HOSTILE), Remark(HOSTILE)])
    return page


def test_text_has_a_line_per_row_and_per_case(page):
    lines = as_text(page).splitlines()
    assert all(line.isprintable() for line in lines)
    assert len(lines) == 2 + 1 + 1 + 1 + 3 + 1 + 3
    table = lines[5:8]
    assert len({len(line) for line in table}) == 1
    assert [line.split()[-1] for line in table] == ["number", "1", "1,000"]


def test_markdown_has_a_line_per_row_and_per_case(page):
    lines = as_markdown(page).splitlines()
    assert all(line.isprintable() for line in lines)
    assert len(lines) == 1 + 1 + 1 + 1 + 4 + 1 + 3
    assert len([line for line in lines if line.startswith("| ")]) == 4
    assert "<script" not in as_markdown(page)


def test_html_holds_only_its_own_elements_and_forbids_the_rest(page):
    text = as_html(page, HOSTILE)
    assert "<script" not in text
    assert "http" not in text.replace("http-equiv", "")
    assert "default-src 'none'" in text
    tags = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            tags.append(tag)

    Reader().feed(text)
    assert tags.count("tr") == 3
    assert tags.count("li") == 3
    text.encode("utf-8")


@pytest.mark.parametrize("width", [80, 100, 200])
def test_details_are_trimmed_to_the_width(width):
    page = ReportDocument()
    page.items([Item("FAIL", "A-1/" + "x" * 30, "y" * 1000)])
    (line,) = as_text(page, width).splitlines()
    assert "A-1/" + "x" * 30 + "  y" in line
    assert len(line) == width


def test_a_detail_without_room_has_a_line_of_its_own():
    page = ReportDocument()
    page.items([Item("FAIL", "A-1/" + "x" * 40, "y" * 1000)])
    case, detail = as_text(page, 60).splitlines()
    assert case == "  FAIL  A-1/" + "x" * 40
    assert detail == "        " + "y" * 51 + "…"


WIDE = ReportDocument()
WIDE.heading("a heading that is too long for a narrow terminal " * 3, 1)
WIDE.paragraph("a paragraph that is too long for a narrow terminal " * 5)
WIDE.table(
    ["operation", *(str(outcome) for outcome in Outcome), "departures"],
    [
        ["ScatterElementsUpdate-12", *("1,234" for _ in Outcome), "17"],
        ["total", *("17,466" for _ in Outcome), "17"],
    ],
)
WIDE.table(
    ["cases", "class", "cause"],
    [["12", "defect", "a title that one can act on, at some length " * 4]],
    names=3,
)
WIDE.items(
    [
        Item("ACCEPTED_INVALID", "A-1/plain/f32[2,3]/" + "axes=1,2;" * 30, "what came " * 30),
        Item("FAIL", "x" * 300),
        Remark("and some more of it " * 10),
    ]
)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_no_line_is_longer_than_the_terminal_is_wide(width):
    lines = as_text(WIDE, width).splitlines()
    assert max(map(len, lines)) <= width
    assert all(line.isprintable() for line in lines)
    words = re.findall(r"\w+", " ".join(lines))
    # All of it is there, the numbers of the tables in one piece.
    assert words.count("466") == words.count("234") == len(Outcome)
    assert "".join(lines).count("x") >= 300


def test_without_a_terminal_nothing_is_wrapped():
    assert max(map(len, as_text(WIDE).splitlines())) > 300


@pytest.mark.parametrize("most", [1000, 3000, 20_000, 65_536])
def test_markdown_is_cut_to_a_number_of_bytes(most):
    page = ReportDocument()
    page.paragraph("é" * 100)
    page.table(["name", "number"], [[f"näme {n}", str(n)] for n in range(2000)])
    page.heading("A short list")
    page.items([Item("FAIL", "A-1/short", "y")])
    page.heading("A long list")
    page.items([Item("FAIL", f"A-1/{n}", "y" * 50) for n in range(2000)])
    text = as_markdown(page, most)
    assert 0.75 * most < len(text.encode()) <= most
    assert "é" * 100 in text
    assert "A-1/short" in text
    rows = [line for line in text.splitlines() if line.startswith("| n")][1:]
    items = [line for line in text.splitlines() if line.startswith("- **FAIL** `A-1/")][1:]
    left = re.findall(r"… and ([\d,]+) lines left out", text)
    assert [int(one.replace(",", "")) for one in left] == [2000 - len(rows), 2000 - len(items)]
    tables = MarkdownIt("commonmark").enable("table").render(text)
    assert tables.count("<tr>") == len(rows) + 1


def test_markdown_that_fits_is_whole():
    page = ReportDocument()
    page.items([Item("FAIL", f"A-1/{n}", "y") for n in range(100)])
    whole = as_markdown(page)
    assert as_markdown(page, len(whole)) == whole


def test_whole_sections_are_left_out_where_not_even_headings_fit():
    page = ReportDocument()
    for number in range(100):
        page.heading(f"Section {number} with a title", 3)
        page.items([Item("FAIL", f"A-1/{number}")])
    text = as_markdown(page, 1000)
    assert len(text.encode()) <= 1000
    assert re.search(r"… and \d+ sections left out\n$", text)


def test_details_without_a_width_are_bounded():
    page = ReportDocument()
    page.items([Item("FAIL", "A-1/x", "y" * 1_000_000)])
    for text in (as_text(page), as_markdown(page), as_html(page, "t")):
        assert text.count("y") < 500


def test_labels_line_up():
    page = ReportDocument()
    page.items([Item("FAIL", "A-1/x"), Remark("and more"), Item("REFUSED", "A-1/y")])
    first, remark, second = as_text(page).splitlines()
    assert first.index("A-1") == second.index("A-1") == remark.index("and")


def test_a_table_without_rows_and_items_without_lines_are_left_out():
    page = ReportDocument()
    page.table(["a"], [])
    page.items([])
    assert page.blocks == []


class TestFormats:
    def show(self, *arguments):
        parser = argparse.ArgumentParser()
        add_format_arguments(parser, ("markdown", "html"))
        page = ReportDocument()
        page.heading("Title", 1)
        show(page, parser.parse_args(arguments), title="T")

    def test_text_is_the_default(self, capsys):
        self.show()
        assert capsys.readouterr().out == "Title\n=====\n"

    def test_markdown(self, capsys):
        self.show("--markdown")
        assert capsys.readouterr().out == "# Title\n"

    def test_html_to_a_file(self, tmp_path, capsys):
        self.show("--html", "--out", str(tmp_path / "new" / "page.html"))
        assert "<title>T</title>" in (tmp_path / "new" / "page.html").read_text()
        assert capsys.readouterr().out == ""

    def test_markdown_of_so_many_bytes(self, capsys):
        self.show("--markdown", "--max-bytes", "1000")
        assert capsys.readouterr().out == "# Title\n"

    @pytest.mark.parametrize("number", ["999", "-1", "x", "9" * 400])
    def test_a_limit_that_makes_no_sense(self, number, capsys):
        with pytest.raises(SystemExit) as caught:
            self.show("--markdown", "--max-bytes", number)
        assert caught.value.code == 2

    def test_a_limit_is_for_markdown(self):
        with pytest.raises(ResultsError, match="add --markdown"):
            self.show("--max-bytes", "65536")

    def test_one_format_only(self, capsys):
        with pytest.raises(SystemExit) as caught:
            self.show("--html", "--markdown")
        assert caught.value.code == 2


class TestWriting:
    def test_others_may_read_what_is_written(self, tmp_path):
        mask = os.umask(0o022)
        try:
            write_text(tmp_path / "a.txt", "é\n")
        finally:
            os.umask(mask)
        assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o644
        assert (tmp_path / "a.txt").read_bytes() == b"\xc3\xa9\n"

    def test_a_failed_write_leaves_the_old_file_and_nothing_else(self, tmp_path):
        write_text(tmp_path / "a.txt", "old")
        with pytest.raises(UnicodeEncodeError):
            write_text(tmp_path / "a.txt", "\ud800")
        assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
        assert (tmp_path / "a.txt").read_text() == "old"


def test_nothing_prints_escapes_of_its_own_without_a_terminal(page):
    assert not re.search(r"\x1b", as_text(page) + as_markdown(page))
