"""How an operation is declared: the words of its specification page as data.

A declaration says what the page says: inputs, attributes, outputs, types, rules, examples. Three small functions say
what a page leaves to the reader: a plain layer that the purposes vary, a draw from the whole space of valid layers,
and, for data that must obey a rule (indices, say), its values. Everything else follows: see ``ir_models.purposes``.
"""

from __future__ import annotations

import inspect
import random
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, get_args, get_origin

import numpy as np

from ir_models.body import Body
from ir_models.element_types import ELEMENT_TYPES, ElementType, TypeSet, f32, string
from ir_models.layer import Layer, Tensor, literal

Changes = Mapping[str, Any]
Values = Callable[[Layer, np.random.RandomState], "np.ndarray | None"]


@dataclass(frozen=True)
class Rank:
    """Ranks from ``least`` to ``most``; ``most`` None means without end."""

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
    """Real values drawn evenly from ``low`` to ``high``, none of a magnitude below ``least`` but integers."""

    low: float
    high: float
    least: float = 0.0


@dataclass(frozen=True)
class Within:
    """Values that depend on the layer and the element type, such as integers whose sum must fit.

    ``range`` gives an interval, numbers to choose from, or None where any ordinary value will do.
    """

    range: Callable[[Layer, ElementType], Interval | Sequence[int] | None]


@dataclass(frozen=True)
class Input:
    """One input of the page, fed with data.

    ``optional``: may be left out. ``many``: any number of tensors, at least one. ``values``: an interval (``Within``:
    one for each layer and type), or a function of the layer and a random state, where not every value of the type is
    allowed or wise; the function need not care for the type's precision, returns None for a layer where any value will
    do, and unlike an interval also decides for purposes of special values. ``index``: the value is a parameter
    of the layer, see ``Index``.
    """

    name: str
    types: TypeSet
    rank: Rank = ANY_RANK
    optional: bool = False
    many: bool = False
    values: Interval | Within | Values | None = None
    index: bool = False
    constant: bool = False


def Index(  # noqa: N802 - reads as a kind of Input in declarations
    name: str,
    types: TypeSet,
    rank: Rank | None = None,
    optional: bool = False,
    constant: bool = False,
) -> Input:
    """An input such as ``axes`` or ``block_shape``: its value is a parameter of the layer and stands in the case's id.

    Usually a constant; the suite also feeds it at run time, unless ``constant``: the page demands a Constant.
    """
    rank = exactly(1) if rank is None else rank
    return Input(name, types, rank, optional, index=True, constant=constant)


@dataclass(frozen=True)
class Attribute:
    """One attribute of the page.

    ``type`` is int, float, bool, str, list (of integers), list[float], list[str], ElementType, or a tuple of the
    strings allowed. ``default`` is the page's; ``required`` the page's too. ``least``: the smallest number allowed, for
    each item of a list. ``types``: the element types allowed where ``type`` is ElementType.
    ``ir_name`` is the page's name where Python cannot say it (``exclude-pad``). ``written``: False for what IR says by
    other means than an attribute, such as which body a layer has.
    """

    name: str
    type: Any
    default: Any = None
    required: bool = False
    least: float | None = None
    types: TypeSet | None = None
    ir_name: str = ""
    written: bool = True

    @property
    def is_enumeration(self) -> bool:
        """Whether the page lists the strings allowed."""
        return isinstance(self.type, tuple)

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
            return tuple(int(item) for item in text.split(",") if item)
        if get_origin(self.type) is list:
            (kind,) = get_args(self.type)
            return tuple(kind(item) for item in text.split(",") if item)
        if self.type in (int, float):
            return self.type(text)
        if self.type is ElementType:
            # An unknown name stays text, so that an invalid layer can be written.
            return ELEMENT_TYPES.get(text, text)
        return text

    def allows(self, value: Any) -> bool:
        """Whether the page allows this value, as far as it speaks of this attribute alone."""
        if self.is_enumeration:
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
    types: TypeSet | Callable[[Layer], ElementType]
    count: Callable[[Layer], int] | None = None


