"""The summary: what it says, and how much of it."""

import pytest
from small_results import HOSTILE, header, record, write

from reports.__main__ import main
from reports.commands.summary import LINES_PER_OPERATION, OTHER_LINES, _without_numbers, render
from reports.results import Results, load


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def summary(path, *records, **options):
    return render(load(write(path, header(), *records)), **options)


MIXED = (
    record("A-1/a"),
    record("A-1/b", "QUALITY"),
    record("A-1/c", "FAIL", detail="at [0,3]: 2.5 for 1.5"),
    record("A-1/d", "REFUSED", "expected", reason="no i4 kernel"),
    record("B-2/e", "PASS", "improved", reason="used to crash"),
    record("B-2/f", "FOLDED", "pass"),
    record("B-2/g", "ABSENT", "skipped"),
)


def test_the_whole_of_it(path):
    assert summary(path, *MIXED) == (
        """\
1 of 7 cases departs on CPU (accuracy), OpenVINO 2026.4.1; 1 expected, 1 improved, 1 skipped

operation  cases  PASS  QUALITY  REFUSED  FAIL  ABSENT  departures  improved
A-1            4     1        1        1     1       –           1         –
B-2            3     2        –        –     –       1           –         1
total          7     3        1        1     1       1           1         1

1 departure

  FAIL  A-1/c  at [0,3]: 2.5 for 1.5

1 case better than expected

  PASS  B-2/e  used to crash

1 expected departure

cases  outcome  operations  reason
1      REFUSED  A-1         no i4 kernel
"""
    )


def test_only_outcomes_that_occur_have_a_column(path):
    text = summary(path, record("A-1/a"))
    assert text.splitlines()[0] == "0 of 1 case depart on CPU (accuracy), OpenVINO 2026.4.1"
    assert text.splitlines()[2].split() == ["operation", "cases", "PASS"]


def test_each_target_has_its_own_table(path):
    text = summary(
        path,
        record("A-1/a", "FAIL"),
        record("A-1/a", profile="performance"),
        record("A-1/a", "CRASH", device="GPU"),
    )
    headlines = [line for line in text.splitlines() if "OpenVINO" in line]
    assert headlines == [
        "2 of 3 cases depart on CPU (accuracy, performance) and GPU (accuracy), OpenVINO 2026.4.1",
        "1 of 1 case departs on CPU (accuracy), OpenVINO 2026.4.1",
        "0 of 1 case depart on CPU (performance), OpenVINO 2026.4.1",
        "1 of 1 case departs on GPU (accuracy), OpenVINO 2026.4.1",
    ]
    assert text.count("operation  cases") == 3


def test_of_many_departures_of_an_operation_a_few_of_each_kind_are_listed(path):
    records = [record(f"A-1/{n}", "FAIL", detail=f"at [{n}]: {n}.5 for nan") for n in range(500)]
    records += [record(f"A-1/c{n}", "CRASH", detail="signal 11") for n in range(3)]
    records += [record(f"B-1/{n}", "FAIL", detail="wrong shape") for n in range(2)]
    lines = summary(path, *records).splitlines()
    most = LINES_PER_OPERATION[-1]
    assert sum("  A-1/" in line for line in lines) == most
    assert sum("CRASH  A-1/c" in line for line in lines) == 3
    assert sum("  B-1/" in line for line in lines) == 2
    assert any(f"… and {500 - (most - 3)} more FAIL of this kind" in line for line in lines)


def test_a_line_is_not_spent_on_one_more(path):
    records = [record(f"A-1/{n}", "FAIL", detail="x") for n in range(LINES_PER_OPERATION[-1] + 1)]
    lines = summary(path, *records).splitlines()
    assert sum("  A-1/" in line for line in lines) == len(records)
    assert not any("more" in line for line in lines)


@pytest.mark.parametrize(
    "details, kinds",
    [
        (["at [0,3]: 2.5 for 1.5", "at [0,3,1]: nan for -1e+300", "at [7]: -inf for -0.0"], 1),
        (["data[0]:u16[2,1]) of Layer_17", "data[0]:bf16[2,5,3]) of Layer_9"], 1),
        (["wrong shape", "wrong type"], 2),
        (["signal 11 in infer", "signal 11 in compile"], 2),
    ],
)
def test_departures_of_one_kind_differ_in_numbers_types_and_shapes(details, kinds):
    assert len(set(map(_without_numbers, details))) == kinds


