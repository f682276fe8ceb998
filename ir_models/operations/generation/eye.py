"""Eye: matrices with ones on one diagonal (page Eye-9)."""

from ir_models.declaration import *
from ir_models.vocabulary.element_types import ElementType, f32

T_NUM = types("T_NUM", "int32 or int64")
T_OUT = types("output_type", "any numeric type")


def size(name, least=None):
    return Index(name, T_NUM, shape="scalar or 1", least=least)


Eye = Operation(
    "Eye-9",
    "opset9",
    inputs=[
        size("num_rows", 0),
        size("num_columns", 0),
        size("diagonal_index"),
        Index("batch_shape", T_NUM, optional=True, least=0),
    ],
    outputs=[
        Output(
            "output", lambda layer: next((t for t in T_OUT.types if t == layer.output_type), f32)
        )
    ],
    attributes=[Attribute("output_type", ElementType, required=True, types=T_OUT)],
    examples=[
        example(
            "num_rows=i32:5; num_columns=i32:5; diagonal_index=i32:0; output_type=i8", output=[5, 5]
        ),
        example(
            "num_rows=i32:4; num_columns=i32:6; diagonal_index=i32:1; batch_shape=i32:2,3"
            "; output_type=f32",
            output=[2, 3, 4, 6],
            ports=[0, 1, 2, 3, 3],
            altered="the numbers of rows and columns are not printed, and -1 in the output; here they are 4 and 6",
        ),
    ],
    violations=[
        "num_rows=[4,4]",
        "num_columns=[6,6]",
        "diagonal_index=[1,1]",
    ],
    variants=variants(f"""
        output-types: any numeric type
            output_type={"|".join(map(str, T_OUT.types))}; batch_shape=-
        printed: the page prints these matrices
            num_rows=i32:3; num_columns=i32:4; diagonal_index=i32:2|i32:-1; batch_shape=-; output_type=i32
        printed-zeros (may be constant): the page prints zeros
            num_rows=2; num_columns=2; diagonal_index=5; batch_shape=1,2; output_type=f16
        diagonal: each diagonal inside
            diagonal_index=-3|-2|-1|0|1|2|3|4|5; batch_shape=-
            num_rows=6; num_columns=3; diagonal_index=-5|-4|-3|-1|0|1|2; batch_shape=-
            num_rows=5; num_columns=5; diagonal_index=-4|0|4; batch_shape=-
        diagonal-beyond-rows: the row i has column i + diagonal_index
            num_rows=2; num_columns=6; diagonal_index=2|3|5
        diagonal-outside (may be constant): the matrix has zeros only
            diagonal_index=6|7|-4|-5|{2**31 - 1}|{-(2**31)}; batch_shape=-
            diagonal_index=i64:{2**31}|i64:{2**40}|i64:{-(2**40)}; batch_shape=-
            num_rows=6; num_columns=3; diagonal_index=3|-6
        one-line: one row, one column
            num_rows=1; num_columns=5; diagonal_index=0|4
            num_rows=5; num_columns=1; diagonal_index=0|-4
        no-batch: one matrix
            batch_shape=-|[]
        batch: any number of matrices
            batch_shape=1|5|2,3|1,1|2,1,3|2,1,3,1,2
        empty (may be empty): sizes may be 0
            num_rows=0|4; num_columns=0
            num_rows=0
            batch_shape=0|2,0
        as-1d: sizes and the diagonal may be tensors of one element
            num_rows=[4]; num_columns=[6]; diagonal_index=[1]
            num_rows=[4]
            num_columns=[6]
            diagonal_index=[-1]; batch_shape=-
        large: many rows
            num_rows=300; num_columns=257; diagonal_index=-40|3; batch_shape=-; output_type=u8|f16
    """),
    readings=[
        Reading(
            "'if diagonal_index is a positive value and is not smaller than num_rows ... filled with only zeros', "
            "against output[..., i, i + diagonal_index] = 1",
            "The formula: a diagonal is outside from num_columns on, and up to -num_rows.",
            "In a matrix of 2 rows and 6 columns the diagonal 3 begins in the first row; the sentence has the two "
            "sizes in each other's place.",
            "contradiction",
            admits="Zeros.",
        ),
        Reading(
            "Example 3, which has no num_columns",
            "It is 2.",
            "The output that is printed.",
            "slip",
        ),
        Reading(
            "the diagonal of the first XML example",
            "It is 0.",
            "The page does not print it.",
            "silence",
        ),
    ],
)


@Eye.plain
def plain():
    return "num_rows=4; num_columns=6; diagonal_index=[1]; batch_shape=2,3; output_type=f32"


@Eye.random
def layer(draw):
    rows, columns = draw.integer(1, 7), draw.integer(1, 7)
    batch = draw.choice([None, draw.shape(draw.integer(0, 3), most=3)])
    return {
        "num_rows": draw.choice([rows, [rows]]),
        "num_columns": draw.choice([columns, [columns]]),
        "diagonal_index": draw.integer(1 - rows, columns - 1),
        "batch_shape": batch,
        "output_type": draw.choice(T_OUT.types),
    }
