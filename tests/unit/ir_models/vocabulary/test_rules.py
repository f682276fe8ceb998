"""Rules that follow from inputs, attributes and shapes: each violation breaks its rule, and is asked if no other."""

from itertools import count

import pytest

from ir_models import select
from ir_models.corpus.purposes import cases
from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    axes_of,
    between,
    exactly,
    numbers,
    rule,
    variant,
)
from ir_models.vocabulary.element_types import (
    ANY,
    INTEGERS,
    NUMERIC,
    ElementType,
    bf16,
    boolean,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    string,
    u8,
    u64,
)
from ir_models.vocabulary.layers import plain_layer
from ir_models.vocabulary.rules import (
    as_read,
    at_limits,
    broken_rule,
    broken_rules,
    dimensions,
    is_valid,
    neighbours,
    rules_of,
    sizes_of,
    with_size,
)
from ir_models.vocabulary.type_sets import types

T = types("T", f32, f16)
T_IND = types("T_IND", i64, i32)
T_OUT = types("T_OUT", f16, i32)

_NUMBERS = count(1)


def operation(*inputs, attributes=(), sizes=(), **more):
    """An operation whose plain layer follows from the shapes; rules are known by its name, so it has one of its own."""
    return Operation(
        f"Sample-{next(_NUMBERS)}",
        opset="opset1",
        inputs=inputs,
        outputs=[Output("output", inputs[0].types)],
        attributes=attributes,
        sizes=dict(sizes),
        **more,
    )


DATA = Input("data", T, shape="N, C, H")
SIZES = {"N": 3, "C": 5, "H": 7}


def broken_by(declared, text):
    """What breaks a rule, as the text of index inputs, attributes and shapes in the notation of ids."""
    (found,) = [each for each in rules_of(declared) if each.text == text]
    plain = plain_layer(declared)
    assert is_valid(plain), broken_rule(plain)
    changed = [plain.changed(changes) for changes in found.violations(plain)]
    assert all(found in broken_rules(layer) for layer in changed)
    return [difference(layer, plain) for layer in changed]


def difference(layer, plain):
    """The one parameter that differs from the plain layer."""
    inputs = {n: t for n, t in layer.inputs.items() if t != plain.inputs[n]}
    names = layer.attributes.keys() | plain.attributes.keys()
    attributes = {
        name: layer.attributes.get(name)
        for name in names
        if layer.attributes.get(name) != plain.attributes.get(name)
    }
    shown = {n: t.shape if t.value is None else t.value for n, t in inputs.items()} | attributes
    return next(iter(shown.values())) if len(shown) == 1 else shown


def asked(declared):
    """The rules that invalid cases break: each case breaks one."""
    found = [broken_rules(case.layer) for case in cases(declared, ["invalid"])]
    assert all(len(each) == 1 for each in found)
    return {each[0].text for each in found}


# --- values -------------------------------------------------------------------------------------------------------


def test_axes_exist():
    declared = operation(DATA, Index("axes", T_IND, axis_of="data", plain=(0, -1)), sizes=SIZES)
    text = "axes is from -rank(data) to rank(data) - 1"
    assert broken_by(declared, text) == [(0, 3), (0, -4)]
    assert text in asked(declared)
    layer = plain_layer(declared)
    assert all(is_valid(layer.replace(axes=axes)) for axes in ([2, -3], [0, 0], [0, -3], [], [1]))


def test_an_axis_counts_from_its_least():
    axis = Index("axis", T_IND, exactly(0), axis_of="data", least=1, plain=2)
    declared = operation(DATA, axis, sizes=SIZES)
    text = "axis is from 1 to rank(data) - 1"
    assert broken_by(declared, text) == [3, 0]
    assert text in asked(declared)
    assert "axis is at least 1" not in {each.text for each in rules_of(declared)}, "said once"
    layer = plain_layer(declared)
    assert [is_valid(layer.replace(axis=axis)) for axis in (-1, 0, 1, 2, 3)] == [
        False,
        False,
        True,
        True,
        False,
    ]


