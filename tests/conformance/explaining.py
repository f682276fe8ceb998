"""Asks the parts of departing cases that the selection lacks, so that departures can be explained.

A run of some purposes, or of one shard, may have the crossing ``u1 x unknown shapes`` but not ``u1`` alone. Its parts
are asked at the end, when all records are there: then it is known which departures nothing explains, in whichever
process and order they ended, and a resumed run does not ask again. Their records stand among the others, so a part that
departs is a departure of this run, and a merge of shards that all asked it has it once.

Where the first failure ends the run (``-x``), the parts of a departure are run as soon as it is there.

Of a layer of many factors, and of one asked in several ways, that still nothing explains, layers with one or two of
these factors are asked: they show which ones it takes (see ``reports.explaining.naming``).
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product

from msgspec.structs import replace

import ir_models
from devices import NotOpenedError, Runner
from devices.engine import packs
from ir_models import CaseIdError, LayerCase, Operation
from ir_models.asking.how import HOWS, USUAL, How
from ir_models.asking.id_parts import GRAPHS, split_id
from ir_models.asking.neighbours import WITH_CONSTANT
from ir_models.corpus.coverings import Covering
from ir_models.corpus.meetings import ALL_CONSTANT, Meetings
from ir_models.corpus.named import without_effect
from ir_models.vocabulary.layers import plain_layer
from reports.results.explained.alike import kind_of
from reports.results.explained.explanations import OF_MANY_FACTORS, explained, may_be_explained
from reports.results.explained.factors import (
    Factors,
    What,
    all_of,
    how_of,
    plain_of,
    what_factors,
)
from reports.results.files.reading import Results, load
from reports.results.records import CaseRecord, Key
from tests.conformance.records import Recorder, record_of
from tests.conformance.selection import SuiteTarget

MOST = 1000
"""Parts that are asked for each device and profile at most; first those of one departure of each kind."""
SECONDS = 120.0
"""After this time no other pack of parts is asked."""

_SINGLE = ("plain", "type", "index-type", "left-out", "enumeration", "rank", "dim-1", "dim-0")


Missing = Callable[[Sequence[CaseRecord]], list[str]]


class Explainer:
    """Runs the missing parts of departures and writes their records, as added ones."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._known: dict[tuple[str, str, str], dict[Key, CaseRecord]] = defaultdict(dict)

    def note(self, record: CaseRecord) -> None:
        """Remember a record, for `is_green`."""
        self._alike(record)[record.key] = record

    def _alike(self, record: CaseRecord) -> dict[Key, CaseRecord]:
        """What is known of the operation of a record."""
        key = (*record.target, record.operation)
        return self._known[key]

    def is_green(self, record: CaseRecord) -> bool:
        """Tell whether a part that is not red explains a pending departure. Raises ResultsError."""
        for runs_parts in (False, True):
            known = self._alike(record)
            if runs_parts:
                for added in self._ask([*known.values()], missing_parts):
                    self.note(added)
            found = {each.key: each for each in explained([*known.values()])}
            part = found.get((found[record.key].explained_by, *record.key[1:]))
            if part is not None:
                return not part.gate.is_red
        return False

    def finish(self, *, runs_parts: bool) -> Results:
        """Return the results with explained departures, as the results file then has them. Raises ResultsError."""
        # The folder of a departure that a part explains is that of no red case then.
        self._recorder.plan_folders()
        loaded = load(self._recorder.path)
        for missing in (missing_parts, missing_pairs) if runs_parts else ():
            if self._ask(loaded.records, missing):
                loaded = load(self._recorder.path)
        self._recorder.rewrite(loaded.changed)
        return loaded

    def _ask(self, records: Sequence[CaseRecord], missing: Missing) -> list[CaseRecord]:
        found = []
        for record in _asked_parts(self._recorder, records, missing):
            self._recorder.add(record)
            found.append(record)
        return found


