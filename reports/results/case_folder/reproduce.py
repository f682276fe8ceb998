"""Run this folder's model on an OpenVINO device and compare the outputs with the expected ones.

    python reproduce.py [--device NAME] [--timeout SECONDS] [--repeat N] [--in-process]

It needs openvino and numpy only. manifest.json describes the files of this folder. Exit code 0:
the device conforms; 1: the defect is there; 2: wrong usage; 3: the case cannot run, or not be
decided, here; 130: Ctrl-C.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True


def run() -> int:
    """Run the copy of the modules beside this script; return the exit code."""
    try:
        from case_folder.command import main  # type: ignore[import-not-found]
    except ImportError as missing:
        if missing.name not in ("numpy", "case_folder"):
            raise
        needs = "pip install numpy openvino"
        if missing.name == "case_folder":
            needs = "the whole folder is needed, with case_folder in it"
        print(f"cannot run: {missing}; {needs}", file=sys.stderr)
        return 3
    code: int = main(Path(__file__).resolve().parent, sys.argv[1:])
    return code


if __name__ == "__main__":
    try:
        sys.exit(run())
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
