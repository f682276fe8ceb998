"""DeformableConvolution (pages DeformableConvolution-1 and DeformableConvolution-8)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.shared.deforming import DEFORMED, deformed, places
from reference.shared.windows import AutoPad


@implements("DeformableConvolution-1", accuracy=DEFORMED)
def deformable_convolution_1(
    data: np.ndarray,
    offsets: np.ndarray,
    kernel: np.ndarray,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: AutoPad = "explicit",
    group: int = 1,
    deformable_group: int = 1,
) -> np.ndarray:
    """Like DeformableConvolution-8 without a mask and without ``bilinear_interpolation_pad``."""
    arguments = (strides, pads_begin, pads_end, dilations, auto_pad, group, deformable_group)
    sampled = places("DeformableConvolution-1", data, offsets, kernel, *arguments)
    return deformed(data, kernel, None, sampled, group, False)


@implements("DeformableConvolution-8", accuracy=DEFORMED)
def deformable_convolution(
    data: np.ndarray,
    offsets: np.ndarray,
    kernel: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    dilations: Sequence[int],
    auto_pad: AutoPad = "explicit",
    group: int = 1,
    deformable_group: int = 1,
    bilinear_interpolation_pad: bool = False,
) -> np.ndarray:
    """A convolution whose windows sample the image at places that offsets move.

    data [N, C, Y, X], kernel [C_OUT, C / group, KY, KX], offsets [N, deformable_group * KY * KX * 2, OY, OX], whose
    last factor is (y, x), mask [N, deformable_group * KY * KX, OY, OX] -> [N, C_OUT, OY, OX]. Between elements the
    image is interpolated along both axes; places a pixel and more outside are 0. Nearer ones are interpolated with 0 if
    ``bilinear_interpolation_pad``, else they are those on the border. Part i of the offsets is that of part i of the
    output channels. Floating-point results are float64, integers wrap. Raises ValueError where shapes or attributes do
    not fit together.
    """
    name = "DeformableConvolution-8"
    arguments = (strides, pads_begin, pads_end, dilations, auto_pad, group, deformable_group)
    sampled = places(name, data, offsets, kernel, *arguments)
    if mask is not None and mask.shape != (
        *offsets.shape[:1],
        offsets.shape[1] // 2,
        *offsets.shape[2:],
    ):
        raise ValueError(
            f"{name}: mask must have half the channels of offsets, got {list(mask.shape)}"
        )
    return deformed(data, kernel, mask, sampled, group, bilinear_interpolation_pad)
