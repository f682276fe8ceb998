"""JUnit XML of results."""

import time
from pathlib import Path

from lxml import etree

from reports.__main__ import main
from reports.results.files.reading import load
from reports.results.records import WorstElement
from reports.views.junit import OtherError, as_junit
from tests.unit.reports.small_results import HOSTILE, header, record, write
from tests.unit.reports.synthetic_results import many, save

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parents[1] / "conformance" / "junit.xsd"))


def parsed(text):
    root = etree.fromstring(text.encode())
    SCHEMA.assertValid(root)
    return root


def verdicts(root):
    return {
        case.get("name"): (case[0].tag, case[0].get("type"), case[0].get("message"))
        if len(case)
        else None
        for case in root.iter("testcase")
    }


RECORDS = [
    record("A-1/pass"),
    record("A-1/quality", "QUALITY"),
    record("A-1/fail", "FAIL", detail="2.5, should be 1.5"),
    record("A-1/error", "ERROR", detail="KeyError"),
    record("B-2/known", "REFUSED", "known", reason="no i4", cause="i4", cause_class="limit"),
    record("B-2/better", "PASS", "improved", reason="used to crash"),
    record("B-2/absent", "ABSENT", "skipped"),
]


def test_verdicts(tmp_path):
    results = load(write(tmp_path / "r.jsonl", header(), *RECORDS))
    assert verdicts(parsed(as_junit(results))) == {
        "A-1/pass": None,
        "A-1/quality": None,
        "A-1/fail": ("failure", "FAIL", "FAIL: 2.5, should be 1.5"),
        "A-1/error": ("error", "ERROR", "ERROR: KeyError"),
        "B-2/known": ("skipped", "limit", "REFUSED: no i4"),
        "B-2/better": None,
        "B-2/absent": ("skipped", "skipped", "ABSENT: what ABSENT means here"),
    }
    strict = verdicts(parsed(as_junit(results, strict=True)))
    assert strict["B-2/better"][:2] == ("failure", "PASS")


def test_a_suite_for_each_target_counts_its_cases(tmp_path):
    profiles = ("accuracy", "isa=AVX2")
    records = [*RECORDS, *(record(f"A-1/{n}", "FAIL", profile=profiles[1]) for n in range(3))]
    results = load(write(tmp_path / "r.jsonl", header(profiles=profiles), *records))
    root = parsed(as_junit(results, prefix="nightly"))
    keys = ("name", "tests", "failures", "errors", "skipped")
    assert [[suite.get(key) for key in keys] for suite in root] == [
        ["CPU", "7", "1", "1", "2"],
        ["CPU(isa=AVX2)", "3", "3", "0", "0"],
    ]
    assert {case.get("classname") for case in root.iter("testcase")} == {
        "nightly.CPU.A-1",
        "nightly.CPU.B-2",
        "nightly.CPU(isa=AVX2).A-1",
    }


def test_a_departure_says_where_to_look(tmp_path):
    worst = WorstElement(index=(1, 2), expected="1.5", actual="2.5", low="1.4", high="1.6")
    one = record("A-1/x", "FAIL", worst=worst, folder="CPU/accuracy/A-1-x")
    (case,) = parsed(as_junit(load(write(tmp_path / "r.jsonl", header(), one)))).iter("testcase")
    assert case[0].text.splitlines() == [
        "A-1/x",
        "FAIL: what FAIL means here",
        "output 0, index [1, 2]: actual 2.5, expected 1.5, allowed 1.4 to 1.6",
        "kernel: jit_avx512_FP32",
        f"reproduce: python {tmp_path}/r.failures/CPU/accuracy/A-1-x/reproduce.py",
    ]


def test_errors_outside_of_cases(tmp_path):
    results = load(write(tmp_path / "r.jsonl", header(), record()))
    root = parsed(as_junit(results, others=[OtherError("conftest.py", "E x", "a\nb<c>")]))
    assert [suite.get("errors") for suite in root] == ["0", "1"]
    assert next(root.iter("error")).text == "a\nb<c>"


def test_hostile_text(tmp_path):
    operation = HOSTILE.replace("/", "")
    case = f"{operation}/{HOSTILE}"
    one = record(case, "FAIL", detail=HOSTILE, operation=operation, device=HOSTILE)
    two = record("A-1/2", "FAIL", "known", reason=HOSTILE, cause_class="defect")
    root = parsed(as_junit(load(write(tmp_path / "r.jsonl", header(), one, two))))
    assert len(list(root.iter("testcase"))) == 2


def test_fifty_thousand_cases(tmp_path, capsys):
    path, out = save(tmp_path / "run.jsonl", many(50_000)), tmp_path / "run.xml"
    started = time.process_time()
    assert main(["export", str(path), "--format", "junit", "--out", str(out)]) == 0
    assert time.process_time() - started < 30
    # GitLab reads reports of up to 30 MB.
    assert out.stat().st_size < 20e6
    root = etree.parse(out)
    SCHEMA.assertValid(root)
    assert len(list(root.iter("testcase"))) == 50_000
    assert max(len(case.get("name")) for case in root.iter("testcase")) < 200
