"""Runs of the suite as pytest: exit codes, options, what it writes, and pytest's own options."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

import ir_models
from devices.engine import packs
from ir_models.asking.id_parts import split_id
from tests.conformance.selection import MANY_OPERATIONS
from tests.unit.conformance.running import (
    FAULTY,
    ROOT,
    SMALL,
    asked,
    command,
    description,
    finish,
    lines,
    outcomes,
    records,
    run,
    small_cases,
    start,
    suite,
    survivors,
)

EXAMPLE = ("--operation", "SpaceToDepth-1", "--purpose", "example")
CULPRIT = "SpaceToDepth-1/variant.depth-first/f32[2,5,6]/block_size=2,mode=depth_first"


def faulty(fault: str, match: str = "2x5x6", **settings: object) -> tuple[str, str]:
    given = {"FAULT": fault, "MATCH": match, **settings}
    return "--profile", ",".join(f"{key}={value}" for key, value in given.items())


def test_all_pass_exit_code_0(tmp_path: Path) -> None:
    came = suite(tmp_path, *SMALL)
    assert came.code == 0, came.text
    assert came.err == ""
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")
    header, *rest = lines(tmp_path)
    assert header["openvino"] == "faulty"
    assert header["targets"][0]["full_name"] == "A device with a fault"
    assert {record["kernel"] for record in rest} == {"python_ref"}
    assert f"0 unexpected departures in {len(small_cases())} cases on" in came.out
    assert not survivors.of(tmp_path)


def test_options_of_the_suite_without_a_path_run_the_suite(tmp_path: Path) -> None:
    """Workers, too, which find the results file when they read the command line again."""
    came = finish(start(tmp_path, *SMALL, "-n", "2", paths=()))
    assert came.code == 0, came.text
    assert outcomes(tmp_path) == dict.fromkeys(small_cases(), "PASS")


def test_a_departure_exit_code_1_and_a_line_and_a_folder(tmp_path: Path) -> None:
    came = suite(tmp_path, *SMALL, *faulty("wrong_element"))
    assert came.code == 1, came.text
    assert outcomes(tmp_path) == {**dict.fromkeys(small_cases(), "PASS"), CULPRIT: "FAIL"}
    lines = came.out.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("new-"))
    reason, case, detail = (line.strip() for line in lines[head + 1 : head + 4])
    assert reason.startswith("FAIL: wrong values in output")
    assert case == CULPRIT
    assert ", should be " in detail
    record = next(record for record in records(tmp_path) if record["case"] == CULPRIT)
    assert record["gate"] == "new"
    folder = tmp_path / "results.failures" / record["folder"]
    assert {"model.xml", "model.bin", "reproduce.py"} <= {path.name for path in folder.iterdir()}
    # The command that reproduces it, as it is printed.
    command = next(line for line in lines[head:] if line.startswith("    python "))
    assert command.strip() == f"python {shlex.quote(str(folder / 'reproduce.py'))}"
    assert f"Failure folders: 1 (1 of 1 departure), in {tmp_path / 'results.failures'}" in lines
    done = subprocess.run(
        f"{sys.executable} {command.split(maxsplit=1)[1]} --device CPU", shell=True
    )
    assert done.returncode == 0


def test_the_cpu_of_this_machine(tmp_path: Path) -> None:
    came = suite(tmp_path, *EXAMPLE, device="CPU")
    assert came.code == 0, came.text
    (record,) = records(tmp_path)
    assert (record["outcome"], record["device"]) == ("PASS", "CPU")
    assert record["kernel"]


@pytest.mark.parametrize("devices", [("GPU",), ("CPU", "GPU")])
def test_an_absent_device_is_one_error(tmp_path: Path, devices: tuple[str, ...]) -> None:
    first, *others = devices
    came = suite(tmp_path, *EXAMPLE, *(f"--device={name}" for name in others), device=first)
    assert came.code == 2, came.text
    assert came.err == (
        "error: GPU is not on this machine; available: CPU; --allow-absent skips its cases\n"
    )
    assert "passed" not in came.out
    assert not (tmp_path / "results.jsonl").exists()


def test_an_absent_device_that_may_be(tmp_path: Path) -> None:
    came = suite(tmp_path, *EXAMPLE, "--allow-absent", device="GPU")
    assert came.code == 0, came.text
    (record,) = records(tmp_path)
    assert record["gate"] == "skipped"
    assert "1 skipped" in came.out
    assert "Skipped: GPU is not on this machine; available: CPU (1 case)\n" in came.out


def test_a_device_that_goes_away_during_the_run_is_not_absent(tmp_path: Path) -> None:
    # Opened once to be asked what it is, and once to work.
    gone = faulty("segfault", LOG=tmp_path / "log", OPENS=2)
    came = suite(tmp_path, *SMALL, "--allow-absent", *gone)
    assert came.code == 1, came.text
    assert set(outcomes(tmp_path)) == set(small_cases())
    assert {record["outcome"] for record in records(tmp_path)} == {"ERROR"}
    assert "the device no longer opens: PYTHON is not on this machine" in came.out


def test_two_devices_and_two_profiles(tmp_path: Path) -> None:
    devices = ("--device", FAULTY, "--device", "CORE", "--profile", "accuracy")
    came = suite(tmp_path, *EXAMPLE, *devices, "--profile", "DELAY=0")
    assert came.code == 0, came.text
    found = [(record["device"], record["profile"]) for record in records(tmp_path)]
    assert sorted(found) == [
        ("CORE", "DELAY=0"),
        ("CORE", "accuracy"),
        (FAULTY, "DELAY=0"),
        (FAULTY, "accuracy"),
    ]


def test_list_devices(tmp_path: Path) -> None:
    came = run(tmp_path, "-m", "pytest", "tests/conformance", "--list-devices")
    assert came.code == 0, came.text
    told = came.out.splitlines()
    assert told[0].startswith("OpenVINO 20")
    assert [line.split()[0] for line in told[1:]][-2:] == ["CPU", "CORE"]


# --- pytest's own options ---------------------------------------------------------------------------------------------


def test_collect_only_lists_the_case_ids_and_runs_nothing(tmp_path: Path) -> None:
    came = suite(tmp_path, *SMALL, "--collect-only", "-q", "--profile", f"LOG={tmp_path / 'log'}")
    assert came.code == 0, came.text
    listed = [line.split("::", 2)[2] for line in came.out.splitlines() if "::" in line]
    assert listed == small_cases()
    assert not (tmp_path / "results.jsonl").exists()
    assert not asked(tmp_path / "log")


def test_k_selects_by_words_of_the_case_id(tmp_path: Path) -> None:
    came = suite(tmp_path, *SMALL, "-k", "depth_first and not 9")
    assert came.code == 0, came.text
    assert list(outcomes(tmp_path)) == [
        case for case in small_cases() if "depth_first" in case and "9" not in case
    ]


@pytest.mark.parametrize(
    "how, expected",
    [
        (["usual"], {frozenset()}),
        (["memory", "shape"], {frozenset({"memory"}), frozenset({"shape"})}),
        (["usual", "ir"], {frozenset(), frozenset({"ir"})}),
    ],
)
def test_how_selects_by_the_way_of_asking(
    tmp_path: Path, how: list[str], expected: set[frozenset[str]]
) -> None:
    plain = ("--operation", "SpaceToDepth-1", "--purpose", "plain")
    came = suite(tmp_path, *plain, "--how", *how, "--collect-only", "-q")
    assert came.code == 0, came.text
    listed = [line.split("::", 2)[2] for line in came.out.splitlines() if "::" in line]
    assert {frozenset(split_id(case).how) for case in listed} == expected


def test_a_way_of_asking_that_is_not_known_is_told(tmp_path: Path) -> None:
    came = suite(tmp_path, *SMALL, "--how", "usual", "loudly")
    assert came.code == 2
    assert came.err.startswith("error: --how takes usual, values, ")
    assert came.err.endswith(", got 'loudly'\n")


def test_a_node_id_runs_one_case(tmp_path: Path) -> None:
    results = str(tmp_path / "results.jsonl")
    address = f"tests/conformance/test_layers.py::{FAULTY}::{CULPRIT}"
    came = run(tmp_path, "-m", "pytest", address, "--device", FAULTY, "--results", results)
    assert came.code == 0, came.text
    assert outcomes(tmp_path) == {CULPRIT: "PASS"}


@pytest.mark.parametrize("option", ["-x", "--maxfail=2"])
def test_workers_that_stop_at_a_departure_have_the_same_exit_code(
    option: str, tmp_path: Path
) -> None:
    fault = faulty("wrong_element", MATCH="SpaceToDepth")
    came = suite(tmp_path, *SMALL, option, "--pack-size", "1", "-n", "2", *fault)
    assert came.code == 1, came.text
    assert 1 <= len(outcomes(tmp_path)) < len(small_cases())
    # Nothing was asked beside what had ended.
    assert "to find which part" not in came.text


def test_x_stops_at_the_first_departure_and_resume_runs_the_rest(tmp_path: Path) -> None:
    fault = faulty("wrong_element", LOG=tmp_path / "log")
    came = suite(tmp_path, *SMALL, "-x", "--audit", "0", *fault)
    assert came.code == 1, came.text
    assert list(outcomes(tmp_path)) == [CULPRIT]
    (tmp_path / "log").unlink()
    came = suite(tmp_path, *SMALL, "--resume", "--audit", "0", *fault)
    assert came.code == 1, came.text
    assert list(outcomes(tmp_path)) == small_cases()
    assert asked(tmp_path / "log") == [description(c) for c in small_cases() if c != CULPRIT]


def test_lf_runs_the_failed_case_alone(tmp_path: Path) -> None:
    fault = faulty("wrong_element", LOG=tmp_path / "log")
    assert suite(tmp_path, *SMALL, *fault).code == 1
    (tmp_path / "log").unlink()
    came = suite(tmp_path, *SMALL, "--lf", *fault)
    assert came.code == 1, came.text
    assert outcomes(tmp_path) == {CULPRIT: "FAIL"}
    # Once more in a process with other memory.
    assert asked(tmp_path / "log") == [description(CULPRIT)] * 2


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
def test_on_a_terminal_it_tells_how_far_it_is(tmp_path: Path) -> None:
    ours, its = os.openpty()
    process = subprocess.Popen(
        command(tmp_path, *SMALL, "--pack-size", "1", *faulty("wrong_element", DELAY="0.1")),
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
        stdout=its,
        stderr=subprocess.STDOUT,
    )
    os.close(its)
    told = b""
    with suppress(OSError):  # Linux's way to say that the other side is gone
        while part := os.read(ours, 65536):
            told += part
    assert process.wait() == 1
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", told.decode())
    steps = re.findall(rf"(\d)/{len(small_cases())} cases, (\d+)/s, ([01]) depart, +\S+ left", text)
    assert len({done for done, _, _ in steps}) > 2, text
    assert {departures for _, _, departures in steps} == {"0", "1"}


def test_elsewhere_it_marks_no_case(tmp_path: Path) -> None:
    came = suite(tmp_path, *SMALL, *faulty("wrong_element"))
    lines = came.out.splitlines()
    assert not [line for line in lines if re.fullmatch(r"[.xFEsX]+ *(\[ *\d+%\])?", line)], came.out
    assert "left" not in came.out


def test_junit_names_are_case_ids(tmp_path: Path) -> None:
    xml = tmp_path / "junit.xml"
    came = suite(tmp_path, *SMALL, "--junitxml", str(xml), *faulty("wrong_element"))
    assert came.code == 1, came.text
    found = {
        case.get("name"): case.find("failure") is not None
        for case in ET.parse(xml).iter("testcase")
    }
    assert found == {case: case == CULPRIT for case in small_cases()}
    message = next(ET.parse(xml).iter("failure")).get("message")
    assert message is not None
    assert ", should be " in message


def test_junit_has_all_cases_of_a_run_that_was_resumed(tmp_path: Path) -> None:
    results, xml = tmp_path / "results.jsonl", tmp_path / "junit.xml"
    suite(tmp_path, *SMALL)
    results.write_text("".join(results.read_text().splitlines(keepends=True)[:4]))
    came = suite(tmp_path, *SMALL, "--resume", "--junitxml", str(xml))
    assert came.code == 0, came.text
    times = {
        case.get("name"): float(case.get("time", "")) for case in ET.parse(xml).iter("testcase")
    }
    assert times == {record["case"]: record["seconds"] for record in records(tmp_path)}
    assert set(times) == set(small_cases())


def test_a_junit_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    xml = tmp_path / "file" / "junit.xml"
    came = suite(tmp_path, *SMALL, "--junitxml", str(xml))
    # Before anything runs.
    assert (came.code, came.err) == (2, f"error: --junitxml: {xml}: Not a directory\n"), came.text
    assert not (tmp_path / "results.jsonl").exists()


# --- options ----------------------------------------------------------------------------------------------------------

TWO = {"SpaceToDepth-1", "DepthToSpace-1"}


@pytest.mark.parametrize("processes", ["0", "2"])
@pytest.mark.parametrize("first", ["operations", "path"])
def test_several_operations_in_one_option(tmp_path: Path, first: str, processes: str) -> None:
    """Wherever the path of the suite stands: also where it seems to be one more operation."""
    chosen = ["--purpose", "example", "--operation", "SpaceToDepth", "DepthToSpace-1"]
    words = (
        [*chosen, "tests/conformance"] if first == "operations" else ["tests/conformance", *chosen]
    )
    results = ("--results", str(tmp_path / "results.jsonl"), "-n", processes)
    came = run(tmp_path, "-m", "pytest", *results, "--device", FAULTY, *words)
    assert came.code == 0, came.text
    assert {record["operation"] for record in records(tmp_path)} == TWO


def test_an_option_that_took_a_path_only_is_wrong(tmp_path: Path) -> None:
    came = run(tmp_path, "-m", "pytest", "--operation", "tests/conformance")
    told = "error: --operation needs a value: tests/conformance is a path\n"
    assert (came.code, came.err) == (2, told), came.text


def test_profiles_are_listed(tmp_path: Path) -> None:
    came = run(tmp_path, "-m", "pytest", "--list-profiles", "--device", "CPU")
    assert came.code == 0, came.text
    lines = dict(line.partition(" ")[::2] for line in came.out.splitlines())
    assert "EXECUTION_MODE_HINT=PERFORMANCE" in lines["performance"]
    assert "sse4" in lines["isa=SSE41"]
    assert "KEY=VALUE" in lines


# --- packs, workers, shards -------------------------------------------------------------------------------------------


def test_two_workers_keep_packs_whole_and_write_each_case_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    options = ("-n", "2", "--pack-size", "3", "--audit", "0")
    came = suite(tmp_path, *SMALL, *options, *faulty("segfault", LOG=log))
    assert came.code == 1, came.text
    assert outcomes(tmp_path) == {**dict.fromkeys(small_cases(), "PASS"), CULPRIT: "CRASH"}
    passed = [record for record in records(tmp_path) if "rank" in record["case"]]
    # Packs of three, and what is left of them; a case like the culprit shares no model any more.
    assert {record["pack_size"] for record in passed} <= {1, 3, len(small_cases()) % 3}
    assert 3 in {record["pack_size"] for record in passed}
    # Cases of other packs than the culprit's are asked once.
    times = Counter(asked(log))
    ids = small_cases()
    plan = [[ids[position] for position in pack] for pack in packs.plan(ids, 3)]
    others = [case for pack in plan if CULPRIT not in pack for case in pack]
    assert {times[description(case)] for case in others} == {1}
    # In the pack, alone, and alone once more to confirm it.
    assert times[description(CULPRIT)] == 3
    assert not survivors.of(tmp_path)


def test_pack_size_1_asks_each_case_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    options = ("--pack-size", "1", "--profile", f"FAULT=wrong_in_pack,LOG={log}")
    came = suite(tmp_path, *SMALL, *options)
    assert came.code == 0, came.text
    assert asked(log) == [description(case) for case in small_cases()]
    assert {record["pack_size"] for record in records(tmp_path)} == {1}


def test_audit_asks_again_alone(tmp_path: Path) -> None:
    fault = faulty("wrong_alone")
    assert suite(tmp_path, *SMALL, "--audit", "0", *fault).code == 0
    came = suite(tmp_path, *SMALL, "--audit", "1", *fault)
    assert came.code == 1, came.text
    (record,) = [record for record in records(tmp_path) if record["outcome"] != "PASS"]
    assert record["case"] == CULPRIT
    beside = [case for case in small_cases() if packs.group(case) == packs.group(CULPRIT)]
    assert record["detail"].startswith(f"PASS in a pack of {len(beside)}; alone: ")


def test_a_hang_takes_no_longer_than_its_limit(tmp_path: Path) -> None:
    options = ("--pack-size", "2", "--case-timeout", "2")
    came = suite(tmp_path, *SMALL, *options, *faulty("hang"))
    assert came.code == 1, came.text
    assert outcomes(tmp_path) == {**dict.fromkeys(small_cases(), "PASS"), CULPRIT: "TIMEOUT"}


def test_shards_hold_every_case_once(tmp_path: Path) -> None:
    whole = small_cases()
    found: list[str] = []
    for number in (1, 2):
        came = suite(tmp_path, *SMALL, "--shard", f"{number}/2", "--collect-only", "-q")
        assert came.code == 0, came.text
        part = [line.split("::", 2)[2] for line in came.out.splitlines() if "::" in line]
        assert part == [case for case in whole if case in part]
        assert part
        found += part
    assert sorted(found) == sorted(whole)


def test_random_and_seed(tmp_path: Path) -> None:
    options = ("--operation", "DepthToSpace-1", "--purpose", "random", "--random", "5")
    assert suite(tmp_path, *options, "--seed", "7").code == 0
    operation = ir_models.operation("DepthToSpace-1")
    assert list(outcomes(tmp_path)) == [
        case.id for case in ir_models.cases(operation, ["random"], 5, 7)
    ]


def test_factors_are_crossed_where_nothing_else_is_asked(tmp_path: Path) -> None:
    purpose = ("--operation", "SpaceToDepth-1", "--purpose", "plain", "--purpose", "example")
    device = ("--device", FAULTY, "--results", str(tmp_path / "results.jsonl"))
    listed = run(tmp_path, "-m", "ir_models", "list", *purpose).out.splitlines()
    assert any("/example/" in one and "/shape=dims" in one for one in listed)
    came = run(tmp_path, "-m", "pytest", "tests/conformance", *device, *purpose, "--collect-only")
    assert f"{len(listed)} tests collected" in came.out, came.text


def test_workers_write_one_first_folder_between_them(tmp_path: Path) -> None:
    # All cases are wrong in the same way, and in packs of one each worker has some of them.
    options = (*SMALL, *faulty("wrong_element", match="x"), "-n", "2", "--pack-size", "1")
    came = suite(tmp_path, *options)
    assert came.code == 1, came.text
    found = records(tmp_path)
    assert len(found) > 4
    # The first one, and at most the fourth of each worker.
    assert 1 <= sum(bool(record["folder"]) for record in found) <= 3


def test_workers_begin_with_the_cases_of_the_first_depth_and_ask_the_others_as_well(
    tmp_path: Path,
) -> None:
    small = [each for each in ir_models.select([]) if each.category in ("activation", "arithmetic")]
    names = [each.name for each in small][: MANY_OPERATIONS + 1]
    options = ("--operation", *names, "--depth", "pairs", "--shard", "1/50")
    found = []
    for workers in ((), ("-n", "2"), ("-n", "2", "--maxfail", "1000")):
        folder = tmp_path / str(len(found))
        folder.mkdir()
        came = suite(folder, *options, *workers)
        # The device in the place of another one has layers that it gets wrong.
        assert came.code == 1, came.text
        found.append(outcomes(folder))
        # The run counts as whole: nothing is left to resume.
        assert lines(folder)[0]["ended"].strip()
    assert len(found[0]) > 100
    assert found[1] == found[0]
    assert found[2] == found[0]
