"""The summary: what it says, and how much of it."""

import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.commands.summary import (
    LINES_PER_OPERATION,
    OTHER_LINES,
    _document,
)
from reports.results.facts_of_departures import Facts
from reports.results.files.reading import Results, load
from reports.results.outcomes import Gate, Outcome
from reports.views.documents import as_markdown, as_text
from reports.views.headline import changed
from tests.unit.reports.small_results import HOSTILE, header, record, write


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def render(results, markdown=False, width=None):
    document = _document(results, results.records)
    return as_markdown(document) if markdown else as_text(document, width)


def summary(path, *records, **options):
    return render(load(write(path, header(), *records)), **options)


MIXED = (
    record("A-1/a"),
    record("A-1/b", "QUALITY"),
    record("A-1/c", "FAIL", detail="at [0,3]: 2.5 for 1.5"),
    record("A-1/d", "REFUSED", "known", reason="no i4 kernel", cause="i4", cause_class="limit"),
    record("B-2/e", "PASS", "improved", reason="used to crash"),
    record("B-2/f", "FOLDED", "pass"),
    record("B-2/g", "ABSENT", "skipped"),
)


def test_the_whole_of_it(path):
    assert summary(path, *MIXED) == (
        """\
1 unexpected departure (1 new) in 7 cases on CPU (accuracy), OpenVINO 2026.4.1 · 4 passed · 1 limit of support \
(1 case) · 1 skipped · 1 unexpected

Started 2026-01-02 03:04 +00:00

1 unexpected departure

  FAIL  A-1/c  at [0,3]: 2.5 for 1.5

Causes of known departures

cases  severity  class  outcome  operations  cause
1      refusal   limit  REFUSED  A-1         no i4 kernel

1 case better than in the baseline

  PASS  B-2/e  used to crash

Skipped cases

cases  operations  why
1      B-2         what ABSENT means here

Cases

operation  cases  PASS  QUALITY  FOLDED  REFUSED  FAIL  ABSENT  new  improved
A-1            4     1        1       –        1     1       –    1         –
B-2            3     1        –       1        –     –       1    –         1
total          7     2        1       1        1     1       1    1         1
"""
    )


def test_skipped_cases_are_counted_by_reason(path):
    older = "this release of OpenVINO is older than the layer"
    records = [
        record("A-1/a", "ABSENT", "skipped", detail="GPU is not on this machine; available: CPU"),
        record("A-1/b", "ABSENT", "skipped", detail="GPU is not on this machine; available: CPU"),
        record("B-1/a", "ABSENT", "skipped", detail=f"{older}: no B id:3"),
        record("C-1/a", "ABSENT", "skipped", detail=f"{older}: no C id:4"),
        record("C-1/b", "ABSENT", "skipped", detail=f"{older}: no C id:4"),
        record("A-1/c", "ABSENT", "skipped", detail="not run: it takes 3 GB"),
    ]
    assert f"""
Skipped cases

cases  operations  why
3      B-1, C-1    {older}; for example: no C id:4
2      A-1         GPU is not on this machine; available: CPU
1      A-1         not run: it takes 3 GB
""" in summary(path, *records)


def test_only_outcomes_that_occur_have_a_column(path):
    text = summary(path, record("A-1/a"))
    assert text.splitlines()[0] == (
        "0 unexpected departures in 1 case on CPU (accuracy), OpenVINO 2026.4.1 · 1 passed"
    )
    assert text.splitlines()[6].split() == ["operation", "cases", "PASS"]


