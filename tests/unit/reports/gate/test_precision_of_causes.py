"""The precision of selectors: measured in results, kept as text, and what it lets a cause name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from reports.__main__ import main
from reports.gate.baseline import Run
from reports.gate.causes import Cause, Causes, name_of
from reports.gate.precision import Share, from_text, is_narrow, to_text
from reports.gate.selectors import Selector
from reports.results.facts_of_departures import Facts
from reports.results.records import CaseRecord
from tests.unit.reports.small_results import header, record, write

RUN = Run("CPU", "accuracy", "2026.4.1-1", isa="AVX2")
WRONG = Facts(kind="value", output=0)


def passed(case: str) -> CaseRecord:
    return record(case)


def failed(case: str, facts: Facts = WRONG) -> CaseRecord:
    return record(case, "FAIL", facts=facts)


def selector(**conditions: str) -> Selector:
    return Selector({name.replace("__", "."): (value,) for name, value in conditions.items()})


def cause(name: str, *selectors: Selector, **other: Any) -> Cause:
    return Cause(name, f"title of {name}", "defect", devices=("CPU",), selectors=selectors, **other)


def test_a_share_counts_what_the_conditions_on_the_case_admit() -> None:
    one = selector(operation="A-1", rank="2", outcome="FAIL", kind="value")
    records = [
        failed("A-1/plain/f32[2,3]"),
        passed("A-1/type/f16[2,3]"),
        failed("A-1/type/i8[2,3]", Facts(kind="shape")),
        record("A-1/type/u8[2,3]", "REFUSED", facts=Facts(stage="compile")),
        # Another rank, another operation, and a case that says nothing of the device.
        failed("A-1/rank/f32[2]"),
        passed("B-1/plain/f32[2,3]"),
        record("A-1/type/i4[2,3]", "ABSENT"),
    ]
    (share,) = Causes([cause("a", one)]).measure(records, RUN).values()
    assert share == Share(admitted=4, departing=1)
    assert share.share == 0.25


@pytest.mark.parametrize(
    "conditions, admitted",
    [
        ({"purpose": "type"}, 2),
        ({"type": "i8"}, 1),
        ({"how__shape": "dims"}, 1),
        ({"parameter__axis": "1"}, 1),
        ({"kernel": "jit_*"}, 3),
        ({"message": "*x*"}, 3),
        ({"computed_as": "i64 as i32"}, 3),
        ({"isa": "AVX2"}, 3),
    ],
)
def test_facts_are_no_conditions_on_the_case(conditions: dict[str, str], admitted: int) -> None:
    one = cause("a", selector(outcome="FAIL", **conditions))
    records = [
        passed("A-1/type/i8[2]/axis=1"),
        passed("A-1/type/f32[2]"),
        passed("A-1/plain/f32[2]/-/shape=dims"),
    ]
    assert [*Causes([one]).measure(records, RUN).values()] == [Share(admitted, 0)]


@pytest.mark.parametrize(
    "one",
    [
        cause("a", selector(isa="AVX512", outcome="FAIL")),
        cause("a", selector(device="GPU", outcome="FAIL")),
        cause("a", selector(outcome="FAIL"), fixed="2026.4"),
        Cause("a", "t", "defect", devices=("GPU",), selectors=(selector(outcome="FAIL"),)),
    ],
)
def test_what_a_run_cannot_show_is_not_measured(one: Cause) -> None:
    assert Causes([one]).measure([failed("A-1/plain/f32[2]")], RUN) == {}


def test_a_cause_of_core_departs_at_reading_alone() -> None:
    one = Cause("a", "t", "defect", devices=("CORE",), selectors=(selector(outcome="FAIL"),))
    records = [failed("A-1/plain/f32[2]"), failed("A-1/type/i8[2]", Facts(kind="shape at reading"))]
    assert [*Causes([one]).measure(records, RUN).values()] == [Share(2, 1)]


def test_only_cases_that_can_end_as_a_selector_says_count() -> None:
    """An invalid layer that is refused conforms, and a valid one cannot be accepted although it is invalid."""
    records = [
        passed("A-1/plain/f32[2]"),
        record("A-1/invalid/f32[2]", facts=Facts(rule="r")),
        record("A-1/invalid/f32[3]", "ACCEPTED_INVALID", facts=Facts(kind="accepted", rule="r")),
    ]
    for outcome, share in (("REFUSED", Share(1, 0)), ("ACCEPTED_INVALID", Share(2, 1))):
        one = cause("a", selector(outcome=outcome))
        assert [*Causes([one]).measure(records, RUN).values()] == [share]
    assert [*Causes([cause("a", selector(outcome="CRASH"))]).measure(records, RUN).values()] == [
        Share(3, 0)
    ]


def test_the_key_of_a_selector_changes_with_its_conditions() -> None:
    one = Selector({"type": ("u4", "i4"), "outcome": ("FAIL",)})
    assert one.key == Selector({"outcome": ("FAIL",), "type": ("i4", "u4")}).key
    assert one.key != Selector({"outcome": ("FAIL",), "type": ("i4",)}).key
    assert re.fullmatch("[0-9a-f]{10}", one.key)


def test_shares_as_text() -> None:
    shares = {
        "b 0123456789": Share(3, 3),
        "a 0123456789": Share(40, 1),
        "a 0023456789": Share(2, 0),
    }
    text = to_text(shares)
    assert text == (
        "cause\tselector\tadmitted\tdeparting\n"
        "a\t0023456789\t2\t0\n"
        "a\t0123456789\t40\t1\n"
        "b\t0123456789\t3\t3\n"
    )
    assert from_text(text) == shares
    assert from_text(to_text({})) == {}


@pytest.mark.parametrize(
    "change, said",
    [
        (("a\t0023", "a 0023"), "line 2: expected a cause, a selector's key, and two counts"),
        (("\t2\t0", "\t2\t-1"), "line 2: expected"),
        (("\t2\t0", "\t0\t0"), "line 2: expected"),
        (("\t40\t1", "\t40\t41"), "line 3: 41 of 40 cases depart"),
        (("a\t0123456789", "a\t0023456789"), "line 3: a second line of a 0023456789"),
        (("cause\t", "causes\t"), "line 1: expected 'cause"),
        (("40\t1\n", "40\t1"), "line 3: it is cut off"),
    ],
)
def test_a_text_that_cannot_be_read_says_where(change: tuple[str, str], said: str) -> None:
    text = to_text({"a 0123456789": Share(40, 1), "a 0023456789": Share(2, 0)})
    with pytest.raises(ValueError, match=said):
        from_text(text.replace(*change))


def test_only_a_narrow_selector_names_narrowly() -> None:
    wide, narrow = selector(type="u4", outcome="FAIL"), selector(operation="A-1", outcome="FAIL")
    first, second = cause("a", wide), cause("b", wide, narrow)
    known = Causes([first, second])
    departure = failed("A-1/type/u4[2]")
    shares = {
        name_of(first, wide): Share(10, 5),
        name_of(second, wide): Share(10, 5),
        name_of(second, narrow): Share(10, 10),
    }
    assert not is_narrow(Share(10, 5))
    assert known.name(departure, RUN) == first
    assert known.naming_narrowly(departure, RUN, shares) == second
    assert known.naming_narrowly(failed("B-1/type/u4[2]"), RUN, shares) is None
    # What was not measured is not narrow.
    assert known.naming_narrowly(departure, RUN, {}) is None


def test_narrow_causes_name_in_the_same_order() -> None:
    one = selector(type="u4", outcome="FAIL")
    first, second = cause("a", one, below=("b",)), cause("b", one)
    shares = {name_of(each, one): Share(1, 1) for each in (first, second)}
    assert Causes([first, second]).naming_narrowly(failed("A-1/type/u4[2]"), RUN, shares) == second


@pytest.mark.parametrize(
    "patterns, is_evidence",
    [
        (("i64 as i32",), True),
        (("i64*", "!*f32"), True),
        (("*",), False),
        (("!f64 as f32",), False),
    ],
)
def test_an_answer_that_is_right_for_narrowed_inputs_needs_no_share(
    patterns: tuple[str, ...], is_evidence: bool
) -> None:
    known = Causes([cause("a", Selector({"computed_as": patterns}))])
    departure = failed("A-1/plain/i64[2]", Facts(kind="value", computed_as="i64 as i32"))
    assert known.name(departure, RUN) is not None
    assert (known.naming_narrowly(departure, RUN, {}) is not None) == is_evidence


# --- the command --------------------------------------------------------------------------------------------------


def test_the_command_prints_broad_selectors_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "causes"
    folder.mkdir()
    for name, conditions in (("zz-broad", 'type = ["u4"]'), ("zz-narrow", 'rank = ["7"]')):
        (folder / f"{name}.toml").write_text(
            f'title = "t"\nclass = "limit"\ndevices = ["CPU"]\n[[select]]\nmessage = "*{"x" * 99}*"\n'
            f'outcome = "FAIL"\n{conditions}\n[[select]]\noutcome = "FAIL"\n{conditions}\n'
        )
    records = [
        failed("Abs-1/type/u4[2]/-"),
        passed("Cos-1/type/u4[2]/-"),
        passed("Sin-1/type/u4[2]/-"),
        failed("Abs-1/rank/f32[1,1,1,1,1,1,2]/-"),
    ]
    path = str(write(tmp_path / "run.jsonl", header(), *records))
    assert main(["causes", "--precision", path, f"--causes={folder}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.match(r"\d+ selectors on CPU; 1 are narrow: at least 90% of the cases", lines[0])
    assert max(map(len, lines)) <= 120
    own = [re.split(r"\s{2,}", line)[:4] for line in lines if " zz-" in line]
    assert own == [
        ["0%", "3", "0", "zz-broad 1"],
        ["33%", "3", "1", "zz-broad 2"],
        ["0%", "1", "0", "zz-narrow 1"],
        ["100%", "1", "1", "zz-narrow 2"],
    ]
    assert main(["causes", "--precision", path, f"--causes={folder}", "--class", "open"]) == 0
    assert " zz-" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([], "--precision needs RESULTS"),
        (["{}", "--history"], "--precision needs RESULTS"),
        (["{}", "--device", "GPU"], "no cause|no selector admits a case of device 'GPU'"),
    ],
)
def test_a_wrong_use_of_the_command_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    path = str(write(tmp_path / "run.jsonl", header(), passed("Abs-1/plain/f32[2]/-")))
    assert main(["causes", "--precision", *(each.format(path) for each in arguments)]) == 2
    error = capsys.readouterr().err
    assert re.search(said, error)
    assert error.count("\n") == 1