@dataclass(frozen=True)
class Example:
    """One XML example of the page, literally.

    ``layer`` holds the inputs and attributes; ``output`` the stated shape, or one shape for each output; ``ports`` the
    printed port ids, inputs first. ``erratum`` is the reason why the stated output contradicts the page itself: then
    the page's formula wins.
    """

    layer: Changes
    output: Sequence[Any] | None
    ports: tuple[int, ...]
    erratum: str = ""

    @property
    def output_shapes(self) -> list[tuple[int, ...]] | None:
        """The stated shape of each output, None where the page states none."""
        if self.output is None:
            return None
        nested = any(isinstance(item, (list, tuple)) for item in self.output)
        shapes = self.output if nested else [self.output]
        return [tuple(shape) for shape in shapes]


def example(
    output: Sequence[Any] | None,
    ports: Sequence[int],
    erratum: str = "",
    **layer: Any,
) -> Example:
    """``example(data=f32[5, 7], axis=1, output=[7, 5], ports=[0, 1, 2])``."""
    return Example(layer, output, tuple(ports), erratum)


@dataclass(frozen=True)
class Rule:
    """A sentence of the page that every valid layer satisfies.

    ``broken`` are changes to the plain layer that break this rule and no other.
    """

    text: str
    holds: Callable[[Layer], bool]
    broken: tuple[Changes, ...] = ()


class Draw:
    """Where a random layer takes its choices from.

    ``source`` is a ``random.Random`` or anything that behaves like it, such as what ``hypothesis.strategies.randoms``
    gives; so the same declaration serves a seeded run and Hypothesis, which shrinks failures.
    """

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def integer(self, least: int, most: int) -> int:
        """A whole number, both ends included."""
        return self.source.randint(least, most)

    def boolean(self) -> bool:
        """True or False."""
        return bool(self.source.randint(0, 1))

    def choice(self, items: Sequence[Any]) -> Any:
        """One of the items."""
        return items[self.source.randint(0, len(items) - 1)]

    def real(self, low: float, high: float) -> float:
        """A number of at most three decimals, so that it reads well in a case id."""
        return round(self.source.uniform(low, high), 3)

    def shape(self, rank: int, least: int = 1, most: int = 6) -> list[int]:
        """``rank`` dimensions, now and then with a 1."""
        return [self.integer(least, most) for _ in range(rank)]

    def permutation(self, count: int) -> list[int]:
        """The numbers 0 to ``count`` - 1 in any order."""
        order: list[int] = []
        for item in range(count):
            order.insert(self.integer(0, len(order)), item)
        return order

    def subset(self, items: Sequence[Any], least: int = 0, most: int | None = None) -> list[Any]:
        """Some of the items, in any order."""
        size = self.integer(least, len(items) if most is None else min(most, len(items)))
        return [items[i] for i in self.permutation(len(items))[:size]]


# Random layers take these types; the others have cases of their own and are refused or worse by many devices.
COMMON_TYPES = [
    "f16",
    "f32",
    "f64",
    "bf16",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "boolean",
]


@dataclass(frozen=True)
class Sums:
    """What an operation adds up: the axes of each input whose elements, or their products, are the terms of one sum.

    ``axes`` gives them by input, in an order that is the same for all inputs; inputs that are not named have no part.
    ``layer`` are changes to the plain layer with sums of many terms and a thousand outputs.
    """

    axes: Callable[[Layer], Mapping[str, tuple[int, ...]]]
    layer: Changes


