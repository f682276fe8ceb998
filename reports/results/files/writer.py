"""Results files written, a line per case, so that a run cut off anywhere loses nothing finished."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from msgspec.structs import replace

from reports.results.failures.own import check_own
from reports.results.files.locking import HEADER_START, InUseError, open_locked
from reports.results.files.reading import failures_folder, runs_in, stem
from reports.results.files.same_run import check_same_run
from reports.results.outcomes import Outcome
from reports.results.records import NOT_ENDED, CaseRecord, Header, Key, Line, ResultsError, to_line
from reports.results.shared.files import HEAD, NotReplacedError, check_is_regular

_ENDED_KEY = b'"ended":"'
_CASES_KEY = b'","cases":'
# Digits of the number of results, which is written over as the time is.
_WIDTH = 9


class ResultsWriter:
    """Appends results to a file; each is on disk before the next case starts.

    Use `create` for a new run and `resume` to continue one that was cut off.
    """

    def __init__(self, file: io.FileIO, finished: set[tuple[str, str, str]]) -> None:
        self._file = file
        self._ended_at: int | None = None
        self._keys: set[Key] = set()
        self.has_repeated = False
        """Whether a case has several lines."""
        self.finished = finished
        """The (case, device, profile) of every result that the file holds, but for an ERROR."""
        self.earlier: list[CaseRecord] = []
        """The results that a resumed file had, until they are judged again."""

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: Header) -> ResultsWriter:
        """Start a results file with `header`.

        A results file of that name is kept with its failure folders: it becomes
        ``<name>.previous.jsonl`` and replaces the one before it. Raises ResultsError if there is
        anything else in these places, or if another process writes the file.
        """
        path = Path(path)
        with _as_results_error(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = open_locked(path)
            try:
                while not _is_free(path, file):
                    _keep_previous(path)
                    file.close()
                    file = open_locked(path)
                return cls._start(file, header)
            except BaseException:
                file.close()
                raise

    @classmethod
    def resume(cls, path: str | os.PathLike[str], header: Header) -> ResultsWriter:
        """Continue a results file; one that is missing, or has no header yet, is started.

        A last line that was cut off is removed. Raises ResultsError if the file is not a results
        file, holds results of another run than the header's (see `reports.results.files.same_run`), or is
        written by another process.
        """
        path = Path(path)
        with _as_results_error(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = open_locked(path)
            try:
                content = file.read()
                whole = _whole_lines(content)
                if not whole.strip() and HEADER_START.startswith(content[: len(HEADER_START)]):
                    # New, or cut off inside its header: nothing is lost.
                    return cls._start(file, header)
                # All of it is checked before anything is cut: it may not be a results file at all.
                (runs, records), *others = runs_in(path, io.BytesIO(whole))
                if others:
                    raise ResultsError(
                        f"{path}: holds several runs, written one after the other, of which none can be continued: "
                        "`python -m reports merge` joins results files"
                    )
                check_same_run(path, runs, header)
                file.truncate(min(len(whole), len(content)))
                file.seek(0, os.SEEK_END)
                finished = {key[:3] for key, record in records.items() if is_finished(record)}
                writer = cls(file, finished)
                writer.earlier = list(records.values())
                writer._keys = set(records)
                writer._write(whole[len(content) :])
                writer._write_header(replace(header, resumed=True))
            except BaseException:
                file.close()
                raise
        return writer

    @classmethod
    def _start(cls, file: io.FileIO, header: Header) -> ResultsWriter:
        line = _as_bytes(header)  # may raise, so before anything is removed
        file.seek(0)
        file.truncate()
        writer = cls(file, set())
        writer._write_header(header, line)
        return writer

    def _write_header(self, header: Header, line: bytes | None = None) -> None:
        line = line or _as_bytes(header)
        if header.ended == NOT_ENDED:
            line = line.replace(_CASES_KEY + b"0", _CASES_KEY + b"0".rjust(_WIDTH), 1)
            self._ended_at = self._file.tell() + line.index(_ENDED_KEY) + len(_ENDED_KEY)
        self._write(line)

    def end(self, time: str) -> None:
        """Note in the header that every selected case has a result, and how many; `time` is ISO 8601 in seconds.

        Without this the run counts as cut off. The header's blank `ended` is written over.
        """
        if self._ended_at is None:
            return
        # A full disk does not matter: these bytes are there.
        with suppress(OSError):
            self._file.seek(self._ended_at)
            ended = f"{time:{len(NOT_ENDED)}.{len(NOT_ENDED)}}".encode("ascii")
            cases = str(len(self._keys)).rjust(_WIDTH).encode("ascii")
            self._file.write(ended + _CASES_KEY + cases)
            self._file.seek(0, os.SEEK_END)

    def append(self, record: CaseRecord) -> None:
        """Write one result. ResultsError if a field has a wrong type; then nothing is written.

        OSError if there is no room: what was written before is whole then, and the file is closed.
        """
        self._write(_as_bytes(record))
        self.has_repeated |= record.key in self._keys
        self._keys.add(record.key)
        if is_finished(record):
            self.finished.add(record.key[:3])

    def rewrite(self, path: Path, records: Iterable[CaseRecord]) -> None:
        """Write the file anew, with one line for each case: that of ``records``, or the last one that there is.

        Readers see the old file or the new one. OSError if there is no room: the file is as it was then.
        """
        self._file.seek(0)
        lines: dict[object, bytes] = {}
        for number, line in enumerate(self._file.read().splitlines(keepends=True)):
            one = json.loads(line)
            is_case = one["kind"] == "case"
            lines[_key_of(one) if is_case else number] = line
        lines.update((record.key, _as_bytes(record)) for record in records)
        temporary = path.with_name(f".{path.name}.new")
        file = open_locked(temporary)
        try:
            file.truncate(0)
            _write_all(file, b"".join(lines.values()))
            os.replace(temporary, path)
        except BaseException:
            file.close()
            temporary.unlink(missing_ok=True)
            raise
        self._file.close()
        self._file, self._ended_at, self.has_repeated = file, None, False

    def _write(self, line: bytes) -> None:
        # The file has no buffer: what cannot be written now must not be written when it is closed.
        end = self._file.tell()
        try:
            _write_all(self._file, line)
        except OSError:
            with suppress(OSError):
                self._file.truncate(end)
            self._file.close()
            raise

    def is_at(self, path: Path) -> bool:
        """Tell whether the file is still there, and was not removed, moved or replaced."""
        try:
            return os.path.samestat(os.stat(path), os.fstat(self._file.fileno()))
        except OSError:
            return False

    def rescue(self, path: Path) -> bool:
        """Write what a removed file held to a new one at ``path``.

        Returns False for a file that was only moved. Raises OSError, FileExistsError among them.
        """
        if os.fstat(self._file.fileno()).st_nlink:
            return False
        self._file.seek(0)
        content = self._file.read()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
        return True

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        self._file.close()

    def __enter__(self) -> ResultsWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _key_of(line: dict[str, str]) -> Key:
    """Return the identity of a result by its line."""
    return line["case"], line["device"], line["profile"], line.get("processor", "")


def is_finished(record: CaseRecord) -> bool:
    """Tell whether a resumed run leaves the case out: an ERROR says nothing about the device."""
    return record.outcome is not Outcome.ERROR


def _write_all(file: io.FileIO, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


def _as_bytes(line: Line) -> bytes:
    """Return a line as bytes, newline included."""
    return to_line(line).encode("ascii") + b"\n"


def _whole_lines(content: bytes) -> bytes:
    """Return `content` without a last line that was cut off."""
    complete, newline, last = content.rpartition(b"\n")
    try:
        json.loads(last)
    except ValueError:
        return complete + newline
    return content + b"\n"


def _is_free(path: Path, file: io.FileIO) -> bool:
    """Tell whether a file can be written over: it has no result.

    Raises ResultsError for a file that does not begin with a run's header, and so is not ours.
    """
    file.seek(0)
    head = file.readline(HEAD)
    if not head:
        return True
    # A run that was killed at once has half a header.
    if not head.startswith(HEADER_START) and not _is_header(head):
        raise ResultsError(
            f"{path}: is not a results file; it is left as it is: give another file with --results"
        )
    return not file.readline(HEAD)


def _is_header(line: bytes) -> bool:
    """Tell whether a line is a run's header, of whatever version of the format."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("kind") == "run"


