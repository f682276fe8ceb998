"""FakeQuantize: the nearest of some evenly spaced levels (page FakeQuantize-1)."""

from ir_models.declaration import Attribute, Input, Interval, Operation, Output, example
from ir_models.element_types import FLOATS, f32, types

T_F = types("T_F", FLOATS)

_BROADCASTS = ("none", "numpy", "pdpd")
_LIMITS = ("input_low", "input_high", "output_low", "output_high")


def _between(name, low, high):
    """Limits within an interval also where purposes give special values to X."""

    def values(layer, state):
        return state.uniform(low, high, layer.inputs[name].shape)

    return Input(name, T_F, values=values)


def _limits(*shapes):
    return dict(zip(_LIMITS, shapes, strict=True))


_X = [-3.0, -1.0, -0.75, -0.5, -0.25, 0.0, 0.125, 0.5, 0.75, 1.0, 1.5, 4.0]


def _stated(levels, *limits):
    return {"X": f32.tensor(_X), "levels": levels, **_limits(*map(f32.tensor, limits))}


FakeQuantize = Operation(
    "FakeQuantize-1",
    opset="opset1",
    inputs=[
        Input("X", T_F, values=Interval(-6.0, 6.0)),
        _between("input_low", -5.0, -2.0),
        _between("input_high", 2.0, 5.0),
        _between("output_low", -4.0, -1.0),
        _between("output_high", 1.0, 8.0),
    ],
    outputs=[Output("output", T_F)],
    attributes=[
        Attribute("levels", int, required=True, least=2),
        Attribute("auto_broadcast", _BROADCASTS, default="numpy"),
    ],
    examples=[
        example(
            X=f32[1, 64, 56, 56],
            **_limits(f32[1, 64, 1, 1], f32[1, 64, 1, 1], f32[1, 1, 1, 1], f32[1, 1, 1, 1]),
            levels=2,
            output=[1, 64, 56, 56],
            ports=[0, 1, 2, 3, 4, 5],
        )
    ],
    variants={
        "levels": [{"levels": levels} for levels in (2, 3, 4, 15, 16, 255, 256, 257, 65536)],
        "limits-shapes": [
            _limits(*shapes)
            for shapes in (
                ([], [], [], []),
                ([1], [1], [1], [1]),
                ([1, 3, 1, 1],) * 4,
                ([3, 1, 1],) * 4,
                ([4],) * 4,
                ([2, 3, 5, 4],) * 4,
                ([5, 1], [4], [2, 1, 1, 1], [3, 1, 4]),
                ([], [1, 3, 1, 1], [1], [2, 1, 1, 4]),
                ([1, 1, 1, 1], [1, 1, 1, 1], [1, 3, 1, 1], [1, 3, 1, 1]),
            )
        ],
        "equal-shapes": [
            {**_limits(*([2, 3, 5, 4],) * 4), "auto_broadcast": mode} for mode in _BROADCASTS
        ],
        "broadcast-pdpd": [
            {**_limits(*shapes), "auto_broadcast": "pdpd"}
            for shapes in (
                ([], [], [], []),
                ([5, 4],) * 4,
                ([4], [5, 4], [3, 5, 4], [2, 3, 5, 4]),
                ([1, 3, 1, 1],) * 4,
            )
        ],
        # On the ends of the input range, on levels, on halves between two of them, outside.
        "on-levels": [_stated(levels, -1.0, 1.0, -2.0, 6.0) for levels in (2, 3, 5, 9)],
        # One limit for low and high, as the page allows.
        "binarization": [
            _stated(levels, low, low, -1.0, 1.0) for levels in (2, 256) for low in (0.0, 0.5)
        ],
        "output-range-reversed": [_stated(5, -1.0, 1.0, 3.0, -3.0)],
        "input-range-reversed": [_stated(5, 1.0, -1.0, -2.0, 6.0)],
        "ranges-beside-zero": [
            _stated(5, 0.0, 1.0, 0.0, 1.0),
            _stated(5, 0.25, 1.5, 2.0, 3.0),
            _stated(255, -3.0, -0.5, -1.0, -0.5),
        ],
    },
)


@FakeQuantize.plain
def plain(rank=4):
    """A limit for each channel or for all elements."""
    shape = [2, 3, 5, 4, 1, 2, 3, 1][:rank]
    each = [1, 3, 1, 1, 1, 1, 1, 1][:rank]
    one = [1] * rank
    return {"X": shape, **_limits(each, each, one, each), "levels": 16, "auto_broadcast": "numpy"}


@FakeQuantize.random
def layer(draw):
    rank = draw.integer(0, 6)
    shape = draw.shape(rank, most=5 if rank < 5 else 3)
    mode = draw.choice([*_BROADCASTS, "numpy", None])

    def limit():
        if mode == "none":
            return shape
        if mode == "pdpd":
            return shape[draw.integer(0, rank) :]
        kept = shape[draw.integer(0, rank) :] if draw.boolean() else shape
        return [1 if draw.boolean() else size for size in kept]

    return {
        "X": shape,
        **_limits(limit(), limit(), limit(), limit()),
        "levels": draw.choice([2, 3, 5, 15, 16, 255, 256, draw.integer(2, 300)]),
        "auto_broadcast": mode,
    }


def _shapes(layer):
    return [layer.inputs[name].shape for name in _LIMITS]


@FakeQuantize.rule(
    "with auto_broadcast none, all inputs have one shape", broken={"auto_broadcast": "none"}
)
def alike(layer):
    return layer.auto_broadcast != "none" or set(_shapes(layer)) == {layer.X.shape}


def _aligned(layer):
    """(dimension of a limit, that of X) from the right; None for a limit with more dimensions than X."""
    for shape in _shapes(layer):
        if len(shape) > layer.X.rank:
            yield None
        else:
            yield list(zip(reversed(shape), reversed(layer.X.shape), strict=False))


@FakeQuantize.rule(
    "with auto_broadcast numpy, the limits broadcast to the shape of X",
    broken=[
        {"input_low": [1, 4, 1, 1]},
        {"input_high": [2, 2, 3, 5, 4]},
        {"output_low": [1, 2, 1, 1]},
        {"output_high": [1, 1, 1, 1, 1]},
        {"X": [2, 1, 5, 4]},
    ],
)
def broadcast_to_x(layer):
    return layer.auto_broadcast != "numpy" or all(
        pairs is not None and all(limit in (1, size) for limit, size in pairs)
        for pairs in _aligned(layer)
    )


@FakeQuantize.rule(
    "with auto_broadcast pdpd, the limits are parts of the shape of X, aligned right",
    broken=[
        {**_limits([5, 4], [5, 4], [5, 4], [3, 5]), "auto_broadcast": "pdpd"},
        {**_limits([5, 4], [2, 2, 3, 5, 4], [5, 4], [4]), "auto_broadcast": "pdpd"},
    ],
)
def parts_of_x(layer):
    if layer.auto_broadcast != "pdpd":
        return True
    for shape in _shapes(layer):
        start = layer.X.rank - len(shape)
        kept = len(shape)
        while kept and shape[kept - 1] == 1:
            kept -= 1
        if start < 0 or any(
            n not in (1, layer.X.shape[start + i]) for i, n in enumerate(shape[:kept])
        ):
            return False
    return True
