"""The HTML report as text: its data, its safety, its command. The browser tests are next door."""

import base64
import gzip
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.results.facts_of_departures import Facts
from reports.results.files.reading import load
from reports.results.outcomes import Gate
from reports.results.records import WorstElement, to_line
from reports.results.shared.text import printable
from reports.views import filling
from reports.views.packed import packed
from reports.views.report import data, html_report, model_text, render
from reports.views.report import evidence as evidence_module
from tests.unit.reports.synthetic_results import (
    HOSTILE,
    TARGETS,
    departure,
    header,
    many,
    realistic,
    record,
    save,
)

ROOT = Path(__file__).parents[3]


class Page(HTMLParser):
    """Tags with their attributes, and the text of each element by its id or tag."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.scripts = []
        self.text = ""
        self._inside = ""
        self.feed(text)
        self.close()
        self.packed = next(s for kind, s in self.scripts if kind == "application/gzip")
        self.data = json.loads(gzip.decompress(base64.b64decode(self.packed, validate=True)))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        else:
            self.text += data

    def column(self, field):
        return [self.data["names"][field][place] for place in self.data["columns"][field]]


def plain(page):
    """The page's text on one line."""
    return re.sub(r"\s+", " ", page.text)


def run(*arguments):
    return main(["html", *map(str, arguments)])


def page_of(tmp_path, records, targets=TARGETS):
    return Page(html_report(load(save(tmp_path / "run.jsonl", records, targets)), tmp_path))


# ------------------------------------------------------------------ the command


def test_the_command_writes_the_page_and_says_how_many_depart(tmp_path, capsys):
    results = realistic(tmp_path, 500)
    assert run(results, "--out", tmp_path / "page.html") == 0
    departures = sum(r.gate == "new" for r in load(results).records)
    assert departures > 3
    said = capsys.readouterr().out
    assert said.endswith(
        f"page.html: {departures} unexpected departures ({departures} new) in 503 cases\n"
    )
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    known = sum(r.gate == "known" for r in load(results).records)
    assert f"{departures} unexpected departures ({departures} new) in 503 cases" in plain(page)
    assert known > 3


def test_the_same_results_give_the_same_bytes(tmp_path):
    results = realistic(tmp_path, 100)
    assert html_report(load(results), tmp_path) == html_report(load(results), tmp_path)


@pytest.mark.parametrize("content", ["", "{", '{"kind": "run", "schema": 99}\n'])
def test_a_bad_file_is_one_line_and_2(tmp_path, capsys, content):
    (tmp_path / "run.jsonl").write_text(content)
    assert run(tmp_path / "run.jsonl", "--out", tmp_path / "page.html") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


def test_a_place_that_cannot_be_written_is_one_line_and_2(tmp_path, capsys):
    results = save(tmp_path / "run.jsonl", [record()])
    (tmp_path / "taken").mkdir()
    assert run(results, "--out", tmp_path / "taken") == 2
    assert "taken" in capsys.readouterr().err


def test_a_run_without_a_case_has_a_page_too(tmp_path):
    page = page_of(tmp_path, [])
    assert "0 unexpected departures in 0 cases" in plain(page)
    assert page.data["columns"]["case"] == []


# ------------------------------------------------------------------ causes

VALUE = Facts(kind="value", output=0)
SIGSEGV = Facts(stage="compile", kind="signal", signal="SIGSEGV")


def known(case, kind="defect", cause="f64", **changes):
    facts = {"cause": cause, "cause_class": kind, "reason": f"title of {cause}", "since": "2024.0"}
    return record(case, **{"outcome": "FAIL", "gate": "known", **facts, **changes})


def test_causes_are_counted_by_class_before_all_else(tmp_path):
    records = [known(f"Add-{n}/type/f64[2]") for n in range(5)]
    records += [known("Add-1/x/i4", "limit", "i4"), known("Add-1/y/f16", "open", "nan")]
    text = plain(page_of(tmp_path, records))
    assert text.count("0 unexpected departures in 7 cases") == 2  # the title and the headline
    assert "1 known defect (5 cases)" in text
    assert "1 limit of support (1 case) 1 gap in the specification (1 case)" in text
    row = (
        "defect since 2024.0 silent rare layers title of f64 FAIL "
        "Add-0, Add-1, Add-2 and 2 more 5 Add-0/type/f64[2]"
    )
    assert row in text
    parts = ("1 known defect", row, "Devices", "Clear", "Outcomes by operation")
    places = [text.index(each) for each in parts]
    assert places == sorted(places)


