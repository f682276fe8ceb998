"""ExperimentalDetectronTopKROIs (page ExperimentalDetectronTopKROIs-6)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.accuracy import Arrays, Call, Choice, Rounded


def _levels(scores: np.ndarray) -> np.ndarray:
    """The places of scores [n] among the different ones, from the highest on: [n]."""
    return np.asarray(np.unique(-scores, return_inverse=True)[1])


def _nearest(call: Call, actual: Sequence[np.ndarray]) -> Arrays:
    """Regions of equal probabilities in the order of a device, which may also choose among them at the last place."""
    rois, (given,), (output,) = call.array(0), actual, call.outputs
    if given.shape != output.shape:
        return call.outputs
    level = _levels(call.reals(1))
    # The device's places of each region; those that it does not have come last among equal ones.
    places: dict[bytes, list[int]] = {}
    for place, row in enumerate(given.astype(np.float64)):
        places.setdefault(_key(row), []).append(place)
    wanted = [(places.get(_key(row)) or [len(given)]).pop(0) for row in rois.astype(np.float64)]
    order = np.lexsort((np.array(wanted, int), level))[: len(output)]
    found = np.array(output)
    found[: len(order)] = rois[order]
    return (found,)


def _key(row: np.ndarray) -> bytes:
    """The numbers of a region [4], zeros of both signs alike."""
    return bytes((row + 0.0).tobytes())


def _silent(call: Call) -> np.ndarray:
    """Rows behind all regions, 'undefined values'; all where a probability is NaN, which has no place in the order."""
    count = 0 if np.isnan(call.reals(1)).any() else len(call.array(1))
    return np.asarray(np.arange(len(call.outputs[0])) >= count)[:, None]


# Regions are numbers of the type; a device may flush them.
@implements(
    "ExperimentalDetectronTopKROIs-6",
    accuracy=Choice(_nearest, Rounded(bound=0, quality=0, silent=_silent)),
)
def experimental_detectron_top_krois(
    rois: np.ndarray, probabilities: np.ndarray, *, max_rois: int = 0
) -> np.ndarray:
    """The regions with the ``max_rois`` highest probabilities, from the highest on.

    rois [number_of_ROIs, 4], probabilities [number_of_ROIs] -> [max_rois, 4], of equal ones the first, zeros behind the
    last one. Raises ValueError where shapes do not fit, and for a negative number.
    """
    if rois.shape != (*probabilities.shape[:1], 4) or probabilities.ndim != 1 or max_rois < 0:
        raise ValueError(
            "ExperimentalDetectronTopKROIs-6: rois must be [n, 4], probabilities [n] and max_rois not negative, got "
            f"{list(rois.shape)}, {list(probabilities.shape)} and {max_rois}"
        )
    found = np.zeros((max_rois, 4), rois.dtype)
    best = np.argsort(_levels(probabilities.astype(np.float64)), kind="stable")[:max_rois]
    found[: len(best)] = rois[best]
    return found
