"""Takes in any order: what nobody looked at is never accepted, and the end is the same."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reports.commands import accept
from reports.gate import causes
from reports.gate.grouping import ChangeGroup
from reports.results.files.reading import load
from reports.results.outcomes import RED, Gate
from reports.results.records import CaseRecord, Selection
from tests.unit.reports.gate.desks import (
    LATER,
    NEW_CAUSE,
    Desk,
    die,
    fail,
    instead_of_the_suite,
    ok,
    refuse,
    tree,
)
from tests.unit.reports.small_results import write

PART = replace(LATER, selection=Selection(depth="single", shard="1/2"))
NEEDS_LOOK = {"new", "broken", "regressed", "worse"}
OLD_WORDS = "some old words of a refusal"

EXAMPLES = 20
"""Of the CPU's time a quarter of a second each. Two hundred were run when this was written."""

Ending = Callable[[str], CaseRecord]
BEFORE: Mapping[str, Ending | None] = {
    "conforms": ok,
    "fails": lambda case: fail(case, cause="everything", digest="1" * 10),
    "is refused": lambda case: refuse(case, OLD_WORDS, cause="everything"),
    "dies, and its cause names that alone": lambda case: replace(die(case), cause="deaths"),
    "is not asked": None,
}
NOW: Mapping[str, Ending] = {
    "conforms": ok,
    "fails": lambda case: fail(case, digest="1" * 10),
    "fails with another answer": lambda case: fail(case, digest="2" * 10),
    "fails in more elements": lambda case: fail(case, wrong=6),
    "is refused": refuse,
    "is refused in old words": lambda case: refuse(case, OLD_WORDS),
    "dies": die,
}
_NOT_ACCEPTED = (*RED, Gate.IMPROVED)
WHATS = (
    "plain/f32[2,3]", "type/i4[2,3]", "type/u4[2,3]", "type/u4[2,3]/-/shape=dims", "random/u4[4]",
)  # fmt: skip
LAYERS = [f"{name}-1/{what}" for name in "ABC" for what in WHATS]
CHANGES = st.dictionaries(
    st.sampled_from(LAYERS),
    st.tuples(st.sampled_from(sorted(BEFORE)), st.sampled_from(sorted(NOW))),
    min_size=1,
    max_size=6,
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["all", "one", "one", "back", "other all", "other one"]), st.integers(0, 9)
    ),
    max_size=5,
)


def groups_of(results: Path) -> list[ChangeGroup]:
    """The groups that are left."""
    parser = argparse.ArgumentParser()
    accept.add_arguments(parser)
    args = parser.parse_args([str(results)])
    found = load(args.results)
    desk = accept._desk(found, accept._target_of(found, None), args)
    return desk.changes(causes.load()).groups


