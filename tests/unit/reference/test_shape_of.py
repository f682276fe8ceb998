import numpy as np
import pytest

from reference.shape.shape_of import shape_of_1, shape_of_3


@pytest.mark.parametrize("shape", [(2, 3, 224, 224), (5,), (0, 3), ()])
def test_shapes(shape):
    data = np.zeros(shape, np.int8)
    for y in (shape_of_1(data), shape_of_3(data)):
        assert y.dtype == np.int64
        assert y.shape == (len(shape),)
        assert y.tolist() == list(shape)


@pytest.mark.parametrize("output_type,dtype", [("i64", np.int64), ("i32", np.int32)])
def test_output_type(output_type, dtype):
    y = shape_of_3(np.zeros((2, 3)), output_type=output_type)
    assert y.dtype == dtype
    assert y.tolist() == [2, 3]


def test_other_types():
    with pytest.raises(ValueError, match="ShapeOf-3: output_type must be i64 or i32, got 'f32'"):
        shape_of_3(np.zeros(2), output_type="f32")
