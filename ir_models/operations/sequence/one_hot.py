"""OneHot: classes as vectors (pages OneHot-1 and OneHot-16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ir_models.declaration import *
from ir_models.vocabulary.element_types import boolean, nf4, string, u1

_T1 = types("T1", "int32 or int64")
_T2 = types("T2", "any supported data type")
# Numbers that nearly all types have.
_PAIRS: dict[Any, tuple[Any, Any]] = {
    **dict.fromkeys((boolean, u1, nf4), (1, 0)),
    string: ("in", "out of the class, in a string that is long"),
}


def _classes(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Indices from 0 to depth; depth itself is no class."""
    return np.asarray(state.randint(0, int(layer.depth.value) + 1, layer.indices.shape))


def _scalar(name: str, place: int) -> Input:
    def value(layer: Layer, state: np.random.RandomState) -> np.ndarray:
        pair = _PAIRS.get(layer.tensors(name)[0].element_type, (2, 1))
        return np.array(pair[place])

    return Input(name, _T2, exactly(0), values=value)


def _is_new_axis(layer: Layer) -> bool:
    rank = layer.indices.rank + 1
    return bool(-rank <= layer.axis < rank)


_VARIANTS = variants("""
    axis: any axis of the output, from both ends
        axis=0|1|2|3|-1|-2|-3|-4
    scalar: one index gives one vector
        indices=[]; axis=0|-1
        indices=[1]; axis=0|1
    beyond-depth: an index from depth on has off_value alone
        indices=i32:[0,5,4,6,3]; depth=i32:5; axis=0|1
        indices=i64:[2147483647,2,7]; depth=i64:5; axis=-1
        indices=i64:[4294967297,2,1099511627776]; depth=i64:5; axis=0
    beyond-depth-alone (may be constant): no index is a class
        indices=i64:[5,7,6]; depth=i64:5; axis=0
    repeated: several elements of one class
        indices=i32:[2,2,0,2]; depth=i32:3; axis=0|1
    depth: one class, and many
        indices=i32:[0,1,0]; depth=i32:1; axis=0|1
        depth=300; axis=1|-1
        indices=i64:[2]; depth=i64:3; axis=-1
    values: any two numbers
        on_value=f32:0.5; off_value=f32:-3.25
        on_value=f32:inf; off_value=f32:-inf
        on_value=f64:0.1; off_value=f64:1e-30
        on_value=i64:4294967301; off_value=i64:-4294967303
        on_value=f32:1.2345678806304932; off_value=f32:-0.7654321193695068
        on_value=i32:16777217; off_value=i32:-16777219
        on_value=u64:18446744073709551615; off_value=u64:9223372036854775809
        on_value=u8:255; off_value=u8:254
        on_value=i8:-128; off_value=i8:127
        on_value=f16:65504.0; off_value=f16:-0.0
    equal-values (may be constant): both values may be one number
        on_value=f32:7.0; off_value=f32:7.0
""")


def one_hot(
    name: str,
    opset: str,
    *,
    examples: Sequence[Example],
    readings: Sequence[Reading] = (),
    attributes: Sequence[Attribute] = (),
    plain: Mapping[str, Any] | None = None,
    extra: Sequence[Variant] = (),
    negative: Callable[[Layer], bool] = lambda layer: False,
) -> Operation:
    """``negative``: whether a layer may have negative indices. ``plain``: more attributes of the plain layer."""

    def are_indices(layer: Layer) -> bool:
        stated = layer.indices.value
        return stated is None or negative(layer) or bool(np.all(np.array(stated) >= 0))

    operation = Operation(
        name,
        opset,
        inputs=[
            Input("indices", _T1, values=_classes),
            Index("depth", _T1, exactly(0), least=1),
            _scalar("on_value", 0),
            _scalar("off_value", 1),
        ],
        outputs=[Output("output", _T2)],
        attributes=[Attribute("axis", int, required=True), *attributes],
        examples=examples,
        rules=[
            rule("axis is one of the output", _is_new_axis, "axis=4|-5"),
            rule(
                "indices are not negative",
                are_indices,
                unasked="'behavior for negative indices is undefined'",
            ),
        ],
        variants=[*_VARIANTS, *extra],
        readings=readings,
    )

    @operation.plain
    def plain_layer(rank: int = 3) -> Mapping[str, Any]:
        shape = [2, 3, 4, 1, 2, 3, 2, 2][:rank]
        given = {"indices": shape, "depth": 5, "on_value": [], "off_value": []}
        return {**given, "axis": min(1, rank), **(plain or {})}

    @operation.random
    def layer(draw: Draw) -> Mapping[str, Any]:
        rank = draw.integer(0, 5)
        return {
            "indices": draw.shape(rank, most=4),
            "depth": draw.integer(1, 9),
            "on_value": [],
            "off_value": [],
            "axis": draw.integer(-rank - 1, rank),
            **{a.name: draw.choice([*a.type, None]) for a in attributes},
        }

    return operation


SECOND = """
    indices=i64:[[0,3,1],[1,2,4]]; depth=i64:3; on_value=f32:1.0; off_value=f32:0.0; axis=1
        -> [2,3,3] = [[[1,0,0],[0,0,1],[0,0,0]],[[0,0,0],[1,0,0],[0,1,0]]]
"""
VALUES = "depth=i64:3; on_value=f32:1.0; off_value=f32:2.0; axis=-1"
ROWS = "[4,3] = [[1,2,2],[2,2,2],[2,1,2],[2,2,1]]"
PORTS = [0, 1, 2, 3, 0]

OneHot1 = one_hot(
    "OneHot-1",
    "opset1",
    examples=examples(f"indices=i64:[0,3,1,2]; {VALUES} -> {ROWS}\n{SECOND}", ports=PORTS),
)

OneHot16 = one_hot(
    "OneHot-16",
    "opset16",
    attributes=[
        Attribute(
            "negative_indices_mode", ("ignore_negative", "normalize"), default="ignore_negative"
        )
    ],
    plain={"negative_indices_mode": "normalize"},
    negative=lambda layer: True,
    examples=examples(
        f"indices=i64:[0,-5,-2,2]; {VALUES}; negative_indices_mode=normalize -> {ROWS}\n{SECOND}",
        ports=PORTS,
    ),
    extra=variants("""
        negative: counted from depth, or no class
            indices=i32:[0,-1,-5,4,-3]; depth=i32:5; axis=0|1; negative_indices_mode=normalize|ignore_negative|-
            indices=i64:[[1,-2],[-4,3]]; depth=i64:4; axis=1; negative_indices_mode=normalize|ignore_negative|-
        negative-beyond-depth: an index below -depth is no class
            indices=i32:[0,-6,-5,-11,3]; depth=i32:5; axis=0|1; negative_indices_mode=normalize|ignore_negative
            indices=i64:[-2147483648,-4294967295,1]; depth=i64:3; axis=0; negative_indices_mode=normalize
    """),
    readings=[
        Reading(
            "'ignore-negative' as the value of negative_indices_mode",
            "In IR it is ignore_negative.",
            "The values of other attributes are written with underscores, and readers know no other.",
            "slip",
        ),
        Reading(
            "an index below -depth, where negative_indices_mode is normalize",
            "It is no class: the row has off_value.",
            "The first example, whose -5 is below a depth of 3.",
            "silence",
        ),
    ],
)
