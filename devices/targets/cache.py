"""Where what is compiled or installed for a target is kept between runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of what is kept between runs, which can be removed at any time."""
    base = environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base, "openvino-layer-conformance")
