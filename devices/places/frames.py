"""The functions of a stack in libraries without symbols: by the classes in whose virtual tables they stand.

Names of classes and the tables are in any C++ library, and so are the bounds of functions, which unwinding needs. A
function that no table has is found by none.
"""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np

_RELATIVE = 8
_FRAME = re.compile(r"^#\d+ +0x([0-9a-f]+) in .* from (\S+)", re.MULTILINE)
_MAPPED = re.compile(
    r"^\s*0x([0-9a-f]+)\s+0x[0-9a-f]+\s+0x[0-9a-f]+\s+0x0\s.*?(/\S+) *$", re.MULTILINE
)
_GENERIC = re.compile(
    r"\(anonymous namespace\)::\w*Executor|std::|tbb::"
    r"|ov::(Node|Any|Tensor|(In|Out)put<.*>)::|ov::descriptor::|ov::pass::(GraphRewrite|Manager)\b"
    r"|ov::(I?Plugin|Core\w*|threading::|\w*InferRequest|I?CompiledModel)"
    r"|ov::intel_\w+::(Graph|SyncInferRequest|CompiledModel|Plugin)\b"
)
"""Classes that pass work on, or that any code uses."""
_LAMBDA = re.compile(r"(ov::intel_\w+::(?:\w+::)+\w+)\([^{]*\{lambda")
"""The function of a plugin that a task of threads is written in."""
_ARGUMENTS = re.compile(r"(?<=[\w>])\(.*$")
_OURS = ("libopenvino",)
_HIT = "stopped in "


def place_of_crash(command: list[str], environment: dict[str, str], seconds: float) -> str:
    """Run a program below gdb and return the innermost function of OpenVINO where it dies; "" if it does not."""
    gdb = ["gdb", "-nx", "-batch", "-ex", "set confirm off", "-ex", "run", "-ex", "bt 40"]
    gdb += ["-ex", "info proc mappings", "--args", *command]
    try:
        done = subprocess.run(
            gdb, env=environment, capture_output=True, text=True, check=False, timeout=seconds
        )
    except (subprocess.TimeoutExpired, FileNotFoundError):
        return ""
    return place_in(done.stdout)


def place_in(stack: str) -> str:
    """Return the innermost function of OpenVINO in what gdb printed: its class and library, with its offset.

    A destructor is none: what it frees was damaged before. "" then.
    """
    bases = {path: int(base, 16) for base, path in reversed(_MAPPED.findall(stack))}
    first = ""
    for address, path in _FRAME.findall(stack):
        file = str(Path(path).resolve())
        if not Path(file).name.startswith(_OURS) or file not in bases:
            continue
        offset = int(address, 16) - bases[file]
        where = f"{Path(file).name}+{offset:#x}"
        named = library(file).function_at(offset)
        if "::~" in named:
            return ""
        within = _LAMBDA.search(named)
        named = within[1] if within else named
        if named and not _GENERIC.match(named):
            return f"{named} ({where})"
        first = first or where
    return first


def last_function(
    command: list[str],
    environment: dict[str, str],
    seconds: float,
    kind: str,
    methods: Sequence[str],
) -> str:
    """Run a program below gdb; return which of these methods of an operation of core ran last, "" if none did."""
    path = _core()
    symbols = library(str(path)).methods(kind, methods) if path else {}
    if not symbols:
        return ""
    script = ["set confirm off", "set breakpoint pending on"]
    for symbol in symbols:
        script += [
            f"break {symbol}",
            "commands",
            "silent",
            f"echo {_HIT}{symbol}\\n",
            "continue",
            "end",
        ]
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as file:
        file.write("\n".join([*script, "run", ""]))
        file.flush()
        gdb = ["gdb", "-nx", "-batch", "-x", file.name, "--args", *command]
        try:
            done = subprocess.run(
                gdb, env=environment, capture_output=True, text=True, check=False, timeout=seconds
            )
        except (subprocess.TimeoutExpired, FileNotFoundError):
            return ""
    found = [line.removeprefix(_HIT) for line in done.stdout.splitlines() if line.startswith(_HIT)]
    if not path or not found:
        return ""
    return f"{_ARGUMENTS.sub('', demangled(found[-1]))} ({path.name}+{symbols[found[-1]]:#x})"


def _core() -> Path | None:
    """The library of OpenVINO's core that this Python has, None if there is none."""
    found = find_spec("openvino")
    folders = found.submodule_search_locations if found else None
    return next(
        (path for each in folders or () for path in Path(each).glob("libs/libopenvino.so.*")), None
    )


