"""A cache of verdicts between runs: a verdict on outputs follows from the case, the outputs and the sources alone.

Outputs that an earlier run had, bit for bit, get the verdict that it gave, without reference, bounds and comparison.
There is a database for each state of the sources, in ``~/.cache/openvino-layer-conformance/verdicts`` or below
``$XDG_CACHE_HOME``. Whoever deletes them loses the time of one run. Without a place for it, and with sources that
changed since this process began, all is judged.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from devices import packs
from devices.protocol import Kernel, Reply, TensorData
from devices.verdict import Verdict
from ir_models import Case
from reference import Comparison
from reports.files import cache_folder
from reports.results.facts import Facts
from reports.results.outcomes import Outcome
from reports.sources import digest, newest

Shapes = list[tuple[int, ...]]

# What a verdict follows from.
_ROOMS = {"ir_models": "*", "reference": "*", "devices": "*.py", "reports": "*.py"}
_PACKAGES = ("numpy", "ml_dtypes", "msgspec")
_MOST_FILES = 4
# All cases at pairs on one device take some 90 MB.
_MOST_BYTES = 1 << 30
# A process waits so long for another one that writes.
_PATIENCE = 5.0  # seconds
_SAVE_EVERY = 20.0  # seconds
_DIGEST_SIZE = 16
# When this process began, as nearly as matters: what it has read of the sources was read later.
_STARTED = time.time()

_Type = TypeVar("_Type")


class Cached(msgspec.Struct, frozen=True, array_like=True):
    """What is cached of a verdict; the rest follows from the case and the reply."""

    outcome: Outcome
    detail: str
    facts: Facts
    comparison: Comparison | None
    output_index: int
    outputs_are_empty: bool
    has_kernel: bool

    @classmethod
    def of(cls, verdict: Verdict) -> Cached:
        """What is cached of this verdict."""
        return cls(
            verdict.outcome,
            verdict.detail,
            verdict.facts,
            verdict.comparison,
            verdict.output_index,
            verdict.outputs_are_empty,
            verdict.kernel is not None,
        )

    def verdict(self, case: Case, kernel: Kernel | None) -> Verdict:
        """The verdict on a case."""
        return Verdict(
            case,
            self.outcome,
            self.detail,
            self.facts,
            kernel=kernel if self.has_kernel else None,
            comparison=self.comparison,
            output_index=self.output_index,
            outputs_are_empty=self.outputs_are_empty,
        )


class CachedVerdictError(Exception):
    """The same sources give another verdict on the same outputs than the one in the cache."""


class VerdictCache:
    """Verdicts on outputs, and shapes of outputs, that earlier runs of the same sources had.

    ``path`` is that of the database; None caches nothing. ``audit`` is the share of the cases, other ones each day,
    that are judged in spite of a cached verdict, which must be the same. ``taken`` counts the verdicts from the
    database. What is new is written by ``save``.
    """

    def __init__(self, path: Path | None = None, audit: float = 0.0) -> None:
        self.taken = 0
        self._path, self._audit = path, audit
        self._salt = f"cached {int(time.time()) // 86_400}"
        self._new: dict[bytes, bytes] = {}
        self._due = time.monotonic() + _SAVE_EVERY
        self._database = None if path is None or _sources_changed() else _opened(path)

    def shapes(self, case: Case, seed: int) -> Shapes | None:
        """The shapes of the outputs of the case's layer at the first inference, if they are known."""
        return self._find(_key("shapes", case.id, seed), Shapes)

    def add_shapes(self, case: Case, seed: int, shapes: Shapes) -> None:
        """Add the shapes of the outputs of the case's layer."""
        self._add(_key("shapes", case.id, seed), shapes)

    def verdict(
        self, case: Case, of: Sequence[Any], reply: Reply, judge: Callable[[], Verdict]
    ) -> Verdict:
        """The verdict on a reply with outputs: a cached one, or that of ``judge``.

        ``of`` is what the verdict follows from besides the case and the reply. Raises CachedVerdictError.
        """
        if self._database is None:
            return judge()
        kernel = next(iter(reply.kernels.values()), None)
        key = _key("verdict", case.id, *of, reply.inferred, *_of_kernel(kernel), reply.outputs)
        known = self._find(key, Cached)
        if known is not None and not packs.chosen(case.id, self._audit, self._salt):
            self.taken += key not in self._new
            return known.verdict(case, kernel)
        verdict = judge()
        now = Cached.of(verdict)
        if known is None:
            self._add(key, now)
        elif _encoded(known) != _encoded(now):
            raise CachedVerdictError(
                f"{self._path} has {known.outcome} for these outputs ({known.detail}), and the verdict is "
                f"{now.outcome} now ({now.detail}); remove the file, or use --judge-anew"
            )
        return verdict

    def save_if_due(self) -> None:
        """Save as often as little is lost with this process, and little time taken."""
        if time.monotonic() > self._due:
            self.save()

    def save(self) -> None:
        """Write what is new, unless a source has changed since this process began."""
        self._due = time.monotonic() + _SAVE_EVERY
        new, self._new = self._new, {}
        if self._database is None or not new:
            return
        if _sources_changed():
            self._leave()
            return
        with self._going_on(), self._database as database:
            database.executemany("INSERT OR REPLACE INTO cached VALUES (?, ?)", new.items())

    def close(self) -> None:
        """Save, and close the database."""
        self.save()
        self._leave()

    def _leave(self) -> None:
        """Go on without the database."""
        if self._database is not None:
            self._database.close()
            self._database = None

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """Go on without the database where it is damaged; leave what it cannot do now, as on a full disk."""
        try:
            yield
        except sqlite3.OperationalError:
            pass
        except sqlite3.DatabaseError:
            self._leave()
            if self._path is not None:
                _remove(self._path)

    def _find(self, key: bytes, kind: type[_Type]) -> _Type | None:
        content = self._new.get(key)
        if content is None and self._database is not None:
            with self._going_on():
                row = self._database.execute("SELECT value FROM cached WHERE key = ?", (key,))
                content = next(row, (None,))[0]
        if not isinstance(content, bytes):
            return None
        if _checksum(key, content[_DIGEST_SIZE:]) != content[:_DIGEST_SIZE]:
            return None
        return msgspec.msgpack.decode(content[_DIGEST_SIZE:], type=kind)

    def _add(self, key: bytes, value: Any) -> None:
        if self._database is not None:
            content = _encoded(value)
            self._new[key] = _checksum(key, content) + content


