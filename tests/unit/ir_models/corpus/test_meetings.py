"""Where ways of asking meet: covering arrays, and one case of each kind in the corpus."""

from functools import cache
from itertools import combinations, product

import pytest

from ir_models import cases, parse, select
from ir_models.asking.how import USUAL
from ir_models.asking.neighbours import (
    BEFORE_ALONE,
    FIRST,
    NEIGHBOURS,
    OF_UNKNOWN,
    may_stand_before,
)
from ir_models.asking.operands import NUMBERS, SHAPES, SIZED
from ir_models.corpus.crossings import Dropped
from ir_models.corpus.meetings import Meetings, covering_rows
from ir_models.corpus.purposes import _meeting

COUNTS = {"layer": 3, "neighbours": 20, "shape": 5, "given": 4, "also": 2}


@cache
def asked(name, depth="pairs"):
    """The cases of an operation."""
    (operation,) = select([name])
    return list(cases(operation, depth=depth))


@cache
def whole(name):
    """The cases of whole covering arrays, as depth all asks them."""
    (operation,) = select([name])
    usual = [case for case in asked(name, "single") if case.how == USUAL]
    return list(Meetings(operation).cases(_meeting(operation, usual), is_whole=True))


def met(*names):
    return [case for name in names for case in whole(name)]


# --- covering arrays ----------------------------------------------------------------------------------------------


def test_every_two_levels_meet_in_a_whole_array():
    rows, left = covering_rows(COUNTS, None, "seed")
    assert left == 0
    for one, two in combinations(COUNTS, 2):
        found = {(row[one], row[two]) for row in rows}
        assert found == {*product(range(COUNTS[one]), range(COUNTS[two]))}
    # 20 x 5 pairs of the two largest factors need a row each.
    assert 100 <= len(rows) <= 130


def test_an_array_that_is_cut_off_is_the_beginning_of_the_whole_one():
    whole, _ = covering_rows(COUNTS, None, "seed")
    first, left = covering_rows(COUNTS, 30, "seed")
    assert first == whole[:30]
    pairs = [
        (one, i, two, j)
        for one, two in combinations(COUNTS, 2)
        for i in range(COUNTS[one])
        for j in range(COUNTS[two])
        if all((row[one], row[two]) != (i, j) for row in first)
    ]
    assert left == len(pairs) > 0
    # So few rows have each level at least once all the same.
    assert {row["neighbours"] for row in first} == {*range(20)}


def test_operations_have_other_arrays():
    assert covering_rows(COUNTS, 30, "Add-1")[0] != covering_rows(COUNTS, 30, "MatMul-1")[0]
    assert covering_rows(COUNTS, 30, "Add-1") == covering_rows(COUNTS, 30, "Add-1")


def test_what_a_cut_off_array_leaves_out_is_counted():
    dropped = Dropped()
    (operation,) = select(["MatMul-1"])
    list(cases(operation, dropped=dropped))
    assert dropped["meetings: the covering array is cut off"] > 100


def test_single_asks_a_few_meetings_of_the_plain_layer():
    for name in ("MatMul-1", "FakeQuantize-1", "LogicalNot-1", "NonMaxSuppression-9"):
        found = [
            case
            for case in asked(name, "single")
            if case.purpose == "plain"
            and {"before", "behind", "also", "twice"} & {*dict(case.how.pairs)}
        ]
        # Two more have unknown shapes.
        assert 2 <= len(found) <= 16, name
        assert {case.id for case in asked(name, "single")} <= {case.id for case in asked(name)}


