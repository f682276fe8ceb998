"""Plants faults in the results of a run, and sees whether the gate finds them.

In every case that conforms: one wrong element, all elements wrong, a wrong shape, a refusal, a crash. In every known
failure: all elements wrong. The planted outputs go through the suite's own judge, the verdicts through its gate. The
gate may hold the results for those of another run: another release, other kernels, another profile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from devices.engine.layers import PreparedLayer
from devices.engine.verdicts.judging import judge_reply
from devices.engine.verdicts.narrowing import within_f32
from devices.process.protocol import Reply, TensorData
from ir_models import ELEMENT_TYPES, CaseIdError, UnknownOperationError, parse_layer
from reference import Expected
from reference.accuracy import PRECISIONS
from reports.gate import baseline_files, causes
from reports.gate.decision import GateTarget, target_of, targets_of
from reports.results.facts_of_departures import Facts
from reports.results.files.reading import Results, leaf_headers
from reports.results.outcomes import Gate, Outcome
from reports.results.records import CaseRecord, WorstElement
from reports.results.shared.text import count

LARGEST = 2_000_000
"""Elements of a case's inputs at most: what larger ones show, smaller ones do."""

KNOWN_SHARE = 0.2
"""The largest share of known failures in which entirely wrong outputs may stay unseen."""

OTHER_RUN_SHARE = 0.01
"""The largest share of faults that may stay unseen where the run is not the one of the baseline."""


@dataclass
class Row:
    """What was planted in the cases of one operation, and what stayed unseen."""

    planted: int = 0
    unseen: list[str] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)
    """Unseen where the outcome changes from run to run."""
    known: int = 0
    known_unseen: list[str] = field(default_factory=list)


class Planting:
    """Judges planted verdicts as a run does: by the baseline and the causes.

    ``other`` are fields of a `Run` that differ from those of the results.
    """

    def __init__(
        self, results: Results, baseline: Path | None = None, other: Mapping[str, Any] | None = None
    ) -> None:
        self.results = results
        self.is_other = bool(other)
        known = causes.load()
        given = baseline_files.read(baseline, known.nondeterministic) if baseline else None
        self._targets: dict[tuple[str, str], GateTarget] = {}
        for header in leaf_headers(results.runs):
            self._targets |= targets_of(header, known, given)
        for key, target in [*self._targets.items()] if other else ():
            run = replace_fields(target.run, **(other or {}))
            folder = None if given else baseline_files.nearest(run)
            base = baseline_files.read_folder(folder) if folder else target.baseline
            self._targets[key] = target_of(run, base, known)

    def gate(self, record: CaseRecord) -> Gate:
        """What the gate decides of a record."""
        return self._targets[record.target].decide(record).gate

    def _is_by_chance(self, record: CaseRecord) -> bool:
        target = self._targets[record.target]
        known, _ = target.known(record)
        line = known.line if known else None
        cause = target.causes.name(record, target.run)
        return bool(line and line.is_nondeterministic) or bool(cause and cause.nondeterministic)

    def rows(self, records: Iterable[CaseRecord]) -> dict[str, Row]:
        """The table of some records by operation."""
        rows: dict[str, Row] = defaultdict(Row)
        for record in records:
            row = rows[record.operation]
            if record.conforms:
                for planted in self._in_conforming(record):
                    row.planted += 1
                    if not self.gate(planted).is_red:
                        unseen = row.unstable if self._is_by_chance(planted) else row.unseen
                        unseen.append(f"{planted.case}  {planted.outcome}: {planted.detail}")
            elif record.outcome is Outcome.FAIL and self.gate(record) is Gate.KNOWN:
                for planted in _all_wrong(record):
                    row.known += 1
                    if not self.gate(planted).is_red:
                        row.known_unseen.append(planted.case)
        return rows

    def _in_conforming(self, record: CaseRecord) -> Iterator[CaseRecord]:
        crash = Facts(stage="infer", kind="signal", signal="SIGSEGV", rule=record.facts.rule)
        yield replace(record, outcome=Outcome.CRASH, facts=crash, detail="planted")
        if record.purpose == "invalid":
            accepted = Facts(kind="accepted", rule=record.facts.rule)
            yield replace(
                record, outcome=Outcome.ACCEPTED_INVALID, facts=accepted, detail="planted"
            )
            return
        refusal = Facts(stage="compile", kind="message", message="planted")
        yield replace(record, outcome=Outcome.REFUSED, facts=refusal, detail="planted")
        shape = Facts(kind="shape", output=0)
        yield replace(record, outcome=Outcome.FAIL, facts=shape, detail="planted: shape")
        yield from _one_wrong(record)
        yield from _all_wrong(record)


