"""``python -m tests.planted.crossing_trial``: plant defects of each kind of crossing, and see what catches them.

For each kind: how many cases the corpus has of it, one of them, and how many defects depth single and pairs catch and
the reports name. Defects are drawn from all that the pages allow, not from what the corpus asks. Exit code: 0 where of
each kind enough is caught and named; 1 where not; 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import ir_models
from ir_models import LayerCase, Operation, cases
from ir_models.vocabulary.layers import plain_layer
from tests.conformance.naming import NamingError, Sweep, sweep
from tests.kill.table import table_text
from tests.planted.crossings import KINDS, OF_KIND, Plant, draw
from tests.planted.defects import Defect
from tests.planted.device import prepared, verdict_on
from tests.planted.factors import Factor
from tests.planted.table import REQUIRED
from tests.planted.trial import Result, Trial

_LEFT_OUT = ("sums", "sweep")
# Of a defect of many operations so many departures are named; the report begins with that of the fewest factors.
_NAMED = 3
DECLARATIONS = "declarations"
SWEEPS = "layers of one's own"
"""Kinds that are no cases of the corpus: what a declaration may not say, and sweeps that a user types."""


@dataclass
class Found:
    """What was found of one defect."""

    plant: str
    by_single: bool = False
    is_caught: bool = False
    is_named: bool = False
    why: str = ""
    order: tuple[int, int] = (1000, 0)
    count: int = 0

    def add(self, result: Result, by_single: bool) -> None:
        """What the cases of one operation find."""
        self.by_single |= by_single
        if not result.by_all:
            self.why = self.why or (f"{result.struck} cases have it" if result.struck else "")
            return
        self.is_caught = True
        self.count += 1
        order = result.order
        if order < self.order:
            self.order, self.is_named = order, result.is_included
            named = " × ".join(" & ".join(sorted(part)) for part in result.named)
            self.why = f"{named or 'nothing'}, {result.smallest}"


@dataclass
class Row:
    """One kind: its cases at both depths, one of them, and what was found of its defects."""

    kind: str
    single: int = 0
    pairs: int = 0
    example: str = ""
    found: list[Found] = field(default_factory=list)


def judge(plants: Sequence[Plant], operations: Sequence[Operation]) -> list[Row]:
    """Ask the cases of each operation for all defects that concern it."""
    rows = {kind: Row(kind) for kind in KINDS}
    found = [Found(str(plant)) for plant in plants]
    for plant, each in zip(plants, found, strict=True):
        rows[plant.kind].found.append(each)
    concerning: dict[str, list[tuple[Plant, Found]]] = defaultdict(list)
    for plant, each in zip(plants, found, strict=True):
        for name in plant.operations:
            concerning[name].append((plant, each))
    for number, operation in enumerate(operations, 1):
        single = {case.id for case in cases(operation)}
        trial = Trial(operation, "pairs", left_out=_LEFT_OUT)
        for case in trial.cases:
            for kind, row in rows.items():
                if OF_KIND[kind](case):
                    row.pairs += 1
                    row.single += case.id in single
                    if len(case.id) < len(row.example) or not row.example:
                        row.example = case.id
        for plant, each in concerning[operation.name]:
            result = trial.result(plant.on(operation), is_named=each.count < _NAMED)
            each.add(result, bool(single & set(result.departed)))
        prepared.cache_clear()
        done = f"{number}/{len(operations)} {operation.name}: {len(concerning[operation.name])}"
        print(done, file=sys.stderr, flush=True)
    return list(rows.values())


# --- what a declaration may not say -------------------------------------------------------------------------------


def declarations(operations: Sequence[Operation], count: int, seed: int) -> Row:
    """Operations declared in a set that OpenVINO does not have: an error that names the operation and the set."""
    state = random.Random(f"{DECLARATIONS}/{seed}")
    row = Row(DECLARATIONS, len(operations), len(operations), operations[0].name)
    for operation in state.sample(list(operations), min(count, len(operations))):
        opset = state.choice(["opset0", "opset99", "extension", "experimental", "opset", ""])
        found = Found(f"{operation.name}: declared in {opset!r}")
        try:
            replace(operation, opset=opset)
        except ValueError as error:
            found.is_caught = found.by_single = True
            found.is_named = operation.name in str(error) and repr(opset) in str(error)
            found.why = str(error)
        row.found.append(found)
    return row


# --- sweeps -------------------------------------------------------------------------------------------------------

_LAST = 33
_SIZES: dict[str, Callable[[int, int], bool]] = {
    "from {} on": lambda size, limit: size >= limit,
    "multiples of {}": lambda size, limit: size % limit == 0,
    "all but multiples of {}": lambda size, limit: size % limit != 0,
    "{} alone": lambda size, limit: size == limit,
}


def sweeps(operations: Sequence[Operation], count: int, seed: int) -> Row:
    """Devices that are wrong at some sizes, which the table of a sweep over all sizes must tell."""
    state = random.Random(f"{SWEEPS}/{seed}")
    row = Row(SWEEPS)
    for operation in state.sample(list(operations), len(operations)):
        asked = _sweep_of(operation, state)
        found = _swept(asked, operation, state) if asked is not None else None
        if asked is None or found is None:
            continue
        row.example = row.example or asked.template
        row.found.append(found)
        if len(row.found) == count:
            break
    return row


def _swept(asked: Sweep, operation: Operation, state: random.Random) -> Found | None:
    """What the table tells of a device that is wrong at some sizes; None where these are all of the sweep, or none."""
    limit, about = state.randrange(2, _LAST), state.choice(list(_SIZES))
    sizes = {case: int(point[-1]) for point, case in asked.points.items() if case}
    wrong = {case for case, size in sizes.items() if _SIZES[about](size, limit)}
    if len(wrong) in (0, len(sizes)):
        return None
    at = Factor("size", lambda case: case.id in wrong, ())
    defect = Defect(operation, SWEEPS, (at,), state.choice(["refusal", "death", "wrong shape"]))
    table = asked.table(
        {c: str(verdict_on(defect, ir_models.parse_layer(c)).outcome) for c in sizes}
    )
    told = set(_departing(table))
    return Found(
        f"{asked.template}: {about.format(limit)} ({defect.effect})",
        by_single=bool(told),
        is_caught=bool(told),
        is_named=told == {sizes[case] for case in wrong},
        why="; ".join(table),
    )


def _sweep_of(operation: Operation, state: random.Random) -> Sweep | None:
    """A sweep over one size of the plain layer, wherever it stands in the data; None where that makes few layers."""
    case = LayerCase(plain_layer(operation), "plain")
    first = next((t for i in operation.inputs for t in case.layer.tensors(i.name)), None)
    if first is None or not first.shape:
        return None
    size = state.choice(first.shape)
    name, purpose, *rest = case.id.split("/")
    if not rest:
        return None
    shapes = []
    for part in rest[0].split("]"):
        kind, bracket, numbers = part.partition("[")
        each = [f"{{n=1..{_LAST}}}" if n == str(size) else n for n in numbers.split(",")]
        shapes.append(f"{kind}{bracket}{','.join(each)}")
    pattern = "/".join((name, purpose, "]".join(shapes), *rest[1:]))
    pattern = pattern.replace(f"{{n=1..{_LAST}}}", "{n}")
    pattern = pattern.replace("{n}", f"{{n=1..{_LAST}}}", 1)
    with suppress(NamingError, ValueError, TypeError, LookupError):
        found = sweep(pattern)
        return found if len(found.cases) > _LAST // 2 else None
    return None


def _departing(table: Sequence[str]) -> Iterator[int]:
    """The sizes that a table tells to depart."""
    for line in table[1:]:
        outcome, _, sizes = line.strip().partition(" ")
        if outcome.isupper() and outcome not in ("PASS", "FOLDED"):
            for part in sizes.strip().removeprefix("n=").split(", "):
                near, _, step = part.partition(" in steps of ")
                first, _, last = near.partition(" to ")
                yield from range(int(first), int(last or first) + 1, int(step or 1))


# --- the table ----------------------------------------------------------------------------------------------------


TITLE = """# Crossings, and what they catch

