"""The factors that departures of crossings need."""

from __future__ import annotations

from pathlib import Path

from reports.__main__ import main
from reports.explaining.naming import FactorNaming, Names
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import Gate
from reports.results.records import CaseRecord
from tests.unit.reports.small_results import header, record, write

PLAIN = "A-1/plain/f32[3,5]/mode=x;axis=0"
VALUE = Facts(kind="value", output=0)


def one(case: str, how: str = "", is_right: bool = False, facts: Facts = VALUE) -> CaseRecord:
    whole = f"{case}/{how}" if how else case
    if is_right:
        return record(whole, "PASS")
    return record(whole, "FAIL", wrong=6, elements=15, relative_error=0.5, facts=facts)


def right(case: str, how: str = "") -> CaseRecord:
    return one(case, how, is_right=True)


MANY = one("A-1/random/u4[1,7,2]/mode=y;axis=2", "shape=dims")


def test_two_factors_of_many() -> None:
    records = [
        right(PLAIN),
        right("A-1/type/u4[3,5]/mode=x;axis=0"),
        right("A-1/enumeration/f32[3,5]/mode=y;axis=0"),
        right("A-1/random/u4[1,7,2]/mode=x;axis=2", "shape=dims"),
        right("A-1/random/f32[1,7,2]/mode=y;axis=2", "shape=dims"),
        one("A-1/random/u4[4,4]/mode=y;axis=1"),
        MANY,
    ]
    assert FactorNaming(records).factors(MANY) == ("mode=y", "type=u4")


def test_how_is_a_factor() -> None:
    records = [
        right(PLAIN),
        right(PLAIN, "shape=dims"),
        right("A-1/type/u4[3,5]/mode=x;axis=0"),
        right("A-1/random/u4[1,7,2]/mode=y;axis=2"),
        one("A-1/type/u4[3,5]/mode=x;axis=0", "shape=dims"),
        MANY,
    ]
    assert FactorNaming(records).factors(MANY) == ("shape=dims", "type=u4")


def test_what_the_plain_layer_has_as_well_does_not_hide_a_factor() -> None:
    """A dimension of 1 beside mode x is wrong, in mode y it is not."""
    at_edge = one("A-1/dim-1/f32[3,1]/mode=x;axis=0", "shape=dims")
    records = [
        right(PLAIN),
        right(PLAIN, "shape=dims"),
        right("A-1/dim-1/f32[3,1]/mode=x;axis=0"),
        *(right(f"A-1/random/f32[{n},1]/mode=y;axis=0", "shape=dims") for n in (3, 4, 5)),
        at_edge,
    ]
    assert FactorNaming(records).factors(at_edge) == ("shape=dims", "size 0.1=1")


def test_a_way_beside_any_other_is_named_with_it() -> None:
    """Two sizes of 1 depart of unknown shape; each part of them conforms, so that neither is to blame alone."""
    sizes = ("A-1/dim-1/f32[3,1]/mode=x;axis=0", "A-1/dim-1/f32[1,5]/mode=x;axis=0")
    departures = [one(case, "shape=dims") for case in sizes]
    records = [right(PLAIN), right(PLAIN, "shape=dims"), *map(right, sizes), *departures]
    assert FactorNaming(records).factors(departures[0]) == ("shape=dims", "size 0.1=1")


def test_what_departs_otherwise_blames_nothing() -> None:
    other = one("A-1/random/u4[4,4]/mode=y;axis=1", facts=Facts(kind="shape", output=0))
    factors = FactorNaming([right(PLAIN), other, MANY]).factors(MANY)
    assert factors == FactorNaming([right(PLAIN), MANY]).factors(MANY)


def test_what_a_case_with_all_factors_refutes_has_no_name() -> None:
    again = right("A-1/random/u4[1,7,2]/mode=y;axis=2", "shape=dims")
    assert FactorNaming([right(PLAIN), again, MANY]).factors(MANY) == ()


def test_only_red_departures_of_crossings_are_named() -> None:
    plain = one(PLAIN)
    names = Names([plain, MANY])
    assert MANY.gate == plain.gate == Gate.NEW
    assert names.of(plain) == ""
    assert names.of(MANY)


def test_the_summary_tells_them(tmp_path: Path, capsys) -> None:
    records = [
        right(PLAIN),
        right("A-1/type/u4[3,5]/mode=x;axis=0"),
        right("A-1/enumeration/f32[3,5]/mode=y;axis=0"),
        one("A-1/random/u4[4,4]/mode=y;axis=1"),
        MANY,
    ]
    path = write(tmp_path / "results.jsonl", header(), *records)
    assert main(["summary", str(path)]) == 1
    assert "fails only with mode=y and type=u4" in capsys.readouterr().out
    assert main(["html", str(path), "--out", str(tmp_path / "page.html")]) == 0
    assert "fails only with mode=y and type=u4" in (tmp_path / "page.html").read_text("utf-8")


def test_data_that_hide_a_fault_refute_nothing() -> None:
    hidden = right("A-1/random/u4[2,9]/mode=y;axis=1")
    records = [
        right(PLAIN),
        right("A-1/type/u4[3,5]/mode=x;axis=0"),
        right("A-1/enumeration/f32[3,5]/mode=y;axis=0"),
        hidden,
        one("A-1/random/u4[4,4]/mode=y;axis=1"),
        one("A-1/random/u4[6,4]/mode=y;axis=3"),
        MANY,
    ]
    assert FactorNaming(records).factors(MANY) == ("mode=y", "type=u4")
