"""Which part of all cases the results are of: a selection, shards, a run that was cut off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reports.results.files.reading import leaf_headers
from reports.results.records import NOT_ENDED, Header, Selection, on_processor
from reports.results.shared.text import listing, trim

SHOWN = 5
"""Operations and the like that are named; of more the number is told."""

TargetKey = tuple[str, str]


@dataclass
class RunSeries:
    """Runs that asked the same, each a shard or the continuation of one."""

    selection: Selection
    shards: int
    has_ended: dict[int, bool] = field(default_factory=dict)
    """By the shards that there are, whether a run of it came to its end."""
    anywhere: set[int] = field(default_factory=set)
    """The shards that ran on any processor: one machine may do another one's part."""

    @property
    def missing(self) -> list[int]:
        """The shards without a run."""
        # Not a set of all numbers: a file can claim any number of shards.
        return [n for n in range(1, min(self.shards, 1000) + 1) if n not in self.anywhere]

    @property
    def gaps(self) -> str:
        """What is missing of what was asked, in words; empty if nothing is."""
        cut = [n for n, ended in sorted(self.has_ended.items()) if not ended]
        found = []
        if self.missing:
            found.append(f"{_numbered(self.missing)} of {self.shards} missing")
        if cut and self.shards > 1:
            found.append(f"{_numbered(cut)} of {self.shards} cut off")
        elif cut:
            found.append("cut off before its end")
        return ", ".join(found)

    @property
    def restrictions(self) -> str:
        """What restricts the cases that were asked for, in words; empty if nothing does."""
        asked = self.selection
        found = [
            _named(asked.operations, "operation"),
            _named(asked.purposes, "purpose"),
            ", ".join(trim(text, 80) for text in asked.filters[:SHOWN]),
        ]
        return "; ".join(filter(None, found))

    @property
    def text(self) -> str:
        """Both; empty if these are all cases."""
        return "; ".join(filter(None, (self.restrictions, self.gaps)))


def remark(headers: Iterable[Header], targets: Sequence[TargetKey]) -> str:
    """Which part of the cases the results of these targets are, in one phrase; empty for all of them.

    Such as ``Part of the cases: operation Gather-8; shard 2 of 3 missing``.
    """
    found: dict[str, list[TargetKey]] = defaultdict(list)
    for target, questions in _by_target(headers, targets).items():
        texts = [question.text for question in questions]
        if target in targets and texts and all(texts):
            found[" and ".join(dict.fromkeys(texts))].append(target)
    parts = [
        text if len(found) == 1 and len(of) == len(targets) else f"{_target_names(of)}: {text}"
        for text, of in found.items()
    ]
    return f"Part of the cases: {' | '.join(parts)}" if parts else ""


def gaps(headers: Iterable[Header], targets: Sequence[TargetKey]) -> list[str]:
    """What the runs asked for and the results lack, a phrase for each target: missing shards, runs cut off.

    ``targets`` are those of the results: they say whether processors are distinct.
    """
    found: dict[str, list[TargetKey]] = defaultdict(list)
    for target, questions in _by_target(headers, targets).items():
        if all(question.text for question in questions):
            for question in questions:
                if question.gaps:
                    found[question.gaps].append(target)
    return [f"{_target_names(of)}: {text}" for text, of in found.items()]


def _by_target(
    headers: Iterable[Header], targets: Sequence[TargetKey]
) -> dict[TargetKey, list[RunSeries]]:
    """The different questions that each device and profile was asked, and each processor that ``targets`` names."""
    found: dict[TargetKey, dict[object, RunSeries]] = defaultdict(dict)
    there: dict[object, set[int]] = defaultdict(set)
    for header in leaf_headers(headers):
        asked = header.selection or Selection()
        number, count = _shard(asked.shard)
        key = (
            header.openvino,
            header.suite,
            header.seed,
            header.random,
            asked.depth,
            tuple(sorted(asked.operations)),
            tuple(sorted(asked.purposes)),
            tuple(sorted(asked.filters)),
            count,
        )
        for target in header.targets:
            own = target.device, on_processor(target.profile, header.processor_of(target))
            is_apart = own in targets
            questions = found[own if is_apart else (target.device, target.profile)]
            anywhere = there[target.device, target.profile, key]
            anywhere.add(number)
            question = questions.setdefault(key, RunSeries(asked, count, anywhere=anywhere))
            ended = header.ended != NOT_ENDED or question.has_ended.get(number, False)
            question.has_ended[number] = ended
    return {target: list(questions.values()) for target, questions in found.items()}


def _shard(text: str) -> tuple[int, int]:
    """I and N of ``I/N``; 1 and 1 of anything else, which `Selection` does not write."""
    number, _, count = text.partition("/")
    try:
        return int(number), int(count)
    except ValueError:
        return 1, 1


def _named(names: Sequence[str], noun: str) -> str:
    if not names:
        return ""
    if len(names) > SHOWN:
        return f"{len(names)} {noun}s"
    return f"{noun}{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _numbered(numbers: Sequence[int]) -> str:
    shown = list(map(str, numbers[:20])) + (["others"] if len(numbers) > 20 else [])
    return f"shard{'s' if len(numbers) > 1 else ''} {listing(shown)}"


def _target_names(targets: Iterable[TargetKey]) -> str:
    return listing([f"{device} ({profile})" for device, profile in targets])
