"""Keeps verdicts between runs: a verdict on outputs follows from the case, the outputs and the sources alone.

Outputs that an earlier run had, bit for bit, get the verdict that it gave, without reference, bounds and comparison.
There is a database for each state of the sources, in ``~/.cache/openvino-layer-conformance/verdicts`` or below
``$XDG_CACHE_HOME``. Whoever deletes them loses the time of one run.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import structs

from devices import packs
from devices.protocol import Kernel, Reply, TensorData
from devices.verdict import Verdict
from ir_models import Case
from reference import Comparison
from reports.files import cache_folder
from reports.results.facts import Facts
from reports.results.outcomes import Outcome
from reports.sources import digest

Shapes = list[tuple[int, ...]]

# What a verdict follows from.
_ROOMS = {"ir_models": "*", "reference": "*", "devices": "*.py", "reports": "*.py"}
_PACKAGES = ("numpy", "ml_dtypes", "msgspec")
_MOST_FILES = 4
# All cases at pairs on one device take some 60 MB.
_MOST_BYTES = 1 << 30
# A process waits so long for another one that writes.
_PATIENCE = 5.0  # seconds
_DIGEST_SIZE = 16
_DAMAGED = (sqlite3.Error, msgspec.MsgspecError, OSError)

_Type = TypeVar("_Type")


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of a verdict; the rest follows from the case and the reply."""

    outcome: Outcome
    detail: str
    facts: Facts
    comparison: Comparison | None
    output_index: int
    outputs_are_empty: bool


class KeptVerdictError(Exception):
    """The same sources give another verdict on the same outputs than the one that was kept."""


class KeptVerdicts:
    """Verdicts on outputs, and shapes of outputs, that earlier runs of the same sources had.

    ``path`` is that of the database; None keeps nothing. ``audit`` is the share of the cases that are judged in spite
    of a verdict that is kept, which must be the same. ``taken`` counts the verdicts of earlier runs. What is new is
    written by ``save``. A database that cannot be read or written is done without.
    """

    def __init__(self, path: Path | None = None, audit: float = 0.0) -> None:
        self.taken = 0
        self._path, self._audit = path, audit
        self._new: dict[bytes, bytes] = {}
        self._database = None if path is None else _opened(path)

    def shapes(self, case: Case, seed: int) -> Shapes | None:
        """The shapes of the outputs of the case's layer at the first inference, if they are known."""
        return self._find(_key("shapes", case.id, seed), Shapes)

    def keep_shapes(self, case: Case, seed: int, shapes: Shapes) -> None:
        """Keep the shapes of the outputs of the case's layer."""
        self._keep(_key("shapes", case.id, seed), shapes)

    def verdict(
        self, case: Case, of: Sequence[Any], reply: Reply, judge: Callable[[], Verdict]
    ) -> Verdict:
        """The verdict on a reply with outputs: a kept one, or that of ``judge``.

        ``of`` is what the verdict follows from besides the case and the reply. Raises KeptVerdictError.
        """
        if self._database is None:
            return judge()
        kernel = next(iter(reply.kernels.values()), None)
        key = _key("verdict", case.id, *of, reply.inferred, *_of_kernel(kernel), reply.outputs)
        known = self._find(key, Kept)
        if known is not None and not packs.chosen(case.id, self._audit, "kept"):
            self.taken += key not in self._new
            return Verdict(case, kernel=kernel, **structs.asdict(known))
        verdict = judge()
        now = Kept(*(getattr(verdict, name) for name in Kept.__struct_fields__))
        if known is None:
            self._keep(key, now)
        elif _encoded(known) != _encoded(now):
            raise KeptVerdictError(
                f"{self._path} has {known.outcome} for these outputs ({known.detail}), and the verdict is "
                f"{now.outcome} now ({now.detail}); remove the file, or use --judge-anew"
            )
        return verdict

    def save(self) -> None:
        """Write what is new."""
        new, self._new = self._new, {}
        if self._database is None or not new:
            return
        with suppress(*_DAMAGED), self._database as database:
            database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", new.items())

    def close(self) -> None:
        """Write what is new, and close the database."""
        self.save()
        if self._database is not None:
            self._database.close()
            self._database = None

    def _find(self, key: bytes, kind: type[_Type]) -> _Type | None:
        if self._database is None:
            return None
        with suppress(*_DAMAGED):
            content = self._new.get(key)
            if content is None:
                row = self._database.execute("SELECT value FROM kept WHERE key = ?", (key,))
                content = next(row, (None,))[0]
            if (
                content is not None
                and _checksum(key, content[_DIGEST_SIZE:]) == content[:_DIGEST_SIZE]
            ):
                return msgspec.msgpack.decode(content[_DIGEST_SIZE:], type=kind)
        return None

    def _keep(self, key: bytes, value: Any) -> None:
        if self._database is not None:
            content = _encoded(value)
            self._new[key] = _checksum(key, content) + content


