"""The report's data as text: JSON, compressed with gzip, in base64."""

from __future__ import annotations

import base64
import gzip
import json

# Higher levels take several times as long for a few percent.
LEVEL = 6


def packed(value: object) -> str:
    """Return a value as the text that templates/shared.js unpacks.

    Base64 has no character that means something in HTML. The same value gives the same text:
    the gzip header carries no time. Raises ValueError for a number that JSON does not have.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), LEVEL, mtime=0)).decode("ascii")
