"""CTCLoss: paths counted by hand, and all paths of small sequences one by one."""

from itertools import product

import numpy as np
import pytest

from reference import answer, compare, lookup

ctc_loss = lookup("CTCLoss-4")


def run(logits, labels, steps=None, size=None, blank=2, **flags):
    logits = np.array([logits], float)
    row = np.zeros((1, logits.shape[1]), np.int64)
    row[0, : len(labels)] = labels
    lengths = [np.array([n]) for n in (logits.shape[1] if steps is None else steps,)]
    lengths.append(np.array([len(labels) if size is None else size]))
    given = (logits, lengths[0], row, lengths[1], None if blank is None else np.array(blank))
    return ctc_loss(*given, **flags).tolist()


def by_counting(paths, classes=3, steps=3):
    """The loss where every path has the same probability."""
    return [pytest.approx(-np.log(paths / classes**steps))]


EVEN = [[0, 0, 0]] * 3


def test_paths_of_one_label():
    # a, b (the blank): abb, bab, bba, aab, baa, aaa of merged ones; the first three otherwise.
    assert run(EVEN, [0]) == by_counting(6)
    assert run(EVEN, [0], ctc_merge_repeated=False) == by_counting(3)


def test_paths_of_two_labels():
    # 011, 001, 012, 021, 201; the last three alone without merging.
    assert run(EVEN, [0, 1]) == by_counting(5)
    assert run(EVEN, [0, 1], ctc_merge_repeated=False) == by_counting(3)


def test_equal_labels_need_a_blank_between_them():
    assert run(EVEN, [0, 0]) == by_counting(1)
    assert run(EVEN, [0, 0], ctc_merge_repeated=False) == by_counting(3)
    assert run(EVEN, [0, 0], 2) == [np.inf]
    assert run(EVEN, [0, 0], preprocess_collapse_repeated=True) == by_counting(6)


def test_each_label_once():
    assert run(EVEN, [0, 1, 0], unique=True) == by_counting(5)
    assert run(EVEN, [0, 1, 0], preprocess_collapse_repeated=True) == by_counting(1)


def test_no_labels_and_no_steps():
    assert run(EVEN, []) == by_counting(1)
    assert run(EVEN, [], 0) == [0.0]


def test_steps_and_labels_behind_their_lengths_do_not_count():
    logits = [[0, 0, 0], [0, 0, 0], [9, -9, 5]]
    assert run(logits, [1, 0, 5], 2, 1) == by_counting(3, steps=2)


def test_the_last_class_is_the_blank_by_default():
    assert run([[0, 1, 2]], [], blank=None) == pytest.approx([np.log(1 + np.exp(-1) + np.exp(-2))])
    assert run([[0, 1, 2]], [], blank=0) == pytest.approx([2 + np.log(1 + np.exp(-1) + np.exp(-2))])


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("target", [(), (0,), (0, 1), (1, 1), (0, 1, 0), (1, 1, 0, 0)])
def test_all_paths_one_by_one(target, merge):
    logits = np.random.RandomState(len(target)).uniform(-2, 2, (5, 3))
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    total = 0.0
    for path in product(range(3), repeat=5):
        merged = [c for i, c in enumerate(path) if not (merge and i and path[i - 1] == c)]
        if tuple(c for c in merged if c != 2) == target:
            total += np.prod(chances[range(5), path])
    with np.errstate(divide="ignore"):
        assert run(logits, target, ctc_merge_repeated=merge) == pytest.approx([-np.log(total)])


@pytest.mark.parametrize(
    "labels, steps, size, blank, sentence",
    [
        ([0], 4, 1, 2, "lengths must be 0 <= label_length <= logit_length <= 3, got 1, 4"),
        ([0, 1], 1, 2, 2, "lengths must be"),
        ([2], 3, 1, 2, "labels must be classes below 3 but 2"),
        ([3], 3, 1, 2, "labels must be classes below 3 but 2"),
        ([0], 3, 1, 3, "blank_index must be a class below 3, got 3"),
    ],
)
def test_rules(labels, steps, size, blank, sentence):
    with pytest.raises(ValueError, match=f"CTCLoss-4: {sentence}"):
        run(EVEN, labels, steps, size, blank)


def test_f32_passes_and_bf16_does_not():
    state = np.random.RandomState(1)
    logits = state.uniform(-4, 4, (50, 12, 6)).astype(np.float32)
    labels = state.randint(0, 5, (50, 12))
    given = [logits, np.full(50, 12), labels, np.full(50, 5)]
    (expected,) = answer("CTCLoss-4", given, {})
    actual = expected.value.astype(np.float32)
    assert compare(expected, actual).wrong == 0
    assert compare(expected, actual * np.float32(1 + 2.0**-9)).wrong == actual.size
