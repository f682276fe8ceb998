"""SliceScatter: every step-th element from start to stop is updated (page SliceScatter-15)."""

from ir_models.declaration import *
from ir_models.families.slicing import slicing

T = types("T", "any numeric type")


def drawn_limits(draw, size):
    """Any start, stop and step; backwards from before the first element is a variant of its own, empty-slice."""
    step = draw.choice([1, 1, 2, 3, 7, -1, -1, -2, -3, -7])
    start = draw.integer(-size - 2 if step > 0 else -size, size + 2)
    return start, draw.integer(-size - 2, size + 2), step


SliceScatter = slicing(
    "SliceScatter-15",
    "opset15",
    T,
    drawn_limits,
    # The ports of the third say 1 element for start, stop and step, the comments list two.
    examples("""
        data=f32[2,5]; updates=f32[1,5]; start=0; stop=1; step=1; axes=0 -> [2,5]
        data=f32[2,5]; updates=f32[2,3]; start=-25; stop=25; step=2; axes=1 -> [2,5]
        data=f32[3,5]; updates=f32[2,2]; start=0,1; stop=3,5; step=2,2 -> [3,5]
    """),
    shape=[7, 6, 5, 4, 2, 1, 2, 1],
    axes=[0, 1],
    # The last three would broadcast.
    broken_updates=["[7,3,5,3]", "[7,2,5,2]", "[2,3,5,2]", "[1,3,5,2]", "[3,5,2]", "[]"],
)
