"""Whatever is wrong in what a user gives: one line on standard error, exit code 2, no traceback, nothing lost."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from reports.results.records import SCHEMA, to_line
from tests.unit.conformance.running import FAULTY, ROOT, SMALL, Run, run, suite
from tests.unit.reports import small_results

EXAMPLE = ("--operation", "SpaceToDepth-1", "--purpose", "example")
ADDRESS = "tests/conformance/test_layers.py"


def assert_told(came: Run, *words: str) -> None:
    assert came.code == 2, came.text
    told = came.err.strip().splitlines()
    assert len(told) == 1, came.text
    assert all(word in told[0] for word in words), came.text
    assert "Traceback" not in came.out


@pytest.fixture
def earlier(tmp_path: Path) -> bytes:
    """The content of a results file from an earlier run."""
    header = {
        "kind": "run",
        "schema": SCHEMA,
        "suite": "1",
        "openvino": "faulty",
        "targets": [],
    }
    content = (json.dumps(header, separators=(",", ":")) + "\n").encode()
    # Without a result it would not be worth keeping.
    content += to_line(small_results.record()).encode() + b"\n"
    (tmp_path / "results.jsonl").write_bytes(content)
    return content


@pytest.mark.parametrize(
    "device, options, words",
    [
        ("XPU", (), ['error: XPU: Device with "XPU" name is not registered', "; available: CPU"]),
        (
            FAULTY,
            ("--results", "b.jsonl", "--results", "a.jsonl"),
            ["--results is given 2 times: b.jsonl, a.jsonl"],
        ),
        ("CPU", ("--profile", "NO_SUCH_KEY=1"), ["CPU", "NO_SUCH_KEY"]),
        ("AUTO", (), ["'AUTO' does not say which device to test", "AUTO:CPU"]),
        ("AUTO:", (), ["'AUTO:' does not say which device to test"]),
        ("BATCH:CPU(x)", (), ["BATCH:CPU(x)", "a whole number from 1 on"]),
        ("BATCH:CPU(0)", (), ["BATCH:CPU(0)", "a whole number from 1 on"]),
        ("CPU\n", (), ["the name of a device", r"'CPU\n'"]),
        (FAULTY, ("--shard", f"1/{'9' * 5000}"), ["--shard", "I/N", "999..."]),
        (FAULTY, ("--seed", "9" * 5000), ["--seed", "999..."]),
        (FAULTY, ("--random", str(2**63)), ["--random", "from 0 to 9223372036854775807"]),
        ("PYTHON:no_such_module", (), ["No module named 'no_such_module'"]),
        (FAULTY, ("--profile", "FAULT=unknown"), ["unknown fault 'unknown'"]),
        (FAULTY, ("--profile", "FAULT=open_segfault"), [FAULTY, "does not open", "SIGSEGV"]),
        (FAULTY, ("--profile", "FAULT=open_error"), ["RuntimeError: the driver's table is empty"]),
        (FAULTY, ("--profile", "fast"), ["unknown profile 'fast'", "accuracy, performance"]),
        (FAULTY, ("--profile", "isa=MMX"), ["unknown isa 'MMX'", "AVX2"]),
        (FAULTY, ("--operation", "SpaceToDeth-1"), ["'SpaceToDeth-1'", "SpaceToDepth-1"]),
        (FAULTY, ("--operation", "SpaceToDepth-9"), ["'SpaceToDepth-9'", "SpaceToDepth-1"]),
        (FAULTY, ("--purpose", "exampel"), ["unknown purpose 'exampel'", "example, plain"]),
        (FAULTY, ("--shard", "2"), ["--shard", "I/N", "'2'"]),
        (FAULTY, ("--shard", "3/2"), ["--shard", "'3/2'"]),
        (FAULTY, ("--shard", "0/2"), ["--shard", "'0/2'"]),
        (FAULTY, ("--random", "-1"), ["--random", "'-1'"]),
        (FAULTY, ("--random", "many"), ["--random", "'many'"]),
        (FAULTY, ("--seed", "x"), ["--seed", "'x'"]),
        (FAULTY, ("--case-timeout", "0"), ["--case-timeout", "'0'"]),
        (FAULTY, ("--case-timeout", "nan"), ["--case-timeout", "'nan'"]),
        (FAULTY, ("--audit", "2"), ["--audit", "0 to 1", "'2'"]),
        (FAULTY, ("--pack-size", "0"), ["--pack-size", "from 1 on", "'0'"]),
        (FAULTY, ("--baseline=",), ["--baseline takes a path, got ''"]),
        (FAULTY, ("--openvino=",), ["--openvino takes a path, got ''"]),
        (FAULTY, ("--openvino", ""), ["--openvino takes a path, got ''"]),
        (FAULTY, ("--plugin", ""), ["--plugin is NAME=LIBRARY, got ''"]),
        (FAULTY, ("--causes=",), ["--causes takes a path, got ''"]),
        (
            FAULTY,
            ("--case", "Abs-1/plain/f32[2]", *EXAMPLE),
            ["--case and --operation exclude each other"],
        ),
        (
            FAULTY,
            ("--sweep", "Abs-1/plain/f32[{1..3}]", "--purpose", "plain"),
            ["--sweep and --purpose exclude each other"],
        ),
        (FAULTY, ("--case", "Abs-1/invalid/f32[2]"), ["Abs-1/invalid/f32[2]: the layer breaks no"]),
        # What pytest itself refuses.
        (FAULTY, ("--operaton", "Abs-1"), ["error: unrecognized arguments: --operaton Abs-1"]),
        (FAULTY, ("--shard",), ["error: argument --shard: expected one argument"]),
    ],
)
def test_an_option_that_cannot_be(
    tmp_path: Path, earlier: bytes, device: str, options: tuple[str, ...], words: list[str]
) -> None:
    assert_told(suite(tmp_path, *options, device=device), "error: ", *words)
    assert (tmp_path / "results.jsonl").read_bytes() == earlier


@pytest.mark.parametrize(
    "case, words",
    [
        ("CPU::nonsense", ["'nonsense'", "operation/what/data"]),
        ("CPU::SpaceToDepth-1/plain/f33[3,5,4,6]/block_size=2,mode=blocks_first", ["f33"]),
        ("CPU::SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mood=blocks_first", ["mood"]),
        ("CPU::SpaceToDepth-9/plain/f32[3,5,4,6]", ["SpaceToDepth-9"]),
        ("GPU::SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first", ["GPU", "CPU"]),
        ("GPU", ["GPU", "CPU"]),
        (
            "CPU::Abs-1/plain/boolean[2]",
            ["breaks a rule of the specification: data: T is one of f16"],
        ),
    ],
)
def test_a_case_that_cannot_be(tmp_path: Path, earlier: bytes, case: str, words: list[str]) -> None:
    results = str(tmp_path / "results.jsonl")
    came = run(tmp_path, "-m", "pytest", f"{ADDRESS}::{case}", "--results", results)
    assert_told(came, "error: ", *words)
    assert (tmp_path / "results.jsonl").read_bytes() == earlier


OTHERS = "tests/unit/test_costs.py"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        # The value that the option has anyway.
        (
            ("--seed", "0", OTHERS),
            f"--seed applies to tests/conformance alone; the command also names {OTHERS}",
        ),
        (
            ("--shard=1/1", OTHERS),
            f"--shard applies to tests/conformance alone; the command also names {OTHERS}",
        ),
        (
            ("tests/conformance", OTHERS, "--device", FAULTY),
            f"--device applies to tests/conformance alone; the command also names {OTHERS}",
        ),
        (
            ("tests/conformance", OTHERS),
            f"run tests/conformance alone, without {OTHERS}",
        ),
        (
            ("tests/conformance", "--baseline", "my", "file.jsonl"),
            "file.jsonl does not exist; a path with a blank needs quotes around it",
        ),
        (
            ("tests/conformance/no_such",),
            "tests/conformance/no_such does not exist; a path with a blank needs quotes around it",
        ),
    ],
)
def test_other_tests_are_no_part_of_a_run(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    came = run(tmp_path, "-m", "pytest", "-q", "--collect-only", *arguments)
    assert (came.code, came.out, came.err) == (2, "", f"error: {told}\n"), came.text


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [("{address}\n\n", (), 0), ("# {address}\n\n", (), 2), ("", ("--seed", "0"), 2)],
    ids=["an empty line", "comments alone", "nothing"],
)
def test_a_file_of_ids_asks_its_cases_and_no_other_tests(
    tmp_path: Path, text: str, options: tuple[str, ...], code: int
) -> None:
    """pytest takes an empty line for its own folder, and without any path it runs the project's own tests."""
    case = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first/shape=dims;resize=zero"
    ids = tmp_path / "ids.txt"
    ids.write_text(text.format(address=f"{ADDRESS}::{FAULTY}::{case}"))
    given = ("--device", FAULTY, "--collect-only", "-q") if code == 0 else options
    came = run(tmp_path, "-m", "pytest", f"@{ids}", *given)
    assert came.code == code, came.text
    if code:
        assert came.err == f"error: {ids} names no case\n"
    else:
        assert came.out.splitlines()[0].endswith("/shape=dims,resize=zero")
        assert "1 test collected" in came.out


