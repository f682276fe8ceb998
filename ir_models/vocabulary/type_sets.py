"""What the pages' words for element types mean: one meaning for all operations.

A page says which element types a type variable ranges over in words ("any supported numeric type", "int32 or int64").
A declaration quotes them, ``types("T", "any supported numeric type")``, and ``MEANINGS`` says which types these are.
The pages do not list them, so this is a reading: ``Meaning.why`` gives its reason from the general pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ir_models.vocabulary.element_types import (
    ANY,
    BOOLEAN,
    ELEMENT_TYPES,
    FLOATS,
    INTEGERS,
    ElementType,
    f32,
    i4,
    i64,
    string,
    u4,
)


@dataclass(frozen=True)
class Meaning:
    """The element types that a noun of the pages stands for, such as ``numeric``, and why these."""

    noun: str
    types: tuple[ElementType, ...]
    why: str


_ANY_INTEGER = (*INTEGERS, i4, u4)
_ANY_NUMBER = (*FLOATS, *_ANY_INTEGER)

MEANINGS: tuple[Meaning, ...] = (
    Meaning(
        "type",
        ANY,
        "Every element type that IR can write, strings and the types of stored weights among them: an operation on any "
        "type moves or passes on elements and need not know what they are. Where the operation computes all the same, "
        "its own readings say which types cannot be asked.",
    ),
    Meaning(
        "numeric type",
        _ANY_NUMBER,
        "The floating-point and the integer types. boolean holds truth values: pages that take them say so.",
    ),
    Meaning(
        "integer type",
        _ANY_INTEGER,
        "The integers among the element types of Parameter-1 and ReadValue-6, which are the only lists in the "
        "specification: i4, u4 and those of whole bytes. u1 holds 'binary values' (BinaryConvolution-1) and no "
        "numbers. u2, u3 and u6 are in no list: like nf4 they store weights that Convert unpacks.",
    ),
    Meaning(
        "floating-point type",
        FLOATS,
        "f16, bf16 and f32 of the lists of Parameter-1 and ReadValue-6, and f64, which RandomUniform-8 calls a "
        "floating-point type. f8e4m3 and f8e5m2 are destinations of FakeConvert-13 and what ConvertPromoteTypes-14 "
        "promotes, nf4, f4e2m1 and f8e8m0 on no page: the page on low precision has compressed weights converted "
        "before anything computes with them.",
    ),
    Meaning("signed numeric type", tuple(t for t in _ANY_NUMBER if t.kind != "uint"), ""),
    Meaning(
        "non-negative integer type",
        _ANY_INTEGER,
        "Every integer type, signed ones too: what is not negative is the value, which is a rule of its own.",
    ),
    Meaning("boolean type", BOOLEAN, ""),
    Meaning("string type", (string,), ""),
)

SUPPORTED = (
    "'Supported', 'arbitrary' and 'any' change nothing: the specification does not say what is supported, so a type of "
    "the list that a device refuses is a limit of that device, and no error of the case."
)

# Words that change nothing, and ways of writing the same one.
_EMPTY = {
    "any",
    "all",
    "arbitrary",
    "supported",
    "data",
    "openvino",
    "by",
    "only",
    "a",
    "the",
    "of",
}
_SAME = {"types": "type", "numerical": "numeric", "integers": "integer", "bool": "boolean"}
_PAGE_NAMES = {
    **{f"int{bits}": f"i{bits}" for bits in (4, 8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (4, 8, 16, 32, 64)},
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
    **{f"fp{bits}": f"f{bits}" for bits in (16, 32, 64)},
    **{f"{bits}-bit": f"i{bits}" for bits in (32, 64)},  # "32-bit or 64-bit integers"
}


class UnknownTypesError(ValueError):
    """Words for element types that have no meaning in ``MEANINGS``."""


def meaning(words: str) -> tuple[ElementType, ...]:
    """The element types that a page's words stand for.

    ``any supported floating-point or integer type`` joins two nouns; a name such as ``int32`` is that type alone.
    Raises UnknownTypesError.
    """
    said = re.split(r"\. | (?:with|from) | and depends", words.lower())[0]
    text = re.sub("[`*.]", "", said).replace("floating point", "floating-point")
    found: dict[ElementType, None] = {}
    for part in re.split(r",| or | and ", text):
        found.update(dict.fromkeys(_one(part, words)))
    return tuple(found)


def _one(part: str, words: str) -> tuple[ElementType, ...]:
    known = [_SAME.get(word, word) for word in part.split() if word not in _EMPTY]
    named = [word for word in known if word != "type"]
    if named[:1] in (["32-bit"], ["64-bit"]):
        named = named[:1]
    if len(named) == 1 and (kind := ELEMENT_TYPES.get(_PAGE_NAMES.get(named[0], named[0]))):
        return (kind,)
    if named == ["integer", "numeric"]:  # the integers among the numbers
        named = ["integer"]
    for each in MEANINGS if known else ():
        if each.noun == " ".join([*named, "type"]):
            return each.types
    nouns = ", ".join(each.noun for each in MEANINGS)
    raise UnknownTypesError(
        f"{words!r} names no element types; known: {nouns}, joined by 'or', and names such as int32"
    )


@dataclass(frozen=True)
class TypeSet:
    """A type variable of a page, such as *T* or *T_IND*: its name and the element types that it ranges over.

    Inputs and outputs that name the same variable have the same element type. ``words`` are the page's, empty where it
    says none. ``unasked``: types that the words include, but that a reading says cannot be asked.
    """

    name: str
    types: tuple[ElementType, ...]
    words: str = ""
    unasked: tuple[ElementType, ...] = ()

    def __contains__(self, element_type: object) -> bool:
        return element_type in self.types

    @cached_property
    def default(self) -> ElementType:
        """The type of cases that are not about types: f32, else i64, else the first."""
        return next((t for t in (f32, i64) if t in self.types), self.types[0])

    @cached_property
    def usual_index(self) -> ElementType:
        """The type of index inputs in cases that are not about it: i64, else the default."""
        return i64 if i64 in self.types else self.default


def types(name: str, *said: str | ElementType, unasked: Sequence[ElementType] = ()) -> TypeSet:
    """``types("T", "any numeric type")`` quotes the page; ``types("T", f32, i64)`` where the page has no words.

    ``unasked``: types of these words that no case has, neither valid nor invalid, for a reason that a reading of the
    operation gives. Raises UnknownTypesError for words that have no meaning.
    """
    members = [kind for kind in dict.fromkeys(_members(said)) if kind not in unasked]
    words = " or ".join(each for each in said if isinstance(each, str))
    return TypeSet(name, tuple(members), words, tuple(unasked))


def _members(said: Sequence[str | ElementType]) -> Iterator[ElementType]:
    for each in said:
        yield from (each,) if isinstance(each, ElementType) else meaning(each)
