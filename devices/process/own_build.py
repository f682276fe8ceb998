"""An OpenVINO or a plugin of your own, which child processes load in place of what is installed.

What to load stands in the environment, which worker processes, the fork server and children inherit.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from reports.results.case_folder.own_openvino import (
    OPENVINO,
    OwnBuildError,
    environment,
    load,
)

__all__ = ["OPENVINO", "OwnBuildError", "add_arguments", "environment", "load", "plugins", "use"]

PLUGINS = "CONFORMANCE_PLUGINS"
"""NAME=LIBRARY of each plugin to register, one in a line."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``--openvino`` and ``--plugin``, as the suite has them."""
    parser.add_argument("--openvino", metavar="DIR", help="an OpenVINO of your own")
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="NAME=LIBRARY",
        help="register a plugin's library under a name",
    )


def use(openvino: str | None, plugins: Sequence[str]) -> None:
    """Make the processes that are started from now on load these. Raises OwnBuildError."""
    registered = [_plugin(text) for text in plugins]
    if openvino is not None:
        os.environ.update(environment(openvino))
    if registered:
        os.environ[PLUGINS] = "\n".join(registered)


def _plugin(text: str) -> str:
    name, equals, library = text.partition("=")
    if not (equals and name and library) or "\n" in text:
        raise OwnBuildError(f"--plugin is NAME=LIBRARY, got {text!r}")
    path = Path(library).expanduser().resolve()
    if not path.is_file():
        raise OwnBuildError(f"--plugin {name}: there is no file {path}")
    return f"{name}={path}"


def plugins() -> list[tuple[str, str]]:
    """The plugins to register: name and library."""
    lines = os.environ.get(PLUGINS, "").splitlines()
    return [(name, library) for name, _, library in (line.partition("=") for line in lines)]
