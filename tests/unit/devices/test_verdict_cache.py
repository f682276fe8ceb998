"""A verdict of an earlier run is taken for the same outputs of the same case, and for nothing else."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ir_models
from devices import judging, verdict_cache
from devices.judging import judge_reply
from devices.protocol import Kernel, Reply, TensorData
from devices.questions import PreparedCase, prepare
from devices.verdict import Verdict
from devices.verdict_cache import VerdictCache
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
        cache = VerdictCache(tmp_path / "verdicts" / "one.sqlite")
        found.append((told(judge_reply(of, reply, "CPU", "", cache)), cache.taken))
        cache.close()
    assert found == [(alone, 0), (alone, 1), (alone, 1)]
    assert judged.calls == 2 * calls


@pytest.mark.parametrize("number", range(11))
def test_every_kind_of_verdict_is_the_same_in_a_later_run(tmp_path: Path, number: int) -> None:
    of, reply = variations(prepared())[number]
    alone = told(judge_reply(of, reply, "CPU", ""))
    for taken in (0, 1):
        cache = VerdictCache(tmp_path / "one.sqlite")
        assert told(judge_reply(of, reply, "CPU", "", cache)) == alone
        assert cache.taken == taken
        cache.close()


def test_a_narrowed_input_is_told_in_a_later_run(tmp_path: Path) -> None:
    of = prepared("Abs-1/type/f64[3,2,5,4]")
    reply = answered(of)
    (output,) = reply.outputs[0]
    narrowed = output.values().astype(np.float32).astype(np.float64)
    reply = replace(reply, outputs=[[TensorData.of(narrowed, "f64")]])
    for _ in range(2):
        cache = VerdictCache(tmp_path / "one.sqlite")
        assert judge_reply(of, reply, "CPU", "", cache).facts.computed_as == "f64 as f32"
        cache.close()
    assert cache.taken == 1


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
def test_what_differs_is_judged(tmp_path: Path, number: int) -> None:
    of = prepared()
    cache = VerdictCache(tmp_path / "one.sqlite")
    judge_reply(of, answered(of, kernel=Kernel("Softmax", "ref_f32", "f32")), "CPU", "", cache)
    cache.save()
    other, reply = variations(of)[number]
    verdict = told(judge_reply(other, reply, "CPU", "", cache))
    assert cache.taken == 0
    assert verdict == told(judge_reply(other, reply, "CPU", ""))


@pytest.mark.parametrize("place", range(3))
def test_seed_and_precision_are_of_the_key(tmp_path: Path, place: int) -> None:
    case = ir_models.parse(CASES[0])
    cache = VerdictCache(tmp_path / "one.sqlite")
    reply = answered(prepared())
    of = [0, "", False]
    for _ in range(2):
        cache.verdict(case, of, reply, lambda: Verdict(case, Outcome.PASS))
        cache.save()
    assert cache.taken == 1
    of[place] = [1, "f16", True][place]
    found = cache.verdict(case, of, reply, lambda: Verdict(case, Outcome.FAIL))
    assert (found.outcome, cache.taken) == (Outcome.FAIL, 1)


def test_a_coarser_precision_of_the_device_is_judged(tmp_path: Path) -> None:
    of = prepared()
    reply = answered(of, 1e-4)
    cache = VerdictCache(tmp_path / "one.sqlite")
    found = []
    for precision in ("", "f16", "", "f16"):
        found.append(judge_reply(of, reply, "CPU", precision, cache).outcome)
        cache.save()
    assert found == [Outcome.FAIL, Outcome.PASS, Outcome.FAIL, Outcome.PASS]
    assert cache.taken == 2


def test_audited_cases_are_judged_and_must_be_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = prepared()
    reply = answered(of)
    for _ in range(2):
        cache = VerdictCache(tmp_path / "one.sqlite", audit=1.0)
        assert judge_reply(of, reply, "CPU", "", cache).outcome is Outcome.PASS
        assert cache.taken == 0
        cache.close()
    monkeypatch.setattr(judging, "judge", lambda case, *_: Verdict(case, Outcome.FAIL, "changed"))
    verdict = judge_reply(of, reply, "CPU", "", VerdictCache(tmp_path / "one.sqlite", audit=1.0))
    assert verdict.outcome is Outcome.ERROR
    assert "has PASS for these outputs" in verdict.detail
    assert "remove the file, or use --judge-anew" in verdict.detail


@pytest.mark.parametrize("case", CASES)
def test_known_shapes_spare_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    cache = VerdictCache(tmp_path / "one.sqlite")
    shapes = prepare(ir_models.parse(case), 0, cache).layer_shapes
    cache.close()
    with monkeypatch.context() as patch:
        patch.setattr("devices.questions.outputs_of", lambda *_: 1 / 0)
        later = prepare(ir_models.parse(case), 0, VerdictCache(tmp_path / "one.sqlite"))
        assert later.layer_shapes == shapes
        with pytest.raises(ZeroDivisionError):
            prepare(ir_models.parse(case), 1, VerdictCache(tmp_path / "one.sqlite"))
    # What needs the values computes them.
    assert [[e.value.shape for e in each] for each in later.expected] == [
        [e.value.shape for e in each] for each in prepared(case).expected
    ]


def test_a_damaged_row_is_judged_anew(tmp_path: Path, judged: Counted) -> None:
    path = tmp_path / "one.sqlite"
    of = prepared()
    reply = answered(of, 1.0)
    cache = VerdictCache(path)
    first = told(judge_reply(of, reply, "CPU", "", cache))
    cache.close()
    with sqlite3.connect(path) as database:
        for key, value in database.execute("SELECT key, value FROM cached").fetchall():
            changed = value.replace(b"FAIL", b"PASS")
            assert changed != value
            database.execute("UPDATE cached SET value = ? WHERE key = ?", (changed, key))
    calls = judged.calls
    assert told(judge_reply(of, reply, "CPU", "", VerdictCache(path))) == first
    assert judged.calls > calls


def test_a_row_of_another_key_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    of = prepared()
    cache = VerdictCache(path)
    for change in (0.0, 1.0):
        judge_reply(of, answered(of, change), "CPU", "", cache)
    cache.close()
    with sqlite3.connect(path) as database:
        (one, first), (two, second) = database.execute("SELECT key, value FROM cached").fetchall()
        for key, value in ((one, second), (two, first)):
            database.execute("UPDATE cached SET value = ? WHERE key = ?", (value, key))
    found = [
        judge_reply(of, answered(of, change), "CPU", "", VerdictCache(path)).outcome
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
        cache = VerdictCache(path)
        assert judge_reply(of, answered(of), "CPU", "", cache).outcome is Outcome.PASS
        assert cache.taken == taken
        cache.close()


def test_without_a_place_all_is_judged(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    of = prepared()
    for path in (tmp_path / "file" / "one.sqlite", tmp_path):
        cache = VerdictCache(path)
        for _ in range(2):
            assert judge_reply(of, answered(of), "CPU", "", cache).outcome is Outcome.PASS
        assert cache.taken == 0
        cache.close()


WRITING = """
import sys
from pathlib import Path
from devices.protocol import Reply, TensorData
from devices.verdict import Verdict
from devices.verdict_cache import VerdictCache
from ir_models import parse
from reports.results.outcomes import Outcome
import numpy as np

