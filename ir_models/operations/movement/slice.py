"""Slice: every step-th element from start to stop (page Slice-8)."""

from ir_models.declaration import *
from ir_models.families.slicing import MAX32, slicing

T = types("T", "any arbitrary supported type")


def drawn_limits(draw, size):
    """start, stop and step that leave something of a dimension, in any of the ways to write them."""
    step = draw.choice([1, 1, 2, 3, 7, -1, -1, -2, -3, -7])
    first, last = sorted([draw.integer(0, size - 1), draw.integer(0, size - 1)])
    if step > 0:
        start = draw.choice([first, first - size, *([-size - 3] if first == 0 else [])])
        end = last + 1
        stop = draw.choice([end, size + 3, MAX32] if end == size else [end, end - size])
    else:
        start = draw.choice([last, last - size, *([size + 3] if last == size - 1 else [])])
        end = first - 1
        stop = draw.choice([-size - 1, -size - 4] if end < 0 else [end, end - size])
    return start, stop, step


Slice = slicing(
    "Slice-8",
    "opset8",
    T,
    drawn_limits,
    # The ports of the eleventh say 2 elements, the comments list three.
    examples("""
        data=f32[10]; start=1; stop=8; step=1; axes=0 -> [7]
        data=f32[10]; start=1; stop=8; step=1 -> [7]
        data=f32[10]; start=1; stop=8; step=2; axes=0 -> [4]
        data=f32[10]; start=-100; stop=100; step=1; axes=0 -> [10]
        data=f32[10]; start=9; stop=-11; step=-1; axes=0 -> [10]
        data=f32[10]; start=9; stop=0; step=-1; axes=0 -> [9]
        data=f32[10]; start=9; stop=-10; step=-1; axes=0 -> [9]
        data=f32[10]; start=9; stop=-11; step=-2; axes=0 -> [5]
        data=f32[10]; start=100; stop=-100; step=-1; axes=0 -> [10]
        data=f32[2,5]; start=0,1; stop=2,4; step=1,2; axes=0,1 -> [2,2]
        data=f32[20,10,5]; start=0,0,0; stop=4,10,5; step=1,1,1; axes=0,1,2 -> [4,10,5]
        data=f32[20,10,5]; start=0,0; stop=4,10; step=1,1; axes=0,1 -> [4,10,5]
    """),
    shape=[3, 6, 5, 4, 2, 1, 3, 2],
    axes=[1, 0],
)
