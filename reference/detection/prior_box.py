"""PriorBox (pages PriorBox-1 and PriorBox-8)."""

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any, Literal

import numpy as np

from reference import implements
from reference.accuracy import Call, Function
from reference.shared.priors import Priors, check_variance, grid_and_image

_Without = Literal["cells", "pixels"]


def _sizes(
    min_size: Sequence[float],
    max_size: Sequence[float],
    ratios: Sequence[float],
    is_max_second: bool,
) -> list[tuple[float, float]]:
    """(width, height) of the boxes of a point: of each smallest size, of it and the largest one, and of ratios."""
    found = []
    for number, smallest in enumerate(min_size):
        middle = [(sqrt(smallest * largest),) * 2 for largest in max_size[number : number + 1]]
        shaped = [(smallest * sqrt(ratio), smallest / sqrt(ratio)) for ratio in ratios]
        others = [*middle, *shaped] if is_max_second else [*shaped, *middle]
        found += [(smallest, smallest), *others]
    return found


def _ratios(aspect_ratio: Sequence[float], flip: bool) -> list[float]:
    """Each ratio once, one of 1 not at all, and their inverses if they are flipped."""
    once = [ratio for ratio in dict.fromkeys(aspect_ratio) if ratio != 1]
    return list(dict.fromkeys([*once, *(1 / ratio for ratio in once if flip)]))


def _priors(
    output_size: np.ndarray,
    image_size: np.ndarray,
    *,
    offset: float,
    min_size: Sequence[float] = (),
    max_size: Sequence[float] = (),
    aspect_ratio: Sequence[float] = (),
    flip: bool = False,
    step: float = 0.0,
    scale_all_sizes: bool = True,
    min_max_aspect_ratios_order: bool = True,
    without_step: str = "cells",
    **others: Any,
) -> Priors:
    grid, image = grid_and_image("PriorBox", output_size, image_size)
    ys, xs = (np.arange(size) + (offset if step else 0.5) for size in grid)
    if step:
        ys, xs = ys * step, xs * step
    elif without_step == "cells":
        ys, xs = ys * image[0] / grid[0], xs * image[1] / grid[1]
    largest = max_size if scale_all_sizes else ()
    ratios = _ratios(aspect_ratio, flip)
    return Priors(xs, ys, _sizes(min_size, largest, ratios, min_max_aspect_ratios_order), image)


def _of(call: Call) -> Priors:
    return _priors(call.array(0), call.array(1), **call.attributes)


def _silent(call: Call) -> np.ndarray:
    return np.isnan(call.outputs[0])


@implements(
    "PriorBox-1",
    "PriorBox-8",
    # A center is a sum and a product, half a size a root and a product; their difference cancels; one quotient.
    accuracy=Function(
        k=1, a=5, scale=lambda call: _of(call).magnitude, quality_a=3, silent=_silent
    ),
    readings=[{"without_step": "pixels"}],
)
def prior_box(
    output_size: np.ndarray,
    image_size: np.ndarray,
    *,
    offset: float,
    min_size: Sequence[float] = (),
    max_size: Sequence[float] = (),
    aspect_ratio: Sequence[float] = (),
    flip: bool = False,
    clip: bool = False,
    step: float = 0.0,
    variance: Sequence[float] = (),
    scale_all_sizes: bool = True,
    fixed_ratio: Sequence[float] = (),
    fixed_size: Sequence[float] = (),
    density: Sequence[float] = (),
    min_max_aspect_ratios_order: bool = True,
    without_step: _Without = "cells",
) -> np.ndarray:
    """Boxes about the points of a grid, as fractions of the image, and their variances: [2, 4 * boxes], float64.

    output_size and image_size are (height, width). ``without_step``: where step is 0 the grid covers the image, or its
    points are one pixel apart. Raises ValueError for other variances than 0, 1 or 4, for sizes that are not positive,
    and for ``fixed_ratio``, ``fixed_size`` and ``density``, since the page has no formula for them.
    """
    check_variance("PriorBox", variance)
    if fixed_ratio or fixed_size or density:
        raise ValueError(
            "PriorBox: the page has no formula for fixed_size, fixed_ratio and density"
        )
    are_sizes = all(each > 0 for each in (*min_size, *max_size))
    are_ratios = all(0 < each < inf for each in aspect_ratio)
    if not (are_sizes and are_ratios and step >= 0 and offset >= 0):
        raise ValueError(
            "PriorBox: sizes and ratios must be positive, step and offset not negative"
        )
    priors = _priors(
        output_size,
        image_size,
        offset=offset,
        min_size=min_size,
        max_size=max_size,
        aspect_ratio=aspect_ratio,
        flip=flip,
        step=step,
        scale_all_sizes=scale_all_sizes,
        min_max_aspect_ratios_order=min_max_aspect_ratios_order,
        without_step=without_step,
    )
    return priors.rows(clip, variance)
