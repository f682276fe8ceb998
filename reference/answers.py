"""What a device must answer for one layer, with the error that each output may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reference.comparison import Expected
from reference.registry import lookup


def answer(
    name: str, inputs: Sequence[np.ndarray | None], attributes: Mapping[str, Any]
) -> list[Expected]:
    """The right outputs of the operation ``name``, such as ``SpaceToBatch-2``.

    Raises MissingReferenceError, and ValueError where the inputs break a rule of the page.
    """
    outputs = lookup(name)(*inputs, **attributes)
    return [
        Expected(np.asarray(o)) for o in (outputs if isinstance(outputs, tuple) else (outputs,))
    ]
