"""Slices of data: start, stop, step and optional axes, which say what is taken, or what is updated.

Slice = slicing("Slice-8", "opset8", T, drawn_limits, examples, shape=[3, 6, 5, 4, 2, 1, 3, 2], axes=[1, 0])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ir_models.declaration import *

MAX32, MIN32, MAX64, MIN64 = 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)

_T_IND = types("T_IND", "any supported integer type")
_T_AXIS = types("T_AXIS", "any supported integer type")

_PARTS = ("start", "stop", "step")


def _drawn(draw: Draw, limits: Callable[[Draw, int], tuple[int, int, int]]) -> Mapping[str, Any]:
    rank = draw.integer(1, 6)
    shape = draw.shape(rank, most=3 if rank > 4 else 5)
    named: list[int] | None = None
    if draw.boolean():
        axes = draw.subset(range(rank))
        named = [axis - draw.choice([0, rank]) for axis in axes]
    else:
        axes = list(range(draw.integer(0, rank)))
    drawn = [limits(draw, shape[axis]) for axis in axes]
    parts = {part: [each[i] for each in drawn] for i, part in enumerate(_PARTS)}
    return {"data": shape, **parts, "axes": named}


def slicing(
    name: str,
    opset: str,
    data: TypeSet,
    limits: Callable[[Draw, int], tuple[int, int, int]],
    examples: Sequence[Example],
    *,
    shape: Sequence[int],
    axes: Sequence[int],
    broken_updates: Sequence[str] = (),
) -> Operation:
    """A slice of ``data``; with ``broken_updates``, a copy of data where ``updates`` replace the slice.

    ``limits`` draws start, stop and step of a dimension. ``shape`` is that of data in the plain layer of the highest
    rank, ``axes`` are those in the plain layers of rank 2 and 3. A layer may leave out updates: they have the shape of
    the slice. ``broken_updates``: updates of the plain layer that have not.
    """
    updates = bool(broken_updates)
    operation = Operation(
        name,
        opset,
        inputs=[
            Input("data", data, at_least(1)),
            *([Input("updates", data)] if updates else []),
            *(Index(part, _T_IND) for part in _PARTS),
            Index("axes", _T_AXIS, optional=True, axis_of="data", distinct=True),
        ],
        outputs=[Output("output", data)],
        examples=examples,
        rules=[*_RULES, *([_updates_rule(broken_updates)] if updates else [])],
        violations=["axes=4,1", "axes=-5,1", "axes=1,1", "axes=1,-3"],
        variants=variants(_VARIANTS.format("" if updates else " (may be empty)")),
    )

    @operation.plain
    def plain(rank: int = 4) -> Mapping[str, Any]:
        """Without axes start, stop and step are for other dimensions."""
        if rank == 1:
            return {"data": [7], "start": [1], "stop": [6], "step": [2], "axes": [0]}
        given = {"start": [1, 0], "stop": [3, 5], "step": [1, 2]}
        return {"data": shape[:rank], **given, "axes": axes if rank < 4 else [3, 1]}

    operation.random(lambda draw: _drawn(draw, limits))

    if updates:
        operation.adapt(lambda layer: {"updates": layer.data.element_type[slice_shape(layer)]})
    return operation


def slice_shape(layer: Layer) -> tuple[int, ...]:
    """The shape of the slice. Raises ValueError where there is none."""
    axes = list(range(layer.start.size)) if layer.axes is None else axes_of(layer, "axes")
    limits = zip(layer.start.value, layer.stop.value, layer.step.value, strict=True)
    by_axis = dict(zip(axes, limits, strict=True))
    if len(by_axis) < len(axes) or not by_axis.keys() <= set(range(layer.data.rank)):
        raise ValueError("an axis is there twice, or not one of data")
    # range knows Python's slices.
    sizes = enumerate(layer.data.shape)
    return tuple(len(range(n)[slice(*by_axis.get(axis, (None,)))]) for axis, n in sizes)


def _lengths_agree(layer: Layer) -> bool:
    inputs = (layer.start, layer.stop, layer.step, layer.axes)
    return len({t.shape for t in inputs if t is not None}) == 1


_RULES = [
    rule(
        "start, stop, step and axes have as many elements",
        _lengths_agree,
        ["start=1,0,0", "stop=3", "step=1,2,1", "axes=3,1,0", "axes=1", "axes=3"],
    ),
    rule("step is not 0", lambda layer: 0 not in layer.step.value, ["step=1,0", "step=0,2"]),
    rule(
        "without axes there are at most as many numbers as data has dimensions",
        lambda layer: layer.axes is not None or layer.start.size <= layer.data.rank,
        "axes=-; start=0,0,0,0,0; stop=2,2,2,2,2; step=1,1,1,1,1",
    ),
]


def _updates_rule(broken: Sequence[str]) -> Rule:
    return rule(
        "updates have the shape of the slice",
        lambda layer: layer.updates.shape == slice_shape(layer),
        [f"updates={shape}" for shape in broken],
    )


_VARIANTS = f"""
    one-axis: any axis
        start=1; stop=3; step=1; axes=0|1|2|3
    all-axes: axes in any order, and all without axes
        start=1,0,3,2; stop=4,5,6,3; step=1,2,1,1|1,3,1,1; axes=3,2,1,0
        start=1,3,0,1; stop=3,6,5,3; step=1,1,2,1; axes=-
    empty-axes: nothing is cut
        start=; stop=; step=; axes=|-
    negative-axis: a negative axis counts from the end
        axes=-1,-3|3,-3|-2,0
    negative-indices: start and stop count from the end
        start=-3,2|-3,-6
        stop=-1,-2|-1,-1
        start=-3,-5; stop=-1,-1
    negative-step: backwards, also along one of two axes
        start=3,5; stop=0,1|1,0; step=-1,-2
        start=-1,-2; stop=-4,-6; step=-2,-1|-2,-2
        start=3,6; stop=-5,-8; step=-1,-1
        start=3,5; stop=-5,-7; step=-1,-1
        start=3,0; stop=1,6; step=-1,4|-1,2
    clamped: start and stop beyond the dimension
        start=-100,2|-100,0; stop=100,7
        start=-5,-8; stop=5,8
        start=100,7; stop=-100,-8; step=-1,-2
        start=4,8; stop=-5,-9; step=-3,-4
    int-max: the page's way to say to the end
        start=1,0|2,1; stop={MAX64},{MAX64}|{MAX32},{MAX32}
        start=3,5|1,5; stop={MIN64},{MIN64}|{MIN32},{MIN32}; step=-1,-2
        start={MAX64},{MAX32}; stop=0,1; step=-1,-1
        start={MIN64},{MIN32}; stop=3,4
    step-beyond-dimension: one element remains
        step=100,7|{MAX64},{MAX32}
        start=3,5; stop=0,0; step=-100,-7|-{MAX64},-{MAX32}|-{MAX64},-7|-1,{MIN32}|{MIN64},-1
    empty-slice{{}}: a slice may have no element
        start=2,1; stop=2,4|2,6
        start=3,1; stop=1,4|1,6
        start=1,5; stop=3,6; step=1,-1
        start=100,1; stop=200,4
        start=3,-8; stop=0,-9; step=-1,-1|-2,-1
"""
