"""Purposes: one factor at a time, from a small operation declared here and from real ones."""

import pytest

from ir_models import (
    PURPOSES,
    LayerCase,
    UnknownPurposeError,
    all_purposes,
    cases,
    check_purposes,
    operations,
    select,
)
from ir_models.asking.case import VARIANT
from ir_models.asking.how import USUAL
from ir_models.corpus.purposes import usually
from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    between,
    example,
    rule,
    variant,
)
from ir_models.vocabulary.element_types import boolean, f16, f32, f64, i8, i32, i64, string, u8, u64
from ir_models.vocabulary.layers import plain_layer, suited
from ir_models.vocabulary.rules import broken_rule, broken_rules
from ir_models.vocabulary.type_sets import types

T = types("T", f32, f16, i64, boolean)
T_IND = types("T_IND", i32, i64, u8)

# Elements of data, some times over along an axis; it has one of everything that purposes vary.
REPEAT = Operation(
    "RepeatAlong-1",
    opset="opset1",
    inputs=[
        Input("data", T, between(1, 3)),
        Index("axis", T_IND),
        Input("more", T, between(1, 3), optional=True),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("times", int, default=1, least=1),
        Attribute("order", ("forward", "backward"), required=True),
        Attribute("keep", bool, default=False),
    ],
    examples=[
        example(data=f32[2, 3], axis=[1], times=2, order="forward", output=[2, 6], ports=[0, 1, 2])
    ],
    variants=[
        variant("negative-axis", "an axis counts from the end", {"axis": [-1]}),
        variant("once", "a factor of 1 changes nothing", "times=1", "times=-"),
    ],
    rules=[
        rule(
            "axis is in range",
            lambda layer: -layer.data.rank <= layer.axis.value[0] < layer.data.rank,
            [{"axis": [2]}, {"axis": [-3]}],
        )
    ],
)


@REPEAT.plain
def plain(rank=2):
    return {
        "data": [2, 3, 4][:rank],
        "axis": [rank - 1],
        "more": [5],
        "times": 2,
        "order": "backward",
        "keep": True,
    }


@REPEAT.random
def layer(draw):
    rank = draw.integer(1, 3)
    return {"data": draw.shape(rank), "axis": [draw.integer(0, rank - 1)], "order": "forward"}


def ids(*purposes, draws=0, seed=0):
    """The ids of cases, without operation and purpose, that are asked in the usual way."""
    found = cases(REPEAT, purposes, draws, seed)
    return [case.id.split("/", 2)[2] for case in found if not str(case.how)]


def hows(*purposes):
    """How the cases of these purposes are asked, if not in the usual way, by the factors."""
    found = [case for case in cases(REPEAT, purposes) if str(case.how)]
    return {
        factors: [str(c.how) for c in found if factors == ",".join(f for f, _ in c.how.pairs)]
        for factors in dict.fromkeys(",".join(f for f, _ in c.how.pairs) for c in found)
    }


PLAIN = "f32[2,3],f32[5]/axis=1,times=2,order=backward,keep=true"


def test_plain():
    assert ids("plain") == [PLAIN]
    found = [case for case in cases(REPEAT, ["plain"]) if not case.how.booleans]
    assert {case.id.split("/", 2)[2].removesuffix(f"/{case.how}") for case in found} == {PLAIN}


def test_the_plain_layer_is_asked_in_every_way_that_it_has():
    alone = {
        "values": ["values=special"],
        "data": ["data=constant"],
        "index": ["index=parameters", "index=computed"],
        "shape": [f"shape={known}" for known in ("dims", "bounds", "rank")],
        "index,shape": [f"index=parameters,shape={known}" for known in ("dims", "bounds", "rank")],
        "memory": [f"memory={kind}" for kind in ("strided", "offset", "foreign")],
        "requests": ["requests=again", "requests=two"],
        "ir": ["ir=10"],
        "layers": ["layers=reversed"],
        "names": [f"names={name}" for name in ("spaces", "quotes", "unicode", "long")],
        "ports": ["ports=page"],
        "attributes": ["attributes=reversed"],
        "booleans": ["booleans=digits"] * 2,
    }
    found = hows("plain")
    assert {factors: found[factors] for factors in alone} == alone
    # What else there is meets a neighbour, another reader, or one unknown dimension.
    meeting = {"before", "behind", "also", "twice", "constant"}
    assert all(
        meeting & set(factors.split(",")) or all("shape=axis-" in one for one in levels)
        for factors, levels in found.items()
        if factors not in alone
    )