`python -m tests.planted.crossing_trial --markdown > docs/crossings.md` makes this page, in a few minutes of CPU
time.

For each kind of crossing: how many cases the corpus has of it, one of them, and how many of the defects that were
planted are caught and named. Defects are drawn by a seed from all that the pages allow, not from what the corpus
asks. A planted device answers with the references but for one defect, where it gives a wrong value, a wrong shape,
refuses or dies.

- A defect of one operation needs one way of asking, such as a layer behind that reshapes to a column. Or it needs one
  way with any way of another kind, such as constants with any layer behind.
- A defect of two ways beside each other (Multiply behind, and its constant of shape [1]) is in code that operations
  share, as fusions are: all operations of a category have it. A case of one of them catches it.
- *Caught*: a case of the depth departs. *Named*: the first departure that the report tells, of several operations
  the one with the fewest factors, has the factors of the defect among those that it needs. For lengths and limits its
  purpose, element type or rule tells; for windows the parameter or the size that makes the edge, or that the plain
  layer departs.
- Cases of lengths are those of large outputs as well. Sums, sweeps and other layers of more than 20,000 elements
  are left out, and so not counted.
- A declaration is wrong that names an operation set which OpenVINO does not have: caught is an error, named one
  that tells the operation and the set. A sweep over sizes is asked of a device that is wrong at some sizes: named
  are exactly these.
