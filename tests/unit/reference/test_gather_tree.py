import ml_dtypes
import numpy as np
import pytest

from reference.movement.gather_tree import gather_tree


def tree(step_ids, parent_ids, max_seq_len, end_token, dtype=np.int64):
    arrays = (np.array(each, dtype) for each in (step_ids, parent_ids, max_seq_len, end_token))
    return gather_tree(*arrays)


# One sequence, three steps, three beams.
STEPS = [[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]]
PARENTS = [[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]]]


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint64, np.float16, ml_dtypes.bfloat16])
def test_beams_are_followed_back_through_their_parents(dtype):
    # Beam 0 ends in 7, whose parent is beam 2 (6), whose parent is beam 1 (2).
    output = tree(STEPS, PARENTS, [3], 10, dtype)
    np.testing.assert_array_equal(output[:, 0], np.array([[2, 2, 2], [6, 5, 6], [7, 8, 9]], dtype))
    assert output.dtype == dtype


def test_all_after_the_first_end_token_is_the_end_token():
    output = tree(STEPS, PARENTS, [3], 6)
    np.testing.assert_array_equal(output[:, 0], [[2, 2, 2], [6, 5, 6], [6, 8, 6]])
    output = tree(STEPS, PARENTS, [3], 2)
    np.testing.assert_array_equal(output[:, 0], [[2] * 3] * 3)


def test_a_short_sequence_starts_at_its_own_last_step():
    output = tree(STEPS, PARENTS, [2], 10)
    np.testing.assert_array_equal(output[:, 0], [[1, 2, 2], [4, 5, 6], [10, 10, 10]])
    output = tree(STEPS, PARENTS, [1], 10)
    np.testing.assert_array_equal(output[:, 0], [[1, 2, 3], [10] * 3, [10] * 3])


def test_a_length_beyond_the_steps_is_all_steps():
    np.testing.assert_array_equal(tree(STEPS, PARENTS, [99], 10), tree(STEPS, PARENTS, [3], 10))


def test_sequences_of_a_batch_are_independent():
    steps = np.array(STEPS)
    parents = np.array(PARENTS)
    others = parents[:, :, ::-1].copy()
    both = tree(
        np.concatenate([steps, steps + 1], 1), np.concatenate([parents, others], 1), [3, 2], 5
    )
    np.testing.assert_array_equal(both[:, :1], tree(steps, parents, [3], 5))
    np.testing.assert_array_equal(both[:, 1:], tree(steps + 1, others, [2], 5))


def test_large_tokens_survive():
    steps = [[[2**63 - 1]], [[-(2**63)]]]
    np.testing.assert_array_equal(tree(steps, [[[0]], [[0]]], [2], 4), steps)


@pytest.mark.parametrize(
    ("parents", "lengths", "end_token", "message"),
    [
        (PARENTS, [3], [4], "end_token must be a scalar"),
        (PARENTS, [0], 4, "max_seq_len must be 1 or more, got 0"),
        ([[[0, 0, 3]]] * 3, [3], 4, r"parent_ids must be in \[0, 3\), got 0 to 3"),
    ],
)
def test_errors(parents, lengths, end_token, message):
    with pytest.raises(ValueError, match=message):
        tree(STEPS, parents, lengths, end_token)
