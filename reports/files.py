"""Files written atomically."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Write `text` (UTF-8, newlines as they are) to `path` at once: readers see old or new."""
    if path.exists() and not path.is_file():
        # A pipe or a terminal, such as /dev/stdout, is written to and not replaced.
        path.write_text(text, encoding="utf-8", newline="")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # mkstemp makes files that only the owner can read; others read reports too.
        os.chmod(temporary, _ordinary_mode())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _ordinary_mode() -> int:
    """Return the mode that `open` would have given a new file."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