def test_an_attribute_is_an_axis():
    attributes = [Attribute("axis", int, default=1, axis_of="data", plain=-1)]
    declared = operation(DATA, attributes=attributes, sizes=SIZES)
    assert broken_by(declared, "axis is from -rank(data) to rank(data) - 1") == [3, -4]
    layer = plain_layer(declared)
    assert is_valid(layer.replace(axis=None))
    # The default is an axis too, one that data of rank 1 would not have.
    short = operation(Input("data", T, shape="*dims"), attributes=attributes).layer(data=[7])
    assert not is_valid(short)


def test_axes_are_different():
    distinct = Index("axes", T_IND, axis_of="data", distinct=True, plain=(0, -1))
    declared = operation(DATA, distinct, sizes=SIZES)
    assert broken_by(declared, "axes are different") == [(0, 0), (0, -3)]
    assert "axes are different" in asked(declared)
    from_0 = Index("axes", T_IND, axis_of="data", distinct=True, least=0, plain=(2, 0))
    assert broken_by(operation(DATA, from_0, sizes=SIZES), "axes are different") == [(2, 2)]


@pytest.mark.parametrize("least", [-2, 0, 1])
def test_numbers_of_an_index_input_are_at_least(least):
    declared = operation(DATA, Index("pads", T_IND, least=least, plain=(4, 5)), sizes=SIZES)
    assert broken_by(declared, f"pads is at least {least}") == [(4, least - 1)]
    assert f"pads is at least {least}" in asked(declared)
    assert is_valid(plain_layer(declared).replace(pads=[]))


def test_attributes_are_at_least():
    attributes = [
        Attribute("times", int, least=1, plain=2),
        Attribute("alpha", float, least=0.0, plain=0.5),
        Attribute("strides", list, least=1, plain=(2, 3)),
    ]
    declared = operation(DATA, attributes=attributes, sizes=SIZES)
    assert broken_by(declared, "times is at least 1") == [0]
    assert broken_by(declared, "alpha is at least 0.0") == [-1.0, -(2.0**-126)]
    assert broken_by(declared, "each item of strides is at least 1") == [(2, 0)]
    assert {"times is at least 1", "each item of strides is at least 1"} <= asked(declared)


def test_a_list_has_as_many_items():
    attributes = [Attribute("strides", list, length="rank(data) - 2", plain=(2,))]
    declared = operation(DATA, attributes=attributes, sizes=SIZES)
    assert broken_by(declared, "strides has rank(data) - 2 items") == [(), (2, 2)]
    assert asked(declared) >= {"strides has rank(data) - 2 items"}
    assert is_valid(plain_layer(declared).replace(strides=None))


def test_enumerations_types_and_what_is_required():
    attributes = [
        Attribute("mode", ("floor", "ceil"), required=True, plain="ceil"),
        Attribute("output_type", ElementType, types=T_OUT, plain=f16),
    ]
    declared = operation(DATA, attributes=attributes, sizes=SIZES)
    assert broken_by(declared, "mode is one of floor, ceil") == ["unheard_of"]
    assert broken_by(declared, "mode is required") == [None]
    assert broken_by(declared, "output_type is one of f16 i32") == [i8, u64, boolean]
    assert asked(declared) == {each.text for each in rules_of(declared)}


def test_inputs_share_a_type():
    declared = operation(
        Input("a", T, shape="N"), Input("b", T, shape="N"), Input("c", T_IND, shape="N")
    )
    assert types_of(layers_that_break(declared, "a, b have one type T")) == [[f32, f16, i64]]
    foreign = plain_layer(declared).with_types({"T": u8})
    assert [each.text for each in broken_rules(foreign)] == ["a, b: T is one of f32 f16"]


def layers_that_break(declared, text):
    """The invalid layers that break a rule and no other."""
    found = [case.layer for case in cases(declared, ["invalid"])]
    return [layer for layer in found if [each.text for each in broken_rules(layer)] == [text]]


def types_of(layers):
    return [[t.element_type for _, t in layer.ports()] for layer in layers]


def plain_of(declared, **given):
    declared.plain(lambda: given)
    return declared


