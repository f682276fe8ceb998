"""StringTensorPack: strings cut out of their concatenated bytes (page StringTensorPack-15)."""

import numpy as np

from ir_models.declaration import *

T_IDX = types("T_IDX", "int32 or int64")
T_SYMBOLS = types("T_SYMBOLS", "u8")
T_STRING = types("T_STRING", "string")

# First and last code point of the characters that take 1, 2, 3 and 4 bytes in UTF-8.
CHARACTERS = [(0x21, 0x7E), (0xA1, 0x17F), (0x3041, 0x30FE), (0x1F300, 0x1F5FF)]


def widths_of(size):
    """The bytes of each character, 1 2 3 4 1 2 3 4 ... as far as they fit, and then 1."""
    widths = [1, 2, 3, 4] * (size // 10)
    return widths + [1] * (size - sum(widths))


def symbols(layer, state):
    """Characters of all widths, in an order that the places of ``pieces`` know."""
    widths = widths_of(layer.symbols.size)
    lows, highs = np.array(CHARACTERS)[np.array(widths, int) - 1].reshape(-1, 2).T
    text = "".join(map(chr, state.randint(lows, highs + 1)))
    return np.frombuffer(text.encode(), np.uint8)


def pieces(layer):
    """Begin and end of each string, one after the other and between characters; some are empty, some skipped."""
    borders = np.concatenate([[0], np.cumsum(widths_of(layer.symbols.size), dtype=int)])
    # The shapes alone seed it, so that both inputs see the same pieces.
    state = np.random.RandomState(layer.symbols.size)
    places = np.sort(state.randint(0, len(borders), 2 * layer.begins.size))
    return borders[places].reshape(-1, 2)


def ends_of_pieces(number):
    """The begins, or the ends, of the strings; any numbers where their shapes differ."""
    return lambda layer, state: (
        pieces(layer)[:, number] if layer.begins.shape == layer.ends.shape else None
    )


def packed(begins, ends, text):
    """Strings cut out of a text; the places are numbers or lists of them."""
    return f"begins=i64:{begins}; ends=i64:{ends}; symbols=u8:{list(text.encode())}"


def each_pair(predicate):
    """The predicate for each begin and end and the number of symbols, where their values are stated."""

    def holds(layer):
        stated = (layer.begins.value, layer.ends.value)
        pairs = zip(*map(np.ravel, stated), strict=True)
        return None in stated or all(predicate(b, e, layer.symbols.size) for b, e in pairs)

    return holds


StringTensorPack = Operation(
    "StringTensorPack-15",
    "opset15",
    inputs=[
        Input("begins", T_IDX, shape="*shape", values=ends_of_pieces(0)),
        Input("ends", T_IDX, shape="*shape", values=ends_of_pieces(1)),
        Input("symbols", T_SYMBOLS, shape="size", values=symbols),
    ],
    outputs=[Output("output", T_STRING)],
    examples=examples(
        f"""
        {packed([0, 5], [5, 13], "IntelOpenVINO")} -> [2] = ["Intel","OpenVINO"]
        {packed([0, 3, 3, 8, 9], [3, 3, 8, 9, 13], "OMZGenAI 2024")} -> [5] = ["OMZ","","GenAI"," ","2024"]
        {packed([0, 8], [1, 9], "123456789")} -> [5]
            erratum: the output has the shape of begins, [2], as the two strings that the page lists -> [2] = ["1","9"]
        {packed([[0, 5], [13, 16]], [[5, 13], [16, 21]], "IntelOpenVINOOMZGenAI")}
            -> [2,2] = [["Intel","OpenVINO"],["OMZ","GenAI"]]
        """,
        ports=[0, 1, 2, 0],
    ),
    rules=[
        rule(
            "begins and ends are not negative",
            each_pair(lambda begin, end, size: min(begin, end) >= 0),
            ["begins=i64:[-1,5]; ends=i64:[5,13]", "begins=i64:[-5,5]; ends=i64:[-2,13]"],
        ),
        rule(
            "begins and ends are indices of symbols",
            each_pair(lambda begin, end, size: max(begin, end) <= size),
            "begins=i64:[0,5]; ends=i64:[5,51]",
        ),
        rule(
            "no string ends before it begins",
            each_pair(lambda begin, end, size: begin <= end or min(begin, end) < 0),
            unasked="the page does not speak of strings that end before they begin",
        ),
    ],
    violations=["ends=[4,3]|[3,4,1]", "begins=[3]"],
    variants=[
        *variants(f"""
            no-symbols (may be constant): all strings are empty
                begins=[2,3]; ends=[2,3]; symbols=[0]
            scalar: one string
                {packed(1, 4, "abcdef")}
                begins=[]; ends=[]; symbols=[30]
            one-string: all symbols in one string
                {packed([0], [6], "aß日")}
            overlapping-strings: symbols may serve twice
                {packed([0, 1, 2, 0], [4, 3, 6, 6], "abcdef")}
            strings-in-another-order: strings have no order
                {packed([4, 0, 2], [6, 2, 4], "abcdef")}
            long-strings: longer than the own buffer of a short string
                begins=[3,2]; ends=[3,2]; symbols=[100000]
        """),
        variant("zero-byte", "a symbol like any other", packed([0, 2], [3, 4], "a\0bc")),
    ],
    readings=[
        Reading(
            "the second and third example: shapes [2] and [13] against lists of five and nine items",
            "The lists.",
            "The strings that the page shows follow from them.",
            "slip",
        ),
    ],
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
