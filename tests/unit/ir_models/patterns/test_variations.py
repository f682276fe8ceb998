"""Variations of patterns: their factors, and that they change no other case."""

import numpy as np

from ir_models import patterns
from ir_models.graphs import evaluate, read
from ir_models.graphs.notation import reaches_index
from ir_models.patterns.variations import BESIDE, SWITCHES, variations


def pattern(name):
    return next(each for each in patterns.PATTERNS if each.name == name)


def test_factors_are_what_another_model_has():
    factors = pattern("Gelu-erf").factors
    assert set(factors["equal"].levels) == {"3-4", "all"}
    assert {*factors["length4"].levels} > {"1025"}
    assert set(factors["root.near"].levels) == {"1.001", "0.995", "1.01", "0.95"}
    assert set(factors["half.extreme"].levels) == {"large", "small", "subnormal", "most"}
    assert set(factors["b.readers"].levels) == {"twin", "parts", "joined", "chosen"}
    assert set(factors["a.spelling"].levels) >= {"multiply", "power"}
    assert set(factors[BESIDE].levels) == {"unknown", SWITCHES}


def test_a_level_changes_what_it_says():
    gelu = pattern("Gelu-erf")
    near = gelu.with_levels({"root.near": "1.01"})
    assert abs(float(near.fed["root"].fill[1:]) / 1.4142135 - 1.01) < 1e-6
    assert gelu.with_levels({"equal": "all"}).fed["x"].shape == (2, 2, 2)
    assert gelu.with_levels({"length4": "1025"}).fed["x"].shape == (2, 3, 1025)
    both = evaluate(gelu.with_levels({"b.readers": "parts"}))
    first, rest = (both.arrays[name] for name in both.graph.results[1:])
    assert first.shape == (1, 3, 4)
    assert (first == both.arrays["b"][:1]).all()
    assert (rest == both.arrays["b"][1:]).all()
    twin = gelu.with_levels({"b.readers": "twin"})
    assert [step.operation for step in twin.readers("b")] == ["Add-1", "Add-1"]


def test_what_is_beside_reads_nothing_of_the_pattern():
    graph = pattern("Gelu-erf").with_levels({BESIDE: SWITCHES})
    (step,) = (each for each in graph.steps if each.operation == "FakeQuantize-1")
    assert all(name.startswith("beside_") for name in step.inputs)
    assert step.name in graph.results


def test_layers_of_steps_have_few_of_them():
    lengths = [
        int(level)
        for name, factor in pattern("TensorIterator-LSTM").factors.items()
        for level in factor.levels
        if name.startswith("length")
    ]
    assert 0 < max(lengths) <= 33


def test_variations_stand_behind_all_other_cases():
    softmax = pattern("SoftMax")
    found = list(softmax.ids())
    behind = list(softmax.ids("all"))
    assert behind[: len(found)] == found
    assert {*behind[len(found) :]} <= {*softmax.of_attributes} - {*found}
    varied = (".near", ".extreme", ".spelling", ".readers", "length", "equal", BESIDE)

    def is_variation(name):
        parts = name.partition("/")[2].split(",")
        factors = [part.partition("=")[0] for part in parts]
        return any(each.startswith(varied) or each.endswith(varied) for each in factors)

    kinds = list(map(is_variation, found))
    assert kinds == sorted(kinds)
    assert kinds.count(True) > 40
    alone = [name for name in found if name.count("=") == 1 and is_variation(name)]
    switched = [name for name in found if f"{BESIDE}={SWITCHES}" in name]
    assert len(alone) > 20
    # The switch meets a level of each other factor.
    assert len(switched) > 10


def test_ends_are_numbers_that_each_narrower_type_changes():
    (x,) = evaluate(read("x=i32[2,3,40]!; y=Negative-1(x); return y")).inputs.values()
    for narrower in (np.int8, np.uint8, np.int16, np.uint16, np.float32):
        assert not np.array_equal(x.astype(narrower).astype(np.float64), x.astype(np.float64))
    assert {x.min(), x.max()} == {-(2**31), 2**31 - 1}


