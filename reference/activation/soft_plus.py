"""SoftPlus (page SoftPlus-4)."""

from collections.abc import Sequence

import numpy as np

from reference import implements
from reference.accuracy import Call, Choice, Function
from reference.shared.dividing import elementwise
from reference.shared.elementwise import real

# The page admits x itself where it differs by no more than this.
LARGEST_STEP = 1e-6


def nearest(call: Call, actual: Sequence[np.ndarray]) -> tuple[np.ndarray]:
    """x itself where it is the actual output and the page admits it, else the logarithm."""
    (exact,) = call.outputs
    data = call.reals(0)
    if actual[0].shape != exact.shape:
        return (exact,)
    with np.errstate(invalid="ignore"):  # of infinity, where both are alike
        linear = (data > 0) & (exact - data <= LARGEST_STEP)
    return (np.where(linear & (actual[0].astype(np.float64) == data), data, exact),)


# The page's formula, step by step: e^x errs by 3 ulp (OpenCL), 1 + e^x rounds by half an ulp of itself, which the
# logarithm makes half an ulp of 1; the logarithm errs by 3 ulp (OpenCL). For x > 0 the 3 ulp of e^x are 3 ulp of 1 as
# well; for x < 0 they are relative. Good arithmetic loses nothing in 1 + e^x.
@implements(
    "SoftPlus-4",
    accuracy=Choice(nearest, within=Function(k=6, a=0.5, quality_k=2)),
    parts=elementwise,
)
def soft_plus(data: np.ndarray) -> np.ndarray:
    """log(e^x + 1), which is x for large x."""
    return np.logaddexp(0.0, real(data))
