"""The operations of opset1 to opset17, by category: each has a page of the specification.

The names are the versioned names of the pages. LSTMCell-4, which opset4 lists, has the page of LSTMCell-1.
"""

from __future__ import annotations

_BY_CATEGORY = {
    "activation": """
        Clamp-1 Elu-1 Exp-1 Gelu-2 Gelu-7 HardSigmoid-1 HSigmoid-5 HSwish-4 Identity-16 LogSoftmax-5 Mish-4
        PReLU-1 ReLU-1 Selu-1 Sigmoid-1 SoftMax-1 SoftMax-8 SoftPlus-4 SoftSign-9 Swish-4
    """,
    "arithmetic": """
        Abs-1 Acos-1 Acosh-3 Add-1 Asin-1 Asinh-3 Atan-1 Atanh-3 Ceiling-1 Cos-1 Cosh-1 CumSum-3 Divide-1
        Erf-1 ErfInv-17 Floor-1 FloorMod-1 Log-1 Maximum-1 Minimum-1 Mod-1 Multiply-1 Negative-1 Power-1
        Round-5 SegmentMax-16 Sign-1 Sin-1 Sinh-1 Sqrt-1 SquaredDifference-1 Subtract-1 Tan-1 Tanh-1
    """,
    "bitwise": """
        BitwiseAnd-13 BitwiseLeftShift-15 BitwiseNot-13 BitwiseOr-13 BitwiseRightShift-15 BitwiseXor-13
    """,
    "comparison": """
        Equal-1 Greater-1 GreaterEqual-1 IsFinite-10 IsInf-10 IsNaN-10 Less-1 LessEqual-1 NotEqual-1
    """,
    "condition": """
        Bucketize-3 If-8 NonZero-3 Select-1
    """,
    "convolution": """
        BinaryConvolution-1 Convolution-1 ConvolutionBackpropData-1 DeformableConvolution-1
        DeformableConvolution-8 GroupConvolution-1 GroupConvolutionBackpropData-1
    """,
    "detection": """
        DeformablePSROIPooling-1 DetectionOutput-1 DetectionOutput-8 ExperimentalDetectronDetectionOutput-6
        ExperimentalDetectronGenerateProposalsSingleImage-6 ExperimentalDetectronPriorGridGenerator-6
        ExperimentalDetectronROIFeatureExtractor-6 GenerateProposals-9 PriorBox-1 PriorBox-8
        PriorBoxClustered-1 Proposal-1 Proposal-4 PSROIPooling-1 RegionYolo-1 ReorgYolo-1 ROIAlign-3
        ROIAlign-9 ROIAlignRotated-15 ROIPooling-1
    """,
    "generation": """
        Eye-9 Multinomial-13 RandomUniform-8 Range-1 Range-4
    """,
    "image": """
        BGRtoNV12-17 GridSample-9 I420toBGR-8 I420toRGB-8 Interpolate-1 Interpolate-4 Interpolate-11
        NV12toBGR-8 NV12toRGB-8 RGBtoNV12-17
    """,
    "infrastructure": """
        Assign-3 Assign-6 Constant-1 Loop-5 Parameter-1 ReadValue-3 ReadValue-6 Result-1 TensorIterator-1
    """,
    "logical": """
        LogicalAnd-1 LogicalNot-1 LogicalOr-1 LogicalXor-1
    """,
    "matrix": """
        Einsum-7 GroupedMatMul-17 Inverse-14 MatMul-1
    """,
    "movement": """
        BatchToSpace-2 Broadcast-1 Broadcast-3 Col2Im-15 Concat-1 DepthToSpace-1 ExtractImagePatches-3
        Gather-1 Gather-7 Gather-8 GatherElements-6 GatherND-5 GatherND-8 GatherTree-1 Pad-1 Pad-12 Reverse-1
        ReverseSequence-1 Roll-7 ScatterElementsUpdate-3 ScatterElementsUpdate-12 ScatterNDUpdate-3
        ScatterNDUpdate-15 ScatterUpdate-3 ShuffleChannels-1 Slice-8 SliceScatter-15 SpaceToBatch-2
        SpaceToDepth-1 Split-1 StridedSlice-1 Tile-1 Transpose-1 Unique-10 VariadicSplit-1
    """,
    "normalization": """
        BatchNormInference-1 BatchNormInference-5 GRN-1 GroupNormalization-12 LRN-1 MVN-1 MVN-6 NormalizeL2-1
    """,
    "pooling": """
        AdaptiveAvgPool-8 AdaptiveMaxPool-8 AvgPool-1 AvgPool-14 AvgPool-16 MaxPool-1 MaxPool-8 MaxPool-14
    """,
    "quantization": """
        FakeConvert-13 FakeQuantize-1
    """,
    "reduction": """
        ReduceL1-4 ReduceL2-4 ReduceLogicalAnd-1 ReduceLogicalOr-1 ReduceMax-1 ReduceMean-1 ReduceMin-1
        ReduceProd-1 ReduceSum-1
    """,
    "sequence": """
        CTCGreedyDecoder-1 CTCGreedyDecoderSeqLen-6 CTCLoss-4 GRUCell-3 GRUSequence-5 LSTMCell-1 LSTMCell-4
        LSTMSequence-1 LSTMSequence-5 OneHot-1 OneHot-16 RNNCell-3 RNNSequence-5 ScaledDotProductAttention-13
    """,
    "shape": """
        Reshape-1 ShapeOf-1 ShapeOf-3 Squeeze-1 Squeeze-15 Unsqueeze-1
    """,
    "signals": """
        DFT-7 IDFT-7 IRDFT-9 ISTFT-16 RDFT-9 STFT-15
    """,
    "sort": """
        ExperimentalDetectronTopKROIs-6 MatrixNonMaxSuppression-8 MulticlassNonMaxSuppression-8
        MulticlassNonMaxSuppression-9 NMSRotated-13 NonMaxSuppression-1 NonMaxSuppression-3
        NonMaxSuppression-4 NonMaxSuppression-5 NonMaxSuppression-9 SearchSorted-15 TopK-1 TopK-3 TopK-11
    """,
    "sparse": """
        EmbeddingBagOffsets-15 EmbeddingBagOffsetsSum-3 EmbeddingBagPacked-15 EmbeddingBagPackedSum-3
        EmbeddingSegmentsSum-3 SparseFillEmptyRows-16
    """,
    "type": """
        Convert-1 ConvertLike-1 ConvertPromoteTypes-14 StringTensorPack-15 StringTensorUnpack-15
    """,
}

LISTED: dict[str, str] = {
    name: category for category, names in _BY_CATEGORY.items() for name in names.split()
}
"""The category of each operation by its name."""

INTERNAL = ("AUGRUCell", "AUGRUSequence", "RMS")
"""Operations of the specification's internal pages.

They are in no operation set. A layer of IR names one as its version, and readers refuse every name ('from unsupported
opset: ie_internal_opset', 'Opset opset1 doesn't contain the operation'), so nothing can be asked of them. Patterns,
such as AUGRU, ask what optimizers make of the layers of their formulas.
"""
