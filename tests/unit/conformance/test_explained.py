"""Explained departures in runs: on a device that fails on one factor, and on one that fails on two together."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import ir_models
from tests.conformance.explaining import _asked, with_fewer_ways
from tests.unit.conformance.running import FAULTY, Run, asked, lines, run, suite
from tests.unit.conformance.test_expected import CAUSE, Shipped, base_run, project, shipped
from tests.unit.conformance.test_expected import suite as suite_of

__all__ = ["project", "shipped"]

OPTIONS = ("--operation", "SpaceToDepth-1", "--depth", "pairs", "--purpose", "type")
# Crossings without their parts. The name of a profile, which -k sees, has the type.
ALONE = "not zero and not before and not behind and not also"
CROSSINGS = (*OPTIONS, "-k", f"(dims or bounds) and {ALONE}")
F16 = "SpaceToDepth-1/type/f16[3,5,4,6]/block_size=2,mode=blocks_first"
PLAIN = "SpaceToDepth-1/plain/f32[3,5,4,6]/block_size=2,mode=blocks_first"
ONE_FACTOR = ("--profile", "FAULT=wrong_element,MATCH= f16[")
# The shape in a model is -1 where it is unknown, within bounds or not.
TWO_FACTORS = ("--profile", "FAULT=wrong_element,MATCH= f16[-1")


def told(folder: Path) -> dict[str, tuple[str, str]]:
    """Gate and explanation by case; each has one line."""
    found = [line for line in lines(folder) if line["kind"] == "case"]
    by_case = {line["case"]: (line["gate"], line["explained_by"]) for line in found}
    assert len(by_case) == len(found)
    return by_case


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_one_factor(tmp_path: Path, workers: tuple[str, ...]) -> None:
    came = suite(tmp_path, *CROSSINGS, *ONE_FACTOR, *workers)
    assert came.code == 1, came.text
    found = told(tmp_path)
    # The factor alone was not selected: it is asked at the end.
    assert found[F16] == ("new", "")
    assert found[PLAIN] == ("pass", "")
    crossings = {case: one for case, one in found.items() if case.startswith(f"{F16}/")}
    assert len(crossings) == 3
    assert set(crossings.values()) == {("explained", F16)}
    assert f"FAILED: {len(crossings)} unexpected departures ({len(crossings)} new) in" in came.out
    collected = sum(
        map(int, re.findall(r"(\d+) (?:passed in|failed,|passed,|failed in)", came.out))
    )
    assert f"{len(crossings)} failed" in came.out
    parts = len(found) - collected
    assert parts > 0
    added = f"{parts} more case{'s were' if parts > 1 else ' was'} run, to find which part"
    head = f"{len(crossings)} unexpected departures ({len(crossings)} new) in {collected} cases"
    counted = re.search(rf"^{collected} cases: .*\n{added}", came.out, re.M)
    assert counted is not None, came.out
    # The run's end, its summary and its page have the same numbers.
    file = str(tmp_path / "results.jsonl")
    summary = " ".join(run(tmp_path, "-m", "reports", "summary", file).out.split())
    assert head in summary
    assert added in summary
    written = run(tmp_path, "-m", "reports", "html", file, "--out", f"{file}.html")
    assert (written.code, written.out) == (0, f"{file}.html: {head}\n"), written.text
    page = Path(f"{file}.html").read_text("utf-8")
    assert head.partition(" ")[2] in page
    assert added in page
    exported = run(tmp_path, "-m", "reports", "export", file, "--format", "ctrf").out
    assert json.loads(exported)["results"]["summary"]["failed"] == len(crossings)
    # Only the part is red, and its script is named.
    (red,) = (line for line in lines(tmp_path) if line.get("gate") == "new")
    script = tmp_path / "results.failures" / red["folder"] / "reproduce.py"
    assert script.is_file()
    assert f"python {script}" in came.out


def test_two_factors_only_together(tmp_path: Path) -> None:
    came = suite(tmp_path, *CROSSINGS, *TWO_FACTORS)
    assert came.code == 1, came.text
    found = told(tmp_path)
    assert found[F16] == found[f"{PLAIN}/shape=dims"] == ("pass", "")
    dims = f"{F16}/shape=dims"
    assert found[dims] == found[f"{F16}/shape=bounds"] == ("new", "")
    assert found[f"{dims},resize=one"] == ("explained", dims)
    assert "2 unexpected departures (2 new)" in came.out
    assert "1 due to a simpler case that fails" in came.out


def test_a_layer_of_many_factors_is_asked_with_fewer(tmp_path: Path) -> None:
    """The device is wrong about f16 of one image, which only pairs of layers have."""
    options = ("--operation", "SpaceToDepth-1", "--depth", "all", "--purpose", "covering")
    fault = ("--profile", "FAULT=wrong_element,MATCH= f16[1")
    came = suite(tmp_path, *options, *fault)
    assert came.code == 1, came.text
    assert "all with size 0.0=1, type=f16" in " ".join(came.out.split()), came.out


def test_a_resumed_run_asks_no_part_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    told_to_log = (*ONE_FACTOR[:1], f"{ONE_FACTOR[1]},LOG={log}")
    suite(tmp_path, *CROSSINGS, *told_to_log)
    before, number, found = asked(log), len(lines(tmp_path)), told(tmp_path)
    came = suite(tmp_path, *CROSSINGS, *told_to_log, "--resume")
    assert came.code == 1, came.text
    assert asked(log) == before
    assert told(tmp_path) == found
    # A header, and nothing else.
    assert len(lines(tmp_path)) == number + 1


def test_parts_are_asked_in_packs(tmp_path: Path) -> None:
    suite(tmp_path, *CROSSINGS, *ONE_FACTOR, "--audit", "0")
    sizes = {line["case"]: line["pack_size"] for line in lines(tmp_path) if line["kind"] == "case"}
    # What passes came out of a pack; what departs was asked alone, too.
    assert sizes[PLAIN] > 1
    assert sizes[F16] == 1


def test_shards(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        came = suite(tmp_path / str(number), *CROSSINGS, *ONE_FACTOR, "--shard", f"{number}/2")
        assert came.code == 1, came.text
    files = [str(tmp_path / name / "results.jsonl") for name in ("1", "2")]
    merged = run(
        tmp_path, "-m", "reports", "merge", *files, "--out", str(tmp_path / "results.jsonl")
    )
    assert (merged.code, merged.err) == (0, ""), merged.text
    found = Counter(gate for gate, _ in told(tmp_path).values())
    assert found["new"] == 1
    assert found["explained"] == 3


def test_a_case_that_is_asked_by_name_is_asked_alone(tmp_path: Path) -> None:
    profile = "FAULT=wrong_element"
    address = f"tests/conformance/test_layers.py::{FAULTY}({profile})::{F16}/shape=dims"
    options = (
        "--device",
        FAULTY,
        "--profile",
        profile,
        "--results",
        str(tmp_path / "results.jsonl"),
    )
    came = run(tmp_path, "-m", "pytest", *options, address)
    assert came.code == 1, came.text
    assert told(tmp_path) == {f"{F16}/shape=dims": ("new", "")}


def test_what_a_known_departure_explains_is_green(
    project: Path, shipped: Shipped, tmp_path: Path
) -> None:
    """The baseline has the type alone: a run of single factors. Its crossings need no line of their own."""
    fault = ("--profile", "FAULT=wrong_element,MATCH= i32[")
    shipped.cause("last-beam", CAUSE)
    alone = base_run(shipped, tmp_path, "--purpose", "type", *fault, "-k", "i32 and not dims")
    shipped.baseline(alone, lambda line: line._replace(cause="last-beam"))
    (shipped.causes / "last-beam.toml").write_text(CAUSE.partition("[[select]]")[0])
    options = (
        *("--purpose", "type", "--depth", "pairs", *fault),
        *("-k", f"dims and not one and {ALONE} and not index"),
    )
    came = suite_of(project, tmp_path, *options)
    assert came.code == 0, came.text
    found = told(tmp_path)
    crossings = {
        one for case, one in found.items() if case.endswith("/shape=dims") and "/type/i32[" in case
    }
    (explained,) = crossings
    assert explained[0] == "explained"
    assert found[explained[1]] == ("known", "")
    assert "0 unexpected departures in" in came.out
    assert "1 known defect (1 case)" in came.out
    assert "failed" not in came.out.replace("xfailed", "")


@pytest.mark.parametrize(
    ("how", "is_asked"), [("shape=dims", True), ("shape=dims,resize=zero", False)]
)
def test_no_part_is_a_layer_that_cannot_be_resized_so(how, is_asked):
    """The dimensions of target_shape leave data none that becomes 0."""
    plain = next(iter(ir_models.cases(ir_models.operation("Broadcast-3"), ["plain"])))
    assert bool(_asked(plain, how)) == is_asked


def test_no_part_is_asked_in_a_way_that_changes_nothing():
    """Its command would be refused, and the layer is asked without it."""
    layer = ir_models.parse("Convert-1/type/i8[2,3,5,4]/destination_type=f32")
    assert _asked(layer, "data=runtime") is None
    assert _asked(layer, "shape=dims") is not None


def test_a_case_of_several_ways_is_asked_in_one_and_in_two_of_them():
    whole = ir_models.parse("Abs-1/type/f16[2,3,5,4]/-/shape=dims,behind=concat,also=both")
    found = [case.id for case in with_fewer_ways(whole)]
    assert len(found) == len({*found}) == 12
    assert "Abs-1/type/f16[2,3,5,4]/-/shape=dims" in found
    assert "Abs-1/plain/f32[2,3,5,4]/-/behind=concat,also=both" in found
    assert whole.id not in found
    assert not list(with_fewer_ways(ir_models.parse("Abs-1/type/f16[2,3,5,4]/-/shape=dims")))


def test_of_many_ways_each_is_left_out_with_what_it_stands_beside():
    ways = "shape=dims,behind=divide,operand=one,number=least"
    whole = ir_models.parse(f"IDFT-7/plain/f32[3,5,4,2]/axes=2,1;signal_size=6,3/{ways}")
    found = {case.id.rpartition("/")[2] for case in with_fewer_ways(whole)}
    assert found >= {
        "shape=dims,behind=divide,operand=one",
        "behind=divide,operand=one,number=least",
    }


def test_what_the_plain_layer_cannot_be_asked_another_type_is():
    whole = ir_models.parse("Abs-1/type/i64[2,3,5,4]/-/values=large,data=constant")
    found = [case.id for case in with_fewer_ways(whole)]
    assert "Abs-1/type/f64[2,3,5,4]/-/values=large,data=constant" in found
    # Folding is a part, though nothing is asked at run time.
    assert "Abs-1/type/i64[2,3,5,4]/-/data=constant" in found


STOPPED = "stopping after 1 failures"


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
@pytest.mark.parametrize("ends", [(), ("-x",)])
def test_what_a_known_part_explains_stops_nothing(
    project: Path, shipped: Shipped, tmp_path: Path, workers: tuple[str, ...], ends: tuple[str, ...]
) -> None:
    """The device lies for one type, which the baseline knows. The type alone is not selected."""
    came = _with_a_known_type(project, shipped, tmp_path, " i32[", *workers, *ends)
    assert came.code == 0, came.text
    assert STOPPED not in came.out
    assert [gate for gate, _ in told(tmp_path).values()].count("explained") == 1
    assert not re.search(r"\d failed", came.out)


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_no_part_explains_stops_a_run_that_failures_end(
    project: Path, shipped: Shipped, tmp_path: Path, workers: tuple[str, ...]
) -> None:
    """The device lies for all types of unknown shapes as well, which the baseline does not know."""
    came = _with_a_known_type(project, shipped, tmp_path, "[-1", "-x", *workers)
    assert came.code == 1, came.text
    assert STOPPED in came.out
    assert len(re.findall(r"(\d+) failed", came.out)) == 1


def _with_a_known_type(
    project: Path, shipped: Shipped, folder: Path, lies: str, *options: str
) -> Run:
    """A run of crossings, against a baseline that knows that i32 alone is wrong."""
    shipped.cause("last-beam", CAUSE)
    alone = base_run(
        shipped, folder, "--purpose", "type", "-k", "i32 and not dims",
        *("--profile", "FAULT=wrong_element,MATCH= i32["),
    )  # fmt: skip
    shipped.baseline(alone, lambda line: line._replace(cause="last-beam"))
    (shipped.causes / "last-beam.toml").write_text(CAUSE.partition("[[select]]")[0])
    crossings = f"dims and not one and {ALONE} and not index"
    return suite_of(
        project,
        folder,
        *("--purpose", "type", "--depth", "pairs", "-k", crossings),
        *("--profile", f"FAULT=wrong_element,MATCH={lies}"),
        *options,
    )
