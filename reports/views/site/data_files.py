"""Files of data that a page loads as scripts: one call of a function, with JSON that is compressed and in base64."""

from __future__ import annotations

import json
from pathlib import Path

from reports.results.shared.files import write_text
from reports.views.packed import packed


def write_part(path: Path, name: str, value: object) -> None:
    """Write a value as the part ``name`` of a site, such as ``data/causes``.

    The names are the site's own: no text from results stands in a script, but in base64. Raises OSError.
    """
    write_text(path, f'part({json.dumps(name)},"{packed(value)}");\n')
