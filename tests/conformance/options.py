"""The suite's own options, and whether a command line runs the suite.

pytest loads this module for every command line, so it imports nothing else of the project.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ADDRESS = HERE / "test_layers.py"
MINIMUM = "conformance_minimum"


def add(parser: pytest.Parser) -> None:
    """Add the suite's options to pytest's."""
    group = parser.getgroup(
        "conformance", "OpenVINO IR layer conformance (pytest tests/conformance)"
    )
    for name, metavar, default, text in _OPTIONS:
        group.addoption(name, metavar=metavar, default=default, help=text)
    for name, metavar, text in _REPEATABLE:
        group.addoption(name, metavar=metavar, action="append", default=None, help=text)
    for name, metavar, text in _SEVERAL:
        group.addoption(name, metavar=metavar, nargs="+", action="extend", default=None, help=text)
    for name, text in _FLAGS:
        group.addoption(name, action="store_true", help=text)
    parser.addini(
        MINIMUM,
        "the least number of cases of a whole run, for each device: DEPTH=NUMBER, ...",
        default="",
    )


_OPTIONS = [
    (
        "--depth",
        "D",
        None,
        "how many combinations of factors are tested: single (one factor at a time), pairs (every layer of "
        "a purpose in "
        "every way of running it; layers of one variant, and random layers, share the ways; the default), all (also "
        "pairs of two purposes)",
    ),
    ("--random", "N", "50", "random layers for each operation (default 50)"),
    ("--seed", "S", "0", "seed of random layers and of all data (default 0)"),
    ("--samples", "N", None, "with --model: number of random inputs for each model (default 1)"),
    (
        "--shard",
        "I/N",
        "1/1",
        "run the I-th of N parts of the cases (the hash of a case's id decides its part)",
    ),
    (
        "--openvino",
        "DIR",
        None,
        "test this OpenVINO instead of the installed one: an installation or build tree, a virtual environment, or its "
        "site-packages",
    ),
    (
        "--baseline",
        "FILE",
        None,
        "what the run is compared with: the results file of another run, or the folder of a baseline (default: the "
        "nearest baseline that the suite ships for the device; none: no baseline)",
    ),
    (
        "--claims",
        "FILE",
        None,
        "judge by a file of what the device claims to run, which `python -m reports claim` drafts: claimed cases "
        "must conform unless a waiver names them; others may also be refused with an exception, or depart as a given "
        "--baseline says",
    ),
    (
        "--python",
        "PROGRAM",
        None,
        "run devices in this Python, such as one for another machine in an emulator; it needs openvino, numpy and "
        "what reports needs",
    ),
    (
        "--case-timeout",
        "SECONDS",
        None,
        "time limit for each stage of a case: read, compile, infer (default 10, or 60 with a profile arm=... or "
        "npu=...); time that other processes take of the core does not count",
    ),
    (
        "--pack-size",
        "N",
        None,
        "cases compiled together as one model, a pack (default 100, or 8 with a profile opencl=... or npu=...; 1: each "
        "case alone). If a pack fails, parts of it are compiled again",
    ),
    (
        "--audit",
        "SHARE",
        "0.02",
        "share of the cases with an expected result in a pack that also run alone, to check packs "
        "(default 0.02)",
    ),
]
_REPEATABLE = [
    # Given twice it is refused (see `give_back_paths`): pytest would take the last one without a message.
    (
        "--results",
        "FILE",
        "results file, one line of JSON for each case (default results/<device>.jsonl); failure "
        "folders go to FILE.failures/",
    ),
    ("--case", "ID", "run the case of this id, whether the depth has it or not; repeatable"),
    ("--cases", "FILE", "run the cases of a file, which has one id in each line; repeatable"),
    (
        "--sweep",
        "TEMPLATE",
        "run the cases of an id with several values at a place, such as "
        "'Concat-1/plain/f16[1,{16..400..4},8],f16[1,8,8]/axis=1', and print which values fail; repeatable",
    ),
    (
        "--plugin",
        "NAME=LIBRARY",
        "register a plugin of your own before devices open, so that --device NAME tests it; repeatable",
    ),
    (
        "--device",
        "NAME",
        "device to test: any name that OpenVINO accepts (CPU, GPU.1, AUTO:CPU, BATCH:CPU(4)), or "
        "CORE for OpenVINO's own implementation without a plugin; repeatable; default CPU",
    ),
    (
        "--profile",
        "NAME|KEY=VALUE",
        "settings of the device: accuracy (default), performance, isa=AVX2, opencl=pocl or opencl=rusticl "
        "(the GPU plugin without a GPU), npu=NPU4000 (the NPU's compiler without an NPU, on Wine), "
        "arm=neoverse-v1 (the CPU plugin for Arm, emulated), any KEY=VALUE; several are joined by "
        "commas. Repeatable: all cases run with each profile",
    ),
]
_REPEATABLE += [
    (
        "--model",
        "MODEL",
        "test the layers of a model (IR, ONNX, what OpenVINO reads, or a folder of models) instead of the suite's "
        "cases; repeatable",
    ),
    (
        "--input",
        "NAME=FILE.npy",
        "with --model: the value of an input, from a file or as NAME=NUMBER; other inputs are random, by "
        "--seed; repeatable",
    ),
    ("--shape", "NAME=1,3,224,224", "with --model: the shape of an input; repeatable"),
    (
        "--causes",
        "DIR",
        "a folder of causes of your own, besides those of the suite; repeatable",
    ),
]
# As in `python -m ir_models list`.
_SEVERAL = [
    (
        "--operation",
        "NAME",
        "operations such as Gather-8, or types such as Gather for all versions; default all",
    ),
    (
        "--purpose",
        "P",
        "purposes such as example, type, rank, invalid (python -m ir_models purposes); default all",
    ),
    (
        "--how",
        "FACTOR",
        "ways of running a layer: usual, or a factor such as values, index, shape, memory, which selects "
        "the cases that "
        "differ from the usual way in this factor alone; default all",
    ),
]
_FLAGS = [
    (
        "--resume",
        "continue the run of the results file: cases in it do not run again, but are compared with the baseline again",
    ),
    (
        "--strict-gate",
        "exit with 1 also for cases that got better than the baseline says, and for new cases of known causes",
    ),
    (
        "--allow-absent",
        "skip the cases of a device that is not on this machine, instead of ending with an error",
    ),
    (
        "--keep-cores",
        "let child processes that crash write core dumps, where ulimit -c allows them",
    ),
    ("--list-devices", "list the devices of this machine and exit"),
    ("--list-profiles", "list the profiles, with their effect on the device, and exit"),
]


# Options with which pytest runs no tests.
_NO_RUN = (
    "help",
    "version",
    "markers",
    "showfixtures",
    "show_fixtures_per_test",
    "cacheshow",
)


def give_back_paths(config: pytest.Config) -> None:
    """Make paths of tests what ``--operation Gather tests/conformance`` took as the names of operations.

    Raises pytest.UsageError if nothing else is left of them, or if there are two files of results.
    """
    results = config.option.results
    if isinstance(results, list):
        if len(results) > 1:
            raise pytest.UsageError(
                f"--results is given {len(results)} times: {', '.join(results)}"
            )
        config.option.results = results[0]
    root = config.invocation_params.dir
    paths: list[str] = []
    for option, *_ in _SEVERAL:
        name = option.removeprefix("--")
        values = config.getoption(name) or []
        taken = [value for value in values if _is_path(value, root)]
        paths += taken
        left = [value for value in values if value not in taken]
        if taken and not left:
            raise pytest.UsageError(f"{option} needs a value: {taken[0]} is a path")
        setattr(config.option, name, left or None)
    if not paths:
        return
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        # pytest found no path and took its default.
        config.args = []
        config.args_source = pytest.Config.ArgsSource.ARGS
    config.args += paths


def _is_path(text: str, root: Path) -> bool:
    return "::" in text or (("/" in text or text.endswith(".py")) and (root / text).exists())


def is_for_the_suite(config: pytest.Config) -> bool:
    """Whether the command line runs the suite, or lists devices or profiles."""
    if config.getoption("--list-devices") or config.getoption("--list-profiles"):
        return True
    if any(config.getoption(option, None) for option in _NO_RUN):
        return False
    root = config.invocation_params.dir
    _drop_empty_lines(config)
    others = [arg for arg in config.args if not _is_of_the_suite(root, arg)]
    given = _given(config)
    missing = [
        arg
        for arg in config.args
        if not is_bare_id(arg) and not (root / arg.partition("::")[0].partition("[")[0]).exists()
    ]
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        if missing and (given or len(others) < len(config.args)):
            raise pytest.UsageError(
                f"{missing[0]} does not exist; a path with a blank needs quotes around it"
            )
        if others and given:
            raise pytest.UsageError(
                f"{given} applies to tests/conformance alone; the command also names {' '.join(others)}"
            )
        if others and len(others) < len(config.args):
            raise pytest.UsageError(f"run tests/conformance alone, without {' '.join(others)}")
    elif others and given:
        # Who says what the suite is to do and names no tests means the suite.
        config.args = [str(HERE)]
        # Workers of pytest-xdist read the command line again. Without a path pytest would look for these options
        # beside a results file that is there by then.
        given_params = config.invocation_params
        config.invocation_params = pytest.Config.InvocationParams(
            args=(str(HERE), *given_params.args), plugins=given_params.plugins, dir=given_params.dir
        )
        config.args_source = pytest.Config.ArgsSource.ARGS
        others = []
    return bool(config.args) and not others


def _drop_empty_lines(config: pytest.Config) -> None:
    """Leave out empty lines and comments of a file of ids, which pytest would take for paths: for its own folder.

    Raises pytest.UsageError if such a file has nothing else: without paths pytest would run other tests.
    """
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        config.args = [arg for arg in config.args if not _is_empty(arg)]
    files = [arg[1:] for arg in config.invocation_params.args if arg.startswith("@")]
    for file in files:
        if all(map(_is_empty, Path(file).read_text("utf-8").splitlines())):
            raise pytest.UsageError(f"{file} names no case")


def _is_empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _given(config: pytest.Config) -> str:
    """The first option of the suite that the command line has, even with its default value, or ""."""
    usual: dict[str, object] = {name: default for name, _, default, _ in _OPTIONS}
    usual |= dict.fromkeys((name for name, *_ in (*_REPEATABLE, *_SEVERAL)))
    usual |= dict.fromkeys((name for name, *_ in _FLAGS), False)
    typed = {str(arg).partition("=")[0] for arg in config.invocation_params.args}
    return next(
        (name for name, value in usual.items() if config.getoption(name) != value or name in typed),
        "",
    )


def is_bare_id(arg: str) -> bool:
    """Whether an argument begins as a case's id does, without the file and the target before it."""
    return re.match(r"[A-Z][A-Za-z0-9]*-[0-9]+/", arg) is not None


def _is_of_the_suite(root: Path, arg: str) -> bool:
    """Whether a path of the command line is in the suite, or is a case's id, which lacks the address."""
    if is_bare_id(arg) and not (root / arg).exists():
        return True
    path = (root / arg.partition("::")[0].partition("[")[0]).resolve()
    return path == HERE or HERE in path.parents
