"""References are found by the names of pages, and by those of OpenVINO's own opsets."""

import numpy as np
import pytest

from reference import MissingReferenceError, answer, lookup


@pytest.mark.parametrize(
    ("given", "page"),
    [
        ("Relu-1", "ReLU-1"),
        ("Softmax-8", "SoftMax-8"),
        ("PRelu-1", "PReLU-1"),
        ("Const-1", "Constant-1"),
        ("SpaceToBatch-2", "SpaceToBatch-2"),
    ],
)
def test_types_as_openvino_writes_them(given, page):
    assert lookup(given) is lookup(page)


def test_an_answer_to_openvinos_name():
    (expected,) = answer("Relu-1", [np.array([-1.0, 2.0])], {})
    assert expected.value.tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("Relu-2", "there is ReLU-1"),
        ("Relu", "there is ReLU-1"),
        ("Sofmax-8", "did you mean SoftMax-8 or SoftMax-1?"),
        ("Nothing like it-1", "no reference implements 'Nothing like it-1'"),
        ("NothingLikeIt-1", "'NothingLikeIt-1': no folder of reference/ has nothing_like_it.py"),
    ],
)
def test_what_is_not_there_is_suggested(given, text):
    with pytest.raises(MissingReferenceError, match=text.replace("?", "[?]")):
        lookup(given)
