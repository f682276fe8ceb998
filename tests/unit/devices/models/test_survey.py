"""Surveys of small models on the CPU, healthy and with planted faults."""

import errno
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from devices.__main__ import main
from devices.commands import model as command
from devices.models import in_place, large_layers, reading
from devices.models.inputs import InputError, feeds_of, feeds_that_run
from devices.models.judging import histogram
from devices.models.operands import roundings, widened
from devices.models.part_runner import PartAnswer
from devices.models.reduction import Reducer
from devices.models.reduction_state import Reduction, ReductionTarget
from devices.models.survey import Surveyor
from devices.models.writing.anonymous import anonymous
from devices.models.writing.recording import case_ids, case_records
from devices.process.protocol import TensorData
from devices.search.cases import graph_of_folder
from ir_models.graphs import read as read_graph
from ir_models.models import cut, read
from reference import Expected, Value
from reports.gate.selectors import features_of
from reports.models.layout import layout
from reports.models.report import model_report
from reports.models.text import difference, lines, name_of
from reports.results import model_run
from reports.results.case_folder import manifest
from reports.results.facts_of_departures import Facts
from reports.results.model_run import LayerRecord, ModelRun, VerdictRecord
from reports.results.outcomes import Outcome
from tests.planted.model_trial import DEVICE, Trial, named_first
from tests.planted.small_model import SmallModel, in_f16, network, with_state


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    made = Trial(tmp_path_factory.mktemp("plant"))
    yield made
    made.session.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = network(tmp_path_factory.mktemp("network"))
    model = read(path)
    return path, model, {source.title: name for name, source in model.sources.items()}


def test_a_healthy_network_shows_nothing(trial, small):
    path, model, _ = small
    run = trial.survey(model, path)
    assert run.whole is Outcome.PASS
    assert run.ranked() == []
    assert all(layer.in_place or layer.members or not layer.unjudged for layer in run.layers)
    judged = {
        m
        for layer in run.layers
        if layer.in_place
        for m in (layer.members or [run.layers.index(layer)])
    }
    assert judged == set(range(len(run.layers)))
    assert run.results[0].error < 1e-6


@pytest.mark.parametrize(
    "kind, layer",
    [
        ("constant", "conv"),
        ("kernel", "pool"),
        ("precision", "product"),
        ("fused", "conv"),
        # What stands between is exact, and not read.
        ("kernel", "flat"),
    ],
)
def test_a_planted_fault_is_named_first(trial, small, kind, layer):
    path, model, names = small
    run = trial.survey(model, path, f"{kind}:{names[layer]}")
    assert layer in [each.title for each in named_first(run)]
    assert run.ranked()[0].effect


@pytest.mark.parametrize("kind, by", [("kernel", "conv"), ("precision", "conv"), ("fused", None)])
def test_a_layer_that_departs_alone_as_well_explains_its_group(trial, small, kind, by):
    path, model, names = small
    run = trial.survey(model, path, f"{kind}:{names['conv']}")
    first = run.ranked()[0]
    assert len(first.members) == 3
    assert (None if first.by is None else run.layers[first.by].title) == by
    headline = next(line for line in lines(run) if line.startswith("first"))
    assert ("Convolution-1 'conv', seen behind it at" in headline) is (by is not None)


def two_products(folder):
    """Two products of f16 one behind the other, the first with results far from zero."""
    m = SmallModel()
    x = m.parameter("x", "1,16,64")
    for number, size in enumerate((192, 96)):
        weights = m.weight(192 if number else 64, size)
        x = m.layer(
            "MatMul", x, weights, name=f"product {number}", transpose_a="false", transpose_b="false"
        )
    m.result(x, "y")
    return in_f16(m.write(folder, "products"), folder)


def test_a_layer_is_judged_on_what_the_device_holds_beyond_f16(trial, tmp_path):
    path = two_products(tmp_path)
    model = read(path)
    run = trial.survey(model, path)
    assert run.ranked() == []
    assert all(layer.in_place.outcome is Outcome.PASS for layer in run.layers)
    assert run.results[0].error < 2.0**-18 * run.results[0].scale  # no rounding to f16 in it
    second = next(n for n, source in model.sources.items() if source.title == "product 1")
    assert named_first(trial.survey(model, path, f"kernel:{second}"))[0].title == "product 1"


def test_a_layer_is_told_with_the_names_of_the_model_that_was_converted(tmp_path):
    m = SmallModel()
    x = m.parameter("x", "2,3")
    tensors = {
        "Relu_1": "",
        "Relu_2": "",
        "Conv_3": "390",
        "block/act": "block/act:0",
        "Relu_4": "a\\,b,c",
    }
    for title, tensor in tensors.items():
        x = m.layer("Relu", x, name=title)
        if tensor:
            m.layers[x].find("output/port").set("names", tensor)
    m.result(m.layer("Relu", x, name="Relu_9"), "y")
    model = read(m.write(tmp_path))
    told = {source.title: model.known_as(name) for name, source in model.sources.items()}
    del told["x"], told["y"]
    assert told == {
        "Relu_1": "before 'Conv_3'",
        "Relu_2": "before 'Conv_3'",
        "Conv_3": "tensor '390'",
        "block/act": "",
        "Relu_4": "tensor 'a,b'",
        "Relu_9": "",
    }
    first, second = (
        LayerRecord(name=f"n{n}", title=f"Relu_{n}", operation="ReLU-1", known_as=k)
        for n, k in ((1, "before 'Conv_3'"), (2, ""))
    )
    run = ModelRun(
        model="m",
        device="CPU",
        profile="accuracy",
        openvino="1",
        whole=Outcome.PASS,
        layers=[first, second],
    )
    assert name_of(first, run) == "ReLU-1 'Relu_1' (before 'Conv_3')"
    second.by = 0
    assert (
        name_of(second, run)
        == "ReLU-1 'Relu_1' (before 'Conv_3'), seen behind it at ReLU-1 'Relu_2'"
    )


