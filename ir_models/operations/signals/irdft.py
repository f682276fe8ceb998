"""IRDFT: the inverse of RDFT, from complex to real tensors (page IRDFT-9)."""

from ir_models.declaration import *
from ir_models.families.fourier import NEGATIVE_AXIS, fourier, scaled

T = types("T", "any supported floating-point type")


def has_a_size(layer):
    """Whether the last of axes has numbers after the transform: 2 * (M - 1) of them where no size is given."""
    axes, sizes = layer.axes.value, layer.signal_size
    rank = layer.data.rank - 1
    if not axes or not -rank <= axes[-1] < rank:
        return True
    size = sizes.value[-1] if sizes is not None and sizes.value else -1
    return size != -1 or layer.data.shape[:-1][axes[-1]] > 1


IRDFT = fourier(
    "IRDFT-9",
    "opset9",
    T,
    halves=True,
    printed=examples(f"""
        data=f32[1,161,161,2]; axes=1,2 -> [1,161,320]
        data=f32[161,161,2]; axes=0,1 -> [161,320]
        data=f32[1,161,161,2]; axes=1,2; signal_size=512,100 -> [1,512,100]
        data=f32[161,161,2]; axes=0,1; signal_size=512,100 -> [512,100]
        data=f32[2,12,9,5,2]; axes=3,1,2; signal_size=3,-1,16 -> [2,12,16,3]
            scaled: {scaled("f32[16,768,580,320,2]")}
            printed: data=f32[16,768,580,320,2]; axes=3,1,2; signal_size=170,-1,1024 -> [16,768,1024,170]
        data=f32[2,12,9,5,2]; axes=3,0,2; signal_size=4,-1,32 -> [2,12,32,4]
            scaled: {scaled("f32[16,768,580,320,2]")}
            printed: data=f32[16,768,580,320,2]; axes=3,0,2; signal_size=258,-1,2056 -> [16,768,2056,258]
    """),
    rules=[
        rule(
            "the last of axes has a size other than 0",
            has_a_size,
            unasked="the page divides by it, and does not say what follows",
        )
    ],
    variants_of_data="""
        impulse-and-wave: the transforms are known without computing
            data=f32:[[0,0],[1,0],[0,0],[0,0]]; axes=0; signal_size=-
            data=f32:[[1,0],[0,1],[-1,0]]; axes=0; signal_size=8
    """,
    readings=[
        NEGATIVE_AXIS,
        Reading(
            "'input data is zero-padded' or 'trimmed' to signal_size, against F of size 2 * (M - 1), which is padded "
            "or trimmed, against Y, which sums X",
            "Data are padded or trimmed; the first S // 2 + 1 numbers of the last axis begin F.",
            "Of the three descriptions this one is the inverse of RDFT for every S, as the name says; without "
            "signal_size they are alike.",
            "contradiction",
            admits="The other two descriptions, where signal_size is not 2 * (M - 1).",
        ),
        Reading(
            "F[..., j_p, ...] is the conjugate of X[..., 2(M_{p-1} - 1) - j_p, ...]",
            "The index of every transformed axis is taken from the end.",
            "So are the transforms of real tensors, which this operation inverts.",
            "slip",
            admits="An index from the end along the last axis alone.",
        ),
        Reading(
            "'S_a = 2 * (data_shape[a] - 1)' for each axis, against 'when i != len(normalized_axes) - 1, S_a = "
            "data_shape[a]'",
            "The last of axes alone has 2 * (data_shape[a] - 1) numbers.",
            "All examples.",
            "contradiction",
        ),
    ],
)