def _one_wrong(record: CaseRecord) -> Iterator[CaseRecord]:
    yield from _with_wrong(record, everywhere=False)


def _all_wrong(record: CaseRecord) -> Iterator[CaseRecord]:
    yield from _with_wrong(record, everywhere=True)


def _with_wrong(record: CaseRecord, *, everywhere: bool) -> Iterator[CaseRecord]:
    """The record of the case if its outputs were wrong; none where it has no output to be wrong in."""
    prepared = _prepared(record)
    if prepared is None:
        return
    case = prepared.case
    types = [t.name for t in case.output_types]
    actual = [
        [TensorData.of(_in_type(e.value, t), t) for e, t in zip(outputs, types, strict=True)]
        for outputs in prepared.expected
    ]
    first = prepared.expected[0]
    index = next((k for k, each in enumerate(first) if each.value.size), None)
    if index is None:
        return
    changed = False
    errors = _errors_of_f32(prepared)
    for k in range(index, len(first)) if everywhere else (index,):
        wrong, chosen = _wrong(first[k], types[k], everywhere, errors[k])
        actual[0][k] = TensorData.of(wrong, types[k])
        changed = changed or bool(chosen.any())
    # What is inferred at reading is of results, of which variables are none.
    results = types[: len(case.result_types)]
    inferred = [
        (t, f"[{','.join(map(str, e.value.shape))}]") for e, t in zip(first, results, strict=False)
    ]
    if case.how.shape:
        inferred = [(t, "[...]") for t in results]
    if not changed:
        return  # The page fixes no element: the shape is all that can be wrong.
    reply = Reply(inferred=inferred, outputs=actual)
    verdict = judge_reply(prepared, reply, record.device, "")
    compared = verdict.comparison
    worst = None
    if compared is not None and compared.index is not None:
        worst = WorstElement(index=compared.index, actual=compared.actual)
    yield replace(
        record,
        outcome=verdict.outcome,
        facts=verdict.facts,
        detail=verdict.detail,
        fraction=compared.fraction if compared else None,
        worst=worst,
        wrong=compared.wrong if compared else None,
        relative_error=compared.relative_error if compared else None,
        elements=compared.of if compared else None,
        digest=verdict.digest,
    )


def _errors_of_f32(prepared: PreparedLayer) -> list[np.ndarray]:
    """How far a device that converts f64 to f32 may be off, by output; 0 where it has no f64.

    That is a cause of its own, which an error of its size looks like.
    """
    first = prepared.expected[0]
    none = [np.zeros(each.value.shape) for each in first]
    if not any(map(_is_f64, prepared.inputs[0])):
        return none
    with np.errstate(all="ignore"):
        try:
            narrowed = prepared.outputs_for("f32", within_f32)[0]
        except (ValueError, ArithmeticError):
            return none  # No answer for numbers of f32, so that no answer is taken for one.
        errors = []
        for own, other, zero in zip(first, narrowed, none, strict=True):
            if own.value.shape != other.value.shape or not _is_f64(own.value):
                errors.append(zero)
                continue
            bound = np.broadcast_to(0.0 if other.bound is None else other.bound, zero.shape)
            error = np.abs(own.value - other.value) + 8 * bound
            errors.append(np.where(np.isfinite(error), error, 0.0))
    return errors


def _is_f64(values: np.ndarray | None) -> bool:
    return values is not None and values.dtype == np.float64


def _prepared(record: CaseRecord) -> PreparedLayer | None:
    try:
        case = parse_layer(record.case)
    except (CaseIdError, UnknownOperationError):
        return None
    sizes = (tensor.size for _, tensor in case.layer.ports() if tensor is not None)
    return PreparedLayer(case, 0) if sum(sizes) <= LARGEST else None