@pytest.mark.parametrize("name", ["MatMul-1", "Gather-8", "AvgPool-14"])
def test_pairs_meets_every_level_in_each_operation(name):
    hows = [case.how for case in asked(name)]
    assert {how.operand for how in hows} >= {*SHAPES} - {"axis-4", "axis-5"}
    assert {how.number for how in hows} >= {*NUMBERS}
    assert {how.also for how in hows} >= {"input", "output", "both"}
    assert {how.shape for how in hows} >= {f"axis-{axis}" for axis in range(3)}
    of_shapes = {
        "keep-two",
        "end-one",
        "unsqueeze",
        "squeeze",
        "concat-constant",
        "to-boolean",
        "slice",
    }
    assert {how.behind for how in hows} >= of_shapes
    assert {how.before for how in hows} >= {"slice", "split", "variadic-split", "squeeze"}
    special = [how for how in hows if how.values == "special"]
    assert any(how.data == "constant" for how in special)
    assert name == "AvgPool-14" or any(how.constant for how in special)


def test_pairs_meets_levels_in_layers_of_several_types():
    kinds = {case.layer.a.element_type.name for case in asked("MatMul-1") if case.how.also}
    assert len(kinds) > 2


# --- kinds of cases -----------------------------------------------------------------------------------------------

OF_NUMBERS = ("Add-1", "MatMul-1", "FakeQuantize-1", "LSTMCell-4", "Gather-8", "Softmax-8")


@pytest.mark.parametrize("name", ["FakeQuantize-1", "LSTMCell-4"])
def test_constants_meet_layers_before_and_behind(name):
    found = [case.how for case in asked(name) if case.how.constant or case.how.data == "first"]
    assert any(how.data == "first" and how.behind for how in found)
    assert any(how.data == "first" and how.before for how in found)
    assert any(how.constant and how.behind for how in found)
    assert any(how.constant and how.before for how in found)


def test_constants_of_neighbours_have_every_shape_and_number():
    found = [case.how for case in met(*OF_NUMBERS)]
    assert {how.operand for how in found} >= {*SHAPES} - {"axis-4", "axis-5"}
    assert {how.number for how in found} >= {*NUMBERS}
    for name in ("multiply", "add", "subtract", "divide", "prelu"):
        own = [how for how in found if how.behind == name]
        assert len({(how.operand, how.number) for how in own}) > 3, name


def test_every_neighbour_is_asked():
    found = [case.how for case in met(*OF_NUMBERS, "LogicalNot-1", "Equal-1", "Concat-1", "ReLU-1")]
    behind, before = {how.behind for how in found}, {how.before for how in found}
    assert [
        n for n in NEIGHBOURS if n not in FIRST and n not in behind and n not in BEFORE_ALONE
    ] == []
    assert [
        n
        for n in NEIGHBOURS
        if may_stand_before(n) and n not in (*FIRST, *OF_UNKNOWN) and n not in before
    ] == []


def test_two_layers_read_one_tensor_and_a_layer_reads_one_twice():
    found = [case.how for case in met(*OF_NUMBERS)]
    assert {how.also for how in found} >= {"input", "output", "both"}
    twice = {case.how.twice for case in met("Add-1", "Equal-1", "Maximum-1")}
    assert twice >= {"plain", "converted"}


def test_one_dimension_is_unknown_beside_known_ones():
    found = met(*OF_NUMBERS)
    alone = {case.how.shape for case in found if case.how.shape.startswith("axis-")}
    assert alone >= {"axis-0", "axis-1", "axis-2", "axis-3"}
    assert any(case.how.shape.startswith("axis-") and case.how.behind for case in found)
    assert any(case.how.shape and case.how.before for case in found)
    assert any(case.how.shape.startswith("axis-") and case.purpose == "dim-0" for case in found)


def test_special_values_are_constants():
    found = [case.how for case in met("Add-1", "MatMul-1", "Divide-1", "Equal-1")]
    assert {how.values for how in found if how.constant or how.data} >= {"special", "ends"}


