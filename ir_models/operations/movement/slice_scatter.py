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
    examples("""
        data=f32:[[0,1,2,3,4],[5,6,7,8,9]]; updates=f32:[[10,20,30,40,50]];
            start=i32:0; stop=i32:1; step=i32:1; axes=i32:0
            -> [2,5] = [[10,20,30,40,50],[5,6,7,8,9]]
        data=f32:[[0,1,2,3,4],[5,6,7,8,9]]; updates=f32:[[10,20,30],[40,50,60]];
            start=i32:-25; stop=i32:25; step=i32:2; axes=i32:1
            -> [2,5] = [[10,1,20,3,30],[40,6,50,8,60]]
        data=f32:[[0,1,2,3,4],[5,6,7,8,9],[10,11,12,13,14]]; updates=f32:[[50,60],[70,80]];
            start=i32:0,1; stop=i32:3,5; step=i32:2,2
            -> [3,5] = [[0,50,2,60,4],[5,6,7,8,9],[10,70,12,80,14]]
            erratum: the ports of start, stop and step print 1 element, their comments list two
    """),
    shape=[7, 6, 5, 4, 2, 1, 2, 1],
    axes=[0, 1],
    # The last three would broadcast.
    broken_updates=["[7,3,5,3]", "[7,2,5,2]", "[2,3,5,2]", "[1,3,5,2]", "[3,5,2]", "[]"],
)