def test_example():
    assert ids("example") == ["f32[2,3]/axis=1,times=2,order=forward"]


def test_type_varies_data_together():
    assert ids("type") == [PLAIN.replace("f32", kind) for kind in ("f32", "f16", "i64", "boolean")]


def test_index_type():
    typed = [PLAIN.replace("axis=", f"axis={kind}") for kind in ("i32:", "", "u8:")]
    assert ids("index-type") == typed
    at_run_time = [case.id for case in cases(REPEAT, ["index-type"]) if case.how.index]
    assert [each.split("/", 2)[2] for each in at_run_time] == [
        f"{each}/index={level}" for each in typed for level in ("parameters", "computed")
    ]


def test_left_out_alone_and_together():
    assert ids("left-out") == [
        "f32[2,3],f32[5]/axis=1,order=backward,keep=true",
        "f32[2,3],f32[5]/axis=1,times=2,order=backward",
        "f32[2,3]/axis=1,times=2,order=backward,keep=true",
        "f32[2,3]/axis=1,order=backward",
    ]


def test_enumeration_of_strings_and_booleans():
    assert ids("enumeration") == [
        PLAIN.replace("backward", "forward"),
        PLAIN,
        PLAIN.replace("true", "false"),
    ]


def test_rank():
    assert [each.split(",f32[5]")[0] for each in ids("rank")] == [
        "f32[2]",
        "f32[2,3]",
        "f32[2,3,4]",
    ]


@pytest.mark.parametrize("size", [0, 1])
def test_dim_one_dimension_at_a_time(size):
    assert ids(f"dim-{size}") == [
        PLAIN.replace("[2,3]", f"[{size},3]"),
        PLAIN.replace("[2,3]", f"[2,{size}]"),
        PLAIN.replace("[5]", f"[{size}]"),
    ]


def test_values_of_each_type():
    """The plain layer has those of the default type, the others stand behind the type."""
    found = [(c.layer.data.element_type, c.how.values) for c in cases(REPEAT, ["type"])]
    assert [each for each in found if each[1]] == [
        (f16, "special"),
        (i64, "ends"),
        (i64, "large"),
        (boolean, "ends"),
    ]


def test_large_output_is_over_a_megabyte():
    first, *others = cases(REPEAT, ["large-output"])
    assert first.layer.data.size * 4 > 2**20
    assert [each.layer.data.element_type for each in (first, *others)] == [f32, f16]
    assert all(80_000 <= each.layer.data.size < 2**20 for each in others)


def test_unknown_shapes():
    # With neighbours or one unknown dimension the others stay as they are.
    found = [
        case
        for case in cases(REPEAT, ["plain"])
        if case.how.shape in ("dims", "bounds", "rank")
        and {factor for factor, _ in case.how.pairs} <= {"shape", "index"}
    ]
    assert found
    for case in found:
        first, second, third = case.layers
        assert first == third
        assert all(
            a != b for a, b in zip(first.data.shape, second.data.shape, strict=True)
        )  # every dimension may change, so every one does
        assert second.axis == first.axis


def test_defaults_keep_the_inputs():
    assert ids("defaults") == ["f32[2,3],f32[5]/axis=1,order=backward"]
    (cell,) = select(["LSTMSequence-5"])
    assert not list(cases(cell, ["defaults"])), "left-out has this layer"
    (cell,) = select(["LSTMCell-4"])
    (found,) = [case for case in cases(cell, ["defaults"], depth="pairs") if case.how == USUAL]
    assert set(found.layer.attributes) == {"hidden_size"}
    assert found.layer.inputs["B"] is not None


