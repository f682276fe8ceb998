"""Departures in clusters of one cause."""

from __future__ import annotations

import random

from reports.gate.root_causes import Cluster, cluster
from reports.results.facts_of_departures import Facts
from reports.results.records import CaseRecord, WorstElement
from tests.unit.reports.small_results import record

VALUE = Facts(kind="value", output=0)
MOVERS = ("Gather-8", "Pad-12", "Reverse-1", "Roll-7", "Select-1", "Slice-8", "Split-1", "Squeeze-1",
          "Tile-1", "Transpose-1", "Unsqueeze-1")  # fmt: skip


def right(case: str) -> CaseRecord:
    return record(case, "PASS")


def wrong(case: str, expected: str = "2.5", actual: str = "7.25") -> CaseRecord:
    worst = WorstElement(expected=expected, actual=actual)
    return record(case, "FAIL", facts=VALUE, wrong=6, elements=15, relative_error=0.5, worst=worst)


def refused(case: str, message: str) -> CaseRecord:
    return record(case, "REFUSED", facts=Facts(stage="compile", kind="message", message=message))


def died(case: str, signal: str = "SIGSEGV") -> CaseRecord:
    return record(case, "CRASH", facts=Facts(stage="infer", kind="signal", signal=signal))


def cases(clusters: list[Cluster]) -> list[set[str]]:
    return [{each.case for each in one.records} for one in clusters]


def test_conversions_that_saturate_are_one() -> None:
    """Eleven operations, five types: one mechanism."""
    departing: list[CaseRecord] = []
    conforming: list[CaseRecord] = []
    for number, name in enumerate(MOVERS):
        kind, expected, actual = (
            ("u8", "200", "255"), ("i8", "-100", "127"), ("u16", "40000", "65535"),
            ("i16", "-30000", "32767"), ("u32", "4294967295", "2147483647"),
        )[number % 5]  # fmt: skip
        departing.append(wrong(f"{name}/type/{kind}[2,3]/-/values=ends", expected, actual))
        conforming += [right(f"{name}/plain/f32[2,3]/-"), right(f"{name}/type/{kind}[2,3]/-")]
    (found,) = cluster(departing, conforming)
    assert len(found.records) == 11
    assert "saturated" in found.reason
    assert "Gather-8, Pad-12, Reverse-1 and 8 more" in found.reason
    assert "values=ends" in found.reason


def layers(name: str, **parameters: str) -> tuple[list[CaseRecord], list[CaseRecord]]:
    """Two mechanisms in one operation: mode=y is wrong, and so is u4 with unknown dimensions."""
    departing: list[CaseRecord] = []
    conforming: list[CaseRecord] = []
    for mode in ("x", "y"):
        for kind in ("f32", "f16", "u4", "i8"):
            for how in ("", "/shape=dims", "/shape=rank", "/memory=strided"):
                purpose = "plain" if (mode, kind) == ("x", "f32") else "random"
                case = f"{name}/{purpose}/{kind}[3,5]/mode={mode};axis=0{how}"
                is_wrong = mode == "y" or (kind == "u4" and "shape" in how)
                (departing if is_wrong else conforming).append(
                    wrong(case) if is_wrong else right(case)
                )
    return departing, conforming


def test_two_mechanisms_of_one_operation_are_two() -> None:
    departing, conforming = layers("A-1")
    of_mode, of_type = cluster(departing, conforming)
    assert cases([of_mode]) == [{each.case for each in departing if "mode=y" in each.case}]
    assert "mode=y" in of_mode.reason
    assert "shape" not in of_mode.reason
    assert "type=u4" in of_type.reason
    assert "mode" not in of_type.reason


def test_unknown_dimensions_are_named_and_what_every_layer_has_is_not() -> None:
    """Every layer has alpha=0.75, so it explains nothing."""
    ways = ("dims", "bounds", "rank")
    shapes = ("[2,3]", "[4,3]", "[2,7]", "[5,3]", "[2,9]")
    departing = [
        wrong(f"A-1/random/f32{each}/alpha=0.75/shape={way}") for each in shapes for way in ways
    ]
    conforming = [right(f"A-1/random/f32{each}/alpha=0.75") for each in shapes]
    conforming += [right("A-1/plain/f32[2,3,4]/alpha=0.5"), right("A-1/random/f32[3]/alpha=0.25")]
    (found,) = cluster(departing, conforming)
    assert len(found.records) == 15
    assert "shape=bounds|dims|rank" in found.reason
    assert "alpha" not in found.reason


def test_one_way_is_one_cause_across_operations() -> None:
    names = ("A-1", "B-1", "C-3")
    departing = [died(f"{name}/plain/f32[2,3]/-/shape=dims") for name in names]
    conforming = [
        right(f"{name}/plain/f32[2,3]/-{how}") for name in names for how in ("", "/memory=strided")
    ]
    (found,) = cluster(departing, conforming)
    assert "A-1, B-1 and C-3" in found.reason
    assert "shape=dims" in found.reason


def test_a_message_is_one_cause_across_operations() -> None:
    message = "Check type is supported The element type of the input is not supported yet"
    departing = [
        refused("A-1/type/u3[2,3]/-", f"{message} A"),
        refused("B-1/type/u6[2,3]/-", f"{message} B"),
        refused("A-1/type/u2[2,3]/-", "object is not initialized"),
    ]
    assert sorted(len(one.records) for one in cluster(departing, [])) == [1, 2]


def test_versions_of_an_operation_are_one() -> None:
    departing = [wrong(f"Gather-{version}/plain/f32[2,3]/axis=0") for version in (1, 7, 8)]
    assert len(cluster(departing, [])) == 1
    assert len(cluster([*departing, wrong("Tile-1/plain/f32[2,3]/-")], [])) == 2


def test_a_rule_that_is_not_checked_is_one_cause_however_the_layer_ends() -> None:
    accepted = Facts(stage="infer", kind="accepted", rule="axes-distinct")
    dead = Facts(stage="infer", kind="signal", signal="SIGSEGV", rule="axes-distinct")
    departing = [
        record(
            "A-1/invalid/f32[2]/axes=0,0", "ACCEPTED_INVALID", facts=accepted, rule="axes differ"
        ),
        record("A-1/invalid/f32[3]/axes=0,0", "CRASH", facts=dead, rule="axes differ"),
    ]
    assert len(cluster(departing, [])) == 1


def test_all_departures_are_in_one_cluster_each_and_order_does_not_matter() -> None:
    departing, conforming = layers("A-1")
    more, others = layers("B-2")
    departing, conforming = [*departing, *more], [*conforming, *others]
    found = cluster(departing, conforming)
    every = [each.case for one in found for each in one.records]
    assert sorted(every) == sorted(each.case for each in departing)
    assert len({one.key for one in found}) == len(found)
    for seed in range(3):
        random.Random(seed).shuffle(departing)
        random.Random(seed).shuffle(conforming)
        again = cluster(departing, conforming)
        assert cases(again) == cases(found)
        assert [one.key for one in again] == [one.key for one in found]


def test_the_key_does_not_depend_on_other_operations() -> None:
    departing, conforming = layers("A-1")
    more, others = layers("B-2")
    alone = {one.key for one in cluster(departing, conforming) if "mode=y" in one.reason}
    together = {one.key for one in cluster([*departing, *more], [*conforming, *others])}
    assert alone < together


def test_nothing_departs() -> None:
    assert cluster([], [right("A-1/plain/f32[2]/-")]) == []
