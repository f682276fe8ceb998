"""SegmentMax: the largest elements of segments of data (page SegmentMax-16)."""

from ir_models.declaration import *

T = types("T", "any supported numerical data type")
T_IDX1 = types("T_IDX1", "int64 or int32")
T_IDX2 = types("T_IDX2", "int64 or int32")


def has_segments(layer):
    return layer.num_segments is not None or bool(numbers(layer.segment_ids))


NAME = "the attribute is called empty_segment_value there; the page's list has fill_mode"
BY_1D = "num_segments=-|6|8|3; fill_mode=ZERO|LOWEST"

SegmentMax = Operation(
    "SegmentMax-16",
    "opset16",
    inputs=[
        Input("data", T, shape="rows, *others"),
        Index("segment_ids", T_IDX1, shape="rows", least=0),
        Index("num_segments", T_IDX2, exactly(0), optional=True, least=0),
    ],
    outputs=[Output("output", T)],
    attributes=[Attribute("fill_mode", ("ZERO", "LOWEST"), required=True)],
    examples=examples(f"""
        data=f32[5]; segment_ids=i32:0,0,2,3,3; num_segments=i64:2; fill_mode=ZERO -> [2]
        altered: {NAME}
        data=f32[5]; segment_ids=i32:0,0,2,3,3; num_segments=i64:8; fill_mode=ZERO -> [8]
        altered: {NAME}
        data=i32[3,4]; segment_ids=i64:0,1,1; fill_mode=LOWEST -> [2,4]
        altered: {NAME}
    """),
    rules=[
        rule(
            "segment_ids are sorted",
            lambda layer: list(numbers(layer.segment_ids)) == sorted(numbers(layer.segment_ids)),
            "segment_ids=0,2,0,2,3,5",
        ),
        rule(
            "without num_segments there is a segment",
            has_segments,
            unasked="the page does not say what the largest of no ids is",
        ),
    ],
    variants=variants(f"""
        printed: the page prints the segments of these ids
            data=[8]; segment_ids=0,0,0,1,1,3,5,5; {BY_1D}
        num-segments: as many as there are, more, fewer
            num_segments=-|6|7|9|4|3|1
        no-segments (may be empty): num_segments may be 0
            num_segments=0
        one-segment: all rows, or one
            segment_ids=0,0,0,0,0,0; num_segments=-
            data=[1,3]; segment_ids=0; num_segments=-
        each-its-own: a segment for each row
            segment_ids=0,1,2,3,4,5; num_segments=-
        empty-first: the first segments are empty
            segment_ids=2,2,3,3,3,4; num_segments=-; fill_mode=ZERO|LOWEST
        lowest: the lowest value of every type
            data=i8|u8|i32|i64|u64|f16|bf16|f32|f64; fill_mode=LOWEST
        negative: the largest of negative numbers is no 0
            data=f32:[-3.5,-1.25,-7.0,-2.0]|i32:[-3,-1,-7,-2]; segment_ids=0,0,2,2; num_segments=4; fill_mode=ZERO
        equal: equal elements
            data=f32:[2.0,2.0,-0.0,0.0]; segment_ids=0,0,1,1; num_segments=-
        infinities: infinities are the ends
            data=f32:[inf,1.0,-inf,-inf]; segment_ids=0,0,1,1; num_segments=3; fill_mode=ZERO|LOWEST
        large-integers: numbers that f32 and f64 do not have
            data=i32:[16777217,16777216,-16777217]; segment_ids=0,0,1; num_segments=-
            data=i64:[9007199254740993,9007199254740992,-9007199254740993]; segment_ids=0,0,1; num_segments=-
        long: many rows
            data=[500,3]; segment_ids={",".join(str(n // 37) for n in range(500))}; num_segments=-
    """),
    readings=[
        Reading(
            "'the lowest value of the data type'",
            "Of floating-point types the lowest finite number.",
            "-infinity is no value that data of other types would have; the page has one sentence for all.",
            admits="-infinity.",
        ),
        Reading(
            "the largest of elements of which one is NaN",
            "It is not judged.",
            "The page gives NaN no order.",
            "silence",
        ),
        Reading(
            "num_segments: 'a scalar', <dim>0</dim> in the examples",
            "A scalar.",
            "A tensor of no element would be no number.",
            "slip",
        ),
    ],
)


@SegmentMax.plain
def plain(rank=3):
    """A segment of three rows, and empty ones inside and at the end."""
    shape = [6, 4, 3, 2, 3, 1, 2, 2][:rank]
    return {
        "data": shape,
        "segment_ids": [0, 0, 2, 2, 2, 5],
        "num_segments": 8,
        "fill_mode": "LOWEST",
    }


@SegmentMax.random
def layer(draw):
    rank = draw.integer(1, 5)
    shape = draw.shape(rank, most=4)
    shape[0] = draw.integer(1, 9)
    ids = sorted(draw.integer(0, 6) for _ in range(shape[0]))
    return {
        "data": shape,
        "segment_ids": ids,
        "num_segments": draw.choice([None, draw.integer(1, 9)]),
        "fill_mode": draw.choice(["ZERO", "LOWEST"]),
    }


@SegmentMax.adapt
def as_many_ids(layer):
    rows, ids = layer.data.shape[0], numbers(layer.segment_ids)
    return {"segment_ids": (ids + [ids[-1] if ids else 0] * rows)[:rows]}