def chain(m, x, words, channels, sizes=(0.5, 2)):
    """Linear layers that follow each other, with constants for each channel; the last is named ``last``."""

    def draw(low, high, *shape):
        return m.constant(m.random.uniform(low, high, shape).astype(np.float32))

    for place, word in enumerate(words):
        name = "last" if place == len(words) - 1 else f"{word} {place}"
        if word == "Convolution":
            x = m.layer(
                word, x, m.weight(channels, 16, 3, 3), name=name, strides="1,1", pads_begin="1,1",
                pads_end="1,1", dilations="1,1",
            )  # fmt: skip
        elif word == "BatchNormInference":
            values = [draw(*size, channels) for size in (sizes, (-2, 2), (-2, 2), (0.1, 2))]
            x = m.layer(word, x, *values, opset="opset5", name=name, epsilon="0.001")
        else:
            size = sizes if word in ("Multiply", "Divide") else (-2, 2)
            x = m.layer(word, x, draw(*size, 1, channels, 1, 1), name=name, auto_broadcast="numpy")
    return x


@pytest.mark.parametrize(
    "words, of_f16",
    [
        ("Add Add", False),
        ("Convolution Add Add", False),
        ("Add Add", True),
        ("Add Multiply Add", True),
        ("Divide Add", True),
        ("Multiply Convolution", True),
        ("BatchNormInference Convolution", True),
        ("Convolution Divide", True),
        ("Convolution Multiply Add", True),
        ("Convolution BatchNormInference", True),
        ("Convolution Add BatchNormInference", True),
    ],
)
def test_constants_of_linear_layers_are_merged_in_their_type(trial, tmp_path, words, of_f16):
    """A device folds them in f16 although it computes in f32; two to four ulps of the result are a fault."""
    m = SmallModel(3)
    last = chain(m, m.parameter("x", "1,16,12,10"), words.split(), 16)
    m.result(m.layer("Relu", last, name="relu"), "y")
    path = m.write(tmp_path, "chain")
    path = in_f16(path, tmp_path) if of_f16 else path
    model = read(path)
    assert trial.survey(model, path).ranked() == []
    name = next(n for n, source in model.sources.items() if source.title == "last")
    first = named_first(trial.survey(model, path, f"{'kernel' if of_f16 else 'inexact'}:{name}"))
    assert "last" in [each.title for each in first]


def test_an_addend_behind_what_dequantizes_moves_before_its_factor(trial, tmp_path):
    """The CPU computes (q - c)·s for (q - z)·s + b, with c = (z·s - b)/s; two to four ulps are a fault."""
    m = SmallModel()
    ends = [m.constant(np.full((1, 1, 1, 1), each, np.float32)) for each in (0, 255)]
    steps = m.layer(
        "FakeQuantize", m.parameter("x", "1,512,8,8"), *ends, *ends, name="steps", levels="256"
    )
    held = m.layer("Convert", steps, types=("u8",), destination_type="u8")
    real = m.layer("Convert", held, destination_type="f32")
    m.result(real, "real")
    zero = m.constant(np.uint8([[[[3]]]]), "u8")
    zero = m.layer("Convert", zero, destination_type="f32")
    less = m.layer("Subtract", real, zero, name="zero", auto_broadcast="numpy")
    last = chain(m, less, ["Multiply", "Add"], 512, (0.01, 0.02))
    m.result(last, "y")
    path = m.write(tmp_path)
    model = read(path)
    # Many near the zero point, where the addend is all of the result.
    pixels = (255 * np.random.RandomState(0).uniform(0, 1, (1, 512, 8, 8)) ** 2).astype(np.float32)
    for plant, outcomes in (("", {Outcome.PASS, Outcome.QUALITY}), ("inexact", {Outcome.FAIL})):
        (name,) = [n for n, source in model.sources.items() if source.title == "last"]
        trial.file.write_text(plant and f"{plant}:{name}", "utf-8")
        survey = Surveyor(model, trial.session, [{"n2": pixels}]).survey(alone=False)
        judged = survey.findings[name].in_place
        assert judged.outcome in outcomes
    trial.file.write_text("", "utf-8")


@pytest.mark.parametrize("has_branch", [False, True])
def test_what_is_computed_anew_for_a_reader_is_judged_with_it(trial, tmp_path, has_branch):
    """The CPU folds factor and addend into a copy of FakeQuantize; another copy gives the product that is read."""
    m = SmallModel()
    ends = [m.constant(np.full((1, 1, 1, 1), each, np.float32)) for each in (-1, 1)]
    x = m.layer(
        "FakeQuantize", m.parameter("x", "1,8,12,10"), *ends, *ends, name="steps", levels="256"
    )
    product = chain(m, x, ["Multiply"], 8)
    if has_branch:
        m.result(m.layer("Sigmoid", product, name="beside"), "z")
    added = m.layer("Add", product, m.weight(1, 8, 1, 1), name="added", auto_broadcast="numpy")
    m.result(m.layer("ReLU", added, name="relu"), "y")
    path = m.write(tmp_path)
    model = read(path)
    run = trial.survey(model, path)
    assert run.ranked() == []
    assert [each for each in run.notes if "compute these values anew" in each]
    relu = next(each for each in run.layers if each.title == "relu")
    assert {"last", "added"} <= {run.layers[place].title for place in relu.members}
    for plant, title in (("inexact", "added"), ("kernel", "relu"), ("fused", "added")):
        name = next(n for n, source in model.sources.items() if source.title == title)
        first = named_first(trial.survey(model, path, f"{plant}:{name}"))
        assert title in [each.title for each in first]


def test_layers_are_surveyed_in_parts_as_they_are_whole(trial, small, monkeypatch):
    """The same verdicts, wrong elements and errors of results, of a healthy network and one with a fault."""
    path, model, names = small
    for plant in ("", f"kernel:{names['bias']}"):
        runs = []
        for most in (2**18, 50):
            monkeypatch.setattr(large_layers, "MOST", most)
            runs.append(trial.survey(model, path, plant))
        whole, divided = runs
        for one, other in zip(whole.layers, divided.layers, strict=True):
            assert (one.members, one.unjudged) == (other.members, other.unjudged)
            for first, second in ((one.in_place, other.in_place), (one.alone, other.alone)):
                assert (first is None) == (second is None)
                if first is not None:
                    assert (first.outcome, first.wrong) == (second.outcome, second.wrong)
                    assert (first.fraction or 0.0) == pytest.approx(
                        second.fraction or 0.0, rel=1e-6
                    )
            assert (one.effect or 0.0) == pytest.approx(other.effect or 0.0, rel=1e-6)
        assert [each.error for each in whole.results] == pytest.approx(
            [each.error for each in divided.results], rel=1e-6
        )
        assert bool(divided.ranked()) is bool(plant)