@dataclass
class Reviewer:
    """Takes groups of a new release, and knows which cases were taken by name."""

    desk: Desk
    records: Sequence[CaseRecord]
    log: list[tuple[Path, frozenset[str], frozenset[str]]] = field(default_factory=list)
    """Of each step that was not taken back: the results, the cases that it took, and those that it took by name."""

    def __post_init__(self) -> None:
        self.results = self.desk.results
        write(self.results, LATER, *self.records)
        self.other = write(self.desk.folder / "other.jsonl", PART, *self.records[::2])
        self.first = {group.id: group for group in groups_of(self.results)}
        self.look = {
            case
            for group in self.first.values()
            if group.change in NEEDS_LOOK or group.needs_cause
            for case in group.lines
        }

    @property
    def taken(self) -> set[str]:
        return {case for _, cases, _ in self.log for case in cases}

    @property
    def named(self) -> set[str]:
        return {case for _, _, cases in self.log for case in cases}

    def do(self, step: str, number: int) -> None:
        """Give a command."""
        results = self.other if step.startswith("other") else self.results
        self.desk.results = results
        groups = groups_of(results)
        if step == "back":
            self.back()
        elif step.endswith("all"):
            before = [group for group in groups if not group.needs_look]
            assert not {group.change for group in before} & NEEDS_LOOK
            cases = frozenset(case for group in before for case in group.lines)
            self.desk.accept("--take", "all")
            self.note(results, cases, frozenset())
        elif groups:
            group = groups[number % len(groups)]
            self.take(group, results)

    def take(self, group: ChangeGroup, results: Path) -> None:
        """Take a group by name: to a new cause, to one that names everything, or to those that name its cases."""
        options: tuple[str, ...] = ()
        if group.needs_cause:
            way = int(group.id[-1], 16) % 3
            if way == 0 and results == self.results:
                options = ("--cause", f"of-{group.id}", *NEW_CAUSE)
            else:
                options = ("--named",) if way == 1 else ("--cause", "everything")
        out = self.desk.accept("--take", group.id, *options)
        assert out.startswith(f"taken: {group.id}; ")
        cases = frozenset(group.lines)
        self.note(results, cases, cases)

    def note(self, results: Path, cases: frozenset[str], named: frozenset[str]) -> None:
        if cases:
            self.log.append((results, cases, named))

    def back(self) -> None:
        """Take the last step of these results back, unless another one changed its files since."""
        before = tree(self.desk.folder)
        out = self.desk.accept("--take-back")
        if out.startswith("taken back"):
            last = next(
                (n for n, step in reversed([*enumerate(self.log)]) if step[0] == self.results), None
            )
            if last is not None:
                del self.log[last]
        else:
            assert "nothing to take back" in out or "changed since" in out
            assert tree(self.desk.folder) == before

    def check(self) -> None:
        """What nobody looked at is red, and what is left is in the groups that it was in."""
        self.desk.results = self.results
        if self.desk.later.exists():
            gates = self.desk.gates(self.desk.later, *self.records, header=LATER)
            # What is better than it was is green, and not known as it is now.
            accepted = {case for case in self.look if Gate(gates[case]) not in _NOT_ACCEPTED}
            assert accepted <= self.named
        left = groups_of(self.results)
        kinds = {case: group.change for group in self.first.values() for case in group.lines}
        for group in left:
            assert {kinds[case] for case in group.lines} == {group.change}
        assert {case for group in left for case in group.lines} == kinds.keys() - self.taken
        if all(results == self.results for results, *_ in self.log):
            assert {group.id: group.lines.keys() for group in left} == {
                name: group.lines.keys() - self.taken
                for name, group in self.first.items()
                if group.lines.keys() - self.taken
            }

    def finish(self, order: Sequence[int]) -> dict[str, str]:
        """Take all that is left, in some order; return the texts of the baseline."""
        self.desk.results = self.results
        for number in itertools.chain(order, itertools.repeat(0)):
            left = groups_of(self.results)
            if not left:
                break
            self.take(left[number % len(left)], self.results)
        self.desk.accept("--take", "all", code=0)
        gates = self.desk.gates(self.desk.later, *self.records, header=LATER)
        assert not {Gate(gate) for gate in gates.values()} & {*RED}
        return {
            path.name: path.read_text()
            for path in (*self.desk.later.iterdir(), *self.desk.causes.iterdir())
        }


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(CHANGES, STEPS, st.lists(st.integers(0, 9), max_size=6))
def test_any_order_of_takes(
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    changes: Mapping[str, tuple[str, str]],
    steps: Sequence[tuple[str, int]],
    order: Sequence[int],
) -> None:
    ends = []
    for is_in_order in (False, True):
        desk = Desk(tmp_path_factory.mktemp("desk"), capsys)
        with pytest.MonkeyPatch.context() as patched:
            instead_of_the_suite(patched, desk)
            desk.cause("everything")
            text = (desk.causes / "everything.toml").read_text()
            desk.cause("deaths", f'{text}outcome = ["CRASH"]\n')
            before = [(case, BEFORE[how[0]]) for case, how in changes.items()]
            desk.ship(*(ending(case) for case, ending in before if ending))
            own = Reviewer(desk, [NOW[how[1]](case) for case, how in changes.items()])
            own.check()
            for step in () if is_in_order else steps:
                own.do(*step)
                own.check()
            # What another run took is of another cause: it goes first.
            ends.append(own.finish(() if is_in_order else order))
    if not any(step.startswith("other") for step, _ in steps):
        assert ends[0] == ends[1]
