"""CTCLoss: paths counted by hand, and all paths of small sequences one by one."""

from itertools import product

import numpy as np
import pytest

from reference import answer, lookup

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
    ],
)
def test_rules(labels, steps, size, blank, sentence):
    with pytest.raises(ValueError, match=f"CTCLoss-4: {sentence}"):
        run(EVEN, labels, steps, size, blank)


def test_a_path_alone_has_the_errors_of_a_sum():
    """Nine steps, each with one class that is possible: no exponential of a sum is added up."""
    logits = np.full((1, 9, 3), -40.0, np.float32)
    logits[0, :, 2] = -1.0
    logits[0, 4, :] = (-1.0, -40.0, -40.0)
    inputs = [logits, np.array([9]), np.zeros((1, 9), int), np.array([1])]
    for kind, most in (("f32", 2e-5), ("bf16", 0.8)):
        (expected,) = answer("CTCLoss-4", inputs, {}, [kind])
        assert expected.bound[0] < most
    one = [logits[:, 4:5] + np.float32(3), np.array([1]), np.zeros((1, 1), int), np.array([1])]
    one[0] = np.array([[[0.5, 0.25, 0.75]]], np.float32)
    (expected,) = answer("CTCLoss-4", one, {}, ["bf16"])
    assert expected.value[0] == pytest.approx(
        -np.log(np.exp(0.5) / np.exp([0.5, 0.25, 0.75]).sum())
    )
    assert expected.bound[0] / expected.value[0] < 0.08


def test_steps_in_f32_are_within_the_bound():
    """Logarithms of sums, added from the begin in f32."""
    rng = np.random.RandomState(2)
    f32 = np.float32
    logits = rng.uniform(-6, 6, (4, 12, 5)).astype(f32)
    labels = rng.randint(0, 4, (4, 12))
    lengths = np.array([12, 9, 7, 12]), np.array([5, 3, 1, 0])
    (expected,) = answer("CTCLoss-4", [logits, lengths[0], labels, lengths[1]], {})
    for number, (steps, size) in enumerate(zip(*lengths, strict=True)):
        states = [4] * (2 * size + 1)
        states[1::2] = labels[number, :size].tolist()
        shifted = logits[number] - logits[number].max(axis=1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True, dtype=f32))
        sums = np.full(len(states), -np.inf, f32)
        sums[0], sums[1:2] = logs[0, 4], logs[0, states[1]] if size else 0
        for step in range(1, steps):
            new = sums.copy()
            for place, state in enumerate(states):
                if place:
                    new[place] = np.logaddexp(new[place], sums[place - 1])
                if place > 1 and state != 4 and states[place - 2] != state:
                    new[place] = np.logaddexp(new[place], sums[place - 2])
            sums = (new + logs[step, states]).astype(f32)
        loss = -np.logaddexp(sums[-1], sums[-2]) if size else -sums[-1]
        assert abs(float(loss) - expected.value[number]) <= expected.bound[number]
