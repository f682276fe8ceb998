"""Expectations: read, matched and judged."""

from dataclasses import replace
from pathlib import Path

import pytest
from reports.expectation_files import ExpectationsError, file_name, load, load_for, paths_for
from reports.outcomes import Gate, Outcome
from reports.records import Target
from reports.selectors import Selector, matches
from small_results import header, record

from reports.expectations import Cover, Decision, Entry, Expectations, facts, judge

FACTS = facts(header(), "CPU", "accuracy")


def file(tmp_path: Path, text: str, name: str = "CPU.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def cover(*cases: str, outcome: str = "FAIL", traits=(), **other) -> Cover:
    outcomes = tuple(map(Outcome, outcome.split()))
    return Cover(Selector(dict(traits), cases), outcomes, **other)


def entry(*cases: str, unstable: str = "", **other) -> Entry:
    """An entry with one cover."""
    return Entry("id", "title", "defect", (cover(*cases, **other),), unstable=unstable)


def result(case: str, outcome: str = "PASS", detail: str = ""):
    return record(case, outcome, detail=detail)


def decides(expectations: Expectations, one) -> Entry | None:
    found = expectations.match(one, FACTS)
    return found.entry if found else None


def test_a_file_is_read(tmp_path):
    path = file(
        tmp_path,
        """
        # why
        [[expect]]
        id = "no-kernel"
        title = "i4 has no kernel"
        class = "limit"
        page = "T: any supported type"
        since = "2024.0"
        smallest = "A-1/type/i4[2,3]"
        link = "https://example.org"
        unstable = "depends on the load"
        covers = [
          { operation = ["A-1", "B-1"], type = "i4", rank = "2", dimension = "0", inputs = "1", purpose = "type", \
            category = "movement", index_type = "i32", rule = "x*", outcome = ["FAIL", "REFUSED"], detail = "*i4*", \
            how = { values = ["special", ""], data = "constant" }, parameter = { axes = "-", mode = "" }, \
            when = { profile = ["performance", "A=*"], openvino = ">=2025.1,<2026.5", driver = "1*", isa = "*avx2*", \
                     architecture = "*x86_64*", processor = "*", full_name = "*" } },
          { case = "C-1/x", outcome = "CRASH" },
        ]
        [[expect]]
        id = "other"
        title = "known"
        class = "defect"
        covers = [{ outcome = "CRASH" }]
        """,
    )
    first, second = load(path).entries
    assert (first.id, first.title, first.kind) == ("no-kernel", "i4 has no kernel", "limit")
    assert (first.page, first.since) == ("T: any supported type", "2024.0")
    assert (first.smallest, first.link) == ("A-1/type/i4[2,3]", "https://example.org")
    assert first.unstable == "depends on the load"
    one, two = first.covers
    assert one.outcomes == (Outcome.FAIL, Outcome.REFUSED)
    assert one.details == ("*i4*",)
    assert one.selector.conditions == {
        "operation": ("A-1", "B-1"),
        "category": ("movement",),
        "purpose": ("type",),
        "type": ("i4",),
        "index_type": ("i32",),
        "rank": ("2",),
        "dimension": ("0",),
        "inputs": ("1",),
        "rule": ("x*",),
        "how.values": ("special", ""),
        "how.data": ("constant",),
        "parameter.axes": ("-",),
        "parameter.mode": ("",),
    }
    assert one.when["profile"] == ("performance", "A=*")
    assert one.when["isa"] == ("*avx2*",)
    assert two.selector == Selector(cases=("C-1/x",))
    assert (second.number, second.path) == (2, path)
    assert second.covers[0].selector.selects("anything", {})
    assert str(first) == f"{path}: no-kernel"


HETERO = "at compile: Hetero device used default fallback policy, but some layers eg: (Name:x, ...)"


@pytest.mark.parametrize(
    "pattern, detail, is_told",
    [
        ("at compile: no such rank*", HETERO, True),
        ("*no such rank*", HETERO, True),
        ("at read: *", HETERO, False),
        ("at infer: no such rank", HETERO, False),
        ("at compile: no such rank*", "at compile: no such type", False),
        ("at compile: no such rank*", "at compile: no such rank", True),
    ],
)
def test_hetero_refuses_in_words_of_its_own(pattern: str, detail: str, is_told: bool) -> None:
    one = cover("A-1/*", outcome="REFUSED", details=(pattern,))
    assert one.admits(result("A-1/x", "REFUSED", detail)) == is_told


GOOD = """[[expect]]
id = "a"
title = "t"
class = "defect"
covers = [{ operation = "A-1", outcome = "FAIL" }]
"""
SECOND = GOOD.replace('"a"', '"b"')


def cover_with(more: str) -> str:
    return GOOD.replace('outcome = "FAIL"', f'outcome = "FAIL", {more}')


@pytest.mark.parametrize(
    "text, said",
    [
        ("[[expect", "not TOML"),
        ("expect = 3", "expected [[expect]] entries"),
        ("[expect]\ncase = 'A'", "expected [[expect]] entries"),
        ("expects = 3", "unknown key 'expects'"),
        (GOOD + SECOND.replace("title", "tittle"), "entry 2: unknown key tittle"),
        (GOOD.replace('"t"', '" "'), "entry 1: title must be a text that is not empty"),
        (GOOD.replace('id = "a"', ""), "entry 1: id must be a text"),
        (GOOD.replace('"defect"', '"bug"'), "class must be one of defect, limit, open, stack; got"),
        (GOOD.replace('class = "defect"', ""), "class must be a text"),
        (GOOD.replace("covers = [{", "covers = {").replace("}]", "}"), "covers must be a list"),
        (GOOD.replace('covers = [{ operation = "A-1", outcome = "FAIL" }]', ""), "got nothing"),
        (GOOD[: GOOD.index("[{")] + "[]", "covers must not be empty"),
        (GOOD[: GOOD.index("[{")] + '["A-1"]', "covers must be a list of tables"),
        (GOOD.replace('"A-1"', "[]"), "covers.operation must be a text or a list of texts"),
        (GOOD.replace('"A-1"', '["a", 3]'), "covers.operation must be a text or a list of texts"),
        (GOOD.replace('"A-1"', '""'), "covers.operation must be a text or a list of texts"),
        (GOOD.replace('outcome = "FAIL"', 'type = "f32"'), "covers.outcome must be a text"),
        (GOOD.replace("FAIL", "FAILED"), "covers.outcome must be one of PASS"),
        (GOOD.replace("FAIL", "ERROR"), "covers.outcome must be one of PASS"),
        (GOOD.replace("operation", "operations"), "unknown key covers.operations"),
        (cover_with('case = ""'), "covers.case must be a text"),
        (cover_with('how = "x"'), "covers.how must be a table"),
        (cover_with('how = { value = "x" }'), "unknown key how.value"),
        (cover_with("how = { values = 3 }"), "how.values must be a text or a list of texts"),
        (cover_with("parameter = { a = [] }"), "parameter.a must be a text or a list of texts"),
        (cover_with("detail = 3"), "detail must be a text"),
        (cover_with('when = "x"'), "covers.when must be a table"),
        (cover_with('when = { cpu = "x" }'), "unknown key when.cpu"),
        (cover_with('when = { openvino = "2025" }'), "when.openvino must be a range"),
        (cover_with('when = { openvino = ">=2025.*" }'), "when.openvino must be a range"),
        (cover_with('when = { profile = "" }'), "when.profile must be a text"),
        (GOOD + "link = 3", "link must be a text"),
        (GOOD + "unstable = ''", "unstable must be a text"),
        (GOOD + SECOND + GOOD, "two entries have the id 'a'"),
    ],
)
def test_what_cannot_be_used_is_named_with_file_and_entry(tmp_path, text, said):
    path = file(tmp_path, text)
    with pytest.raises(ExpectationsError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


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
    assert (expectations.match(result(case, "FAIL"), FACTS) is not None) == fits
    assert (expectations.unused() == []) == fits


def test_the_first_that_admits_the_outcome_decides_and_else_the_first():
    first, second, third = entry("B-1/x"), entry("*"), entry("A-1/x", outcome="CRASH")
    expectations = Expectations([first, second, third])
    assert decides(expectations, result("A-1/x", "FAIL")) is second
    assert decides(expectations, result("A-1/x", "CRASH")) is third
    assert decides(expectations, result("A-1/x", "PASS")) is second
    assert decides(expectations, result("B-1/x", "FAIL")) is first
    assert decides(expectations, result("B-1/x", "TIMEOUT")) is first
    assert decides(Expectations([third, second]), result("A-1/x")) is third


def test_a_root_cause_has_several_covers():
    both = Entry("id", "t", "defect", (cover("A-1/x"), cover("A-1/*", outcome="REFUSED")))
    expectations = Expectations([both])
    assert expectations.match(result("A-1/x", "REFUSED"), FACTS).cover is both.covers[1]
    assert expectations.match(result("A-1/x", "FAIL"), FACTS).cover is both.covers[0]
    assert expectations.match(result("A-1/y", "FAIL"), FACTS).cover is both.covers[1]
    assert expectations.unused() == []


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
        ({"isa": ("avx512*",)}, False),
        ({"processor": ("!*AMX*",)}, False),
        ({"capabilities": ("!*FP16*",)}, True),
        ({"architecture": ("*Linux*",)}, True),
        ({"architecture": ("*aarch64*",)}, False),
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
    one = result("A-1/x", "FAIL")
    assert (expectations.match(one, FACTS) is not None) == applies
    assert [len(expectations.selecting(one, FACTS))] == [int(applies)]
    assert expectations.unused() == []


def test_an_unknown_version_is_in_no_range():
    expectations = Expectations([entry("*", when={"openvino": (">=0", "<9999")})])
    assert expectations.match(result("A-1/x"), {"openvino": "unknown"}) is None


def test_a_cover_with_a_detail_expects_this_defect_only():
    known = entry("A-1/x", details=("*i4*",))
    other = entry("A-1/*", outcome="CRASH")
    for expectations in (Expectations([known, other]), Expectations([other, known])):
        assert decides(expectations, result("A-1/x", "FAIL", detail="no i4 kernel")) is known
        assert decides(expectations, result("A-1/x", "FAIL", detail="wrong")) is other
    alone = Expectations([known])
    assert decides(alone, result("A-1/x", "FAIL", detail="wrong")) is None
    assert alone.unused() == []


def test_a_cover_with_a_detail_sees_an_improvement():
    known = entry("A-1/x", details=("* wrong",))
    decision = Expectations([known]).match(result("A-1/x", "PASS"), FACTS)
    assert decision is not None
    assert judge(Outcome.PASS, Outcome.PASS, decision) == Gate.IMPROVED


def test_unused_covers_select_no_case():
    used, shadowed, elsewhere, unused = (
        entry("A-1/*"),
        entry("A-1/x"),
        entry("A-1/x", when={"profile": ("none",)}),
        Entry("id", "t", "open", (cover("A-1/x"), cover("A-1/y"))),
    )
    expectations = Expectations([used, shadowed, elsewhere, unused])
    expectations.match(result("A-1/x"), FACTS)
    assert expectations.unused() == [Decision(unused, unused.covers[1])]
    expectations.match(result("A-1/y"), FACTS)
    assert expectations.unused() == []


def test_a_cover_of_random_layers_may_select_none():
    random = entry(traits={"operation": ("A-1",), "purpose": ("random",)}.items())
    both = entry(traits={"operation": ("A-1",), "purpose": ("random", "plain")}.items())
    assert Expectations([random, both]).unused() == [Decision(both, both.covers[0])]


def test_a_cover_of_crossings_may_select_none_in_a_run_without_them():
    crossing = Entry("id", "t", "defect", (replace(cover("A-1/x"), depth="pairs"),))
    expectations = Expectations([crossing])
    assert expectations.unused() == []
    assert expectations.unused("pairs") == expectations.unused("all") != []


def test_selecting_names_every_cover_however_the_case_ended():
    one, two, other = entry("A-1/*"), entry(traits={"operation": ("A-*",)}.items()), entry("B-1/*")
    found = Expectations([one, two, other]).selecting(result("A-1/x", "REFUSED"), FACTS)
    assert [each.entry for each in found] == [one, two]


def test_only_the_covers_of_its_operation_are_tried_on_a_record(monkeypatch):
    expectations = Expectations(
        entry(f"Op{number % 150}-1/*/i{number}*", outcome="FAIL") for number in range(500)
    )
    tried = []

    def selects(self, case, traits):
        tried.append(str(self))
        return False

    monkeypatch.setattr(Selector, "selects", selects)
    assert expectations.match(result("Op7-1/random/f32[5,7]/x"), FACTS) is None
    assert len(tried) == 4
    assert all("Op7-1" in each for each in tried)


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
    one = expected and entry("*", outcome=expected)
    decision = one and Decision(one, one.covers[0])
    assert judge(Outcome(outcome), Outcome(required), decision) == gate


@pytest.mark.parametrize(
    "outcome, gate",
    [
        ("FAIL", "expected"),
        ("PASS", "pass"),
        ("QUALITY", "quality"),
        ("REFUSED", "departure"),
        ("CRASH", "departure"),
    ],
)
@pytest.mark.parametrize("of_cover", [False, True])
def test_a_pass_of_an_unstable_root_cause_is_no_improvement(outcome, gate, of_cover):
    one = entry("*", unstable="the order of threads")
    if of_cover:
        covers = (cover("*", unstable="the order of threads"),)
        one = Entry("id", "title", "defect", covers)
    assert judge(Outcome(outcome), Outcome.PASS, Decision(one, one.covers[0])) == gate


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
    # The same id in two files is no mistake.
    file(tmp_path, GOOD.replace('"t"', '"own"'), "AUTO_CPU.toml")
    assert [one.title for one in load_for("AUTO:CPU", tmp_path).entries] == ["own", "t"]
    assert [one.title for one in load_for("MULTI:CPU", tmp_path).entries] == ["t"]
    assert load_for("NPU", tmp_path).entries == []


READING = (
    GOOD
    + """
[[expect]]
id = "read"
title = "refused when read"
class = "defect"
covers = [
  { operation = "Abs-1", outcome = "REFUSED", detail = "at read: *" },
  { operation = "Abs-1", outcome = "FAIL", detail = ["output: shape inferred at reading *", "output: *"] },
]
"""
)


def test_what_happens_when_a_model_is_read_is_taken_from_another_device(tmp_path):
    file(tmp_path, READING, "CORE.toml")
    file(tmp_path, 'reading = "CORE"\n' + GOOD.replace('"t"', '"own"'), "GPU.toml")
    entries = load_for("GPU", tmp_path).entries
    assert [one.title for one in entries] == ["own", "refused when read"]
    assert [cover.details for cover in entries[1].covers] == [("at read: *",)]
    assert entries[1].path.name == "CORE.toml"
    assert len(load_for("GPU.1", tmp_path).entries) == 2


@pytest.mark.parametrize("value", ['"NPU"', '"GPU"', "1", '["CORE"]'])
def test_reading_must_name_another_file(tmp_path, value):
    file(tmp_path, READING, "CORE.toml")
    file(tmp_path, f"reading = {value}\n{GOOD}", "GPU.toml")
    with pytest.raises(ExpectationsError, match=r"GPU\.toml: reading must name a device with"):
        load_for("GPU", tmp_path)


def test_facts_of_a_target():
    target = Target(device="CPU", profile="accuracy", isa="avx2", capabilities=["BF16", "FP16"])
    assert facts(header(), "CPU", "accuracy") == {
        "profile": "accuracy",
        "openvino": "2026.4.1-21000-abc",
        "processor": "Some AMX processor",
        "architecture": "Linux",
        "driver": "1.2.3",
        "full_name": "A CPU of the test's",
        "isa": "",
        "capabilities": "",
    }
    assert facts(header(), "GPU", "accuracy")["driver"] == ""
    assert facts(header(targets=[target]), "CPU", "accuracy")["isa"] == "avx2"
    known = facts(header(targets=[target]), "CPU", "accuracy")["capabilities"]
    assert matches("*FP16*", known)
    assert not matches("*INT8*", known)


@pytest.mark.parametrize("shape, selected", [("[2,3]", True), ("[3,2]", False)])
def test_a_cover_may_have_a_condition_on_the_layer(tmp_path, shape, selected):
    text = GOOD.replace("covers = [{", 'covers = [{ where = "shapes[0][0] == 2",')
    (one,) = load(file(tmp_path, text)).entries
    found = decides(Expectations([one]), result(f"A-1/plain/f32{shape}/-", "FAIL"))
    assert (found is one) is selected


@pytest.mark.parametrize(
    "key, problem",
    [
        ('where = "shapes["', "where must be an expression"),
        ("error = 0", "error must be a number above 0"),
        ("error = true", "error must be a number above 0"),
        ('varies = ""', "varies must be a text"),
        ('unstable = ""', "unstable must be a text"),
    ],
)
def test_conditions_and_errors_that_cannot_be(tmp_path, key, problem):
    with pytest.raises(ExpectationsError, match=problem):
        load(file(tmp_path, GOOD.replace("covers = [{", f"covers = [{{ {key},")))


@pytest.mark.parametrize(
    "outcome, error, gate",
    [
        ("FAIL", 1e-7, "expected"),
        ("FAIL", 1e-5, "departure"),
        ("FAIL", None, "departure"),
        ("PASS", None, "pass"),
        ("REFUSED", None, "departure"),
        ("CRASH", None, "departure"),
    ],
)
def test_a_failure_that_varies_with_the_data_stays_within_its_error(outcome, error, gate):
    one = entry("*", error=1e-6, varies="only large numbers are rounded")
    found = record("A-1/plain/f32[2]/-", outcome, relative_error=error)
    decision = Expectations([one]).match(found, FACTS)
    assert judge(found.outcome, Outcome.PASS, decision) == gate


def test_what_is_foretold_of_a_case_are_the_asked_outcomes_of_covers_that_select_it():
    asked = frozenset({Outcome.CRASH, Outcome.REFUSED})
    expectations = Expectations(
        [
            entry("A-1/type/i4*", outcome="CRASH FAIL"),
            entry("A-1/*", outcome="FAIL"),
            entry("A-1/type/i4*", outcome="REFUSED", when={"openvino": ("<2000",)}),
        ]
    )
    case = "A-1/type/i4[2]/-"
    assert expectations.foretold(result(case), FACTS, asked) == {Outcome.CRASH}
    assert expectations.foretold(result(case), FACTS, frozenset({Outcome.REFUSED})) == frozenset()
    assert expectations.foretold(result("A-1/type/f32[2]/-"), FACTS, asked) == frozenset()
