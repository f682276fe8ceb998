"""Element types and shapes that a layer states of its data, as ReadValue-6, Parameter-1 and Constant-1 write them."""

from collections.abc import Sequence

import numpy as np

from reference.shared.graph import type_of

# The element types that the pages list, as arrays have them: one bit has no type of its own.
_TYPES = {
    **{name: name for name in ("f16", "f32", "bf16")},
    **{f"i{bits}": f"int{bits}" for bits in (4, 8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (4, 8, 16, 32, 64)},
    "u1": "uint8",
    "boolean": "bool",
}


def has_type(array: np.ndarray, name: str) -> bool:
    """Whether an array has the element type of this name; False for a name that the pages do not list."""
    return type_of(array) == _TYPES.get(name)


def admits(stated: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether a stated shape, in which -1 is any size, is that of an array."""
    return len(stated) == len(shape) and all(
        own in (-1, size) for own, size in zip(stated, shape, strict=True)
    )