def test_the_title_of_a_cause_selects_its_cases(tmp_path):
    page = page_of(tmp_path, [known("Add-1/x/f64", cause="a&b=c#"), record("Add-1/y/f32")])
    links = [a["href"] for tag, a in page.tags if tag == "a" and "gate" in a["href"]]
    assert "#cause=a%26b%3Dc%23&gate=all" in links
    assert "#text=Add-1%2Fx%2Ff64&target=CPU+%C2%B7+accuracy&gate=all" in links
    assert page.column("cause") == ["a&b=c#", ""]


def test_a_page_without_departures_has_no_causes(tmp_path):
    page = page_of(tmp_path, [record("Add-1/x/f32")])
    assert "What departs" not in page.text
    assert "0 unexpected departures in 1 case" in plain(page)


def test_unexpected_groups_are_those_of_accept_and_stand_above_the_known_causes(tmp_path, capsys):
    def departs(case, facts=VALUE, outcome="FAIL"):
        return record(case, outcome=outcome, gate="new", facts=facts)

    records = [
        *[departs(f"Abs-1/x/{n}") for n in range(3)],
        departs("Pad-1/x/1", SIGSEGV, "CRASH"),
        record("Exp-1/x/1", outcome="ERROR", gate="no verdict"),
        known("Add-1/x/f64"),
    ]
    path = save(tmp_path / "run.jsonl", records, TARGETS[:1])
    page = Page(html_report(load(path), tmp_path))
    assert main(["accept", str(path), "--baseline", str(tmp_path / "none")]) == 1
    taken = re.findall(r"^  (new-\w+) ", capsys.readouterr().out, re.MULTILINE)
    shown = dict(zip(page.data["columns"]["case"], page.column("cause"), strict=True))
    groups = {shown["Abs-1/x/0"], shown["Pad-1/x/1"]}
    assert len(groups) == 2
    assert groups <= {*taken}
    text = plain(page)
    places = [text.index(each) for each in (f"new {shown['Abs-1/x/0']}", "title of f64")]
    assert places == sorted(places)
    assert f"error {shown['Exp-1/x/1']}" in text


def selected_by(page, address):
    """The cases that the page shows at an address."""
    wanted = urllib.parse.parse_qs(address[1:])
    gate = wanted.pop("gate", ["all"])[0]
    fields = {field: page.column(field) for field in ("gate", *wanted) if field != "text"}
    return [
        case
        for n, case in enumerate(page.data["columns"]["case"])
        if gate in ("all", fields["gate"][n])
        and all(fields[field][n] == value for field, (value,) in wanted.items())
    ]


def test_each_number_leads_to_its_cases(tmp_path):
    f64 = {"facts": VALUE, "outcome": "FAIL"}
    records = [
        record("Abs-1/type/f64[2]", gate="new", **f64),
        record("Abs-1/type/f64[2]/-/shape=dims", gate="explained", explained_by="Abs-1/type/f64[2]", **f64),
        known("Add-1/type/f64[2]"),
        known("Add-1/type/f64[3]", gate="new case"),
        known("Add-1/type/u4[3]", kind="limit", cause="u4"),
        record("Add-1/type/f32[3]", gate="improved", baseline="FAIL"),
        *[record(f"Add-1/plain/f32[{n}]") for n in range(5)],
    ]  # fmt: skip
    page = page_of(tmp_path, records, TARGETS[:1])
    found = {}
    text = re.sub(
        r"<small>|</small>|<strong>|</strong>",
        "",
        html_report(load(tmp_path / "run.jsonl"), tmp_path),
    )
    for address, words in re.findall(r'<a [^>]*?href="(#[^"]*)"[^>]*>([^<]*)</a>', text):
        numbers = re.findall(r"\d[\d,]*(?= case)", words) or re.findall(r"^[+ ]*([\d,]+)\b", words)
        if numbers and "text=" not in address:
            found[address.replace("&amp;", "&")] = int(numbers[0].replace(",", ""))
    assert len(found) > 12
    for address, number in found.items():
        assert len(selected_by(page, address)) == number, address


