"""StringTensorUnpack (page StringTensorUnpack-15)."""

import numpy as np

from reference import implements


@implements("StringTensorUnpack-15")
def string_tensor_unpack(data: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each string begins and ends among the UTF-8 bytes of all of them, and these bytes.

    data, an object array of str -> begins and ends of its shape, int32, and symbols [n] of uint8.
    """
    texts = [str(each).encode() for each in data.reshape(-1)]
    borders = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    symbols = np.frombuffer(b"".join(texts), np.uint8)
    return borders[:-1].reshape(data.shape), borders[1:].reshape(data.shape), symbols