def _asked_parts(
    recorder: Recorder, records: Sequence[CaseRecord], missing: Missing
) -> Iterator[CaseRecord]:
    """Yield the records of cases that are missing among those of each target of the run."""
    end = time.monotonic() + SECONDS
    for target in recorder.selection.targets:
        own = [r for r in records if r.target == (target.device, target.profile.name)]
        ids = missing(own)
        if ids:
            yield from _ask(recorder, target, ids, end)


def _ask(
    recorder: Recorder, target: SuiteTarget, ids: Sequence[str], end: float
) -> Iterator[CaseRecord]:
    options = recorder.selection.options
    with Runner(target.device, target.profile, options) as runner:
        for pack in sorted(packs.plan(ids, options.pack_size), key=min):
            if time.monotonic() > end:
                return
            try:
                runner.open()
            except NotOpenedError:
                return  # what departed has told so
            for verdict in runner.judge([ir_models.parse(ids[position]) for position in pack]):
                record, _ = record_of(verdict, target, recorder)
                yield replace(record, added=True)


def missing_parts(records: Sequence[CaseRecord]) -> list[str]:
    """The ids of the cases that could explain departures of one target and have no record, at most MOST."""
    known = {record.case for record in records}
    ranked: list[tuple[int, int, str]] = []
    for name, departures in _unexplained(records).items():
        ranked += _of_operation(ir_models.operation(name), departures, known)
    return list(dict.fromkeys(case for _, _, case in sorted(ranked)))[:MOST]


def missing_pairs(records: Sequence[CaseRecord]) -> list[str]:
    """The ids of missing cases with one or two of the factors, or ways, of departures of many, at most MOST.

    Of each kind of departures of an operation the one with the fewest factors is taken.
    """
    known = {record.case for record in records}
    by_operation: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        by_operation[record.operation].append(record)
    found: dict[str, None] = {}
    for name, departures in _unexplained(records).items():
        plain = plain_of(by_operation[name])
        covering = Covering(ir_models.operation(name))

        def order(record: CaseRecord, plain: What | None = plain) -> tuple[int, int, str]:
            factors = all_of(record, plain)
            return len(factors), len(record.case), record.case

        seen = set()
        for record in sorted(departures, key=order):
            kind = kind_of(record)[0]
            is_of_many = record.purpose in OF_MANY_FACTORS
            if (is_of_many or len(record.how) > 1) and kind not in seen:
                seen.add(kind)
                whole = ir_models.parse_layer(record.case)
                parts = with_fewer_factors(covering, whole) if is_of_many else ()
                for case in (*parts, *with_fewer_ways(whole)):
                    if case.id not in known and _can_be_asked(case.id):
                        found.setdefault(case.id)
    return list(found)[:MOST]


def with_fewer_ways(whole: LayerCase) -> Iterator[LayerCase]:
    """The layer of a case that is asked in several ways, and the plain one, in one or two of them, and in all but one.

    The constant of a neighbour is asked beside other neighbours as well, without which it cannot be. What the plain
    layer cannot be asked, for its type, a layer of another type is.
    """
    ways = dict(whole.how.pairs)
    if len(ways) < 2 or whole.operation.partner:
        return  # a layer with a variable is asked in one way of its state always
    sizes = dict.fromkeys((1, 2, len(ways) - 1))
    chosen = [dict(each) for count in sizes for each in combinations(ways.items(), count)]
    for side, factor in product(("before", "behind"), ("operand", "number")):
        if side in ways and factor in ways:
            chosen += [{side: other, factor: ways[factor]} for other in WITH_CONSTANT]
    plain = LayerCase(plain_layer(whole.operation), "plain")
    meetings = Meetings(whole.operation)
    layers = [plain, whole]
    if not _is_asked(meetings, plain.asked(whole.how)):
        typed = ir_models.cases(whole.operation, ["type"])
        others = (c for c in typed if c.how == USUAL and c.element_types != whole.element_types)
        layers += [c for c in others if _is_asked(meetings, c.asked(whole.how))][:1]
        chosen.append(ways)
    for each, layer in product(chosen, layers):
        case = LayerCase(layer.layer, layer.purpose, How(**each))
        is_valid = all(level in HOWS[name] or name == "constant" for name, level in each.items())
        if is_valid and case.id != whole.id and _is_asked(meetings, case):
            yield case


