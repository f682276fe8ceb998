"""SparseFillEmptyRows: a default value in each row of a sparse tensor that has none (page SparseFillEmptyRows-16)."""

import numpy as np

from ir_models.declaration import *
from ir_models.vocabulary.element_types import boolean

T = types("T", "any numeric type")
T_IDX = types("T_IDX", "int32 or int64")


def sizes(layer):
    """The numbers of rows and columns of the dense tensor."""
    return layer.dense_shape.value if layer.dense_shape.shape == (2,) else (0, 0)


def some_rows(layer, state):
    """Different places in row-major order, in as few rows as hold them, one of two at least."""
    rows, columns = sizes(layer)
    count, columns = layer.indices.shape[0], min(columns, 1000)
    used = min(rows, max(-(-count // max(columns, 1)), -(-rows // 2)))
    chosen = np.sort(state.permutation(rows)[:used])
    places = np.sort(state.permutation(used * columns)[:count])
    return np.stack([chosen[places // max(columns, 1)], places % max(columns, 1)], -1)


def stated(layer):
    """The stated indices, row by row."""
    return layer.indices.value or ()


def inside(layer):
    rows, columns = sizes(layer)
    return all(row < rows and column < columns for row, column in stated(layer))


CORNERS = "dense_shape=3,3; indices=i64:[[0,0],[2,2]]"
SYMBOLS = "values=f32:[7.5,-3.0,0.25,11.0]; default_value=f32:-42.0"
SparseFillEmptyRows = Operation(
    "SparseFillEmptyRows-16",
    "opset16",
    inputs=[
        Input("values", T, shape="M"),
        Index("dense_shape", T_IDX, shape="2"),
        Input("indices", T_IDX, shape="M, 2", values=some_rows),
        Input("default_value", T, exactly(0)),
    ],
    outputs=[
        Output("output_indices", T_IDX),
        Output("output_values", T),
        Output("empty_row_indicator", lambda layer: boolean),
    ],
    examples=[
        example(
            "values=f32:[1,3]; dense_shape=i32:3,3; indices=i32:[[0,0],[2,2]]; default_value=f32:42",
            output=[[3, 2], [3], [3]],
            values=[[[0, 0], [1, 0], [2, 2]], [1, 42, 3], [False, True, False]],
        ),
    ],
    rules=[
        rule(
            "indices are not negative",
            lambda layer: all(number >= 0 for row in stated(layer) for number in row),
            "indices=i64:[[0,1],[0,-1],[2,0],[3,1],[3,2],[6,0]]|i64:[[-1,1],[0,1],[2,0],[3,1],[3,2],[6,0]]",
        ),
        rule(
            "indices are positions in the dense tensor",
            inside,
            [
                "indices=i64:[[0,1],[0,2],[2,0],[3,1],[3,2],[7,0]]",
                "indices=i64:[[0,1],[0,5],[2,0],[3,1],[3,2],[6,0]]",
            ],
        ),
        rule(
            "indices differ, and are no more than there are places",
            lambda layer: (
                len(set(stated(layer))) == len(stated(layer))
                and layer.indices.shape[0] <= np.prod(sizes(layer))
            ),
            unasked="the page does not say what several values at one place are",
        ),
        rule(
            "dense_shape has rows and columns that are not negative",
            lambda layer: all(size >= 0 for size in sizes(layer)),
            "dense_shape=-7,5; indices=[0,2]; values=[0]",
        ),
        rule(
            "an empty row has a column 0 to fill",
            lambda layer: sizes(layer)[1] != 0 or sizes(layer)[0] == 0,
            unasked="the page does not say what a tensor without columns becomes",
        ),
    ],
    variants=variants(f"""
        listed: the page's first example, with numbers for its letters
            {SYMBOLS}; dense_shape=5,6; indices=i64:[[0,1],[0,3],[2,0],[3,1]]
        column-0: a row that has a value elsewhere than in column 0 is not empty, nor one with a value of 0
            values=f32:[0.0,5.0]; default_value=f32:2.5; dense_shape=3,4; indices=i64:[[0,0],[2,3]]
            values=f32:[0.0,5.0]; default_value=f32:0.0; dense_shape=3,4; indices=i64:[[0,3],[1,0]]
        empty-rows: the first, the last, several side by side, none, all but one
            {SYMBOLS}; dense_shape=5,6; indices=i64:[[1,1],[2,3],[3,0],[4,5]]|i64:[[0,1],[1,3],[2,0],[3,1]]
            {SYMBOLS}; dense_shape=4,2; indices=i64:[[0,1],[1,0],[2,0],[3,1]]|i64:[[0,0],[0,1],[3,0],[3,1]]
            {SYMBOLS}; dense_shape=6,7; indices=i64:[[3,0],[3,2],[3,4],[3,6]]|i64:[[5,0],[5,2],[5,4],[5,6]]
        no-values: all rows are empty
            values=[0]; indices=[0,2]; dense_shape=1,1|4,3
        no-rows (may be empty): nothing is there, nothing is filled
            values=[0]; indices=[0,2]; dense_shape=0,0|0,5
        full: a tensor of which every place has a value
            values=[12]; indices=[12,2]; dense_shape=4,3|1,12|12,1
        order: the output is in row-major order, in whatever order the values came
            {SYMBOLS}; dense_shape=5,6; indices=i64:[[3,1],[0,3],[2,0],[0,1]]
            {SYMBOLS}; dense_shape=5,6; indices=i64:[[0,3],[0,1],[2,0],[3,1]]
            {SYMBOLS}; dense_shape=i32:4,2; indices=i32:[[3,1],[2,0],[1,0],[0,1]]
        one-row: of one row, and of one column
            {SYMBOLS}; dense_shape=1,9; indices=i64:[[0,1],[0,3],[0,6],[0,8]]
            {SYMBOLS}; dense_shape=9,1; indices=i64:[[1,0],[3,0],[4,0],[7,0]]
        large: many rows, and columns that no 32-bit number counts
            values=[300]; indices=[300,2]; dense_shape=500,40
            {SYMBOLS}; dense_shape=3,9007199254740995; indices=i64:[[0,1],[0,4294967301],[2,0],[2,9007199254740993]]
        exact: values that no shorter type holds
            values=i64:[9007199254740993,-9223372036854775808]; default_value=i64:9007199254740993; {CORNERS}
            values=f64:[1.0000000000000002,-0.0]; default_value=f64:-0.0; {CORNERS}
            values=u8:[255,128]; default_value=u8:254; {CORNERS}
    """),
    readings=[
        Reading(
            "values that are not in row-major order",
            "They are valid, and the output has them in that order.",
            "The page says that of the output alone.",
            "silence",
        ),
        Reading(
            "'the positions at which values are placed in the sparse tensor', outside dense_shape",
            "Invalid.",
            "The dense tensor has no such position.",
            "silence",
        ),
        Reading(
            "several values at one position",
            "They are not tested.",
            "The page does not say which of them counts, nor in which order they come.",
            "silence",
        ),
        Reading(
            "'adds an entry at index [row, 0]' of a tensor without columns",
            "It is not tested.",
            "There is no column 0.",
            "silence",
        ),
    ],
)


@SparseFillEmptyRows.plain
def plain():
    return "values=[6]; dense_shape=7,5; indices=[6,2]; default_value=[]"


@SparseFillEmptyRows.random
def layer(draw):
    rows, columns = draw.integer(1, 9), draw.integer(1, 7)
    count = draw.integer(0, min(rows * columns, 12))
    return {
        "values": [count],
        "dense_shape": [rows, columns],
        "indices": [count, 2],
        "default_value": [],
    }


@SparseFillEmptyRows.adapt
def room(layer):
    """A row more for each value, so that some are empty."""
    return {"dense_shape": [layer.values.size + 1, sizes(layer)[1]]}