def test_each_two_sizes_are_made_equal_in_one_input_and_across_two():
    (matmul,) = select(["MatMul-1"])
    found = [case.layer for case in cases(matmul, ["equal-sizes"])]
    shapes = [(layer.a.shape, layer.b.shape) for layer in found]
    assert ((2, 5, 3, 7), (2, 5, 7, 3)) in shapes, "as many columns as rows"
    assert ((2, 5, 5, 7), (2, 5, 7, 4)) in shapes
    assert ((3, 3, 3, 3), (3, 3, 3, 3)) in shapes
    # Five sizes, each two of them, and all.
    assert len(shapes) == len(set(shapes)) == 11


def test_equal_sizes_meet_constants_of_every_shape_beside_sums_and_convolutions():
    for name in ("MatMul-1", "Convolution-1"):
        (operation,) = select([name])
        found = [c for c in cases(operation, ["equal-sizes"], depth="pairs") if c.how.operand]
        assert {(c.how.behind, c.how.operand) for c in found} >= {
            (behind, operand)
            for behind in ("add", "multiply")
            for operand in ("axis-0", "axis-1", "axis-2", "last", "full")
        }
    # Of the sizes 2, 3 and 5 each two, and all.
    assert len(ids("equal-sizes")) == 4


def test_weights_are_shared_where_two_constants_are_alike():
    alike = [case for each in operations() for case in cases(each, ["equal-inputs"])]
    assert alike
    for case in alike:
        assert case.how.weights == "shared"
        values = [t.value for _, t in case.layer.ports() if t is not None and t.value is not None]
        assert len(set(values)) < len(values)
    assert not list(cases(REPEAT, ["equal-inputs"])), "it has one index input"


def test_random_depends_on_the_seed_and_the_number_alone():
    first = ids("random", draws=20)
    # A draw may repeat an earlier one; each id comes once.
    assert 10 < len(first) <= 20
    assert ids("random", draws=20) == first
    assert ids("random", draws=5) == first[:5]
    assert ids("random", draws=20, seed=1) != first
    assert ids("random") == []


def test_random_layers_keep_the_rules_and_reach_the_types():
    layers = [case.layer for case in cases(REPEAT, ["random"], draws=100)]
    assert all(broken_rule(layer) is None for layer in layers)
    assert {layer.data.element_type for layer in layers} == {f32, f16, i64, boolean}
    assert {layer.data.rank for layer in layers} == {1, 2, 3}


def test_invalid_breaks_each_rule():
    found = list(cases(REPEAT, ["invalid"]))
    broken = {broken_rule(case.layer).text for case in found}
    assert broken == {
        "data, more have one type T",
        "data, more: T is one of f32 f16 i64 boolean",
        "axis: T_IND is one of i32 i64 u8",
        "times is at least 1",
        "order is required",
        "order is one of forward, backward",
        "axis is in range",
        "data is required",
        "axis is required",
        "data has rank 1 to 3",
        "axis has rank 1",
        "more has rank 1 to 3",
    }
    assert all(len(broken_rules(case.layer)) == 1 for case in found)
    at_run_time = [case.id for case in found if case.how.index == "parameters"]
    assert len(at_run_time) == 4, "both values of an axis out of range and both ranks, not its type"
    assert all("axis=" in each for each in at_run_time)


def test_a_type_that_is_not_allowed_is_given_to_all_that_share_it():
    layers = [case.layer for case in cases(REPEAT, ["invalid"])]
    kinds = {(layer.data.element_type, layer.more.element_type) for layer in layers if layer.data}
    alike = {(kind, kind) for kind in (f32, f64, i8, u64, string)}
    assert kinds == alike | {(f32, f16)}, "and once two types that are allowed"


def test_variants_may_be_mappings():
    assert ids("variant.negative-axis") == [PLAIN.replace("axis=1", "axis=-1")]


def test_a_case_knows_its_variant():
    assert {case.variant for case in cases(REPEAT, ["variant.once"])} == {"once"}
    assert {case.variant for case in cases(REPEAT, PURPOSES, draws=3)} == {""}


