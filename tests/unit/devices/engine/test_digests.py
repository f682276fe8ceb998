"""Digests distinguish wrong answers of one case: the device gives them for real, in packs and alone."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

import ir_models
from devices import Verdict
from devices.engine.prepared import PreparedCase
from devices.engine.questions import prepare
from devices.engine.session import Session
from devices.engine.verdicts.digests import digest, settled_digest
from devices.engine.verdicts.judging import answer_digest
from devices.engine.verdicts.known import NothingKnown
from devices.engine.verdicts.recording import observed
from devices.process.protocol import Reply, TensorData
from devices.targets.profiles import parse
from ir_models import ELEMENT_TYPES
from reports.results.outcomes import Outcome
from reports.results.records import VARIES
from tests.unit.devices.engine.test_faults import CULPRIT, DEVICE, FRAGILE, PACK, SPECIAL, judge


def recorded(fault: str, ids: list[str], culprit: str = CULPRIT, **settings: object) -> str:
    """The digest in the record of the culprit; all other cases pass and have none."""
    records = [observed(v, "PYTHON", "accuracy") for v in judge(fault, ids, **settings).values()]  # type: ignore[arg-type]
    found = {record.case: record.digest for record in records}
    own = found.pop(culprit)
    assert not any(found.values())
    return own


def test_the_same_wrong_answer_has_the_same_digest_in_a_pack_and_alone() -> None:
    first = recorded("wrong_element", PACK)
    assert re.fullmatch("[0-9a-f]{10}", first)
    assert recorded("wrong_element", PACK) == first
    assert recorded("wrong_element", [CULPRIT]) == first


def test_another_wrong_answer_has_another_digest() -> None:
    faults = ("wrong_element", "nan_for_number", "wrong_shape", "wrong_type")
    assert len({recorded(fault, [CULPRIT]) for fault in faults}) == len(faults)


def test_a_wrong_shape_at_reading_has_a_digest_of_its_own() -> None:
    right = judge("", [CULPRIT])[CULPRIT]
    wrong = recorded("infers_shape", [CULPRIT])
    assert re.fullmatch("[0-9a-f]{10}", wrong)
    assert right.digest == ""


def test_an_answer_that_is_another_one_alone_is_marked() -> None:
    alone = recorded("wrong_otherwise", [CULPRIT])
    assert not alone.endswith(VARIES)
    assert recorded("wrong_otherwise", PACK) == alone + VARIES


def test_an_answer_that_is_another_one_the_second_time_is_marked() -> None:
    """Bytes that hold no values are the same answer if there are as many, so that this is no FLAKE."""
    assert recorded("random_bytes_more", [CULPRIT]).endswith(VARIES)


@pytest.mark.skipif(sys.platform != "linux", reason="malloc fills no new memory there")
@pytest.mark.parametrize("ids", [[CULPRIT], PACK])
def test_an_answer_that_new_memory_decides_is_marked(ids: list[str]) -> None:
    """It is the same in each process of this machine, alone and in a pack, and another one on the next machine."""
    found = recorded("not_written", ids)
    assert re.fullmatch("[0-9a-f]{10}~[0-9a-f]{10}", found)
    # Which elements are written, and what they hold, does not vary.
    settled = found.partition(VARIES)[2]
    assert recorded("not_written", ids).endswith(settled)
    assert not recorded("not_written_and_wrong", ids).endswith(settled)
    told = "depends on what new memory of the process holds"
    assert told in judge("not_written", ids)[CULPRIT].detail
    assert told not in judge("wrong_element", ids)[CULPRIT].detail


@pytest.mark.skipif(sys.platform != "linux", reason="malloc fills no new memory there")
@pytest.mark.parametrize("fault", ["bits_not_written", "freed_bits_not_written"])
def test_what_is_wrong_with_other_memory_counts_as_wrong(fault: str) -> None:
    """Elements of one bit may be right by chance; with inverted bits these are wrong.

    What the C library keeps of freed memory has no inverted bits.
    """
    case = "LogicalNot-1/plain/boolean[3,4]"
    found = judge(fault, [case], "LogicalNot")[case]
    assert found.comparison is not None
    assert found.comparison.wrong == found.comparison.of
    told = re.search(r"; (\d+) of (\d+) wrong; the answer depends", found.detail)
    assert told
    assert int(told[1]) < int(told[2]) == found.comparison.of


@pytest.mark.parametrize("fault", ["segfault", "hang", "refuse", "not_there"])
def test_a_process_that_ends_otherwise_in_other_memory(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Death and a refusal are another answer; a hang and a device that does not open say nothing."""
    named = {"not_there": "absent"}.get(fault, fault)
    other = Session(DEVICE, parse(f"FAULT={named}"), 1.0)
    monkeypatch.setattr(Session, "in_other_memories", [other])
    with closing(other):
        assert recorded("wrong_element", [CULPRIT]).endswith(VARIES) == (
            fault in ("segfault", "refuse")
        )


