"""ReduceL1: sums of absolute values over axes (page ReduceL1-4)."""

from ir_models.declaration import *
from ir_models.families.reductions import NORM_WITHOUT_AXES, SUMS, reduction, summands

T = types("T", "any supported numeric type")

ReduceL1 = reduction(
    "ReduceL1-4",
    "opset4",
    T,
    Within(summands),
    sums=SUMS,
    variants=variants("""
        sums-beyond-24-bits: integers are exact
            data=i32:[[16777217,-2,3],[-2147483647,0,0],[-2000000000,100000001,-5]]; axes=[1]
        sums-beyond-32-bits: 64-bit integers are any numbers of their type, and so are their sums
            data=u64:[[4294967297,5,7],[9,9007199254740993,11],[18446744073709551611,3,1]]; axes=[1]
            data=i64:[[4294967297,-5,7],[9,-9007199254740993,11],[-9223372036854775803,3,1]]; axes=[1]
    """),
    readings=[NORM_WITHOUT_AXES],
)