def test_what_was_read_in_two_runs_is_confirmed_however_many_were(trial, tmp_path, monkeypatch):
    """A device whose numbers are others in each run: a layer that is right in each is right."""
    m = SmallModel()
    x = m.parameter("x", "?,3")
    for number in range(3):
        x = m.layer("Relu", x, name=f"relu {number}")
        m.state_shape(x, -1, 3)
        m.result(x, f"y{number}")
    path = m.write(tmp_path)
    asked, runs = reading.Reader._ask, []

    def scaled(self, values):
        answer = asked(self, values)
        for value in values:
            numbers = answer.values[-1][value].values() * np.float32(1 + len(runs) / 1024)
            answer.values[-1][value] = TensorData.of(numbers, "f32")
        runs.append(list(values))
        return answer

    monkeypatch.setattr(reading.Reader, "_ask", scaled)
    monkeypatch.setattr(in_place, "_CONFIRMED", 0)
    assert trial.survey(read(path), path).ranked() == []
    assert [len(values) for values in runs] == [3]  # known to be small though their size is open
    runs.clear()
    monkeypatch.setattr(reading, "_READ_BYTES", 1)
    assert trial.survey(read(path), path).ranked() == []
    assert [len(values) for values in runs] == [1, 1, 1]


def test_layers_that_are_wrong_together_are_named_as_a_graph(trial, small):
    """By causes of graphs, and so is the model as a whole where it departs in the same way."""
    path, model, names = small
    run = trial.survey(model, path, f"fused:{names['tanh']}")
    found = list(case_records(model, run, case_ids(model, str(path))))
    place = next(k for k, each in enumerate(run.layers) if each.departs and each.members)
    last, own = run.layers[place], found[1 + place]
    features = features_of(own)
    assert set(features["purpose"]) == {"model", "graphs"}
    assert set(features["operation"]) == {last.operation, "Graph"}
    operations = [run.layers[k].operation for k in last.members]
    assert "".join(f"{each} " for each in operations) in features["layers"]
    assert read_graph(own.graph).operations == tuple(operations)
    conforming = [each for each in found[1:] if each.conforms]
    assert conforming
    assert not any(each.graph for each in conforming)


def test_what_is_wrong_only_where_nothing_is_read_is_found(trial, small):
    path, model, names = small
    run = trial.survey(model, path, f"fused:{names['tanh']}")
    assert {"tanh", "softmax"} <= {each.title for each in named_first(run)}
    assert "layer behind it: tanh" in " ".join(run.notes)


def test_a_layer_that_kills_is_named_although_the_whole_dies(trial, small):
    path, model, names = small
    run = trial.survey(model, path, f"crash:{names['pool']}")
    assert run.whole is Outcome.CRASH
    (layer,) = run.ranked()
    assert layer.title == "pool"
    assert layer.worst.facts == Facts(stage="infer", kind="signal", signal="SIGABRT")


def test_a_wrong_state_shows_at_the_second_inference(trial, tmp_path):
    path = with_state(tmp_path)
    model = read(path)
    (assign,) = [name for name, source in model.sources.items() if source.type == "Assign"]
    assert trial.survey(model, path, "", [], 3).ranked() == []
    (layer,) = trial.survey(model, path, f"state:{assign}", [], 3).ranked()
    assert layer.operation == "ReadValue-6"


def test_a_sum_is_not_admitted_roundings_of_its_operands_without_a_factor_behind_it(
    trial, tmp_path
):
    """(x + 3) - 3 in one group: 1e-5 is no rounding of a sum near 0, though it would be one of 3 in f16."""
    m = SmallModel()
    x = m.parameter("x", "2,64")
    three = m.constant(np.full((1, 64), 3, np.float32))
    total = m.layer("Add", x, three, name="total", auto_broadcast="numpy")
    m.result(m.layer("ReLU", total, name="relu"))
    path = m.write(tmp_path)
    model = read(path)
    feeds = [{"n0": np.full((2, 64), -3 + 2.0**-20, np.float32)}]
    found = Surveyor(model, trial.session, feeds).survey(alone=False)
    judged = found.findings[model.graph.nodes[-1].name].in_place
    assert judged is not None
    low, high = (float(text) for text in (judged.comparison.low, judged.comparison.high))
    assert high - low < 2.0**-40


@pytest.mark.parametrize(
    "words, finer, expected",
    [
        ("Add Divide", False, [2, 2]),
        ("Add ReLU Multiply", False, [1, 1]),
        ("Add Multiply Divide", False, [3, 3]),
        ("Add Tanh Divide", False, [0, 0]),
        ("Subtract Multiply Add", False, [1, 2]),
        ("Add Add Add", False, [0, 2]),
        ("Multiply Add", False, [0, 0]),
        ("Subtract Multiply Add", True, [1, 2]),
        ("Multiply Multiply Divide", True, [0, 3]),
        ("Divide Add", True, [0, 1]),
        ("Convolution Add Multiply", True, [0, 1]),
        ("Convolution Add Multiply", False, [0, 0]),
        ("Convolution ReLU Multiply", True, [0, 0]),
        ("BatchNormInference Multiply", True, [0, 3, 2, 3, 2]),
    ],
)
def test_how_often_operands_are_rounded_where_linear_layers_are_merged(
    tmp_path, words, finer, expected
):
    m = SmallModel()
    last = m.parameter("x", "1,16,2,4")
    for word in words.split():
        last = m.layer(word, last) if word in ("ReLU", "Tanh") else chain(m, last, [word], 16)
    m.result(last)
    model = read(m.write(tmp_path))
    name = model.graph.nodes[0].name
    constants = model.graph.constants

    def times(is_read):
        return roundings(model, name, constants.__contains__, is_read, finer)

    assert times(lambda _: False) == expected
    own = [0, 2, 1, 2, 1] if len(expected) > 2 else [0, int(words.startswith("Divide"))]
    assert times(lambda value: value == name) == own


def test_an_addend_of_integers_is_rounded_in_front_of_their_factor(tmp_path):
    """The constant z of (x - z)·s + b is multiplied by s, less b, and divided by s again."""

    def times(kind, is_finer=False):
        m = SmallModel()
        x = m.layer("Convert", m.parameter("x", "1,16,2,4", kind), destination_type="f32")
        m.result(chain(m, x, ["Subtract", "Multiply", "Add"], 16))
        model = read(m.write(tmp_path))
        first, last = (model.graph.nodes[place].name for place in (1, -1))
        is_constant = model.graph.constants.__contains__
        return [
            roundings(model, name, is_constant, lambda _: False, is_finer) for name in (first, last)
        ]

    assert times("u8") == [[1, 3], [0, 3]]
    assert times("f16") == [[1, 2], [0, 1]]
    assert times("u8", is_finer=True) == [[1, 2], [0, 1]]


