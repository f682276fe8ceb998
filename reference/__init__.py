"""What is right: NumPy answers, each written from its specification page alone, and how exact an answer must be.

    lookup("SpaceToBatch-2")       the function that answers for an operation
    judge(...)                     whether an answer is within its bound
"""

from reference.registry import MissingReferenceError, implements, lookup

__all__ = ["MissingReferenceError", "implements", "lookup"]
