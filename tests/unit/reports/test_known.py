"""How wrong known failures are: the file, and what is clearly worse."""

import math

import pytest
from msgspec.structs import replace
from small_results import HOSTILE, header, record

from reports import known
from reports.__main__ import main
from reports.expectation_files import ExpectationsError
from reports.expectations import Cover, Decision, Entry
from reports.known import Severity
from reports.results.outcomes import Outcome
from reports.results.records import WorstElement
from reports.selectors import Selector

WORST = WorstElement(index=(2, 0), actual="a | b", expected="c")


HEADER = header()


def worse(before, one, seed=0, unstable="", openvino=HEADER.openvino, **keys):
    """What is known by a cover with these keys."""
    cover = Cover(Selector(), (Outcome(one.outcome),), **keys)
    decision = Decision(Entry("a", "b", "defect", (cover,), unstable=unstable), cover)
    return known.worse(before, one, decision, replace(HEADER, seed=seed, openvino=openvino))


def failure(case="A-1/x", wrong=1, elements=10, fraction=2.0, **other):
    return record(
        case, "FAIL", "expected", wrong=wrong, elements=elements, fraction=fraction, **other
    )


@pytest.mark.parametrize(
    "before, now, worse",
    [
        (Severity(0.1, 2.0), Severity(0.1, 2.0), False),
        (Severity(0.1, 2.0), Severity(0.17, 2.0), False),
        (Severity(0.1, 2.0), Severity(0.18, 2.0), True),
        (Severity(0.1, 2.0), Severity(0.05, 0.5), False),
        (Severity(0.1, 2.0), Severity(0.1, 30.0), False),
        (Severity(0.1, 2.0), Severity(0.1, 31.0), True),
        (Severity(0.1, None), Severity(0.1, None), False),
        (Severity(0.1, None), Severity(0.1, 1e9), False),
        (Severity(0.1, None), Severity(1.0, None), True),
        (Severity(0.1, 2.0), Severity(0.1, None), True),
        (Severity(0.0, 0.0), Severity(0.05, 10.0), False),
        (Severity(0.9, None, ("0=1",)), Severity(1.0, None, ("0=1",)), False),
        (Severity(0.9, None, ("0=1",)), Severity(1.0, None, ("0=2",)), True),
        (Severity(0.9, None, ("0=1", "0=2")), Severity(0.9, None, ("0=2",)), False),
        (Severity(0.9, None, ("0=1",)), Severity(0.3, None), False),
        (Severity(0.9, None), Severity(0.9, None, ("0=2",)), False),
    ],
)
def test_what_is_clearly_worse(before, now, worse):
    assert before.is_exceeded_by(now) == worse


@pytest.mark.parametrize(
    "one, severity",
    [
        (failure(), Severity(0.1, 2.0)),
        (failure(fraction=math.inf), Severity(0.1, None)),
        (failure(fraction=math.nan), Severity(0.1, None)),
        (failure(fraction=1.7e308), Severity(0.1, None)),
        (failure(fraction=None), Severity(0.1, None)),
        (failure(wrong=7, fraction=None, worst=WORST), Severity(0.7, None, ("2,0=a b",))),
        (failure(wrong=7, fraction=2.0, worst=WORST), Severity(0.7, 2.0)),
        (failure(wrong=6, fraction=None, worst=WORST), Severity(0.6, None)),
        (failure(wrong=None), None),
        (failure(wrong=0, elements=0), None),
        (record("A-1/x", "REFUSED"), None),
        (record("A-1/x", "QUALITY", wrong=0, elements=10, fraction=0.5), None),
    ],
)
def test_severity_of_a_record(one, severity):
    assert known.severity_of(one) == severity


def test_worse_than_known():
    before = {"A-1/x": Severity(0.1, 2.0)}
    assert worse(before, failure(wrong=10)) == Severity(0.1, 2.0)
    assert worse(before, failure(wrong=1)) is None
    assert worse(before, failure("A-1/y", wrong=10)) is None
    assert worse(before, record("A-1/x", "REFUSED")) is None
    assert worse({}, failure()) is None
    assert known.worse(before, failure(wrong=10), None, HEADER) is None


@pytest.mark.parametrize(
    "keys, seed, is_worse",
    [
        ({}, 0, True),
        ({}, 1, False),
        ({"varies": "why"}, 0, True),
        ({"varies": "why"}, None, True),
        ({"varies": "why"}, 1, False),
        ({"unstable": "why"}, 0, False),
        ({"computed_as": ("f64 as f32",)}, 0, False),
    ],
)
def test_of_what_nothing_is_known(keys, seed, is_worse):
    before = {"A-1/x": Severity(0.1, 2.0)}
    assert bool(worse(before, failure(wrong=10), seed, **keys)) == is_worse


@pytest.mark.parametrize(
    "release, is_worse",
    [
        ("2024.0.0-14509-abc", False),
        ("2026.2.0-21903-abc", False),
        ("2026.4.0-1-abc", True),
        ("2027.0.0-1-abc", True),
        ("custom_master", True),
    ],
)
def test_an_older_release_may_be_worse(release, is_worse):
    before = {"A-1/x": Severity(0.1, 2.0)}
    assert bool(worse(before, failure(wrong=10), openvino=release)) == is_worse