@dataclass
class Operation:
    """An operation as its page declares it; ``name`` as on the page, ``SpaceToBatch-2``.

    ``opset`` is the first operation set that has it. ``ir_type`` is the layer's type in IR where it is not the name on
    the page. ``dynamic_rank``: False where the page or the IR reader needs a known rank. ``variants``: changes to the
    plain layer that one factor of this operation asks for, a list by purpose. ``resizable``: whether a model compiled
    for unknown shapes may be asked the second layer after the first, where the page does not let every valid one
    follow. ``bodies``: the networks inside a layer by the name of their element in IR, ``body`` or ``then_body``.
    """

    name: str
    opset: str
    inputs: Sequence[Input] = ()
    outputs: Sequence[Output] = ()
    attributes: Sequence[Attribute] = ()
    examples: Sequence[Example] = ()
    ir_type: str = ""
    dynamic_rank: bool = True
    resizable: Callable[[Layer, Layer], bool] | None = None
    bodies: Callable[[Layer], Mapping[str, Body]] | None = None
    variants: Mapping[str, Any] = field(default_factory=dict)
    sums: Sums | None = None
    rules: list[Rule] = field(init=False)
    module: str = field(init=False)
    _plain: Callable[..., Changes] | None = field(init=False, default=None)
    _random: Callable[[Draw], Changes] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Z]\w*-\d+", self.name):
            raise ValueError(f"an operation's name is like SpaceToBatch-2, got {self.name!r}")
        # Frame 0 is this method, 1 the dataclass's own __init__, 2 the module that declares.
        self.module = str(sys._getframe(2).f_globals["__name__"])
        self.rules = _implied_rules(self)

    def __repr__(self) -> str:
        return f"Operation({self.name!r})"

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and other.name == self.name

    @property
    def type(self) -> str:
        """The layer's type in IR."""
        return self.ir_type or self.name.rpartition("-")[0]

    @property
    def category(self) -> str:
        """The folder of the declaration, which is that of the page."""
        return self.module.rpartition(".")[0].rpartition(".")[2]

    @cached_property
    def index_inputs(self) -> tuple[Input, ...]:
        """Inputs whose values are parameters of the layer."""
        return tuple(i for i in self.inputs if i.index)

    @property
    def takes_values_at_run_time(self) -> bool:
        """Whether it has index inputs, and the page lets all of them be known late."""
        return bool(self.index_inputs) and not any(i.constant for i in self.index_inputs)

    @cached_property
    def type_sets(self) -> dict[str, TypeSet]:
        """The type variables of the inputs, in order of appearance."""
        return {i.types.name: i.types for i in self.inputs}

    def input(self, name: str) -> Input:
        """The declared input of this name."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Input]:
        return {i.name: i for i in self.inputs}

    @cached_property
    def _attribute_by_name(self) -> dict[str, Attribute]:
        return {a.name: a for a in self.attributes}

    # --- the three functions of a declaration ---------------------------------------------------------------------

    def plain(self, function: Callable[..., Changes]) -> Callable[..., Changes]:
        """Decorator: the layer that purposes vary; a parameter ``rank`` makes it one for each rank of the page."""
        self._plain = function
        return function

    def random(self, function: Callable[[Draw], Changes]) -> Callable[[Draw], Changes]:
        """Decorator: a draw from the space of valid layers; draws that break a rule are drawn again."""
        self._random = function
        return function

    def rule(
        self, text: str, broken: Changes | Iterable[Changes] = ()
    ) -> Callable[[Callable[[Layer], bool]], Callable[[Layer], bool]]:
        """Decorator: a rule of the page with the changes to the plain layer that break it alone."""
        breaks = (broken,) if isinstance(broken, Mapping) else tuple(broken)

        def declare(holds: Callable[[Layer], bool]) -> Callable[[Layer], bool]:
            self.rules.append(Rule(text, holds, breaks))
            return holds

        return declare

    # --- layers ---------------------------------------------------------------------------------------------------

    def layer(self, **parameters: Any) -> Layer:
        """A layer from inputs (a shape, a tensor, or the value of an index input) and attributes.

        What is not given, or is None, is left out. Raises ValueError for a name that the page does not have.
        """
        unknown = parameters.keys() - self._by_name.keys() - self._attribute_by_name.keys()
        if unknown:
            names = ", ".join([*self._by_name, *self._attribute_by_name])
            raise ValueError(f"{self.name} has no {', '.join(sorted(unknown))}; it has {names}")
        inputs = {i.name: _tensors(i, parameters.get(i.name)) for i in self.inputs}
        attributes = {
            a.name: literal(parameters[a.name])
            for a in self.attributes
            if parameters.get(a.name) is not None
        }
        return Layer(self, inputs, attributes)

    @property
    def has_ranks(self) -> bool:
        """Whether the plain layer comes in every rank."""
        return self._plain is not None and "rank" in inspect.signature(self._plain).parameters

    def plain_layer(self, rank: int | None = None) -> Layer:
        """The plain layer, of this rank if the declaration offers ranks."""
        if self._plain is None:
            return self.layer(**self.examples[0].layer)
        if rank is None:
            return self.layer(**self._plain())
        return self.layer(**self._plain(rank=rank))

    def random_layer(self, draw: Draw) -> Layer:
        """A valid layer drawn from the declared space, in common element types.

        Raises RuntimeError when a hundred draws in a row break a rule.
        """
        if self._random is None:
            raise RuntimeError(f"{self.name} declares no random space")
        for _ in range(100):
            layer = self.layer(**self._random(draw))
            chosen = {}
            for name, type_set in self.type_sets.items():
                holding = self.fitting(layer, type_set)
                common = [t for t in holding if t.name in COMMON_TYPES]
                chosen[name] = draw.choice(common or holding)
            layer = layer.with_types(chosen)
            if self.broken_rule(layer) is None:
                return layer
        raise RuntimeError(f"{self.name}: a hundred random layers in a row broke a rule")

    def fitting(self, layer: Layer, type_set: TypeSet) -> list[ElementType]:
        """The types of a type variable that can hold the values that the layer states of it."""
        given = [layer.inputs[i.name] for i in self.inputs if i.types.name == type_set.name]
        stated = [t for t in given if isinstance(t, Tensor) and t.value is not None]
        return [kind for kind in type_set.types if all(t.fits(kind) for t in stated)]

    def broken_rules(self, layer: Layer) -> list[Rule]:
        """The rules that a layer breaks; a rule that cannot be evaluated because another is broken does not count."""
        return [rule for rule in self.rules if not _holds(rule, layer)]

    def broken_rule(self, layer: Layer) -> Rule | None:
        """The first rule that a layer breaks, None for a valid layer."""
        return next((rule for rule in self.rules if not _holds(rule, layer)), None)

    def output_types(self, layer: Layer) -> list[ElementType]:
        """The element type of each output of a layer."""
        types: list[ElementType] = []
        for output in self.outputs:
            count = output.count(layer) if output.count else 1
            types.extend([_output_type(output, layer)] * count)
        return types

    def example_of(self, layer: Layer) -> Example | None:
        """The page's example that is this layer."""
        return next((e for e in self.examples if self.layer(**e.layer) == layer), None)


