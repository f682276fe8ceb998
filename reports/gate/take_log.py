"""What files were before each take of `python -m reports accept`, so that a take can be undone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path

import msgspec

from reports.gate import baseline_files
from reports.results.records import ResultsError
from reports.results.shared.files import check_is_regular, write_text


class _Step(msgspec.Struct, forbid_unknown_fields=True):
    """What files were before a step, None for one that was not there, and the digests of their texts behind it.

    The digest of a file that the step removes is "".
    """

    took: str
    files: dict[str, str | None]
    after: dict[str, str]
    is_done: bool = False
    """Whether all files are written; not if the step runs, or was interrupted."""
    of: str = ""
    """The digest of the results of which it took groups."""


@dataclass(frozen=True)
class Log:
    """The steps of some results, in a file ``path`` beside them.

    They change the files of a baseline's ``folder``, of those that stand on it, and of folders of ``causes``. The log
    is a file that anyone may have changed: no other file is written because it says so.
    """

    path: Path
    folder: Path
    causes: Sequence[Path]
    results: Sequence[Path] = ()

    @property
    def is_interrupted(self) -> bool:
        """Whether the last step has not come to its end."""
        return any(not step.is_done for step in self._steps()[-1:])

    @property
    def has_steps(self) -> bool:
        """Whether something was taken that can be taken back."""
        return bool(self._steps())

    def before(self, folder: Path) -> dict[str, str | None]:
        """Return what a folder's files were before the first step of these results; None for one that was not there.

        Steps of other results, which the file had before, do not count, nor those before them.
        """
        found: dict[str, str | None] = {}
        steps = self._steps()
        own = [*takewhile(lambda step: step.of == self._of, reversed(steps))]
        for step in reversed(own):
            for name, text in step.files.items():
                path = Path(name)
                if path.parent == folder.resolve():
                    found.setdefault(path.name, text)
        return found

    def write(self, name: str, texts: Mapping[Path, str | None]) -> bool:
        """Write files as one step, which can be taken back; None removes one. Return whether one changed."""
        steps = self._steps()
        after = {str(path.parent.resolve() / path.name): text for path, text in texts.items()}
        before = {path: _text_of(path) for path in after}
        changed = [path for path, text in after.items() if before[path] != text]
        if not changed:
            return False
        for path in changed:
            check_is_regular(Path(path))
        files = {path: before[path] for path in changed}
        digests = {path: _digest(after[path]) for path in changed}
        step = _Step(name, files, digests, of=self._of)
        self._keep([*steps, step])
        _write({path: after[path] for path in changed})
        step.is_done = True
        self._keep([*steps, step])
        return True

    def recover(self) -> None:
        """Undo a step that was interrupted, if there is one; where others have changed its files, these stay.

        Raises ResultsError.
        """
        if self.is_interrupted:
            *steps, step = self._steps()
            self._check(step)
            if _changed(step):
                self._keep(steps)
            else:
                self._undo(steps, step)

    def take_back(self) -> str:
        """Make the files what they were before the last step, and return its name.

        Where that would lose a later change it raises ResultsError, and changes nothing.
        """
        if not self._steps():
            raise ResultsError(f"{self.path}: nothing to take back")
        *steps, step = self._steps()
        self._check(step)
        changed = _changed(step)
        if changed:
            raise ResultsError(f"{changed}: it has changed since it was written; take back by hand")
        self._undo(steps, step)
        return step.took

    @cached_property
    def _of(self) -> str:
        """The digest of the results."""
        found = hashlib.sha256()
        for path in self.results:
            found.update(path.read_bytes())
        return found.hexdigest()

    def _check(self, step: _Step) -> None:
        """Raise ResultsError for a file that no step writes."""
        places = self._places()
        for name in (*step.files, *step.after):
            path = Path(name)
            if path.suffix not in places.get(path.parent, ()) or path != path.resolve():
                raise ResultsError(
                    f"{self.path}: {name} is no file of the baseline {self.folder}, and no cause; if the last take "
                    "wrote another folder, give that one with --baseline"
                )

    def _undo(self, steps: Sequence[_Step], step: _Step) -> None:
        _write(step.files)
        with suppress(
            OSError
        ):  # A baseline that was made goes with its folder, unless that has other files.
            self.folder.rmdir()
        self._keep(steps)

    def _places(self) -> dict[Path, tuple[str, ...]]:
        """The folders in which a step writes, with the suffixes of its files there."""
        above = baseline_files.above(self.folder) if self.folder.exists() else []
        found = {each.resolve(): baseline_files.SUFFIXES for each in (self.folder, *above)}
        folders = {path for each in self.causes for path in (each, *each.glob("*/"))}
        return found | {each.resolve(): (".toml",) for each in folders}

    def _steps(self) -> list[_Step]:
        if not self.path.exists():
            return []
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=list[_Step])
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ResultsError(f"{self.path}: is not a list of what was taken") from None

    def _keep(self, steps: Sequence[_Step]) -> None:
        if steps:
            write_text(self.path, msgspec.json.encode(steps).decode() + "\n")
        else:
            self.path.unlink(missing_ok=True)


def _changed(step: _Step) -> str:
    """Return a file that is neither what it was before the step nor what the step writes; "" if there is none."""
    for name, digest in step.after.items():
        now = _text_of(name)
        if _digest(now) != digest and (step.is_done or now != step.files.get(name)):
            return name
    return ""


def _write(texts: Mapping[str, str | None]) -> None:
    def order(name: str) -> tuple[int, str]:
        # Without its run a folder is no baseline: one that is not written to its end has none.
        if Path(name).name != baseline_files.RUN:
            return 1, name
        return (0 if texts[name] is None else 2), name

    for name in sorted(texts, key=order):
        text = texts[name]
        if text is None:
            Path(name).unlink(missing_ok=True)
        elif _text_of(name) != text:
            write_text(Path(name), text)


def _text_of(name: str) -> str | None:
    path = Path(name)
    return path.read_text("utf-8") if path.exists() else None


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()
