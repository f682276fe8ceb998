"""Plain and random layers, and layers with other dimensions, of small operations that state shapes."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ir_models
from ir_models.corpus.purposes import cases
from ir_models.declaration import (
    Attribute,
    Draw,
    Index,
    Input,
    Operation,
    Output,
    exactly,
    rule,
    variant,
)
from ir_models.vocabulary.element_types import f16, f32, i8, i64, u8
from ir_models.vocabulary.layers import (
    RandomSpaceError,
    can_be_resized,
    can_be_resized_along,
    fitting,
    has_ranks,
    plain_layer,
    random_layer,
    resized,
    resized_along,
    suited,
    with_size,
)
from ir_models.vocabulary.rules import broken_rule, is_valid
from ir_models.vocabulary.type_sets import types

T = types("T", f32, f16)
T_IND = types("T_IND", i64, i8, u8)
MANY = settings(max_examples=100, suppress_health_check=list(HealthCheck))

# [.., rows, k] times [.., k, columns], plus a bias: names that inputs share on other axes.
PRODUCT = Operation(
    "Product-1",
    opset="opset1",
    inputs=[
        Input("a", T, shape="*batch, rows, k"),
        Input("b", T, shape="k, columns, *batch"),
        Input("bias", T, shape="2*columns, rank(a)", optional=True),
        Index("axes", T_IND, axis_of="a", distinct=True, plain=(0, -1)),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("k", int, required=True, least=1),
        Attribute("mode", ("up", "down"), required=True, plain="up"),
        Attribute("keep", bool, default=False),
    ],
    sizes={"rows": 9},
)

# An expression of a name, a name that is an attribute with a default, and a function that adapts.
STEPS = Operation(
    "Steps-1",
    opset="opset1",
    inputs=[Input("data", T, shape="N, block*C, (n - 1)*2 + 1"), Input("more", T, shape="n - 3")],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("block", int, default=1, least=1),
        Attribute("sizes", list, required=True, plain=(3, 5)),
    ],
    sizes={"N": 3, "C": 5, "n": 7},
    variants=[variant("other-batch", "any N", "data=[4,5,13]")],
    rules=[
        rule("sizes are those of data", lambda la: la.sizes == (la.data.shape[0], la.data.shape[1]))
    ],
)


@STEPS.adapt
def sizes_of_data(layer):
    return {"sizes": layer.data.shape[:2]}


def drawn(operation, seed):
    return random_layer(operation, Draw(random.Random(seed)))


# --- plain layers -------------------------------------------------------------------------------------------------


def test_the_plain_layer_follows_from_shapes():
    layer = plain_layer(PRODUCT)
    *batch, rows, k = layer.a.shape
    assert rows == 9, "a size that the declaration gives"
    assert len(batch) == 2, "any number of dimensions are two"
    assert len({*batch, rows, k}) == 4, "dimensions differ"
    assert layer.b.shape == (k, layer.b.shape[1], *batch)
    assert layer.bias.shape == (2 * layer.b.shape[1], 4)
    assert layer.axes == i64.tensor([0, -1])
    assert layer.attributes == {"k": k, "mode": "up"}
    assert broken_rule(layer) is None


def test_sizes_are_attributes_of_the_same_name():
    stated = Operation(
        "Stated-1",
        opset="opset1",
        inputs=[Input("data", T, shape="N, hidden_size"), Input("W", T, shape="4*hidden_size")],
        attributes=[Attribute("hidden_size", int, required=True, plain=6)],
    )
    layer = plain_layer(stated)
    assert (layer.hidden_size, layer.data.shape[1], layer.W.shape) == (6, 6, (24,))
    assert is_valid(layer)


def test_shapes_know_what_attributes_default_to():
    layer = plain_layer(STEPS)
    assert (layer.data.shape, layer.more.shape) == ((3, 5, 13), (4,))
    assert layer.attributes == {"sizes": (3, 5)}


def test_a_declaration_has_a_better_plain_layer():
    given = Operation("Given-1", opset="opset1", inputs=[Input("data", T, shape="N, C")])
    assert not has_ranks(given)

    @given.plain
    def plain():
        return "data=f16[7,8]"

    assert plain_layer(given).data == f16[7, 8]


def test_a_plain_layer_in_every_rank():
    ranked = Operation("Ranked-1", opset="opset1", inputs=[Input("data", T)])

    @ranked.plain
    def plain(rank=2):
        return {"data": [5, 4, 3][:rank]}

    assert has_ranks(ranked)
    assert plain_layer(ranked).data == f32[5, 4]
    assert plain_layer(ranked, 3).data == f32[5, 4, 3]


def test_another_rank_brings_no_dimension_of_1():
    # Operations are told apart by their names.
    ranked = Operation(
        "Ranked-2", opset="opset1", inputs=[Input("data", T), Input("bias", T), Input("one", T)]
    )

    @ranked.plain
    def plain(rank=2):
        return {"data": [5, 2, 1, 1][:rank], "bias": [4, 1, 2][:rank], "one": [1] * rank}

    layer = plain_layer(ranked, 4)
    assert layer.data == f32[5, 2, 3, 2]
    # The usual rank has them here.
    assert (layer.bias, layer.one) == (f32[4, 1, 2], f32[1, 1, 1, 1])
    assert plain_layer(ranked).bias == f32[4, 1]


def test_what_shapes_do_not_say_is_told():
    vague = Operation(
        "Vague-1", opset="opset1", inputs=[Input("data", T, shape="N"), Index("axes", T_IND)]
    )
    with pytest.raises(ValueError, match=r"Vague-1: the plain layer needs .* plain value of axes"):
        plain_layer(vague)


# --- random layers ------------------------------------------------------------------------------------------------


@given(source=st.randoms(use_true_random=False))
@MANY
def test_random_layers_keep_the_rules(source):
    layer = random_layer(PRODUCT, Draw(source))
    assert broken_rule(layer) is None
    *batch, _, k = layer.a.shape
    assert layer.b.shape[0] == k == layer.k
    assert layer.b.shape[2:] == tuple(batch)


def test_random_layers_are_adapted_and_have_no_negative_dimension():
    for seed in range(100):
        layer = drawn(STEPS, seed)
        assert min(layer.data.shape + layer.more.shape) >= 0
        assert layer.sizes == layer.data.shape[:2]


def test_random_layers_reach_the_declared_space():
    layers = [drawn(PRODUCT, seed) for seed in range(200)]
    assert {layer.a.rank for layer in layers} == {2, 3, 4, 5}
    assert {layer.mode for layer in layers} == {"up", "down"}
    assert {layer.attributes.get("keep") for layer in layers} == {None, False, True}
    assert {layer.bias is None for layer in layers} == {True, False}
    assert {layer.a.element_type for layer in layers} == {f32, f16}
    assert {layer.k for layer in layers} == set(range(1, 9))


def test_one_source_draws_one_layer():
    assert drawn(PRODUCT, 7) == drawn(PRODUCT, 7)
    assert len({str(drawn(PRODUCT, seed)) for seed in range(20)}) > 10


def test_a_space_without_valid_layers_is_told():
    never = Operation(
        "Never-1",
        opset="opset1",
        inputs=[Input("data", T, shape="N")],
        rules=[rule("nothing is valid", lambda layer: False)],
    )
    with pytest.raises(RandomSpaceError, match="Never-1: a hundred random layers in a row"):
        drawn(never, 0)
    with pytest.raises(RandomSpaceError, match="Bare-1 declares no random layers"):
        drawn(Operation("Bare-1", opset="opset1", inputs=[Input("data", T)]), 0)


def test_types_that_hold_stated_values():
    layer = plain_layer(PRODUCT)
    assert fitting(layer, T_IND) == [i64, i8]
    assert fitting(layer.replace(axes=[0, 1]), T_IND) == [i64, i8, u8]
    assert fitting(layer.replace(axes=[0, 300]), T_IND) == [i64]
    assert fitting(layer, T) == [f32, f16]


# --- other dimensions ---------------------------------------------------------------------------------------------


def test_a_size_changes_wherever_its_name_stands():
    layer = plain_layer(PRODUCT)
    found = with_size(layer, "b", 0, 1)
    assert (found.a.shape[-1], found.b.shape[0], found.k) == (1, 1, 1)
    found = with_size(layer, "bias", 0, 8)
    assert (found.bias.shape[0], found.b.shape[1]) == (8, 4)
    assert with_size(layer, "bias", 0, 7) is None, "twice the columns are even"
    assert with_size(layer, "bias", 1, 2) is None, "the rank of a"
    assert with_size(layer, "a", 3, 0) is None, "k is at least 1"


def test_dimensions_of_any_number_change_wherever_their_name_stands():
    layer = plain_layer(PRODUCT)
    found = with_size(layer, "a", 1, 1)
    assert found.a.shape == (layer.a.shape[0], 1, *layer.a.shape[2:])
    assert found.b.shape == (*layer.b.shape[:3], 1)
    assert with_size(layer, "b", 2, 0).a.shape == (0, *layer.a.shape[1:])


def test_an_expression_follows_its_name():
    layer = plain_layer(STEPS)
    assert with_size(layer, "data", 0, 1).sizes == (1, 5), "adapted"
    assert with_size(layer, "data", 1, 0).sizes == (3, 0)


def test_each_dimension_of_0_and_1_is_a_case():
    for size in (0, 1):
        found = {
            (name, axis)
            for case in cases(PRODUCT, [f"dim-{size}"])
            for name in ("a", "b")
            for axis, each in enumerate(case.layer.inputs[name].shape)
            if each == size
        }
        everything = {(name, axis) for name in ("a", "b") for axis in range(4)}
        k = {("a", 3), ("b", 0)}
        assert found == (everything - k if size == 0 else everything)


def test_tiny_is_at_most_2_everywhere():
    (case,) = cases(PRODUCT, ["tiny"])
    assert max(case.layer.a.shape + case.layer.b.shape) == 2
    assert is_valid(case.layer)


def test_data_of_one_shape_changes_together():
    paired = Operation(
        "Paired-1",
        opset="opset1",
        inputs=[Input("a", T), Input("b", T)],
        rules=[rule("a and b are alike", lambda layer: layer.a.shape == layer.b.shape)],
    )
    layer = paired.layer(a=[3, 4], b=[3, 4])
    found = with_size(layer, "a", 1, 1)
    assert (found.a.shape, found.b.shape) == ((3, 1), (3, 1))
    assert with_size(paired.layer(a=[3, 4], b=[5, 4]), "a", 1, 1) is None
    again = resized(layer)
    assert again.a.shape == again.b.shape
    assert all(a != b for a, b in zip(again.a.shape, (3, 4), strict=True))


def test_resized_keeps_the_parameters():
    layer = plain_layer(PRODUCT)
    found = resized(layer)
    assert found.attributes == layer.attributes, "and with them k"
    assert found.axes == layer.axes
    assert found.a.shape[3] == layer.a.shape[3]
    changed = [a != b for a, b in zip(found.a.shape, layer.a.shape, strict=True)]
    assert changed == [True, True, True, False]
    assert found.b.shape[1] != layer.b.shape[1]
    assert is_valid(found)


def test_a_layer_that_cannot_be_resized_is_told():
    fixed = Operation("Fixed-1", opset="opset1", inputs=[Input("data", T, shape="3, 4")])
    with pytest.raises(ValueError, match=r"Fixed-1: no dimension .* can change"):
        resized(plain_layer(fixed))


def test_resizable_has_the_last_word():
    square = Operation(
        "Square-1",
        opset="opset1",
        inputs=[Input("data", T, shape="N, C")],
        resizable=lambda first, second: first.data.shape[0] == second.data.shape[0],
    )
    layer = plain_layer(square)
    found = resized(layer)
    assert found.data.shape[0] == layer.data.shape[0]
    assert found.data.shape[1] != layer.data.shape[1]


# --- adapting -----------------------------------------------------------------------------------------------------


def test_what_a_variant_leaves_out_is_adapted():
    (case,) = cases(STEPS, ["variant.other-batch"])
    assert case.layer.sizes == (4, 5)


def test_a_valid_layer_is_not_adapted():
    layer = plain_layer(STEPS)
    assert suited(layer) is layer


def test_a_layer_that_nothing_suits_stays():
    layer = plain_layer(STEPS).replace(more=[2])
    assert suited(layer) is layer


def rows(layer):
    return "k, rows" if layer.swapped else "rows, k"


# The shape of one input depends on an attribute.
SWAPPED = Operation(
    "Swapped-1",
    opset="opset1",
    inputs=[Input("a", T, shape=rows, rank=exactly(2)), Input("b", T, shape="k, columns")],
    outputs=[Output("output", T)],
    attributes=[Attribute("swapped", bool, default=False, plain=True)],
    sizes={"rows": 3, "k": 7, "columns": 4},
)


def test_a_shape_may_depend_on_attributes():
    plain = plain_layer(SWAPPED)
    assert (plain.a.shape, plain.b.shape) == ((7, 3), (7, 4))
    smaller = with_size(plain, "b", 0, 1)
    assert (smaller.a.shape, smaller.b.shape) == ((1, 3), (1, 4))
    smaller = with_size(plain.changed("swapped=false; a=[3,7]"), "a", 1, 0)
    assert (smaller.a.shape, smaller.b.shape) == ((3, 0), (0, 4))


def test_variants_take_values_in_turn():
    given = variant("ways", "each way", "a=[2,3]|[4]; swapped=true|false", "swapped=-").changes
    assert given == (
        "a=[2,3]; swapped=true",
        "a=[2,3]; swapped=false",
        "a=[4]; swapped=true",
        "a=[4]; swapped=false",
        "swapped=-",
    )


def is_found(find, *asked):
    try:
        find(*asked)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", ["Add-1", "GatherElements-6", "MatMul-1", "Proposal-4"])
def test_whether_there_is_a_second_layer_is_told_without_it_and_told_alike_twice(name):
    layer = plain_layer(ir_models.operation(name))
    for fixed in ((), layer.data_names[:1], layer.data_names):
        for size in (None, 0, 1):
            told = [can_be_resized(layer, size, fixed) for _ in range(2)]
            assert told == 2 * [is_found(resized, layer, size, fixed)]
        for axis in range(5):
            told = [can_be_resized_along(layer, axis, fixed) for _ in range(2)]
            assert told == 2 * [is_found(resized_along, layer, axis, fixed)]
    assert not can_be_resized(layer, None, layer.data_names)


def test_an_input_that_is_left_out_has_a_port_where_another_one_follows():
    layer = plain_layer(ir_models.operation("Interpolate-4"))
    names = [name for name, _ in layer.ports()]
    first, middle, *_, last = names
    assert [n for n, _ in layer.replace(**{last: None}).ports()] == names[:-1]
    ports = layer.replace(**{middle: None}).ports()
    assert [name for name, _ in ports] == names
    assert dict(ports)[middle] is None
    assert layer.data_names == (first,)


def test_a_layer_looks_up_each_name_of_its_page_once():
    """A layer keeps the value of ``layer.axis``, given or by default; equal layers stay equal."""
    declared = ir_models.operation("CumSum-3")
    one, two = (declared.layer(data=f32[2, 3], axis=i64.tensor(1), reverse=True) for _ in range(2))
    assert (one.reverse, one.exclusive, one.data) == (True, False, f32[2, 3])
    assert {"reverse", "exclusive", "data"} <= vars(one).keys()
    assert one == two
    assert one.replace(reverse=False).reverse is False
    with pytest.raises(AttributeError, match="has no input or attribute 'mode'"):
        _ = one.mode