def test_operands_may_be_converted_to_the_precision_of_the_kernel():
    operand = Value.exact(np.array([-1.5, 0.0, 3.0], np.float32), "f32")
    (converted,) = widened([operand], "bf16", [0])
    np.testing.assert_array_equal(converted.bound, [2.0**-8, 0.0, 2.0**-7])
    np.testing.assert_array_equal(converted.quality, converted.bound)
    (scaled,) = widened([operand], "f32", [2])
    np.testing.assert_array_equal(scaled.bound, [1.5 * 2.0**-23, 0.0, 3 * 2.0**-23])
    assert scaled.quality is None
    (merged,) = widened([operand], "f32", [2], is_in_quality=True)
    np.testing.assert_array_equal(merged.quality, scaled.bound)
    assert widened([operand], "f32", [0]) == [operand]


def test_errors_of_sums_that_lean_to_one_side_are_judged_on_independent_data(trial, tmp_path):
    """Any sum in f32 of three numbers that are odd multiples of one step is too large."""
    m = SmallModel()
    x = m.parameter("x", "1,8,300,3")
    m.result(m.layer(
        "AvgPool", x, name="pool", strides="3,1", kernel="3,1", pads_begin="0,0", pads_end="0,0",
        exclude_pad="true", rounding_type="floor", auto_pad="explicit",
    ))  # fmt: skip
    model = read(m.write(tmp_path))
    steps = 2**23 + 4 * np.random.RandomState(0).randint(0, 2**20, (1, 8, 300, 3))
    steps[:, ::2] += 1
    feeds = [{"n0": (steps * 2.0**-23 * [[[[1]], [[-1]]] * 4]).astype(np.float32)}]
    (name,) = model.nodes
    for plant, outcome, words in (
        ("", Outcome.QUALITY, "not where the last bits of its data are independent"),
        (f"inexact:{name}", Outcome.FAIL, "with data whose last bits are independent"),
    ):
        trial.file.write_text(plant, "utf-8")
        found = Surveyor(model, trial.session, feeds).survey().findings[name]
        assert found.in_place.outcome is Outcome.QUALITY
        assert found.alone.outcome is outcome
        assert words in found.alone.detail
    trial.file.write_text("", "utf-8")


def test_weights_of_f16_leave_the_precision_of_layers(trial, tmp_path):
    m = SmallModel()
    weights = m.constant(m.random.uniform(-1, 1, (4, 3, 1, 1)).astype(np.float16), "f16")
    wide = m.layer("Convert", weights, name="weights", destination_type="f32")
    etree.SubElement(
        etree.SubElement(m.layers[wide], "rt_info"), "attribute", name="decompression", version="0"
    )
    conv = m.layer(
        "Convolution", m.parameter("x", "1,3,12,10"), wide, name="conv", strides="1,1", dilations="1,1",
        pads_begin="0,0", pads_end="0,0", auto_pad="explicit",
    )  # fmt: skip
    m.result(m.layer("Softmax", conv, opset="opset8", name="last", axis="1"))
    path = m.write(tmp_path)
    run = trial.survey(read(path), path)
    found = {each.title: each.in_place for each in run.layers if each.in_place}
    assert [found[title].precision for title in ("conv", "last")] == ["f32", "f32"]
    assert run.ranked() == []


def test_one_element_of_another_rank_is_judged_and_told(trial, tmp_path):
    m = SmallModel()
    x = m.parameter("x", "2,3")
    ends = [m.constant(np.array(pads), "i64") for pads in ([0, 1], [1, 0])]
    value = m.constant(np.array([3], np.float32))
    m.result(m.layer("Pad", x, *ends, value, name="pad", pad_mode="edge"))
    path = m.write(tmp_path)
    (layer,) = trial.survey(read(path), path).layers
    assert layer.outcome is Outcome.PASS
    assert layer.note == "a rank that the specification does not allow: 1 of input 3, not 0"


def test_subnormal_constants_have_their_cause(small, tmp_path, capsys):
    m = SmallModel()
    small_numbers = np.array([1.5, -2e-42, 0.25, 3e-43, -1, 2], np.float32)
    shape = m.layer(
        "ShapeOf", m.parameter("x", "2,3"), opset="opset3", types=("i64",), output_type="i64"
    )
    flat = m.layer("Reshape", m.constant(small_numbers), shape, name="flat", special_zero="false")
    m.result(flat)
    path, out = m.write(tmp_path), tmp_path / "out"
    assert main(["model", str(path), "--out", str(out)]) == 0
    (layer,) = model_run.read(out / "model.json").ranked()
    assert (layer.title, layer.cause) == ("flat", "constant-special-values")
    assert layer.worst.numbers == "special"


def test_what_vanishes_below_minus_87_has_one_cause(tmp_path, capsys):
    """SoftMax and Sigmoid have it, alone and multiplied in one kernel; and no other wrong number has it."""
    m = SmallModel()
    x = m.parameter("x", "1,4")
    sigmoid = m.layer("Sigmoid", x, name="sigmoid")
    m.result(m.layer("Multiply", x, sigmoid, name="product"), "one")
    m.result(m.layer("SoftMax", x, name="softmax", opset="opset8", axis="1"), "two")
    path, data, out = m.write(tmp_path), tmp_path / "x.npy", tmp_path / "out"
    np.save(data, np.array([[0, -30, -87, -87.25]], np.float32))
    assert main(["model", str(path), "--input", f"x={data}", "--out", str(out)]) == 0
    found = model_run.read(out / "model.json").ranked()
    assert {each.cause for each in found} == {"sigmoid-vanishes-early"}
    assert {"softmax", "sigmoid"} <= {each.title for each in found}
    assert all(each.worst.numbers == "vanishing" for each in found)


def test_where_numbers_end_is_told(trial, tmp_path):
    m = SmallModel()
    weights = np.ones((3, 3), np.float32)
    weights[1, 1] = np.nan
    product = m.layer(
        "MatMul", m.parameter("x", "2,3"), m.constant(weights), name="product", transpose_a="false",
        transpose_b="false",
    )  # fmt: skip
    m.result(m.layer("Tanh", product, name="tanh"))
    path = m.write(tmp_path)
    run = trial.survey(read(path), path)
    assert run.ranked() == []
    assert run.notes == ["the reference has NaN or infinity as well, first at MatMul-1 'product'"]


