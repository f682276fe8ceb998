"""Recurrent cells, and the sequences that repeat them.

LSTMCell = cell("LSTMCell-4", "opset4", T, gates=4, activations=("sigmoid", "tanh", "tanh"), states=..., outputs=...)
GRUSequence = cell("GRUSequence-5", "opset5", T1, gates=3, ..., lengths=T2)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ir_models.declaration import *
from ir_models.vocabulary.element_types import f32

ACTIVATIONS = ("relu", "sigmoid", "tanh")
DIRECTIONS = ("forward", "reverse", "bidirectional")

# Pre-activations spread over several units, so that activations bend and clip cuts. A cell state stays within 2.
STATES, WEIGHTS = Interval(-1, 1), Interval(-2, 2)

_SIZES = {"batch_size": 3, "seq_length": 6, "input_size": 5, "hidden_size": 4, "num_directions": 2}
_ONE_DIRECTION = {**_SIZES, "num_directions": 1}
_LENGTHS = (6, 2, 4)


def _inputs(
    types: TypeSet,
    gates: int,
    states: Sequence[str],
    bias: Callable[[Layer], int] | None,
    bias_optional: bool,
    is_sequence: bool,
) -> list[Input]:
    """The data, the states, and the weights of each gate."""
    batch, time, each_way = "batch_size, ", "", ""
    rows = f"{gates}*hidden_size" if gates > 1 else "hidden_size"
    if is_sequence:
        time, each_way = "seq_length, ", "num_directions, "
    return [
        Input("X", types, shape=f"{batch}{time}input_size", values=STATES),
        *(Input(n, types, shape=f"{batch}{each_way}hidden_size", values=STATES) for n in states),
        Input("W", types, shape=f"{each_way}{rows}, input_size", values=WEIGHTS),
        Input("R", types, shape=f"{each_way}{rows}, hidden_size", values=WEIGHTS),
        Input(
            "B",
            types,
            exactly(2 if is_sequence else 1),
            bias_optional,
            shape=lambda layer: f"{each_way}{f'{bias(layer)}*hidden_size' if bias else rows}",
            values=STATES,
        ),
    ]


def _attributes(activations: Sequence[str]) -> list[Attribute]:
    """The attributes of all cells, with the default activations."""
    count = len(activations)
    return [
        Attribute("hidden_size", int, required=True, least=1),
        # The default ones, which alone every device has.
        Attribute("activations", list[str], default=tuple(activations), plain=tuple(activations)),
        Attribute("activations_alpha", list[float], plain=(0.5, 0.25, 0.75)[:count]),
        Attribute("activations_beta", list[float], plain=(0.125, 1.0, 2.0)[:count]),
        # Cuts sums, not the state.
        Attribute("clip", float, plain=2.5),
    ]


def _drawn(operation: Operation, count: int, is_sequence: bool, draw: Draw) -> Mapping[str, Any]:
    """Sizes, ``count`` activations, and what a sequence has besides."""
    sizes = {"batch_size": draw.integer(1, 5)}
    sizes |= {"input_size": draw.integer(1, 12), "hidden_size": draw.integer(1, 12)}
    chosen = draw.choice([[draw.choice(ACTIVATIONS) for _ in range(count)], None])
    # Of clip the cell state stays clear: of states beyond it, cases of their own ask.
    clip = draw.choice([draw.real(2.0, 5.0), None]) if chosen is None else None
    left_out = {"B": None} if operation.input("B").optional and draw.choice([False, True]) else {}
    drawn: dict[str, Any] = {"activations": chosen, "clip": clip}
    drawn |= {a.name: draw.choice([False, True]) for a in operation.attributes if a.type is bool}
    if is_sequence:
        drawn["direction"] = draw.choice(DIRECTIONS)
        sizes["num_directions"] = 2 if drawn["direction"] == "bidirectional" else 1
        sizes["seq_length"] = most = draw.integer(1, 8)
        drawn["sequence_lengths"] = [draw.integer(1, most) for _ in range(sizes["batch_size"])]
    return {**drawn, **_sized(operation, drawn, sizes), **left_out}


def _within_seq_length(layer: Layer) -> Mapping[str, Any]:
    given = layer.sequence_lengths.value
    return {"sequence_lengths": [min(length, layer.X.shape[1]) for length in given]}


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
    readings: Sequence[Reading] = (),
) -> Operation:
    """A cell whose weights have ``gates`` parts, or with ``lengths``, the types of sequence_lengths, a sequence of it.

    ``activations`` are the default ones. ``bias``: how many parts B has, where these are not the gates.
    """
    count, is_sequence = len(activations), lengths is not None
    inputs = _inputs(types, gates, states, bias, bias_optional, is_sequence)
    given = _attributes(activations)
    if lengths is not None:
        index = Index("sequence_lengths", lengths, shape="batch_size", plain=_LENGTHS)
        inputs.insert(1 + len(states), index)
        given.append(Attribute("direction", DIRECTIONS, required=True, plain="bidirectional"))
    given += attributes
    operation = Operation(
        name,
        opset,
        inputs,
        [Output(each, types) for each in outputs],
        given,
        examples,
        [*_rules(activations), *(_RULES_OF_SEQUENCES if is_sequence else ())],
        violations,
        sizes=_SIZES,
        mixes=True,
        readings=readings,
    )
    operation.variants = _variants(operation, activations, is_sequence)

    operation.random(lambda draw: _drawn(operation, count, is_sequence, draw))
    if is_sequence:
        operation.adapt(_within_seq_length)
    return operation


def _sized(
    operation: Operation, attributes: Mapping[str, Any], sizes: Mapping[str, int]
) -> dict[str, Any]:
    """The shapes of the inputs for the sizes of names."""
    bare = operation.layer(**attributes)
    data = [each for each in operation.inputs if not each.index]
    shapes = {each.name: each.patterns_of(bare)[0].shape(sizes) for each in data}
    return {**shapes, "hidden_size": sizes["hidden_size"]}


def _rules(activations: Sequence[str]) -> list[Rule]:
    count = len(activations)
    wrong = [activations[:-1] or [*activations, "tanh"], [*activations[:-1], "unheard_of"]]
    return [
        rule(
            f"activations are {count} of relu, sigmoid, tanh",
            lambda layer: (
                len(layer.activations) == count and {*layer.activations} <= {*ACTIVATIONS}
            ),
            [{"activations": tuple(each)} for each in wrong],
        ),
        rule(
            "clip is positive",
            lambda layer: layer.clip is None or layer.clip >= 0,
            ["clip=-2.5"],
            reading=CLIP_0,
        ),
    ]


CLIP_0 = Reading(
    "clip of 0: 'a positive floating-point number'",
    "Nothing is clipped, as without clip.",
    "Every producer of IR writes 0 for no clipping; to clip to [0, 0] would leave nothing of a cell.",
    "contradiction",
    admits="A refusal, as 0 is not positive.",
)
STATE_CLIPPED = Reading(
    "'Clipping is performed before activations', of Ht = ot (.) h(Ct)",
    "The cell state is clipped before h, and stays as it is in Co.",
    "h is one of the activation functions: 'f, g, h are activation functions'.",
    admits="A cell state that is not clipped before h.",
)
BEYOND_LENGTH = Reading(
    "Y beyond the length of a sequence",
    "It is not judged.",
    "The formulas end with the last step.",
    "silence",
)
LENGTH_0 = Reading(
    "sequence_lengths of 0",
    "The state stays the initial one.",
    "The formulas have no step to make.",
    "silence",
    admits="Zeros: 'the last output value of hidden state' is not there.",
)
UNSETTLED = Reading(
    "NaN under clip or relu, sums that overflow in some order of addition",
    "Elements that depend on them are not judged.",
    "Clip and relu are defined by comparisons of numbers.",
    "silence",
)

_RULES_OF_SEQUENCES = [
    rule(
        "num_directions is 2 for bidirectional, 1 for forward and reverse",
        lambda layer: (
            layer.direction not in DIRECTIONS
            or layer.W.shape[0] == 1 + (layer.direction == "bidirectional")
        ),
        ["direction=forward", "direction=reverse"],
    ),
    rule(
        "sequence_lengths are from 0 to seq_length",
        lambda layer: all(0 <= n <= layer.X.shape[1] for n in layer.sequence_lengths.value),
        unasked="the page leaves the behavior undefined",
    ),
]


@dataclass(frozen=True)
class _Layers:
    """Layers of a cell or sequence whose sizes, weights or attributes are not those of the plain one."""

    operation: Operation
    is_sequence: bool

    @property
    def plain(self) -> dict[str, Any]:
        """The attributes of the plain layer."""
        return {a.name: a.plain for a in self.operation.attributes if a.plain is not None}

    @property
    def flags(self) -> list[str]:
        """The names of attributes that are true or false."""
        return [a.name for a in self.operation.attributes if a.type is bool]

    def sized(self, stated: Mapping[str, Sequence[float]], **sizes: int) -> dict[str, Any]:
        """Other sizes, in one direction, and inputs whose elements are stated as far as they last, then again."""
        found = _sized(self.operation, self.plain, {**_ONE_DIRECTION, **sizes})
        for name, elements in stated.items():
            found[name] = f32.tensor(np.resize(elements, found[name]).tolist())
        if self.is_sequence:
            found["sequence_lengths"] = np.resize(_LENGTHS, sizes.get("batch_size", 3)).tolist()
            found["direction"] = "forward"
        return found

    def exported(self, flag: bool, **sizes: int) -> dict[str, Any]:
        """Without clip and parameters of activations, which keep a layer from kernels for cells and sequences."""
        chosen = dict.fromkeys(self.flags, flag)
        units = {**_ONE_DIRECTION, "input_size": 8, "hidden_size": 8}
        shapes = _sized(self.operation, {**self.plain, **chosen}, {**units, **sizes})
        bare = dict.fromkeys(("activations_alpha", "activations_beta", "clip"))
        return {**self.sized({}, **sizes), **shapes, **bare, **chosen}


def _variants(operation: Operation, activations: Sequence[str], is_sequence: bool) -> list[Variant]:
    count = len(activations)
    layers = _Layers(operation, is_sequence)
    sized, flags = layers.sized, layers.flags

    weights = {"W": (0.5, -1.25, 1.75, 0.25, -0.75, 2.0, 1.5, -0.5), "R": (1.0, -1.5, 0.75, -0.25)}
    constant = sized({**weights, "B": (0.5, -0.25, 0.125, -1.0)}, input_size=2, hidden_size=1)
    usual = {**constant, **dict.fromkeys(("clip", "activations_alpha", "activations_beta"))}
    saturated = {"X": (40.0, -40.0, 120.0, 0.5), "W": (1.0, 2.0, -1.0, 1.5)}

    as_exported = product((1, 3), (False, True) if flags else (False,))
    found = [
        variant(
            "exported",
            "as exporters of models write it: one batch element, or several",
            *(layers.exported(flag, batch_size=batch) for batch, flag in as_exported),
        ),
        variant(
            "activations",
            "any combination of functions",
            *({"activations": each, "clip": None} for each in product(ACTIVATIONS, repeat=count)),
        ),
        variant(
            "clip",
            "cuts nothing, some sums, nearly all; the state too, before its activation",
            "clip=1000.0|2.0|0.25",
            {"clip": 1.5, "activations": ("tanh", "relu", "sigmoid")[:count]},
        ),
        variant("clip-0", "no clipping, as models write it", "clip=0.0"),
        variant(
            "constant-weights",
            "kernels for sequences know these; clip and parameters of activations keep a layer from them",
            # The first one is crossed with ways of asking, such as unknown dimensions.
            *(usual, constant, *([{**usual, "B": None}] if operation.input("B").optional else [])),
        ),
        variant(
            "saturated",
            "sums far beyond where sigmoid and tanh are flat, on both sides",
            {**sized(saturated, batch_size=4, input_size=1, hidden_size=1), "clip": None},
        ),
    ]
    for flag in flags:
        # B may have another shape then.
        ways = (
            {**_sized(operation, {**layers.plain, flag: value}, _SIZES), flag: value}
            for value in (False, None)
        )
        found.append(variant(flag.replace("_", "-"), "what it says and its default", *ways))
    return found + (_variants_of_sequences(layers) if is_sequence else [])


def _variants_of_sequences(layers: _Layers) -> list[Variant]:
    ways = ({**layers.sized({}), "direction": direction} for direction in DIRECTIONS[:2])
    one_direction = variant("one-direction", "forward or reverse alone", *ways)
    lengths = variant(
        "lengths",
        "each batch element has its own; without a step a state remains as it is",
        "sequence_lengths=0,6,1; direction=bidirectional",
        *(
            {**layers.sized({}), "sequence_lengths": [3, 0, 6], "direction": d}
            for d in DIRECTIONS[:2]
        ),
    )
    wide = variant("wide", "many units", layers.sized({}, input_size=33, hidden_size=130))
    ways = (
        {
            **layers.exported(False, num_directions=directions, seq_length=1),
            "sequence_lengths": [1, 1, 1],
            "direction": direction,
        }
        for directions, direction in ((2, "bidirectional"), (1, "forward"))
    )
    one_step = variant("one-step", "a cell, in one direction or both", *ways)
    return [one_direction, lengths, wide, one_step]
