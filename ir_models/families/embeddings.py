"""Bags of embeddings: rows of a table that indices name, weighted, and summed or averaged in bags.

Operations whose bags begin at offsets, are the rows of indices, or are numbered:

    EmbeddingBagOffsetsSum = bags("EmbeddingBagOffsetsSum-3", "opset3", by="offsets", examples=...)
    EmbeddingBagPacked = bags("EmbeddingBagPacked-15", "opset15", by="rows", reduces=True, examples=...)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ir_models.declaration import *
from ir_models.families.indices import in_range
from ir_models.families.optional import LEFT_OUT, in_order
from ir_models.vocabulary.element_types import ElementType, Tensor

By = Literal["offsets", "rows", "segments"]

_T = types("T", "any numeric type")
_T_IND = types("T_IND", "int32 or int64")
_TABLE = "[[-0.2,-0.6],[-0.1,-0.4],[-1.9,-1.8],[-1.0,1.5],[0.8,-0.7]]"

_UNSORTED = Reading(
    "'offsets containing the starting index positions', of which the page states the maximum alone",
    "They do not fall, and none is negative.",
    "A bag reaches to the next offset; the slice of the page's code would be empty although its size is not 0.",
    "silence",
)
_FIRST = Reading(
    "indices before the first offset",
    "They are in no bag.",
    "The page's code begins at offsets[0].",
    "silence",
)
_DEFAULT_OUT_OF_RANGE = Reading(
    "an index that the table does not have",
    "Invalid.",
    "There is no value to gather.",
    "silence",
    admits="Zeros, as Gather-8 has them.",
)


def listed(text: str, output: str, more: str = "") -> list[Example]:
    """An example of the page, whose table all of them share; ``output`` is the printed value."""
    values = json.loads(output)
    shape = list(np.shape(values))
    return [example(f"emb_table=f32:{_TABLE}; {text}", output=shape, values=[values], erratum=more)]


def _most(layer: Layer) -> int:
    """The most indices that one bag can have."""
    return max(layer.indices.shape[-1], 1)


def _summands(layer: Layer, kind: ElementType) -> Interval:
    """Numbers whose weighted sums fit."""
    if kind.is_float:
        return Interval(-4.0, 4.0, least=0.25)
    low, high = kind.integer_range
    most = int(min(high, 2**20) / _most(layer))
    if layer.per_sample_weights is not None:
        most = int((min(high, 2**20) / _most(layer)) ** 0.5)
    return Interval(max(low, -most), max(most, 1))


def _rows(layer: Layer) -> int:
    return int(layer.emb_table.shape[0])


def _anywhere(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    return state.randint(0, max(_rows(layer), 1), layer.indices.shape)


def _inputs(by: By) -> list[Input]:
    """The table, the indices, what forms bags of them, a default and weights."""
    is_packed = by == "rows"
    of_indices = "batch, indices_per_bag" if is_packed else "num_indices"
    inputs = [
        Input("emb_table", _T, shape="num_emb, *emb_dims", values=Within(_summands)),
        Input("indices", _T_IND, shape=of_indices, values=_anywhere),
    ]
    scalar = exactly(0)
    if by == "offsets":
        inputs.append(Index("offsets", _T_IND, shape="batch", plain=[0, 3, 3, 5]))
    elif by == "segments":
        inputs.append(
            Index("segment_ids", _T_IND, shape="num_indices", plain=[0, 0, 0, 2, 2, 4, 4])
        )
        inputs.append(Index("num_segments", _T_IND, scalar, plain=6))
    if not is_packed:
        inputs.append(Index("default_index", _T_IND, scalar, optional=True, plain=2))
    inputs.append(
        Input(
            "per_sample_weights",
            _T,
            shape=of_indices,
            optional=True,
            values=Within(_summands),
        )
    )
    return inputs


def _drawn(draw: Draw, by: By, reduces: bool) -> Mapping[str, Any]:
    count, rows = draw.integer(1, 9), draw.integer(1, 6)
    table = [rows, *draw.shape(draw.integer(0, 3), most=4)]
    reduction = draw.choice(["sum", "mean", None]) if reduces else None
    weighted = reduction != "mean" and draw.boolean()
    found: dict[str, Any] = {"emb_table": table, "indices": [count]}
    if by == "rows":
        found["indices"] = [draw.integer(1, 4), count]
    elif by == "offsets":
        starts = sorted(draw.integer(0, count) for _ in range(draw.integer(0, 4)))
        found["offsets"] = [0, *starts]
    else:
        segments = draw.integer(1, 6)
        found["segment_ids"] = sorted(draw.integer(0, segments - 1) for _ in range(count))
        found["num_segments"] = segments
    if by != "rows" and (weighted or draw.boolean()):
        lowest = -1 if by == "offsets" else 0
        found["default_index"] = draw.integer(lowest, rows - 1)
    if weighted:
        found["per_sample_weights"] = found["indices"]
    return {**found, **({"reduction": reduction} if reduces else {})}


def _within_indices(layer: Layer, by: By) -> Mapping[str, Any]:
    """Bags of the indices that there are, a weight for each, and a default that the table has."""
    count, changes = int(layer.indices.shape[0]), dict[str, Any]()
    if layer.per_sample_weights is not None and layer.per_sample_weights.value is None:
        changes["per_sample_weights"] = layer.per_sample_weights.with_shape(*layer.indices.shape)
    if by == "offsets":
        changes["offsets"] = [min(n, count) for n in layer.offsets.value]
    elif by == "segments":
        ids = layer.segment_ids.value
        changes["segment_ids"] = [*ids, *ids[-1:] * count][:count]
    if by != "rows" and layer.default_index is not None:
        changes["default_index"] = min(layer.default_index.value, _rows(layer) - 1)
    return changes


def bags(
    name: str,
    opset: str,
    *,
    by: By,
    reduces: bool = False,
    examples: Sequence[Example] = (),
) -> Operation:
    """An operation whose bags are given ``by`` offsets, rows of indices, or the segment of each index.

    ``reduces``: it has the attribute reduction, sum or mean.
    """
    inputs, is_packed = _inputs(by), by == "rows"
    attributes = []
    if reduces:
        attributes.append(Attribute("reduction", ("sum", "mean"), default="sum", plain="sum"))
    optional = ["per_sample_weights"] if is_packed else ["default_index", "per_sample_weights"]
    operation = Operation(
        name,
        opset,
        inputs,
        [Output("output", _T)],
        attributes,
        examples,
        [
            *_rules(by),
            *(_RULES_OF_MEAN if reduces else []),
            *([] if is_packed else [in_order(*optional)]),
        ],
        sizes={
            "num_emb": 5,
            "emb_dims": [2, 3],
            "num_indices": 7,
            "batch": 4,
            "indices_per_bag": 3,
        },
        variants=variants(_variants(by, reduces)),
        readings=[
            _DEFAULT_OUT_OF_RANGE,
            *([] if is_packed else [LEFT_OUT]),
            *([_FIRST] if by == "offsets" else []),
        ],
        mixes=True,
    )

    @operation.plain
    def plain(rank: int = 3) -> Mapping[str, Any]:
        parameters: Sequence[Input | Attribute] = (*inputs, *attributes)
        given = {each.name: each.plain for each in parameters if each.plain is not None}
        places = [4, 3] if is_packed else [7]
        table = [5, 2, 3, 1, 2, 1, 2, 1][:rank]
        return {**given, "emb_table": table, "indices": places, "per_sample_weights": places}

    operation.random(lambda draw: _drawn(draw, by, reduces))
    operation.adapt(lambda layer: _within_indices(layer, by))
    return operation


# --- rules --------------------------------------------------------------------------------------------------------


def _stated(layer: Layer) -> Tensor:
    given: Tensor = layer.indices
    return given


def _rules(by: By) -> list[Rule]:
    wrong = "[[0,1,5],[0,1,2],[3,4,0],[1,1,1]]|i64:[[0,1,-1],[0,1,2],[3,4,0],[1,1,1]]"
    if by != "rows":
        wrong = "[0,1,5,2,3,4,0]|i64:[0,1,-1,2,3,4,0]"
    found = [
        rule(
            "indices are in [0, num_emb - 1]",
            lambda layer: in_range(_stated(layer), _rows(layer)),
            f"indices=i64:{wrong}",
        )
    ]
    if by == "offsets":
        found += [
            rule(
                "offsets are at most num_indices",
                lambda layer: all(n <= layer.indices.size for n in numbers(layer.offsets)),
                "offsets=0,3,3,8",
            ),
            rule(
                "offsets do not fall, from 0 on",
                lambda layer: (
                    numbers(layer.offsets) == sorted(max(n, 0) for n in numbers(layer.offsets))
                ),
                unasked="the page does not say it",
                reading=_UNSORTED,
            ),
        ]
    if by == "segments":
        found += [
            rule(
                "segment_ids are sorted",
                lambda layer: numbers(layer.segment_ids) == sorted(numbers(layer.segment_ids)),
                "segment_ids=0,0,2,0,2,4,4|4,4,2,2,0,0,0",
            ),
            rule(
                "segment_ids are in [0, num_segments - 1]",
                lambda layer: in_range(layer.segment_ids, int(layer.num_segments.value)),
                "segment_ids=0,0,0,2,2,4,6|-1,0,0,2,2,4,4",
            ),
            rule(
                "num_segments is not negative",
                lambda layer: layer.num_segments.value >= 0,
                unasked="there is no segment that segment_ids name",
            ),
        ]
    if by != "rows":
        least = -1 if by == "offsets" else 0
        found.append(
            rule(
                f"default_index is in [{least}, num_emb - 1]",
                lambda layer: all(
                    least <= n < max(_rows(layer), least + 1) for n in numbers(layer.default_index)
                ),
                f"default_index=5|{least - 1}",
            )
        )
    return found


_RULES_OF_MEAN = [
    rule(
        "with the reduction mean there are no per_sample_weights",
        lambda layer: layer.reduction != "mean" or layer.per_sample_weights is None,
        "reduction=mean",
    )
]


# --- variants -----------------------------------------------------------------------------------------------------


def _variants(by: By, reduces: bool) -> str:
    found = f"""
        weights: those of the page, zeros and negative ones
            {
        "indices=i64:[0,2,3,4]; per_sample_weights=f32:[0.5,0.0,-2.0,1.0]"
        if by != "rows"
        else "indices=i64:[[0,2],[1,4]]; per_sample_weights=f32:[[0.5,0.0],[-2.0,1.0]]"
    }{_FOUR[by]}
        repeated-indices: a row counts as often as it is named
            indices=i64:{"[4,4,4,0,0,4,4]" if by != "rows" else "[[4,4,4],[0,4,0],[0,0,0],[1,1,4]]"}
        large-integers: numbers that no f32, f64 or 32-bit integer holds
            emb_table={_LARGE}; per_sample_weights=-; indices={_LARGE_BAGS[by]}
        tables: embeddings of any rank, of one number and of many
            emb_table=[5]|[5,1]|[5,70]|[5,2,1,3,2]|[1,4]; indices={
        "[7]" if by != "rows" else "[4,3]"
    }{_DEFAULT[by]}
    """
    if by == "rows":
        found += """
        bags: one bag, one index in each, many of both
            indices=[1,3]|[4,1]|[1,1]|[40,30]; per_sample_weights=-
        """
    if by == "offsets":
        found += """
        empty-bags: the first, in between, the last and all but one
            offsets=0,0,3,5|0,3,3,7|0,7,7,7|0,3,7,7|0,0,0,0; default_index=2|0|-1|-
        bags: one bag, one index in each, indices before the first one
            offsets=0|0,1,2,3,4,5,6|2,4|7; default_index=4
        many-indices: bags of many
            indices=[300]; offsets=0,100,100,299; emb_table=[40,16]; per_sample_weights=-
        """.replace("default_index=2|0|-1|-", "per_sample_weights=-; default_index=2|0|-1|-")
    if by == "segments":
        found += """
        empty-segments: the first, in between, the last and all but one
            segment_ids=1,1,2,2,3,3,5|0,0,0,0,0,0,0|5,5,5,5,5,5,5; per_sample_weights=-; default_index=2|0|-
            num_segments=5|6|9
            indices=[8]; segment_ids=0,0,0,1,1,3,5,5; per_sample_weights=[8]; num_segments=6
        many-indices: segments of many
            indices=[12]; segment_ids=0,0,0,0,0,0,0,0,0,0,0,5; emb_table=[40,16]; per_sample_weights=[12]
        """
    if by != "rows":
        found += f"""
        no-indices: every bag is empty
            indices=[0]; {_NO_BAGS[by]}; per_sample_weights=-; default_index=2
        """
    if reduces:
        bags_of = {"offsets": "offsets=0,3,3,5|0,0,7,7|0", "rows": "indices=[4,3]|[2,7]|[3,1]"}[by]
        found += f"""
        mean: the sum over the size of each bag
            reduction=mean; per_sample_weights=-; {bags_of}{_NO_DEFAULT[by]}
        mean-of-large-integers: the mean fits the type, the sum does not
            emb_table={_LARGEST}; reduction=mean; per_sample_weights=-; indices={_LARGE_BAGS[by]}
        """
    return found


_LARGE = "i32:[16777217,3,5]|i64:[4503599627370497,3,5]|u64:[4503599627370497,3,5]"
_LARGEST = "i8:[127,125,5]|i16:[32767,32765,5]|i32:[2147483647,2147483645,5]"
_LARGE_BAGS = {
    "offsets": "i64:[0,1,0,2]; offsets=0,1,3; default_index=1",
    "rows": "i64:[[0,1],[2,0]]",
    "segments": "i64:[0,1,0,2]; segment_ids=0,1,1,2; num_segments=3; default_index=1",
}
_NO_BAGS = {"offsets": "offsets=0,0,0", "segments": "segment_ids="}
_FOUR = {
    "offsets": "; offsets=0,2,2",
    "rows": "",
    "segments": "; segment_ids=0,0,2,2; num_segments=3",
}
_DEFAULT = {"offsets": "; default_index=0", "rows": "", "segments": "; default_index=0"}
_NO_DEFAULT = {"offsets": "; default_index=2|-1|-", "rows": "", "segments": ""}
