"""The vocabulary of a specification page: inputs, attributes, outputs, examples, variants, rules.

These are what a declaration is written with (see ``ir_models.declaration``). Functions of a declaration take a
``Layer``, whose inputs and attributes are read by their names: ``layer.data.shape``, ``layer.block_shape.value``.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, get_args, get_origin

import numpy as np

from ir_models.vocabulary import shapes
from ir_models.vocabulary.element_types import ELEMENT_TYPES, ElementType
from ir_models.vocabulary.readings import Reading
from ir_models.vocabulary.type_sets import TypeSet

# A layer, whose fields are the names of its page: see ``ir_models.vocabulary.operation.Layer``.
AnyLayer = Any
# Inputs and attributes of a layer: by name, or in the notation of case ids (see ``ir_models.vocabulary.notation``).
Changes = Mapping[str, Any] | str
Values = Callable[[AnyLayer, np.random.RandomState], "np.ndarray | None"]


@dataclass(frozen=True)
class Rank:
    """Ranks from ``least`` to ``most``; ``most`` None means without an upper limit."""

    least: int = 0
    most: int | None = None

    def __contains__(self, rank: object) -> bool:
        return (
            isinstance(rank, int)
            and self.least <= rank
            and (self.most is None or rank <= self.most)
        )

    def __str__(self) -> str:
        if self.most is None:
            return f"at least {self.least}"
        return f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"


def at_least(rank: int) -> Rank:
    """Any rank from this one on."""
    return Rank(rank)


def exactly(rank: int) -> Rank:
    """This rank alone."""
    return Rank(rank, rank)


def between(least: int, most: int) -> Rank:
    """Ranks from ``least`` to ``most``, both included."""
    return Rank(least, most)


ANY_RANK = Rank()


@dataclass(frozen=True)
class Interval:
    """Real values drawn evenly from ``low`` to ``high``, none of a magnitude below ``least`` except integers."""

    low: float
    high: float
    least: float = 0.0


@dataclass(frozen=True)
class Within:
    """Values that depend on the layer and the element type, such as integers whose sum must fit.

    ``range`` gives an interval, numbers to choose from, a function of the layer and a random state that draws all of
    them, or None where any ordinary value will do. Unlike a function that is ``values`` itself, the one that draws
    leaves special values to be put among its own.
    """

    range: Callable[[AnyLayer, ElementType], Interval | Sequence[int] | Values | None]


@dataclass(frozen=True)
class Input:
    """One input of the page, fed with data.

    ``shape`` is the page's, in its own names (see ``ir_models.vocabulary.shapes``), or a function of the layer where it
    depends on attributes; where the page states none, ``rank`` says which ranks it takes. ``optional``: may be left
    out. ``many``: any number of tensors, at least one. ``values``: an interval (``Within``: one for each layer and
    type), or a function of the layer and a random state, where not every value of the type is allowed or useful; the
    function need not care for the type's precision, returns None for a layer where any value will do, and unlike an
    interval also decides for special values. ``type_alone``: the page reads nothing of it but its element type.
    ``partner``: it feeds the layer that is the other half of a variable, not this one.
    """

    name: str
    types: TypeSet
    rank: Rank = ANY_RANK
    optional: bool = False
    many: bool = False
    values: Interval | Within | Values | None = None
    shape: str | Callable[[AnyLayer], str] | None = None
    index: bool = False
    constant: bool = False
    least: int | None = None
    axis_of: str = ""
    distinct: bool = False
    plain: Any = None
    type_alone: bool = False
    partner: bool = False

    def __post_init__(self) -> None:
        patterns = self.patterns
        if patterns:
            ranks = [p.least_rank for p in patterns]
            most = max(ranks) if all(p.has_fixed_rank for p in patterns) else None
            object.__setattr__(self, "rank", Rank(min(ranks), most))

    @cached_property
    def patterns(self) -> tuple[shapes.AllowedShape, ...]:
        """The shapes that the page allows, none where it states none or they depend on the layer."""
        return shapes.parse(self.shape) if isinstance(self.shape, str) else ()

    def patterns_of(self, layer: AnyLayer) -> tuple[shapes.AllowedShape, ...]:
        """The shapes that the page allows in a layer with its attributes."""
        if not callable(self.shape):
            return self.patterns
        found = self.shape(layer)
        if not isinstance(found, str):
            raise ValueError(
                f"{self.name}: the function of its shape returns text such as 'N, C, 2', got {found!r}"
            )
        return shapes.parse(found)

    @property
    def is_list(self) -> bool:
        """Whether the value is a list of numbers, which a case id writes without brackets."""
        return self.rank == Rank(1, 1)


def Index(  # noqa: N802 - reads as a kind of Input in declarations
    name: str,
    types: TypeSet,
    rank: Rank | None = None,
    optional: bool = False,
    constant: bool = False,
    *,
    shape: str | None = None,
    least: int | None = None,
    axis_of: str = "",
    distinct: bool = False,
    plain: Any = None,
) -> Input:
    """An input such as ``axes`` or ``block_shape``: its value is a parameter of the layer and stands in the case's id.

    Usually a constant; the suite also feeds it at run time, unless ``constant``: the page demands a Constant.
    ``least``: the smallest number allowed. ``axis_of``: the value is an axis, or axes, of this input, from -rank to
    rank - 1 (from ``least``, where that is given); ``distinct``: no axis twice. ``plain``: the value in the plain
    layer, where the declaration leaves that layer to the shapes.
    """
    rank = exactly(1) if rank is None else rank
    return Input(
        name, types, rank, optional, shape=shape, index=True, constant=constant, least=least,
        axis_of=axis_of, distinct=distinct, plain=plain,
    )  # fmt: skip


_ATTRIBUTE_TYPES = (int, float, bool, str, list, list[float], list[str], ElementType)


@dataclass(frozen=True)
class Attribute:
    """One attribute of the page.

    ``type`` is int, float, bool, str, list (of integers), list[float], list[str], ElementType, or a tuple of the
    strings allowed; a mapping of strings to builders of graphs stands for a body of the layer (see
    ``ir_models.vocabulary.graph``). ``default`` is the page's; ``required`` the page's too. ``least``: the smallest
    number allowed, for each item of a list. ``types``: the element types allowed where ``type`` is ElementType.
    ``length``: how many items a list has, such as ``rank(data) - 2``. ``axis_of`` and ``distinct`` as those of
    ``Index``. ``ir_name`` is the name in IR where it is another one: Python cannot say the page's (``exclude-pad``), or
    the reader of IR does not know it. ``port_map``: written in the layer's port map, not among its attributes.
    ``plain``: the value in the plain layer, where the declaration leaves that layer to the shapes. ``follows``: it is
    the ``shape``, the ``type`` or the ``size`` in bytes of data and changes with it; of a shape, items of -1 stay.
    ``partner``: of the layer that is the other half of a variable, or of how a model uses the layer.
    """

    name: str
    type: Any
    default: Any = None
    required: bool = False
    least: float | None = None
    types: TypeSet | None = None
    ir_name: str = ""
    port_map: bool = False
    length: str = ""
    axis_of: str = ""
    distinct: bool = False
    plain: Any = None
    follows: str = ""
    partner: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.type, (tuple, Mapping)) and self.type not in _ATTRIBUTE_TYPES:
            raise ValueError(
                f"attribute {self.name}: its type is int, float, bool, str, list, list[float], list[str], ElementType, "
                f"a tuple of the strings allowed or a mapping of bodies, got {self.type!r}"
            )

    @property
    def is_enumeration(self) -> bool:
        """Whether the page lists the strings allowed."""
        return isinstance(self.type, tuple)

    @property
    def is_list(self) -> bool:
        """Whether its value is a list, of one item too."""
        return self.type is list or get_origin(self.type) is list

    @property
    def is_body(self) -> bool:
        """Whether it chooses a body of the layer, which IR writes as an element of its own."""
        return isinstance(self.type, Mapping)

    @property
    def is_written(self) -> bool:
        """Whether IR writes it as an attribute."""
        return not (self.is_body or self.port_map or self.partner)

    def text(self, value: Any) -> str:
        """The value as an IR attribute and as part of a case id."""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (tuple, list)):
            return ",".join(self.text(item) for item in value)
        return repr(value) if isinstance(value, float) else str(value)

    def parse(self, text: str) -> Any:
        """The inverse of ``text``. Raises ValueError."""
        if self.type is bool:
            if text not in ("true", "false"):
                raise ValueError(f"{self.name} must be true or false, got {text!r}")
            return text == "true"
        if self.type is list:
            return tuple(self._number(int, item) for item in text.split(",") if item)
        if get_origin(self.type) is list:
            (kind,) = get_args(self.type)
            return tuple(self._number(kind, item) for item in text.split(",") if item)
        if self.type in (int, float):
            return self._number(self.type, text)
        if self.type is ElementType:
            # An unknown name stays text, so that an invalid layer can be written.
            return ELEMENT_TYPES.get(text, text)
        return text

    def _number(self, kind: Any, text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            what = "a whole number" if kind is int else "a number"
            raise ValueError(f"{self.name} takes {what}, got {text!r}") from None

    def allows(self, value: Any) -> bool:
        """Whether the page allows this value, as far as it speaks of this attribute alone."""
        if self.is_enumeration or self.is_body:
            return value in self.type
        if self.type is ElementType:
            return isinstance(value, ElementType) and (self.types is None or value in self.types)
        if self.least is not None:
            items = value if isinstance(value, (tuple, list)) else (value,)
            return all(item >= self.least for item in items)
        return True


@dataclass(frozen=True)
class Output:
    """One output of the page: its type variable (or a function of the layer) and, where it repeats, how many."""

    name: str
    types: TypeSet | Callable[[AnyLayer], ElementType]
    count: Callable[[AnyLayer], int] | None = None


@dataclass(frozen=True)
class Example:
    """One XML example of the page, literally unless ``altered`` or ``scaled`` say why not.

    ``layer`` holds the inputs and attributes, with the data that the page prints, if it prints any; ``output`` the
    stated shape, or one shape for each output, with -1 where only the data says how many there are; ``values`` the
    numbers that the page states for each output; ``ports`` the printed port ids, inputs first. ``erratum`` is the
    reason why what is printed contradicts the page itself; ``corrected`` are then the shapes that the page's formula
    gives, where the printed ones are wrong, and ``values`` the corrected numbers. ``altered``: why the layer differs
    from the printed one. ``scaled``: why it is a small layer of the printed kind, and ``printed`` then the printed
    layer with its output shapes, which no device is asked. ``unknown``: what the dimensions are that the page prints
    as -1; the layer is asked with unknown dimensions too.
    """

    layer: Changes
    output: Sequence[Any] | None
    ports: tuple[int, ...] = ()
    erratum: str = ""
    corrected: Sequence[Any] | None = None
    values: tuple[Any, ...] = ()
    altered: str = ""
    scaled: str = ""
    unknown: str = ""
    printed: tuple[str, Any] | None = None

    @property
    def output_shapes(self) -> list[tuple[int, ...]] | None:
        """The shape of each output, as stated or as corrected, None where the page states none."""
        stated = self.output if self.corrected is None else self.corrected
        if stated is None:
            return None
        nested = any(isinstance(item, (list, tuple)) for item in stated)
        shapes = stated if nested else [stated]
        return [tuple(shape) for shape in shapes]


def example(
    text: str = "",
    *,
    output: Sequence[Any] | None,
    ports: Sequence[int] = (),
    erratum: str = "",
    corrected: Sequence[Any] | None = None,
    values: Sequence[Any] = (),
    altered: str = "",
    scaled: str = "",
    unknown: str = "",
    **layer: Any,
) -> Example:
    """``example("data=f32[5,7]; axis=1", output=[7, 5])``; ``ports`` where they are not 0, 1, 2 ..."""
    return Example(
        text or layer,
        output,
        tuple(ports),
        erratum,
        corrected,
        tuple(values),
        altered,
        scaled,
        unknown,
    )


def examples(text: str, ports: Sequence[int] = ()) -> list[Example]:
    """Examples as a text: ``data=f32[5,7]; axis=1 -> [7,5]``, which may begin in a line above its arrow.

    Numbers that the page states of the outputs stand behind their shapes: ``a=i32:[1,2] -> [2] = [2,4]``. A line
    ``erratum: why``, ``altered: why`` or ``scaled: why`` belongs to the example above it; an erratum may end with the
    corrected outputs, ``erratum: why -> [3]``. Under ``scaled`` stands ``printed: LAYER -> OUTPUT``, in one line.
    ``ports`` are those of every one.
    """
    found: list[Example] = []
    pending = ""
    for line in map(str.strip, text.strip().splitlines()):
        word, colon, why = line.partition(": ")
        if colon and word == "printed":
            layer, _, output = why.partition(" -> ")
            found[-1] = replace(found[-1], printed=(layer, _stated(output)[0]))
            continue
        if colon and word in ("erratum", "altered", "scaled"):
            why, arrow, output = why.partition(" -> ")
            said: dict[str, Any] = {word: why}
            found[-1] = replace(found[-1], **said)
            if arrow:
                shapes, values = _stated(output)
                found[-1] = replace(found[-1], corrected=shapes, values=values)
            continue
        if pending and line.partition("=")[0] == pending.partition("=")[0]:
            raise ValueError(f"{pending!r} lacks its arrow: an example is LAYER -> OUTPUT")
        layer, arrow, output = f"{pending} {line}".strip().partition(" -> ")
        pending = layer
        if arrow:
            shapes, values = _stated(output)
            found.append(Example(layer, shapes, tuple(ports), values=values))
            pending = ""
    if pending:
        raise ValueError(f"{pending!r} lacks its arrow: an example is LAYER -> OUTPUT")
    return found


def _stated(output: str) -> tuple[list[list[int]], tuple[Any, ...]]:
    """The shapes, and the values if there are any, of a text such as ``[2],[3] = [1,2],[4,5,6]``."""
    text, _, values = output.partition(" = ")
    shapes = re.findall(r"\[([-\d,]*)\]", text)
    stated = [[int(size) for size in shape.split(",") if size] for shape in shapes]
    return stated, tuple(json.loads(f"[{values}]"))


@dataclass(frozen=True)
class Variant:
    """One factor of an operation: layers that a sentence of its page asks for; ``about`` says which sentence.

    ``changes`` are to the plain layer. ``may_be_empty``: an output without elements is the point. ``may_be_constant``:
    an output of equal elements is the point. Otherwise such a case would show no fault, and is a defect.
    """

    name: str
    about: str
    changes: tuple[Changes, ...]
    may_be_empty: bool = False
    may_be_constant: bool = False


def variant(
    name: str,
    about: str,
    *changes: Changes,
    may_be_empty: bool = False,
    may_be_constant: bool = False,
) -> Variant:
    """``variant("axis", "along any axis", "axis=0|2; k=2")``: ``|`` stands between values that are taken in turn."""
    found = tuple(each for change in changes for each in each_in_turn(change))
    return Variant(name, about, found, may_be_empty, may_be_constant)


def variants(text: str) -> list[Variant]:
    """Variants as a text: a line ``name: about`` for each, and under it, indented, a line for each of its changes.

    An option of ``variant`` stands behind the name: ``empty-slice (may be empty): a slice may have no element``.
    """
    found: list[Variant] = []
    lines = [line for line in textwrap.dedent(text).splitlines() if line.strip()]
    heads = [number for number, line in enumerate(lines) if not line.startswith(" ")]
    for first, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        head = re.fullmatch(r"([\w-]+)(?: \((.*)\))?: (.+)", lines[first])
        if head is None or head[2] not in (None, "may be empty", "may be constant"):
            raise ValueError(f"{lines[first]!r} is not NAME: ABOUT")
        options = {head[2].replace(" ", "_"): True} if head[2] else {}
        found.append(variant(head[1], head[3], *map(str.strip, lines[first + 1 : end]), **options))
    return found


def each_in_turn(changes: Changes) -> list[Changes]:
    """Text with ``|`` as one text for each combination of values; the last value varies first."""
    if not isinstance(changes, str):
        return [changes]
    parts = [part.partition("=") for part in changes.split(";")]
    named = [[f"{name.strip()}={v.strip()}" for v in text.split("|")] for name, _, text in parts]
    return ["; ".join(combination) for combination in product(*named)]


@dataclass(frozen=True)
class Rule:
    """A sentence of the page that every valid layer satisfies.

    ``broken`` are changes to the plain layer that break this rule and no other, or a function of the plain layer that
    gives them. ``unasked``: why no case breaks it; every other rule is broken by a case. ``kind`` and ``inputs`` are
    those of a rule that follows from the declaration of inputs: ``required``, ``rank``, ``type``, ``one type`` or
    ``constant``; its violations are found by ``ir_models.corpus.violations``.
    ``reading``: why the page is read so, where it leaves that open. ``is_answered``: the page forbids the layer
    although its formula has a meaning there, so that the reference answers; models have such layers. ``id`` names the
    rule within its operation, in small letters and hyphens, whatever becomes of the sentence;
    ``ir_models.vocabulary.rules`` gives one to a rule that has none.
    """

    text: str
    holds: Callable[[AnyLayer], bool]
    broken: tuple[Changes, ...] | Callable[[AnyLayer], Iterable[Changes]] = ()
    unasked: str = ""
    kind: str = ""
    inputs: tuple[str, ...] = ()
    reading: Reading | None = None
    is_answered: bool = False
    id: str = ""

    def violations(self, plain: AnyLayer) -> list[Changes]:
        """The changes to the plain layer that break it."""
        return list(self.broken(plain) if callable(self.broken) else self.broken)


def rule(
    text: str,
    holds: Callable[[AnyLayer], bool],
    broken: Changes | Iterable[Changes] | Callable[[AnyLayer], Iterable[Changes]] = (),
    unasked: str = "",
    *,
    reading: Reading | None = None,
    is_answered: bool = False,
    id: str = "",
    **only: Any,
) -> Rule:
    """``rule("block_shape[0] is 1", lambda layer: layer.block_shape.value[0] == 1, "block_shape=2,1|3,1")``.

    ``mode="numpy"``: it speaks only of layers whose attribute has this value. ``unasked``: why no case breaks it.
    ``is_answered``: the formula has a meaning without it. ``id``: the rule's own, for a sentence that is worded anew
    (see ``Rule``).
    """

    def holds_there(layer: AnyLayer) -> bool:
        return any(getattr(layer, name) != value for name, value in only.items()) or holds(layer)

    predicate = holds_there if only else holds
    if callable(broken):
        return Rule(
            text, predicate, broken, unasked, reading=reading, is_answered=is_answered, id=id
        )
    changes = (broken,) if isinstance(broken, (Mapping, str)) else tuple(broken)
    each_change = tuple(each for change in changes for each in each_in_turn(change))
    return Rule(
        text, predicate, each_change, unasked, reading=reading, is_answered=is_answered, id=id
    )


@dataclass(frozen=True)
class Sums:
    """What an operation adds up: the axes of each input whose elements, or their products, are the terms of one sum.

    ``axes`` gives them by input, in an order that is the same for all inputs; inputs that are not named have no part.
    ``layer`` are changes to the plain layer with sums of many terms and a thousand outputs.
    """

    axes: Callable[[AnyLayer], Mapping[str, tuple[int, ...]]]
    layer: Changes


@dataclass(frozen=True)
class Growth:
    """The input and the axis of it that become large in the purpose large-output.

    ``elements``: how many the input has then at most, where one makes many of the output or takes long.
    """

    input: str
    axis: int
    elements: int | None = None
