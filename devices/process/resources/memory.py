"""How much memory there is for a process of the suite, and how much a case needs."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import resource

# What a case needs in the worker and in the child together is so many times its inputs at all inferences: their copies
# on the way, what the reference computes in float64, and what plugins convert them to. 5.5 was measured for a layer of
# 375 million bytes on the CPU.
TIMES_INPUTS = 8
# Bytes that no case is refused for: whoever has less can run no case at all.
SMALL = 2**29
# Bytes of a worker and its child before the first case.
_AT_START = 2**29
# The part of the memory that is there that all processes of a run take at most.
_PART = 0.9
# Address space for threads and their stacks is part of what a process allocates: with 64 of them half a GB.
_LEAST_LIMIT = 2**31


def need(case_id: str) -> int:
    """The bytes that the worker and the child need at most for the case, above what every case needs."""
    # A child process, which may run in another Python, has no more than `devices.process.interpreter` says.
    from ir_models.asking.id_parts import split_id
    from ir_models.vocabulary.element_types import ELEMENT_TYPES

    parts = split_id(case_id)
    inferences = 3 if "shape" in parts.how else 1
    inputs = sum(
        ELEMENT_TYPES[tensor.element_type].bits / 8 * math.prod(tensor.shape)
        for tensor in parts.data
        if tensor.element_type in ELEMENT_TYPES
    )
    return int(TIMES_INPUTS * inferences * inputs)


def ceiling(processes: int = 1, root: Path = Path("/")) -> int | None:
    """The bytes that a case may need in one of so many workers; None where the system does not tell.

    Of what the machine has free, what a container may still take, and what a process may (``ulimit -v``), the least.
    """
    most = [*_shares(processes, root), *_of_process()]
    return max(min(most) - _AT_START, 0) if most else None


def limit(processes: int = 1, root: Path = Path("/")) -> int | None:
    """The bytes that a worker, and its child, may allocate each; None where the system does not tell.

    It is their share of the memory, however large what is asked is said to be, and never less than what a process
    needs that has OpenVINO, its threads and a hundred small cases.
    """
    shares = [*_shares(processes, root)]
    if not shares:
        return None
    least = max(min(shares), _LEAST_LIMIT)
    return min(least, total(root) or least)


def _shares(processes: int, root: Path) -> Iterator[int]:
    """What one of so many workers with its child may take of what is free."""
    for bytes_ in (*_of_machine(root), *_of_cgroups(root)):
        yield int(bytes_ * _PART) // processes


def total(root: Path = Path("/")) -> int | None:
    """The bytes that all processes of the machine, or of the container, may take together; None if unknown."""
    most = [*_of_machine(root, "MemTotal:"), *_of_cgroups(root, is_total=True)]
    return min(most, default=None)


def _of_machine(root: Path, key: str = "MemAvailable:") -> Iterator[int]:
    """What the system could give to new processes, or what it has."""
    with suppress(OSError, ValueError, IndexError):
        for line in (root / "proc/meminfo").read_text().splitlines():
            if line.startswith(key):
                yield int(line.split()[1]) * 1024


def _of_cgroups(root: Path, is_total: bool = False) -> Iterator[int]:
    """What the control groups of this process, those of a container above all, have left of their limits."""
    # A container sees its own group as the root of the file system of groups, whatever its path is outside.
    groups = {"memory": {"/"}, "": {"/"}}
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            kind = "memory" if "memory" in controllers.split(",") else controllers
            if kind in groups:
                groups[kind] |= {
                    "/",
                    *(str(parent) for parent in (Path(path), *Path(path).parents)),
                }
    for path in groups[""]:
        folder = root / "sys/fs/cgroup" / path.lstrip("/")
        yield from _left(folder, is_total, "memory.max", "memory.current", "inactive_file")
    for path in groups["memory"]:
        folder = root / "sys/fs/cgroup/memory" / path.lstrip("/")
        names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        yield from _left(folder, is_total, *names)


def _left(folder: Path, is_total: bool, limit: str, used: str, reclaimable: str) -> Iterator[int]:
    """What a control group has left, if it has a limit, or all of it; files that it has read count as free."""
    with suppress(OSError, ValueError):  # no such group; or "max"
        most = int((folder / limit).read_text())
        taken = 0 if is_total else int((folder / used).read_text())
        with suppress(OSError, ValueError):
            for line in () if is_total else (folder / "memory.stat").read_text().splitlines():
                if line.startswith(f"{reclaimable} "):
                    taken -= int(line.split()[1])
        if most < 2**60:  # version 1 has a number without a meaning where there is no limit
            yield max(most - taken, 0)


def _of_process() -> Iterator[int]:
    """The limits of one process."""
    if sys.platform == "win32":
        return
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            yield max(soft - _mapped(), 0)


def _mapped() -> int:
    """The bytes of address space that this process has now; its children have as much."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def text(bytes_: int) -> str:
    """Bytes in GB."""
    return f"{bytes_ / 1e9:.1f} GB"
