"""ConvertPromoteTypes: two tensors in a type that suits both (page ConvertPromoteTypes-14)."""

from itertools import combinations_with_replacement

import ml_dtypes

from ir_models.declaration import *
from ir_models.families.conversion import held_by_both
from ir_models.vocabulary.element_types import *

UNASKED = [string, nf4, f8e8m0, u1, u3, u6]
T1 = types("T1", "any supported type", unasked=UNASKED)
T2 = types("T2", "any supported type", unasked=UNASKED)
T_TARGET = types("u64_integer_promotion_target", "any type", unasked=[*UNASKED, f4e2m1, u2])

PRIORITY = {"boolean": 0, "int": 1, "uint": 1, "float": 2}
# From few bits to many; of the two types of 16 bits that hold both of 8 bits the page takes f16.
REALS = [f4e2m1, f8e4m3, f8e5m2, f16, bf16, f32, f64]
SIGNED = [i4, i8, i16, i32, i64]


def both(layer):
    """The element types of the inputs, the one of higher priority first, of signed and unsigned integers the signed."""
    kinds = [t.element_type for t in (layer.input_0, layer.input_1)]
    return sorted(kinds, key=lambda kind: (-PRIORITY.get(kind.kind, 0), kind.kind))


def aligned(layer):
    """The tensor of dimensions whose type a scalar takes, None without such a pair."""
    one, two = layer.input_0, layer.input_1
    first, second = (PRIORITY.get(t.element_type.kind) for t in (one, two))
    if not layer.pytorch_scalar_promotion or first != second or (one.rank == 0) == (two.rank == 0):
        return None
    return two if one.rank == 0 else one


def parts(kind):
    """The bits of a mantissa and of an exponent."""
    info = ml_dtypes.finfo(kind.dtype)
    return info.nmant, info.nexp


def least_of_both(layer):
    """The least type of the kind of both inputs that holds the numbers of both; None for u64 and signed integers."""
    one, two = both(layer)
    if one is two or PRIORITY[one.kind] != PRIORITY[two.kind]:
        return one
    if one.is_float:
        wanted = [max(bits) for bits in zip(parts(one), parts(two), strict=True)]
        return next(k for k in REALS if parts(k)[0] >= wanted[0] and parts(k)[1] >= wanted[1])
    if one.kind == two.kind:
        return max(one, two, key=lambda kind: kind.bits)
    bits = max(one.bits, 2 * two.bits)
    return next((kind for kind in SIGNED if kind.bits >= bits), None)


def promoted(layer):
    """The common type; f32 of a layer that lacks an input, or has types that the page does not promote."""
    if not (layer.input_0 and layer.input_1) or string in both(layer):
        return f32
    tensor = aligned(layer)
    if tensor is not None:
        return tensor.element_type
    target = layer.u64_integer_promotion_target
    return least_of_both(layer) or (target if isinstance(target, ElementType) else f32)


def is_safe(layer):
    """Whether no number of either input is lost, nor bits added."""
    (one, two), least = both(layer), least_of_both(layer)
    if one.is_float and two.is_integer:
        return one.bits >= 2 * two.bits
    if PRIORITY[one.kind] != PRIORITY[two.kind]:
        return True
    return least in (one, two) and promoted(layer) is least


def input_of(name, kinds):
    return Input(
        name, kinds, values=Within(lambda layer, kind: held_by_both(kind, promoted(layer)))
    )


FLAGS = "promote_unsafe=false|-; pytorch_scalar_promotion=false|-; u64_integer_promotion_target=-"
UNSAFE = "promote_unsafe=true; u64_integer_promotion_target=f32"
SCALAR = "promote_unsafe=true; pytorch_scalar_promotion=true"
KINDS = [kind for kind in COMMON_TYPES if kind is not boolean]