def test_sizes_reach_loops_over_vectors():
    found = [case.layer for case in asked("Add-1", "single") if case.purpose == "lengths"]
    ends = {(layer.a.element_type.name, layer.a.shape[-1]) for layer in found}
    assert ends >= {
        (kind, size) for kind in ("f32", "f16", "i8", "u8") for size in (17, 64, 70, 130)
    }
    assert any(layer.a.shape[-1] == 1 and layer.b.shape[-1] == 70 for layer in found)
    found = [case.layer for case in asked("AvgPool-14", "single") if case.purpose == "lengths"]
    assert any(layer.data.shape[1] == 180 for layer in found)
    large = [case.layer for case in asked("Add-1", "single") if case.purpose == "large-output"]
    assert {layer.a.element_type.name for layer in large} == {"f32", "f16", "i8", "u8"}


def test_empty_layers_are_constants_and_have_neighbours():
    found = [case for case in asked("ReLU-1") if case.purpose == "dim-0"]
    hows = {str(case.how) for case in found}
    assert hows >= {"data=constant", "shape=dims", "behind=concat", "before=slice", "before=split"}


def test_windows_at_the_edges_of_data():
    for name in ("Convolution-1", "AvgPool-14", "MaxPool-14"):
        assert any(case.variant == "window-at-pads" for case in asked(name, "single")), name
    ceil = [case.layer for case in asked("MaxPool-14", "single") if case.variant == "larger-window"]
    assert any(
        layer.rounding_type == "ceil" and layer.kernel[0] > layer.data.shape[2] for layer in ceil
    )


def test_limits_are_kept_and_broken_by_the_nearest_number():
    elu = asked("Elu-1", "single")
    kept = [case for case in elu if case.purpose == "limits"]
    assert [case.layer.alpha for case in kept] == [0.0]
    broken = [
        case.layer.alpha for case in elu if case.is_invalid and "alpha" in case.layer.attributes
    ]
    assert any(-1e-30 < alpha < 0 for alpha in broken)


def test_a_layer_of_ones_own_is_a_case():
    case = parse("BitwiseAnd-13/type/u8[3,100],u8[3,1]/auto_broadcast=numpy")
    assert case.arrays()[0].shape == (3, 100)


# --- unknown shapes -----------------------------------------------------------------------------------------------


def unknown(name):
    return [case for case in asked(name) if case.how.shape]


def test_operands_of_unequal_ranks_are_constants_beside_unknown_shapes():
    found = [case for case in unknown("MatMul-1") if case.purpose == "unequal-ranks"]
    ranks = {(case.layer.a.rank, case.layer.b.rank, case.how.constant) for case in found}
    assert {rank for rank, other, _ in ranks if other == 4} >= {2, 3}
    assert {other for rank, other, _ in ranks if rank == 4} >= {2, 3}
    assert {constant for *_, constant in ranks} == {"a", "b"}


def test_numbers_of_index_inputs_meet_unknown_shapes():
    found = [case for case in unknown("Tile-1") if case.purpose == "index-values"]
    assert {case.layer.repeats.value for case in found} == {(3, 3, 3, 3)}


def test_zero_and_empty_constants_of_operations_whose_values_say_how_large_outputs_are():
    for name in ("NonZero-3", "Unique-10", "MulticlassNonMaxSuppression-9"):
        found = [case for case in asked(name) if case.how.values == "zeros"]
        assert any(case.how.data == "constant" for case in found), name
        empty = [case for case in asked(name) if case.purpose == "dim-0"]
        assert any(case.how.data == "constant" for case in empty), name
    assert not any(case.how.values == "zeros" for case in asked("Add-1"))


def test_a_constant_with_sizes_of_unknown_data_stands_beside_each_plain_layer():
    for name in ("MatMul-1", "Gather-8", "AvgPool-14"):
        single = [c.how for c in asked(name, "single") if c.how.shape and c.how.operand in SIZED]
        assert len(single) == 1, name
    # Other data in each inference gives other sizes.
    assert not any(case.how.operand in SIZED and case.how.shape for case in asked("Unique-10"))


def test_gather_of_one_index_stands_before_each_layer_of_an_unknown_batch():
    for name in ("MatMul-1", "Gather-8", "AvgPool-14", "LogicalNot-1"):
        assert [c for c in asked(name, "single") if c.how.before == "gather" and c.how.shape], name