case, number = parse(sys.argv[2]), int(sys.argv[3])
cache = VerdictCache(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for place in range(60):
    outputs = [[TensorData.of(np.full(3, 100 * number + place, np.float32), "f32")]]
    reply = Reply(inferred=[("f32", "[3]")], outputs=outputs)
    cache.verdict(case, (), reply, lambda: Verdict(case, Outcome.PASS))
    cache.save()
"""


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITING, path, CASES[0], str(number)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for number in range(3)
    ]  # fmt: skip
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.communicate("go\n", timeout=60)
        assert process.returncode == 0
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM cached").fetchone() == (180,)


def test_a_source_that_changed_since_the_process_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = prepared()
    cache = VerdictCache(tmp_path / "one.sqlite")
    judge_reply(of, answered(of), "CPU", "", cache)
    monkeypatch.setattr(verdict_cache, "_STARTED", 0.0)
    # What was judged may be of either state.
    cache.close()
    for started, taken in ((0.0, 0), (time.time(), 0), (time.time(), 1)):
        monkeypatch.setattr(verdict_cache, "_STARTED", started)
        cache = VerdictCache(tmp_path / "one.sqlite")
        assert judge_reply(of, answered(of), "CPU", "", cache).outcome is Outcome.PASS
        assert cache.taken == taken
        cache.close()


def test_a_file_that_is_damaged_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    of = prepared()
    cache = VerdictCache(path)
    for change in range(400):
        cache.add_shapes(of.case, change, [(change,)])
    cache.close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"damaged" * (len(content) // 7))
    cache = VerdictCache(path)
    assert judge_reply(of, answered(of), "CPU", "", cache).outcome is Outcome.PASS
    cache.close()
    # The next run begins anew.
    for taken in (0, 1):
        cache = VerdictCache(path)
        judge_reply(of, answered(of), "CPU", "", cache)
        assert cache.taken == taken
        cache.close()


def test_a_value_of_another_kind_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    of = prepared()
    cache = VerdictCache(path)
    judge_reply(of, answered(of), "CPU", "", cache)
    cache.close()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE cached SET value = 'text'")
    assert judge_reply(of, answered(of), "CPU", "", VerdictCache(path)).outcome is Outcome.PASS


def test_files_that_were_not_used_for_the_longest_time_are_removed(tmp_path: Path) -> None:
    for number in range(7):
        path = tmp_path / f"{number}.sqlite"
        VerdictCache(path).close()
        os.utime(path, (number, number))
    VerdictCache(tmp_path / "3.sqlite").close()
    assert {each.name for each in tmp_path.iterdir()} == {
        "3.sqlite",
        *(f"{number}.sqlite" for number in (4, 5, 6)),
    }


def test_a_file_that_is_too_large_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.sqlite"
    of = prepared()
    cache = VerdictCache(path)
    judge_reply(of, answered(of), "CPU", "", cache)
    cache.close()
    monkeypatch.setattr(verdict_cache, "_MOST_BYTES", 100)
    cache = VerdictCache(path)
    judge_reply(of, answered(of), "CPU", "", cache)
    assert cache.taken == 0


@pytest.mark.parametrize(
    "name, value",
    [
        ("_ROOMS", {"ir_models": "*", "reference": "*", "devices": "*.py"}),
        ("_PACKAGES", ("ml_dtypes", "msgspec")),
        ("_arithmetic", lambda: "other"),
    ],
)
def test_what_the_database_is_of(monkeypatch: pytest.MonkeyPatch, name: str, value: object) -> None:
    before = verdict_cache.path_of({"XDG_CACHE_HOME": "/c"})
    monkeypatch.setattr(verdict_cache, name, value)
    assert verdict_cache.path_of({"XDG_CACHE_HOME": "/c"}) != before


def test_without_a_home_nothing_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert verdict_cache.path_of({}) is None


def test_the_database_is_that_of_the_sources(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": "/c"}
    path = verdict_cache.path_of(environment)
    assert path is not None
    assert path.parent == Path("/c/openvino-layer-conformance/verdicts")
    assert verdict_cache.path_of(environment) == path
    (tmp_path / "room").mkdir()
    found = set()
    for name, text in (("a.py", "1"), ("a.py", "2"), ("b.py", "2"), ("b.txt", "3")):
        (tmp_path / "room" / name).write_text(text)
        found.add(digest({"room": "*.py"}, ("numpy",), tmp_path))
    assert len(found) == 3
    assert digest({"room": "*.py"}, (), tmp_path) not in found
