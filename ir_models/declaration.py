"""What a declaration is written with: the words of a specification page as data.

A declaration says what the page says: inputs, attributes, outputs, types, rules, examples, variants. Functions say what
a page leaves to the reader: a plain layer that the purposes vary, a draw from the whole space of valid layers, and, for
data that must obey a rule (indices, say), its values. Where inputs state the shapes of the page, the first two follow
from these. ``ir_models.families`` has functions that return the operations of a family.
"""

from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.page import (
    ANY_RANK,
    Attribute,
    Changes,
    Example,
    Growth,
    Index,
    Input,
    Interval,
    Output,
    Rank,
    Rule,
    Sums,
    Variant,
    Within,
    at_least,
    between,
    exactly,
    example,
    examples,
    rule,
    variant,
    variants,
)
from ir_models.vocabulary.readings import Reading, readings
from ir_models.vocabulary.rules import axes_of, numbers
from ir_models.vocabulary.type_sets import TypeSet, types

__all__ = [
    "ANY_RANK",
    "Attribute",
    "Changes",
    "Draw",
    "Example",
    "Growth",
    "Index",
    "Input",
    "Interval",
    "Layer",
    "Operation",
    "Output",
    "Rank",
    "Reading",
    "Rule",
    "Sums",
    "TypeSet",
    "Variant",
    "Within",
    "at_least",
    "axes_of",
    "between",
    "exactly",
    "example",
    "examples",
    "numbers",
    "readings",
    "rule",
    "types",
    "variant",
    "variants",
]
