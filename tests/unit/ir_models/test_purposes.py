"""Purposes: one factor at a time, from a small operation declared here and from real ones."""

import pytest

from ir_models import PURPOSES, UnknownPurposeError, all_purposes, cases, operations
from ir_models.declaration import Attribute, Index, Input, Operation, Output, between, example
from ir_models.element_types import boolean, f16, f32, i32, i64, string, types, u8

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
    variants={"negative-axis": [{"axis": [-1]}, {"axis": [-7]}]},
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


@REPEAT.rule("axis is in range", broken=[{"axis": [2]}, {"axis": [-3]}])
def axis_in_range(layer):
    return -layer.data.rank <= layer.axis.value[0] < layer.data.rank


def ids(*purposes, draws=0, seed=0):
    return [case.id.split("/", 2)[2] for case in cases(REPEAT, purposes, draws, seed)]


PLAIN = "f32[2,3],f32[5]/axis=1,times=2,order=backward,keep=true"


def test_plain():
    assert ids("plain") == [PLAIN]


def test_example():
    assert ids("example") == ["f32[2,3]/axis=1,times=2,order=forward"]


def test_type_varies_data_together():
    assert ids("type") == [PLAIN.replace("f32", kind) for kind in ("f32", "f16", "i64", "boolean")]


def test_index_type():
    assert ids("index-type") == [f"{PLAIN}/constants=i32", PLAIN, f"{PLAIN}/constants=u8"]


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


def test_data_of_some_types():
    assert [each.split("[")[0] for each in ids("special")] == ["f32", "f16"]
    assert [each.split("[")[0] for each in ids("ends")] == ["i64", "boolean"]
    assert [each.split("[")[0] for each in ids("i64-large")] == ["i64"]
    assert ids("u64-large") == ids("f64-large") == []


def test_large_output_is_over_a_megabyte():
    (case,) = cases(REPEAT, ["large-output"])
    assert case.layer.data.size * 4 > 2**20


def test_runtime():
    assert ids("runtime") == [
        f"{PLAIN}/{feed}={kind}"
        for kind in ("i64", "i32", "u8")
        for feed in ("parameters", "computed")
    ]


def test_dynamic():
    assert [each.partition("keep=true/")[2] for each in ids("dynamic")] == [
        "shape=dims",
        "parameters=i64,shape=dims",
        "shape=bounds",
        "parameters=i64,shape=bounds",
        "shape=rank",
        "parameters=i64,shape=rank",
    ]
    for case in cases(REPEAT, ["dynamic"]):
        first, second, third = case.layers
        assert first == third
        assert all(
            a != b for a, b in zip(first.data.shape, second.data.shape, strict=True)
        )  # every dimension may change, so every one does
        assert second.axis == first.axis


def test_written():
    assert [each.partition("keep=true/")[2] for each in ids("written")] == [
        "ir=10",
        "layers=reversed",
        *(f"names={name}" for name in ("spaces", "quotes", "unicode", "long")),
        "ports=page",
        "attributes=reversed",
    ]


def test_weights_are_shared_where_two_constants_are_alike():
    alike = [c for o in operations() for c in cases(o, ["written"]) if c.form.weights == "shared"]
    assert alike
    for case in alike:
        values = [t.value for _, t in case.layer.ports() if t is not None and t.value is not None]
        assert len(set(values)) < len(values)
    assert "shared" not in {c.form.weights for c in cases(REPEAT, ["written"])}


def test_constant_memory_requests():
    assert ids("constant") == [f"{PLAIN}/data=constant"]
    assert ids("memory") == [f"{PLAIN}/memory={kind}" for kind in ("strided", "offset", "foreign")]
    assert ids("requests") == [f"{PLAIN}/requests={kind}" for kind in ("again", "two")]


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
    # Not "data, more have one type T": it takes two required inputs to break that.
    assert broken == {
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
    at_run_time = [case.id for case in found if case.form.feed == "parameters"]
    assert len(at_run_time) == 2
    assert all("axis=" in each for each in at_run_time)


def test_a_type_that_is_not_allowed_is_given_to_all_that_share_it():
    layers = [case.layer for case in cases(REPEAT, ["invalid"])]
    kinds = {(layer.data.element_type, layer.more.element_type) for layer in layers if layer.data}
    assert kinds == {(f32, f32), (string, string)}


def test_variants_that_break_a_rule_are_no_cases():
    assert ids("negative-axis") == [PLAIN.replace("axis=1", "axis=-1")]


def test_all_cases_in_order_each_once():
    found = [case.id for case in cases(REPEAT, draws=5)]
    assert len(set(found)) == len(found)
    order = [case.purpose for case in cases(REPEAT, draws=5)]
    wanted = [*PURPOSES, "negative-axis"]
    assert list(dict.fromkeys(order)) == [p for p in wanted if p in order]


def test_a_purpose_named_twice_counts_once():
    assert ids("plain", "plain") == [PLAIN]


def test_cases_are_made_as_they_are_asked_for():
    """A large operation starts at once: the first case needs nothing of the last."""
    assert next(cases(REPEAT, draws=10**9)).purpose == "example"


def test_an_unknown_purpose_is_told():
    with pytest.raises(UnknownPurposeError, match="unknown purpose 'nonsense'; known: example, "):
        list(cases(REPEAT, ["nonsense"]))
    # One of another operation is no mistake.
    other = next(p for p in all_purposes() if p not in {*PURPOSES, *REPEAT.variants})
    assert list(cases(REPEAT, [other])) == []


def test_every_purpose_has_a_line():
    purposes = all_purposes()
    assert list(purposes)[: len(PURPOSES)] == list(PURPOSES)
    for declared in operations():
        assert purposes.keys() >= declared.variants.keys()
    for name, about in purposes.items():
        assert name == name.lower()
        assert about.strip()


@pytest.mark.parametrize("declared", operations(), ids=lambda o: o.name)
def test_own_purposes_take_no_common_name(declared):
    assert not declared.variants.keys() & PURPOSES.keys()
    for name in declared.variants:
        assert name.replace("-", "").isalnum(), name
        assert name.islower(), name


@pytest.mark.parametrize("declared", operations(), ids=lambda o: o.name)
def test_variants_are_cases(declared):
    """A variant that breaks a rule would vanish without a word."""
    for purpose in declared.variants:
        wanted = {str(sorted(each.items(), key=str)) for each in declared.variants[purpose]}
        found = [case for case in cases(declared, [purpose]) if not case.form.data]
        assert len(found) == len(wanted), purpose