"""


def render(rows: Sequence[Row], markdown: bool = False) -> str:
    """A line for each kind, then what was not caught, and what was not named; in Markdown a whole page."""
    cells = [["kind", "cases at single", "at pairs", "one of them"]]
    cells[0] += ["defects", "caught by single", "by pairs", "named"]
    for row in rows:
        caught = [each for each in row.found if each.is_caught]
        example = f"`{row.example}`" if markdown and row.example else row.example
        cells.append([row.kind, f"{row.single:,}", f"{row.pairs:,}", example])
        by_single = sum(each.by_single for each in row.found)
        cells[-1] += [
            str(len(row.found)),
            _share(by_single, len(row.found)),
            _share(len(caught), len(row.found)),
            _share(sum(each.is_named for each in caught), len(caught)),
        ]
    not_caught = [(row, each) for row in rows for each in row.found if not each.is_caught]
    not_named = [
        (row, each) for row in rows for each in row.found if each.is_caught and not each.is_named
    ]
    lists = {
        title: [f"{row.kind}: {each.plant}: {each.why or 'no case'}" for row, each in found]
        for title, found in (("Not caught", not_caught), ("Not named", not_named))
    }
    text = table_text(cells, lists, markdown)
    return f"{TITLE}\n{text}" if markdown else text


def _share(count: int, of: int) -> str:
    return f"{count / of:.1%}" if of else "-"


def is_enough(rows: Sequence[Row]) -> bool:
    """Whether of each kind so many defects are caught and named as the project asks."""
    for row in rows:
        caught = sum(each.is_caught for each in row.found)
        named = sum(each.is_named for each in row.found)
        if caught < REQUIRED * len(row.found) or named < REQUIRED * caught:
            return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.planted.crossing_trial",
        description="Plant defects of each kind of crossing, and see whether the cases catch and name them.",
    )
    parser.add_argument(
        "operations", metavar="OPERATION", nargs="*", help="such as Gather-8; default all"
    )
    parser.add_argument(
        "--each", metavar="N", type=int, default=40, help="defects of each kind (default 40)"
    )
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="seed of the draws")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    args = parser.parse_args(arguments)
    if args.each < 1:
        parser.error("argument --each: must be at least 1")
    try:
        operations = list(ir_models.select(args.operations))
    except ir_models.UnknownOperationError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    plants = [plant for kind in KINDS for plant in draw(kind, operations, args.each, args.seed)]
    rows = judge(plants, operations)
    rows.append(declarations(operations, args.each, args.seed))
    rows.append(sweeps(operations, args.each, args.seed))
    print(render(rows, args.markdown), flush=True)
    return 0 if is_enough(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