def test_kinds_that_find_no_place_are_counted(path):
    letters = [chr(ord("a") + one) * 3 for one in range(26)]
    records = [record(f"A-1/{one}", "FAIL", detail=f"other {one}") for one in letters]
    lines = summary(path, *records).splitlines()
    assert any("… and 6 more of A-1, of 6 other kinds" in line for line in lines)


def test_with_many_operations_each_has_at_least_its_few_lines(path):
    records = [
        record(f"Op{operation}-1/{n}", "FAIL") for operation in range(200) for n in range(10)
    ]
    lines = summary(path, *records).splitlines()
    assert sum("  Op7-1/" in line for line in lines) == LINES_PER_OPERATION[0]
    assert len(lines) < 1100


def test_improved_cases_are_capped(path):
    records = [record(f"A-1/{n}", "PASS", "improved") for n in range(OTHER_LINES + 5)]
    text = summary(path, *records)
    assert "… and 5 more" in text
    assert text.count("A-1/") == OTHER_LINES


def test_expected_departures_are_grouped_by_reason(path):
    records = [record(f"Op{n}-1/x", "FAIL", "expected", reason="known") for n in range(5)]
    records.append(record("A-1/x", "CRASH", "expected", reason="other"))
    lines = summary(path, *records).splitlines()
    assert "5      FAIL     Op0-1, Op1-1, Op2-1 and 2 more  known" in lines
    assert any(line.startswith("1      CRASH") for line in lines)


def test_conflicting_results_are_told(tmp_path):
    one = write(tmp_path / "one.jsonl", header(), record("A-1/x"))
    two = write(tmp_path / "two.jsonl", header(), record("A-1/x", "FAIL"))
    text = render(load([one, two]))
    assert "1 case with conflicting results\n\n  FAIL/PASS  A-1/x" in text


def test_details_fit_the_width(path):
    text = summary(path, record("A-1/x", "FAIL", detail="y" * 500), width=80)
    assert max(map(len, text.splitlines()[1:])) == 80


def test_hostile_text_stays_in_its_line(path):
    hostile = "A-1/" + HOSTILE
    records = [
        record(hostile, "FAIL", detail=HOSTILE, operation=HOSTILE),
        record(hostile + "2", "FAIL", "expected", reason=HOSTILE, operation=HOSTILE),
    ]
    calm = "A-1/x"
    calm_records = [
        record(calm, "FAIL", operation="A-1"),
        record(calm + "2", "FAIL", "expected", reason="r", operation="A-1"),
    ]
    for markdown in (False, True):
        text = summary(path, *records, markdown=markdown)
        expected_lines = len(summary(path, *calm_records, markdown=markdown).splitlines())
        assert all(line.isprintable() for line in text.splitlines())
        assert len(text.splitlines()) == expected_lines


def test_markdown_is_a_table_and_a_list(path):
    text = summary(path, *MIXED, markdown=True)
    assert "| operation | cases | PASS |" in text
    assert "| --- | ---: | ---: |" in text
    assert "- **FAIL** `A-1/c` at \\[0,3\\]: 2.5 for 1.5" in text


def test_results_made_in_memory_can_be_rendered():
    """As pytest's terminal summary does."""
    assert "1 of 1 case departs" in render(Results([header()], [record(outcome="FAIL")]))


class TestCommand:
    @pytest.mark.parametrize(
        "records, options, code",
        [
            ([record()], [], 0),
            ([record(outcome="FAIL")], [], 1),
            ([record(outcome="FAIL", gate="expected")], [], 0),
            ([record(gate="improved")], [], 0),
            ([record(gate="improved")], ["--strict"], 1),
            ([record(outcome="QUALITY")], ["--strict"], 0),
            ([], [], 2),
        ],
    )
    def test_exit_code(self, path, records, options, code, capsys):
        write(path, header(), *records)
        assert main(["summary", str(path), *options]) == code
        out, err = capsys.readouterr()
        assert len(err.splitlines()) == (code == 2)
        assert bool(out) == (code != 2)

    def test_it_prints_what_render_returns(self, path, capsys):
        write(path, header(), *MIXED)
        main(["summary", str(path)])
        assert capsys.readouterr().out == render(load(path))
        main(["summary", str(path), "--markdown"])
        assert capsys.readouterr().out == render(load(path), markdown=True)