def is_results(head: bytes) -> bool:
    """Tell whether a file that begins with these bytes is a results file, merged or not."""
    return head.startswith(HEADER_START) or _is_header(head.partition(b"\n")[0])


def _keep_previous(path: Path) -> None:
    """Rename a results file and its failure folders, so that a new run can use the names.

    Both replace those of the run before, and nothing else: raises ResultsError.
    """
    previous = path.with_name(f"{stem(path)}.previous.jsonl")
    check_is_regular(previous)
    if previous.exists():
        with previous.open("rb") as file:
            if not is_results(file.read(HEAD)):
                raise ResultsError(f"{previous}: is not a results file; it is left as it is")
    old, new = failures_folder(path), failures_folder(previous)
    for folder in (old, new):
        check_own(folder)
    os.replace(path, previous)
    shutil.rmtree(new, ignore_errors=True)
    if old.is_dir():
        os.replace(old, new)


@contextmanager
def _as_results_error(path: Path) -> Iterator[None]:
    """Raise errors of the system, and a lock that another process holds, as ResultsError."""
    try:
        yield
    except InUseError as error:
        raise ResultsError(
            f"{path}: {error}: wait for it, or give another file with --results"
        ) from None
    except NotReplacedError as error:
        raise ResultsError(f"{error.filename or path}: {error.strerror}") from None
    except OSError as error:
        raise ResultsError(f"{path}: cannot be written: {error.strerror}") from None