def test_a_cause_shows_its_severity_and_component(tmp_path):
    causes = tmp_path / "causes"
    causes.mkdir()
    (causes / "own-of-f64.toml").write_text(
        'title = "Add - f64 - dies"\nclass = "defect"\ncomponent = "plugin node"\n'
        'page = "\'T\'"\nsmallest = "Add-1/type/f64[2],f64[2]/-"\ndevices = ["CPU"]\n'
    )
    dies = known("Add-1/type/f64[2],f64[2]/-", cause="own-of-f64", outcome="CRASH", facts=SIGSEGV)
    inexact = {"facts": VALUE, "relative_error": 1e-3, "cause": "other"}
    wrong = known("Add-1/type/f32[2],f32[2]/-", **inexact)
    results = load(save(tmp_path / "run.jsonl", [wrong, dies, record("Abs-1/plain/f32[2]/-")]))
    page = Page(html_report(results, tmp_path, [causes]))
    text = plain(page)
    rows = (
        "defect since 2024.0 crash rare layers plugin node title of own-of-f64 CRASH",
        "defect since 2024.0 accuracy title of other FAIL",
    )
    # What models have comes first.
    assert text.index(rows[1]) < text.index(rows[0])
    # Cases have a severity of their own, by which they are filtered.
    severities = dict(zip(page.data["columns"]["case"], page.column("severity"), strict=True))
    assert severities == {dies.case: "crash", wrong.case: "accuracy", "Abs-1/plain/f32[2]/-": ""}


def test_a_cause_has_its_issue_behind_a_button(tmp_path):
    """The text that `python -m reports issues` wrote, if it did; else one without a script."""
    name = "not-executed-for-an-empty-input"
    departs = known("Abs-1/dim-0/f32[0]/-", cause=name, outcome="FAIL", facts=VALUE)
    other = known("Abs-1/dim-0/f32[0,2]/-", cause="of-nobody", facts=VALUE)
    results = load(save(tmp_path / "run.jsonl", [departs, other, record("Abs-1/x/f32")]))
    page = Page(html_report(results, tmp_path))
    places = [a["data-issue"] for _, a in page.tags if "data-issue" in a]
    assert sorted(places) == sorted([name, "of-nobody"])
    assert [*page.data["issues"]] == [name]
    text = page.data["issues"][name]
    assert text.startswith("# Several operations - an input is empty, output is not")
    command = f"python -m reports issue {name} {shlex.join(map(str, results.paths))}"
    assert f"`{command}` makes one, runs it" in text
    issues = tmp_path / "issues"
    issues.mkdir()
    (issues / f"{name}.md").write_text("# written, with a script\n")
    page = Page(html_report(results, tmp_path, issues=issues))
    assert page.data["issues"] == {name: "# written, with a script\n"}


