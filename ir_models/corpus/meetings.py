"""Where several ways of asking meet each other, and layers: constants, neighbours, unknown shapes.

``ir_models.corpus.crossings`` asks a layer in one way after another. Defects also live where two ways meet: a fusion
forgets that a shape may be unknown, or that the constant of a neighbour is no scalar. The product of all of them is
too large, so that covering arrays choose: each row has the levels that meet most others for the first time. Before
depth all the arrays are cut off after so many rows, other ones for each operation, and what is left is counted. At
depth pairs each operation meets every level at least once; what the operations of a category meet between them is in
``ir_models.corpus.shared_pairs``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations, cycle, product
from random import Random
from typing import Any, NamedTuple

from ir_models.asking import values
from ir_models.asking.case import LayerCase
from ir_models.asking.how import HOWS, USUAL, WHOLE_SHAPES, How, levels, way
from ir_models.asking.neighbours import EXACT_BEFORE, FIRST, NEIGHBOURS, OF_UNKNOWN, WITH_CONSTANT
from ir_models.asking.operands import MOST_AXES, NUMBERS, SHAPES, SIZED
from ir_models.corpus.crossings import Dropped, data_ports, declared_at, takes_any_number
from ir_models.corpus.shared_pairs import SharedPairs
from ir_models.vocabulary.element_types import ElementType, f64, i64, u64
from ir_models.vocabulary.operation import Operation
from reference import MissingReferenceError, is_determined

# Layers of more elements take too long to meet so much.
MOST_ELEMENTS = 20_000
# Rows of a covering array at most, of those that are asked before depth all; and of those for the plain layer alone.
_MOST_ROWS = {"constants": 12}
_OF_PLAIN = 14
_OF_EQUAL_SIZES = 12
_WITH_WEIGHTS = ("matrix", "convolution")


class _Row(NamedTuple):
    """The factors of an array whose levels depth pairs meets, and those that no row is without."""

    met: tuple[str, ...]
    needed: tuple[str, ...]


_ROWS = {
    "arithmetic": _Row(("neighbours", "operand", "number"), ("neighbours", "operand")),
    "beside": _Row(("neighbours", "shape", "also", "twice"), ("neighbours",)),
    "special": _Row(("values", "given"), ("values", "given")),
    "ends": _Row(("values", "given"), ("values", "given")),
}
_TRIES = 3
# Purposes whose layers are one level: they take turns.
_KINDS = (
    ("plain",),
    ("type",),
    ("rank",),
    ("dim-0", "dim-1", "tiny"),
    ("example", "left-out", "enumeration", "index-type"),
    (),  # variants
)

# Every layer meets them alone.
_ALONE = {(side, name) for side in ("before", "behind") for name in FIRST}
_ALONE |= {("shape", name) for name in WHOLE_SHAPES}

_OF_EMPTY = (
    How(data="constant"),
    How(shape="dims"),
    How(behind="concat"),
    How(behind="reduce-max-keep"),
    How(before="slice"),
    How(before="split"),
    How(shape="dims", behind="unsqueeze"),
    How(shape="dims", before="transpose"),
)
_SUMS = ("add", "subtract")
ALL_CONSTANT = "all is constant"
"""Why a case is not asked of which nothing is given at run time, and that shows no value of its own."""


_Array = tuple[Callable[[Sequence[LayerCase]], dict[str, list[Any]]], Sequence[LayerCase]]
"""What makes the factors of an array, and the layers that it is of."""


class Meetings:
    """The cases of an operation in which several ways meet. ``dropped`` counts, by reason, what cannot be asked."""

    _what = "meetings"

    def __init__(self, operation: Operation, dropped: Dropped | None = None) -> None:
        self._operation = operation
        self._dropped: Dropped = Counter() if dropped is None else dropped
        self._is_determined = _has_one_answer(operation)
        # The levels of ways that cases of covering arrays have.
        self._met: set[tuple[str, str]] = set()

    def of_plain(self, plain: LayerCase) -> Iterator[LayerCase]:
        """A few cases for the plain layer alone; other operations have other ones."""
        chosen = chosen_layers(self._operation, [plain])
        if not chosen:
            return
        if has_float_output(plain):
            yield from self._of("arithmetic", self._arithmetic(chosen), chosen, _OF_PLAIN // 2)
            yield from self._of("beside", self._beside(chosen), chosen, _OF_PLAIN // 2)
        else:
            yield from self._of("beside", self._beside(chosen), chosen, _OF_PLAIN)

    def cases(self, layers: Sequence[LayerCase], is_whole: bool = False) -> Iterator[LayerCase]:
        """The cases for layers that are asked in the usual way, each of them with its purpose.

        ``is_whole``: every array as well, and none is cut off.
        """
        chosen = chosen_layers(self._operation, layers)
        floats = [each for each in chosen if has_float_output(each)]
        arrays: dict[str, _Array] = {
            "arithmetic": (self._arithmetic, floats),
            "beside": (self._beside, chosen),
            "constants": (self._constants, chosen),
            "unknown": (self._unknown, chosen),
            "special": (self._special, [each for each in chosen if _may_have(each, "special")]),
            "ends": (self._ends, [each for each in chosen if _may_have(each, "ends")]),
        }
        few = list(self._few(arrays))
        empty = [each for each in layers if chosen and _is_empty(each)]
        yield from few
        shared = list(
            SharedPairs(self._operation, self._why_not_here).cases([*chosen, *empty], few)
        )
        yield from shared
        seen = {case.id for case in (*few, *shared)}
        for name, (factors, own) in arrays.items() if is_whole else ():
            whole = self._of(name, factors(own), own, None) if own else ()
            yield from (case for case in whole if case.id not in seen)
        yield from self._empty(layers)

    def of_equal_sizes(self, layers: Sequence[LayerCase]) -> Iterator[LayerCase]:
        """Cases for layers in which sizes are equal: where a plugin tells by its size along which axis a constant is.

        Of sums of many terms and layers with weights, with which plugins fuse a bias and a scale, each two levels meet.
        """
        chosen = [each for each in chosen_layers(self._operation, layers) if has_float_output(each)]
        if chosen:
            is_whole = self._operation.sums or self._operation.category in _WITH_WEIGHTS
            most = None if is_whole else _OF_EQUAL_SIZES
            arithmetic = self._arithmetic(chosen)
            factors = {name: arithmetic[name] for name in ("neighbours", "operand", "shape")}
            yield from self._of("equal sizes", factors, chosen, most)

    def _few(self, arrays: Mapping[str, _Array]) -> Iterator[LayerCase]:
        """The cases of depth pairs: some rows of some arrays, and each level of others."""
        for name, most in _MOST_ROWS.items():
            factors, own = arrays[name]
            if own:
                yield from self._of(name, factors(own), own, most)
        for name in _ROWS:
            factors, own = arrays[name]
            if own:
                yield from self._each_level(name, factors(own), own)

    def _each_level(
        self, name: str, factors: dict[str, list[Any]], chosen: Sequence[LayerCase]
    ) -> Iterator[LayerCase]:
        """Cases that meet each level which none has met until now; what else they meet is drawn for each operation.

        A third of them are of the plain layer, a third of other element types. A level that contradicts what it meets
        is tried again, in the end with as little as it takes: alone, then beside one neighbour after another.
        """
        random = Random(f"{self._operation.name} {name} each level")
        factors = {"layer": _by_thirds(chosen, random), **factors}
        tries = dict.fromkeys(self._not_met(name, factors, chosen), 0)
        needed = ("layer", *_ROWS[name].needed)
        contradicted: list[tuple[str, int]] = []
        while tries:
            row = {}
            for factor, levels_ in factors.items():
                # With many ways in one case it is hard to see which of them a device is wrong about.
                is_left_out = factor not in needed and random.random() < 0.5 and not levels_[0]
                wanted = [number for other, number in tries if other == factor]
                row[factor] = 0 if is_left_out else random.choice(wanted or range(len(levels_)))
            tried = [level for level in row.items() if level in tries]
            if not tried:
                tried = [next(iter(tries))]
                row |= tried
            if tries[tried[0]] >= _TRIES:
                row = {each: row[each] for each in needed} | dict(tried[:1])
            found = self._asked(factors, dict.fromkeys(factors, 0) | row)
            kept = set(found[1]) if found else set()
            for level in tried:
                tries[level] += 1
                if level not in kept and tries[level] >= 2 * _TRIES:
                    contradicted.append(level)
                if level in kept or level in contradicted:
                    del tries[level]
            if found is not None and kept & {*tried}:
                self._met.update(found[0].how.pairs)
                yield found[0]
        for factor, number in contradicted:
            layers = range(len(factors["layer"]))
            others = range(len(factors.get("neighbours", "-")))
            for layer, other in product(layers, random.sample(others, len(others))):
                row = {"layer": layer, "neighbours": other, factor: number}
                asked = dict.fromkeys(factors, 0) | {n: i for n, i in row.items() if n in factors}
                found = self._asked(factors, asked, can_give_up=False)
                if found is not None:
                    yield found[0]
                    break

    def _not_met(
        self, name: str, factors: Mapping[str, list[Any]], chosen: Sequence[LayerCase]
    ) -> Iterator[tuple[str, int]]:
        """The levels of an array that depth pairs asks, and that no case of these operations has yet."""
        met = _ALONE | (set() if "values" in factors else self._met)
        # Along another axis than the plain layer has the constant is a scalar.
        met |= {("operand", a) for a in {*levels("shape")} - {*self._axes(_plain_of(chosen))}}
        for factor in _ROWS[name].met:
            for number, level in enumerate(factors[factor]):
                pairs = level.items() if isinstance(level, dict) else [(factor, level)]
                if level and not met.issuperset(pairs):
                    yield factor, number

    def _empty(self, layers: Sequence[LayerCase]) -> Iterator[LayerCase]:
        """Layers without an element: as constants, with neighbours, of unknown shapes. They share the ways."""
        if self._operation.partner or self._operation.role:
            return
        empty = [each for each in layers if _is_empty(each)]
        for number, how in enumerate(_OF_EMPTY):
            first = number % len(empty) if empty else 0
            for each in (*empty[first:], *empty[:first]):
                found = each.asked(how)
                hides = how.behind and NEIGHBOURS[how.behind].loses and not self._is_determined
                if not (found.contradiction or hides) and found.can_be_resized:
                    yield found
                    break

    def _of(
        self,
        name: str,
        factors: dict[str, list[Any]],
        chosen: Sequence[LayerCase],
        most: int | None,
    ) -> Iterator[LayerCase]:
        """The cases of a covering array for these factors, the kind of layer being one; ``most`` rows.

        Of a whole one, where ways had to be given up, what met nowhere meets alone.
        """
        if not factors:
            return
        turns = [cycle(each) for each in _by_kind(chosen)]
        factors = {"layer": turns, **factors}
        met: set[tuple[tuple[str, int], ...]] = set()
        for row in self._rows(name, factors, most):
            found = self._asked(factors, row)
            if found is not None:
                case, kept = found
                met.update(combinations(kept, 2))
                self._met.update(case.how.pairs)
                yield case
        if most is not None:
            return
        fixed = {each: 0 for each, levels_ in factors.items() if len(levels_) == 1}
        ways = [each for each in factors if each != "layer" and each not in fixed]
        for one, two in combinations(ways, 2):
            for i, j in product(range(len(factors[one])), range(len(factors[two]))):
                is_way = factors[one][i] and factors[two][j]
                if is_way and ((one, i), (two, j)) not in met:
                    found = self._asked(factors, fixed | {one: i, two: j}, can_give_up=False)
                    if found is not None:
                        yield found[0]

    def _rows(
        self, name: str, factors: Mapping[str, list[Any]], most: int | None
    ) -> Iterator[dict[str, int]]:
        """The level of each factor in each row of a covering array; pairs of levels that are left are counted."""
        counts = {each: len(levels_) for each, levels_ in factors.items() if len(levels_) > 1}
        rows, left = covering_rows(counts, most, f"{self._operation.name} {name}")
        if left:
            self._dropped[f"{self._what}: the covering array is cut off"] += left
        yield from (dict.fromkeys(factors, 0) | row for row in rows)

    def _asked(
        self, factors: Mapping[str, list[Any]], row: Mapping[str, int], can_give_up: bool = True
    ) -> tuple[LayerCase, list[tuple[str, int]]] | None:
        """The next layer in the ways of a row, and the levels that it has; None where it cannot be asked.

        A way is given up that contradicts the layer, or another one.
        """
        case = next(factors["layer"][row.get("layer", 0)])
        levels_of = {n: i for n, i in row.items() if n != "layer" and factors[n][i]}
        why = ""
        for left_out in (None, *levels_of) if can_give_up else (None,):
            kept = {name: i for name, i in levels_of.items() if name != left_out}
            how = way_of({name: factors[name][i] for name, i in kept.items()})
            if how == USUAL:
                continue
            reason = self._why_not_here(LayerCase(case.layer, case.purpose, how))
            if not reason:
                return case.asked(how), [(n, kept[n]) for n in factors if n in kept]
            why = why or reason
        self._dropped[f"{self._what}: {why or 'the usual way'}"] += 1
        return None

    def _why_not_here(self, case: LayerCase) -> str:
        """Like ``why_not``: what constants with sizes of unknown data meet is in ``ir_models.corpus.unknown``."""
        if case.how.shape and case.how.operand in SIZED:
            return "a constant that has sizes of unknown data"
        return self.why_not(case)

    def why_not(self, case: LayerCase) -> str:
        """Why a case cannot be asked, empty where it can. A layer is asked again and again."""
        known: dict[How, str] = case.layer.derived.setdefault("why not", {})
        if case.how not in known:
            known[case.how] = self._why_not(case)
        return known[case.how]

    def _why_not(self, case: LayerCase) -> str:
        how, layer = case.how, case.layer
        if case.contradiction:
            return case.contradiction
        if case.is_constant and (how.data != "constant" or not how.values):
            return ALL_CONSTANT
        if how.values and not _may_have(case, how.values):
            return "the values are for other types"
        if how.before and not self._takes(case):
            return "the input does not take every number"
        if how.before in _SUMS and case.constants:
            return "a device may add up constants first, which rounds in another way"
        hides = how.behind and (NEIGHBOURS[how.behind].loses or how.operand or how.number)
        if (hides or how.also) and not self._is_determined:
            return "it would hide which output was chosen"
        if how.twice:
            ports = [port for pair in case.fed_by.items() for port in pair]
            names = [declared_at(layer, port) for port in ports]
            if not all(values.takes_any(each, layer) for each in names):
                return "the inputs take different numbers"
        return "" if case.can_be_resized else "the dimension cannot change"

    def _takes(self, case: LayerCase) -> bool:
        """Whether the input takes what the layer before it gives."""
        neighbour, port = NEIGHBOURS[case.how.before], case.before_port
        assert port is not None
        changes = case.how.before in EXACT_BEFORE and neighbour.fed is None
        if not (neighbour.is_clipping or changes or case.how.operand or case.how.number):
            return True
        declared = declared_at(case.layer, port)
        kind = case.layer_tensors[port].element_type
        return takes_any_number(declared, case.layer, kind)

    # --- factors ------------------------------------------------------------------------------------------------------

    def _arithmetic(self, chosen: Sequence[LayerCase]) -> dict[str, list[Any]]:
        """Layers with a constant before and behind, which has each shape and each number."""
        none = set(levels("shape")) - set(self._axes(chosen))
        return {
            "neighbours": [
                *({"behind": name} for name in WITH_CONSTANT),
                *({"before": name} for name in EXACT_BEFORE),
                {"before": "multiply", "behind": "multiply"},
            ],
            "operand": ["", *(each for each in SHAPES if each not in none)],
            "number": ["", *NUMBERS],
            "given": self._given(chosen),
            "shape": ["", "dims", "bounds"],
        }

    def _beside(self, chosen: Sequence[LayerCase]) -> dict[str, list[Any]]:
        """Each layer before and behind, also of unknown shapes; other readers, one tensor twice."""
        outputs = {k for each in chosen for k in self._operation.output_types(each.layer)}
        inputs = {t.element_type for each in chosen for t in each.layer_tensors if t}
        return {
            "neighbours": [
                {},
                *({"behind": name} for name in levels("behind") if self._is_of(name, outputs)),
                *(
                    {"before": name}
                    for name in levels("before")
                    if name not in OF_UNKNOWN and self._is_of(name, inputs)
                ),
                {"before": "multiply", "behind": "multiply"},
                {"before": "slice", "behind": "keep-two"},
                {"before": "transpose", "behind": "reduce-max"},
            ],
            "given": self._given(chosen),
            "shape": ["", "dims", "bounds", *self._axes(chosen)[:4]],
            "also": ["", *HOWS["also"]],
            "twice": ["", *HOWS["twice"]] if self._has_two_inputs(chosen) else [""],
        }

    def _unknown(self, chosen: Sequence[LayerCase]) -> dict[str, list[Any]]:
        """One dimension unknown beside known ones, and all of them, in layers of each kind; with constants."""
        return {
            "shape": ["", "dims", *self._axes(chosen), "bounds"],
            "given": self._given(chosen),
            "index": ["", *(HOWS["index"] if self._operation.takes_values_at_run_time else ())],
            "also": ["", "both"],
        }

    def _axes(self, chosen: Sequence[LayerCase]) -> list[str]:
        rank = max((t.rank for each in chosen for t in each.layer_tensors if t), default=0)
        return [f"axis-{axis}" for axis in range(min(rank, MOST_AXES))]

    def _constants(self, chosen: Sequence[LayerCase]) -> dict[str, list[Any]]:
        """What is constant, each with a layer before and behind."""
        given = self._given(chosen)
        behind = "multiply" if any(map(has_float_output, chosen)) else "unsqueeze"
        neighbours = [{"behind": behind}, {"before": "transpose"}]
        return {"given": given[1:], "neighbours": neighbours} if len(given) > 1 else {}

    def _special(self, chosen: Sequence[LayerCase]) -> dict[str, list[Any]]:
        """Special values in constants, which are computed with before a device runs, and beside constants."""
        return self._values(chosen, ["special"])

    def _ends(self, chosen: Sequence[LayerCase]) -> dict[str, list[Any]]:
        """Like ``_special``, for integers, and for numbers that no type of 32 bits holds."""
        has_large = any(_may_have(each, "large") for each in chosen)
        return self._values(chosen, ["ends", *(["large"] if has_large else [])])

    def _values(self, chosen: Sequence[LayerCase], values_: Sequence[str]) -> dict[str, list[Any]]:
        kinds = {t.element_type for each in chosen for t in each.layer_tensors if t}
        behind = ["", "concat", "to-boolean"]
        return {
            "values": list(values_),
            "given": [{"data": "constant"}, *self._given(chosen)],
            "behind": [name for name in behind if not name or self._is_of(name, kinds)],
        }

    def _is_of(self, name: str, kinds: Collection[ElementType]) -> bool:
        """Whether a neighbour takes one of these types, and shows which output was chosen."""
        neighbour = NEIGHBOURS[name]
        is_hidden = neighbour.loses and not self._is_determined
        return not is_hidden and any(kind in neighbour.types for kind in kinds)

    def _given(self, chosen: Sequence[LayerCase]) -> list[dict[str, str]]:
        """Which data is constant: none, all but the first, each input alone."""
        names = list(dict.fromkeys(n for each in chosen for n in data_ports(each.layer)))
        if len(names) < 2:
            return [{}]
        found = [{"constant": name} for name in names]
        return [{}, *([{"data": "first"}] if len(names) > 2 else []), *found]

    def _has_two_inputs(self, chosen: Sequence[LayerCase]) -> bool:
        return any(
            not LayerCase(each.layer, "", How(twice="plain")).contradiction for each in chosen
        )


def covering_rows(
    counts: Mapping[str, int], most: int | None, seed: str
) -> tuple[list[dict[str, int]], int]:
    """The rows of a covering array of strength 2, and how many pairs of levels meet in none of them.

    At ``most`` so many rows: the first ones. ``counts`` has the number of levels of each factor. A row takes the level
    of one factor after another that meets most for the first time, and among these the one that was taken least.
    """
    random, names = Random(seed), list(counts)
    left: set[tuple[tuple[str, int], tuple[str, int]]] = {
        ((one, i), (two, j))
        for one, two in combinations(names, 2)
        for i in range(counts[one])
        for j in range(counts[two])
    }
    open_pairs = Counter(level for pair in left for level in pair)
    taken: Counter[tuple[str, int]] = Counter()
    rows: list[dict[str, int]] = []
    while left and (most is None or len(rows) < most):
        row: dict[str, int] = {}
        # The factors of many levels first: what is left of them decides how many rows there are.
        for name in sorted(names, key=lambda each: (-counts[each], random.random())):
            met = {
                i: sum(
                    (((other, j), (name, i)) in left) or (((name, i), (other, j)) in left)
                    for other, j in row.items()
                )
                for i in range(counts[name])
            }
            row[name] = max(
                met,
                key=lambda i: (
                    met[i],
                    -taken[name, i],
                    open_pairs[name, i],
                    random.random(),
                ),
            )
        for one, two in combinations(names, 2):
            pair = (one, row[one]), (two, row[two])
            if pair in left:
                left.remove(pair)
                open_pairs.subtract(pair)
        taken.update(row.items())
        rows.append({name: row[name] for name in names})
    return rows, len(left)


def way_of(row: Mapping[str, Any]) -> How:
    """The way of asking of a row."""
    chosen: dict[str, str] = {}
    for name, level in row.items():
        if isinstance(level, dict):
            chosen |= level
        elif level:
            chosen[name] = level
    return way(**chosen)


def _may_have(case: LayerCase, level: str) -> bool:
    """Whether an input that may have any number is of a type for which there are such values."""
    kinds = {
        t.element_type
        for declared in case.operation.inputs
        if values.takes_any(declared, case.layer)
        for t in case.layer.tensors(declared.name)
        if t.value is None
    }
    wanted = {
        "special": lambda kind: kind.is_float,
        "ends": lambda kind: not kind.is_float,
        "large": lambda kind: kind in (i64, u64, f64),
    }[level]
    return any(map(wanted, kinds))


def has_float_output(case: LayerCase) -> bool:
    """Whether arithmetic with a constant can stand behind the layer."""
    taken = NEIGHBOURS["multiply"].types
    return any(kind in taken for kind in case.operation.output_types(case.layer))


def _has_one_answer(operation: Operation) -> bool:
    """Like ``is_determined``; not known of an operation that is declared and has no reference yet."""
    try:
        return is_determined(operation.name)
    except MissingReferenceError:
        return False


def _is_empty(case: LayerCase) -> bool:
    """Whether no input that is given at run time has an element."""
    given = [t for t in case.layer_tensors if t is not None and t.value is None]
    return bool(given) and case.how == USUAL and not any(t.size for t in given)


def chosen_layers(operation: Operation, layers: Sequence[LayerCase]) -> list[LayerCase]:
    """The layers that are small enough and given data at run time, each once."""
    if operation.partner or operation.role or operation.keeps_state:
        return []
    found: dict[str, LayerCase] = {}
    for each in layers:
        size = sum(t.size for t in each.layer_tensors if t is not None)
        if each.how == USUAL and size <= MOST_ELEMENTS and not each.is_constant:
            found.setdefault(each.id.split("/", 2)[2], each)
    return list(found.values())


def _plain_of(chosen: Sequence[LayerCase]) -> Sequence[LayerCase]:
    return [each for each in chosen if each.purpose == "plain"] or chosen[:1]


def _by_thirds(chosen: Sequence[LayerCase], random: Random) -> list[Iterator[LayerCase]]:
    """The plain layer, those of other types, all others; each group begins somewhere."""
    groups: dict[str, list[LayerCase]] = {"plain": [], "type": [], "": []}
    for each in chosen:
        groups[each.purpose if each.purpose in groups else ""].append(each)
    return [cycle(random.sample(each, len(each))) for each in groups.values() if each]


def _by_kind(chosen: Sequence[LayerCase]) -> list[list[LayerCase]]:
    """The layers by kind of their purposes, for kinds that have any."""
    kinds = {purpose: kind for kind in _KINDS for purpose in kind}
    found: dict[tuple[str, ...], list[LayerCase]] = {kind: [] for kind in _KINDS}
    for each in chosen:
        found[kinds.get(each.purpose, ())].append(each)
    return [each for each in found.values() if each]
