"""A device is held to what it claims to run: ``--claims``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.conformance.running import SMALL, records, small_cases, suite
from tests.unit.conformance.test_baselines import told
from tests.unit.conformance.test_runs import CULPRIT, faulty


def claims(folder: Path, ranks: str, device: str = "") -> tuple[str, str]:
    """The option of a page that claims these ranks; the culprit has rank 3."""
    path = folder / "claims.toml"
    name = f'device = "{device}"\n' if device else ""
    path.write_text(f'{name}[[claim]]\noperations = ["SpaceToDepth-1"]\nrank = "{ranks}"\n')
    return "--claims", str(path)


@pytest.mark.parametrize(
    "fault, ranks, code, gate",
    [
        ("refuse", "4-8", 0, "not claimed"),  # honest, with narrow claims
        ("refuse", "3-8", 1, "new"),
        ("wrong_element", "4-8", 1, "new"),
        ("segfault", "4-8", 1, "new"),
        ("hang", "4-8", 1, "new"),
    ],
)
def test_a_lie_is_red_and_a_refusal_outside_the_claims_is_not(
    tmp_path: Path, fault: str, ranks: str, code: int, gate: str
) -> None:
    came = suite(tmp_path, *SMALL, *faulty(fault), *claims(tmp_path, ranks), "--case-timeout", "3")
    assert came.code == code, came.text
    gates = {record["case"]: record["gate"] for record in records(tmp_path)}
    assert gates == {**dict.fromkeys(small_cases(), "pass"), CULPRIT: gate}
    assert "Compared with claims.toml, 1 operation, 0 waivers: " in came.out
    if code:
        assert CULPRIT in came.out
        place = "inside" if ranks == "3-8" else "outside"
        assert f" · 1 case · {place} the claims\n" in came.out
    else:
        assert "1 refused, and not claimed as supported" in came.out


def test_workers_hold_a_device_to_its_claims_too(tmp_path: Path) -> None:
    came = suite(tmp_path, *SMALL, *faulty("refuse"), *claims(tmp_path, "4-8"), "-n", "2")
    assert came.code == 0, came.text
    gates = {record["case"]: record["gate"] for record in records(tmp_path)}
    assert gates == {**dict.fromkeys(small_cases(), "pass"), CULPRIT: "not claimed"}


@pytest.mark.parametrize(
    "fault, ranks, gates",
    [
        ("wrong_element", "4-8", ("new", "known")),
        ("wrong_element", "3-8", ("new", "new")),
        ("refuse", "4-8", ("not claimed", "not claimed")),
    ],
)
def test_a_given_baseline_speaks_of_what_is_wrong_outside_the_claims_alone(
    tmp_path: Path, fault: str, ranks: str, gates: tuple[str, str]
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, options in ((first, ()), (second, ("--baseline", str(first / "results.jsonl")))):
        folder.mkdir()
        held = claims(folder, ranks)
        came = suite(folder, *SMALL, *faulty(fault), *held, *options)
        gate = gates[folder is second]
        assert came.code == (gate == "new"), came.text
        assert {record["case"]: record["gate"] for record in records(folder)}[CULPRIT] == gate


def test_claims_that_cannot_be_used_are_wrong_usage(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.toml")
    assert "missing.toml: cannot be read" in told(suite(tmp_path, *SMALL, "--claims", missing))
    assert "claims of NPU, not of" in told(suite(tmp_path, *SMALL, *claims(tmp_path, "3-8", "NPU")))
