"""A worker that asks all cases makes the items of a pack as it runs, and gives them up again."""

import gc
import weakref
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conformance.items import LazyItems


class Item:
    def __init__(self, nodeid: str) -> None:
        self.nodeid = nodeid


class Collector:
    """In the place of a target's: makes items, and remembers how many there were at once."""

    def __init__(self, packs: list[list[str]], name: str = "CPU") -> None:
        self.packs, self.target = packs, SimpleNamespace(name=name)
        self._made: list[weakref.ref[Item]] = []
        self.most = 0

    def node_id(self, case_id: str) -> str:
        return f"CPU::{case_id}"

    def pack(self, ids: Sequence[str]) -> list[Item]:
        made = [Item(self.node_id(each)) for each in ids]
        self._made += [weakref.ref(each) for each in made]
        gc.collect()
        self.most = max(self.most, sum(each() is not None for each in self._made))
        return made


PACKS = [["a", "b", "c"], ["d"], ["e", "f"], ["g", "h", "i"]]


def lazy(collectors: Any, others: Any = ()) -> Any:
    return LazyItems(collectors, others)


def test_they_are_those_of_the_packs_in_their_order_behind_other_tests() -> None:
    items = lazy([Collector(PACKS), Collector([["x"], ["y"]])], [Item("other")])
    ids = ["other", *(f"CPU::{each}" for each in "abcdefghixy")]
    assert len(items) == len(ids)
    assert [each.nodeid for each in items] == ids
    assert [items[number].nodeid for number in range(len(ids))] == ids, "made, and not made"
    assert [items[number].nodeid for number in (5, 0, -1)] == ["CPU::e", "other", "CPU::y"]
    assert [each.nodeid for each in items[2:5]] == ["CPU::b", "CPU::c", "CPU::d"]
    with pytest.raises(IndexError):
        items[len(ids)]


def test_node_ids_are_told_without_an_item() -> None:
    collector = Collector(PACKS)
    assert len([each.nodeid for each in lazy([collector])]) == 9
    assert not collector._made


def test_two_packs_at_most_are_there_at_once() -> None:
    collector = Collector(PACKS)
    items = lazy([collector])
    for number in range(len(items) - 1):
        item, following = items[number], items[number + 1]
        assert items[number] is item
        assert following is not item
    assert collector.most <= 6
    assert len(collector._made) == 9


def test_items_that_were_listed_later_are_behind_the_others() -> None:
    told = []

    def later() -> dict[str, list[list[str]]]:
        told.append(1)
        return {"CPU": [["x", "y"], ["z"]], "GPU": [["w"]]}

    collectors: Any = [Collector([["a"], ["b"]], "CPU"), Collector([["c"]], "GPU")]
    items = LazyItems(collectors, (), later)
    assert [items[n].nodeid for n in range(3)] == ["CPU::a", "CPU::b", "CPU::c"]
    assert len(items) == 3
    assert not told
    assert [items[n].nodeid for n in range(7)][3:] == ["CPU::x", "CPU::y", "CPU::z", "CPU::w"]
    assert told == [1]
    with pytest.raises(IndexError):
        items[7]