@pytest.mark.parametrize(
    "members, nearest",
    [
        ((f16, f32, bf16), [f64, i32, boolean, string]),
        ((f16, f32, f64, bf16), [i32, boolean, string]),
        ((i32, i64), [f32, i8, u64, boolean]),
        (INTEGERS, [f32, boolean]),
        (NUMERIC, [boolean, string]),
        ((boolean,), [f32, u8]),
        ([kind for kind in ANY if kind is not string], [string]),
        (ANY, []),
    ],
)
def test_types_are_broken_by_their_neighbours(members, nearest):
    assert neighbours(types("T", *members)) == nearest
    declared = operation(Input("a", types("T", *members), shape="N"))
    found = [case.layer.a for case in cases(declared, ["invalid"])]
    kinds = [tensor.element_type for tensor in found if tensor and tensor.rank == 1]
    assert kinds == nearest


def test_values_stay_what_they_are_in_another_type():
    """A type that does not hold the value of an index input would ask of another value."""
    negative = operation(DATA, Index("axes", T_IND, axis_of="data", plain=(0, -1)), sizes=SIZES)
    found = layers_that_break(negative, "axes: T_IND is one of i64 i32")
    assert [(layer.axes.element_type, layer.axes.value) for layer in found] == [
        (f32, (0, -1)),
        (i8, (0, -1)),
    ]


def test_an_input_that_the_plain_layer_leaves_out_is_violated_too():
    declared = operation(
        DATA,
        Index("size", types("T_SIZE", i64, i32), optional=True),
        sizes=SIZES,
        variants=[variant("size", "given", "size=3,5")],
    )
    found = layers_that_break(declared, "size: T_SIZE is one of i64 i32")
    assert [layer.size.element_type for layer in found] == [f32, f32, i8, i8, u64, u64], "twice"
    found = layers_that_break(declared, "size has rank 1")
    assert {layer.size.value for layer in found} == {5, ((3, 5),)}


def test_ranks_that_are_tied_are_broken_together():
    declared = Operation(
        "Tied-1",
        "opset1",
        inputs=[
            Input("data", T, between(3, 5)),
            Input("kernel", T, between(3, 5)),
            Index("pads", T_IND, shape="rank(data)"),
        ],
        attributes=[Attribute("strides", list, required=True, length="rank(data) - 2")],
        rules=[
            rule("kernel has the rank of data", lambda layer: layer.data.rank == layer.kernel.rank)
        ],
    )
    plain_of(declared, data=[2, 3, 4, 5], kernel=[6, 3, 2, 1], pads=[1, 2, 3, 4], strides=(1, 2))
    found = [case.layer for case in cases(declared, ["invalid"]) if not case.how.index]
    texts = [{each.text for each in broken_rules(layer)} for layer in found]
    data = "data has rank 3 to 5"
    assert sum(data in each for each in texts) == 2, "one too low, one too high"
    for layer, broken in zip(found, texts, strict=True):
        if data in broken:
            assert broken == {data, "kernel has the rank of data"}
            assert (layer.pads.size, len(layer.strides)) == (layer.data.rank, layer.data.rank - 2)


def test_an_input_that_repeats_may_be_missing_scalar_or_of_two_types():
    declared = plain_of(
        Operation("Joined-1", "opset1", inputs=[Input("data", T, between(1, 8), many=True)]),
        data=[[2, 3], [4, 3]],
    )
    found = [case.layer for case in cases(declared, ["invalid"])]
    assert sum(layer.data is None for layer in found) == 1
    assert [t.shape for layer in found if layer.data for t in layer.data].count(()) == 2
    assert [f32, f16] in types_of(found)


def test_a_reason_stands_for_a_violation():
    declared = operation(DATA, sizes=SIZES, unasked={"data has rank": "because"})
    assert {each.unasked for each in rules_of(declared)} == {"", "because"}
    assert "data has rank 3" not in asked(declared)
    assert rule("N is 3", lambda layer: True, unasked="why").unasked == "why"


def test_what_has_a_default_is_not_asked_for():
    seed = Attribute("seed", int, required=True, default=0, plain=3)
    declared = operation(DATA, attributes=[seed], sizes=SIZES)
    assert "seed is required" not in asked(declared)


