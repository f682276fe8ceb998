"""FakeConvert: the nearest numbers of an 8-bit floating-point type (page FakeConvert-13)."""

import ml_dtypes
import numpy as np

from ir_models.declaration import *
from ir_models.families.elementwise import TAILS, broadcastable, repeats_to, tails

T_F = types("T_F", "FP16, BF16, FP32")
DESTINATIONS = {"f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}
BOTH = "destination_type=f8e4m3|f8e5m2"
AS_IT_IS = "scale=f32:[1.0]; shift=-"
# As many as the numbers of either type, the halves between two of them and what is beside the halves, or more.
SWEEP = 1024


def numbers_of(destination):
    """Its finite numbers in their order."""
    codes = np.arange(256, dtype=np.uint8).view(DESTINATIONS[destination]).astype(np.float64)
    return np.unique(codes[np.isfinite(codes)])


def every(destination, kind):
    """All numbers of the destination, halves between two of them, and the numbers of a type beside these."""
    found = numbers_of(destination)
    halves, beside = (found[1:] + found[:-1]) / 2, 2 * float(ml_dtypes.finfo(kind.dtype).eps)
    found = np.concatenate([found, halves, halves * (1 - beside), halves * (1 + beside)])
    return np.resize(found, SWEEP)


def near(destination, shape, state):
    """Normal numbers of the destination, and what is near enough to them that rounding errors do not matter."""
    found = numbers_of(destination)
    size = np.abs(found)
    found = found[(size >= 2.0**-6) & (size <= 400)]
    return state.choice(found, shape) * (1 + state.uniform(-0.02, 0.02, shape))


def data(layer, kind):
    """What scale and shift bring to numbers of the destination: to all of them, where data has room for them."""

    def drawn(_, state):
        destination, shape = layer.destination_type, layer.data.shape
        is_swept = shape == (SWEEP,) and layer.scale.value is not None
        wanted = every(destination, kind) if is_swept else near(destination, shape, state)
        return (wanted + values_of(layer, "shift", shifts)) / values_of(layer, "scale", scales)

    is_valid = layer.destination_type in DESTINATIONS and layer.scale.element_type in T_F
    return drawn if is_valid else None


def values_of(layer, name, draw):
    """What an input holds, which is the same in every case of its shape."""
    given = layer.inputs[name]
    if given is None:
        return 0.0
    found = draw(layer, None) if given.value is None else np.array(given.value)
    return found.astype(given.element_type.dtype).astype(np.float64)


def scales(layer, state):
    """Factors of both signs, none of them near 0."""
    state = np.random.RandomState(layer.scale.size)
    signs = state.choice([-1.0, 1.0], layer.scale.shape)
    return signs * state.uniform(0.25, 4.0, layer.scale.shape)


def shifts(layer, state):
    return np.random.RandomState(layer.shift.size + 1).uniform(-2.0, 2.0, layer.shift.shape)


def swept(kind, scale, shift=None):
    """A layer that asks every number of a destination."""
    given = "-" if shift is None else f"{kind}:[{shift}]"
    return f"data={kind}[{SWEEP}]; scale={kind}:[{scale}]; shift={given}; {BOTH}"


def has_shape_of_scale(layer):
    return layer.shift is None or layer.shift.shape == layer.scale.shape


FakeConvert = Operation(
    "FakeConvert-13",
    "opset13",
    inputs=[
        Input("data", T_F, values=Within(data)),
        Input("scale", T_F, values=scales),
        Input("shift", T_F, optional=True, values=shifts),
    ],
    outputs=[Output("output", T_F)],
    attributes=[Attribute("destination_type", tuple(DESTINATIONS), required=True)],
    examples=examples("""
        data=f32[1,64,56,56]; scale=f32[1,64,1,1]; shift=f32[1,64,1,1]; destination_type=f8e4m3 -> [1,64,56,56]
    """),
    rules=[
        rule(
            "scale broadcasts to the shape of data",
            lambda layer: repeats_to(layer.scale, layer.data),
            [
                "scale=[1,4,1,1]; shift=[1,4,1,1]",
                "scale=[2,2,3,5,4]; shift=[2,2,3,5,4]",
                "scale=[3,1,2]; shift=-",
                "data=[2,1,5,4]",
            ],
        ),
        rule(
            "shift has the shape of scale",
            has_shape_of_scale,
            "shift=[1]|[]|[2,1,1,1]|[2,3,5,4]|[1,3,1,4]|[3,1,1]",
        ),
    ],
    variants=[
        tails(
            *(f"data=[{length}]; scale=[1]; shift=[1]; {BOTH}" for length in TAILS),
            *(f"data=[{length}]; scale=[{length}]; shift=[{length}]" for length in TAILS[1:]),
        ),
        *variants(f"""
            scale-shapes: for all elements, for each channel, for each element
                scale=[]; shift=[]|-
                scale=[1]; shift=[1]|-
                scale=[1,1,1,1]; shift=[1,1,1,1]|-
                scale=[3,1,1]; shift=[3,1,1]|-
                scale=[4]; shift=[4]|-
                scale=[5,1]; shift=[5,1]|-
                scale=[2,1,1,4]; shift=[2,1,1,4]|-
                scale=[2,3,5,4]; shift=[2,3,5,4]|-
                data=[4]; scale=[1]|[4]; shift=-
                data=[]; scale=[]; shift=[]
            every-number: every number of the type, the halves between two of them, and what is beside these
                {swept("f32", 1.0)}
                {swept("f16", 1.0)}
                {swept("bf16", 1.0)}
            every-number-scaled: they are met by way of any scale and shift
                {swept("f32", 1.0, 0.0)}
                {swept("f32", 0.5, 0.25)}
                {swept("f32", -4.0, -0.75)}
                {swept("f32", 3.0, 2.5)}
                {swept("f32", 0.007)}
                {swept("f32", 1.0, 100.0)}
                {swept("f16", -2.0)}
                {swept("bf16", 0.25, 1.0)}
            least: numbers below the least one of the type become it, or zero
                data=f32:[0.0009,0.00098,0.0019,0.0021,-0.00098,-0.0009]; {AS_IT_IS}; destination_type=f8e4m3
                data=f32:[7e-6,8e-6,1.5e-5,1.6e-5,-8e-6,-7e-6]; {AS_IT_IS}; destination_type=f8e5m2
            shift: it is subtracted before, and added after
                data=f32:[5.0,-3.0,0.0,1.0]; scale=f32:[2.0]; shift=f32:[9.5]|f32:[-9.5]|f32:[0.0]; {BOTH}
            not-finite: NaN stays; numbers beyond the largest, and infinities
                data=f32:[nan,1.0,-2.0,3.0]|f32:[449.0,-500.0,1e30,1.0]|f32:[inf,-inf,1.0,2.0]; {AS_IT_IS}; {BOTH}
                data=f32:[57345.0,-60000.0,65504.0,1.0]; {AS_IT_IS}; {BOTH}
        """),
    ],
    readings=[
        Reading(
            "'Convert(data, destination_type)' of a number that the type does not have",
            "The nearest one; of two that are as near, either. Numbers so near to a half that the errors of the "
            "multiplication and the subtraction decide become either, too.",
            "It is how the page on Convert is read; no page says how to round.",
            "silence",
            admits="The other neighbour.",
        ),
        Reading(
            "'Convert(data, destination_type)' of numbers beyond the largest of the type, and of infinities",
            "They are not judged.",
            "The page does not choose between the largest number, which is that of the nearest, NaN and infinity.",
            "silence",
        ),
        Reading(
            "a scale of 0",
            "It is not tested.",
            "The last step divides by it.",
            "silence",
        ),
    ],
)


@FakeConvert.plain
def plain(rank=4):
    """A scale for each channel."""
    each = [1, 3, 1, 1, 1, 1, 1, 1][:rank]
    shape = [2, 3, 5, 4, 1, 2, 3, 1][:rank]
    return {"data": shape, "scale": each, "shift": each, "destination_type": "f8e4m3"}


@FakeConvert.random
def layer(draw):
    rank = draw.integer(0, 6)
    shape = draw.shape(rank, most=5 if rank < 5 else 3)
    kept = shape[draw.integer(0, rank) :] if draw.boolean() else shape
    scale = [1 if draw.boolean() else size for size in kept]
    return {
        "data": shape,
        "scale": scale,
        "shift": draw.choice([scale, None]),
        "destination_type": draw.choice([*DESTINATIONS]),
    }


@FakeConvert.adapt
def smallest(layer):
    """Sizes that broadcast, and a shift that has the shape of scale."""
    if layer.shift is None:
        return broadcastable(layer, ("data", "scale"))
    found = broadcastable(layer, ("data", "scale", "shift"))
    return {**found, "shift": layer.shift.with_shape(*found["scale"].shape)}