@pytest.mark.parametrize(
    "fault", ["", "wrong_when_odd", "wrong_in_pack", "refuse", "segfault", "unreadable"]
)
def test_only_a_failure_has_a_digest(fault: str) -> None:
    verdict = judge(fault)[CULPRIT]
    assert verdict.outcome is not Outcome.FAIL
    assert observed(verdict, "PYTHON", "accuracy").digest == ""


def test_a_graph_that_goes_on_in_its_second_run_is_marked() -> None:
    """Its failure stays one when the second run gives other values."""
    graph = "Clamp/graphs/f32[2,3,4],f32[],f32[]"
    assert VARIES in recorded("goes_on", [graph], graph, match="")
    assert re.fullmatch("[0-9a-f]{10}", recorded("wrong_element", [graph], graph, match=""))


def test_the_record_of_a_graph_has_its_text_whatever_the_outcome() -> None:
    graph = "Clamp/graphs/f32[2,3,4],f32[],f32[]"
    for match in ("no such layer", "ReLU", "Clamp"):
        found = judge("wrong_element", [graph], match)[graph]
        record = observed(found, "PYTHON", "accuracy")
        assert record.graph.endswith("return y"), record.outcome


# --- what is in a digest ------------------------------------------------------------------------------------------


def answered(case_id: str) -> tuple[PreparedCase, Reply]:
    """A case, and the right answer to it."""
    prepared = prepare(ir_models.parse(case_id), 0)
    names = [kind.name for kind in prepared.case.output_types]
    outputs = [
        [
            TensorData.of(each.value.astype(ELEMENT_TYPES[name].dtype, copy=False), name)
            for each, name in zip(expected, names, strict=True)
        ]
        for expected in prepared.expected
    ]
    inferred = [(tensor.element_type, "[...]") for tensor in outputs[0]]
    return prepared, Reply(inferred=inferred, outputs=outputs)


def changed(reply: Reply, inference: int, **changes: object) -> Reply:
    outputs = [[*each] for each in reply.outputs]
    outputs[inference][0] = replace(outputs[inference][0], **changes)  # type: ignore[arg-type]
    return replace(reply, outputs=outputs)


@pytest.mark.parametrize("case_id", [SPECIAL[0], FRAGILE[0]])
def test_every_bit_of_an_output_counts(case_id: str) -> None:
    prepared, reply = answered(case_id)
    data = reply.outputs[0][0].data.copy()
    data[-1] ^= 1
    assert answer_digest(prepared, changed(reply, 0, data=data)) != answer_digest(prepared, reply)


def test_every_inference_counts() -> None:
    prepared, reply = answered(f"{CULPRIT}/shape=dims")
    data = reply.outputs[2][0].data.copy()
    data[-1] ^= 1
    assert answer_digest(prepared, changed(reply, 2, data=data)) != answer_digest(prepared, reply)


def test_values_of_a_random_output_do_not_count_and_its_shape_does() -> None:
    operation = ir_models.operation("RandomUniform-8")
    case_id = next(case.id for case in ir_models.cases(operation, ["variant.no-seed"]))
    prepared, reply = answered(case_id)
    assert prepared.expected[0][0].is_random
    first = answer_digest(prepared, reply)
    data = reply.outputs[0][0].data[::-1].copy()
    assert answer_digest(prepared, changed(reply, 0, data=data)) == first
    assert answer_digest(prepared, changed(reply, 0, shape=(9,))) != first