def test_each_target_has_its_own_table(path):
    text = summary(
        path,
        record("A-1/a", "FAIL"),
        record("A-1/a", profile="performance"),
        record("A-1/a", "CRASH", device="GPU"),
    )
    headlines = [line for line in text.splitlines() if "OpenVINO" in line]
    assert headlines == [
        "2 unexpected departures (2 new) in 3 cases on CPU (accuracy, performance) and GPU (accuracy), "
        "OpenVINO 2026.4.1 · 1 passed · 2 unexpected",
        "1 unexpected departure (1 new) in 1 case on CPU (accuracy), OpenVINO 2026.4.1 · 0 passed · 1 unexpected",
        "0 unexpected departures in 1 case on CPU (performance), OpenVINO 2026.4.1 · 1 passed",
        "1 unexpected departure (1 new) in 1 case on GPU (accuracy), OpenVINO 2026.4.1 · 0 passed · 1 unexpected",
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


def test_what_the_baseline_said_of_a_case_stands_before_its_detail(path):
    said = {"baseline": "FAIL, 10% of the elements", "detail": "of 7"}
    lines = summary(path, record("A-1/x", "FAIL", "worse", **said)).splitlines()
    assert "  FAIL  A-1/x  worse, FAIL, 10% of the elements in the baseline: of 7" in lines
    assert lines[0].startswith("1 unexpected departure (1 worse) in 1 case on")


def test_each_target_tells_its_baseline(path):
    targets = [replace(each, baseline="CPU 2026.4, 7 departures") for each in header().targets]
    write(path, header(targets=targets), record("A-1/a"))
    assert (
        "Compared with CPU 2026.4, 7 departures: nothing changed."
        in render(load(path)).splitlines()
    )


def test_red_cases_are_told_by_gate_and_new_cases_of_causes_apart(path):
    gates = ("broken", "worse", "worse", "new", "new case", "known", "explained")
    text = summary(path, *(record(f"A-1/{n}", "FAIL", each) for n, each in enumerate(gates)))
    first = text.splitlines()[0]
    assert first.startswith("4 unexpected departures (1 broken, 2 worse, 1 new) in 7 cases")
    assert first.endswith(" · 1 due to a simpler case that fails · 4 unexpected")


def test_each_case_is_counted_once(path):
    """By all gates, also of what is better than in the baseline and fails, or has no verdict."""
    of_causes = ("known", "new case", "reworded")
    records = [
        record(f"A-1/{gate}", "PASS", str(gate)) for gate in Gate if str(gate) not in of_causes
    ]
    records += [known(f"B-1/{gate}", "defect", "one", gate=gate) for gate in of_causes]
    records += [record("C-1/a", "FAIL", "improved"), record("C-1/b", "ERROR", "no verdict")]
    first = summary(path, *records).splitlines()[0]
    assert first.startswith(
        "4 unexpected departures (1 regressed, 1 broken, 1 worse, 1 new) and 2 cases without a verdict in 17 cases on "
    )
    parts = first.split(" · ")[1:]
    assert parts == [
        "3 passed",
        "1 known defect (3 cases)",
        "1 better, still failing",
        "1 due to a simpler case that fails",
        "1 refused, and not claimed as supported",
        "1 skipped",
        "1 compiled, values not checked",
        "2 without a verdict",
        "4 unexpected",
    ]
    assert changed(records) == (
        "1 regressed, 1 broken, 1 worse, 1 new, 2 without a verdict, 1 refused with another message, "
        "1 new case of known causes, 1 fixed, 1 better, still failing"
    )


def test_kinds_that_find_no_place_are_counted(path):
    letters = [chr(ord("a") + one) * 3 for one in range(26)]
    records = [
        record(f"A-1/{one}", "REFUSED", facts=Facts(kind="message", message=one)) for one in letters
    ]
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


def known(case, kind, cause, outcome="FAIL", gate="known", **other):
    title = f"title of {cause}"
    return record(case, outcome, gate, cause_class=kind, cause=cause, reason=title, **other)


def test_causes_are_counted_by_class_before_cases(path):
    records = [known(f"Op{n}-1/x", "defect", "one") for n in range(5)]
    records += [known("A-1/x", "defect", "two", "CRASH"), known("A-1/y", "open", "three")]
    records += [known("B-1/x", "stack", "four"), known("B-1/y", "limit", "five", "REFUSED")]
    text = summary(path, *records)
    lines = text.splitlines()
    classes = (
        "2 known defects (6 cases) · 1 limit of support (1 case) · 1 gap in the specification (1 case)"
        " · 1 defect below the plugin (1 case)"
    )
    assert lines[0] == (
        f"0 unexpected departures in 9 cases on CPU (accuracy), OpenVINO 2026.4.1 · 0 passed · {classes}"
    )
    assert text.count(classes) == 1
    table = lines[next(n for n, line in enumerate(lines) if line.endswith("  cause")) + 1 :]
    # The most severe first, of those the most frequent.
    assert [line.split()[:4] for line in table[:5]] == [
        ["1", "crash", "defect", "CRASH"],
        ["5", "silent", "defect", "FAIL"],
        ["1", "silent", "open", "FAIL"],
        ["1", "silent", "stack", "FAIL"],
        ["1", "refusal", "limit", "REFUSED"],
    ]
    assert table[1].endswith("Op0-1, Op1-1, Op2-1 and 2 more  title of one")
    assert table[5:8] == ["", "Cases", ""]


def test_a_cause_of_two_profiles_is_one(path):
    records = [known("A-1/x", "defect", "one", profile=p) for p in ("accuracy", "performance")]
    first = summary(path, *records).splitlines()[0]
    assert first.endswith(" · 1 known defect (2 cases)")


def test_known_departures_without_a_cause_are_counted_too(path):
    text = summary(path, record("A-1/x", "FAIL", "known", reason="known"))
    assert "1 departure without a known cause (1 case)" in text.splitlines()[0]
    assert any(
        line.split() == ["1", "silent", "unknown", "FAIL", "A-1", "known"]
        for line in text.splitlines()
    )


def test_conflicting_results_are_told(tmp_path):
    one = write(tmp_path / "one.jsonl", header(), record("A-1/x"))
    two = write(tmp_path / "two.jsonl", header(), record("A-1/x", "FAIL"))
    text = render(load([one, two]))
    assert "1 case with conflicting results\n\n  FAIL/PASS  A-1/x" in text


def test_details_fit_the_width(path):
    text = summary(path, record("A-1/x", "FAIL", detail="y" * 500), width=80)
    assert max(map(len, text.splitlines()[1:])) == 80


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_longer_than_the_width(path, width):
    records = [known(f"Op{n}-1/{'x' * 90}", "defect", "cause " * 30) for n in range(5)]
    records += [record(f"A-1/{'y' * 150}", outcome) for outcome in Outcome.__members__]
    text = summary(path, *MIXED, *records, width=width)
    assert max(map(len, text.splitlines())) <= width


def test_markdown_in_a_comment_begins_with_the_causes(path):
    records = [known(f"Op{n}-1/x{k}", "defect", f"cause-{n}") for n in range(150) for k in range(3)]
    records += [record(f"Longer{n}Name-1/x") for n in range(3000)]
    text = as_markdown(_document(load(write(path, header(), *records)), records), 65_536)
    assert 50_000 < len(text.encode()) <= 65_536
    assert all(f"title of cause-{n} |" in text for n in range(150))
    assert text.index("title of cause") < text.index("| operation | cases |")
    assert "lines left out" in text


class TestChoice:
    """Summaries of some of the cases."""

    RECORDS = (
        record("Gather-8/plain/f32[2,3]/axis=1,batch_dims=0"),
        known(
            "Gather-8/plain/f16[2,3]/axis=0", "defect", "one", "CRASH", detail="SIGFPE in compile"
        ),
        known("Gather-1/type/i8[2,3,4]/axis=0", "limit", "two", "REFUSED"),
        record("Pad-12/plain/f32[2]/mode=edge", "FAIL"),
        record("Pad-12/plain/f32[2]/mode=reflect/data=constant", "QUALITY"),
        record("GatherND-8/plain/f32[2]/batch_dims=0", "FAIL"),
    )

    @pytest.fixture
    def chosen(self, path, capsys):
        """The ids that a command chooses: their short form in the JSON of nothing but the summary."""
        write(path, header(), *self.RECORDS)

        def run(*options):
            code = main(["summary", str(path), *options])
            out, err = capsys.readouterr()
            first = out.splitlines()[0] if out else ""
            return code, first, out, err

        return run

    @pytest.mark.parametrize(
        "options, number, code",
        [
            (["--operation", "Gather"], 3, 0),
            (["--operation", "Gather", "Pad-12"], 5, 1),
            (["--operation", "Gather", "--operation", "Pad"], 5, 1),
            (["--operation", "Gather-8"], 2, 0),
            (["--operation", "gather", "PAD-12"], 5, 1),
            (["--outcome", "fail", "CRASH"], 3, 1),
            (["--class", "defect", "limit"], 2, 0),
            (["--reason", "TITLE OF t"], 1, 0),
            (["--reason", "sigfpe*compile"], 1, 0),
            (["--attribute", "axis=0"], 2, 0),
            (["--attribute", "axis=0", "type=f16"], 1, 0),
            (["--attribute", "batch_dims=-", "--operation", "Gather"], 2, 0),
            (["--attribute", "mode=*e*"], 2, 1),
            (["--attribute", "data=constant"], 1, 0),
            (["--operation", "Gather", "--outcome", "CRASH", "--class", "defect"], 1, 0),
        ],
    )
    def test_cases_are_chosen(self, chosen, options, number, code):
        found, first, out, _ = chosen(*options)
        assert found == code
        assert f" in {number} case" in first
        assert f": {number} of 6 cases." in out.splitlines()[2]

    def test_chosen_cases_are_listed(self, chosen):
        _, _, out, _ = chosen("--class", "defect", "limit")
        assert "  CRASH    Gather-8/plain/f16[2,3]/axis=0  SIGFPE in compile" in out
        assert "  REFUSED  Gather-1/type/i8[2,3,4]/axis=0" in out

    def test_a_table_by_attribute(self, chosen):
        _, _, out, _ = chosen("--by", "axis", "--operation", "Gather")
        rows = [line.split() for line in out.splitlines()]
        start = rows.index(["axis", "cases", "PASS", "REFUSED", "CRASH"])
        assert rows[start + 1 : start + 4] == [
            ["0", "2", "–", "1", "1"],
            ["1", "1", "1", "–", "–"],
            ["total", "3", "1", "1", "1"],
        ]

    @pytest.mark.parametrize(
        "options",
        [
            ["--operation", "Gathre"],
            ["--outcome", "BAD"],
            ["--class", "bug"],
            ["--attribute", "axis"],
            ["--by", "axes"],
            ["--operation", "Pad", "--outcome", "CRASH"],
        ],
    )
    def test_wrong_usage_is_one_line(self, chosen, options, capsys):
        try:
            code, _, out, err = chosen(*options)
        except SystemExit as stopped:
            code = stopped.code
            out, err = capsys.readouterr()
        assert (code, out, len(err.splitlines())) == (2, "", 1), err


def test_hostile_text_stays_in_its_line(path):
    hostile = "A-1/" + HOSTILE
    records = [
        record(hostile, "FAIL", detail=HOSTILE, operation="A-1"),
        record(hostile + "2", "FAIL", "known", reason=HOSTILE, operation="A-1"),
    ]
    calm = "A-1/x"
    calm_records = [
        record(calm, "FAIL", operation="A-1"),
        record(calm + "2", "FAIL", "known", reason="r", operation="A-1"),
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
    """Like pytest's terminal summary."""
    assert "1 unexpected departure (1 new) in 1 case" in render(
        Results([header()], [record(outcome="FAIL")])
    )


class TestCommand:
    @pytest.mark.parametrize(
        "records, options, code",
        [
            ([record()], [], 0),
            ([record(outcome="FAIL")], [], 1),
            ([record(outcome="FAIL", gate="known")], [], 0),
            ([record(gate="improved")], [], 0),
            ([record(gate="improved")], ["--strict-gate"], 1),
            ([record(outcome="QUALITY")], ["--strict-gate"], 0),
            ([], [], 2),
        ],
    )
    def test_exit_code(self, path, records, options, code, capsys):
        write(path, header(), *records)
        assert main(["summary", str(path), *options]) == code
        out, err = capsys.readouterr()
        assert len(err.splitlines()) == (code == 2)
        assert bool(out) == (code != 2)

    def test_what_the_strict_gate_alone_makes_red_is_told(self, path, capsys):
        write(path, header(), record(gate="improved"), record("A-1/plain/f32[2]"))
        assert main(["summary", str(path)]) == 0
        assert "--strict" not in capsys.readouterr().out
        assert main(["summary", str(path), "--strict-gate"]) == 1
        told = f"Fails because of --strict-gate: 1 improved, such as {record().case}"
        assert told in " ".join(capsys.readouterr().out.split())

    def test_it_prints_what_render_returns(self, path, capsys):
        write(path, header(), *MIXED)
        main(["summary", str(path)])
        assert capsys.readouterr().out.startswith(f"{render(load(path))}\nas an HTML report: ")
        main(["summary", str(path), "--markdown"])
        assert capsys.readouterr().out == render(load(path), markdown=True)


# --- cases that are chosen, and their folders ---------------------------------------------------------------------


def chosen(path, capsys, *options):
    """The cases that a choice leaves, as the table of operations counts them."""
    assert main(["summary", str(path), *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    (total,) = (line for line in lines if line.startswith("total "))
    return int(total.split()[1])


def test_cases_are_chosen_by_category_type_and_severity(path, capsys):
    records = [
        known("Tile-1/type/f16[2]/-", "defect", "one", "CRASH"),
        known("Tile-1/type/f16[2],i64[1]/-", "defect", "two", "REFUSED"),
        known("Tile-1/type/f32[2]/-", "defect", "one", "CRASH"),
        known("Exp-1/type/f16[2]/-", "defect", "one", "CRASH", category="activation"),
        record("Tile-1/type/f16[3]/-"),
    ]
    write(path, header(), *records)
    assert chosen(path, capsys, "--category", "movement") == 4
    assert chosen(path, capsys, "--type", "f16") == 4
    assert chosen(path, capsys, "--type", "i64", "f32") == 2
    assert chosen(path, capsys, "--severity", "crash") == 3
    assert (
        chosen(
            path,
            capsys,
            *["--category", "movement", "--type", "f16", "--outcome", "CRASH"],
        )
        == 1
    )
    for option, value in (("--category", "image"), ("--type", "u4")):
        assert main(["summary", str(path), option, value]) == 2
        assert f"the results have no case of {option[2:]} '{value}'" in capsys.readouterr().err


def test_lines_lead_to_folders(path, capsys):
    folder = "CPU/accuracy/Tile-1-type-0123abcd"
    records = [
        known("Tile-1/type/f16[2]/-", "defect", "one", "CRASH", folder=folder),
        record("Tile-1/type/f32[2]/-", "FAIL", "new", folder="CPU/accuracy/Tile-1-type-4567abcd"),
    ]
    write(path, header(), *records)
    assert main(["summary", str(path)]) == 1
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "folder Tile-1-type-4567abcd" in lines
    (row,) = (line for line in lines if "title of one" in line)
    assert row.endswith("  0123abcd")
    root = path.with_suffix(".failures") / "CPU" / "accuracy"
    assert f"The failure folders that the last column names are not here: {root}/*-FOLDER" in lines
    page = path.with_suffix(".html")
    assert lines[-1] == f"as an HTML report: python -m reports html {path} --out {page}"
    root.mkdir(parents=True)
    assert main(["summary", str(path)]) == 1
    said = f"The last column names the failure folder of an example: {root}/*-FOLDER"
    assert said in map(str.strip, capsys.readouterr().out.splitlines())
