"""ScaledDotProductAttention-13: weights that are quotients of small numbers, by hand."""

import numpy as np
import pytest

from reference.sequence.scaled_dot_product_attention import (
    scaled_dot_product_attention as attention,
)

# Scores of one query of one number with two keys: 0 and ln 3 give the weights 1/4 and 3/4.
QUERY, KEY = np.array([[[1.0]]]), np.array([[[0.0], [np.log(3)]]])
VALUE = np.array([[[4.0, 0.0], [8.0, 100.0]]])


def weighted(*weights):
    return pytest.approx(np.array(weights) @ VALUE[0])


def test_a_softmax_of_products():
    assert attention(QUERY, KEY, VALUE, causal=False)[0, 0] == weighted(1 / 4, 3 / 4)


def test_the_scale_is_one_over_the_root_of_e_or_given():
    query, key = np.full((1, 1, 4), 0.5), np.array([[[0.0] * 4, [np.log(3)] * 4]])
    # The product is 2 ln 3, the root of E 2.
    assert attention(query, key, VALUE, causal=False)[0, 0] == weighted(1 / 4, 3 / 4)
    for scale in (np.array(1.0), np.array([1.0])):
        found = attention(query, key, VALUE, np.array(0.0), scale, causal=False)
        assert found[0, 0] == weighted(1 / 10, 9 / 10)


def test_masks():
    seen = np.array([[True, False]])
    assert attention(QUERY, KEY, VALUE, seen, causal=False)[0, 0] == weighted(1, 0)
    added = np.array([[[np.log(9), 0.0]]])
    assert attention(QUERY, KEY, VALUE, added, causal=False)[0, 0] == weighted(3 / 4, 1 / 4)
    assert attention(QUERY, KEY, VALUE, np.array(0.0), causal=False)[0, 0] == (
        weighted(1 / 4, 3 / 4)
    )


def test_causal_sees_keys_up_to_the_query_and_no_mask():
    query = np.repeat(QUERY, 3, axis=1)
    ignored = np.array([[False, True]])
    found = attention(query, KEY, VALUE, ignored, causal=True)[0]
    assert found[0] == weighted(1, 0)
    assert found[1] == weighted(1 / 4, 3 / 4)
    assert found[2] == weighted(1 / 4, 3 / 4)


def test_a_sink_takes_weight_and_has_no_value():
    one, sink = np.array(1.0), np.array([[[np.log(4)]]])
    found = attention(QUERY, KEY, VALUE, np.array(0.0), one, sink, causal=False)
    assert found[0, 0] == weighted(1 / 8, 3 / 8)
    hidden = np.array([[False, False]])
    assert attention(QUERY, KEY, VALUE, hidden, one, sink, causal=False).tolist() == [[[0, 0]]]


def test_batches_and_sink_broadcast():
    query, key, value = np.ones((1, 3, 5, 4)), np.ones((2, 1, 7, 4)), np.ones((7, 7, 6))
    found = attention(query, key, value[:3], causal=False)
    assert found.shape == (2, 3, 5, 6)
    sink = np.zeros((2, 1, 1, 1))
    found = attention(query, key, value[:3], np.array(0.0), np.array(0.0), sink, causal=False)
    assert found == pytest.approx(np.full((2, 3, 5, 6), 7 / 8))


@pytest.mark.parametrize(
    ("position", "shape", "told"),
    [
        (0, (1, 1), "query must have rank 3"),
        (1, (1, 2, 3), "key must be"),
        (2, (1, 3, 2), "value"),
        (2, (4, 2, 2), None),
        (3, (2,), "attention_mask must be 0"),
        (3, (2, 2), "must fit into"),
        (4, (2,), "one number"),
        (5, (1, 1), "sink must be"),
        (5, (1, 1, 2), "sink must be"),
        (5, (1, 2, 1), "must fit into"),
    ],
)
def test_errors(position, shape, told):
    given = [QUERY, KEY, VALUE, np.array(0.0), np.array(1.0), np.ones((1, 1, 1))]
    given[position] = np.ones(shape)
    if told is None:
        assert attention(*given, causal=False).shape == (4, 1, 2)
    else:
        with pytest.raises(ValueError, match=told):
            attention(*given, causal=False)


def test_a_mask_of_one_number_is_0_and_of_the_type():
    with pytest.raises(ValueError, match="must be 0"):
        attention(QUERY, KEY, VALUE, np.array(1.0), causal=False)
    with pytest.raises(ValueError, match="must not be one boolean"):
        attention(QUERY, KEY, VALUE, np.array(False), causal=False)
    with pytest.raises(ValueError, match="must be boolean or float64"):
        attention(QUERY, KEY, VALUE, np.zeros((1, 2), np.float32), causal=False)
