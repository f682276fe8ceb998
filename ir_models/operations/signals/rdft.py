"""RDFT: the discrete Fourier transform of real tensors along some axes (page RDFT-9)."""

from ir_models.declaration import *
from ir_models.families.fourier import fourier, scaled

T = types("T", "any supported floating-point type")

RDFT = fourier(
    "RDFT-9",
    "opset9",
    T,
    is_complex=False,
    halves=True,
    printed=examples(f"""
        data=f32[1,320,320]; axes=1,2 -> [1,320,161,2]
        data=f32[320,320]; axes=0,1 -> [320,161,2]
        data=f32[1,320,320]; axes=1,2; signal_size=512,100 -> [1,512,51,2]
        data=f32[320,320]; axes=0,1; signal_size=512,100 -> [512,51,2]
        data=f32[2,12,9,5]; axes=3,1,2; signal_size=3,-1,16 -> [2,12,9,3,2]
            scaled: {scaled("f32[16,768,580,320]")}
            printed: data=f32[16,768,580,320]; axes=3,1,2; signal_size=170,-1,1024 -> [16,768,513,170,2]
        data=f32[2,12,9,5]; axes=3,0,2; signal_size=4,-1,32 -> [2,12,17,4,2]
            scaled: {scaled("f32[16,768,580,320]")}
            printed: data=f32[16,768,580,320]; axes=3,0,2; signal_size=258,-1,2056 -> [16,768,1029,258,2]
    """),
    variants_of_data="""
        impulse-and-wave: the transforms are known without computing
            data=f32:[0,1,0,0]; axes=0; signal_size=-
            data=f32:[1,0,-1,0]; axes=0; signal_size=8
    """,
    readings=[
        Reading(
            "'the tensor Y of the shape [B_0, ..., S_0 // 2 + 1, ..., S_{r-1} // 2 + 1]'",
            "Along the last of axes alone there are S // 2 + 1 numbers.",
            "The outputs say so for each axis, and all examples have it.",
            "contradiction",
        ),
        Reading(
            "'S_a = signal_size[a]', and 'signal_size[a] // 2 + 1'",
            "It is signal_size[i], of the axis a = axes[i].",
            "The same sentences begin with signal_size[i], which has one element for each of axes.",
            "slip",
        ),
        Reading(
            "'S_a = data_shape[a] // 2 + 1', of an axis of no elements",
            "There is one number, the sum of no terms: 0.",
            "The formula holds as it is written.",
            "silence",
            admits="No number: what has no elements has no transform.",
        ),
    ],
)
