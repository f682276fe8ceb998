"""The scheduler of packs: whole packs, in order, each once; the listing that workers read."""

from types import SimpleNamespace

import pytest

from tests.conformance.listing import Listing
from tests.conformance.progress import waiting_text
from tests.conformance.scheduling import PackScheduling


class Node:
    """A worker that remembers what it was sent."""

    def __init__(self, name):
        self.gateway = SimpleNamespace(id=name)
        self.sent, self.shutting_down = [], False

    def send_runtest_some(self, positions):
        self.sent.append(list(positions))

    def shutdown(self):
        self.shutting_down = True


def scheduled(sizes, workers=2, tests=None, replan=None, later=None):
    count = sum(sizes) if tests is None else tests
    scheduler = PackScheduling(None, workers, sizes, replan, later)
    nodes = [Node(f"gw{n}") for n in range(workers)]
    for node in nodes:
        scheduler.add_node(node)
        scheduler.add_node_collection(node, [f"test {n}" for n in range(count)])
    assert scheduler.collection_is_completed
    scheduler.schedule()
    return scheduler, nodes


def run(scheduler, nodes):
    """Run all tests, one worker after the other."""
    while any(scheduler._pending[node] for node in scheduler.nodes):
        for node in list(scheduler.nodes):
            for position in list(scheduler._pending[node])[:1]:
                scheduler.mark_test_complete(node, position)


def test_every_pack_is_sent_whole_and_once():
    sizes = [3, 1, 4, 1, 5, 9, 2, 6]
    scheduler, nodes = scheduled(sizes)
    run(scheduler, nodes)
    sent = sorted(pack for node in nodes for pack in node.sent)
    assert [len(pack) for pack in sent] == sizes
    assert [position for pack in sent for position in pack] == list(range(sum(sizes)))
    assert scheduler.tests_finished
    assert all(node.shutting_down for node in nodes)
    assert not scheduler.has_pending


def test_a_worker_has_the_next_test_while_there_is_one():
    scheduler, nodes = scheduled([1] * 20)
    while scheduler._queue:
        node = nodes[0]
        scheduler.mark_test_complete(node, next(iter(scheduler._pending[node])))
        assert len(scheduler._pending[node]) >= 2 or not scheduler._queue


def test_what_a_dead_worker_had_goes_to_another():
    scheduler, nodes = scheduled([4, 4, 4])
    dead = nodes[0]
    scheduler.mark_test_complete(dead, 0)
    assert scheduler.remove_node(dead) == "test 1"
    run(scheduler, nodes[1:])
    assert sorted(p for pack in nodes[1].sent for p in pack) == list(range(1, 12))


def replaced(scheduler, dead):
    """What a worker that takes the place of a dead one, and the others, are sent until the end."""
    assert scheduler.remove_node(dead)
    new = Node("gw2")
    scheduler.add_node(new)
    scheduler.add_node_collection(new, scheduler.collection)
    scheduler.schedule()
    run(scheduler, scheduler.nodes)
    assert scheduler.tests_finished
    assert not scheduler.has_pending
    return sorted(p for node in scheduler.nodes for pack in node.sent for p in pack)


@pytest.mark.parametrize("sizes", [[4], [1], [1, 1, 1], [2, 3, 4, 5, 6]])
def test_what_a_dead_worker_had_reported_is_not_run_again(sizes):
    scheduler, (dead, _) = scheduled(sizes)
    scheduler.mark_test_reported(dead, "test 0")
    assert replaced(scheduler, dead) == list(range(1, sum(sizes)))


def test_what_a_dead_worker_had_not_reported_is_run_again():
    scheduler, (dead, _) = scheduled([4])
    scheduler.mark_test_reported(dead, "test 0")
    scheduler.mark_test_complete(dead, 0)
    assert replaced(scheduler, dead) == [1, 2, 3]


def test_a_worker_that_has_done_all_leaves_nothing():
    scheduler, nodes = scheduled([2])
    run(scheduler, nodes)
    assert scheduler.remove_node(nodes[0]) is None


def test_packs_are_planned_anew_where_tests_were_deselected():
    scheduler, nodes = scheduled([9], tests=4, replan=lambda _: [[3], [0, 1], [2]])
    run(scheduler, nodes)
    assert sorted(pack for node in nodes for pack in node.sent) == [[0, 1], [2], [3]]


