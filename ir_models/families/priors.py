"""Prior boxes: what their two operations share, inputs, variances and readings."""

from __future__ import annotations

from collections.abc import Callable

from ir_models.declaration import Attribute, Index, Output, Reading, Rule, rule, types
from ir_models.vocabulary.element_types import f32
from ir_models.vocabulary.page import AnyLayer

T_INT = types("T_INT", "any supported integer type")

SIZES = [
    Index("output_size", T_INT, shape="2", least=1),
    Index("image_size", T_INT, shape="2", least=1),
]
OUTPUT = Output("output", lambda layer: f32)
VARIANCE = Attribute("variance", list[float], default=())


def positive(names: str, broken: str) -> Rule:
    """Whether all numbers of attributes that hold lists are positive; ``broken`` is a list where one is not."""

    def holds(layer: AnyLayer) -> bool:
        return all(number > 0 for name in names.split() for number in getattr(layer, name))

    changes = [f"{name}={broken}" for name in names.split()]
    return rule(f"{', '.join(names.split())}: all positive", holds, changes)


def not_negative(names: str) -> Rule:
    """Whether these numbers are not negative."""

    def holds(layer: AnyLayer) -> bool:
        return all((getattr(layer, name) or 0) >= 0 for name in names.split())

    return rule(
        f"{', '.join(names.split())}: not negative",
        holds,
        [f"{name}=-0.5" for name in names.split()],
    )


def variances() -> Rule:
    """Whether there are 0, 1 or 4 positive variances."""
    holds: Callable[[AnyLayer], bool] = lambda layer: (  # noqa: E731 - its type is said here
        len(layer.variance) in (0, 1, 4) and all(each > 0 for each in layer.variance)
    )
    return rule(
        "variance has 0, 1 or 4 elements, all positive",
        holds,
        ["variance=0.5,0.25", "variance=0.5,0.25,0.125", "variance=0.5,-0.25,0.125,1.0"],
    )


READINGS = [
    Reading(
        "'2D tensor of shape [2, ...] with box coordinates'",
        "The first row has the coordinates, the second one the variances, those of a box again for every box; one "
        "variance is that of all four coordinates. Without any the second row has any numbers.",
        "The page names variances and does not say where they go; there is one row too many.",
        "silence",
    ),
    Reading(
        "the order of boxes",
        "Row by row of the grid, the boxes of a point side by side.",
        "The order of dimensions in '4 * height * width * priors_per_point', the last ones first.",
        "silence",
    ),
    Reading(
        "T_OUT: 'supported floating-point type'",
        "f32.",
        "No attribute chooses it.",
        "silence",
    ),
]
