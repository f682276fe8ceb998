"""What files were before each take of `python -m reports accept`, so that a take can be undone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from reports.files import write_text
from reports.gate import baseline_files
from reports.results.records import ResultsError


class _Step(msgspec.Struct, forbid_unknown_fields=True):
    """What files were before a step, and what they are behind it; None for a file that is not there.

    ``after`` has the digests of the texts that the step wrote, "" for a file that it removed. An interrupted step has
    none, and all files that it could have changed.
    """

    took: str
    files: dict[str, str | None]
    after: dict[str, str] = {}


@dataclass(frozen=True)
class Log:
    """The steps of some results, in a file ``path`` beside them.

    They change the files of a baseline's ``folder``, of those that stand on it, and of folders of ``causes``. The log
    is a file that anyone may have changed: no other file is written because it says so.
    """

    path: Path
    folder: Path
    causes: Sequence[Path]

    @property
    def is_interrupted(self) -> bool:
        """Whether the last step has not come to its end."""
        return any(not step.after for step in self._steps()[-1:])

    def before(self, folder: Path) -> dict[str, str | None]:
        """Return what the files of a folder were before the first step; None for one that was not there."""
        found: dict[str, str | None] = {}
        for step in self._steps():
            for name, text in step.files.items():
                path = Path(name)
                if path.parent == folder.resolve():
                    found.setdefault(path.name, text)
        return found

    @contextmanager
    def step(self, name: str, paths: Iterable[Path]) -> Iterator[None]:
        """Write down what these files are before a step changes them, and afterwards those that it changed."""
        steps = self._steps()
        before = {str(path.parent.resolve() / path.name): _text_of(path) for path in paths}
        self._write([*steps, _Step(name, before)])
        yield
        now = {path: _text_of(Path(path)) for path in before}
        changed = {path: text for path, text in before.items() if now[path] != text}
        after = {path: _digest(now[path]) for path in changed}
        self._write([*steps, _Step(name, changed, after)] if changed else steps)

    def recover(self) -> None:
        """Undo a step that was interrupted, if there is one. Raises ResultsError."""
        if self.is_interrupted:
            self._undo_last()

    def take_back(self) -> str:
        """Make the files what they were before the last step, and return its name.

        Where that would lose a later change it raises ResultsError, and changes nothing.
        """
        if not self._steps():
            raise ResultsError(f"{self.path}: nothing to take back")
        return self._undo_last()

    def _undo_last(self) -> str:
        *steps, step = self._steps()
        places = self._places()
        for name in (*step.files, *step.after):
            path = Path(name)
            if path.suffix not in places.get(path.parent, ()) or path != path.resolve():
                raise ResultsError(
                    f"{self.path}: {name} is no file of the baseline {self.folder}, and no cause"
                )
        for name, digest in step.after.items():
            if _digest(_text_of(Path(name))) != digest:
                raise ResultsError(
                    f"{name}: it has changed since it was written; take back by hand"
                )
        for name, text in step.files.items():
            if text is None:
                Path(name).unlink(missing_ok=True)
            elif _text_of(Path(name)) != text:
                write_text(Path(name), text)
        with suppress(
            OSError
        ):  # A baseline that was made goes with its folder, unless that has other files.
            self.folder.rmdir()
        self._write(steps)
        return step.took

    def _places(self) -> dict[Path, tuple[str, ...]]:
        """The folders in which a step writes, with the suffixes of its files there."""
        above = baseline_files.above(self.folder) if self.folder.exists() else []
        found = {each.resolve(): baseline_files.SUFFIXES for each in (self.folder, *above)}
        return found | {each.resolve(): (".toml",) for each in self.causes}

    def _steps(self) -> list[_Step]:
        if not self.path.exists():
            return []
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=list[_Step])
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ResultsError(f"{self.path}: is not a list of what was taken") from None

    def _write(self, steps: Sequence[_Step]) -> None:
        if steps:
            write_text(self.path, msgspec.json.encode(steps).decode() + "\n")
        else:
            self.path.unlink(missing_ok=True)


def _text_of(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()