class Library:
    """A shared library of x86-64."""

    def __init__(self, path: str) -> None:
        self._data = Path(path).read_bytes()
        header = struct.unpack_from("<QQQIHHHHHH", self._data, 0x18)
        sections = [
            struct.unpack_from("<IIQQQQIIQQ", self._data, header[2] + n * header[7])
            for n in range(header[8])
        ]
        names = sections[header[9]][4]
        self._sections = {self._text(names + one[0]): (one[3], one[4], one[5]) for one in sections}

    def function_at(self, address: int) -> str:
        """Return the function that an address lies in, or the class that has it as a virtual one; "" if none does.

        The symbol before an address, which debuggers tell, may be that of another function.
        """
        starts = self._starts
        number = bisect_right(starts, address - 1) - 1
        start = starts[number] if number >= 0 else 0
        if start in self._symbols:
            return _ARGUMENTS.sub("", demangled(self._symbols[start]))
        owners = self._owners.get(start, set())
        # One that many classes inherit tells nothing of which of them it is.
        name = min(owners, key=lambda one: (len(one), one)) if 0 < len(owners) <= 3 else ""
        return demangled(name) if name else ""

    def methods(self, kind: str, names: Sequence[str]) -> dict[str, int]:
        """Return the exported functions of these names, of all versions of an operation, with their addresses."""
        ends = "|".join(f"{len(name)}{name}" for name in names)
        wanted = re.compile(rf"_ZNK?2ov2op\d+v\d+{len(kind)}{kind}(?:{ends})E.*")
        return {name: place for place, name in self._symbols.items() if wanted.fullmatch(name)}

    @cached_property
    def _starts(self) -> list[int]:
        """Where functions begin, by the table for unwinding."""
        address, offset, _ = self._sections[".eh_frame_hdr"]
        (count,) = struct.unpack_from("<I", self._data, offset + 8)
        table = np.frombuffer(self._data, "<i4", count * 2, offset + 12)
        return sorted((table[::2].astype(np.int64) + address).tolist())

    @cached_property
    def _symbols(self) -> dict[int, str]:
        """The functions that the library exports, by their addresses."""
        _, offset, size = self._sections[".dynsym"]
        names = self._sections[".dynstr"][1]
        found = {}
        for name, _, section, value, _ in struct.iter_unpack(
            "<IHHQQ", self._data[offset : offset + size]
        ):
            if section and value:
                found[value] = self._text(names + name)
        return found

    @cached_property
    def _relocated(self) -> dict[int, int]:
        """What stands where after loading: addresses by the places that hold them."""
        _, offset, size = self._sections[".rela.dyn"]
        table = np.frombuffer(self._data, "<u8", size // 8, offset).reshape(-1, 3)
        own = table[(table[:, 1] & 0xFFFFFFFF) == _RELATIVE]
        return dict(zip(own[:, 0].tolist(), own[:, 2].tolist(), strict=True))

    @cached_property
    def _owners(self) -> dict[int, set[str]]:
        """The classes in whose tables a function stands."""
        code, _, size = self._sections[".text"]
        held = self._relocated
        owners: dict[int, set[str]] = defaultdict(set)
        table, name = 0, ""
        for place in sorted(held):
            target = held[place]
            if code <= target < code + size:
                if place != table + 8:
                    name = self._class_of(held.get(place - 8, 0))
                table = place
                if name:
                    owners[target].add(name)
        return owners

    def _class_of(self, type_info: int) -> str:
        text = self._relocated.get(type_info + 8, 0)
        start, offset, size = self._sections[".rodata"]
        if not start <= text < start + size:
            return ""
        mangled = self._text(text - start + offset).lstrip("*")
        return mangled if re.fullmatch(r"[N0-9]\w+", mangled) else ""

    def _text(self, offset: int) -> str:
        return self._data[offset : self._data.index(b"\0", offset)].decode("latin-1")


@cache
def library(path: str) -> Library:
    """Return a library, which is read once."""
    return Library(path)


@cache
def demangled(name: str) -> str:
    """Return a name as in the source: ``N2ov9intel_cpu4node4RollE`` is ov::intel_cpu::node::Roll."""
    try:
        done = subprocess.run(
            ["c++filt", "-t", name], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return name
    return done.stdout.strip()