ConvertPromoteTypes = Operation(
    "ConvertPromoteTypes-14",
    "opset14",
    inputs=[input_of("input_0", T1), input_of("input_1", T2)],
    outputs=[Output("output_0", promoted), Output("output_1", promoted)],
    converts=True,
    attributes=[
        Attribute("promote_unsafe", bool, default=False),
        Attribute("pytorch_scalar_promotion", bool, default=False),
        Attribute("u64_integer_promotion_target", ElementType, default=f32, types=T_TARGET),
    ],
    examples=examples("""
        input_0=f16[256,56]; input_1=f32[3]; promote_unsafe=false; pytorch_scalar_promotion=false
            ; u64_integer_promotion_target=f32 -> [256,56], [3]
        input_0=i16[256,56]; input_1=u32[3]; promote_unsafe=true; pytorch_scalar_promotion=false
            ; u64_integer_promotion_target=f32 -> [256,56], [3]
        input_0=i16[256,56]; input_1=u64[3]; promote_unsafe=true; pytorch_scalar_promotion=false
            ; u64_integer_promotion_target=f32 -> [256,56], [3]
    """),
    rules=[
        rule(
            "without promote_unsafe, nothing is lost and no bits are added",
            lambda layer: layer.promote_unsafe or is_safe(layer),
            [
                "input_0=f16; input_1=i64; promote_unsafe=false|-",
                "input_0=f64; input_1=u64; promote_unsafe=false",
                "input_0=i8; input_1=f8e5m2; promote_unsafe=false",
                "input_0=i32; input_1=f32; promote_unsafe=false",
                "input_0=i8; input_1=u8; promote_unsafe=false|-",
                "input_0=u16; input_1=i16; promote_unsafe=false",
                "input_0=f16; input_1=bf16; promote_unsafe=false",
                "input_0=f8e4m3; input_1=f8e5m2; promote_unsafe=false",
                "input_0=u64; input_1=i8; promote_unsafe=false|-",
                f"input_0=i64[]; input_1=u8[3]; {SCALAR}; promote_unsafe=false",
                f"input_0=u8[3]; input_1=i8[]; {SCALAR}; promote_unsafe=false",
                f"input_0=f32[]; input_1=f16[3]; {SCALAR}; promote_unsafe=false",
            ],
        ),
    ],
    variants=[
        variant(
            "type-pairs",
            "any type and any other",
            *(
                {f"input_{place % 2}": one[2, 3], f"input_{1 - place % 2}": two[4]}
                for place, (one, two) in enumerate(combinations_with_replacement(COMMON_TYPES, 2))
            ),
        ),
        *variants(f"""
            safe: without promote_unsafe
                input_0=i8; input_1=f32; {FLAGS}
                input_0=i32; input_1=u8; {FLAGS}
                input_0=f16|i64|f64; input_1=boolean; {FLAGS}
                input_0=i16; input_1=f32|i16|i32; {FLAGS}
                input_0=u8; input_1=f16|bf16|u16|i16; {FLAGS}
                input_0=f16; input_1=f32|f64; {FLAGS}
                input_0=i32; input_1=f64; {FLAGS}
            few-bits: types of which several make a byte, and of 8 bits
                input_0=i4; input_1=u4|u2|i8|f16|boolean
                input_0=u4; input_1=u2|i8|u8|i16|f32
                input_0=f8e4m3; input_1=f8e5m2|f16|bf16|i4|f4e2m1
                input_0=f8e5m2; input_1=f16|bf16|u8|boolean
            u64-target: what u64 and signed integers become
                input_0=u64; input_1=i8; u64_integer_promotion_target={"|".join(map(str, COMMON_TYPES))}
                input_0=i4|i16|i32|i64; input_1=u64; u64_integer_promotion_target=-|f32|f64|i64|u64
                input_0=u64; input_1=u8|f16|boolean; u64_integer_promotion_target=i64
            scalar: a scalar takes the type of a tensor with dimensions of its priority
                input_0=i64[]; input_1=u8[3]; {SCALAR}
                input_0=u8[3]; input_1=i64[]; {SCALAR}
                input_0=i8[]; input_1=i32[2,3]|i16[1]|u64[4]; {SCALAR}
                input_0=f32[]; input_1=f16[3]|bf16[3]; {SCALAR}
                input_0=f16[]; input_1=bf16[3]|f64[3]; {SCALAR}
                input_0=f16[]; input_1=i8[3]; {SCALAR}
                input_0=i64[3]; input_1=f16[]; {SCALAR}
                input_0=boolean[3]; input_1=i32[]; {SCALAR}
            scalar-not-aligned: nor where the attribute is false, nor two scalars, nor two tensors
                input_0=i64[]; input_1=u8[3]; pytorch_scalar_promotion=false|-
                input_0=i64[]; input_1=u8[]; {SCALAR}
                input_0=i64[1]; input_1=u8[3]; {SCALAR}
                input_0=f16[]; input_1=f32[]; {SCALAR}
            scalar-safe: a tensor that holds the numbers of the scalar
                input_0=u8[]; input_1=i16[3]|u32[3]; promote_unsafe=false; pytorch_scalar_promotion=true
                input_0=f32[3]; input_1=f16[]|bf16[]; promote_unsafe=-; pytorch_scalar_promotion=true
            large-integers: numbers that fewer bits do not hold
                input_0=i64:[9007199254740993,-5]; input_1=i32:[2147483647]
                input_0=u64:[18446744073709551615,5]; input_1=u8:[255]
                input_0=i32:[16777217,-2147483647]; input_1=f64:[0.5]
                input_0=u32:[4294967295,7]; input_1=i8:[-128]
        """),
    ],
    readings=[
        Reading(
            "'any supported type', 'any element type supported by Convert operator'",
            "string, nf4 and f8e8m0 are not tested; u1, u3 and u6 as in ConvertLike-1.",
            "The rules speak of booleans, integers, and mantissa and exponent.",
            "silence",
        ),
        Reading(
            "'ConvertPromoteTypes(f8m4e3, f8m5e3) -> f16'",
            "f8e4m3 and f8e5m2.",
            "'Conversion of (f8e4m3, f8e5m2) -> f16 is a special case'.",
            "slip",
        ),
        Reading(
            "'minimal bit-width to hold all possible values', where the types are of fewer than 8 bits",
            "A type of fewer bits that holds them is as good as another.",
            "The page makes no exception.",
        ),
        Reading(
            "'bit-widening'",
            "A type of more bits than either input has.",
            "Example 1 promotes f16 and f32 to f32 without promote_unsafe.",
        ),
        Reading(
            "'if floating-point bit-width would be less than double of integer', for booleans",
            "They may become any type.",
            "boolean is no integer: 'integer have higher priority than boolean'.",
        ),
        Reading(
            "numbers that the common type cannot hold",
            "They are not judged, negative integers in unsigned types neither.",
            "'which may result in undefined behaviors'.",
            "silence",
        ),
    ],
)


@ConvertPromoteTypes.plain
def plain(rank=4):
    """Two types that do not hold each other's numbers."""
    shape = [2, 3, 5, 4, 1, 2, 3, 1][:rank]
    return f"input_0=i8{shape}; input_1=u16[7]; {UNSAFE}; pytorch_scalar_promotion=true".replace(
        "f32", "i64"
    )


@ConvertPromoteTypes.random
def layer(draw):
    return {
        "input_0": draw.shape(draw.integer(0, 5), most=4),
        "input_1": draw.shape(draw.integer(0, 3), most=4),
        "promote_unsafe": True,
        "pytorch_scalar_promotion": draw.choice([True, False, None]),
        "u64_integer_promotion_target": draw.choice([*KINDS, None]),
    }
