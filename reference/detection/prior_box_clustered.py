"""PriorBoxClustered (page PriorBoxClustered-1)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reference import implements
from reference.accuracy import Call, Function
from reference.shared.priors import Priors, check_variance, grid_and_image


def _priors(
    output_size: np.ndarray,
    image_size: np.ndarray,
    *,
    offset: float,
    width: Sequence[float] = (1.0,),
    height: Sequence[float] = (1.0,),
    step: float = 0.0,
    step_w: float = 0.0,
    step_h: float = 0.0,
    **others: Any,
) -> Priors:
    grid, image = grid_and_image("PriorBoxClustered-1", output_size, image_size)
    if step_w == step_h == 0:
        step_w = step_h = step
    if step_w == step_h == 0:
        step_h, step_w = image[0] / grid[0], image[1] / grid[1]
    ys, xs = (np.arange(grid[0]) + offset) * step_h, (np.arange(grid[1]) + offset) * step_w
    return Priors(xs, ys, list(zip(width, height, strict=True)), image)


def _of(call: Call) -> Priors:
    return _priors(call.array(0), call.array(1), **call.attributes)


def _silent(call: Call) -> np.ndarray:
    return np.isnan(call.outputs[0])


@implements(
    "PriorBoxClustered-1",
    # A center is a sum and a product of a step that may be a quotient; the difference cancels; one quotient.
    accuracy=Function(
        k=1, a=5, scale=lambda call: _of(call).magnitude, quality_a=3, silent=_silent
    ),
)
def prior_box_clustered(
    output_size: np.ndarray,
    image_size: np.ndarray,
    *,
    offset: float,
    width: Sequence[float] = (1.0,),
    height: Sequence[float] = (1.0,),
    clip: bool = True,
    step: float = 0.0,
    step_w: float = 0.0,
    step_h: float = 0.0,
    variance: Sequence[float] = (),
) -> np.ndarray:
    """Boxes of ``width`` and ``height`` about the points of a grid, and their variances: [2, 4 * boxes], float64.

    output_size and image_size are (height, width). Raises ValueError where there are not as many heights as widths, for
    other variances than 0, 1 or 4, and for numbers that are not positive.
    """
    check_variance("PriorBoxClustered-1", variance)
    if len(width) != len(height) or min([*width, *height, 1.0]) <= 0:
        raise ValueError(
            "PriorBoxClustered-1: there must be as many heights as widths, all positive"
        )
    if min(offset, step, step_w, step_h) < 0:
        raise ValueError("PriorBoxClustered-1: offset and steps must not be negative")
    priors = _priors(
        output_size,
        image_size,
        offset=offset,
        width=width,
        height=height,
        step=step,
        step_w=step_w,
        step_h=step_h,
    )
    return priors.rows(clip, variance)
