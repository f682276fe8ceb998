"""RegionYolo (page RegionYolo-1)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reference import implements
from reference.accuracy import Arithmetic, Bounds, Call, Function, Precision, Softmax
from reference.shared.axes import normalize_axis

_Classes = Literal["logistic", "raw"]
# As of Sigmoid.
_SIGMOID = Function(k=6)


def _regions(data: np.ndarray, count: int, classes: int, coords: int) -> np.ndarray:
    """data as [N, regions, coords + 1 + classes, H, W]. Raises ValueError where C is not so many."""
    if data.ndim != 4 or data.shape[1] != count * (classes + coords + 1):
        raise ValueError(
            f"RegionYolo-1: data must be [N, C, H, W] with C = {count} * ({classes} + {coords} + 1), "
            f"got {list(data.shape)}"
        )
    return data.reshape(data.shape[0], count, classes + coords + 1, *data.shape[2:])


def _logistic(classes: int, coords: int) -> np.ndarray:
    """Which numbers of a region, apart from classes, go through the sigmoid: x, y and that of an object."""
    places = np.arange(classes + coords + 1)
    return (places < min(coords, 2)) | (places == coords)


@dataclass(frozen=True)
class _Activated(Arithmetic):
    """Numbers that are kept, sigmoids, and a softmax: each of its own class."""

    def real_bounds(
        self, call: Call, output_index: int, own: Precision, working: Precision
    ) -> Bounds:
        """The bounds of the class of each element."""
        arguments = call.attributes
        classes, coords = arguments["classes"], arguments["coords"]
        softmax = arguments.get("do_softmax", True)
        count = arguments["num"] if softmax else len(arguments["mask"])
        data = _regions(call.reals(0), count, classes, coords)
        value = call.outputs[output_index].reshape(data.shape)
        sigmoid = _SIGMOID.real_bounds(replace(call, outputs=(value,)), 0, own, working)
        is_sigmoid = _logistic(classes, coords)[:, None, None]
        is_class = (np.arange(data.shape[2]) > coords)[:, None, None]
        if arguments.get("of_classes", "logistic") == "logistic":
            is_sigmoid = is_sigmoid | is_class & (not softmax)
        shape, found = call.outputs[output_index].shape, []
        parts = [data[:, :, coords + 1 :], value[:, :, coords + 1 :]]
        part = replace(call, inputs=(parts[0],), outputs=(parts[1],))
        soft = Softmax(lambda call: (2,)).real_bounds(part, 0, own, working)
        for of_sigmoid, of_class in ((sigmoid.bound, soft.bound), (sigmoid.quality, soft.quality)):
            assert of_sigmoid is not None
            assert of_class is not None
            bound = np.where(is_sigmoid, of_sigmoid, 0.0)
            if softmax:
                bound[:, :, coords + 1 :] = of_class
            found.append(bound.reshape(shape))
        # Infinity divided by infinity, or 0 by 0.
        lost = is_class & np.isinf(np.max(parts[0], axis=2, keepdims=True, initial=-np.inf))
        free = np.broadcast_to(lost & softmax, data.shape).reshape(shape)
        return Bounds(found[0], found[1], free=free)


@implements("RegionYolo-1", accuracy=_Activated(), readings=[{"of_classes": "raw"}])
def region_yolo(
    data: np.ndarray,
    *,
    axis: int,
    coords: int,
    classes: int,
    end_axis: int,
    num: int,
    anchors: Sequence[float] = (),
    do_softmax: bool = True,
    mask: Sequence[int] = (),
    of_classes: _Classes = "logistic",
) -> np.ndarray:
    """What the network says of regions: sigmoids of x, y and of an object, and the probabilities of classes.

    data [N, regions * (coords + 1 + classes), H, W] -> float64; ``num`` regions whose classes go through a softmax, and
    the axes from ``axis`` to ``end_axis`` flattened; or, without ``do_softmax``, as many regions as ``mask`` has items,
    in the shape of data. The page leaves open what becomes ``of_classes`` then. ``anchors`` do not count. Raises
    ValueError for another number of channels and for axes that do not exist.
    """
    first, last = (
        normalize_axis(each, data.ndim, "RegionYolo-1: axis") for each in (axis, end_axis)
    )
    values = _regions(data.astype(np.float64), num if do_softmax else len(mask), classes, coords)
    sigmoid = 1 / (1 + np.exp(-values))
    found = np.where(_logistic(classes, coords)[:, None, None], sigmoid, values)
    behind = slice(coords + 1, None)
    if not do_softmax:
        if of_classes == "logistic":
            found[:, :, behind] = sigmoid[:, :, behind]
        return found.reshape(data.shape)
    scores = values[:, :, behind]
    powers = np.exp(scores - scores.max(axis=2, keepdims=True, initial=-np.inf))
    found[:, :, behind] = powers / powers.sum(axis=2, keepdims=True)
    flat = int(np.prod(data.shape[first : last + 1]))
    return found.reshape(*data.shape[:first], flat, *data.shape[last + 1 :])
