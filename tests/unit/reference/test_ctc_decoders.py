"""CTCGreedyDecoder-1 and CTCGreedyDecoderSeqLen-6: the page's ABB*B*B by hand."""

import numpy as np
import pytest

from reference.accuracy import Call
from reference.sequence import ctc_greedy_decoder, ctc_greedy_decoder_seq_len
from reference.shared.decoding import best_paths, decoded

A, B, BLANK = 0, 1, 2
PATH = [A, B, B, BLANK, B, BLANK, B]


def scores(path):
    """[T, C], the largest of each step that of the path."""
    return np.eye(3)[path] * 2.0 - 1.0


def test_merging_comes_before_the_blanks_go():
    assert decoded(PATH, BLANK, False) == [A, B, B, B, B]
    assert decoded(PATH, BLANK, True) == [A, B, B, B]
    assert decoded([BLANK, BLANK], BLANK, True) == []


def test_sequences_of_a_length():
    data = np.stack([scores(PATH)] * 3)
    found = ctc_greedy_decoder_seq_len.ctc_greedy_decoder_seq_len(data, np.array([7, 3, 0]))
    assert found[0].tolist() == [[A, B, B, B, -1, -1, -1], [A, B, *[-1] * 5], [-1] * 7]
    assert found[1].tolist() == [4, 2, 0]
    assert [each.dtype for each in found] == [np.int32, np.int32]


def test_any_class_may_be_the_blank():
    for blank in (np.array(B), np.array([B])):
        found, lengths = ctc_greedy_decoder_seq_len.ctc_greedy_decoder_seq_len(
            scores(PATH)[np.newaxis],
            np.array([7]),
            blank,
            merge_repeated=False,
            classes_index_type="i64",
        )
        assert found.tolist() == [[A, BLANK, BLANK, -1, -1, -1, -1]]
        assert lengths.tolist() == [3]
        assert found.dtype == np.int64


def test_masks():
    data = np.stack([scores(PATH)] * 2, axis=1)
    mask = np.array([[1, 1]] * 3 + [[1, 0]] * 4)
    found = ctc_greedy_decoder.ctc_greedy_decoder(data, mask)
    assert found.shape == (2, 7, 1, 1)
    assert found[:, :, 0, 0].tolist() == [[A, B, B, B, -1, -1, -1], [A, B, *[-1] * 5]]
    kept = ctc_greedy_decoder.ctc_greedy_decoder(data, mask, ctc_merge_repeated=False)
    assert kept[1, :4, 0, 0].tolist() == [A, B, B, -1]


def test_of_equal_scores_any_is_right():
    data = np.array([[[1.0, 1.0, 0.0], [0.0, 0.0, 5.0]]])
    function = ctc_greedy_decoder_seq_len.ctc_greedy_decoder_seq_len
    inputs = [data, np.array([2])]
    call = Call(function, inputs, {}, function(*inputs), ("i32", "i32"))
    nearest = function.__dict__["accuracy"].nearest
    other = [np.array([[B, -1]]), np.array([1])]
    assert [each.tolist() for each in nearest(call, other)] == [[[B, -1]], [1]]
    wrong = [np.array([[BLANK, -1]]), np.array([1])]
    assert [each.tolist() for each in nearest(call, wrong)] == [[[A, -1]], [1]]
    assert best_paths(data, np.array([2]), BLANK, True).tolist() == [[A, -1]]


def test_errors():
    with pytest.raises(ValueError, match=r"CTCGreedyDecoderSeqLen-6: .*from 0 to 7"):
        ctc_greedy_decoder_seq_len.ctc_greedy_decoder_seq_len(
            scores(PATH)[np.newaxis], np.array([-1]), np.array(0)
        )