def _holds(rule: Rule, layer: Layer) -> bool:
    try:
        return bool(rule.holds(layer))
    except (TypeError, IndexError, AttributeError, ZeroDivisionError, ValueError):
        # The rule speaks of something that this layer lacks: another rule, one on shapes or types, says so.
        return True


def _tensors(declared: Input, given: Any) -> Tensor | tuple[Tensor, ...] | None:
    if given is None:
        return None
    if declared.many:
        return tuple(_tensor(declared, each) for each in given)
    return _tensor(declared, given)


def _tensor(declared: Input, given: Any) -> Tensor:
    if isinstance(given, Tensor):
        return given
    if not declared.index:
        return Tensor(declared.types.default, tuple(int(d) for d in given))
    value = literal(given)
    types = declared.types
    default = next((t for t in types.types if t.name == "i64"), types.default)
    return Tensor(default, np.shape(value), value)


def _output_type(output: Output, layer: Layer) -> ElementType:
    if not isinstance(output.types, TypeSet):
        return output.types(layer)
    for declared in layer.operation.inputs:
        tensor = layer.inputs.get(declared.name)
        if declared.types.name == output.types.name and tensor is not None:
            return tensor[0].element_type if isinstance(tensor, tuple) else tensor.element_type
    return output.types.default


def _implied_rules(operation: Operation) -> list[Rule]:
    """What the declaration of inputs and attributes says already, as rules."""
    rules: list[Rule] = []
    for declared in operation.inputs:
        rules.extend(_input_rules(declared))
    for name in dict.fromkeys(i.types.name for i in operation.inputs):
        rules.extend(_type_rules([i for i in operation.inputs if i.types.name == name]))
    for attribute in operation.attributes:
        rules.extend(_attribute_rules(attribute))
    return rules