def _is_asked(meetings: Meetings, case: LayerCase) -> bool:
    """Whether a case can be asked; that all is constant, so that it may be folded, is no reason against a part."""
    return meetings.why_not(case) in ("", ALL_CONSTANT)


def with_fewer_factors(covering: Covering, whole: LayerCase) -> Iterator[LayerCase]:
    """The cases with one or two factors of a layer of many, asked as usual and as the whole case is."""
    for layer in covering.parts(whole.layer, 2):
        for how in dict.fromkeys((USUAL, whole.how)):
            case = LayerCase(layer, "covering", how)
            if not case.contradiction:
                yield case


def _can_be_asked(case: str) -> bool:
    try:
        ir_models.parse(case)
    except CaseIdError:
        return False
    return True


def _unexplained(records: Sequence[CaseRecord]) -> dict[str, list[CaseRecord]]:
    """The unexpected departures that parts of them could explain, by operation."""
    found: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        # The parts of a graph are graphs of its pattern, which are in its purpose.
        if record.purpose != GRAPHS and record.gate.is_red and may_be_explained(record):
            found[record.operation].append(record)
    return found


def _of_operation(
    operation: Operation, departures: Sequence[CaseRecord], known: set[str]
) -> Iterator[tuple[int, int, str]]:
    """Missing parts: how many departures of the kind come before, the number of factors, and the id."""
    singles = list(ir_models.cases(operation, _SINGLE))
    if not singles:
        return
    plain = _what(singles[0])
    layers: dict[Factors, LayerCase] = {}
    for each in singles:
        if not str(each.how):
            layers.setdefault(_factors(each, plain), each)
    seen: Counter[object] = Counter()
    for record in sorted(departures, key=lambda each: (len(each.case), each.case)):
        kind = kind_of(record)[0]
        for number, case in _parts(record, layers, plain):
            if case not in known:
                yield seen[kind], number, case
        seen[kind] += 1


def _parts(
    record: CaseRecord, layers: Mapping[Factors, LayerCase], plain: What
) -> Iterator[tuple[int, str]]:
    """The parts of a case with the number of their factors: what alone, single factors of it, and these in its ways."""
    case = ir_models.parse_layer(record.case)
    whole = _factors(case, plain)
    ways = [f"{name}={level}" for name, level in record.how.items()]
    hows = list(dict.fromkeys(["", *ways, ",".join(ways)]))
    if record.how:
        yield len(whole.what), LayerCase(case.layer, case.purpose).id
    if record.purpose == "invalid":
        return
    for factors, layer in layers.items():
        if not factors.what <= whole.what:
            continue
        for how in hows:
            asked = _asked(layer, how)
            if asked is None:
                continue
            part = _factors(asked, plain)
            if part != whole and part.what <= whole.what:
                yield part.number, asked.id


def _what(case: LayerCase) -> What:
    """What a case asks, as its record would say it."""
    parts = split_id(case.id)
    return What(case.purpose, tuple(parts.inputs), tuple(parts.parameters.items()))


def _factors(case: LayerCase, plain: What) -> Factors:
    """The factors of a case, as those of its record."""
    return Factors(what_factors(_what(case), plain), how_of(split_id(case.id).how))


def _asked(layer: LayerCase, how: str) -> LayerCase | None:
    """A layer asked in a way; None where it cannot be, or where the way changes nothing."""
    if not how:
        return layer
    case = f"{layer.id}{'' if layer.id.count('/') > 2 else '/-'}/{how}"
    try:
        found = ir_models.parse_layer(case)
    except CaseIdError:
        return None
    # A way that changes nothing is another part under a longer id.
    return found if next(without_effect(found), None) is None else None
