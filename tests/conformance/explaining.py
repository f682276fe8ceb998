"""Asks the parts of departing cases that the selection lacks, so that departures can be explained.

A run of some purposes, or of one shard, may have the crossing ``u1 x unknown shapes`` but not ``u1`` alone. Its parts
are asked at the end, when all records are there: then it is known which departures nothing explains, in whichever
process and order they ended, and a resumed run does not ask again. Their records stand among the others, so a part that
departs is a departure of this run, and a merge of shards that all asked it has it once.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import ir_models
from devices import NotOpenedError, Runner, packs
from ir_models import Case, CaseIdError, Operation
from reports.alike import kind_of
from reports.explaining import may_be_explained
from reports.factors import Factors, What, factors_of, what_of
from reports.outcomes import Gate
from reports.records import CaseRecord
from tests.conformance.records import Recorder, record_of
from tests.conformance.selection import Target

MOST = 1000
"""Parts that are asked for each device and profile at most; first those of one departure of each kind."""
SECONDS = 120.0
"""After this time no other pack of parts is asked."""

_SINGLE = ("plain", "type", "index-type", "left-out", "enumeration", "rank", "dim-1", "dim-0")


def ask_parts(recorder: Recorder, records: Sequence[CaseRecord]) -> Iterator[CaseRecord]:
    """Yield the records of the parts that are missing, of all targets of the run."""
    end = time.monotonic() + SECONDS
    for target in recorder.selection.targets:
        own = [r for r in records if r.target == (target.device, target.profile.name)]
        ids = missing_parts(own)
        if ids:
            yield from _ask(recorder, target, ids, end)


def _ask(
    recorder: Recorder, target: Target, ids: Sequence[str], end: float
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
                yield record


def missing_parts(records: Sequence[CaseRecord]) -> list[str]:
    """The ids of the cases that could explain departures of one target and have no record, at most MOST."""
    by_operation: dict[str, list[CaseRecord]] = defaultdict(list)
    for record in records:
        if record.gate == Gate.DEPARTURE and may_be_explained(record):
            by_operation[record.operation].append(record)
    known = {record.case for record in records}
    ranked: list[tuple[int, int, str]] = []
    for name, departures in by_operation.items():
        ranked += _of_operation(ir_models.operation(name), departures, known)
    return list(dict.fromkeys(case for _, _, case in sorted(ranked)))[:MOST]


def _of_operation(
    operation: Operation, departures: Sequence[CaseRecord], known: set[str]
) -> Iterator[tuple[int, int, str]]:
    """Missing parts: how many departures of the kind come before, the number of factors, and the id."""
    singles = list(ir_models.cases(operation, _SINGLE))
    if not singles:
        return
    plain = what_of(singles[0].id, str(singles[0].how))
    layers: dict[Factors, Case] = {}
    for each in singles:
        if not str(each.how):
            layers.setdefault(factors_of(each.id, "", plain), each)
    seen: Counter[object] = Counter()
    for record in sorted(departures, key=lambda each: (len(each.case), each.case)):
        kind = kind_of(record)[0]
        for number, case in _parts(record, layers, plain):
            if case not in known:
                yield seen[kind], number, case
        seen[kind] += 1


def _parts(
    record: CaseRecord, layers: Mapping[Factors, Case], plain: What
) -> Iterator[tuple[int, str]]:
    """The parts of a case with the number of their factors: what alone, single factors of it, and these in its ways."""
    whole = factors_of(record.case, record.how, plain)
    hows = ["", *record.how.split(","), record.how] if record.how else [""]
    if record.how:
        yield (
            len(whole.what),
            record.case.removesuffix(record.how).removesuffix("/").removesuffix("/-"),
        )
    if record.purpose == "invalid":
        return
    for factors, layer in layers.items():
        if not factors.what <= whole.what:
            continue
        for how in dict.fromkeys(hows):
            case = _asked(layer, how)
            part = factors_of(case, how, plain) if case else whole
            if part != whole and part.what <= whole.what:
                yield part.number, case


def _asked(layer: Case, how: str) -> str:
    """The id of a layer asked in a way; "" where it cannot be."""
    if not how:
        return layer.id
    case = f"{layer.id}{'' if layer.id.count('/') > 2 else '/-'}/{how}"
    try:
        return ir_models.parse(case).id
    except CaseIdError:
        return ""
