"""StringTensorPack (page StringTensorPack-15)."""

import numpy as np

from reference import implements
from reference.shared.axes import require_rank


@implements("StringTensorPack-15")
def string_tensor_pack(begins: np.ndarray, ends: np.ndarray, symbols: np.ndarray) -> np.ndarray:
    """Strings out of UTF-8 bytes: string i is ``symbols[begins[i]:ends[i]]``.

    begins and ends of one shape, symbols [n] of u8 -> an object array of str in that shape. Raises ValueError where
    shapes differ, and for positions outside [0, n] or a string that ends before it begins.
    """
    if begins.shape != ends.shape:
        shapes = f"{begins.shape} and {ends.shape}"
        raise ValueError(f"StringTensorPack-15: begins and ends must have one shape, got {shapes}")
    require_rank(symbols, (1,), "StringTensorPack-15: symbols")
    if ((begins < 0) | (ends < begins) | (ends > symbols.size)).any():
        raise ValueError(
            f"StringTensorPack-15: 0 <= begins <= ends <= {symbols.size} must hold,"
            f" got begins {begins.tolist()} and ends {ends.tolist()}"
        )
    text = symbols.astype(np.uint8).tobytes()
    strings = np.empty(begins.shape, object)
    for place in np.ndindex(begins.shape):
        strings[place] = text[begins[place] : ends[place]].decode()
    return strings