def test_a_folder_of_issues_that_is_not_there_is_one_line(tmp_path, capsys):
    path = save(tmp_path / "run.jsonl", [record("Abs-1/x/f32")])
    out = tmp_path / "page.html"
    assert main(["html", str(path), "--out", str(out), "--issues", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.endswith("none: there is no such folder\n")
    assert not out.exists()


def test_cases_have_the_types_of_their_inputs(tmp_path):
    cases = ["Add-1/type/f16[2],f16[2]/-", "Tile-1/type/i64[1],f16[2]/-", "Tile-1/plain/-"]
    page = page_of(tmp_path, [record(case) for case in cases])
    found = dict(zip(page.data["columns"]["case"], page.column("type"), strict=True))
    assert found == {cases[0]: "f16", cases[1]: "f16 i64", cases[2]: ""}


def test_the_example_of_a_cause_is_one_with_a_picture(tmp_path):
    data_of = np.arange(24.0).reshape(2, 12)
    wrong = data_of + (data_of > 20)
    short = known("Abs-1/x")
    shown = departure(tmp_path / "run.failures", "Abs-1/much-longer/f32[2,12]", data_of, wrong)
    changes = {"cause": "f64", "cause_class": "defect", "reason": "title of f64"}
    page = page_of(tmp_path, [short, replace(shown, gate=Gate.KNOWN, **changes)])
    (number,) = [int(a["data-example"]) for _, a in page.tags if "data-example" in a]
    assert page.data["columns"]["case"][number] == shown.case
    assert page.data["evidence"][str(number)]["pictures"][0]["wrong"] == 3


def test_pictures_of_examples_come_before_others(tmp_path, monkeypatch):
    tensor = np.arange(24.0).reshape(2, 12)
    folder = tmp_path / "run.failures"
    many = [departure(folder, f"Abs-1/{n:02}/f32[2,12]", tensor, tensor + 1) for n in range(5)]
    changes = {"cause": "f64", "cause_class": "defect", "reason": "title of f64"}
    last = departure(folder, "Tile-1/x/f32[2,12]", tensor, tensor + 1)
    last = replace(last, gate=Gate.KNOWN, **changes)
    monkeypatch.setattr(evidence_module, "EVIDENCE_BYTES", 4000)
    page = page_of(tmp_path, [*many, last])
    place = page.data["columns"]["case"].index(last.case)
    assert place == 5
    assert "pictures" in page.data["evidence"][str(place)]
    assert "HTML file is full" in page.data["evidence"]["4"]["problem"]


def test_the_head_never_says_that_all_is_well_above_known_departures(tmp_path):
    text = page_of(tmp_path, [known("Add-1/x/f64")]).text
    assert "every case" not in text.lower()
    assert "conforms or is known" not in text


def test_known_departures_without_a_cause_are_shown(tmp_path):
    records = [known("Add-1/x/f64", kind="", cause="", since="")]
    text = re.sub(r"\s+", " ", page_of(tmp_path, records).text)
    assert "1 departure without a known cause (1 case)" in text
    assert "unknown silent title of" in text


# ------------------------------------------------------------------ the data


NAMED = ("operation", "category", "opset", "purpose", "outcome", "gate", "kernel", "precision")
NAMED += ("detail", "layer", "reason", "cause_class", "since", "explained_by")


def test_every_field_of_every_case_is_in_the_columns(tmp_path):
    records = list(many(400))
    page = page_of(tmp_path, records)
    columns = page.data["columns"]
    targets, layers, worst = map(page.column, ("target", "layer_xml", "worst"))
    named = {field: page.column(field) for field in NAMED}
    keys = zip(columns["case"], targets, strict=True)
    found = {key: n for n, key in enumerate(keys)}
    assert len(found) == len(records)
    for one in records:
        n = found[one.case, f"{one.device} · {one.profile}"]
        for field in named:
            assert named[field][n] == getattr(one, field)
        for field in ("fraction", "wrong", "elements", "open", "pack_size", "seconds"):
            assert columns[field][n] == getattr(one, field)
        assert re.sub(r"\n *", "", layers[n]) == one.layer_xml
        if one.worst is None:
            assert worst[n] is None
        else:
            assert worst[n]["actual"] == one.worst.actual
            assert worst[n]["index"] == str(list(one.worst.index))


def test_what_cases_share_is_there_once(tmp_path):
    worst = WorstElement(index=(4, 2), expected="1.125", actual="3.875", low="1", high="1.25")
    same = {"detail": "far off", "layer_xml": "<layer/>", "worst": worst}
    page = page_of(tmp_path, [record(f"Add-1/x/{n}", **same) for n in range(9)])
    for field in ("detail", "reason", "layer_xml", "worst", "explained_by"):
        assert len(page.data["names"][field]) == 1
        assert page.data["columns"][field] == [0] * 9
    assert page.column("worst")[8]["actual"] == "3.875"


def test_a_page_of_many_cases_is_small(tmp_path):
    cases = 3000
    few, more = (len(page_of(tmp_path, list(many(n))).packed) for n in (100, 100 + cases))
    # Bytes per case; as plain JSON there would be several hundred.
    assert (more - few) / cases < 60


def test_script_and_style_are_without_comments_and_indentation():
    code = "// one\n\na(1); // two\n  /** three */\n  b('/* x */') * 2;\n/* c */ d(); /* e */\n"
    assert filling.lean(code) == "a(1); // two\nb('/* x */') * 2;\n/* c */ d(); /* e */"
    for name in (*render.SCRIPTS, *render.STYLES):
        text = (ROOT / "reports" / "views" / "templates" / name).read_text(encoding="utf-8")
        # Neither texts nor comments that lines are cut out of.
        assert all(line.count("`") % 2 == 0 for line in text.splitlines())
        assert all(line.count("/*") == line.count("*/") for line in text.splitlines())


def test_a_page_of_few_cases_is_hardly_more_than_its_script_and_style(tmp_path):
    text = html_report(load(save(tmp_path / "run.jsonl", [record()])), tmp_path)
    page = Page(text)
    style = text[text.index("<style>") : text.index("</style>")]
    assert len(text) - len(page.scripts[1][1]) - len(style) < 6000
    # Compression never costs more than it saves: not even for one case.
    assert len(page.packed) < len(json.dumps(page.data, separators=(",", ":")))


def test_what_one_acts_on_comes_first(tmp_path):
    page = page_of(tmp_path, list(many(3000)))
    gates = page.column("gate")
    order = [gate.value for gate in data.GATE_ORDER]
    assert gates == sorted(gates, key=order.index)
    departures = gates.count("new")
    outcomes = page.column("outcome")[:departures]
    assert outcomes.index("CRASH") < outcomes.index("FAIL") < outcomes.index("FOLDED")


def test_the_head_counts_by_device_and_profile(tmp_path):
    records = [
        record("a/b/c", outcome="CRASH", gate="new"),
        record("a/b/c", profile="performance"),
        record("a/b/d", profile="performance", outcome="REFUSED", gate="known"),
    ]
    page = page_of(tmp_path, records)
    assert "1 unexpected departure (1 new) in 3 cases" in plain(page)
    assert "Intel(R) CPU of the synthetic kind" in page.text
    assert "PERFORMANCE" in page.text
    assert "GPU" not in page.text  # no case of it


def test_a_number_out_of_range_is_one_line_and_2(tmp_path, capsys):
    results = save(tmp_path / "run.jsonl", [record(fraction=7.5)])
    results.write_text(results.read_text().replace("7.5", "1e999"))
    assert run(results, "--out", tmp_path / "page.html") == 2
    assert capsys.readouterr().err.endswith("run.jsonl:2: number out of range: 1e999\n")


def test_conflicts_of_a_merged_file_are_kept(tmp_path):
    other = record(outcome="CRASH", gate="new", detail="signal 6")
    page = page_of(tmp_path, [record(conflicts=[other])])
    assert page.data["conflicts"] == {"0": [{"outcome": "CRASH", "detail": "signal 6"}]}


# ------------------------------------------------------------------ safety


def hostile_records():
    # A name of an operation has no slash: what stands before the first one of a case is its operation.
    operation = HOSTILE.replace("/", "")
    names = {"case": f"{operation}/{HOSTILE}", "operation": operation}
    texts = ("category", "opset", "purpose", "detail", "kernel")
    changes = dict.fromkeys((*texts, "precision", "reason", "layer_xml", "folder"), HOSTILE)
    facts = Facts(signal=HOSTILE, message=HOSTILE, rule=HOSTILE, computed_as=HOSTILE)
    layer = {"inputs": [HOSTILE], "parameters": {HOSTILE: HOSTILE}, "how": {HOSTILE: HOSTILE}}
    yield record(**names, **changes, **layer, facts=facts, outcome="FAIL", gate="new")
    yield record(device=HOSTILE, profile=HOSTILE)
    yield record(
        "Relu-1/worst/x",
        outcome="FAIL",
        gate="new",
        worst=WorstElement(index=(0,), expected=HOSTILE, actual=HOSTILE, low=HOSTILE, high=HOSTILE),
    )


def test_hostile_text_makes_no_element(tmp_path):
    targets = [("CPU", "accuracy"), (HOSTILE, HOSTILE)]
    page = page_of(tmp_path, list(hostile_records()), targets)
    harmless = [record(), record(device="GPU", outcome="FAIL", gate="new")]
    plain = page_of(tmp_path, harmless, [TARGETS[0], TARGETS[2]])
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in plain.tags}
    assert [kind for kind, _ in page.scripts] == ["application/gzip", None]
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert HOSTILE.replace("/", "") in page.column("operation")
    assert HOSTILE in page.column("detail")
    assert printable(HOSTILE) in page.text


def test_data_inside_a_script_element_cannot_end_it():
    text = packed([HOSTILE, "\u2029"])
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", text)
    assert json.loads(gzip.decompress(base64.b64decode(text))) == [HOSTILE, "\u2029"]
    with pytest.raises(ValueError, match="not JSON compliant"):
        packed(float("nan"))


def test_half_a_surrogate_pair_does_not_stop_the_page(tmp_path):
    results = save(tmp_path / "run.jsonl", [record(device="\ud800", detail="\udfff")])
    assert run(results, "--out", tmp_path / "page.html") == 0


def test_only_the_pages_own_script_and_style_may_run(tmp_path):
    results = load(save(tmp_path / "run.jsonl", [record()]))
    text = html_report(results)
    page = Page(text)
    (policy,) = [
        a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; ")
    style = text[text.index("<style>") + 7 : text.index("</style>")]
    for kind, content in (("script", page.scripts[1][1]), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_nothing_is_loaded(tmp_path):
    text = html_report(load(save(tmp_path / "run.jsonl", [record()])))
    for tag, attributes in Page(text).tags:
        assert tag not in ("link", "img", "iframe", "object")
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp|innerHTML|insertAdjacent|eval\(", text)


# ------------------------------------------------------------------ failure folders


def fails(tmp_path, **changes):
    """A departure with one wrong element of 12, and the evidence that the page shows of it."""
    expected = np.arange(12, dtype=np.float32).reshape(3, 4)
    actual = expected.copy()
    actual[1, 2] = 99
    one = departure(tmp_path / "run.failures", "SpaceToDepth-1/type/f32[3,4]", expected, actual)
    page = page_of(tmp_path, [replace(one, **changes)])
    return one, page.data["evidence"].get("0")


def test_a_departure_shows_what_its_folder_holds(tmp_path):
    one, evidence = fails(tmp_path)
    (picture,) = evidence["pictures"]
    assert picture["worst"] == [
        {
            "index": [1, 2],
            "expected": "6.0",
            "actual": "99.0",
            "low": "6.0",
            "high": "6.0",
            "times": None,
        }
    ]
    model = evidence["model"]
    marked = model["lines"][model["first"] : model["end"]]
    assert 'type="SpaceToDepth"' in marked[0]
    assert marked[-1].strip() == "</layer>"
    assert evidence["command"] == f"cd run.failures/{one.folder} && python reproduce.py"


def test_the_command_works_as_it_stands(tmp_path):
    folder = tmp_path / "it's <a> folder; $(touch no)"
    folder.mkdir()
    (folder / "reproduce.py").write_text("print('here')")
    command = evidence_module.reproduce_command(folder, tmp_path).replace("python ", "cat ")
    result = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, check=True)
    assert b"here" in result.stdout
    assert shlex.split(command)[1] == folder.name


def one_again(page, number):
    """The command that the page has for running a case again with the suite: see case.js."""
    given = page.data["commands"][page.data["columns"]["target"][number]]
    return f"{given['command']} {shlex.quote(given['node'] + page.data['columns']['case'][number])}"


@pytest.mark.parametrize(
    "device, profile",
    [("CORE", "accuracy"), ("PYTHON:tests.unit.devices.faulty", "FAULT=wrong_element,MATCH=2x5x6")],
)
def test_the_suites_command_runs_the_case_as_it_stands(tmp_path, device, profile):
    pytest.importorskip("openvino")
    case = "SpaceToDepth-1/variant.depth-first/f32[2,5,6]/block_size=2,mode=depth_first"
    one = record(case, device=device, profile=profile, outcome="FAIL", gate="new")
    changed = replace(header([(device, profile)]), seed=3)
    results = tmp_path / "run.jsonl"
    results.write_text("".join(to_line(line) + "\n" for line in (changed, one)))
    page = Page(html_report(load(results), tmp_path))
    # A copy of the project, which keeps its results to itself.
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("tests", "devices", "ir_models", "reference", "reports"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        one_again(page, 0),
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        check=False,
    )
    assert done.returncode == (device != "CORE"), done.stdout + done.stderr
    (again,) = load(tmp_path / data.ONE_CASE).records
    assert again.key == one.key
    assert again.outcome == ("PASS" if device == "CORE" else "FAIL")
    assert load(tmp_path / data.ONE_CASE).runs[0].seed == 3


@pytest.mark.parametrize("folder", ["../outside", "CPU/../../outside", "/etc"])
def test_a_folder_outside_is_not_looked_at(tmp_path, folder):
    (tmp_path / "outside").mkdir()
    assert fails(tmp_path, folder=folder)[1] is None


def test_a_link_to_outside_is_not_followed(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "run.failures").mkdir()
    (tmp_path / "run.failures" / "link").symlink_to(tmp_path / "outside")
    assert fails(tmp_path, folder="link")[1] is None


def test_a_folder_that_is_gone_leaves_the_rest(tmp_path):
    assert fails(tmp_path, folder="CPU/gone")[1] is None


def test_a_damaged_folder_is_said(tmp_path):
    one, _ = fails(tmp_path)
    (tmp_path / "run.failures" / one.folder / "expected_0_0.npy").write_bytes(b"no array")
    page = page_of(tmp_path, [one])
    assert "cannot be read" in page.data["evidence"]["0"]["problem"]


def test_a_folder_of_another_case_is_said(tmp_path):
    _, evidence = fails(tmp_path, case="Other-1/type/f32[3,4]", operation="Other-1")
    assert "of another case" in evidence["problem"]


def test_a_full_page_still_says_where_the_folder_is(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence_module, "EVIDENCE_BYTES", 0)
    _, evidence = fails(tmp_path)
    assert "pictures" not in evidence
    assert "the HTML file is full" in evidence["problem"]
    assert "reproduce.py" in evidence["command"]


@pytest.mark.parametrize(
    "xml, marked",
    [
        ('<a>\n<layer id="0" type="X">\n<data/>\n</layer>\n</a>', (1, 4)),
        ("<layer type='X' id='1'/>\n<b/>", (0, 1)),
        ('<layer type="XY">\n</layer>', (0, 0)),
        ('<layer type="A"/>\n<layer type="X">', (0, 0)),
    ],
)
def test_the_layer_under_test_is_found_in_the_model(xml, marked):
    assert model_text.layer_lines(xml.splitlines(), "X") == marked


def test_a_model_on_one_line_is_made_readable(tmp_path):
    one, _ = fails(tmp_path)
    model = tmp_path / "run.failures" / one.folder / "model.xml"
    model.write_text(model.read_text().replace("\n", ""))
    evidence = page_of(tmp_path, [one]).data["evidence"]["0"]
    lines = evidence["model"]["lines"]
    assert lines[:3] == [
        '<?xml version="1.0"?>',
        '<net name="SpaceToDepth" version="11">',
        "  <layers>",
    ]
    assert lines[evidence["model"]["first"]].startswith('    <layer id="1" ')
    shape = '        <port id="0" precision="FP32"><dim>3</dim><dim>4</dim></port>'
    assert lines.count(shape) == 3
    assert lines[-1] == "</net>"


def test_results_of_several_files_are_one_page(tmp_path):
    one = save(tmp_path / "one.jsonl", [record("a/b/c")])
    other = save(tmp_path / "other.jsonl", [record("a/b/c", device="GPU")])
    assert run(one, other, "--out", tmp_path / "page.html") == 0
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert page.data["names"]["target"] == ["CPU · accuracy", "GPU · accuracy"]
    assert header().openvino in page.text


def test_each_gate_has_a_tab_and_those_that_are_red_are_marked(tmp_path):
    gates = [record("a/b/c", gate=str(gate)) for gate in Gate]
    results = save(
        tmp_path / "one.jsonl", [replace(one, case=f"a/b/{n}") for n, one in enumerate(gates)]
    )
    assert run(results, "--out", tmp_path / "page.html") == 0
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert set(page.data["names"]["gate"]) == {str(gate) for gate in Gate}
    assert set(page.data["red"]) == {str(gate) for gate in Gate if gate.is_red}