def test_what_a_run_called_worse_is_judged_again_by_the_detail_of_the_device():
    measured = failure("A-1/x", wrong=10)
    called = known.as_worse(measured, Severity(0.1, 2.0, ("2,0=5",)))
    assert called.detail != measured.detail
    assert known.as_measured(called).detail == measured.detail
    assert known.as_measured(known.as_worse(measured, "passes")).detail == measured.detail
    assert known.as_measured(measured) is measured


def test_severity_as_text():
    assert str(Severity(0.125, None)) == "12% of the elements"
    assert str(Severity(1.0, 2.345)) == "100% of the elements, 2.35 times the bound"
    assert str(Severity(0.9, None, ("2,0=5", "2,0=6"))) == "90% of the elements, [2,0] is 5"


def test_a_file_is_read_as_it_was_written(tmp_path):
    severities = {"B-1/f32[2]": Severity(0.25, None), "A-1/x": Severity(1.0, 12.5)}
    severities["C-1/x"] = Severity(0.9, None, ("2,0=5", "2,0=-6"))
    path = tmp_path / "CPU.known.tsv"
    path.write_text(known.as_text(severities))
    assert path.read_text().splitlines()[1:] == [
        "A-1/x\t1\t12.5\t",
        "B-1/f32[2]\t0.25\t\t",
        "C-1/x\t0.9\t\t2,0=5 | 2,0=-6",
    ]
    assert known.load(path) == severities
    assert known.load(tmp_path / "none.known.tsv") == {}


def test_an_id_that_a_line_cannot_hold_is_left_out(tmp_path):
    path = tmp_path / "CPU.known.tsv"
    path.write_text(known.as_text({HOSTILE: Severity(1.0, None), "A-1/x": Severity(0.5, None)}))
    assert known.load(path) == {"A-1/x": Severity(0.5, None)}


@pytest.mark.parametrize(
    "line",
    [
        "A-1/x",
        "A-1/x\t0.5",
        "A-1/x\t0.5\t1",
        "A-1/x\t0.5\t1\t\t2",
        "A-1/x\thalf\t\t",
        "A-1/x\t\t\t",
        "A-1/x\tnan\t\t",
        "A-1/x\t1.5\t\t",
        "A-1/x\t-0.5\t\t",
        "A-1/x\t0.5\tnan\t",
        "A-1/x\t0.5\tinf\t",
        "A-1/x\t0.5\t-1\t",
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, capsys):
    path = tmp_path / "CPU.known.tsv"
    path.write_text("# comment\n\nA-1/y\t0.5\t\t\n" + line + "\n")
    with pytest.raises(ExpectationsError, match="line 4: expected a case id, a share"):
        known.load(path)
    assert main(["expectations", "check", "--directory", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert str(path) in err
    assert err.count("\n") == 1


def test_a_file_that_cannot_be_read(tmp_path):
    (tmp_path / "CPU.known.tsv").write_bytes(b"\xff\n")
    with pytest.raises(ExpectationsError, match="cannot be read"):
        known.load(tmp_path / "CPU.known.tsv")


def test_where_the_file_of_a_device_stands(tmp_path):
    assert known.path_for("BATCH:CPU(4)", tmp_path) == tmp_path / "BATCH_CPU_4_.known.tsv"


def test_a_virtual_device_knows_what_the_device_under_it_does(tmp_path):
    (tmp_path / "CPU.known.tsv").write_text("A-1/x\t0.5\t\t\nA-1/y\t0.5\t\t\n")
    (tmp_path / "AUTO_CPU.known.tsv").write_text("A-1/x\t1\t\t\n")
    assert known.load_for("AUTO:CPU", tmp_path) == {
        "A-1/x": Severity(1.0, None),
        "A-1/y": Severity(0.5, None),
    }
    assert known.load_for("CPU", tmp_path)["A-1/x"] == Severity(0.5, None)


def test_of_several_accepted_results_the_worst_is_known():
    accepted = [
        failure(wrong=3, fraction=2.0),
        failure(wrong=1, fraction=7.0, profile="performance"),
        failure("A-1/exact", fraction=math.inf),
        record("A-1/y", "REFUSED"),
    ]
    assert known.joined({"A-1/z": Severity(0.5, 1.0)}, accepted) == {
        "A-1/x": Severity(0.3, 7.0),
        "A-1/exact": Severity(0.1, None),
        "A-1/z": Severity(0.5, 1.0),
    }
    exact = failure(wrong=9, fraction=None, worst=replace(WORST, actual="d"))
    before = {"A-1/x": Severity(0.8, None, ("2,0=c",))}
    assert known.joined(before, [exact])["A-1/x"] == Severity(0.9, None, ("2,0=c", "2,0=d"))
    assert known.joined({"A-1/x": Severity(0.2, None)}, accepted[:1])["A-1/x"].fraction is None
