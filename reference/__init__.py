"""Expected outputs: NumPy references, each written from its specification page alone, and the bounds on errors.

lookup("SpaceToBatch-2")             the function that answers for an operation
answer("SpaceToBatch-2", inputs, attributes)   the expected outputs with their bounds
outputs_of("SpaceToBatch-2", inputs, attributes)   the outputs alone
as_rounded("Exp-1", outputs)         what an answer without any error is, bit for bit
coarsens("bf16", ["f32"])            whether bounds depend on the precision that a device reports
refines("f32", ["bf16"])             whether they depend on it where the kernel itself reports it
behind(expected, ["relu"], ["f32"])  the expected outputs of layers behind these outputs
is_determined("TopK-11")             whether every output has one expected value
compare(expected, actual)            whether an output is within its bound
wrong_elements(expected, actual)     which elements of it are not
bounded("Add-1", values, attributes) the outputs of a layer in a graph, whose inputs have bounds themselves
"""

from reference.accuracy.comparison import Comparison, Expected, compare, wrong_elements
from reference.accuracy.evaluation import answer, as_rounded, coarsens, outputs_of, refines
from reference.accuracy.neighbours import behind, is_determined
from reference.accuracy.registry import MissingReferenceError, implements, lookup
from reference.shared.graph import Value, bounded

__all__ = [
    "Comparison",
    "Expected",
    "MissingReferenceError",
    "Value",
    "answer",
    "as_rounded",
    "behind",
    "bounded",
    "coarsens",
    "compare",
    "implements",
    "is_determined",
    "lookup",
    "outputs_of",
    "refines",
    "wrong_elements",
]