def test_each_wrong_line_of_a_file_of_ids_is_named(tmp_path: Path) -> None:
    good = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first"
    ids = tmp_path / "ids.txt"
    lines = [
        f"{ADDRESS}::{FAULTY}::{good}",
        f"{ADDRESS}::{FAULTY}::{good.replace('f32', 'f33')}",
        "",
        f"{ADDRESS}::{FAULTY}::Nonsense-1/plain/f32[3]",
        good,
        f"{ADDRESS}::OTHER::{good}",
        f"{ADDRESS}::{FAULTY}::{good.replace('f32', 'f33')}",
    ]
    ids.write_text("\n".join(lines))
    came = run(tmp_path, "-m", "pytest", f"@{ids}", "--device", FAULTY, "--collect-only", "-q")
    assert (came.code, came.out) == (2, ""), came.text
    told = came.err.splitlines()
    words = {
        2: "unknown element type 'f33'",
        7: "unknown element type 'f33'",
        4: "unknown operation 'Nonsense-1'",
        5: f"a case is addressed with its target: tests/conformance/test_layers.py::{FAULTY}::Space",
        6: f"OTHER is in a case address, but the run tests {FAULTY}",
    }
    assert len(told) == len(words)
    for line, (number, text) in zip(told, words.items(), strict=True):
        assert line.startswith(f"error: {ids}:{number}: ")
        assert text in line


