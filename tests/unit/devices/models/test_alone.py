"""The layers of a model, alone, are asked by the engine: in packs, twice, and again where they are wrong."""

from dataclasses import replace

import numpy as np
import pytest

from devices.engine import packs
from devices.engine.session import Session
from devices.models.inputs import feeds_of
from devices.models.survey import Surveyor
from devices.process.protocol import Question, Reply, TensorData
from devices.targets.profiles import parse
from ir_models.models import ModelLayerCase, read
from ir_models.vocabulary.element_types import ELEMENT_TYPES, Tensor
from reports.results.outcomes import Outcome
from tests.planted.small_model import SmallModel

F32 = ELEMENT_TYPES["f32"]


class Wrong(Session):
    """The CPU, with one element of the first result wrong where ``is_wrong`` says so of a question and an inference."""

    def is_wrong(self, question: Question, inference: int) -> bool:
        raise NotImplementedError

    def ask(self, question: Question, cases: int = 1, patience: float = 1.0) -> Reply:
        reply = super().ask(question, cases, patience)
        for inference, outputs in enumerate(reply.outputs):
            if self.is_wrong(question, inference):
                values = outputs[0].values().copy()
                values.flat[0] += 1
                outputs[0] = TensorData.of(values, outputs[0].element_type)
        return reply


class WrongTogether(Wrong):
    """Wrong where several layers share a model."""

    def is_wrong(self, question: Question, inference: int) -> bool:
        return len(question.feeds) == 2 and len(question.layers) > 1


class WrongAgain(Wrong):
    """Wrong in the second inference on the same values."""

    def is_wrong(self, question: Question, inference: int) -> bool:
        return inference == 1


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    m = SmallModel()
    a = m.layer("Abs", m.parameter("x", "2,3"), name="a")
    m.result(m.layer("Negative", a, name="b"))
    return read(m.write(tmp_path_factory.mktemp("model")))


def survey(session, model):
    try:
        return Surveyor(model, session, feeds_of(model, [], [], 1, 0)).survey().findings
    finally:
        session.close()


def test_a_layer_that_is_wrong_beside_others_alone_is_no_failure_of_its_own(model):
    first, other = survey(WrongTogether("CPU", parse("accuracy"), 60.0), model).values()
    assert first.alone.outcome is Outcome.FLAKE
    assert first.alone.facts.kind == "only in a pack"
    assert first.alone.detail.startswith("PASS alone; in a pack of 2: ")
    assert other.alone.outcome is Outcome.PASS


def test_a_layer_that_gives_two_answers_is_a_flake(model):
    first, other = survey(WrongAgain("CPU", parse("accuracy"), 60.0), model).values()
    assert first.alone.outcome is Outcome.FLAKE
    assert first.alone.facts.kind == "two answers"
    assert other.alone.outcome is Outcome.PASS


def case_of(model, tensors, **attributes):
    node = next(iter(model.nodes.values()))
    source = model.sources[node.name]
    if attributes:
        element = source.element.__copy__()
        element.insert(0, element.makeelement("data", attributes))
        source = replace(source, element=element)
    return ModelLayerCase(node, source, tensors)


def test_layers_share_a_model_as_cases_do(model):
    plain = case_of(model, [Tensor(F32, (2, 3))]).id
    unknown = case_of(model, [Tensor(F32, (2, -1))]).id
    deep = case_of(model, [Tensor(F32, (1,) * 7)]).id
    converts = case_of(model, [Tensor(F32, (2, 3))], destination_type="u4").id
    assert packs.group(plain) == packs.group(case_of(model, [Tensor(F32, (5,))]).id)
    assert len({packs.group(each) for each in (plain, unknown, deep, converts)}) == 4
    assert packs.fragile_type(converts) == "u4"
    assert np.array_equal(packs.plan([plain, unknown], 60), [[0], [1]])
