"""Samples what the processes of a run do with their cores: a file for each, in the folder that a variable names.

``start`` is called as each Python process begins, forks as well. A timer of CPU time interrupts the process, and what
it used since the last time is added to the part that its stack tells. A call of a library ends first: its time is that
of the line that called it. Threads of the process count, too. The sums are in a mapped file, which a process that dies
leaves behind.
"""

from __future__ import annotations

import atexit
import mmap
import os
import signal
import struct
import sys
import time
from pathlib import Path
from types import FrameType

FOLDER = "CONFORMANCE_SHARES"
"""The variable with the folder."""

_EVERY = 0.005  # seconds

_STAGES = ("read", "compile", "infer", "fetch")

# Part: places, as a piece of a file's name and functions, or none for all. Of a stack the first part counts that has
# one of its frames.
_PLACES: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "importing": (("<frozen importlib", ()),),
    "opening the device": (("devices/runtime/device.py", ("open_device",)),),
    "kernels of the executed graph": (("devices/runtime/kernels.py", ()),),
    # Its stage is in its frame.
    "OpenVINO": (("devices/runtime/device.py", ("ask",)),),
    "messages": (
        ("devices/process/protocol.py", ("send", "receive", "encoded", "_read")),
        (
            "devices/process/child_handle.py",
            ("_wait_for_message", "_send", "_send_all", "_receive_all"),
        ),
        ("devices/process/reply_check.py", ()),
        ("queue.py", ()),
    ),
    "destroying models": (("devices/process/child.py", ("main",)),),
    "forks, ends of children": (
        ("devices/process/forking/fork_client.py", ()),
        ("devices/process/forking/fork_server.py", ()),
        ("devices/process/child_handle.py", ()),
        ("devices/probing.py", ()),
    ),
    "failure folders": (
        ("tests/conformance/evidence.py", ()),
        ("devices/commands/write.py", ()),
        ("devices/engine/case_files.py", ()),
    ),
    "what a wrong answer would be right for": (("devices/engine/verdicts/narrowing.py", ()),),
    "values": (("ir_models/asking/case.py", ("arrays",)), ("ir_models/asking/values.py", ())),
    "references": (("devices/engine/questions.py", ("prepare",)),),
    "bounds": (
        ("devices/engine/prepared.py", ("expected",)),
        ("devices/engine/layers.py", ("outputs_for",)),
    ),
    "comparing": (
        ("devices/engine/verdicts/judging.py", ()),
        ("devices/engine/single.py", ("compare_runs",)),
    ),
    "IR": (("ir_models/writing/", ()),),
    "inputs as bytes": (("devices/engine/questions.py", ("question_for",)),),
    "listing": (
        ("tests/conformance/listing.py", ()),
        ("ir_models/corpus/", ()),
        ("ir_models/__main__.py", ()),
    ),
    "ids read": (("ir_models/asking/ids.py", ()), ("ir_models/__init__.py", ("parse",))),
    "gate": (("reports/gate/", ()), ("devices/engine/verdicts/recording.py", ())),
    "results": (
        ("reports/results/files/", ()),
        ("reports/results/failures/", ()),
        ("reports/results/records.py", ()),
        ("tests/conformance/records.py", ()),
    ),
    "explaining, summary": (
        ("reports/", ()),
        ("tests/conformance/terminal.py", ()),
        ("tests/conformance/explaining.py", ()),
    ),
    "packs": (("devices/", ()),),
    "collecting": (("tests/conformance/items.py", ("collect", "plan")),),
    "pytest-xdist": (
        ("/xdist/", ()),
        ("/execnet/", ()),
        ("tests/conformance/scheduling.py", ()),
    ),
    "pytest": (("/_pytest/", ()), ("/pluggy/", ())),
}

PARTS = (
    *(f"OpenVINO: {stage}" for stage in _STAGES),
    *(name for name in _PLACES if name != "OpenVINO"),
    "other",
)
_NUMBER = {part: number for number, part in enumerate(PARTS)}
# When the process began, when it was seen last; then seconds by part.
_LAYOUT = struct.Struct(f"<{2 + len(PARTS)}d")


class _Sampler:
    """The sums of one process."""

    def __init__(self, folder: Path, role: str) -> None:
        self.folder, self.role = folder, role
        self._sums = [0.0] * len(PARTS)
        self._began, self._used = time.monotonic(), time.process_time()
        path = folder / f"{role}.{os.getpid()}"
        path.write_bytes(bytes(_LAYOUT.size))
        with path.open("r+b") as file:
            self._file = mmap.mmap(file.fileno(), _LAYOUT.size)
        self._kept: dict[tuple[str, str], int] = {}
        signal.signal(signal.SIGPROF, self._sample)
        # What it interrupts in a library goes on.
        signal.siginterrupt(signal.SIGPROF, False)
        signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)

    def stop(self) -> None:
        """End, before Python takes its handlers back."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        self._sample(0, None)

    def _sample(self, _: int, frame: FrameType | None) -> None:
        now = time.process_time()
        self._sums[_NUMBER[self._part(frame)]] += now - self._used
        self._used = now
        _LAYOUT.pack_into(self._file, 0, self._began, time.monotonic(), *self._sums)

    def _part(self, frame: FrameType | None) -> str:
        best, at = len(_ORDER), frame
        while frame is not None:
            rank = self._rank(frame.f_code.co_filename, frame.f_code.co_name)
            if rank < best:
                best, at = rank, frame
            frame = frame.f_back
        if best == len(_ORDER):
            return "other"
        part = _ORDER[best]
        if part == "OpenVINO":
            assert at is not None
            stage = getattr(at.f_locals.get("reply"), "stage", "")
            part = f"OpenVINO: {stage}" if stage in _STAGES else "kernels of the executed graph"
        return part

    def _rank(self, file: str, function: str) -> int:
        key = file, function
        if key not in self._kept:
            self._kept[key] = next(
                (
                    number
                    for number, part in enumerate(_ORDER)
                    for piece, functions in _PLACES[part]
                    if piece in file and (not functions or function in functions)
                ),
                len(_ORDER),
            )
        return self._kept[key]


_ORDER = tuple(_PLACES)
_sampler: _Sampler | None = None


def start() -> None:
    """Sample this process, and its forks."""
    global _sampler
    folder = os.environ.get(FOLDER)
    if folder and _sampler is None:
        _sampler = _Sampler(Path(folder), _role())
        os.register_at_fork(after_in_child=_start_in_fork)
        atexit.register(_stop)


def _stop() -> None:
    if _sampler is not None:
        _sampler.stop()


def _start_in_fork() -> None:
    global _sampler
    assert _sampler is not None
    role = "children" if _sampler.role == "fork server" else _sampler.role
    _sampler = _Sampler(_sampler.folder, role)


def _role() -> str:
    arguments = sys.orig_argv[1:]
    if "devices.process.forking.fork_server" in arguments:
        return "fork server"
    if "ir_models" in arguments:
        return "listing"
    return (
        "workers"
        if any("execnet" in each or "sys.stdin" in each for each in arguments)
        else "pytest"
    )


def read(file: Path) -> tuple[str, float, dict[str, float]]:
    """What one process left: its role, the seconds of wall time in which it was seen, CPU seconds by part."""
    began, seen, *sums = _LAYOUT.unpack(file.read_bytes())
    return file.name.rpartition(".")[0], max(seen - began, 0.0), dict(zip(PARTS, sums, strict=True))
