"""ConvertPromoteTypes (page ConvertPromoteTypes-14)."""

import ml_dtypes
import numpy as np

from reference import implements
from reference.accuracy import PRECISIONS, is_float
from reference.shared.conversion import conversion, converted, type_name

# From few bits to many; those without a sign first.
_INTEGERS = ("u2", "u4", "u8", "u16", "u32", "u64", "i4", "i8", "i16", "i32", "i64")


def _holds(name: str, other: str) -> bool:
    """Whether an integer type has all numbers of another one."""
    bits, wanted = int(name[1:]), int(other[1:])
    if name[0] == other[0]:
        return bits >= wanted
    return name[0] == "i" and bits >= 2 * wanted


def _common(names: list[str], dimensioned: str, target: str) -> str:
    """The name of the common type; f64 for all floating-point types, whose numbers it holds.

    ``dimensioned``: the type that a scalar is to take, if there is such a pair.
    """
    if any(each in PRECISIONS for each in names):
        return "f64"
    if "boolean" in names:
        return max(names, key=("boolean", *_INTEGERS).index)
    if dimensioned:
        return dimensioned
    return next((each for each in _INTEGERS if all(_holds(each, n) for n in names)), target)


def _require_safe(one: np.ndarray, other: np.ndarray, common: str, name: str) -> None:
    """Raises ValueError where numbers may be lost, or bits are added."""
    reals = [each.dtype for each in (one, other) if is_float(each.dtype)]
    names = [type_name(each.dtype) for each in (one, other)]
    whole = [int(each[1:]) for each in names if each in _INTEGERS]
    if len(reals) == 2:
        infos = [ml_dtypes.finfo(dtype) for dtype in reals]
        parts = [(info.nmant, info.nexp) for info in infos]
        most = (max(parts)[0], max(part[1] for part in parts))
        is_safe = most in parts if not common else most == parts[names.index(common)]
    elif len(reals) == len(whole) == 1:
        is_safe = ml_dtypes.finfo(reals[0]).bits >= 2 * whole[0]
    else:
        is_safe = len(whole) < 2 or (name in names and all(_holds(name, n) for n in names))
    if not is_safe:
        raise ValueError(
            f"ConvertPromoteTypes-14: {' and '.join(names)} are promoted with promote_unsafe alone"
        )


# Numbers that the common type cannot hold are "undefined behaviors".
@implements(
    "ConvertPromoteTypes-14", accuracy=(conversion(0, wraps=False), conversion(1, wraps=False))
)
def convert_promote_types(
    input_0: np.ndarray,
    input_1: np.ndarray,
    *,
    promote_unsafe: bool = False,
    pytorch_scalar_promotion: bool = False,
    u64_integer_promotion_target: object = "f32",
) -> tuple[np.ndarray, np.ndarray]:
    """Both inputs in their common type, as ``converted`` has them; their shapes stay.

    ``promote_unsafe`` changes no number. Raises ValueError for types that are not promoted without it.
    """
    names = [type_name(data.dtype) for data in (input_0, input_1)]
    dimensioned = ""
    if pytorch_scalar_promotion and (input_0.ndim == 0) != (input_1.ndim == 0):
        dimensioned = names[input_0.ndim == 0]
    name = _common(names, dimensioned, str(u64_integer_promotion_target))
    if not promote_unsafe:
        _require_safe(input_0, input_1, dimensioned, name)
    asked = "ConvertPromoteTypes-14: the common type"
    return converted(input_0, name, asked), converted(input_1, name, asked)
