"""Recurrent cells, and the sequences that repeat them.

LSTMCell = cell("LSTMCell-4", "opset4", T, gates=4, activations=("sigmoid", "tanh", "tanh"), states=..., outputs=...)
GRUSequence = cell("GRUSequence-5", "opset5", T1, gates=3, ..., lengths=T2)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from ir_models.declaration import (
    Attribute,
    Changes,
    Draw,
    Example,
    Index,
    Input,
    Interval,
    Layer,
    Operation,
    Output,
    Rule,
    Variant,
    exactly,
    rule,
    variant,
)
from ir_models.element_types import TypeSet, f32

ACTIVATIONS = ("relu", "sigmoid", "tanh")
DIRECTIONS = ("forward", "reverse", "bidirectional")

# Pre-activations spread over several units, so that activations bend and clip cuts. A cell state stays within 2.
STATES, WEIGHTS = Interval(-1, 1), Interval(-2, 2)

_SIZES = {"batch_size": 3, "seq_length": 6, "input_size": 5, "hidden_size": 4, "num_directions": 2}


def cell(
    name: str,
    opset: str,
    types: TypeSet,
    *,
    gates: int,
    activations: Sequence[str],
    states: Sequence[str] = ("initial_hidden_state",),
    outputs: Sequence[str] = ("Ho",),
    bias: Callable[[Layer], int] | None = None,
    bias_optional: bool = False,
    lengths: TypeSet | None = None,
    attributes: Sequence[Attribute] = (),
    examples: Sequence[Example] = (),
    violations: Sequence[Changes] = (),
    variants: Sequence[Variant] = (),
) -> Operation:
    """A cell whose weights have ``gates`` parts, or with ``lengths``, the types of sequence_lengths, a sequence of it.

    ``activations`` are the default ones. ``bias``: how many parts B has, where these are not the gates.
    """
    given = [
        Attribute("hidden_size", int, required=True, least=1),
        # The default ones, which alone every device has.
        Attribute("activations", list[str], default=tuple(activations), plain=tuple(activations)),
        Attribute("activations_alpha", list[float], plain=(0.5, 0.25, 0.75)[: len(activations)]),
        Attribute("activations_beta", list[float], plain=(0.125, 1.0, 2.0)[: len(activations)]),
        # Cuts sums, not the state.
        Attribute("clip", float, plain=2.5),
        *attributes,
    ]
    if lengths is not None:
        given.append(Attribute("direction", DIRECTIONS, required=True, plain="bidirectional"))
    operation = Operation(
        name,
        opset,
        inputs=_inputs(types, gates, states, bias, bias_optional, lengths),
        outputs=[Output(each, types) for each in outputs],
        attributes=given,
        examples=examples,
        rules=_rules(activations, lengths is not None),
        violations=violations,
        sizes={n: s for n, s in _SIZES.items() if lengths or n not in _OF_SEQUENCES},
    )
    plain = {a.name: a.plain for a in given if a.plain is not None}
    parts = bias(operation.layer(**plain)) if bias else gates
    operation.variants = [
        *_variants(gates, parts, activations, states, bias_optional, lengths is not None),
        *variants,
    ]

    @operation.random
    def layer(draw: Draw) -> Mapping[str, Any]:
        sizes = {"batch_size": draw.integer(1, 5)}
        sizes |= {"input_size": draw.integer(1, 12), "hidden_size": draw.integer(1, 12)}
        chosen = draw.choice([[draw.choice(ACTIVATIONS) for _ in activations], None])
        # Of clip the cell state stays clear: of states beyond it, cases of their own ask.
        clip = draw.choice([draw.real(2.0, 5.0), None]) if chosen is None else None
        without_bias = bias_optional and draw.choice([False, True])
        drawn: dict[str, Any] = {"activations": chosen, "clip": clip}
        drawn |= {a.name: draw.choice([False, True]) for a in attributes if a.type is bool}
        if lengths is not None:
            drawn["direction"] = draw.choice(DIRECTIONS)
            sizes["num_directions"] = 2 if drawn["direction"] == "bidirectional" else 1
            sizes["seq_length"] = draw.integer(1, 8)
            drawn["sequence_lengths"] = [
                draw.integer(1, sizes["seq_length"]) for _ in range(sizes["batch_size"])
            ]
        bare = operation.layer(**drawn)
        for each in operation.inputs:
            if not each.index and not (without_bias and each.name == "B"):
                drawn[each.name] = each.patterns_of(bare)[0].shape(sizes)
        return {**drawn, "hidden_size": sizes["hidden_size"]}

    if lengths is not None:

        @operation.adapt
        def within_seq_length(layer: Layer) -> Mapping[str, Any]:
            given = layer.sequence_lengths.value
            return {"sequence_lengths": [min(length, layer.X.shape[1]) for length in given]}

        one_way = {i.name: i.patterns_of(operation.layer(**plain))[0] for i in operation.inputs}
        sizes = {**_SIZES, "num_directions": 1}
        shapes = {n: p.shape(sizes) for n, p in one_way.items() if n != "sequence_lengths"}
        found = ({**shapes, "direction": direction} for direction in DIRECTIONS[:2])
        operation.variants.append(variant("one-direction", "forward or reverse alone", *found))

    return operation


_OF_SEQUENCES = ("seq_length", "num_directions")


def _inputs(
    types: TypeSet,
    gates: int,
    states: Sequence[str],
    bias: Callable[[Layer], int] | None,
    bias_optional: bool,
    lengths: TypeSet | None,
) -> list[Input]:
    time, directions = ("seq_length, ", "num_directions, ") if lengths is not None else ("", "")
    rows = f"{gates}*hidden_size" if gates > 1 else "hidden_size"
    inputs = [
        Input("X", types, shape=f"batch_size, {time}input_size", values=STATES),
        *(
            Input(each, types, shape=f"batch_size, {directions}hidden_size", values=STATES)
            for each in states
        ),
        Input("W", types, shape=f"{directions}{rows}, input_size", values=WEIGHTS),
        Input("R", types, shape=f"{directions}{rows}, hidden_size", values=WEIGHTS),
        Input(
            "B",
            types,
            exactly(2 if directions else 1),
            shape=f"{directions}{rows}"
            if bias is None
            else lambda layer: f"{directions}{bias(layer)}*hidden_size",
            values=STATES,
            optional=bias_optional,
        ),
    ]
    if lengths is not None:
        index = Index("sequence_lengths", lengths, shape="batch_size", plain=(6, 2, 4))
        inputs.insert(1 + len(states), index)
    return inputs


def _rules(activations: Sequence[str], is_sequence: bool) -> list[Rule]:
    count = len(activations)
    found = [
        rule(
            f"activations are {count} of relu, sigmoid, tanh",
            lambda layer: (
                len(layer.activations) == count and {*layer.activations} <= {*ACTIVATIONS}
            ),
            [
                {"activations": tuple(activations[:-1] or [*activations, "tanh"])},
                {"activations": (*activations[:-1], "unheard_of")},
            ],
        ),
        rule(
            "clip is positive",
            lambda layer: layer.clip is None or layer.clip > 0,
            ["clip=0.0", "clip=-2.5"],
        ),
    ]
    if is_sequence:
        found += [
            rule(
                "num_directions is 2 for bidirectional, 1 for forward and reverse",
                lambda layer: layer.W.shape[0] == 1 + (layer.direction == "bidirectional"),
                ["direction=forward", "direction=reverse"],
            ),
            # Nothing breaks it: what then happens is undefined.
            rule(
                "sequence_lengths are from 0 to seq_length",
                lambda layer: all(0 <= n <= layer.X.shape[1] for n in layer.sequence_lengths.value),
            ),
        ]
    return found


def _variants(
    gates: int,
    parts: int,
    activations: Sequence[str],
    states: Sequence[str],
    bias_optional: bool,
    is_sequence: bool,
) -> list[Variant]:
    count = len(activations)
    one_direction: dict[str, Any] = {}
    if is_sequence:
        one_direction = {"direction": "forward", "sequence_lengths": [5, 3, 4]}

    def sized(batch: int, rows: Any) -> dict[str, Any]:
        """Hidden states of one element."""
        found = dict.fromkeys(states, [batch, 1, 1] if is_sequence else [batch, 1])
        return {"hidden_size": 1, **found, **{name: weights(each) for name, each in rows.items()}}

    def weights(values: Any) -> Any:
        return f32.tensor([values] if is_sequence else values)

    constant = {
        **sized(
            3,
            {
                "W": [[0.5, -1.25], [1.75, 0.25], [-0.75, 2.0], [1.5, -0.5]][:gates],
                "R": [[1.0], [-1.5], [0.75], [-0.25]][:gates],
                "B": [0.5, -0.25, 0.125, -1.0][:parts],
            },
        ),
        "X": [3, 5, 2] if is_sequence else [3, 2],
        **one_direction,
    }
    usual = dict.fromkeys(("clip", "activations_alpha", "activations_beta"))
    found = [
        variant(
            "activations",
            "any combination of functions",
            *({"activations": each, "clip": None} for each in product(ACTIVATIONS, repeat=count)),
        ),
        variant(
            "clip",
            "cuts nothing, some sums, nearly all; the state too, before its activation",
            *({"clip": clip} for clip in (1000.0, 2.0, 0.25)),
            {"clip": 1.5, "activations": ("tanh", "relu", "sigmoid")[:count]},
        ),
        variant(
            "constant-weights",
            "kernels for sequences know these; clip and parameters of activations keep a layer from them",
            constant,
            {**constant, **usual},
            *([{**constant, **usual, "B": None}] if bias_optional else []),
        ),
    ]
    if not is_sequence:
        x = f32.tensor([[40.0], [-40.0], [120.0], [0.5]])
        rows = {"W": [[1.0], [2.0], [-1.0], [1.5]][:gates]}
        found.append(
            variant(
                "saturated",
                "sums far beyond where sigmoid and tanh are flat, on both sides",
                {**sized(4, rows), "R": [gates, 1], "B": [parts], "X": x, "clip": None},
            )
        )
    return found