def test_inputs_have_ranks_and_are_there():
    declared = Operation(
        "Ranks-1",
        opset="opset1",
        inputs=[Input("data", T, between(2, 3)), Input("bias", T, exactly(1), optional=True)],
    )

    @declared.plain
    def plain():
        return {"data": [5, 4], "bias": [3]}

    found = [
        (case.layer.data and case.layer.data.shape, case.layer.bias and case.layer.bias.shape)
        for case in cases(declared, ["invalid"])
        if "type" not in broken_rule(case.layer).kind
    ]
    assert found == [
        (None, (3,)),
        ((4,), (3,)),
        ((1, 1, 5, 4), (3,)),
        ((5, 4), ()),
        ((5, 4), (1, 3)),
    ]
    assert asked(declared) == {
        "data is required",
        "data has rank 2 to 3",
        "bias has rank 1",
        "data, bias: T is one of f32 f16",
        "data, bias have one type T",
    }


# --- shapes -------------------------------------------------------------------------------------------------------


def test_a_name_is_one_size():
    declared = operation(
        Input("a", T, shape="*batch, rows, k"), Input("b", T, shape="k, 2*columns"),
        Input("c", T, shape="columns"), sizes={"batch": [4], "rows": 3, "k": 5, "columns": 7},
    )  # fmt: skip
    texts = [each.text for each in rules_of(declared) if " is one size in " in each.text]
    assert texts == ["k is one size in a and b", "columns is one size in b and c"]
    assert broken_by(declared, texts[0]) == [(4, 3, 6), (4, 3, 4), (6, 14), (4, 14)]
    assert broken_by(declared, texts[1]) == [(5, 15), (5, 13), (8,), (6,)]
    assert asked(declared) >= set(texts)
    layer = plain_layer(declared)
    assert is_valid(layer.replace(a=[9, 9, 9, 5])), "names that stand once are free"
    assert is_valid(layer.replace(b=[5, 0], c=[0]))


def test_a_name_is_one_size_in_one_shape():
    square = operation(Input("data", T, shape="n, C, n"), sizes={"n": 3, "C": 5})
    text = "n is one size in data"
    assert broken_by(square, text) == [(4, 5, 3), (2, 5, 3), (3, 5, 4), (3, 5, 2)]
    assert text in asked(square)
    # Shapes of which a layer has one do not share it.
    either = operation(Input("data", T, shape="N, C or N, C, X"), sizes={"N": 3, "C": 5})
    assert not [each for each in rules_of(either) if "one size" in each.text]


def test_any_number_of_dimensions_is_one_shape():
    declared = operation(
        Input("a", T, shape="*batch, N"), Input("b", T, shape="3, *batch"),
        sizes={"batch": [4, 5], "N": 7},
    )  # fmt: skip
    layer = plain_layer(declared)
    assert (layer.a.shape, layer.b.shape) == ((4, 5, 7), (3, 4, 5))
    assert is_valid(layer.replace(a=[7], b=[3]))
    for wrong in ([3], [3, 4], [3, 5, 4], [3, 4, 5, 1]):
        found = [each.text for each in broken_rules(layer.replace(b=wrong))]
        assert found == ["batch is one size in a and b"], wrong


def test_a_name_is_the_value_of_its_attribute():
    declared = operation(
        Input("data", T, shape="N, 4*hidden_size"),
        attributes=[Attribute("hidden_size", int, required=True, least=1)],
        sizes={"N": 3, "hidden_size": 5},
    )
    text = "hidden_size of data is that of the attribute"
    assert broken_by(declared, text) == [(3, 21), (3, 19)]
    layer = plain_layer(declared)
    assert [each.text for each in broken_rules(layer.replace(hidden_size=4))] == [text]
    assert is_valid(layer.replace(hidden_size=4, data=[3, 16]))
    assert [each.text for each in broken_rules(layer.replace(hidden_size=0))] == [
        "hidden_size is at least 1"
    ]