def test_data_that_sizes_follow_from_has_no_ends():
    graph = read(
        "x=f32[2,3]; n=i64[2]:2,1; const one=i64[2]:1,1; r=Add-1(n,one); y=Tile-1(x,r); return y"
    )
    found = variations(evaluate(graph))
    assert {name for name in found if name.endswith(".values")} == {"x.values"}
    assert reaches_index(graph, "n")
    assert not reaches_index(graph, "x")


def test_each_conversion_meets_each_other_one():
    conversions = pattern("Conversions-u8")
    types = {*conversions.factors["a.destination_type"].levels, "f32"}
    found = set()
    for name, graph in conversions.valid():
        a, y = (step.attributes["destination_type"].name for step in graph.steps)
        found.add((a, y))
        assert patterns.graph_of(name).text == graph.text
    assert len(types) == 13
    assert found == {(a, y) for a in types for y in types}


def test_what_a_model_does_not_know_changes_no_value():
    """A graph takes the layers of a known one also where it differs in what the model knows of sizes."""
    formula = evaluate(read("x=f32[2,3]; a=ReLU-1(x); y=Negative-1(a); return y"))
    unknown = evaluate(read("x=f32[2?,3]; a=ReLU-1(x); y=Negative-1(a); return y"), known=formula)
    other = evaluate(read("x=f32[2,3]~1; a=ReLU-1(x); y=Negative-1(a); return y"), known=formula)
    assert unknown.layers["y"] is formula.layers["y"]
    assert unknown.arrays["x"] is formula.arrays["x"]
    assert other.layers["y"] is not formula.layers["y"]


def attributes_of(name):
    return {each.partition("/")[2] for each in pattern(name).of_attributes}


def test_values_of_attributes_are_those_that_the_declaration_has_and_the_layer_admits():
    factors = pattern("Convolution-sum").factors
    (stride,) = {*factors["a.strides"].levels} & {"2x3", "1x1"}
    assert stride == "2x3"
    assert set(factors["a.dilations"].levels) == {"3x2"}  # a window of 8 elements does not fit
    assert set(factors["spatial"].levels) == {"less", "more"}
    assert set(factors["a.groups"].levels) == {"one", "two", "each", "each-twice"}
    assert "a.auto_pad.fitted" not in factors
    assert set(pattern("SoftMax").factors["axes.along"].levels) == {"0", "1", "all"}


def test_shapes_follow_an_attribute():
    def made(name, **levels):
        return evaluate(
            pattern(name).with_levels({k.replace("__", "."): v for k, v in levels.items()})
        )

    strided = made("Convolution-sum", a__strides="2x3")
    assert strided.tensors["z"].shape == strided.tensors["a"].shape == (2, 4, 3, 2)
    image = made("Convolution-sum", spatial="more")
    assert image.tensors["x"].shape == (2, 3, 7, 5, 6)
    assert image.layers["a"].strides == (1, 1, 1)
    groups = made("Convolution-Add-ReLU", a__groups="each-twice")
    assert groups.tensors["w"].shape == (3, 2, 1, 2, 2)
    assert groups.tensors["b"].shape == (1, 6, 1, 1)
    turned = made("MatMul-Add-ReLU", **{"a__transpose_b.fitted": "true"})
    assert turned.tensors["w"].shape == (5, 4)
    reduced = made("SoftMax", keep_dims="fitted")
    assert [step.operation for step in reduced.graph.steps].count("Unsqueeze-1") == 2
    assert np.array_equal(reduced.arrays["y"], evaluate(pattern("SoftMax").graph).arrays["y"])


def test_attributes_are_alone_and_with_unknown_dimensions_and_those_of_axes_with_equal_sizes():
    found = attributes_of("Convolution-sum")
    assert {
        "a.dilations=3x2",
        "unknown=all,a.dilations=3x2",
        "unknown=all,a.auto_pad=valid",
    } <= found
    assert "equal=all,a.dilations=3x2" not in found
    assert {"equal=all,keep_dims=false", "equal=all,axes.along=0"} <= attributes_of("SoftMax")
    assert any("a.strides=" in each for each in pattern("Convolution-sum").ids("all"))
    for depth in ("single", "pairs"):
        assert not any("a.strides=" in each for each in pattern("Convolution-sum").ids(depth))
