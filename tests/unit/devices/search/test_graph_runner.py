"""Asking about graphs: what a refusal says saves questions; a plugin that sees one layer at a time conforms."""

import pytest
from lxml import etree

from devices.engine.session import Session
from devices.process.protocol import Question, Reply
from devices.search.attribution import attribute
from devices.search.graph_runner import GraphRunner
from devices.targets.profiles import parse
from ir_models import patterns
from ir_models.graphs import evaluate, read
from reports.results.outcomes import Outcome

DEVICE = "PYTHON:tests.planted.fusing_device"


class Refusing(Session):
    """Refuses models with Exp, and says which layer it is of the first one that it meets."""

    def ask(self, question: Question, cases: int = 1, patience: float = 1.0) -> Reply:
        for layer in etree.fromstring(question.xml).iter("layer"):
            if layer.get("type") == "Exp":
                self.questions += 1
                name = layer.get("name")
                return Reply(stage="compile", error=f"node.cpp:5: Exp node with name '{name}'")
        return super().ask(question, cases, patience)


@pytest.fixture
def refusing():
    found = GraphRunner(Refusing(DEVICE, parse("accuracy"), 120.0))
    yield found
    found.session.close()


def test_the_graph_that_a_refusal_names_is_asked_alone_and_the_others_together(refusing):
    names = ["Abs-1", "Exp-1", "Negative-1", "ReLU-1", "Sign-1", "Exp-1", "Floor-1"]
    graphs = [
        evaluate(read(f"x=f32[{size}]; a=Abs-1(x); b={name}(a); return b"))
        for size, name in enumerate(names, 2)
    ]
    answers = refusing.ask(graphs)
    assert [answer.departs for answer in answers] == [name == "Exp-1" for name in names]
    # All, then each refused one and those like it alone, and the others together; halves of halves are eleven.
    assert refusing.session.questions == 4


def test_the_layer_that_a_refusal_names_is_asked_before_the_others(refusing):
    graph = evaluate(read("x=f32[2]; a=Abs-1(x); b=Exp-1(a); c=Sign-1(b); d=ReLU-1(c); return d"))
    (answer,) = refusing.ask([graph])
    before = refusing.session.questions
    assert attribute(refusing, answer).layer == "Exp-1"
    assert refusing.session.questions == before + 1


class RefusingTogether(Session):
    """Refuses models that have both Exp and Sign, and names no layer."""

    def ask(self, question: Question, cases: int = 1, patience: float = 1.0) -> Reply:
        if {"Exp", "Sign"} <= {
            layer.get("type") for layer in etree.fromstring(question.xml).iter("layer")
        }:
            return Reply(stage="compile", error="two layers do not fit each other")
        return super().ask(question, cases, patience)


def test_graphs_that_are_refused_together_and_conform_alone_are_noted_once() -> None:
    names = ["Abs-1", "Negative-1", "Exp-1", "Sign-1"]
    session = RefusingTogether(DEVICE, parse("accuracy"), 120.0)
    asking = GraphRunner(session)
    try:
        verdicts = asking.ask([evaluate(read(f"x=f32[2]; b={n}(x); return b")) for n in names])
    finally:
        session.close()
    assert not any(verdict.departs for verdict in verdicts)
    (together,) = asking.in_packs
    assert [graph.operations for graph in together] == [("Exp-1",), ("Sign-1",)]


@pytest.mark.parametrize(
    "text",
    [
        patterns.graph_of("Split-Concat").text,
        "x=f32[2,3]; const w=f32[3,4]~1; const b=f32[4]~2; m=MatMul-1(x,w); a=Add-1(m,b); return a,m,b",
        # The plugin that sees both layers adds along the wrong axis.
        "a=f32[2,2,1]:1; const axes=i64[]:2; const b=f32[2,1]#; c=ReduceSum-1(a,axes){keep_dims=true}; "
        "y=Add-1(c,b); return y",
    ],
)  # fmt: skip
def test_a_plugin_that_sees_one_layer_at_a_time_conforms(text: str) -> None:
    session = Session("PYTHON:tests.planted.chained_device", parse("accuracy"), 60.0)
    try:
        (answer,) = GraphRunner(session).ask([evaluate(read(text))])
    finally:
        session.close()
    assert answer.outcome is Outcome.PASS, answer.detail