NOTHING_KEPT = KeptVerdicts()


def path_of(environment: Mapping[str, str] = os.environ) -> Path:
    """The database of these sources, and of the arithmetic that NumPy has on this processor."""
    sources = digest(_ROOMS, _PACKAGES) + _arithmetic()
    name = hashlib.sha256(sources.encode("ascii")).hexdigest()
    return cache_folder(environment) / "verdicts" / f"{name}.sqlite"


def _arithmetic() -> str:
    """A digest of results whose last bits depend on the processor and on the libraries of NumPy."""
    found = hashlib.sha256(platform.machine().encode("ascii"))
    for kind in (np.float32, np.float64):
        values = np.linspace(0.1, 3.0, 1024, dtype=kind)
        for function in (np.exp, np.log, np.sin, np.tanh, np.sqrt, np.arctan, np.cbrt, np.expm1):
            found.update(function(values).tobytes())
        square = values.reshape(32, 32)
        found.update((square @ square).tobytes() + values.sum().tobytes())
        found.update(np.power(values, values).tobytes())
    return found.hexdigest()


def _opened(path: Path) -> sqlite3.Connection | None:
    """The database, made anew where it is damaged or has grown too large; None where there can be none."""
    for _ in range(2):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size > _MOST_BYTES:
                path.unlink()
            database = sqlite3.connect(path, timeout=_PATIENCE)
            # A power failure may lose the last verdicts, or damage a row, which its checksum tells.
            database.execute("PRAGMA synchronous = OFF")
            database.execute(
                "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
            )
            _remove_old(path)
            return database
        except (
            sqlite3.OperationalError
        ):  # of a folder that is read-only, a full disk, another process
            return None
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)
        except OSError:
            return None
    return None


def _remove_old(path: Path) -> None:
    """Remove the databases that were not used for the longest time."""
    os.utime(path)
    files = sorted(path.parent.glob("*.sqlite"), key=lambda each: each.stat().st_mtime)
    for old in files[:-_MOST_FILES]:
        old.unlink(missing_ok=True)


def _of_kernel(kernel: Kernel | None) -> tuple[str, ...]:
    return () if kernel is None else (kernel.layer_type, kernel.primitive, kernel.precision)


def _key(*parts: Any) -> bytes:
    found = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    _add(found, parts)
    return found.digest()


def _add(found: Any, part: Any) -> None:
    """Add a part to a digest, each with its kind and length, so that no two sequences of parts are alike."""
    if isinstance(part, TensorData):
        data = part.data if isinstance(part.data, list) else memoryview(part.data)
        _add(found, (part.element_type, part.shape, data))
    elif isinstance(part, list | tuple):
        found.update(b"(%d" % len(part))
        for each in part:
            _add(found, each)
    elif isinstance(part, memoryview):
        found.update(b"b%d:" % part.nbytes)
        found.update(part)
    else:
        text = repr(part).encode("utf-8", "surrogatepass")
        found.update(b"r%d:" % len(text))
        found.update(text)


def _checksum(key: bytes, content: bytes) -> bytes:
    return hashlib.blake2b(key + content, digest_size=_DIGEST_SIZE).digest()


def _encoded(value: Any) -> bytes:
    return msgspec.msgpack.encode(value, enc_hook=_plain)


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is kept nowhere")
