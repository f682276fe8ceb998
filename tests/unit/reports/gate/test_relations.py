"""Relations of parameters and shapes that a cause can name."""

import pytest

from reports.gate.relations import SENTENCES, relations_of
from tests.unit.reports.small_results import record

POOL = "strides=2;pads_begin=2;pads_end=2;kernel=3;rounding_type="
TRANSPOSED = "strides=2,pads_begin=1,pads_end=1,dilations=1,auto_pad="


@pytest.mark.parametrize(
    "sentence, layer, holds",
    [
        (
            "a bag begins behind the last index",
            "EmbeddingBagOffsets-15/random/f32[5,2],i64[7]/offsets=0,0,7",
            True,
        ),
        (
            "a bag begins behind the last index",
            "EmbeddingBagOffsets-15/random/f32[5,2],i64[7]/offsets=i32:0,6",
            False,
        ),
        (
            "axes are neither all from 1 on nor all from 2 on",
            "MVN-1/random/f32[2,5,4,3]/reduction_axes=1,2",
            True,
        ),
        (
            "axes are neither all from 1 on nor all from 2 on",
            "MVN-1/random/f32[2,5,4,3]/reduction_axes=-1,2",
            False,
        ),
        # The last axis of a matrix is axis 1, but -1 is not taken for it.
        (
            "axes are neither all from 1 on nor all from 2 on",
            "MVN-1/random/f32[5,5]/reduction_axes=-1",
            True,
        ),
        (
            "axes are neither all from 1 on nor all from 2 on",
            "MVN-1/random/f32[1,4,1]/reduction_axes=0,1",
            False,
        ),
        (
            "signal_length is beyond the default",
            "ISTFT-16/random/f32[6,5,2],f32[7]/frame_size=11,frame_step=3,signal_length=13,center=true",
            True,
        ),
        (
            "signal_length is beyond the default",
            "ISTFT-16/random/f32[6,5,2],f32[7]/frame_size=11,frame_step=3,signal_length=13,center=false",
            False,
        ),
        (
            "signal_length is beyond the default",
            "ISTFT-16/random/f32[6,5,2],f32[7]/frame_size=11,frame_step=3,center=true",
            False,
        ),
        (
            "signal_size pads an axis",
            "IRDFT-9/random/f32[4,6,2]/axes=1,signal_size=12",
            True,
        ),
        (
            "signal_size pads an axis",
            "IRDFT-9/random/f32[4,6,2]/axes=1,signal_size=11",
            False,
        ),
        (
            "signal_size pads an axis",
            "IRDFT-9/random/f32[4,6,2]/axes=0,1;signal_size=5,-1",
            False,
        ),
        (
            "signal_size cuts one of three axes",
            "IRDFT-9/random/f32[3,4,6,2]/axes=0,1,2;signal_size=2,4,10",
            True,
        ),
        (
            "signal_size cuts one of three axes",
            "IRDFT-9/random/f32[3,4,6,2]/axes=0,1;signal_size=2,4",
            False,
        ),
        ("mat_b has square matrices", "GroupedMatMul-17/random/f32[1,2,3],f32[1,3,3]", True),
        ("mat_b has square matrices", "GroupedMatMul-17/random/f32[3,3],f32[3,3]/offsets=3", False),
        (
            "one padded cell along an axis",
            "SpaceToBatch-2/random/f16[2,4,2]/block_shape=1,6,1;pads_begin=0,0,0;pads_end=0,2,0",
            True,
        ),
        (
            "one padded cell along an axis",
            "SpaceToBatch-2/random/f16[1,4,2]/block_shape=1,6,1;pads_begin=0,0,0;pads_end=0,2,0",
            False,
        ),
        (
            "output_shape leaves over other than pads_begin",
            f"ConvolutionBackpropData-1/random/f32[1,1,3],f32[1,1,3]/output_shape=5,{TRANSPOSED}explicit",
            False,
        ),
        (
            "output_shape leaves over other than pads_begin",
            f"ConvolutionBackpropData-1/random/f32[1,1,3],f32[1,1,3]/output_shape=5,{TRANSPOSED}valid",
            True,
        ),
        ("a window has padding alone", f"MaxPool-1/random/f32[2,2,6]/{POOL}ceil", True),
        ("a window has padding alone", f"MaxPool-1/random/f32[2,2,6]/{POOL}floor", False),
        (
            "a label is repeated in one subscript alone",
            "Einsum-7/random/f32[4,4],f32[3]/equation=ii,j",
            True,
        ),
        (
            "a label is repeated in one subscript alone",
            "Einsum-7/random/f32[4,4],f32[4]/equation=...ii,i",
            False,
        ),
        (
            "nearly as many boxes as score_threshold leaves",
            "NonMaxSuppression-1/random/f32[1,8,4],f32[1,1,8]/max_output_boxes_per_class=u8:3,score_threshold=f16:0.5",
            True,
        ),
        (
            "nearly as many boxes as score_threshold leaves",
            "NonMaxSuppression-1/random/f32[1,8,4],f32[1,1,8]/max_output_boxes_per_class=3,score_threshold=0.25",
            False,
        ),
        (
            "several boxes of several classes",
            "MulticlassNonMaxSuppression-9/random/f32[3,2,4],f32[3,2]/roisnum=2",
            True,
        ),
        (
            "several boxes of several classes",
            "MulticlassNonMaxSuppression-9/random/f32[3,1,4],f32[3,1]/roisnum=1",
            False,
        ),
        (
            "data of signed integers",
            "ScatterElementsUpdate-12/random/i8[4],i64[2],i8[2]/axis=0",
            True,
        ),
        (
            "data of signed integers",
            "ScatterElementsUpdate-12/random/f32[4],i64[2],f32[2]/axis=0",
            False,
        ),
    ],
)
def test_what_holds_of_a_case(sentence: str, layer: str, holds: bool) -> None:
    assert sentence in SENTENCES
    assert (sentence in relations_of(record(layer))) == holds


def test_nothing_holds_of_other_operations_and_of_layers_that_make_no_sense() -> None:
    assert relations_of(record("Relu-1/plain/f32[5,7]")) == ()
    assert (
        relations_of(record("IRDFT-9/invalid/-,f32[2]/axes=f32:0.5,signal_size=[[1]],more=x")) == ()
    )
    assert (
        relations_of(record("MaxPool-1/invalid/f32[2]/strides=0,kernel=3,pads_begin=0,pads_end=0"))
        == ()
    )