def test_of_a_request_that_keeps_an_open_state_the_first_inference_counts() -> None:
    cases = ir_models.cases(ir_models.operation("RandomUniform-8"))
    case_id = next(c.id for c in cases if c.how.inferences > 1 and not c.is_invalid)
    prepared, reply = answered(case_id)
    first = answer_digest(prepared, reply)
    assert answer_digest(prepared, changed(reply, 1, shape=(9,))) == first
    assert answer_digest(prepared, changed(reply, 0, shape=(9,))) != first


def test_strings_count() -> None:
    def of(*texts: str) -> str:
        expected = answered(CULPRIT)[0].expected[0][:1]
        return digest([], [(expected, [TensorData("string", (2,), [*texts])])])

    assert len({of("a", "b"), of("ab", ""), of("", "ab"), of("\ud800", "b")}) == 4


def test_what_two_answers_have_in_common() -> None:
    """Elements that both have, and which these are; of strings as of numbers, also where the sizes are others."""
    expected = answered(CULPRIT)[0].expected[0][:1]

    def of(one: list[int], other: list[int]) -> str:
        pair = [
            [TensorData("i16", (len(each),), np.array(each, np.int16))] for each in (one, other)
        ]
        return settled_digest([], [], [(expected, *pair)])

    def of_texts(*pair: str) -> str:
        tensors = [[TensorData("string", (1,), [each])] for each in pair]
        return settled_digest([], [], [(expected, *tensors)])

    assert of([1, 2, 3], [1, 9, 3]) == of([1, 7, 3], [1, 5, 3])
    others = [
        of([1, 3], [1, 3]),
        of([1, 2, 3], [1, 2, 3]),
        of([1, 2, 3], [1, 9, 4]),
        of([1], [1, 2]),
    ]
    assert len({of([1, 2, 3], [1, 9, 3]), *others}) == 5
    assert of_texts("a", "b") == of_texts("c", "d") != of_texts("a", "a") != of_texts("b", "b")
    # An answer whose bytes do not fill its elements is compared byte by byte.
    odd = [[TensorData("i16", (2,), np.array(each, np.uint8))] for each in ([1, 2, 3], [1, 2, 4])]
    assert settled_digest([], [], [(expected, *odd)]) != settled_digest(
        [], [], [(expected, odd[0], odd[0])]
    )


def test_unused_bits_do_not_count() -> None:
    """The last byte of three elements of 4 bits has 4 bits that hold nothing."""
    expected = answered(CULPRIT)[0].expected[0][:1]

    def of(last: int) -> str:
        data = np.array([0x21, last], np.uint8)
        return digest([], [(expected, [TensorData("i4", (3,), data)])])

    assert of(0x03) == of(0xF3) != of(0x04)


# --- known departures ---------------------------------------------------------------------------------------------


class KnownByDigest(NothingKnown):
    """What a baseline would know: the answer of one case."""

    def __init__(self, known: str) -> None:
        self.known, self.seen = known, list[str]()

    def matches_baseline(self, verdict: Verdict) -> bool:
        self.seen.append(observed(verdict, "PYTHON", "accuracy").digest)
        return self.seen[-1] == self.known

    @property
    def of_pack(self) -> str:
        """The digest that was asked about first; that of the case alone follows."""
        return self.seen[0]


def test_another_answer_than_the_known_one_is_confirmed_alone() -> None:
    """The pack's answer is compared, which is not what the case answers alone."""
    first = KnownByDigest("")
    alone = judge("wrong_otherwise", known=first)[CULPRIT].digest.removesuffix(VARIES)
    assert first.of_pack not in ("", alone)
    for digest_, packed in ((first.of_pack, True), (alone, False), ("0123456789", False)):
        known = KnownByDigest(digest_)
        verdict = judge("wrong_otherwise", known=known)[CULPRIT]
        assert known.of_pack == first.of_pack
        assert (verdict.pack > 1) == packed
        assert verdict.digest == (first.of_pack if packed else alone + VARIES)
