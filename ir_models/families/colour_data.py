"""Images for conversions between RGB and YUV: colours where rounding decides, and blocks of one chroma.

Coefficients are thousandths, so that of bytes every result is a multiple of 1/1000: rounding decides where that is an
integer or a half.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ir_models.declaration import Interval, Layer
from ir_models.vocabulary.element_types import ElementType, u8

# Images of this height and width hold the colours where rounding decides, smaller ones any.
PAIRS, TRIPLES = 256, 512


def rgb_image(layer: Layer, kind: ElementType) -> Any:
    """All colours where rounding decides, pixels of any chroma, or blocks of one chroma and any luma."""
    n, height, width, _ = layer.image.shape
    if (n, height, width) == (1, TRIPLES, TRIPLES):
        return lambda layer, state: _rgb_triples()
    if (height, width) == (8, 18):
        return Interval(0, 255)
    return _blocks


def _blocks(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Colours from black to white, of one chroma in each block: pixels differ by a grey, in steps of 1/8."""
    n, height, width, _ = layer.image.shape
    step = 1 if layer.image.element_type is u8 else 8
    chroma = state.randint(0, 160 * step, (n, height // 2, 1, width // 2, 1, 3))
    grey = state.randint(0, 96 * step, (n, height // 2, 2, width // 2, 2, 1))
    return np.asarray((chroma + grey) / step)


def _from_blocks(blocks: np.ndarray, side: int) -> np.ndarray:
    """Blocks of two by two pixels [side/2·side/2, 4, ...], row by row, as an image [side, side, ...]."""
    half, rest = side // 2, blocks.shape[2:]
    return blocks.reshape(half, half, 2, 2, *rest).swapaxes(1, 2).reshape(side, side, *rest)


def _nearest_ties(numerators: np.ndarray, possible: np.ndarray) -> np.ndarray:
    """The four columns of each row with the numerators nearest to a multiple of 500, of the possible ones [rows, 4]."""
    rest = numerators % 500
    distance = np.where(possible, np.minimum(rest, 500 - rest), 1000)
    best = np.argpartition(distance, 4, axis=1)[:, :4]
    rows = np.arange(len(best))[:, np.newaxis]
    nearest = best[rows, np.argmin(distance[rows, best], axis=1)[:, np.newaxis]]
    return np.where(possible[rows, best], best, nearest)


@cache
def yuv_pairs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Y of an image of ``PAIRS``, U and V: every Y meets every U and every V."""
    four, v = np.divmod(np.arange(PAIRS**2 // 4), 256)
    y = 4 * four[:, np.newaxis] + np.arange(4)
    half = (PAIRS // 2, PAIRS // 2)
    return _from_blocks(y, PAIRS), ((v + 37 * four) % 256).reshape(half), v.reshape(half)


@cache
def yuv_triples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Y of an image of ``TRIPLES``, U and V: every U meets every V, with the Y that put green nearest to a tie."""
    u, v = np.divmod(np.arange(TRIPLES**2 // 4), 256)
    y = np.arange(256)
    chroma = -391 * (u - 128) - 813 * (v - 128)
    green = (1164 * (y - 16) + chroma[:, np.newaxis]).astype(np.int32)
    found = _nearest_ties(green, (green >= 0) & (green <= 255_000))
    half = (TRIPLES // 2, TRIPLES // 2)
    return _from_blocks(found, TRIPLES), u.reshape(half), v.reshape(half)


@cache
def _rgb_triples() -> np.ndarray:
    """An image of ``TRIPLES``: every chroma for which a luma, U or V is a tie, with the lumas nearest to ties.

    U and V depend on the differences R - B and G - B alone, and so are those of all pixels of a block.
    """
    red, green = (each.reshape(-1) for each in np.mgrid[-255:256, -255:256])
    ties = ((-148 * red - 291 * green) % 500 == 0) | ((439 * red - 368 * green) % 500 == 0)
    blue = np.arange(256)
    # Which blues keep all three colours of a pixel in 0 to 255: from the first one to before the second one.
    first = -np.minimum(np.minimum(red, green), 0)
    end = 256 - np.maximum(np.maximum(red, green), 0)
    luma = 257 * red + 504 * green
    # How many of the blues before one make a tie, by the remainder of the luma: there are 67 million lumas.
    has_tie = (np.arange(500)[:, np.newaxis] + 859 * blue) % 500 == 0
    before = np.cumsum(np.pad(has_tie, ((0, 0), (1, 0))), axis=1)
    rest = luma % 500
    has_tie_inside = before[rest, np.maximum(end, first)] > before[rest, first]
    count = TRIPLES**2 // 4
    wanted = np.flatnonzero((first < end) & (ties | has_tie_inside))[:count]
    red, green, first, end = red[wanted], green[wanted], first[wanted], end[wanted]
    lumas = (luma[wanted, np.newaxis] + 859 * blue).astype(np.int32)
    possible = (blue >= first[:, np.newaxis]) & (blue < end[:, np.newaxis])
    blues = _nearest_ties(lumas, possible)
    pixels = np.stack([red[:, np.newaxis] + blues, green[:, np.newaxis] + blues, blues], -1)
    return _from_blocks(pixels[np.arange(count) % len(pixels)], TRIPLES)
