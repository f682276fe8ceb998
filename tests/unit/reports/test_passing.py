"""What passes beside known failures, and may not depart with the same data, kernels and release."""

import pytest
from msgspec.structs import replace
from small_results import HOSTILE, header, record

from reports import passing
from reports.__main__ import main
from reports.expectation_files import ExpectationsError
from reports.expectations import Cover, Decision, Entry, Expectations
from reports.results.outcomes import Outcome
from reports.selectors import Selector

HEADER = replace(header(), seed=0)
RUN = passing.run_of(HEADER, record("A-1/x", "PASS"))


def entry(varies="by luck", unstable="", by_pack=""):
    outcomes = (Outcome.FAIL, Outcome.CRASH)
    cover = Cover(Selector(), outcomes, varies=varies, unstable=by_pack)
    return Entry("a", "b", "defect", (cover,), unstable=unstable)


def decision(**keys):
    one = entry(**keys)
    return Decision(one, one.covers[0])


def joined(before, *records, head=HEADER, **keys):
    return passing.joined(before, records, lambda *_: head, Expectations([entry(**keys)]))


def test_what_decides_of_a_run():
    assert RUN == "2026.4 f32 -"
    targets = [replace(one, isa="avx2", settings={}) for one in HEADER.targets]
    other = replace(HEADER, openvino="2024.0.0-1-x", targets=targets)
    assert passing.run_of(other, record("A-1/x", "PASS")) == "2024.0 - avx2"


@pytest.mark.parametrize(
    "case, run",
    [
        ("A-1/type/f16[2]/-", "2026.4 f32 avx512+fp16"),
        ("A-1/type/f32[2]/x=f16:1", "2026.4 f32 avx512+fp16"),
        ("A-1/type/bf16[2]/-", "2026.4 f32 avx512"),
    ],
)
def test_a_processor_that_computes_in_f16_has_other_kernels_for_it(case, run):
    targets = [replace(one, isa="avx512", capabilities=["FP16"]) for one in HEADER.targets]
    assert passing.run_of(replace(HEADER, targets=targets), record(case, "PASS")) == run


@pytest.mark.parametrize(
    "changes, keys, breaks",
    [
        ({}, {}, True),
        ({"seed": 1}, {}, False),
        ({"seed": None}, {}, False),
        ({"openvino": "2024.0.0-1-x"}, {}, False),
        ({}, {"varies": ""}, False),
        ({}, {"unstable": "threads"}, False),
        ({}, {"by_pack": "other layers"}, False),
    ],
)
def test_a_case_that_passed_may_not_depart(changes, keys, breaks):
    known = {"A-1/x": frozenset((RUN,))}
    head, failing = replace(HEADER, **changes), record("A-1/x", "CRASH")
    found = passing.broken(known, failing, decision(**keys), head)
    assert found == (passing.PASSES if breaks else None)
    assert passing.broken(known, record("A-1/y", "CRASH"), decision(), HEADER) is None
    assert passing.broken(known, failing, None, HEADER) is None


def test_what_is_known_after_a_run():
    passes, fails = record("A-1/x"), record("A-1/x", "FAIL")
    one = {"A-1/x": frozenset((RUN,))}
    assert joined({}, passes) == one
    assert joined(one, fails) == {}
    assert joined({"A-1/x": frozenset((RUN, "other"))}, fails) == {"A-1/x": frozenset(("other",))}
    assert joined({"A-1/x": frozenset(("other",))}, passes) == {"A-1/x": frozenset((RUN, "other"))}
    assert joined({}, passes, varies="") == {}
    assert joined({}, passes, unstable="threads") == {}
    assert joined({}, passes, by_pack="other layers") == {}
    assert joined({}, passes, head=replace(HEADER, seed=1)) == {}
    assert joined(one, fails, head=replace(HEADER, seed=1)) == one


def test_a_file_is_read_as_it_was_written(tmp_path):
    known = {"B-1/x": frozenset((RUN,)), "A-1/x": frozenset(("2024.0 - avx2", RUN))}
    path = tmp_path / "CPU.passing.tsv"
    path.write_text(passing.as_text(known | {HOSTILE: frozenset((RUN,))}))
    assert path.read_text().splitlines()[1:] == [
        f"A-1/x\t2024.0 - avx2 | {RUN}",
        f"B-1/x\t{RUN}",
    ]
    assert passing.load(path) == known
    assert passing.load(tmp_path / "none") == {}
    assert passing.load_for("AUTO:CPU", tmp_path) == known


@pytest.mark.parametrize("line", ["A-1/x", "A-1/x\t", "A-1/x\ta\tb"])
def test_a_malformed_line_is_named(tmp_path, line, capsys):
    path = tmp_path / "CPU.passing.tsv"
    path.write_text(f"# comment\nA-1/y\t{RUN}\n{line}\n")
    with pytest.raises(ExpectationsError, match="line 3: expected a case id and runs"):
        passing.load(path)
    assert main(["expectations", "check", "--directory", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