def _in_type(value: np.ndarray, kind: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        typed: np.ndarray = value.astype(ELEMENT_TYPES[kind].dtype, copy=False)
    return typed


def _wrong(
    expected: Expected, kind: str, everywhere: bool, error: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The expected output with one element, or all, that no bound admits, and which; open elements stay.

    ``error`` is what a known cause may add to the bound.
    """
    # NumPy makes a scalar of an array without dimensions here and there, which no element can be written to.
    value: np.ndarray = np.array(_in_type(expected.value, kind))
    bound = 0.0 if expected.bound is None else expected.bound
    bound = np.broadcast_to(np.asarray(bound, np.float64), value.shape)
    # Of random numbers only the distribution is fixed: a test of all elements together must see it.
    chosen = np.isfinite(bound) | expected.is_random
    for other in expected.others:
        limit = 0.0 if other.bound is None else other.bound
        chosen &= np.isfinite(np.broadcast_to(np.asarray(limit, np.float64), value.shape))
    everywhere = everywhere or expected.is_random
    if not everywhere and chosen.any():
        only = np.zeros(value.shape, bool)
        only[np.unravel_index(int(np.argmax(chosen)), value.shape)] = True
        chosen = only
    with np.errstate(over="ignore"):
        away = np.where(np.isfinite(bound), bound, 0.0) + error
    value[chosen] = np.asarray(_other(value, away, kind))[chosen]
    return value, chosen


# The middle of a format, a value below and one above it.
_FAR_APART: dict[str, tuple[float, float, float]] = {
    "nf4": (0.0, -1.0, 1.0),
    "f8e8m0": (1.0, 2.0**-100, 2.0**100),
}


def _other(value: np.ndarray, bound: np.ndarray, kind: str) -> np.ndarray:
    """Values that differ from the expected ones by far more than the bound, which is finite."""
    element_type = ELEMENT_TYPES[kind]
    if element_type.kind == "string":
        return np.array([f"{text}?" for text in value.reshape(-1)], object).reshape(value.shape)
    if element_type.kind == "boolean":
        return ~value
    if element_type.is_integer:
        low, high = element_type.integer_range
        half = (high - low) // 2
        # Python's integers: those of 64 bits do not overflow.
        far = [n - half if n - half >= low else n + half for n in map(int, value.reshape(-1))]
        return np.array(far, object).astype(value.dtype).reshape(value.shape)
    wide = value.astype(np.float64)
    with np.errstate(all="ignore"):
        finite = np.where(np.isfinite(wide), wide, 0.0)
        away = np.abs(finite) + 8 * bound + 1
        moved = np.where(finite > 0, finite - 2 * away, finite + 2 * away)
        if kind in _FAR_APART:
            # Neither format holds what is computed below.
            middle, below, above = _FAR_APART[kind]
            return np.asarray(np.where(wide > middle, below, above).astype(value.dtype))
        largest = PRECISIONS[kind].largest
        # Where the range ends before, the other end of it.
        inside = np.abs(moved) <= largest
        moved = np.where(inside, moved, np.where(finite > 0, -largest, largest))
        return np.asarray(moved.astype(value.dtype))


def render(rows: dict[str, Row]) -> str:
    """The table, then what stayed unseen."""
    lines = []
    for name, row in sorted(rows.items()):
        lines.append(
            f"{name:28} planted {row.planted:6,}  unseen {len(row.unseen):4,}  "
            f"known failures {row.known:5,}  unseen {len(row.known_unseen):4,}"
        )
    planted = sum(row.planted for row in rows.values())
    unseen = [text for row in rows.values() for text in row.unseen]
    failures = sum(row.known for row in rows.values())
    worse = [text for row in rows.values() for text in row.known_unseen]
    by_chance = [text for row in rows.values() for text in row.unstable]
    lines += [f"unseen: {text}" for text in unseen]
    lines += [f"unstable, unseen: {text}" for text in by_chance]
    lines += [f"known failure, unseen: {text}" for text in worse]
    lines.append(
        f"{count(len(unseen), 'fault')} of {planted:,} planted in passing cases unseen, "
        f"{len(by_chance):,} more in cases whose outcome changes from run to run; "
        f"{len(worse):,} of {failures:,} in known failures"
    )
    return "\n".join(lines)


def passes(rows: Sequence[Row], is_other: bool = False) -> bool:
    """Whether nothing planted in passing cases stayed unseen, and little in known failures.

    ``is_other``: the run is not the one of the baseline, so that a narrow cause may name a few.
    """
    failures = sum(row.known for row in rows)
    worse = sum(len(row.known_unseen) for row in rows)
    unseen = sum(len(row.unseen) + is_other * len(row.unstable) for row in rows)
    most = OTHER_RUN_SHARE * sum(row.planted for row in rows) if is_other else 0
    return unseen <= most and worse <= KNOWN_SHARE * failures