def test_a_dimension_is_what_its_expression_says():
    declared = operation(
        Input("data", T, shape="N, 2*(n - 1) + 1"), Input("more", T, shape="n, 3"),
        Index("axes", T_IND, shape="rank(data)", plain=(8, 9)),
        sizes={"N": 5, "n": 4},
    )  # fmt: skip
    stated = "data has the dimension 2*(n - 1) + 1 in [N, 2*(n - 1) + 1]"
    assert broken_by(declared, stated) == [(5, 8), (5, 6)]
    assert broken_by(declared, "more has the dimension 3 in [n, 3]") == [(4, 4), (4, 2)]
    of_axes = "axes has the dimension rank(data) in [rank(data)]"
    assert broken_by(declared, of_axes) == [(8, 9, 9), (8,)]
    assert asked(declared) >= {stated, "more has the dimension 3 in [n, 3]", of_axes}
    assert is_valid(plain_layer(declared).replace(data=[5, 9], more=[5, 3]))


def test_one_of_several_shapes():
    declared = operation(
        DATA, Index("axis", T_IND, shape="scalar or 1", axis_of="data", plain=1), sizes=SIZES
    )
    layer = plain_layer(declared)
    assert is_valid(layer.replace(axis=[2]))
    for wrong, text in (
        ([1, 2], "axis has the dimension 1 in [scalar or 1]"),
        ([[1]], "axis has rank 0 to 1"),
    ):
        assert [each.text for each in broken_rules(layer.replace(axis=wrong))] == [text]


def test_places_and_sizes_of_names():
    declared = operation(
        Input("a", T, shape="*batch, 2*k"), Input("b", T, shape="k, 3", optional=True)
    )
    layer = declared.layer(a=[4, 5, 14], b=[7, 3])
    assert [(name, d.text, begin, end) for name, d, begin, end in dimensions(layer)] == [
        ("a", "*batch", 0, 2),
        ("a", "2*k", 2, 3),
        ("b", "k", 0, 1),
        ("b", "3", 1, 2),
    ]
    sizes = sizes_of(layer)
    assert [sizes.get(name) for name in ("batch", "k", "rank(a)", "size(b)", "other")] == [
        [4, 5],
        7,
        3,
        21,
        None,
    ]
    assert [each[0] for each in dimensions(layer.replace(b=None))] == ["a", "a"]


def test_another_size_of_a_tensor():
    assert with_size(f16[3, 4], 1, 6) == f16[3, 6]
    assert with_size(i64.tensor([1, 2, 3]), 0, 2) == i64.tensor([1, 2])
    assert with_size(i64.tensor([1, 2, 3]), 0, 5) == i64.tensor([1, 2, 3, 3, 3])
    assert with_size(i64.tensor([[1, 2], [3, 4]]), 1, 1) == i64.tensor([[1], [3]])


# --- what rules share ---------------------------------------------------------------------------------------------


def test_a_rule_about_what_a_layer_lacks_is_not_broken():
    declared = operation(
        Input("data", T, shape="N"),
        Index("axes", T_IND, optional=True),
        attributes=[Attribute("mode", ("up", "down"))],
        rules=[
            rule("an input that is left out", lambda layer: layer.axes.value[0] == 7),
            rule("an axis that is not there", lambda layer: layer.data.shape[3] == 7),
            rule("a name that is not in a table", lambda layer: {"up": 1}[layer.mode] == 7),
            rule("a division by nothing", lambda layer: layer.data.shape[0] / 0 == 7),
        ],
    )
    assert is_valid(declared.layer(data=[3]))
    assert broken_rule(declared.layer(data=[3], axes=[1])).text == "an input that is left out"
    assert broken_rule(declared.layer(data=[3], axes=[7], mode="up")).text.startswith("a name")


def test_a_rule_in_one_call():
    once = rule("N is 3", lambda layer: layer.data.shape[0] == 3, "data=[4]")
    several = rule("N is 3", once.holds, ["data=[4]", {"data": [5]}])
    from_plain = rule("N is 3", once.holds, lambda plain: [{"data": [plain.data.shape[0] + 1]}])
    declared = operation(Input("data", T, shape="N"), sizes={"N": 3})
    layer = plain_layer(declared)
    assert once.violations(layer) == ["data=[4]"]
    assert several.violations(layer) == ["data=[4]", {"data": [5]}]
    assert from_plain.violations(layer) == [{"data": [4]}]
    assert rule("N is 3", once.holds).violations(layer) == []
    in_turn = rule("N is 3", once.holds, ["data=[4]|[5]", "data=[6]"])
    assert in_turn.violations(layer) == ["data=[4]", "data=[5]", "data=[6]"]
    declared = operation(
        Input("data", T, shape="N"), sizes={"N": 3}, violations=["data=f16[4]|[5]"]
    )
    assert declared.violations == ["data=f16[4]", "data=[5]"]