def test_errors_are_counted_by_decades():
    expected = Expected(np.array([1.0, 1.0, 1.0, 2.0]), np.full(4, 1e-3), None, 0.0)
    actual = np.array([1.0, 1.00015, 1.02, np.nan])
    assert histogram(expected, actual) == (1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1)
    exact = Expected(np.array([1.0]), None, None, 0.0)
    assert histogram(exact, np.array([1.0])) == ()


def test_an_unknown_operation_is_counted(trial, tmp_path):
    m = SmallModel()
    x = m.parameter("x", "2,3")
    m.result(m.layer("Abs", m.layer("Mine", x, opset="extension", name="own")))
    path = m.write(tmp_path)
    run = trial.survey(read(path), path)
    assert run.whole is Outcome.REFUSED
    assert any(line.startswith("unknown") and "Mine (extension) x 1" in line for line in lines(run))


def test_the_command_reduces_and_its_script_shows_it(small, tmp_path, capsys):
    path, _, names = small
    out = tmp_path / "out"
    plant = ["--device", DEVICE, "--profile", f"accuracy,PLANT=fused:{names['tanh']}"]
    assert main(["model", str(path), *plant, "--out", str(out), "--reduce", "--minutes", "2"]) == 1
    printed = capsys.readouterr().out
    assert "reduced  2 layers of 8 still depart in the same way" in printed
    assert "without tanh it conforms" in printed
    assert (out / "reduced" / "smallest" / "model.xml").is_file()
    assert (out / "reduced" / "conforms" / "model.xml").is_file()
    run = model_run.read(out / "model.json")
    assert run.ranked()[0].title == "softmax"
    # On the CPU itself, which has no fault, the script of the reduced part conforms.
    script = [sys.executable, str(out / "reduced" / "smallest" / "reproduce.py"), "--device", "CPU"]
    ran = subprocess.run(script, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    # It is a graph that can be shrunk, and conforms there as well.
    healthy = ["--device", "CPU", "--profile", "accuracy"]
    capsys.readouterr()
    assert main(["shrink", str(out / "reduced" / "smallest"), *healthy]) == 0
    assert "it conforms on CPU" in capsys.readouterr().out
    folder = out / "reduced" / "smallest"
    graph = graph_of_folder(folder, manifest.read(folder))
    assert graph.operations == ("Tanh-1", "SoftMax-8")
    (folder / "model.xml").write_text("<net>")
    assert main(["shrink", str(folder), *healthy]) == 2
    assert "the model is damaged" in capsys.readouterr().err


def test_a_reduction_keeps_what_else_reads_a_tensor_until_it_does_not_matter(tmp_path, capsys):
    m = SmallModel()
    x = m.layer("ReLU", m.parameter("x", "2,3"), name="relu")
    one, other = m.layer("Tanh", x, name="one"), m.layer("Tanh", x, name="other")
    m.result(m.layer("Abs", one, name="abs"))
    m.result(m.layer("Negative", other, name="negative"))
    m.result(m.layer("Exp", x, name="exp"))
    path, out = m.write(tmp_path), tmp_path / "out"
    name = next(name for name, source in read(path).sources.items() if source.title == "one")
    plant = ["--device", DEVICE, "--profile", f"accuracy,PLANT=sibling:{name}"]
    assert main(["model", str(path), *plant, "--out", str(out), "--reduce", "--minutes", "1"]) == 1
    printed = capsys.readouterr().out
    assert "reduced  3 layers of 6 still depart in the same way" in printed
    assert "without other it conforms" in printed
    assert printed.count(", without which it conforms") == 2
    reduced = etree.parse(out / "reduced" / "smallest" / "model.xml")
    assert {each.get("name") for each in reduced.findall(".//layer[@type='Tanh']")} == {
        "one",
        "other",
    }
    assert len(reduced.findall(".//layer[@type='Result']")) == 2


def test_a_reduced_part_has_the_cause_of_its_layer(tmp_path, capsys):
    m = SmallModel()
    columns = [m.parameter(name, "2,1") for name in "abc"]
    joined = m.layer("Concat", *columns, name="joined", axis="1")
    places = [m.constant(np.array([0, end]), "i64") for end in (0, 1, 3)]
    masks = {"begin_mask": "1,0", "end_mask": "1,0"}
    ones = m.constant(np.array([1, 1]), "i64")
    for name, ends in (("first", places[:2]), ("rest", places[1:])):
        m.result(m.layer("StridedSlice", joined, *ends, ones, name=name, **masks), name)
    path, out = m.write(tmp_path), tmp_path / "out"
    assert main(["model", str(path), "--out", str(out), "--reduce", "--minutes", "1"]) == 1
    assert "reduced  3 layers of 3" in capsys.readouterr().out
    found = manifest.read(out / "reduced" / "smallest")
    assert found.result["cause"] == "parts-of-joined-numbers-begin-at-the-second"


def test_wrong_values_are_not_reduced_to_a_wrong_shape(trial, small, tmp_path):
    _, model, names = small
    right = {names["tanh"]: np.zeros((2, 3))}

    def is_the_same(array, **target):
        of = ReductionTarget(Outcome.FAIL, layer=names["tanh"], error=1.0, **target)
        found = Reducer(model, trial.session, {}, of, tmp_path, 1)
        answer = PartAnswer(values=[{names["tanh"]: TensorData.of(array, "f32")}])
        return found._is_the_same(answer, right)

    wrong, other = np.ones((2, 3), np.float32), np.ones((3, 2), np.float32)
    assert is_the_same(wrong)
    assert not is_the_same(other)
    assert is_the_same(other, is_shape=True)
    assert not is_the_same(wrong, is_shape=True)


@pytest.mark.parametrize("other", [{"is_shape": True}, {"layer": "another"}])
def test_a_reduction_goes_on_from_what_is_of_the_same_departure(other, tmp_path):
    target = ReductionTarget(Outcome.FAIL, layer="tanh", error=1.0)
    Reduction(["tanh"], unread={"relu:1"}, tried=7).write(tmp_path, target)
    assert Reduction.read(tmp_path, replace(target, error=1.5)) == Reduction(
        ["tanh"], unread={"relu:1"}, tried=7
    )
    assert Reduction.read(tmp_path, replace(target, **other)) is None


def test_a_reduction_that_no_longer_departs_begins_anew(trial, small, tmp_path, monkeypatch):
    _, model, names = small
    target = ReductionTarget(Outcome.FAIL, layer=names["tanh"])
    results = {each.source for each in model.graph.results}
    Reduction([names["tanh"]], unread=results, tried=7).write(tmp_path, target)
    reducer = Reducer(model, trial.session, {}, target, tmp_path, 1)
    unread = []
    monkeypatch.setattr(reducer, "_departs", lambda _: unread.append(reducer.state.unread))
    assert not reducer.reduce().nodes
    assert unread == [results, set()]


@pytest.fixture
def with_unknown(tmp_path):
    """Two layers, of data whose first dimension is not known."""
    m = SmallModel()
    rows = m.parameter("rows", "?,1..9,4")
    tanh = m.layer("Tanh", rows, name="tanh")
    m.state_shape(tanh, -1, -1, 4)
    m.result(m.layer("Abs", tanh, name="abs"))
    path = m.write(tmp_path)
    return path, read(path)


def test_parts_know_no_more_dimensions_than_the_model(with_unknown):
    _, model = with_unknown
    names = {source.title: name for name, source in model.sources.items()}
    arrays = {name: np.zeros((2, 3, 4), np.float32) for name in (names["rows"], names["tanh"])}
    assert {v: t.shape for v, t in model.given(arrays).items()} == {names["tanh"]: (-1, -1, 4)}
    # A part has the model's own Parameter with its bounds, but where an array does not fit these.
    part = etree.fromstring(cut(model, [names["tanh"]], [names["tanh"]], model.given(arrays)).xml)
    assert part.find(".//layer[@type='Parameter']/data").get("shape") == "?,1..9,4"
    large = {names["rows"]: np.zeros((2, 10, 3), np.float32)}
    assert model.given(large)[names["rows"]].shape == (-1, -1, 3)


def test_a_folder_of_an_unknown_size_has_it_unknown(with_unknown, tmp_path, capsys):
    path, model = with_unknown
    name = next(name for name, source in model.sources.items() if source.title == "abs")
    out = tmp_path / "out"
    plant = ["--device", DEVICE, "--profile", f"accuracy,PLANT=kernel:{name}"]
    assert main(["model", str(path), *plant, "--out", str(out), "--shape", "rows=2,3,4"]) == 1
    (folder,) = (each for each in out.rglob("model.xml"))
    shape = etree.parse(folder).find(".//layer[@type='Parameter']/data").get("shape")
    assert [part.strip() for part in shape.split(",")] == ["?", "?", "4"]
    script = [sys.executable, str(folder.parent / "reproduce.py"), "--device", "CPU"]
    ran = subprocess.run(script, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_part_without_names_and_weights_shows_the_departure_or_is_none(trial, small, tmp_path):
    _, model, names = small
    trial.file.write_text(f"kernel:{names['product']}", "utf-8")
    feeds = feeds_of(model, [], [], 1, 0)
    evidence = (
        Surveyor(model, trial.session, feeds).survey().findings[names["product"]].alone_evidence
    )
    assert evidence is not None
    # In the part itself the layer is the third one, behind what feeds it.
    trial.file.write_text("kernel:n2", "utf-8")
    found = anonymous(model, evidence, trial.session)
    assert found is not None
    bare, shown = found
    assert shown.nodes == ("n2",)
    assert not {source.title for source in bare.sources.values()} & {"product", "x", "flat"}
    (before,) = [t for t in model.graph.constants.values() if t.shape == (240, 10)]
    (after,) = bare.graph.constants.values()
    # Numbers beyond the least and the largest are these.
    assert np.isin(after.array(), before.array()).mean() < 0.2
    assert len(np.intersect1d(after.array(), before.array())) <= 2
    assert abs(after.array().std() - before.array().std()) < 0.1 * before.array().std()
    trial.file.write_text("", "utf-8")
    assert anonymous(model, evidence, trial.session) is None


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["none.xml"], "there is no such file"),
        (["SMALL", "--input", "y=1"], "names no input; the model has x"),
        (["SMALL", "--device", "FPGA"], "FPGA"),
        (["SMALL", "--device", "FPGA", "--against", "none"], "none/model.json"),
        (["SMALL", "--profile", "fast"], "unknown profile"),
        (["SMALL", "--against", "none"], "none/model.json: No such file"),
        (["SMALL", "--samples", "0"], "--samples must be from 1 to 1000, got 0"),
        (["SMALL", "--samples", "99999999"], "--samples must be from 1 to 1000, got 99999999"),
        (["bare.xml"], "the model has no layer, so that nothing can be judged"),
        (["endless.xml"], "endless.xml: the model has no result, so that nothing can be judged"),
        (["pipe.xml"], "pipe.bin is not a regular file"),
        (["pipe.bin"], "pipe.bin is not a regular file"),
        (["SMALL", "--shape", "x=1,3,12"], "the shape is [1,3,12], x is [1,3,12,10]"),
        (["SMALL", "--shape", "x=-1,3,12,10"], "a size must be at least 0"),
        (["SMALL", "--input", "x=1,2"], "x=1,2: the shape is [2], x is [1,3,12,10]"),
        (["SMALL", "--input", "x=two"], "x=two: neither a file nor a number"),
        (["SMALL", "--input", "x=none.npy"], "x=none.npy: there is no such file"),
        (["SMALL", "--input", "x=1e300"], "1e+300 is not a value of f32"),
        (["SMALL", "--input", "x=empty.npy"], "x=empty.npy: No data left in file"),
        (["SMALL", "--input", "x=text.npy"], "x=text.npy: no .npy file"),
        (["SMALL", "--input", "x=complex.npy"], "the values are complex128, expected f32"),
        (["SMALL", "--input", "x=several.npz"], "several arrays"),
        (["text.npy"], "OpenVINO does not read it"),
    ],
)
def test_wrong_usage_is_one_line(small, tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    Path("empty.npy").touch()
    Path("text.npy").write_text("text", "utf-8")
    np.save("complex.npy", np.zeros((1, 3, 12, 10), complex))
    np.savez("several.npz", a=np.zeros(2))
    os.mkfifo("pipe.bin")
    shutil.copy(small[0], "pipe.xml")
    m = SmallModel()
    m.result(m.parameter("x", "2"))
    m.write(tmp_path, "bare")
    m = SmallModel()
    m.layer("Abs", m.parameter("x", "2"))
    m.write(tmp_path, "endless")
    given = [str(small[0]) if each == "SMALL" else each for each in arguments]
    assert main(["model", *given, "--out", str(tmp_path)]) == 2
    printed = capsys.readouterr().err
    assert words in printed
    assert len(printed.splitlines()) == 1


def test_what_a_layer_is_computed_as_names_its_cause(tmp_path, capsys):
    m = SmallModel()
    x = m.parameter("x", "2,3", "i64")
    large = m.constant(np.array(3_000_000_000), "i64")
    total = m.layer("Add", x, large, name="total", types=("i64",), auto_broadcast="numpy")
    m.result(total, "y")
    path = m.write(tmp_path)
    assert main(["model", str(path), "--out", str(tmp_path / "out")]) == 1
    told = (
        "first    Add-1 'total'; explains 100% of the largest error of a result; known as 64-bit-"
    )
    printed = capsys.readouterr().out
    assert told in printed
    assert "(limit, silent, since 2024.0)" in printed
    assert "exact values expected" in printed
    run = model_run.read(tmp_path / "out" / "model.json")
    folder = tmp_path / "out" / run.ranked()[0].folder
    assert printed.splitlines()[-1] == f"issue    python -m reports issue {folder}"
    assert [layer.in_place.facts.computed_as for layer in run.layers] == ["i64 as i32"]
    accepts = ["--accept-known", "--out", str(tmp_path / "again")]
    assert main(["model", str(path), *accepts]) == 0


def test_sizes_that_a_model_leaves_open_are_told_and_a_batch_of_2_is_asked(tmp_path, capsys):
    m = SmallModel()
    rows = m.parameter("rows", "?,?,8")
    m.result(m.layer("Softmax", rows, opset="opset8", axis="2", name="shares"), "y")
    path = m.write(tmp_path)
    assert main(["model", str(path), "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    chosen = "rows [?,?,8]: tested with a batch of 1 and of 2, and other dimensions of 64"
    assert f"the model leaves dimensions open, {chosen}" in printed
    assert "rows: f32[1,64,8]; 2 samples" in printed
    assert main(["model", str(path), "--shape", "rows=1,2,8", "--out", str(tmp_path / "one")]) == 0
    assert "leaves dimensions open" not in capsys.readouterr().out


def test_a_size_at_which_the_model_fails_is_not_the_one_that_is_asked(tmp_path):
    m = SmallModel()
    x = m.parameter("x", "?,?")
    m.result(m.layer("Abs", x, name="size"), "y")
    model = read(m.write(tmp_path))
    asked = []

    def runs(feeds):
        asked.append(feeds[0]["n0"].shape)
        return asked[-1][1] != 64 and asked[-1][0] == 1

    feeds, words = feeds_that_run(model, runs, [], [], 1, 0)
    assert [each["n0"].shape for each in feeds] == [(1, 224)]
    assert words.endswith("a batch of 1, and other dimensions of 224; with 64 it fails")
    assert asked == [(1, 64), (1, 224), (2, 224)]
    _, words = feeds_that_run(model, lambda _: False, [], [], 1, 0)
    assert words.endswith(
        "fails with each size that was tried, 64, 224, 16, 320, 512, 1: give --shape"
    )


def test_a_refusal_at_sizes_that_the_tool_chose_is_no_departure(tmp_path, capsys):
    m = SmallModel()
    shape = m.constant(np.array([3, 7]), "i64")
    m.result(m.layer("Reshape", m.parameter("x", "?,?"), shape, special_zero="false"), "y")
    path = m.write(tmp_path)
    assert main(["model", str(path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.endswith(", 64, 224, 16, 320, 512, 1: give --shape\n")
    shape = ["--shape", "x=1,21", "--out", str(tmp_path / "given")]
    assert main(["model", str(path), *shape]) == 0


def test_a_refusal_before_sizes_are_known_does_not_ask_for_them(tmp_path, capsys):
    """Without axes Squeeze has an unknown rank, which the CPU compiles for no size."""
    m = SmallModel()
    m.result(m.layer("Squeeze", m.parameter("x", "?,?,3"), name="squeeze"), "y")
    out = tmp_path / "out"
    assert main(["model", str(m.write(tmp_path)), "--no-alone", "--out", str(out)]) == 1
    told = capsys.readouterr()
    assert "the device fails before it knows the sizes of the open dimensions" in told.out
    assert "--shape" not in told.out + told.err


def test_a_reference_that_does_not_end_is_told(trial, small, monkeypatch):
    path, model, _ = small

    def endless(*_):
        while True:
            pass

    monkeypatch.setattr(trial.session, "case_timeout", 1.0)
    monkeypatch.setattr(large_layers.Wanted, "of", endless)
    run = trial.survey(model, path)
    (told,) = {layer.unjudged for layer in run.layers if layer.unjudged}
    assert told == "the reference refuses: it takes longer than 1 s"


def test_a_step_that_lasts_is_told_again(capsys, monkeypatch):
    monkeypatch.setattr(command, "_EVERY", 0.02)
    with command._progress() as report:
        report("compiling")
        time.sleep(0.5)
        report("")
    assert capsys.readouterr().err.count("compiling") > 2


def test_a_name_of_any_length_is_one_line_of_few_characters(tmp_path, capsys):
    m = SmallModel()
    m.result(m.layer("Abs", m.parameter("x" * 100_000, "2")), "y" * 100_000)
    assert main(["model", str(m.write(tmp_path)), "--out", str(tmp_path / "out")]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 1000


@pytest.mark.parametrize("option", ["--timeout", "--minutes"])
@pytest.mark.parametrize("text", ["-1", "nan", "inf", "x"])
def test_a_time_is_a_number_of_its_range(small, capsys, option, text):
    with pytest.raises(SystemExit) as ended:
        main(["model", str(small[0]), option, text])
    assert ended.value.code == 2
    assert f"argument {option}: expected" in capsys.readouterr().err


def test_values_of_an_input_fit_its_type_and_one_number_is_that_of_all_elements(tmp_path):
    m = SmallModel()
    m.result(m.layer("Abs", m.parameter("x", "2,3", "i32")))
    model = read(m.write(tmp_path))
    (feed,) = feeds_of(model, ["x=-4"], [], 1, 0)
    (values,) = feed.values()
    assert values.dtype == np.int32
    assert (values == np.full((2, 3), -4)).all()
    whole, fraction = tmp_path / "whole.npy", tmp_path / "fraction.npy"
    np.save(whole, np.full((2, 3), 7.0))
    np.save(fraction, np.full((2, 3), 2.5))
    assert (next(iter(feeds_of(model, [f"x={whole}"], [], 1, 0)[0].values())) == 7).all()
    with pytest.raises(InputError, match=r"2\.5 is not a value of i32"):
        feeds_of(model, [f"x={fraction}"], [], 1, 0)


def test_an_earlier_run_in_the_usual_folder_stays(small, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    usual = Path("results", small[0].stem)
    assert main(["model", str(small[0]), "--no-alone"]) == 0
    text = (usual / "model.json").read_bytes()
    assert main(["model", str(small[0]), "--no-alone", "--against", str(usual)]) == 0
    assert (usual / "model.json").read_bytes() == text
    assert Path(f"{usual}.new", "model.json").is_file()
    assert "differ   0 layers" in capsys.readouterr().out


def test_models_of_one_name_have_folders_of_their_own(small, tmp_path, capsys):
    models, out = tmp_path / "models", tmp_path / "out"
    for folder in (models, models / "more"):
        folder.mkdir()
        for file in (small[0], small[0].with_suffix(".bin")):
            shutil.copy(file, folder)
    (models / "broken.onnx").write_text("text", "utf-8")
    assert main(["model", str(models), "--no-alone", "--out", str(out)]) == 2
    name = small[0].name
    assert sorted(each.parent.relative_to(out).as_posix() for each in out.rglob("model.json")) == [
        f"more/{name}", name,
    ]  # fmt: skip
    assert not (out / "broken").exists()
    printed = capsys.readouterr()
    assert "broken.onnx: OpenVINO does not read it" in printed.err


def test_what_was_found_is_told_though_it_cannot_be_written(small, tmp_path, monkeypatch, capsys):
    def full(path, run):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(model_run, "write", full)
    assert main(["model", str(small[0]), "--no-alone", "--out", str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert "verdict  no layer departs" in printed.out
    assert printed.err.splitlines()[-1].endswith(
        "results cannot be written: No space left on device"
    )


def test_ctrl_c_behind_the_survey_loses_nothing(small, tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "write_folders", interrupted)
    assert main(["model", str(small[0]), "--no-alone", "--out", str(tmp_path)]) == 130
    printed = capsys.readouterr()
    assert "interrupted: what follows is known so far" in printed.out
    assert printed.err.splitlines()[-1].endswith("python -m devices model: interrupted")
    assert not model_run.read(tmp_path / "model.json").is_whole


def test_files_of_others_are_not_replaced(small, tmp_path, capsys):
    page = tmp_path / "model.html"
    page.write_text("<p>mine")
    assert main(["model", str(small[0]), "--no-alone", "--out", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert f"{page}: is not such a report of this suite; choose another --out" in told
    assert page.read_text() == "<p>mine"
    page.unlink()
    for _ in range(2):
        assert main(["model", str(small[0]), "--no-alone", "--out", str(tmp_path)]) == 0
    model, ir = tmp_path / "net.onnx", tmp_path / "net.xml"
    model.write_bytes(b"")
    ir.write_text("mine")
    assert main(["model", str(model), "--out", str(tmp_path)]) == 2
    assert f"{ir} is there already" in capsys.readouterr().err
    assert ir.read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_told_before_the_survey(small, tmp_path, capsys):
    file = tmp_path / "file"
    file.touch()
    assert main(["model", str(small[0]), "--out", str(file)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1
    assert "File exists" in printed.err


def test_the_page_holds_all_layers_and_nothing_that_runs(trial, tmp_path):
    m = SmallModel()
    x = m.parameter("x", "2,3")
    m.result(m.layer("Abs", x, name="</script><script>alert(1)</script>"))
    path = m.write(tmp_path)
    text = model_report(trial.survey(read(path), path))
    assert text.count("</script>") == 2
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_layers_of_two_releases_are_compared_though_their_numbers_differ():
    def run(*layers):
        found = [
            LayerRecord(
                name=name, title=title, operation=kind, in_place=VerdictRecord(outcome=outcome)
            )
            for name, title, kind, outcome in layers
        ]
        return ModelRun(
            model="m", device="CPU", profile="accuracy", whole=Outcome.PASS, layers=found
        )

    right, wrong = Outcome.PASS, Outcome.FAIL
    one = run(("n1", "a", "Abs-1", right), ("n2", "Concat_1", "Concat-1", right))
    other = run(("n1", "a", "Abs-1", right), ("n3", "Concat_9", "Concat-1", wrong))
    assert [line.partition(":")[0] for line in difference(one, other)] == [
        "differ   Concat-1 'Concat_9'", "differ   1 layer between CPU and CPU",
    ]  # fmt: skip
    more = run(
        ("n0", "new", "Tanh-1", right),
        ("n1", "a", "Abs-1", wrong),
        *[("n4", "b", "Abs-1", right)] * 2,
    )
    found = list(difference(one, more))
    assert found[0].startswith("differ   Abs-1 'a': CPU departs (FAIL: )")
    assert found[-1] == "differ   layers in one of the two only: 1 and 3"
    refused = run(("n1", "a", "Abs-1", Outcome.REFUSED), ("n3", "Concat_9", "Concat-1", wrong))
    assert "CPU departs (REFUSED: ), CPU is right" in next(difference(one, refused))
    failed = run(("n1", "a", "Abs-1", wrong), ("n3", "Concat_9", "Concat-1", wrong))
    assert [line.partition(": ")[2] for line in difference(failed, refused)] == [
        "CPU departs (FAIL: ), CPU departs (REFUSED: )", "",
    ]  # fmt: skip
    assert list(difference(one, run(("n1", "a", "Tanh-1", right)))) == [
        "differ   the two runs are of different models"
    ]


def test_layers_stand_below_what_feeds_them():
    inputs = [[], [0], [0], [1, 2], [-1, 3]]
    places = layout(inputs, [True] * 5)
    rows = [place[1] for place in places]
    assert all(rows[s] < rows[n] for n, sources in enumerate(inputs) for s in sources if s >= 0)
    assert len(set(places)) == 5
    assert layout(inputs, [False] * 5) == [None] * 5
