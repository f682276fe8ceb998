"""Multinomial: classes drawn by their probabilities (page Multinomial-13)."""

import numpy as np

from ir_models.declaration import *
from ir_models.vocabulary.element_types import ELEMENT_TYPES, i64

T_IN = types("T_IN", "any supported floating-point type")
T_SAMPLES = types("T_SAMPLES", "32-bit or 64-bit integers")


def probabilities(layer, state):
    """Unnormalized probabilities, or their logarithms, from 1 to 8 and of many digits: each class is seen."""
    logarithms = state.uniform(0, np.log(8), layer.probs.shape)
    return logarithms if layer.log_probs else np.exp(logarithms)


def enough_classes(layer):
    samples = max(numbers(layer.num_samples))
    return layer.with_replacement is not False or samples <= layer.probs.shape[1]


def are_probabilities(layer):
    if layer.log_probs is not False or layer.probs.value is None:
        return True
    values = np.array(layer.probs.value, np.float64)
    return bool(np.all(np.isfinite(values)) and values.min() >= 0 and values.sum(1).min() > 0)


PRINTED = "convert_type=i32; global_seed=234; op_seed=148"
MANY = "num_samples=200; log_probs=false"
FEW = "num_samples=2; log_probs=false; with_replacement=false"

Multinomial = Operation(
    "Multinomial-13",
    "opset13",
    inputs=[
        Input("probs", T_IN, shape="batch_size, class_size", values=probabilities),
        Index("num_samples", T_SAMPLES, shape="scalar or 1", least=0),
    ],
    outputs=[Output("output", lambda layer: ELEMENT_TYPES.get(layer.convert_type, i64))],
    attributes=[
        Attribute("convert_type", ("i32", "i64"), required=True),
        Attribute("with_replacement", bool, required=True),
        Attribute("log_probs", bool, required=True),
        Attribute("global_seed", int, default=0, least=0),
        Attribute("op_seed", int, default=0, least=0),
    ],
    # Of the third the comment on the probabilities has one row, the port two.
    examples=examples(
        f"""
        probs=f32:[[0.1,0.5,0.4]]; num_samples=i32:5; with_replacement=true; log_probs=false
            ; {PRINTED} -> [1,5]
        probs=f32:[[-1.0,1.0,2.0],[50.0,1.0,21.0]]; num_samples=i32:10; with_replacement=true
            ; log_probs=true; {PRINTED} -> [2,10]
        probs=f32:[[0.1,0.5,0.4],[0.1,0.5,0.4]]; num_samples=i32:2; with_replacement=false
            ; log_probs=false; {PRINTED} -> [2,2]
            altered: one row of values is printed for two batches; here each has it
        """,
        ports=[0, 1, 3],
    ),
    keeps_state=True,
    rules=[
        rule(
            "without replacement there are as many classes as samples",
            enough_classes,
            ["with_replacement=false", "with_replacement=false; num_samples=30"],
        ),
        rule(
            "there is a class to draw",
            lambda layer: layer.probs.shape[1] >= 1,
            unasked="the page does not speak of probs without a class",
        ),
        rule(
            "probabilities are not negative, finite, and not all zero",
            are_probabilities,
            "probs=f32:[[-0.5,1.0]]|f32:[[0.0,0.0]]|f32:[[inf,1.0]]; log_probs=false",
        ),
    ],
    violations=["num_samples=[60,60]"],
    variants=variants(f"""
        seeds: any two seeds
            global_seed=0; op_seed=0
            global_seed=1; op_seed=0
            global_seed=0; op_seed=1
            global_seed={2**32 + 5}; op_seed={2**33 + 7}
            global_seed={2**63}; op_seed={2**64 - 1}
            global_seed={2**64 - 1}; op_seed=148
            global_seed=234; op_seed={2**63}
        without-replacement: no class twice
            with_replacement=false; probs=[200,4]; num_samples=1|2|3|4; log_probs=false|true
        improbable: a class without probability is never drawn, wherever it stands
            probs=f32:[[0.0,1.0,0.0,3.0,0.0]]|f32:[[0.0,0.0,2.0,6.0]]|f32:[[1.0,1.0,0.0,0.0]]; {MANY}
            probs=f32:[[0.0,4.0,1.0,0.0],[0.0,4.0,1.0,0.0]]; {FEW}
        rows-differ: what one row draws often another never does
            probs=f32:[[8,1,1,0],[0,1,1,8],[1,0,8,1]]; log_probs=false; convert_type=i32|i64
        unnormalized: probabilities and logarithms of any sum
            probs=f32:[[100.0,300.0,600.0]]|f32:[[0.001,0.003,0.006]]; {MANY}
            probs=f32:[[-3.0,-5.0,-4.0]]|f32:[[50.0,49.0,51.0]]; num_samples=200; log_probs=true
        many-classes: a long row
            probs=[2,1000]; num_samples=400
        samples-as-1d: num_samples may be a 1D tensor
            num_samples=[100]
        no-samples (may be empty): num_samples may be 0
            num_samples=0
    """),
    readings=[
        Reading(
            'convert_type="f32" in the examples, outputs of precision I32',
            "convert_type is i32.",
            "The range of values is i32 and i64, and so are the printed outputs.",
            "slip",
        ),
        Reading(
            "example 3 of the computations: the classes [[1, 2]]",
            "They are [[1, 0]] for the floats 0.3 and 0.2.",
            "The text above it: 'for sampled values <= 0.2, only the class with idx 0 can be "
            "selected'.",
            "slip",
        ),
        Reading(
            "'the class with the lowest index for which the cumulative probability is less or equal to the generated "
            "value'",
            "It is the lowest class whose cumulative probability the generated value is less or equal to.",
            "The text of example 3: 'the first value satisfying sample value <= CDF probability', and all examples. By "
            "the other words any value from the first class's probability on would give the class 0.",
            "slip",
        ),
        Reading(
            "example 1 of the computations: the float 1 of random numbers in [0, 1)",
            "It is a class as any other, the last one.",
            "The search ends at the first CDF that is not below the number, which 1 is not above.",
        ),
        Reading(
            "the random numbers",
            "Counts of classes are judged by a statistical test.",
            "The page fixes no generator.",
            "silence",
        ),
        Reading(
            "seeds of an 'unsigned int 64-bit'",
            "Numbers from 2^63 on are valid.",
            "The type holds them.",
        ),
    ],
)


@Multinomial.plain
def plain():
    """Enough samples to tell the probabilities of one row from those of another."""
    # The seeds fix nothing that the page tells: which numbers a generator gives is the device's own.
    return (
        "probs=[3,29]; num_samples=60; convert_type=i64; with_replacement=true; log_probs=true"
        "; global_seed=234; op_seed=148"
    )


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
