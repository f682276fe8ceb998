"""Shapes in the page's own names: what a text says, what it refuses, and what follows for sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_models.vocabulary.shapes import UnknownSizeError, evaluate, matching, parse

NAMES = st.sampled_from(["N", "hidden_size", "W0"])
DIMENSIONS = st.one_of(
    st.integers(0, 9).map(str),
    NAMES,
    st.tuples(st.integers(1, 9), NAMES).map(lambda pair: f"{pair[0]}*{pair[1]}"),
    NAMES.map(lambda name: f"2*({name} - 1) + 1"),
)


def pattern(text):
    (found,) = parse(text)
    return found


# --- grammar ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, name, factor, is_many",
    [
        ("7", "", 1, False),
        ("N", "N", 1, False),
        ("4*hidden_size", "hidden_size", 4, False),
        ("4 * hidden_size", "hidden_size", 4, False),
        ("*batch", "batch", 1, True),
        ("n - 1", "", 1, False),
        ("rank(data) - 2", "", 1, False),
    ],
)
def test_a_dimension_fixes_a_name_or_none(text, name, factor, is_many):
    (dimension,) = pattern(text).dimensions
    assert (dimension.name, dimension.factor, dimension.is_many) == (name, factor, is_many)
    assert dimension.text == text


@pytest.mark.parametrize(
    "text, names",
    [
        ("7", ()),
        ("4*n", ("n",)),
        ("*batch", ("batch",)),
        ("n + m*n", ("n", "m")),
        # Facts of inputs are no sizes of names.
        ("rank(data) - 2", ()),
        ("size(boxes)*n", ("n",)),
    ],
)
def test_names_that_a_size_depends_on(text, names):
    (dimension,) = pattern(text).dimensions
    assert dimension.names == names


def test_several_shapes():
    scalar, one, any_number = parse("scalar or 1 or *dims, 3")
    assert scalar.dimensions == ()
    assert [str(each) for each in (scalar, one, any_number)] == ["[]", "[1]", "[*dims, 3]"]
    assert [each.least_rank for each in (scalar, one, any_number)] == [0, 1, 1]
    assert [each.has_fixed_rank for each in (scalar, one, any_number)] == [True, True, False]


@pytest.mark.parametrize(
    "text, told",
    [
        ("", "'' is not a size"),
        ("N, , C", "'' is not a size"),
        ("N C", "'N C' is not a size"),
        ("N.C", "'N.C' is not a size"),
        ("N / 2", "'N / 2' is not a size"),
        ("1.5", "'1.5' is not a size"),
        ("-1", "'-1' is not a size"),
        ("N[0]", "not a size"),
        ("max(N)", "'max(N)' is not a size"),
        ("rank(3)", "'rank(3)' is not a size"),
        ("0*N", "'0*N' is not a size"),
        ("*a, *b", "only one name can stand for any number of dimensions"),
        ("N or", "not a size"),
    ],
)
def test_what_is_no_shape_is_told_in_one_line(text, told):
    with pytest.raises(ValueError, match=r".") as caught:
        parse(text)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


# --- sizes --------------------------------------------------------------------------------------------------------


def test_a_shape_for_sizes():
    sizes = {"N": 2, "hidden_size": 5, "batch": [7, 1, 3]}
    assert pattern("N, 4*hidden_size, 6").shape(sizes) == [2, 20, 6]
    assert pattern("*batch, N").shape(sizes) == [7, 1, 3, 2]
    assert pattern("*batch").shape({"batch": []}) == []
    assert pattern("2*(N - 1) + 1, N**2, hidden_size // N").shape(sizes) == [3, 4, 2]
    assert pattern("scalar").shape({}) == []


@pytest.mark.parametrize("text", ["N", "4*N", "*N", "N - 1", "rank(N)"])
def test_a_size_that_is_not_known_is_told(text):
    with pytest.raises(UnknownSizeError, match=r"the size of .*N.* is not known"):
        pattern(text).shape({"M": 2})


def test_a_shape_has_no_negative_dimension():
    with pytest.raises(ValueError, match="N - 3 is negative"):
        pattern("N - 3").shape({"N": 2})


def test_facts_of_inputs():
    assert evaluate("rank(data) - 2", {"rank(data)": 5}) == 3
    assert evaluate("size(boxes)*N", {"size(boxes)": 3, "N": 2}) == 6


def test_a_name_is_solved_where_its_factor_divides():
    (dimension,) = pattern("4*N").dimensions
    assert [dimension.solve(size) for size in (0, 4, 20, 21)] == [0, 1, 5, None]


@given(st.lists(DIMENSIONS, min_size=1, max_size=5), st.fixed_dictionaries({
    name: st.integers(1, 9) for name in ("N", "hidden_size", "W0")
}))  # fmt: skip
def test_sizes_come_back_from_the_shape(texts, sizes):
    found = pattern(", ".join(texts))
    shape = found.shape(sizes)
    assert len(shape) == found.least_rank == len(texts)
    for dimension, begin, end in found.places(len(shape)):
        assert end == begin + 1
        assert dimension.size(sizes) == shape[begin]
        if dimension.name:
            assert dimension.solve(shape[begin]) == sizes[dimension.name]


# --- places -------------------------------------------------------------------------------------------------------


def test_places_of_any_number_of_dimensions():
    def places(rank):
        return [(d.text, begin, end) for d, begin, end in pattern("N, *dims, C").places(rank)]

    assert places(2) == [("N", 0, 1), ("*dims", 1, 1), ("C", 1, 2)]
    assert places(5) == [("N", 0, 1), ("*dims", 1, 4), ("C", 4, 5)]


def test_the_pattern_of_a_rank():
    patterns = parse("scalar or 1 or N, C, *dims")
    assert [str(matching(patterns, rank)) for rank in range(4)] == [
        "[]",
        "[1]",
        "[N, C, *dims]",
        "[N, C, *dims]",
    ]
    assert matching(parse("scalar or N, C"), 1) is None
    assert matching((), 1) is None
