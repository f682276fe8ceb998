"""A verdict of an earlier run is taken for the same outputs of the same case, and for nothing else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ir_models
from devices import judging, kept
from devices.judging import judge_reply
from devices.kept import KeptVerdicts
from devices.protocol import Kernel, Reply, TensorData
from devices.questions import PreparedCase, prepare
from devices.verdict import Verdict
from ir_models import ELEMENT_TYPES
from reports.results.outcomes import Outcome
from reports.sources import digest

CASES = (
    "SoftMax-8/plain/f32[3,2,5,4]/axis=1",
    "Gelu-2/plain/f32[3,2,5,4]",
    "StringTensorPack-15/plain/i64[3,4],i64[3,4],u8[50]",
    "Assign-6/plain/f32[3,4,5],f32[3,4,5]/variable_id=a;variable_type=f32;variable_shape=3,4,5;update=add/state=kept",
)


def prepared(case: str = CASES[0], seed: int = 0) -> PreparedCase:
    return prepare(ir_models.parse(case), seed)


def answered(of: PreparedCase, change: float = 0.0, kernel: Kernel | None = None) -> Reply:
    """The reply of a device that is right, but for a change of the first element."""
    outputs = []
    names = [t.name for t in of.case.output_types]
    for expected in of.expected:
        outputs.append([])
        for each, name in zip(expected, names, strict=True):
            values = each.value.astype(ELEMENT_TYPES[name].dtype)
            if change:
                values.reshape(-1)[0] += change
            outputs[-1].append(TensorData.of(values, name))
    inferred = [(t.element_type, str([*t.shape])) for t in outputs[0]]
    return Reply(inferred=inferred, outputs=outputs, kernels={"layer": kernel} if kernel else {})


class Counted:
    """Counts how often the reference judges."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        original = judging.judge

        def judge(*args: object) -> Verdict:
            self.calls += 1
            return original(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(judging, "judge", judge)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def told(verdict: Verdict) -> tuple[object, ...]:
    return (
        *(verdict.outcome, verdict.detail, verdict.facts, verdict.kernel, verdict.output_index),
        repr(verdict.comparison),
        verdict.outputs_are_empty,
    )


@pytest.mark.parametrize("change", [0.0, 1e-6, 1.0, np.inf, np.nan])
def test_a_verdict_is_the_same_in_a_later_run(
    tmp_path: Path, judged: Counted, change: float
) -> None:
    of, kernel = prepared(), Kernel("Softmax", "jit_avx512_f32", "f32")
    reply = answered(of, change, kernel)
    alone = told(judge_reply(of, reply, "CPU", ""))
    calls, found = judged.calls, []
    for _ in range(3):
        store = KeptVerdicts(tmp_path / "verdicts" / "one.sqlite")
        found.append((told(judge_reply(of, reply, "CPU", "", store)), store.taken))
        store.close()
    assert found == [(alone, 0), (alone, 1), (alone, 1)]
    assert judged.calls == 2 * calls


def variations(of: PreparedCase) -> Sequence[tuple[PreparedCase, Reply]]:
    kernel = Kernel("Softmax", "ref_f32", "f32")
    right = answered(of, kernel=kernel)
    (output,) = right.outputs[0]
    flipped = output.data.copy()
    flipped[-1] ^= 1
    return [
        (of, replace(right, outputs=[[replace(output, data=flipped)]])),
        (of, replace(right, outputs=[[replace(output, shape=(2, 3, 5, 4))]])),
        (of, replace(right, outputs=[[replace(output, element_type="i32")]])),
        (of, replace(right, inferred=[("f32", "[3,2,?,4]")])),
        (of, replace(right, inferred=[("f64", "[3,2,5,4]")])),
        (of, replace(right, kernels={"layer": replace(kernel, layer_type="Const")})),
        (of, replace(right, kernels={"layer": replace(kernel, precision="f16")})),
        (of, replace(right, kernels={})),
        (prepared(seed=1), right),
        (prepared("SoftMax-1/plain/f32[3,2,5,4]/axis=1"), right),
        (prepared(CASES[0] + "/behind=relu"), right),
    ]


@pytest.mark.parametrize("number", range(11))
def test_what_differs_is_judged(tmp_path: Path, judged: Counted, number: int) -> None:
    of = prepared()
    store = KeptVerdicts(tmp_path / "one.sqlite")
    judge_reply(of, answered(of, kernel=Kernel("Softmax", "ref_f32", "f32")), "CPU", "", store)
    other, reply = variations(of)[number]
    calls = judged.calls
    assert told(judge_reply(other, reply, "CPU", "", store))
    assert (store.taken, judged.calls > calls) == (0, True)


def test_a_coarser_precision_of_the_device_is_judged(tmp_path: Path) -> None:
    of = prepared()
    reply = answered(of, 1e-4)
    store = KeptVerdicts(tmp_path / "one.sqlite")
    found = []
    for precision in ("", "f16", "", "f16"):
        found.append(judge_reply(of, reply, "CPU", precision, store).outcome)
        store.save()
    assert found == [Outcome.FAIL, Outcome.PASS, Outcome.FAIL, Outcome.PASS]
    assert store.taken == 2


def test_audited_cases_are_judged_and_must_be_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = prepared()
    reply = answered(of)
    for _ in range(2):
        store = KeptVerdicts(tmp_path / "one.sqlite", audit=1.0)
        assert judge_reply(of, reply, "CPU", "", store).outcome is Outcome.PASS
        assert store.taken == 0
        store.close()
    monkeypatch.setattr(judging, "judge", lambda case, *_: Verdict(case, Outcome.FAIL, "changed"))
    verdict = judge_reply(of, reply, "CPU", "", KeptVerdicts(tmp_path / "one.sqlite", audit=1.0))
    assert verdict.outcome is Outcome.ERROR
    assert "has PASS for these outputs" in verdict.detail
    assert "remove the file, or use --judge-anew" in verdict.detail


@pytest.mark.parametrize("case", CASES)
def test_known_shapes_spare_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    store = KeptVerdicts(tmp_path / "one.sqlite")
    shapes = prepare(ir_models.parse(case), 0, store).layer_shapes
    store.close()
    with monkeypatch.context() as patch:
        patch.setattr("devices.questions.outputs_of", lambda *_: 1 / 0)
        later = prepare(ir_models.parse(case), 0, KeptVerdicts(tmp_path / "one.sqlite"))
        assert later.layer_shapes == shapes
        with pytest.raises(ZeroDivisionError):
            prepare(ir_models.parse(case), 1, KeptVerdicts(tmp_path / "one.sqlite"))
    # What needs the values computes them.
    assert [[e.value.shape for e in each] for each in later.expected] == [
        [e.value.shape for e in each] for each in prepared(case).expected
    ]


def test_a_damaged_row_is_judged_anew(tmp_path: Path, judged: Counted) -> None:
    path = tmp_path / "one.sqlite"
    of = prepared()
    reply = answered(of, 1.0)
    store = KeptVerdicts(path)
    first = told(judge_reply(of, reply, "CPU", "", store))
    store.close()
    with sqlite3.connect(path) as database:
        for key, value in database.execute("SELECT key, value FROM kept").fetchall():
            changed = value.replace(b"FAIL", b"PASS")
            assert changed != value
            database.execute("UPDATE kept SET value = ? WHERE key = ?", (changed, key))
    calls = judged.calls
    assert told(judge_reply(of, reply, "CPU", "", KeptVerdicts(path))) == first
    assert judged.calls > calls


def test_a_row_of_another_key_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    of = prepared()
    store = KeptVerdicts(path)
    for change in (0.0, 1.0):
        judge_reply(of, answered(of, change), "CPU", "", store)
    store.close()
    with sqlite3.connect(path) as database:
        (one, first), (two, second) = database.execute("SELECT key, value FROM kept").fetchall()
        for key, value in ((one, second), (two, first)):
            database.execute("UPDATE kept SET value = ? WHERE key = ?", (value, key))
    found = [
        judge_reply(of, answered(of, change), "CPU", "", KeptVerdicts(path)).outcome
        for change in (0.0, 1.0)
    ]
    assert found == [Outcome.PASS, Outcome.FAIL]


@pytest.mark.parametrize(
    "content", [b"", b"no database" * 1000, b"SQLite format 3\0" + bytes(5000)]
)
def test_a_damaged_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "one.sqlite"
    path.write_bytes(content)
    of = prepared()
    for taken in (0, 1):
        store = KeptVerdicts(path)
        assert judge_reply(of, answered(of), "CPU", "", store).outcome is Outcome.PASS
        assert store.taken == taken
        store.close()


def test_without_a_place_all_is_judged(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    of = prepared()
    for path in (tmp_path / "file" / "one.sqlite", tmp_path):
        store = KeptVerdicts(path)
        for _ in range(2):
            assert judge_reply(of, answered(of), "CPU", "", store).outcome is Outcome.PASS
        assert store.taken == 0
        store.close()


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    of = prepared()
    stores = [KeptVerdicts(tmp_path / "one.sqlite") for _ in range(3)]
    for change, store in enumerate(stores):
        judge_reply(of, answered(of, float(change)), "CPU", "", store)
    for store in stores:
        store.save()
    for change, _ in enumerate(stores):
        judge_reply(of, answered(of, float(change)), "CPU", "", stores[0])
    assert stores[0].taken == 3


def test_files_that_were_not_used_for_the_longest_time_are_removed(tmp_path: Path) -> None:
    for number in range(7):
        path = tmp_path / f"{number}.sqlite"
        KeptVerdicts(path).close()
        os.utime(path, (number, number))
    KeptVerdicts(tmp_path / "3.sqlite").close()
    assert {each.name for each in tmp_path.iterdir()} == {
        "3.sqlite",
        *(f"{number}.sqlite" for number in (4, 5, 6)),
    }


def test_a_file_that_is_too_large_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.sqlite"
    of = prepared()
    store = KeptVerdicts(path)
    judge_reply(of, answered(of), "CPU", "", store)
    store.close()
    monkeypatch.setattr(kept, "_MOST_BYTES", 100)
    store = KeptVerdicts(path)
    judge_reply(of, answered(of), "CPU", "", store)
    assert store.taken == 0


def test_the_database_is_that_of_the_sources(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": "/c"}
    path = kept.path_of(environment)
    assert path.parent == Path("/c/openvino-layer-conformance/verdicts")
    assert kept.path_of(environment) == path
    (tmp_path / "room").mkdir()
    found = set()
    for name, text in (("a.py", "1"), ("a.py", "2"), ("b.py", "2"), ("b.txt", "3")):
        (tmp_path / "room" / name).write_text(text)
        found.add(digest({"room": "*.py"}, ("numpy",), tmp_path))
    assert len(found) == 3
    assert digest({"room": "*.py"}, (), tmp_path) not in found