NO_CACHE = VerdictCache()


def path_of(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The database of these sources, and of the arithmetic that NumPy has on this processor; None without a place."""
    folder = cache_folder(environment)
    if not folder.is_absolute():  # nobody's home is known
        return None
    try:
        sources = digest(_ROOMS, _PACKAGES) + _arithmetic()
    except (OSError, UnicodeError):
        return None
    name = hashlib.sha256(sources.encode("ascii")).hexdigest()
    return folder / "verdicts" / f"{name}.sqlite"


def _sources_changed() -> bool:
    """Whether a source is newer than this process, which may have read it before, or after."""
    try:
        return newest(_ROOMS) > _STARTED
    except (OSError, UnicodeError):
        return True


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
                _remove(path)
            database = sqlite3.connect(path, timeout=_PATIENCE)
            # A power failure may lose the last verdicts, or damage a row, which its checksum tells.
            database.execute("PRAGMA synchronous = OFF")
            database.execute(
                "CREATE TABLE IF NOT EXISTS cached (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
            )
        except sqlite3.OperationalError:
            # The folder is read-only, the disk is full, or another process writes for too long.
            return None
        except sqlite3.DatabaseError:
            _remove(path)
        except OSError:
            return None
        else:
            _remove_old(path)
            return database
    return None


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _remove_old(path: Path) -> None:
    """Remove the databases that were not used for the longest time. Other processes may do so at once."""
    with suppress(OSError):
        os.utime(path)
    used: dict[Path, float] = {}
    for each in path.parent.glob("*.sqlite"):
        with suppress(OSError):
            used[each] = each.stat().st_mtime
    for old in sorted(used, key=used.__getitem__)[:-_MOST_FILES]:
        _remove(old)


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
    raise TypeError(f"{type(value).__name__} cannot be cached")
