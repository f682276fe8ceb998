"""StringTensorPack: strings cut out of their concatenated bytes (page StringTensorPack-15)."""

import numpy as np

from ir_models.declaration import Input, Operation, Output, exactly, example
from ir_models.element_types import i32, i64, string, types, u8

T_IDX = types("T_IDX", i32, i64)
T_SYMBOLS = types("T_SYMBOLS", u8)
T_STRING = types("T_STRING", string)

# First and last code point of the characters that take 1, 2, 3 and 4 bytes in UTF-8.
_CHARACTERS = [(0x21, 0x7E), (0xA1, 0x17F), (0x3041, 0x30FE), (0x1F300, 0x1F5FF)]


def _widths(size):
    """The bytes of each character, 1 2 3 4 1 2 3 4 ... as far as they fit, and then 1."""
    widths = [1, 2, 3, 4] * (size // 10)
    return widths + [1] * (size - sum(widths))


def _symbols(layer, state):
    """Characters of all widths, in an order that the places of ``_ends`` know."""
    widths = _widths(layer.symbols.size)
    lows, highs = np.array(_CHARACTERS)[np.array(widths, int) - 1].reshape(-1, 2).T
    text = "".join(map(chr, state.randint(lows, highs + 1)))
    return np.frombuffer(text.encode(), np.uint8)


def _pieces(layer):
    """Begin and end of each string, one after the other and between characters; some are empty, some skipped."""
    borders = np.concatenate([[0], np.cumsum(_widths(layer.symbols.size), dtype=int)])
    # The shapes alone seed it, so that both inputs see the same pieces.
    state = np.random.RandomState(layer.symbols.size)
    places = np.sort(state.randint(0, len(borders), 2 * layer.begins.size))
    return borders[places].reshape(-1, 2)


def _begins(layer, state):
    return _pieces(layer)[:, 0] if layer.begins.shape == layer.ends.shape else None


def _ends(layer, state):
    return _pieces(layer)[:, 1] if layer.begins.shape == layer.ends.shape else None


def _text(text):
    return u8.tensor(list(text.encode()))


StringTensorPack = Operation(
    "StringTensorPack-15",
    opset="opset15",
    inputs=[
        Input("begins", T_IDX, values=_begins),
        Input("ends", T_IDX, values=_ends),
        Input("symbols", T_SYMBOLS, exactly(1), values=_symbols),
    ],
    outputs=[Output("output", T_STRING)],
    examples=[
        example(
            begins=i64.tensor([0, 5]),
            ends=i64.tensor([5, 13]),
            symbols=_text("IntelOpenVINO"),
            output=[2],
            ports=[0, 1, 2, 0],
        ),
        # The page prints two begins and ends, and lists five.
        example(
            begins=i64.tensor([0, 3, 3, 8, 9]),
            ends=i64.tensor([3, 3, 8, 9, 13]),
            symbols=_text("OMZGenAI 2024"),
            output=[5],
            ports=[0, 1, 2, 0],
        ),
        # The page prints 13 symbols, and lists 9.
        example(
            begins=i64.tensor([0, 8]),
            ends=i64.tensor([1, 9]),
            symbols=_text("123456789"),
            output=[5],
            ports=[0, 1, 2, 0],
            erratum="the output has the shape of begins, [2], as the two strings that the page lists",
        ),
        example(
            begins=i64.tensor([[0, 5], [13, 16]]),
            ends=i64.tensor([[5, 13], [16, 21]]),
            symbols=_text("IntelOpenVINOOMZGenAI"),
            output=[2, 2],
            ports=[0, 1, 2, 0],
        ),
    ],
    variants={
        "no-symbols-empty": [
            {"begins": [2, 3], "ends": [2, 3], "symbols": [0]},
        ],
        "scalar": [
            {"begins": i64.tensor(1), "ends": i64.tensor(4), "symbols": _text("abcdef")},
            {"begins": [], "ends": [], "symbols": [30]},
        ],
        "everything-in-one": [
            {"begins": i64.tensor([0]), "ends": i64.tensor([6]), "symbols": _text("aß日")},
        ],
        "overlapping-strings": [
            {
                "begins": i64.tensor([0, 1, 2, 0]),
                "ends": i64.tensor([4, 3, 6, 6]),
                "symbols": _text("abcdef"),
            },
        ],
        "strings-in-another-order": [
            {
                "begins": i64.tensor([4, 0, 2]),
                "ends": i64.tensor([6, 2, 4]),
                "symbols": _text("abcdef"),
            },
        ],
        # Longer than what a short string's own buffer holds.
        "long-strings": [{"begins": [3, 2], "ends": [3, 2], "symbols": [100_000]}],
        "zero-byte": [
            {
                "begins": i64.tensor([0, 2]),
                "ends": i64.tensor([3, 4]),
                "symbols": u8.tensor([97, 0, 98, 99]),
            },
        ],
    },
)


@StringTensorPack.plain
def plain(rank=2):
    shape = [3, 4, 2, 1, 2, 1, 2, 1][:rank]
    return {"begins": shape, "ends": shape, "symbols": [50]}


@StringTensorPack.random
def layer(draw):
    rank = draw.integer(0, 5)
    shape = draw.shape(rank, most=5 if rank < 4 else 3)
    return {"begins": shape, "ends": shape, "symbols": [draw.integer(20, 100)]}


def _pairs(layer):
    """The stated begins and ends, one after the other."""
    values = (np.ravel(tensor.value).tolist() for tensor in (layer.begins, layer.ends))
    return list(zip(*values, strict=True))


def _is_stated(layer):
    return layer.begins.value is not None and layer.ends.value is not None


@StringTensorPack.rule(
    "begins and ends have one shape",
    broken=[{"ends": [4, 3]}, {"begins": [3]}, {"ends": [3, 4, 1]}],
)
def alike(layer):
    return layer.begins.shape == layer.ends.shape


@StringTensorPack.rule(
    "begins and ends are not negative",
    broken=[
        {"begins": i64.tensor([-1, 5]), "ends": i64.tensor([5, 13])},
        {"begins": i64.tensor([-5, 5]), "ends": i64.tensor([-2, 13])},
    ],
)
def not_negative(layer):
    return not _is_stated(layer) or all(min(pair) >= 0 for pair in _pairs(layer))


@StringTensorPack.rule(
    "begins and ends are indices of symbols",
    broken=[{"begins": i64.tensor([0, 5]), "ends": i64.tensor([5, 51])}],
)
def within_symbols(layer):
    return not _is_stated(layer) or all(max(p) <= layer.symbols.size for p in _pairs(layer))


# Nothing breaks it: the page does not speak of strings that end before they begin.
@StringTensorPack.rule("no string ends before it begins")
def in_order(layer):
    return not _is_stated(layer) or all(
        begin <= end for begin, end in _pairs(layer) if begin >= 0 and end >= 0
    )
