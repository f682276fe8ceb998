"""ReduceSum: sums over axes (page ReduceSum-1)."""

from ir_models.declaration import *
from ir_models.families.reductions import SUMS, reduction, summands

T = types("T", "any supported numeric type")

ReduceSum = reduction(
    "ReduceSum-1",
    "opset1",
    T,
    Within(summands),
    sums=SUMS,
    variants=variants("""
        sums-beyond-32-bits: 64-bit integers are any numbers of their type, and so are their sums
            data=u64:[[4294967297,5,7],[9,9007199254740993,11],[18446744073709551611,3,1]]; axes=[1]
            data=i64:[[4294967297,5,7],[9,-9007199254740993,11],[9223372036854775803,3,1]]; axes=[1]
    """),
)
