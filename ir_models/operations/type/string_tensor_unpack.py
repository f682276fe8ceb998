"""StringTensorUnpack: strings as their concatenated bytes and the places of each (page StringTensorUnpack-15)."""

from ir_models.declaration import *
from ir_models.vocabulary.element_types import string

T_STRING = types("T_STRING", "string")
T_IDX = types("T_IDX", "int32")
T_SYMBOLS = types("T_SYMBOLS", "u8")


def stated(strings):
    return {"data": string.tensor(strings)}


def printed(strings, begins, ends, text, places, altered=""):
    """An example: the strings, and what the page says of their places; ``places`` is the shape of these."""
    return example(
        **stated(strings),
        output=[places, places, [len(text)]],
        values=[begins, ends, list(text.encode())],
        ports=[0, 0, 1, 2],
        altered=altered,
    )


StringTensorUnpack = Operation(
    "StringTensorUnpack-15",
    "opset15",
    inputs=[Input("data", T_STRING)],
    outputs=[Output("begins", T_IDX), Output("ends", T_IDX), Output("symbols", T_SYMBOLS)],
    examples=[
        printed(["Intel", "OpenVINO"], [0, 5], [5, 13], "IntelOpenVINO", [2]),
        printed(
            ["OMZ", "GenAI", "2024"],
            [0, 3, 8],
            [3, 8, 12],
            "OMZGenAI2024",
            [3],
            altered="case ids cannot write its empty string and its space; the shape of begins is that of data",
        ),
        printed(
            [["Intel", "OpenVINO"], ["OMZ", "GenAI"]],
            [[0, 5], [13, 16]],
            [[5, 13], [16, 21]],
            "IntelOpenVINOOMZGenAI",
            [2, 2],
        ),
    ],
    variants=[
        variant("widths", "characters of one to four bytes", stated(["aß日😀", "😀", "é", "z"])),
        variant("scalar", "one string", stated("abc")),
        variant(
            "long-strings",
            "longer than the own buffer of a short string",
            stated(["x" * 40, "y", "z" * 70]),
        ),
    ],
)


@StringTensorUnpack.plain
def plain(rank=2):
    return {"data": [3, 4, 2, 1, 2, 1, 2, 1][:rank]}


@StringTensorUnpack.random
def layer(draw):
    rank = draw.integer(0, 5)
    return {"data": draw.shape(rank, most=5 if rank < 4 else 3)}
