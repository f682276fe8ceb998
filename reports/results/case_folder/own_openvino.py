"""An OpenVINO that is not the installed one: where it is, and how it is loaded. The standard library is enough."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

OPENVINO = "CONFORMANCE_OPENVINO"
"""The variable with its folder: an installation, a build tree, a virtual environment, or site-packages."""

# Below such a folder.
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


def environment(openvino: str) -> dict[str, str]:
    """The variables of a process that loads the OpenVINO in this folder. Raises OwnBuildError."""
    if not openvino:
        raise OwnBuildError("--openvino takes a path, got ''")
    folder = Path(openvino).expanduser().resolve()
    package_in(folder)
    found = [str(path) for path in _library_folders(folder)]
    before = os.environ.get(_LIBRARY_PATH, "")
    return {
        OPENVINO: str(folder),
        _LIBRARY_PATH: os.pathsep.join(filter(None, [*found, before])),
    }


def package_in(folder: Path) -> Path:
    """Return the Python package ``openvino`` of such a folder. Raises OwnBuildError."""
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
            if any(found.glob("*openvino.*")) or any(found.glob("*tbb.*")):
                yield found


def load() -> None:
    """Import ``openvino`` from the folder that was named, if one was. Raises ImportError."""
    named = os.environ.get(OPENVINO)
    if not named or "openvino" in sys.modules:
        return
    try:
        folder = package_in(Path(named))
    except OwnBuildError as error:
        raise ImportError(str(error)) from None
    # No folder is added to the path: one of site-packages has other packages, of which the installed ones count.
    spec = importlib.util.spec_from_file_location(
        "openvino", folder / "__init__.py", submodule_search_locations=[str(folder)]
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
