"""Expectations: read, matched and judged."""

import time
from pathlib import Path

import pytest
from small_results import header

from reports.expectation_files import ExpectationsError, file_name, load, load_for, paths_for
from reports.expectations import Entry, Expectations, facts, judge
from reports.outcomes import Outcome

FACTS = facts(header(), "CPU", "accuracy")


def file(tmp_path: Path, text: str, name: str = "CPU.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def entry(*cases: str, outcome: str = "FAIL", **other) -> Entry:
    return Entry(cases, (Outcome(outcome),), "because", **other)


def result(case: str, outcome: str = "PASS", detail: str = "") -> tuple[str, Outcome, str]:
    return case, Outcome(outcome), detail


def test_a_file_is_read(tmp_path):
    path = file(
        tmp_path,
        """
        # why
        [[expect]]
        case = ["A-1/*", "B-1/x"]
        outcome = ["FAIL", "REFUSED"]
        when = { profile = ["performance", "A=*"], openvino = ">=2025.1,<2026.5", driver = "1*" }
        detail = "*i4*"
        reason = "no kernel"
        link = "https://example.org"
        [[expect]]
        case = "C-1/x"
        outcome = "CRASH"
        reason = "known"
        """,
    )
    first, second = load(path).entries
    assert first.cases == ("A-1/*", "B-1/x")
    assert first.outcomes == (Outcome.FAIL, Outcome.REFUSED)
    assert first.when == {
        "profile": ("performance", "A=*"),
        "openvino": (">=2025.1,<2026.5",),
        "driver": ("1*",),
    }
    assert (first.detail, first.reason, first.link) == ("*i4*", "no kernel", "https://example.org")
    assert (second.number, second.path) == (2, path)


GOOD = '[[expect]]\ncase = "A-1/x"\noutcome = "FAIL"\nreason = "r"\n'


@pytest.mark.parametrize(
    "text, said",
    [
        ("[[expect", "not TOML"),
        ("expect = 3", "expected [[expect]] entries"),
        ("[expect]\ncase = 'A'", "expected [[expect]] entries"),
        ("expects = 3", "unknown key 'expects'"),
        (GOOD + GOOD.replace("reason", "reasn"), "entry 2: unknown key reasn"),
        (GOOD.replace('"r"', '" "'), "entry 1: reason must be a text that is not empty"),
        (GOOD.replace('reason = "r"', ""), "entry 1: reason must be a text"),
        (GOOD.replace('"A-1/x"', "[]"), "case must be a text or a list of texts"),
        (GOOD.replace('"A-1/x"', '["a", 3]'), "case must be a text or a list of texts"),
        (GOOD.replace("FAIL", "FAILED"), "outcome must be one of PASS"),
        (GOOD.replace("FAIL", "ERROR"), "outcome must be one of PASS"),
        (GOOD + 'when = "x"', "when must be a table"),
        (GOOD + 'when = { cpu = "x" }', "unknown key when.cpu"),
        (GOOD + 'when = { openvino = "2025" }', "when.openvino must be a range"),
        (GOOD + 'when = { openvino = ">=2025.*" }', "when.openvino must be a range"),
        (GOOD + 'when = { profile = "" }', "when.profile must be a text"),
        (GOOD + "link = 3", "link must be a text"),
    ],
)
def test_what_cannot_be_used_is_named_with_file_and_entry(tmp_path, text, said):
    path = file(tmp_path, text)
    with pytest.raises(ExpectationsError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(ExpectationsError, match="cannot be read"):
        load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9\n")
    with pytest.raises(ExpectationsError, match="not UTF-8"):
        load(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    "pattern, case, fits",
    [
        ("A-1/*/i4*", "A-1/types/i4[5,7]/x", True),
        ("A-1/*/i4*", "A-1/types/a/b/i4", True),
        ("A-1/f32[5,7]", "A-1/f32[5,7]", True),
        ("A-1/f32[57]", "A-1/f325", False),
        ("A-1/f32[!5]", "A-1/f32[!5]", True),
        ("A-1/f3?[*]", "A-1/f32[5,7]", True),
        ("A-1/x.y", "A-1/xzy", False),
        ("A-1/x", "A-1/x/y", False),
        ("*", "A-1/x\ny", True),
        ("A-?/x", "A-1/x", True),
        ("A-1/x", "a-1/x", False),
    ],
)
def test_only_the_star_and_the_question_mark_are_special(pattern, case, fits):
    expectations = Expectations([entry(pattern)])
    assert (expectations.match(*result(case, "FAIL"), FACTS) is not None) == fits
    assert (expectations.unused() == []) == fits


def test_the_first_that_admits_the_outcome_decides_and_else_the_first():
    first, second, third = entry("B-1/x"), entry("*"), entry("A-1/x", outcome="CRASH")
    expectations = Expectations([first, second, third])
    assert expectations.match(*result("A-1/x", "FAIL"), FACTS) is second
    assert expectations.match(*result("A-1/x", "CRASH"), FACTS) is third
    assert expectations.match(*result("A-1/x", "PASS"), FACTS) is second
    assert expectations.match(*result("B-1/x", "FAIL"), FACTS) is first
    assert expectations.match(*result("B-1/x", "TIMEOUT"), FACTS) is first
    assert Expectations([third, second]).match(*result("A-1/x"), FACTS) is third


@pytest.mark.parametrize(
    "when, applies",
    [
        ({"profile": ("acc*",)}, True),
        ({"profile": ("performance",)}, False),
        ({"profile": ("performance", "accuracy")}, True),
        ({"processor": ("*AMX*",)}, True),
        ({"processor": ("*AMX*",), "profile": ("x",)}, False),
        ({"driver": ("1.2.*",)}, True),
        ({"full_name": ("A CPU*",)}, True),
        ({"openvino": (">=2026.4,<2026.5",)}, True),
        ({"openvino": (">=2026.4.1",)}, True),
        ({"openvino": (">2026.4.1",)}, False),
        ({"openvino": ("==2026.4",)}, False),
        ({"openvino": ("==2026.4.*",)}, True),
        ({"openvino": ("!=2026.4.*",)}, False),
        ({"openvino": ("==2026.4.1.0",)}, True),
        ({"openvino": ("==2026.0.*",)}, False),
        ({"openvino": ("<2026.10",)}, True),
        ({"openvino": ("<2025", ">=2026")}, True),
    ],
)
def test_when(when, applies):
    expectations = Expectations([entry("A-1/x", when=when)])
    assert (expectations.match(*result("A-1/x", "FAIL"), FACTS) is not None) == applies
    assert expectations.unused() == []


def test_an_unknown_version_is_in_no_range():
    expectations = Expectations([entry("*", when={"openvino": (">=0", "<9999")})])
    assert expectations.match(*result("A-1/x"), {"openvino": "unknown"}) is None


def test_an_entry_with_a_detail_speaks_of_its_defect_only():
    known = entry("A-1/x", detail="*i4*")
    other = entry("A-1/*", outcome="CRASH")
    for expectations in (Expectations([known, other]), Expectations([other, known])):
        assert expectations.match(*result("A-1/x", "FAIL", detail="no i4 kernel"), FACTS) is known
        assert expectations.match(*result("A-1/x", "FAIL", detail="wrong"), FACTS) is other
        assert expectations.match(*result("A-1/x", "PASS"), FACTS) is other
    alone = Expectations([known])
    assert alone.match(*result("A-1/x", "FAIL", detail="wrong"), FACTS) is None
    assert alone.match(*result("A-1/x", "PASS"), FACTS) is None
    assert alone.unused() == []


def test_unused_entries_are_about_no_case():
    used, shadowed, elsewhere, unused = (
        entry("A-1/*"),
        entry("A-1/x"),
        entry("A-1/x", when={"profile": ("none",)}),
        entry("A-1/y"),
    )
    expectations = Expectations([used, shadowed, elsewhere, unused])
    expectations.match(*result("A-1/x"), FACTS)
    assert expectations.unused() == [unused]


def test_matching_fifty_thousand_records_is_no_work():
    expectations = Expectations(
        entry(f"Op{number % 150}-1/*/i{number}*", outcome="FAIL") for number in range(500)
    )
    results = [result(f"Op{number % 150}-1/random/f32[5,{number}]/x") for number in range(5_000)]
    start = time.perf_counter()
    for one in results:
        expectations.match(*one, FACTS)
    # A tenth of the results, in 50 times what the index by operation takes.
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    "outcome, required, expected, gate",
    [
        ("PASS", "PASS", None, "pass"),
        ("FOLDED", "FOLDED", None, "pass"),
        ("PASS", "FOLDED", None, "pass"),
        ("QUALITY", "PASS", None, "quality"),
        ("FAIL", "PASS", None, "departure"),
        ("REFUSED", "PASS", None, "departure"),
        ("ACCEPTED_INVALID", "PASS", None, "departure"),
        ("ABSENT", "PASS", None, "departure"),
        ("FAIL", "PASS", "FAIL", "expected"),
        ("FAIL", "PASS", "FAIL CRASH", "expected"),
        ("PASS", "PASS", "FAIL", "improved"),
        ("PASS", "PASS", "PASS FAIL", "pass"),
        ("FAIL", "PASS", "PASS", "departure"),
        ("QUALITY", "PASS", "FAIL", "improved"),
        ("FAIL", "PASS", "CRASH", "improved"),
        ("FAIL", "PASS", "CRASH REFUSED", "departure"),
        ("CRASH", "PASS", "FAIL", "departure"),
        ("PASS", "PASS", "ACCEPTED_INVALID", "improved"),
        ("ACCEPTED_INVALID", "PASS", "ACCEPTED_INVALID", "expected"),
        ("ABSENT", "PASS", "CRASH", "departure"),
        ("ERROR", "PASS", "CRASH", "departure"),
    ],
)
def test_the_gate(outcome, required, expected, gate):
    matched = expected and Entry(("*",), tuple(map(Outcome, expected.split())), "r")
    assert judge(Outcome(outcome), Outcome(required), matched) == gate


def test_an_absent_device_may_be_allowed():
    assert judge(Outcome.ABSENT, Outcome.PASS, None, allow_absent=True) == "skipped"
    assert judge(Outcome.FAIL, Outcome.PASS, None, allow_absent=True) == "departure"


def names(device):
    return [path.name for path in paths_for(device)]


def test_where_the_expectations_of_a_device_stand():
    assert names("CPU") == ["CPU.toml"]
    assert names("CORE") == ["CORE.toml"]
    assert names("AUTO") == ["AUTO.toml"]
    assert names("AUTO:CPU") == ["AUTO_CPU.toml", "CPU.toml"]
    assert names("BATCH:CPU(4)") == ["BATCH_CPU_4_.toml", "CPU.toml"]
    assert names("GPU.1") == ["GPU_1.toml", "GPU.toml"]
    assert names("MULTI:GPU.1") == ["MULTI_GPU_1.toml", "GPU_1.toml", "GPU.toml"]
    assert names("HETERO:GPU,CPU") == ["HETERO_GPU_CPU.toml"]
    assert names("AUTO:-GPU") == ["AUTO_-GPU.toml"]
    assert file_name("../x") == "___x.toml"


def test_own_entries_come_before_those_of_the_device_under_it(tmp_path):
    file(tmp_path, GOOD)
    file(tmp_path, GOOD.replace('"r"', '"own"'), "AUTO_CPU.toml")
    assert [one.reason for one in load_for("AUTO:CPU", tmp_path).entries] == ["own", "r"]
    assert [one.reason for one in load_for("MULTI:CPU", tmp_path).entries] == ["r"]
    assert load_for("NPU", tmp_path).entries == []


def test_facts_of_a_target():
    assert facts(header(), "CPU", "accuracy") == {
        "profile": "accuracy",
        "openvino": "2026.4.1-21000-abc",
        "processor": "Some AMX processor",
        "driver": "1.2.3",
        "full_name": "A CPU of the test's",
    }
    assert facts(header(), "GPU", "accuracy")["driver"] == ""