def test_each_wrong_line_of_a_file_of_cases_is_named(tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text(
        "# cases\nSin-1/plain/f33[2]\nSin-1/plain/f32[2]\nNonsense-1/plain/f32[2]\nSin-1/plain/boolean[2]\n"
    )
    came = suite(tmp_path, "--cases", str(ids))
    assert (came.code, came.out) == (2, ""), came.text
    first, second, third = came.err.splitlines()
    assert first.startswith(f"error: {ids}:2: malformed case id 'Sin-1/plain/f33[2]'")
    assert second.startswith(f"error: {ids}:4: unknown operation 'Nonsense-1'")
    assert third.startswith(
        f"error: {ids}:5: Sin-1/plain/boolean[2]: the layer breaks a rule of the specification"
    )


def test_of_many_wrong_ids_the_first_are_named(tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("".join(f"{ADDRESS}::{FAULTY}::Nonsense-{n}/plain/f32[3]\n" for n in range(30)))
    came = run(tmp_path, "-m", "pytest", f"@{ids}", "--device", FAULTY)
    assert (came.code, came.out) == (2, ""), came.text
    told = came.err.splitlines()
    assert len(told) == 21
    assert told[-1] == "error: and 10 more that name no case"


@pytest.mark.parametrize(
    "options, told",
    [
        (("-k", "nothing"), "no case is selected"),
        (("-k", "nothing", "--collect-only"), "no case is selected"),
        (("-k", "("), "error: Wrong expression passed to '-k'"),
    ],
)
def test_a_selection_of_no_cases(
    tmp_path: Path, earlier: bytes, options: tuple[str, ...], told: str
) -> None:
    assert_told(suite(tmp_path, *EXAMPLE, *options), told)
    kept = [path.read_bytes() for path in tmp_path.glob("*.jsonl")]
    assert earlier in kept


def test_results_that_are_none_are_not_resumed(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("my notes\n")
    came = suite(tmp_path, *EXAMPLE, "--resume")
    assert_told(came, f"error: {tmp_path / 'results.jsonl'}:1: not JSON")
    assert (tmp_path / "results.jsonl").read_text() == "my notes\n"


def test_results_of_another_openvino_are_not_resumed(tmp_path: Path, earlier: bytes) -> None:
    other = earlier.replace(b"faulty", b"2024.0.0")
    (tmp_path / "results.jsonl").write_bytes(other)
    assert_told(suite(tmp_path, *EXAMPLE, "--resume"), "holds results of OpenVINO 2024.0.0")
    assert (tmp_path / "results.jsonl").read_bytes() == other


def test_results_without_a_name(tmp_path: Path) -> None:
    came = run(tmp_path, "-m", "pytest", "tests/conformance", "--results", "")
    assert_told(came, "--results takes the name of a file")


def test_results_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    came = suite(tmp_path, *EXAMPLE, "--results", str(tmp_path / "file" / "results.jsonl"))
    assert_told(came, "cannot be written")


def test_a_results_file_cut_in_the_middle_of_a_line(tmp_path: Path) -> None:
    assert suite(tmp_path, *SMALL).code == 0
    path = tmp_path / "results.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    came = run(tmp_path, "-m", "reports", "summary", str(path))
    last = whole.count(b"\n")
    assert_told(came, f"{path}:{last}: the last line is cut off", "--resume")
    assert path.read_bytes() == whole[:-40]
    # What the line says helps: only the case of the cut line runs again.
    came = suite(tmp_path, *SMALL, "--resume")
    assert came.code == 0, came.text
    assert "collected 1 item" in came.out
    assert run(tmp_path, "-m", "reports", "summary", str(path)).code == 0


def test_questions_to_pytest_do_not_start_a_run(tmp_path: Path, earlier: bytes) -> None:
    came = suite(tmp_path, "--help", device="XPU")
    assert came.code == 0, came.text
    assert "--case-timeout" in came.out
    assert (tmp_path / "results.jsonl").read_bytes() == earlier


@pytest.mark.parametrize("make", ["device", "fifo", "folder", "link", "notes"])
@pytest.mark.parametrize("resume", [(), ("--resume",)], ids=["", "resume"])
def test_a_place_that_is_not_the_suites(tmp_path: Path, make: str, resume: tuple[str, ...]) -> None:
    place = tmp_path / "results.jsonl"
    if make == "device":
        try:
            os.mknod(place, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("only root makes device nodes")
    elif make == "fifo":
        os.mkfifo(place)
    elif make == "folder":
        place.mkdir()
    elif make == "link":
        place.symlink_to("other")
    else:
        place.write_text("notes\n")
    before = place.lstat()
    came = suite(tmp_path, *EXAMPLE, *resume)
    assert_told(came, f"error: {place}:")
    after = place.lstat()
    assert (after.st_ino, after.st_mode, after.st_size) == (
        before.st_ino,
        before.st_mode,
        before.st_size,
    )
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(("res", "oth"))] == [
        "results.jsonl"
    ]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a whole run left."""
    folder = tmp_path_factory.mktemp("ended")
    assert suite(folder, *SMALL).code == 0
    return folder


@pytest.mark.parametrize(
    "options, words",
    [
        (("--seed", "5"), ["seed 0", "5"]),
        (("--random", "7"), ["--random 50", "7"]),
        (("--shard", "1/2"), ["shard 1/1", "1/2"]),
        (("--operation", "Gather-8"), ["operations SpaceToDepth-1", "Gather-8"]),
        (("--purpose", "plain"), ["purposes rank", "plain"]),
        (("-k", "depth"), ["the selection all", "-k depth"]),
        (("--how", "usual"), ["the selection all", "--how usual"]),
        (("--depth", "all"), ["--depth single", "this is all"]),
        (("--profile", "DELAY=0"), ["targets", "accuracy", "DELAY=0"]),
    ],
)
def test_another_run_does_not_resume(
    ended: Path, options: tuple[str, ...], words: list[str]
) -> None:
    before = (ended / "results.jsonl").read_bytes()
    came = suite(ended, *SMALL, "--resume", *options)
    assert_told(came, "holds results of", "omit --resume", *words)
    assert (ended / "results.jsonl").read_bytes() == before


def test_the_same_run_resumes(ended: Path) -> None:
    assert suite(ended, *SMALL, "--resume").code == 0


@pytest.mark.parametrize("ours", ["first", "last"])
def test_a_path_in_another_checkout(tmp_path: Path, ours: str) -> None:
    """Before pytest knows the options it takes their values for paths of tests, and loads what lies there."""
    other = tmp_path / "other"
    (other / "results").mkdir(parents=True)
    (other / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    cases = other / "results" / "cases.txt"
    cases.write_text("Abs-1/plain/f32[2,3,5,4]\n")
    chosen = ["--cases", str(cases)]
    words = ["tests/conformance", *chosen] if ours == "first" else [*chosen, "tests/conformance"]
    came = run(tmp_path, "-m", "pytest", "--device", FAULTY, *words)
    assert_told(came, "another checkout", f"--option={cases}")


def test_a_baseline_in_a_loop_of_links(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    came = suite(tmp_path, *EXAMPLE, "--baseline", str(loop))
    assert_told(came, str(loop))
