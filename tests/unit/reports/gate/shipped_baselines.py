"""The baselines that the suite ships. Each is read once for all tests of a process, which change none."""

from functools import cache

from reports.gate.baseline_files import DIRECTORY, read_folder

FOLDERS = sorted(path.parent for path in DIRECTORY.glob("*/*/run.toml"))
shipped_baseline = cache(read_folder)