def _given(layer: Layer, declared: Input) -> tuple[Tensor, ...]:
    tensor = layer.inputs[declared.name]
    if tensor is None:
        return ()
    return tensor if isinstance(tensor, tuple) else (tensor,)


def _input_rules(declared: Input) -> list[Rule]:
    name = declared.name
    rules = []
    if not declared.optional:
        rules.append(Rule(f"{name} is required", lambda layer: bool(_given(layer, declared))))
    if declared.rank != ANY_RANK:
        rules.append(
            Rule(
                f"{name} has rank {declared.rank}",
                lambda layer: all(t.rank in declared.rank for t in _given(layer, declared)),
            )
        )
    return rules


def _type_rules(sharers: Sequence[Input]) -> list[Rule]:
    """The inputs that name one type variable have one of its types, and the same one."""
    type_set = sharers[0].types
    required = [i.name for i in sharers if not i.optional]
    foreign = next((t for t in (f32, string) if t not in type_set), None)
    names = ", ".join(i.name for i in sharers)
    rules = []
    if foreign is not None:
        rules.append(
            Rule(
                f"{names}: {type_set.name} is one of {' '.join(t.name for t in type_set.types)}",
                lambda layer: all(
                    t.element_type in type_set for i in sharers for t in _given(layer, i)
                ),
                (dict.fromkeys((i.name for i in sharers), foreign),) if required else (),
            )
        )
    if len(sharers) > 1 or sharers[0].many:
        others = [t for t in type_set.types if t != type_set.default and t.name in COMMON_TYPES]
        mixed = {required[-1]: others[0]} if others and len(required) > 1 else None
        rules.append(
            Rule(
                f"{names} have one type {type_set.name}",
                lambda layer: len({t.element_type for i in sharers for t in _given(layer, i)}) <= 1,
                (mixed,) if mixed else (),
            )
        )
    return rules


def _attribute_rules(attribute: Attribute) -> list[Rule]:
    name = attribute.name
    rules = []
    if attribute.required:
        rules.append(
            Rule(f"{name} is required", lambda layer: name in layer.attributes, ({name: None},))
        )
    broken: Changes | None = None
    if attribute.is_enumeration:
        text, broken = f"{name} is one of {', '.join(attribute.type)}", {name: "unheard_of"}
        broken = broken if attribute.written else None
    elif attribute.least is not None and attribute.type in (int, float):
        text = f"{name} is at least {attribute.least}"
        broken = {name: attribute.type(attribute.least) - 1}
    elif attribute.least is not None:
        text = f"each item of {name} is at least {attribute.least}"
    elif attribute.types is not None:
        text = f"{name} is one of {' '.join(t.name for t in attribute.types.types)}"
        broken = {name: string} if string not in attribute.types else None
    else:
        return rules
    rules.append(
        Rule(
            text,
            lambda layer: name not in layer.attributes or attribute.allows(layer.attributes[name]),
            (broken,) if broken else (),
        )
    )
    return rules