def test_workers_that_collect_other_cases_are_an_error():
    scheduler = PackScheduling(None, 2, [1], None)
    one, two = Node("gw0"), Node("gw1")
    for node in (one, two):
        scheduler.add_node(node)
    scheduler.add_node_collection(one, ["a"])
    with pytest.raises(RuntimeError, match="gw1 collected other cases"):
        scheduler.add_node_collection(two, ["b"])


def test_a_listing_comes_back_from_its_file(tmp_path):
    given = Listing({"CPU": [["Exp-1/plain/f32[2]", "日本"], ["c"]], "GPU(isa=X)": []})
    given.write(tmp_path / "cases")
    assert Listing.read(tmp_path / "cases") == given
    assert given.sizes == [2, 1]


# --- what is listed while the first tests run ---------------------------------------------------------------------


class Listed:
    """Packs that are listed later: there once ``is_there``, or once somebody waits for them."""

    def __init__(self, packs):
        self.packs, self.is_there, self.waited = packs, False, False

    def __call__(self, collection, waits):
        assert collection[0] == "test 0"
        self.waited |= waits
        return self.packs if self.is_there or waits else None


def test_packs_that_are_listed_later_follow_once_they_are_there():
    later = Listed([["a", "b"], ["c"]])
    scheduler, nodes = scheduled([1] * 10, later=later)
    assert scheduler.total is None
    scheduler.mark_test_complete(nodes[0], 0)
    assert len(scheduler.collection) == 10
    later.is_there = True
    scheduler.mark_test_complete(nodes[1], next(iter(scheduler._pending[nodes[1]])))
    assert scheduler.total == 13
    run(scheduler, nodes)
    assert not later.waited
    sent = [position for node in nodes for pack in node.sent for position in pack]
    assert sorted(sent) == [*range(13)]
    assert [10, 11] in nodes[0].sent + nodes[1].sent


def test_a_run_does_not_end_before_the_others_are_listed():
    later = Listed([["a"], ["b"]])
    scheduler, nodes = scheduled([1, 1], workers=1, later=later)
    # Nothing is left to give while the worker still has a test: it waits for what comes.
    scheduler.mark_test_complete(nodes[0], 0)
    assert later.waited
    assert not nodes[0].shutting_down
    run(scheduler, nodes)
    assert scheduler.tests_finished
    assert sorted(position for pack in nodes[0].sent for position in pack) == [0, 1, 2, 3]


def test_a_worker_that_takes_the_place_of_another_collects_the_first_tests():
    later = Listed([["a", "b", "c"]])
    later.is_there = True
    scheduler, nodes = scheduled([1, 1, 1, 1], later=later)
    scheduler.mark_test_complete(nodes[0], 0)
    assert len(scheduler.collection) == 7
    assert scheduler.remove_node(nodes[0]) == "test 2"
    other = Node("gw3")
    scheduler.add_node(other)
    scheduler.add_node_collection(other, [f"test {n}" for n in range(4)])
    with pytest.raises(RuntimeError, match="other cases"):
        scheduler.add_node_collection(Node("gw4"), ["test 0", "another", "test 2", "test 3"])


def test_a_worker_that_waited_for_all_tests_has_them_planned_anew():
    later = Listed([["a", "b"]])
    scheduler, nodes = scheduled([2], tests=4, replan=lambda ids: [[0, 3], [1, 2]], later=later)
    assert scheduler.total == 4
    run(scheduler, nodes)
    assert sorted(pack for node in nodes for pack in node.sent) == [[0, 3], [1, 2]]
    with pytest.raises(RuntimeError, match="other cases"):
        scheduled([2], tests=3, replan=lambda ids: [[0, 1, 2]], later=Listed([["a", "b"]]))


def test_each_worker_runs_the_first_test_that_it_has_left() -> None:
    scheduler, nodes = scheduled([2, 3, 2])
    assert scheduler.running == [scheduler.collection[0], scheduler.collection[2]]
    scheduler.mark_test_complete(nodes[0], 0)
    assert scheduler.running[0] == scheduler.collection[1]


def test_the_progress_names_what_is_waited_for() -> None:
    ids = [f"tests/conformance::CPU::{name}/plain/f32[2]/-" for name in ("Abs-1", "Sin-1", "Cos-1")]
    assert waiting_text(4, ids) == waiting_text(9, []) == ""
    assert waiting_text(31, ids[:1]) == "· 31 s: Abs-1/plain/f32[2]/-"
    assert waiting_text(31, ids).endswith("Sin-1/plain/f32[2]/- and 1 more")
