"""An OpenVINO or a plugin of your own, which child processes load in place of what is installed.

What to load stands in the environment, which worker processes, the fork server and children inherit.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

OPENVINO = "CONFORMANCE_OPENVINO"
"""The folder of the Python package ``openvino``."""
PLUGINS = "CONFORMANCE_PLUGINS"
"""NAME=LIBRARY of each plugin to register, one in a line."""

# Below an installation, a build tree, a virtual environment, and site-packages themselves.
_PACKAGES = (
    "openvino",
    "python/openvino",
    "lib/python3*/site-packages/openvino",
    "Lib/site-packages/openvino",
    "bin/*/*/python/openvino",
)
_LIBRARIES = ("runtime/lib/*", "runtime/3rdparty/tbb/lib", "bin/*/*", ".")
_LIBRARY_PATH = "DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"


class OwnBuildError(ValueError):
    """There is no OpenVINO or no plugin where one was named. The message is one line."""


def add_arguments(parser: argparse.ArgumentParser, several: str = "") -> None:
    """Declare ``--openvino`` and ``--plugin``, as the suite has them.

    ``several`` says what more than one ``--openvino`` is for, where a command takes that.
    """
    if several:
        about = f"an OpenVINO of your own; repeatable: {several}"
        parser.add_argument("--openvino", metavar="DIR", action="append", default=[], help=about)
    else:
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
    if openvino:
        os.environ.update(environment(openvino))
    if registered:
        os.environ[PLUGINS] = "\n".join(registered)


def environment(openvino: str) -> dict[str, str]:
    """The variables of a process that loads the OpenVINO in this folder. Raises OwnBuildError."""
    folder = Path(openvino).expanduser().resolve()
    found = [str(path) for path in _library_folders(folder)]
    before = os.environ.get(_LIBRARY_PATH, "")
    return {
        OPENVINO: str(_package(folder)),
        _LIBRARY_PATH: os.pathsep.join(filter(None, [*found, before])),
    }


def _package(folder: Path) -> Path:
    for pattern in _PACKAGES:
        for found in sorted(folder.glob(pattern)):
            if (found / "__init__.py").is_file():
                return found
    raise OwnBuildError(
        f"--openvino {folder}: no OpenVINO there: expected one of {', '.join(_PACKAGES)} with an __init__.py"
    )


def _library_folders(folder: Path) -> Iterator[Path]:
    for pattern in _LIBRARIES:
        for found in sorted(folder.glob(pattern)) if pattern != "." else [folder]:
            if any(found.glob("*openvino.*")):
                yield found


def _plugin(text: str) -> str:
    name, equals, library = text.partition("=")
    if not (equals and name and library) or "\n" in text:
        raise OwnBuildError(f"--plugin is NAME=LIBRARY, got {text!r}")
    path = Path(library).expanduser().resolve()
    if not path.is_file():
        raise OwnBuildError(f"--plugin {name}: there is no file {path}")
    return f"{name}={path}"


def load() -> None:
    """Import ``openvino`` from the folder that was named, if one was. Raises ImportError."""
    folder = os.environ.get(OPENVINO)
    if not folder or "openvino" in sys.modules:
        return
    # No folder is added to the path: one of site-packages has other packages, of which the installed ones count.
    spec = importlib.util.spec_from_file_location(
        "openvino", Path(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules["openvino"] = module
    try:
        spec.loader.exec_module(module)
    except ImportError as error:
        del sys.modules["openvino"]
        raise ImportError(f"--openvino: {folder} does not load with this Python: {error}") from None


def plugins() -> list[tuple[str, str]]:
    """The plugins to register: name and library."""
    lines = os.environ.get(PLUGINS, "").splitlines()
    return [(name, library) for name, _, library in (line.partition("=") for line in lines)]
