"""The product of what and how: which ways a layer can be asked in, and what that does to the case."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from ir_models import DEPTHS, How, LayerCase, cases, operation, operations, parse
from ir_models.asking.neighbours import NEIGHBOURS
from ir_models.corpus.crossings import SHARED, Crossings
from ir_models.vocabulary.element_types import boolean, i32, u4, u8
from ir_models.vocabulary.layers import plain_layer
from reference.accuracy.neighbours import NEIGHBOURS as ANSWERS


def ways(name, **changes):
    layer = plain_layer(operation(name)).replace(**changes)
    return {str(how) for how in Crossings().of(layer)}


def ids(name, depth, **options):
    return [case.id for case in cases(operation(name), draws=10, depth=depth, **options)]


@pytest.mark.parametrize("name", ["Transpose-1", "MatMul-1", "TopK-11", "If-8", "RandomUniform-8"])
def test_a_deeper_corpus_has_all_of_the_shallower_one(name):
    found = [ids(name, depth) for depth in DEPTHS]
    for shallow, deep in pairwise(found):
        assert set(shallow) <= set(deep)
        assert len(set(deep)) == len(deep)
    assert len(found[0]) < len(found[1])


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_selection_of_purposes_has_the_cases_of_the_whole(depth):
    whole = ids("SpaceToDepth-1", depth)
    some = ids("SpaceToDepth-1", depth, purposes=("rank", "invalid"))
    assert set(some) == {each for each in whole if each.split("/")[1] in ("rank", "invalid")}


def test_a_product_is_asked_in_every_way():
    assert ways("MatMul-1") == {
        "data=constant", "constant=a", "constant=b", "values=special",
        "shape=dims", "shape=bounds", "shape=rank", "shape=dims,resize=zero", "shape=dims,resize=one",
        *(f"before={name}" for name in ("relu", "abs", "negative", "multiply", "transpose", "reshape", "convert")),
        *(f"behind={name}" for name in (
            "relu", "abs", "negative", "multiply", "add", "clamp", "transpose", "reshape", "concat", "convert",
        )),
        "behind=relu,middle=result", "before=relu,behind=relu",
    }  # fmt: skip


def test_neighbours_suit_the_element_type():
    def names(way):
        found = [text for text in ways("Transpose-1", arg=kind) if "," not in text]
        return {text.partition("=")[2] for text in found if text.startswith(f"{way}=")}

    kind = boolean[3, 5, 2, 4]
    assert names("behind") == {"logical-not", "transpose", "reshape", "concat", "convert"}
    kind = u8[3, 5, 2, 4]
    assert names("behind") == {"transpose", "reshape", "concat", "convert"}
    kind = i32[3, 5, 2, 4]
    assert names("before") == {"abs", "negative", "transpose", "reshape", "convert"}
    kind = u4[3, 5, 2, 4]
    assert names("behind") == set()


def test_index_inputs_come_at_run_time_where_the_page_lets_them():
    assert {"index=parameters", "index=computed", "index=parameters,shape=dims"} <= ways("Slice-8")
    late = [
        each for each in operations() if each.index_inputs and not each.takes_values_at_run_time
    ]
    assert late
    for each in late:
        assert not any("index" in str(how) for how in Crossings().of(plain_layer(each))), each


def test_a_neighbour_that_hides_a_choice_does_not_stand_behind_one():
    assert not ways("TopK-11") & {"behind=relu", "behind=abs"}
    assert "behind=negative" in ways("TopK-11")


def test_what_a_layer_cannot_have_is_counted_with_the_reason():
    crossings = Crossings()
    crossings.of(plain_layer(operation("TopK-11")))
    assert crossings.dropped["behind: it would hide which output was chosen"] == 2
    assert crossings.dropped["constant: the only input"] == 1


def test_layers_of_a_variant_share_the_ways():
    dropped = Counter()
    found = list(
        cases(operation("Convert-1"), ["variant.type-pairs"], depth="pairs", dropped=dropped)
    )
    usual = [case for case in found if not str(case.how)]
    crossed = [case for case in found if str(case.how)]
    assert len(usual) > 400
    assert len(crossed) < 2 * len(usual)
    assert {str(case.how) for case in crossed} >= {"data=constant", "values=flips", "shape=rank"}
    # What each layer is not asked is counted: of some 20 ways it is asked in one or two.
    assert dropped[SHARED] > 10 * len(usual)


def test_layers_that_share_no_ways_drop_none_for_it():
    dropped = Counter()
    assert list(cases(operation("Gather-8"), ["plain", "rank"], depth="pairs", dropped=dropped))
    assert dropped
    assert not dropped[SHARED]


def test_random_layers_share_the_ways():
    found = cases(operation("MatMul-1"), ["random"], draws=50, depth="pairs")
    counts = Counter(str(case.how) for case in found)
    assert counts[""] > 40
    assert max(n for how, n in counts.items() if how) <= 3
    assert len(counts) > 25


@pytest.mark.parametrize("declared", operations(), ids=lambda o: o.name)
def test_a_crossing_comes_back_from_its_id_and_has_its_layers(declared):
    found = [case for case in cases(declared, draws=5, depth="pairs") if str(case.how)]
    for case in found[:: max(len(found) // 25, 1)]:
        again = parse(case.id)
        assert (again.layer, again.how) == (case.layer, case.how)
        sizes = {"": None, "zero": 0, "one": 1}[case.how.resize]
        if sizes is not None:
            assert any(
                any(a == sizes != b for a, b in zip(after.shape, before.shape, strict=True))
                for (_, before), (_, after) in zip(case.layers[0].ports(), case.layers[1].ports(), strict=True)
                if before is not None and before != after
            ), case.id  # fmt: skip


# Before a layer these give something else than behind one.
MADE = {
    "reshape": lambda fed: fed,
    "squeeze": lambda fed: fed[0],
    "slice": lambda fed: fed[1:-1],
    "split": lambda fed: np.split(fed, 2)[1],
    "variadic-split": lambda fed: fed[..., 3:],
    "gather": lambda fed: fed[:, 1],
}


@pytest.mark.parametrize("name", [n for n, each in NEIGHBOURS.items() if each.fed is not None])
def test_the_layer_receives_what_its_neighbour_makes_of_the_parameter(name):
    kind = "boolean" if name == "logical-not" else "f32"
    for layer in (
        f"Transpose-1/type/{kind}[3,5,2,4]/input_order=2,0,3,1",
        "Concat-1/type/i8[2,3],i8[1,3]/axis=0",
    ):
        if kind == "boolean" or name in ("multiply",):
            layer = f"Transpose-1/type/{kind}[3,5,2,4]/input_order=2,0,3,1"
        case = parse(f"{layer}/before={name}")
        values = case.arrays()
        received, fed = values[0], case.fed(values)[0]
        assert received.shape == tuple(case.layer.ports()[0][1].shape)
        assert fed.dtype == received.dtype
        made = MADE.get(name, lambda fed: ANSWERS[name].forward(fed))(fed)
        made = made.reshape(received.shape)
        assert np.array_equal(made.astype(received.dtype), received), name
        if NEIGHBOURS[name].is_clipping:
            assert (fed < 0).any()


def test_one_input_is_constant_in_every_inference():
    case = parse("MatMul-1/plain/f32[2,3],f32[3,4]/-/shape=dims,constant=b")
    first, second, third = (case.arrays(number) for number in range(3))
    assert np.array_equal(first[1], second[1])
    assert np.array_equal(first[1], third[1])
    assert second[0].shape != first[0].shape
    assert case.layers[1].b == case.layers[0].b


def test_a_dimension_becomes_0_or_1():
    for level, size in (("zero", 0), ("one", 1)):
        case = parse(f"Exp-1/plain/f32[2,3,5,4]/-/shape=dims,resize={level}")
        assert [layer.data.shape for layer in case.layers] == [(2, 3, 5, 4), (size, 3, 5, 4), (2, 3, 5, 4)]  # fmt: skip


def test_values_that_flip_are_in_range_and_many():
    case = parse("Convert-1/plain/f32[2,3,5,4]/destination_type=u8/values=flips")
    data = case.arrays()[0]
    for number in (-1, 256, 0.5, -0.5, 2.0**31, 1e30):
        assert np.float32(number) in data, number


def test_seeds_of_crossings_are_their_own():
    layer = plain_layer(operation("Exp-1"))
    one, other = (LayerCase(layer, "plain", How(behind=name)) for name in ("relu", "abs"))
    assert not np.array_equal(one.arrays()[0], other.arrays()[0])


@pytest.mark.parametrize("name", ["ReadValue-6", "Assign-6"])
def test_zeros_of_a_variable_are_asked_with_known_shapes(name):
    """A model of unknown shapes states none of the variable, so that zeros have no size."""
    of_update = ways(name, update="replace")
    without = ways(name, update="replace", init_value=None)
    assert "shape=dims" in of_update
    assert any(way.startswith("state=") for way in without)
    assert not any("shape=" in way for way in without)
