"""Rules that operations with a moving window share: convolutions and poolings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

from ir_models.declaration import Attribute, Changes, Operation
from ir_models.operation import Layer

AUTO_PAD = Attribute(
    "auto_pad", ("explicit", "same_upper", "same_lower", "valid"), default="explicit"
)
ROUNDING_TYPE = Attribute("rounding_type", ("floor", "ceil", "ceil_torch"), default="floor")


def dilations(layer: Layer) -> Sequence[int]:
    """The layer's dilations; 1 along each axis where it has none."""
    given = layer.attributes.get("dilations")
    return [1] * (layer.data.rank - 2) if given is None else given


def places(layer: Layer, window: Sequence[int]) -> list[tuple[int, int, int, int, int]]:
    """(size, extent of the window, stride, padding at begin, at end) for each spatial axis."""
    found = []
    for size, count, stride, dilation, begin, end in zip(
        layer.data.shape[2:],
        window,
        layer.strides,
        dilations(layer),
        layer.pads_begin,
        layer.pads_end,
        strict=True,
    ):
        extent = (count - 1) * dilation + 1
        if layer.auto_pad == "valid":
            begin = end = 0
        elif layer.auto_pad in ("same_upper", "same_lower"):
            total = max((-(-size // stride) - 1) * stride + extent - size, 0)
            less, more = total // 2, -(-total // 2)
            begin, end = (less, more) if layer.auto_pad == "same_upper" else (more, less)
        found.append((size, extent, stride, begin, end))
    return found


def window_rules(
    operation: Operation,
    window: Callable[[Layer], Sequence[int]],
    too_large: Iterable[Changes],
    empty: Iterable[Changes] = (),
    positive: bool = False,
) -> None:
    """Declare the rules of an operation whose plain layer has two spatial axes.

    ``window`` gives the spatial size of a layer's window, ``too_large`` changes to the plain layer that make it larger
    than the padded data; ``empty`` makes it empty, where the page forbids that. ``positive``: the page wants positive
    strides and dilations; the pages that begin them at 0 do not say what that means, so that it is never asked.
    """
    names = [a.name for a in operation.attributes if a.type is list]
    steps = [name for name in names if name in ("strides", "dilations")]
    pads = ("pads_begin", "pads_end")

    @operation.rule(
        f"{', '.join(names)} have one value for each spatial axis",
        broken=[{name: [1] * count} for name in names for count in (1, 3)],
    )
    def lengths(layer: Layer) -> bool:
        given = [layer.attributes[name] for name in names if name in layer.attributes]
        return all(len(values) == layer.data.rank - 2 for values in given)

    @operation.rule(
        f"{' and '.join(steps)} are positive",
        broken=[{name: values} for name in steps for values in ([0, 1], [1, 0])]
        if positive
        else (),
    )
    def positive_steps(layer: Layer) -> bool:
        return all(min(layer.attributes.get(name, [1])) > 0 for name in steps)

    @operation.rule(
        "pads_begin and pads_end are not negative",
        broken=[{name: values} for name in pads for values in ([-1, 1], [1, -1])],
    )
    def pads_not_negative(layer: Layer) -> bool:
        return min([*layer.pads_begin, *layer.pads_end]) >= 0

    @operation.rule("the window fits into the padded data", broken=too_large)
    def fits(layer: Layer) -> bool:
        return all(
            begin + size + end >= extent
            for size, extent, _, begin, end in places(layer, window(layer))
        )

    @operation.rule("the window is not empty", broken=empty)
    def not_empty(layer: Layer) -> bool:
        return prod(max(size, 0) for size in window(layer)) > 0


def hold_data(layer: Layer, window: Sequence[int]) -> bool:
    """Whether every window holds an element of data, and not padding alone; so too where there is no right window."""
    return all(
        _along(axis, steps, dilation, layer.rounding_type)
        for axis, steps, dilation in zip(
            places(layer, window), window, dilations(layer), strict=True
        )
    )


def _along(
    axis: tuple[int, int, int, int, int], steps: int, dilation: int, rounding_type: str
) -> bool:
    """Whether the windows of ``steps`` elements hold data along one axis."""
    size, extent, stride, begin, end = axis
    room = begin + size + end - extent
    if steps < 1 or room < 0:
        return True
    last = room // stride
    if rounding_type != "floor":
        last = -(-room // stride)
        if rounding_type == "ceil_torch" and last * stride >= begin + size:
            last -= 1
    return all(
        any(0 <= place * stride + step * dilation - begin < size for step in range(steps))
        for place in range(last + 1)
    )
