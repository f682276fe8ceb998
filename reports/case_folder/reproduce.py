"""Run this folder's model on an OpenVINO device and compare the outputs with the expected ones.

    python reproduce.py [--device NAME] [--timeout SECONDS] [--repeat N] [--in-process]

It needs openvino and numpy only. manifest.json describes the files of this folder. Exit code 0:
the device conforms; 1: the defect is there; 2: wrong usage; 3: the case cannot run, or not be
decided, here.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True

if __name__ == "__main__":
    try:
        # The copy beside this script.
        from case_folder.command import main  # type: ignore[import-not-found]
    except ImportError as missing:
        if missing.name != "numpy":
            raise
        print(f"cannot run: {missing}; pip install numpy openvino", file=sys.stderr)
        sys.exit(3)
    sys.exit(main(Path(__file__).resolve().parent, sys.argv[1:]))