def test_a_rule_of_one_value_of_an_attribute():
    mode = Attribute("mode", ("up", "down"), default="up")
    declared = operation(DATA, attributes=[mode], sizes=SIZES)
    even = rule("down: an even size", lambda layer: layer.data.shape[0] % 2 == 0, mode="down")
    layer = plain_layer(declared).replace(data=[3, 2, 2])
    assert even.holds(layer)
    assert not even.holds(layer.replace(mode="down"))
    assert even.holds(layer.replace(mode="down", data=[4, 2, 2]))


def test_numbers_of_whatever_a_layer_has():
    assert numbers(None) == []
    assert numbers(3) == [3]
    assert numbers((1, -2)) == [1, -2]
    assert numbers(i64.tensor(2**40)) == [2**40]
    assert numbers(i64.tensor([[1, 2], [3, 4]])) == [1, 2, 3, 4]
    assert numbers(i64.tensor([])) == []


def test_axes_count_from_0():
    declared = operation(
        DATA, Index("axes", T_IND, optional=True), attributes=[Attribute("axis", int, default=-1)]
    )
    layer = declared.layer(data=[3, 5, 7], axes=[-1, 0, 1])
    assert axes_of(layer, "axes") == [2, 0, 1]
    assert axes_of(layer, "axis") == [2], "the default"
    assert axes_of(layer.replace(axes=None), "axes") == []
    with pytest.raises(ValueError, match="axes names an axis that data does not have"):
        axes_of(layer.replace(axes=[3]), "axes")


def test_types_of_booleans_are_no_numbers():
    """A mixed pair is of types that devices know, so that it breaks nothing else."""
    declared = operation(
        Input("a", types("T", boolean, f32), shape="N"),
        Input("b", types("T", boolean, f32), shape="N"),
    )
    found = [
        c.layer for c in cases(declared, ["invalid"]) if "one type" in broken_rule(c.layer).text
    ]
    assert [{layer.a.element_type, layer.b.element_type} for layer in found] == [{boolean, f32}]


def test_behind_an_input_that_is_left_out_the_others_move_up():
    (slice_8,) = select(["Slice-8"])
    plain = plain_layer(slice_8)
    seen = as_read(plain.replace(stop=None))
    assert [t.value for t in (seen.start, seen.stop, seen.step)] == [
        plain.start.value,
        plain.step.value,
        plain.axes.value,
    ]
    assert seen.data == plain.data
    assert seen.axes is None
    assert as_read(plain) == plain
    assert as_read(plain.replace(axes=None)) == plain.replace(axes=None)


def test_an_input_that_repeats_moves_up_as_well():
    declared = Operation(
        "Join-1", "opset1", inputs=[Input("parts", T, many=True), Input("last", T)], outputs=[]
    )
    layer = declared.layer(parts=[[1], [2]], last=[3])
    assert as_read(layer) == layer
    seen = as_read(layer.replace(last=None))
    assert [t.shape for t in seen.parts] == [(1,)]
    assert seen.last.shape == (2,)
    assert as_read(layer.replace(parts=None)).last is None


@pytest.mark.parametrize("opset", ["opset18", "opset0", "opset", "extension", "17"])
def test_an_operation_set_that_openvino_does_not_know_is_named(opset):
    with pytest.raises(ValueError, match=f"Made-1: opset is one of opset1 to opset17.*'{opset}'"):
        Operation("Made-1", opset)


def test_a_least_number_is_missed_by_the_nearest_one():
    (found,) = (r for r in rules_of(select(["Elu-1"])[0]) if r.id == "alpha-least")
    numbers = [each["alpha"] for each in found.violations(plain_layer(select(["Elu-1"])[0]))]
    assert numbers == [-1.0, -(2.0**-126)]


def test_values_at_limits():
    gather = select(["Gather-8"])[0]
    changes = [dict(each) for each in at_limits(plain_layer(gather))]
    assert {"axis": -4} in changes
    assert {"axis": 3} in changes