def test_changes_as_text_change_the_plain_layer():
    assert ids("variant.once") == [
        PLAIN.replace("times=2", "times=1"),
        PLAIN.replace("times=2,", ""),
    ]


def test_all_cases_in_order_each_once():
    found = [case.id for case in cases(REPEAT, draws=5)]
    assert len(set(found)) == len(found)
    order = [case.purpose for case in cases(REPEAT, draws=5)]
    wanted = [*PURPOSES, "variant.negative-axis", "variant.once"]
    assert list(dict.fromkeys(order)) == [p for p in wanted if p in order]


def test_a_purpose_named_twice_counts_once():
    assert ids("plain", "plain") == [PLAIN]


def test_cases_are_made_as_they_are_asked_for():
    """A large operation starts at once: the first case needs nothing of the last."""
    assert next(cases(REPEAT, draws=10**9)).purpose == "example"


def test_an_unknown_purpose_is_told():
    with pytest.raises(UnknownPurposeError, match="unknown purpose 'nonsense'; known: example, "):
        check_purposes(["plain", "nonsense"])
    with pytest.raises(UnknownPurposeError, match="; did you mean enumeration"):
        check_purposes(["enumerations"])
    check_purposes(["plain", "random"])
    # One of another operation is no mistake.
    other = next(p for p in all_purposes() if p.startswith(VARIANT) and p != "variant.once")
    check_purposes([other])
    assert list(cases(REPEAT, [other])) == []


def test_every_purpose_has_a_line():
    purposes = all_purposes()
    assert list(purposes)[: len(PURPOSES)] == list(PURPOSES)
    for declared in operations():
        assert purposes.keys() >= {VARIANT + each.name for each in declared.variants}
    for name, about in purposes.items():
        assert name == name.lower()
        assert about.strip()


@pytest.mark.parametrize("declared", operations(), ids=lambda o: o.name)
def test_variants_have_names_of_their_own(declared):
    names = [each.name for each in declared.variants]
    assert len(set(names)) == len(names)
    for name in names:
        assert name.replace("-", "").isalnum(), name
        assert name.islower(), name


@pytest.mark.parametrize("declared", operations(), ids=lambda o: o.name)
def test_variants_say_what_they_are_for(declared):
    for each in declared.variants:
        assert each.about.strip() == each.about != "", each.name
        assert "\n" not in each.about, each.name
        assert each.changes, each.name


@pytest.mark.parametrize("declared", operations(), ids=lambda o: o.name)
def test_variants_are_cases(declared):
    """A variant that breaks a rule would be left out silently."""
    plain = plain_layer(declared)
    for each in declared.variants:
        purpose = VARIANT + each.name
        how = usually(declared, purpose, USUAL)
        wanted = {
            LayerCase(suited(plain.changed(changes)), purpose, how).id for changes in each.changes
        }
        found = {case.id for case in cases(declared, [VARIANT + each.name]) if not case.how.data}
        assert found == wanted, each.name


def left_out(name):
    """The required inputs that some invalid layer of an operation lacks."""
    (operation,) = select([name])
    layers = [case.layer for case in cases(operation, ["invalid"])]
    required = [i.name for i in operation.inputs if not i.optional]
    return {each for each in required for layer in layers if layer.inputs[each] is None}


@pytest.mark.parametrize(
    "name, asked",
    [
        # The next one takes the place of one left out: then those behind it are left out too.
        ("Slice-8", {"data", "start", "stop", "step"}),
        ("SliceScatter-15", {"data", "updates", "start", "stop", "step"}),
        ("StridedSlice-1", {"data", "begin", "end"}),
        ("Squeeze-1", {"data"}),
        ("Unique-10", {"data"}),
        # Nothing is optional behind them.
        ("Transpose-1", {"arg", "input_order"}),
    ],
)
def test_an_input_is_left_out_so_that_the_next_one_cannot_take_its_place(name, asked):
    assert left_out(name) == asked
