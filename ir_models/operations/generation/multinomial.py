"""Multinomial: classes drawn by their probabilities (page Multinomial-13)."""

import numpy as np

from ir_models.declaration import (
    Attribute,
    Index,
    Input,
    Operation,
    Output,
    between,
    exactly,
    example,
)
from ir_models.element_types import ELEMENT_TYPES, FLOATS, f32, i32, i64, types

T_IN = types("T_IN", FLOATS)
T_SAMPLES = types("T_SAMPLES", i32, i64)


def probabilities(layer, state):
    """Unnormalized probabilities, or their logarithms, from 1 to 8 and of many digits: each class is seen."""
    logarithms = state.uniform(0, np.log(8), layer.probs.shape)
    return logarithms if layer.log_probs else np.exp(logarithms)


def number(tensor):
    return tensor.value[0] if isinstance(tensor.value, tuple) else tensor.value


Multinomial = Operation(
    "Multinomial-13",
    opset="opset13",
    inputs=[
        Input("probs", T_IN, exactly(2), values=probabilities),
        Index("num_samples", T_SAMPLES, between(0, 1)),
    ],
    outputs=[Output("output", lambda layer: ELEMENT_TYPES.get(layer.convert_type, i64))],
    attributes=[
        Attribute("convert_type", ("i32", "i64"), required=True),
        Attribute("with_replacement", bool, required=True),
        Attribute("log_probs", bool, required=True),
        Attribute("global_seed", int, default=0, least=0),
        Attribute("op_seed", int, default=0, least=0),
    ],
    # The examples print convert_type="f32", which the page does not allow, with outputs of the type i32: that is
    # taken. The comment on the probabilities of the third has one row, its port two.
    examples=[
        example(
            probs=f32.tensor([[0.1, 0.5, 0.4]]),
            num_samples=i32.tensor(5),
            convert_type="i32",
            with_replacement=True,
            log_probs=False,
            global_seed=234,
            op_seed=148,
            output=[1, 5],
            ports=[0, 1, 3],
        ),
        example(
            probs=f32.tensor([[-1.0, 1.0, 2.0], [50.0, 1.0, 21.0]]),
            num_samples=i32.tensor(10),
            convert_type="i32",
            with_replacement=True,
            log_probs=True,
            global_seed=234,
            op_seed=148,
            output=[2, 10],
            ports=[0, 1, 3],
        ),
        example(
            probs=f32.tensor([[0.1, 0.5, 0.4], [0.1, 0.5, 0.4]]),
            num_samples=i32.tensor(2),
            convert_type="i32",
            with_replacement=False,
            log_probs=False,
            global_seed=234,
            op_seed=148,
            output=[2, 2],
            ports=[0, 1, 3],
        ),
    ],
    variants={
        "seeds": [
            {"global_seed": global_seed, "op_seed": op_seed}
            for global_seed, op_seed in ((0, 0), (1, 0), (0, 1), (2**32 + 5, 2**33 + 7))
        ],
        "without-replacement": [
            {
                "with_replacement": False,
                "probs": [200, 4],
                "num_samples": samples,
                "log_probs": logarithms,
            }
            for samples in (1, 2, 3, 4)
            for logarithms in (False, True)
        ],
        "improbable": [
            # A class without probability is never drawn, wherever it stands; one with nearly all nearly always.
            {
                "probs": f32.tensor([[0.0, 1.0, 0.0, 3.0, 0.0]]),
                "num_samples": 200,
                "log_probs": False,
            },
            {"probs": f32.tensor([[0.0, 0.0, 2.0, 6.0]]), "num_samples": 200, "log_probs": False},
            {"probs": f32.tensor([[1.0, 1.0, 0.0, 0.0]]), "num_samples": 200, "log_probs": False},
            {
                "probs": f32.tensor([[0.0, 4.0, 1.0, 0.0]] * 2),
                "num_samples": 2,
                "log_probs": False,
                "with_replacement": False,
            },
        ],
        # What one row draws often another never does.
        "rows-differ": [
            {
                "probs": f32.tensor([[8, 1, 1, 0], [0, 1, 1, 8], [1, 0, 8, 1]]),
                "log_probs": False,
                "convert_type": kind,
            }
            for kind in ("i32", "i64")
        ],
        "unnormalized": [
            {"probs": f32.tensor([[100.0, 300.0, 600.0]]), "num_samples": 200, "log_probs": False},
            {"probs": f32.tensor([[0.001, 0.003, 0.006]]), "num_samples": 200, "log_probs": False},
            {"probs": f32.tensor([[-3.0, -5.0, -4.0]]), "num_samples": 200, "log_probs": True},
            {"probs": f32.tensor([[50.0, 49.0, 51.0]]), "num_samples": 200, "log_probs": True},
        ],
        "many-classes": [{"probs": [2, 1000], "num_samples": 400}],
        "scalar-or-1d": [{"num_samples": [100]}],
        "zero-samples-empty": [{"num_samples": 0}],
    },
)


@Multinomial.plain
def plain():
    """Enough samples to tell the probabilities of one row from those of another."""
    return {
        "probs": [3, 29],
        "num_samples": 60,
        "convert_type": "i64",
        "with_replacement": True,
        "log_probs": True,
        # They fix nothing that the page tells: which numbers a generator gives is the device's own.
        "global_seed": 234,
        "op_seed": 148,
    }


@Multinomial.random
def layer(draw):
    replacement = draw.boolean()
    batch, classes = draw.integer(1, 8), draw.integer(2, 20)
    samples = draw.integer(1, 100) if replacement else draw.integer(1, classes)
    return {
        "probs": [batch, classes],
        "num_samples": draw.choice([samples, [samples]]),
        "convert_type": draw.choice(["i32", "i64"]),
        "with_replacement": replacement,
        "log_probs": draw.boolean(),
        "global_seed": draw.choice([draw.integer(0, 1000), None]),
        "op_seed": draw.choice([draw.integer(0, 1000), None]),
    }


@Multinomial.rule("num_samples is one number", broken={"num_samples": [60, 60]})
def one_number(layer):
    return layer.num_samples.size == 1


@Multinomial.rule("num_samples is not negative", broken={"num_samples": -1})
def samples_not_negative(layer):
    return number(layer.num_samples) >= 0


@Multinomial.rule(
    "without replacement there are as many classes as samples",
    broken=[{"with_replacement": False}, {"with_replacement": False, "num_samples": 30}],
)
def enough_classes(layer):
    missing = layer.with_replacement is None
    return missing or layer.with_replacement or number(layer.num_samples) <= layer.probs.shape[1]


@Multinomial.rule("there is a class to draw")
def has_classes(layer):
    return layer.probs.shape[1] >= 1


@Multinomial.rule(
    "probabilities are not negative, finite, and not all zero",
    broken=[
        {"probs": f32.tensor([[-0.5, 1.0]]), "log_probs": False},
        {"probs": f32.tensor([[0.0, 0.0]]), "log_probs": False},
    ],
)
def are_probabilities(layer):
    if layer.log_probs is not False or layer.probs.value is None:
        return True
    values = np.array(layer.probs.value, np.float64)
    return bool(np.all(np.isfinite(values)) and values.min() >= 0 and values.sum(1).min() > 0)
