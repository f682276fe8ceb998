"""Inverse: the inverses of square matrices, or of their transposes (page Inverse-14)."""

from math import prod

import numpy as np

from ir_models.declaration import *

T = types("T", "any supported floating-point type")

KNOWN = (
    "f32:[[0,-2],[4,0]]|f32:[[0,1,0],[0,0,-8],[0.5,0,0]]|f32:[[1,2,4],[0,-1,2],[0,0,0.5]]"
    "|f32:[[-1,-2],[-4,-4]]|f32:[[[2,1],[0,1]],[[0,1],[-1,3]]]"
)
NEARLY_SINGULAR = (
    "f32:[[1,1],[1,1.0078125]]|f32:[[4,2,1],[2,1,0.25],[1,0.25,0.0625]]"
    "|f32:[[1,0.5,0.25,0.125],[0.5,0.375,0.25,0.125],[0.25,0.25,0.1875,0.125],[0.125,0.125,0.125,0.09375]]"
)


def well_conditioned(layer, state):
    """A permutation with factors from 1 to 2 of both signs, and smaller numbers everywhere: rows must be swapped."""
    size, count = layer.data.shape[-1], prod(layer.data.shape[:-2])
    found = state.uniform(-1, 1, (count, size, size)) * (0.6 / max(size, 1) ** 0.5)
    for each in found:
        signs = state.choice([-1, 1], size)
        each[np.arange(size), state.permutation(size)] += signs * state.uniform(1, 2, size)
    return found


Inverse = Operation(
    "Inverse-14",
    "opset14",
    inputs=[Input("data", T, shape="*B, n, n", values=well_conditioned)],
    outputs=[Output("output", T)],
    mixes=True,
    attributes=[Attribute("adjoint", bool, default=False)],
    examples=examples("""
        data=[3,3] -> [3,3]
        data=[2,4,4]; adjoint=true -> [2,4,4]
        data=[5,4,3,2,2] -> [5,4,3,2,2]
    """),
    rules=[
        rule(
            "stated matrices have an inverse",
            lambda layer: (
                layer.data.value is None or np.linalg.det(layer.data.array().astype(float)).all()
            ),
            unasked="the page does not say what is given for one that has none",
        ),
    ],
    variants=variants(f"""
        sizes: matrices of any size
            data=[3,1,1]|[3,2,2]|[2,3,3]|[2,5,5]|[2,7,7]|[2,8,8]|[2,9,9]|[2,16,16]|[17,17]|[33,33]; adjoint=false|true
        large-matrices: many steps of elimination
            data=[2,64,64]|[100,100]; adjoint=false|true
        batches: no batch, several, and many matrices
            data=[4,4]|[1,4,4]|[2,1,3,4,4]|[50,3,3]; adjoint=false|true
        known: inverses that are known without computing, of rows that must be swapped
            data={KNOWN}; adjoint=false|true
        nearly-singular: the larger the condition of a matrix, the larger errors may be
            data={NEARLY_SINGULAR}; adjoint=false|true
    """),
    readings=[
        Reading(
            "adjoint: 'the operation returns the adjoint ... instead of finding the inverse', against '(A^T)^-1'",
            "The inverse of the transpose.",
            "The description and the algorithm agree: step 2 transposes, and steps 3 and 4 invert.",
            "contradiction",
            admits="The transpose itself.",
        ),
        Reading(
            "'the row with the highest value in a given column'",
            "That of the largest magnitude, among the rows that are left.",
            "That is partial pivoting; the highest number of a column may be 0.",
        ),
        Reading(
            "'may raise an exception or return an undefined result'",
            "Matrices without an inverse are not tested.",
            "Any answer is right.",
            "silence",
        ),
        Reading(
            "'any type other than f32 will be converted to f32'",
            "f64 too: results have the precision of f32.",
            "The page says it twice.",
        ),
        Reading(
            "matrices without rows",
            "They are their own inverses.",
            "No size is excluded.",
            "silence",
        ),
    ],
)


@Inverse.plain
def plain(rank=4):
    batch = [3, 2, 1, 2, 1, 2][: rank - 2]
    return {"data": [*batch, 4, 4], "adjoint": True}


@Inverse.random
def layer(draw):
    rank, size = draw.integer(2, 5), draw.integer(1, 9)
    batch = draw.shape(rank - 2, most=3)
    return {"data": [*batch, size, size], "adjoint": draw.choice([True, False, None])}
