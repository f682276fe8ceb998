"""The cells of support: what a layer is, apart from its sizes and numbers, one value in each row of its operation.

A row is a factor that programs and people ask for: an element type of a type variable, the rank of the first data
tensor, which dimensions are unknown, which data inputs are constants, where index inputs come from (``index``), and, by
its name, an input or attribute that may be left out or has words for values. A cell is a row with a value:
``type T=f32``. Rows and values are those of the declaration; cases, and the layers of models, fall into one cell of
each row, or into none where they have no such part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from ir_models import catalog, graph_ids, parse
from ir_models.asking.case import VARIANT
from ir_models.asking.how import HOWS
from ir_models.asking.id_parts import ABSENT, OF_NEIGHBOURS, IdParts, split_id, typed
from ir_models.corpus import purposes
from ir_models.vocabulary.element_types import ElementType
from ir_models.vocabulary.operation import Operation
from ir_models.vocabulary.page import Attribute

RANK, DIMENSIONS, CONSTANT, INDEX = "rank", "dimensions", "constants", "index"
NONE, ALL, ALL_BUT_FIRST, OTHERS = "none", "all", "all but first", "others"
KNOWN, SOME_UNKNOWN, UNKNOWN, BOUNDED, RANK_UNKNOWN = (
    "known", "some unknown", "unknown", "bounded", "rank unknown"
)  # fmt: skip
GIVEN, LEFT_OUT = "given", "left out"
FROM_CONSTANTS = "constant"

_DIMENSIONS = {"": KNOWN, "dims": UNKNOWN, "bounds": BOUNDED, "rank": RANK_UNKNOWN}
OF_CELLS = ("data", "index", "shape", "constant")
"""The factors of how a case is asked that cells tell."""


@cache
def rows_of(name: str) -> dict[str, tuple[str, ...]]:
    """Return the rows of an operation, each with the values that its page has. Raises UnknownOperationError."""
    operation = catalog.operation(name)
    rows = {
        f"type {each.name}": tuple(kind.name for kind in each.types)
        for each in operation.type_sets.values()
    }
    data = [each for each in operation.inputs if not each.index]
    if data:
        most = data[0].rank.most
        ranks = range(
            data[0].rank.least, 1 + min(purposes.HIGHEST_RANK, most or purposes.HIGHEST_RANK)
        )
        rows[RANK] = tuple(map(str, ranks))
        rows[DIMENSIONS] = tuple(
            each for each in (KNOWN, SOME_UNKNOWN, UNKNOWN, BOUNDED, RANK_UNKNOWN)
            if each != RANK_UNKNOWN or operation.dynamic_rank
        )  # fmt: skip
        rows[CONSTANT] = (
            NONE,
            *([ALL_BUT_FIRST, OTHERS] if len(data) > 1 or data[0].many else []),
            ALL,
        )
    if operation.index_inputs:
        rows[INDEX] = (
            FROM_CONSTANTS,
            *(HOWS["index"] if operation.takes_values_at_run_time else ()),
        )
    for given in operation.inputs:
        if given.optional:
            rows[given.name] = (GIVEN, LEFT_OUT)
    for attribute in _attributes(operation):
        left_out = () if attribute.required else (LEFT_OUT,)
        rows[attribute.name] = (*(_words(attribute) or (GIVEN,)), *left_out)
    return rows


def _attributes(operation: Operation) -> Iterator[Attribute]:
    """Yield the attributes that have a row: what is optional, and what has words for values."""
    for each in operation.attributes:
        if each.is_written and not each.follows and (_words(each) or not each.required):
            yield each


def _words(attribute: Attribute) -> tuple[str, ...]:
    if attribute.is_enumeration:
        return tuple(attribute.type)
    if attribute.type is bool:
        return "true", "false"
    if attribute.type is ElementType and attribute.types:
        return tuple(kind.name for kind in attribute.types.types)
    return ()


def cells_of(
    name: str, inputs: Sequence[str], parameters: Mapping[str, str], how: Mapping[str, str]
) -> frozenset[str]:
    """Return the cells of a layer or a case, by the texts of an id. Raises UnknownOperationError."""
    return _cells(
        name, tuple(inputs), tuple(parameters.items()), *(how.get(each, "") for each in OF_CELLS)
    )


@cache
def _cells(
    name: str,
    inputs: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    data: str,
    index: str,
    shape: str,
    constant: str,
) -> frozenset[str]:
    operation, parameters = catalog.operation(name), dict(pairs)
    found: dict[str, str] = {}
    texts = list(inputs)
    at_run_time: list[str] = []
    constants: list[str] = []
    first = ""
    declared = [each for each in operation.inputs if not each.index]
    for number, each in enumerate(declared):
        rest = len(declared) - number - 1
        given = texts[: max(len(texts) - rest, 1)] if each.many else texts[:1]
        texts = texts[len(given) :]
        is_given = [text for text in given if text != ABSENT]
        if each.optional:
            found[each.name] = GIVEN if is_given else LEFT_OUT
        for place, text in enumerate(is_given):
            kind, _, dims = text.partition("[")
            found[f"type {each.types.name}"] = kind
            port = f"{each.name}_{place}" if each.many else each.name
            is_stated = each.name in parameters and data != "runtime"
            is_constant = data == FROM_CONSTANTS or (data == "first" and first != "")
            is_constant = is_constant or is_stated or port in constant.split("+")
            (constants if is_constant else at_run_time).append(port)
            if not first and shape != "rank":
                found[RANK] = str(dims.count(",") + 1 if dims != "]" else 0)
            first = first or port
    for each in operation.index_inputs:
        stated = parameters.get(each.name)
        if each.optional:
            found[each.name] = GIVEN if stated is not None else LEFT_OUT
        if stated is not None:
            kind = typed(stated)[0] or each.types.usual_index.name
            found[f"type {each.types.name}"] = kind
    if declared:
        found[DIMENSIONS] = _DIMENSIONS.get(shape, SOME_UNKNOWN)
    if at_run_time or constants:
        found[CONSTANT] = _which_constant(at_run_time, constants, first)
    if operation.index_inputs and any(each.name in parameters for each in operation.index_inputs):
        found[INDEX] = index or FROM_CONSTANTS
    for attribute in _attributes(operation):
        text = parameters.get(attribute.name, LEFT_OUT)
        word = text if _words(attribute) else GIVEN
        found[attribute.name] = text if text == LEFT_OUT else word
    return frozenset(f"{row}={value}" for row, value in found.items())


def _which_constant(at_run_time: Sequence[str], constants: Sequence[str], first: str) -> str:
    if not constants:
        return NONE
    if not at_run_time:
        return ALL
    if at_run_time == [first]:
        return ALL_BUT_FIRST
    return OTHERS


def ports_of(name: str) -> list[tuple[str, str, bool, bool]]:
    """Return the inputs of an operation: name, type variable, whether it is an index input, whether it is many."""
    return [
        (each.name, each.types.name, each.index, each.many)
        for each in catalog.operation(name).inputs
    ]


def kind_of(purpose: str) -> str:
    """Return what a layer of a case is where cells do not tell it: ``dim-0``, ``variant``, ``random``; else ""."""
    if purpose in _OF_CELLS:
        return ""
    return "variant" if purpose.startswith(VARIANT) else purpose


def has_plain_numbers(
    name: str, purpose: str, inputs: Sequence[str], parameters: Mapping[str, str]
) -> bool:
    """Tell whether a variant states the numbers of the plain layer: then cells tell what it is apart from its sizes.

    What one of them leaves out has a row, which tells that. A layer with a dimension of 0 is something else.
    """
    if not purpose.startswith(VARIANT) or any(re.search(r"[\[,]0[],]", text) for text in inputs):
        return False
    words = {each.name for each in _attributes(catalog.operation(name)) if _words(each)}
    plain = _plain_parts(name).parameters
    shared = (parameters.keys() & plain.keys()) - words
    is_told = (parameters.keys() ^ plain.keys()) <= rows_of(name).keys()
    return is_told and all(parameters[key] == plain[key] for key in shared)


def ways_of(
    name: str, purpose: str, parameters: Mapping[str, str], how: Mapping[str, str]
) -> frozenset[str]:
    """Return what else is unusual about a case, which no row has: ``way=values special``, ``way=dim-0``, ``way=body``.

    The last is another body than that of the plain layer, where the purpose does not say that it is another layer;
    ``way=enumeration`` another word of an attribute without a row.
    """
    found = {
        "neighbours"
        if factor in OF_NEIGHBOURS
        else factor + (f" {level}" if factor in _WITH_LEVEL else "")
        for factor, level in how.items()
        if factor not in OF_CELLS and (factor, level) != ("state", "kept")
    }
    kind = kind_of(purpose)
    plain, rows = _plain_parts(name).parameters, rows_of(name)
    others = [
        each for each in catalog.operation(name).attributes
        if each.name not in rows and parameters.get(each.name) != plain.get(each.name)
    ]  # fmt: skip
    if not kind and any(each.is_body for each in others):
        kind = "body"
    elif purpose == "enumeration" and any(map(_words, others)):
        kind = purpose
    return frozenset(f"way={each}" for each in {*found, kind} if each)


_OF_CELLS = frozenset(("plain", "type", "index-type", "left-out", "enumeration", "rank"))
_WITH_LEVEL = ("values", "memory", "requests", "state", "resize")


@cache
def plain_cells(name: str) -> frozenset[str]:
    """Return the cells of the plain layer, asked in the usual way.

    Rows that it lacks, as those of an index input that it leaves out, have the value of layers with this input.
    """
    parts = _plain_parts(name)
    found = cells_of(name, parts.inputs, parts.parameters, parts.how)
    usual = {INDEX: FROM_CONSTANTS} | {
        f"type {each.types.name}": each.types.usual_index.name
        for each in catalog.operation(name).index_inputs
    }
    rows = rows_of(name).keys() - {cell.partition("=")[0] for cell in found}
    return found | {f"{row}={usual[row]}" for row in rows & usual.keys()}


@cache
def _plain_parts(name: str) -> IdParts:
    return split_id(next(iter(purposes.cases(catalog.operation(name), ["plain"]))).id)


@cache
def cases_asked(name: str, depth: str, draws: int, seed: int) -> tuple[str, ...]:
    """Return the ids in which the corpus asks an operation."""
    found = purposes.cases(catalog.operation(name), draws=draws, seed=seed, depth=depth)
    return tuple(case.id for case in found)


def id_of(text: str) -> str:
    """Return the id of a case as the corpus writes it. Raises ValueError for a text that is no id."""
    return parse(text).id


def operation_names() -> tuple[str, ...]:
    """Return the operations of the suite."""
    return tuple(each.name for each in catalog.operations())


@cache
def graphs_asked() -> tuple[str, ...]:
    """Return the ids of the graphs of the suite."""
    return tuple(graph_ids())
