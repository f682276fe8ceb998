"""Classes as vectors that have one value at the class and another one elsewhere.

OneHot = one_hot("OneHot-1", "opset1", examples=examples("indices=i64:[0,3]; depth=3; axis=-1; ..."))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ir_models.declaration import (
    Attribute,
    Draw,
    Example,
    Index,
    Input,
    Layer,
    Operation,
    Output,
    Reading,
    Variant,
    exactly,
    rule,
    types,
    variants,
)
from ir_models.element_types import boolean, nf4, string, u1

_T1 = types("T1", "int32 or int64")
_T2 = types("T2", "any supported data type")
# Numbers that nearly all types have.
_PAIRS: dict[Any, tuple[Any, Any]] = {
    **dict.fromkeys((boolean, u1, nf4), (1, 0)),
    string: ("in", "out of the class, in a string that is long"),
}


def _classes(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Indices from 0 to depth, the last of which is no class."""
    return np.asarray(state.randint(0, int(layer.depth.value) + 1, layer.indices.shape))


def _scalar(name: str, place: int) -> Input:
    def value(layer: Layer, state: np.random.RandomState) -> np.ndarray:
        pair = _PAIRS.get(layer.tensors(name)[0].element_type, (2, 1))
        return np.array(pair[place])

    return Input(name, _T2, exactly(0), values=value)


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

    def is_new_axis(layer: Layer) -> bool:
        rank = layer.indices.rank + 1
        return bool(-rank <= layer.axis < rank)

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
            rule("axis is one of the output", is_new_axis, "axis=4|-5"),
            rule(
                "indices are not negative",
                are_indices,
                unasked="'behavior for negative indices is undefined'",
            ),
        ],
        variants=[
            *variants("""
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
            """),
            *extra,
        ],
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
