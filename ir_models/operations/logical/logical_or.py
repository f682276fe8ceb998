"""LogicalOr: whether one of both is true (page LogicalOr-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import logical

LogicalOr = logical(
    "LogicalOr-1",
    beside=False,
    examples=examples("""
        a=boolean[256,56]; b=boolean[256,56] -> [256,56]
        a=boolean[8,1,6,1]; b=boolean[7,1,5] -> [8,7,6,5]
    """),
)
