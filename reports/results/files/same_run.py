"""Whether a run can continue a results file: only the same questions to the same devices can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from reports.results.files.reading import leaf_headers
from reports.results.records import Header, ResultsError, Selection, Target
from reports.results.shared.text import trim


def check_same_run(path: Path, runs: Iterable[Header], header: Header) -> None:
    """Raise ResultsError if a run of the file differs from the header's in what the results depend on."""
    for run in leaf_headers(runs):
        for what, old, new in _facts(run, header):
            if old != new:
                raise ResultsError(
                    f"{path}: holds results of {what} {_text(old)}, but this is {_text(new)}: "
                    f"give another results file, or omit --resume"
                )


def _facts(run: Header, header: Header) -> Iterator[tuple[str, str, str]]:
    """Yield what must agree: what it is, and its value in both headers."""
    yield "OpenVINO", run.openvino, header.openvino
    yield "suite version", run.suite, header.suite
    yield "processor", run.processor, header.processor
    yield "targets", _names(run.targets), _names(header.targets)
    for target in header.targets:
        before = run.target(target.device, target.profile)
        if before is not None:
            yield f"{target.device} as", _device(before), _device(target)
            # Files of earlier versions do not tell them.
            if before.capabilities:
                yield (
                    f"{target.device} with the capabilities",
                    " ".join(before.capabilities),
                    " ".join(target.capabilities) or "none",
                )
    yield "seed", _number(run.seed), _number(header.seed)
    yield "--random", _number(run.random), _number(header.random)
    old, new = run.selection or Selection(), header.selection or Selection()
    yield "--depth", old.depth, new.depth
    yield "operations", _list(old.operations), _list(new.operations)
    yield "purposes", _list(old.purposes), _list(new.purposes)
    yield "shard", old.shard, new.shard
    yield "the selection", _list(old.filters), _list(new.filters)


def _names(targets: Iterable[Target]) -> str:
    return ", ".join(sorted(f"{one.device} ({one.profile})" for one in targets))


def _device(target: Target) -> str:
    return ", ".join(filter(None, (target.full_name, target.driver, target.isa))) or "absent"


def _number(value: int | None) -> str:
    return "unknown" if value is None else str(value)


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "all"


def _text(value: str) -> str:
    return trim(value, 80) or "unknown"
