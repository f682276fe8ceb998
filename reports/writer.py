"""Results files written, a line per case, so that a run cut off anywhere loses nothing finished."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from msgspec.structs import replace

from reports.outcomes import Outcome
from reports.records import CaseRecord, Header, Key, Line, ResultsError, to_line
from reports.results import failures_folder, leaf_headers, parse_lines, stem

_STARTS = b'{"kind":"run",'
"""How every results file that a `Writer` starts begins."""


class Writer:
    """Appends results to a file; each is on disk before the next case starts.

    Use `create` for a new run and `resume` to continue one that was cut off.
    """

    def __init__(self, file: io.FileIO, finished: set[Key]) -> None:
        self._file = file
        self.finished = finished
        """The (case, device, profile) of every result that the file holds, but for an ERROR."""

    @classmethod
    def create(cls, path: str | os.PathLike[str], header: Header) -> Writer:
        """Start a results file with `header`.

        A file of that name is kept with its failure folders: it becomes ``<name>.previous.jsonl``
        and replaces the one before it.
        """
        path = Path(path)
        line = _as_bytes(header)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _keep_previous(path)
            writer = cls(path.open("x+b", buffering=0), set())
            writer._write(line)
        except OSError as error:
            raise ResultsError(f"{path}: cannot be written: {error.strerror}") from None
        return writer

    @classmethod
    def resume(cls, path: str | os.PathLike[str], header: Header) -> Writer:
        """Continue a results file; one that is missing, or has no header yet, is started.

        A last line that was cut off is removed. Raises ResultsError if the file is not a results
        file, or holds results of another OpenVINO version than the header's.
        """
        path = Path(path)
        line = _as_bytes(replace(header, resumed=True))
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return cls.create(path, header)
        except OSError as error:
            raise ResultsError(f"{path}: cannot be read: {error.strerror}") from None
        whole = _whole_lines(content)
        try:
            if not whole.strip() and _STARTS.startswith(content[: len(_STARTS)]):
                path.unlink()  # Cut off inside its header: nothing is lost.
                return cls.create(path, header)
            # All of it is checked before anything is cut: it may not be a results file at all.
            runs, records = parse_lines(path, io.BytesIO(whole))
            _check_same_openvino(path, runs, header)
            if len(whole) < len(content):
                os.truncate(path, len(whole))
            finished = {key for key, record in records.items() if is_finished(record)}
            writer = cls(path.open("a+b", buffering=0), finished)
            writer._write(whole[len(content) :] + line)
        except OSError as error:
            raise ResultsError(f"{path}: cannot be written: {error.strerror}") from None
        return writer

    def append(self, record: CaseRecord) -> None:
        """Write one result. ResultsError if a field has a wrong type; then nothing is written.

        OSError if there is no room: what was written before is whole then, and the file is closed.
        """
        self._write(_as_bytes(record))
        if is_finished(record):
            self.finished.add(record.key)

    def _write(self, line: bytes) -> None:
        # The file has no buffer: what cannot be written now must not be written when it is closed.
        end = self._file.tell()
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
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

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def is_finished(record: CaseRecord) -> bool:
    """Tell whether a resumed run leaves the case out: an ERROR says nothing about the device."""
    return record.outcome is not Outcome.ERROR


def _as_bytes(line: Line) -> bytes:
    """Return a line as bytes, newline included."""
    return to_line(line).encode("ascii") + b"\n"


def _check_same_openvino(path: Path, runs: Iterable[Header], header: Header) -> None:
    """Raise ResultsError if the runs of the file are of another OpenVINO than the header's."""
    for run in leaf_headers(runs):
        if run.openvino != header.openvino:
            raise ResultsError(
                f"{path}: holds results of OpenVINO {run.openvino}, but this is "
                f"{header.openvino}: give another results file, or omit --resume"
            )


def _whole_lines(content: bytes) -> bytes:
    """Return `content` without a last line that was cut off."""
    complete, newline, last = content.rpartition(b"\n")
    try:
        json.loads(last)
    except ValueError:
        return complete + newline
    return content + b"\n"


def _keep_previous(path: Path) -> None:
    """Rename a results file and its failure folders, so that a new run can use the names.

    A file without a result, as left by a run that selected no case, is deleted instead.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.readline()
        has_results = bool(file.readline()) or not head.startswith(_STARTS)
    if not head or not has_results:
        path.unlink()
        return
    previous = path.with_name(f"{stem(path)}.previous.jsonl")
    os.replace(path, previous)
    shutil.rmtree(failures_folder(previous), ignore_errors=True)
    if failures_folder(path).is_dir():
        os.replace(failures_folder(path), failures_folder(previous))
