"""StringTensorUnpack: strings as their concatenated bytes and the places of each (page StringTensorUnpack-15)."""

import json

from ir_models.declaration import *

T_STRING = types("T_STRING", "string")
T_IDX = types("T_IDX", "int32")
T_SYMBOLS = types("T_SYMBOLS", "u8")


def stated(strings):
    return f"data=string:{json.dumps(strings, ensure_ascii=False, separators=(',', ':'))}"


SECOND = f"[0,3,3,8,9],[3,3,8,9,13],{[*b'OMZGenAI 2024']}"

StringTensorUnpack = Operation(
    "StringTensorUnpack-15",
    "opset15",
    inputs=[Input("data", T_STRING)],
    outputs=[Output("begins", T_IDX), Output("ends", T_IDX), Output("symbols", T_SYMBOLS)],
    examples=examples(
        f"""
        {stated(["Intel", "OpenVINO"])} -> [2],[2],[13] = [0,5],[5,13],{[*b"IntelOpenVINO"]}
        {stated(["OMZ", "", "GenAI", " ", "2024"])} -> [2],[2],[13]
            erratum: begins and ends have the shape of data, [5] -> [5],[5],[13] = {SECOND}
        {stated([["Intel", "OpenVINO"], ["OMZ", "GenAI"]])}
            -> [2,2],[2,2],[21] = [[0,5],[13,16]],[[5,13],[16,21]],{[*b"IntelOpenVINOOMZGenAI"]}
        """,
        ports=[0, 0, 1, 2],
    ),
    variants=[
        *variants(f"""
            widths: characters of one to four bytes
                {stated(["aß日😀", "😀", "é", "z"])}
            empty-strings (may be empty): no string has a byte
                {stated(["", "", ""])}
            scalar: one string
                data=string:"abc"
            some-empty: at the beginning, between others, at the end
                {stated(["", "ab", "", "", "c", ""])}
            spaces: bytes like any other
                {stated([" a ", "  "])}
            long-strings: longer than the own buffer of a short string
                {stated(["x" * 40, "y", "z" * 70])}
        """),
    ],
)


@StringTensorUnpack.plain
def plain(rank=2):
    return {"data": [3, 4, 2, 1, 2, 1, 2, 1][:rank]}


@StringTensorUnpack.random
def layer(draw):
    rank = draw.integer(0, 5)
    return {"data": draw.shape(rank, most=5 if rank < 4 else 3)}
