"""What files were before each take of `python -m reports accept`, so that a take can be undone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from reports.files import write_text
from reports.results.records import ResultsError


class _Step(msgspec.Struct):
    """What files were before a step, and what they are behind it.

    ``after`` has the digests of the texts that the step wrote, "" for a file that it removed. An interrupted step has
    none, and all files that it could have changed.
    """

    took: str
    files: dict[str, str | None]
    folders: list[str]
    after: dict[str, str] = {}


@dataclass(frozen=True)
class Log:
    """The steps of some results, in a file beside them."""

    path: Path

    def before(self, folder: Path) -> dict[str, str | None]:
        """Return what the files of a folder were before the first step; None for one that was not there."""
        found: dict[str, str | None] = {}
        for step in self._steps():
            for name, text in step.files.items():
                path = Path(name)
                if path.parent == folder.absolute():
                    found.setdefault(path.name, text)
        return found

    @contextmanager
    def step(self, name: str, paths: Iterable[Path]) -> Iterator[None]:
        """Write down what these files are before a step changes them, and afterwards those that it changed."""
        steps = self._steps()
        before = {str(path.absolute()): _text_of(path) for path in paths}
        folders = [
            str(each)
            for folder in dict.fromkeys(Path(path).parent for path in before)
            for each in (folder, *folder.parents)
            if not each.exists()
        ]
        self._write([*steps, _Step(name, before, list(dict.fromkeys(folders)))])
        yield
        now = {path: _text_of(Path(path)) for path in before}
        changed = {path: text for path, text in before.items() if now[path] != text}
        after = {path: _digest(now[path]) for path in changed}
        self._write([*steps, _Step(name, changed, folders, after)] if changed else steps)

    def _write(self, steps: Sequence[_Step]) -> None:
        if steps:
            write_text(self.path, msgspec.json.encode(steps).decode() + "\n")
        else:
            self.path.unlink(missing_ok=True)

    def _steps(self) -> list[_Step]:
        if not self.path.exists():
            return []
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=list[_Step])
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ResultsError(f"{self.path}: is not a list of what was taken") from None

    def take_back(self, folder: Path, causes: Iterable[Path]) -> int:
        """Make the files what they were before the last step.

        It writes in the folder of the baseline, in those beside it that stand on it, and in folders of causes; for any
        other file, and where that would lose a later change, it raises ResultsError and changes nothing.
        """
        steps = self._steps()
        if not steps:
            raise ResultsError(f"{self.path}: nothing to take back")
        step = steps.pop()
        own = folder.absolute()
        places = {each.absolute() for each in causes}
        for name in [*step.files, *step.after]:
            path = Path(name)
            is_baseline = path.parent == own or path.parent.parent == own.parent
            if (
                not path.is_absolute()
                or ".." in path.parts
                or not (is_baseline or path.parent in places)
            ):
                raise ResultsError(
                    f"{self.path}: {name} is neither in the baseline {folder} nor in a folder of causes"
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
        # Inner folders come first.
        for name in step.folders:
            inner = Path(name)
            if (
                inner in (own, *own.parents, *places)
                and inner.is_dir()
                and not any(inner.iterdir())
            ):
                inner.rmdir()
        self._write(steps)
        print(f"taken back: {step.took}")
        return 0


def _text_of(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()
