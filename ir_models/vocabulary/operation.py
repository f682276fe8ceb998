"""An operation as its page declares it, and a layer: an operation with every parameter fixed, its data apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ir_models.vocabulary import notation
from ir_models.vocabulary.draw import Draw
from ir_models.vocabulary.element_types import ElementType, Tensor, literal
from ir_models.vocabulary.graph import Graph
from ir_models.vocabulary.page import (
    Attribute,
    Changes,
    Example,
    Growth,
    Input,
    Output,
    Rule,
    Sums,
    Variant,
    each_in_turn,
)
from ir_models.vocabulary.readings import Reading
from ir_models.vocabulary.type_sets import TypeSet

Given = Tensor | tuple[Tensor, ...] | None

LATEST_OPSET = 17
"""The last operation set of the specification. A layer of a later one would be refused by every release."""

MADE: list[str] = []
"""The name of each operation that was made, in order: a file that declares one twice is found by it."""

ROLES = {
    "constant": "its one input is the content that the weights file holds for it",
    "parameter": "its one input is what the model is given under its name",
    "result": "its one output is what the model gives under its name",
}


@dataclass
class Operation:
    """An operation as its page declares it; ``name`` as on the page, ``SpaceToBatch-2``.

    ``opset`` is the first operation set that has it. ``ir_type`` is the layer's type in IR where it is not the name on
    the page. ``violations``: more changes to the plain layer that break a rule, one each, beside those of the rules;
    as in variants ``|`` stands between values that are taken in turn. ``unasked``: why no case breaks a rule that
    follows from inputs or attributes, by the beginning of its text. ``readings``: what the page leaves open.
    ``dynamic_rank``: False where the page or the IR reader needs a known rank. ``sizes`` are those of the
    names in shapes, in the plain layer. ``resizable``: whether a model compiled for unknown shapes may be asked the
    second layer after the first, where the page does not let every valid one follow. ``mixes``: an element of the
    output depends on many elements of data; operations that declare ``sums`` need not say it. ``keeps_state``: a
    device may go on from one inference to the next, as a sequence of random numbers does, so that only the first one
    is determined. ``partner``: the type of the layer that is the other half of a variable: such a layer is asked with
    that one in one model, and what it keeps is determined in each inference (see ``ir_models.asking.turns``).
    ``role``: one of ``ROLES``, for a layer that computes nothing but is where a model begins or ends.
    ``reads_shapes_alone``: the outputs depend on the shapes of the inputs, not on their elements.
    ``reads``: the names of the inputs on whose elements the outputs depend, where a layer need not use all that it has.
    ``infers_rank``: whether the page promises that the rank of the outputs is known (True) or is not (False), where
    the dimensions of data are unknown and its rank and the index inputs are not; None where it promises nothing.
    ``sweeps``: the input of a function of one number, which is asked for every number of a short type.
    ``algebra``: ``sum`` for a + b and a - b, ``factor`` for a · b, ``quotient`` for a / b: a device may multiply a
    factor, or 1 / b, into a sum.
    ``affine``: the outputs are data times a factor plus an addend, which follow from these inputs; how often each is
    rounded where these two are made first.
    ``converts``: the outputs are the numbers of data in another element type.
    ``has_levels``: the outputs are levels that follow from other inputs: a device may multiply a factor behind the
    layer into the levels, or add an addend to them.
    ``grows``: what becomes large in the purpose large-output, where the first axis that can would ask for many small
    computations or a very large output.
    ``category`` is the folder of the declaration, which is that of the page; ``ir_models.catalog`` sets it.
    """

    name: str
    opset: str
    inputs: Sequence[Input] = ()
    outputs: Sequence[Output] = ()
    attributes: Sequence[Attribute] = ()
    examples: Sequence[Example] = ()
    rules: Sequence[Rule] = ()
    violations: Sequence[Changes] = ()
    unasked: Mapping[str, str] = field(default_factory=dict)
    variants: Sequence[Variant] = ()
    readings: Sequence[Reading] = ()
    sizes: Mapping[str, Any] = field(default_factory=dict)
    ir_type: str = ""
    dynamic_rank: bool = True
    resizable: Callable[[Layer, Layer], bool] | None = None
    sums: Sums | None = None
    mixes: bool = False
    keeps_state: bool = False
    partner: str = ""
    role: str = ""
    reads_shapes_alone: bool = False
    reads: Callable[[Layer], Collection[str]] | None = None
    infers_rank: Callable[[Layer], bool | None] | None = None
    sweeps: str = ""
    algebra: str = ""
    affine: Mapping[str, int] = field(default_factory=dict)
    converts: bool = False
    has_levels: bool = False
    grows: Growth | None = None
    category: str = field(init=False, default="")
    plain_function: Callable[..., Changes] | None = field(init=False, default=None)
    random_function: Callable[[Draw], Changes] | None = field(init=False, default=None)
    adapt_function: Callable[[Layer], Changes] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Z]\w*-\d+", self.name):
            raise ValueError(f"an operation's name is like SpaceToBatch-2, got {self.name!r}")
        number = re.fullmatch(r"opset(\d+)", self.opset)
        if number is None or not 1 <= int(number[1]) <= LATEST_OPSET:
            raise ValueError(
                f"{self.name}: opset is one of opset1 to opset{LATEST_OPSET}, which OpenVINO knows, got {self.opset!r}"
            )
        if self.role not in ("", *ROLES):
            raise ValueError(f"{self.name}: role is one of {', '.join(ROLES)}, got {self.role!r}")
        self._check_names()
        self.violations = [each for text in self.violations for each in each_in_turn(text)]
        MADE.append(self.name)

    def _check_names(self) -> None:
        """Raise ValueError for a name that stands twice, or that nothing has."""
        parameters: list[Input | Attribute] = [*self.inputs, *self.attributes]
        for what, names in (
            ("inputs or attributes", [each.name for each in parameters]),
            ("variants", [each.name for each in self.variants]),
            ("rules of the text", [each.text for each in self.rules]),
            ("rules of the id", [each.id for each in self.rules if each.id]),
        ):
            twice = next((name for name, count in Counter(names).items() if count > 1), None)
            if twice is not None:
                raise ValueError(f"{self.name} has two {what} {twice!r}")
        inputs = [each.name for each in self.inputs]
        for each in parameters:
            if each.axis_of and each.axis_of not in inputs:
                raise ValueError(
                    f"{self.name}: {each.name} is an axis of {each.axis_of!r}, which is no input; inputs are "
                    f"{', '.join(inputs) or 'none'}"
                )

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

    @cached_property
    def index_inputs(self) -> tuple[Input, ...]:
        """Inputs whose values are parameters of the layer."""
        return tuple(i for i in self.inputs if i.index)

    @cached_property
    def index_names(self) -> frozenset[str]:
        """The names of the index inputs."""
        return frozenset(i.name for i in self.index_inputs)

    @cached_property
    def shaped_inputs(self) -> tuple[Input, ...]:
        """The inputs whose shapes the page states."""
        return tuple(i for i in self.inputs if i.shape is not None)

    @cached_property
    def names_of_types(self) -> frozenset[str]:
        """The names of the inputs whose element type alone the page reads."""
        return frozenset(i.name for i in self.inputs if i.type_alone)

    @cached_property
    def takes_values_at_run_time(self) -> bool:
        """Whether it has index inputs, and the page lets all of them be known late."""
        return bool(self.index_inputs) and not any(i.constant for i in self.index_inputs)

    @cached_property
    def has_sizes_of_values(self) -> bool:
        """Whether an example of the page says that the values of data decide how large an output is."""
        shapes = (shape for each in self.examples for shape in each.output_shapes or ())
        return any(-1 in shape for shape in shapes)

    @cached_property
    def bodies(self) -> tuple[Attribute, ...]:
        """The attributes that choose a body of the layer."""
        return tuple(a for a in self.attributes if a.is_body)

    @cached_property
    def followers(self) -> dict[str, tuple[str, ...]]:
        """The names of the attributes that follow data, by what they follow."""
        found: dict[str, tuple[str, ...]] = {}
        for each in self.attributes:
            if each.follows:
                found[each.follows] = (*found.get(each.follows, ()), each.name)
        return found

    @cached_property
    def type_sets(self) -> dict[str, TypeSet]:
        """The type variables of the inputs, in order of appearance."""
        return {i.types.name: i.types for i in self.inputs}

    def input(self, name: str) -> Input:
        """The declared input of this name."""
        return self._inputs_by_name[name]

    def attribute(self, name: str) -> Attribute | None:
        """The declared attribute of this name, None where it has none."""
        return self._attributes_by_name.get(name)

    @cached_property
    def _inputs_by_name(self) -> dict[str, Input]:
        return {i.name: i for i in self.inputs}

    @cached_property
    def _attributes_by_name(self) -> dict[str, Attribute]:
        return {a.name: a for a in self.attributes}

    # --- the functions of a declaration ---------------------------------------------------------------------------

    def plain(self, function: Callable[..., Changes]) -> Callable[..., Changes]:
        """Decorator: the layer that purposes vary; a parameter ``rank`` makes it one for each rank of the page."""
        self.plain_function = function
        return function

    def random(self, function: Callable[[Draw], Changes]) -> Callable[[Draw], Changes]:
        """Decorator: a draw from the space of valid layers; draws that break a rule are drawn again."""
        self.random_function = function
        return function

    def adapt(self, function: Callable[[Layer], Changes]) -> Callable[[Layer], Changes]:
        """Decorator: changes that make the rest of a layer suit the shapes and parameters that a declaration gives.

        They are used where the layer breaks a rule without them: when a dimension changes, and in the plain layer,
        variants and random layers, which may so leave out what follows from the rest (the shape of updates).
        """
        self.adapt_function = function
        return function

    # --- layers ---------------------------------------------------------------------------------------------------

    def layer(self, **parameters: Any) -> Layer:
        """A layer from inputs (a shape, a tensor, or the value of an index input) and attributes.

        What is not given, or is None, is left out. Raises ValueError for a name that the page does not have.
        """
        unknown = parameters.keys() - self._inputs_by_name.keys() - self._attributes_by_name.keys()
        if unknown:
            names = ", ".join([*self._inputs_by_name, *self._attributes_by_name])
            raise ValueError(f"{self.name} has no {', '.join(sorted(unknown))}; it has {names}")
        inputs = {i.name: _given(i, parameters.get(i.name)) for i in self.inputs}
        attributes = {
            a.name: literal(parameters[a.name])
            for a in self.attributes
            if parameters.get(a.name) is not None
        }
        return Layer(self, inputs, attributes)

    def parameters(self, changes: Changes) -> Mapping[str, Any]:
        """Inputs and attributes by name, also where they are given as text. Raises ValueError."""
        if not isinstance(changes, str):
            return changes
        try:
            return notation.read(changes, self._inputs_by_name, self._attributes_by_name)
        except ValueError as error:
            raise ValueError(f"{self.name}, {' '.join(changes.split())!r}: {error}") from None

    def output_types(self, layer: Layer) -> list[ElementType]:
        """The element type of each output of a layer."""
        if "output types" not in layer.derived:
            types: list[ElementType] = []
            for output in self.outputs:
                count = output.count(layer) if output.count else 1
                types.extend([_output_type(output, layer)] * count)
            layer.derived["output types"] = types
        return [*layer.derived["output types"]]

    def example_of(self, layer: Layer) -> Example | None:
        """The page's example that is this layer."""
        return next(
            (e for e in self.examples if self.layer(**self.parameters(e.layer)) == layer), None
        )


@dataclass(frozen=True)
class Layer:
    """One layer. ``inputs`` maps names to a tensor, to several of them for an input that repeats, or to None.

    The names of inputs and attributes are also attributes of the object, so that rules read like the page:
    ``layer.data.shape``, ``layer.block_shape.value``, ``layer.mode``. An attribute that was left out has the
    page's default there, while ``attributes`` holds only those that are present.
    """

    operation: Operation
    inputs: Mapping[str, Given]
    attributes: Mapping[str, Any]

    derived: dict[Any, Any] = field(default_factory=dict, init=False, compare=False, repr=False)
    """What follows from inputs and attributes, and takes time to find: the first broken rule, ports, sizes."""

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        # Copying and pickling look for methods before the fields are there.
        if name.startswith("_") or "inputs" not in fields:
            raise AttributeError(name)
        if name in fields["inputs"]:
            found = fields["inputs"][name]
        elif name in fields["attributes"]:
            found = fields["attributes"][name]
        elif (declared := self.operation.attribute(name)) is not None:
            found = declared.default
        else:
            raise AttributeError(f"{self.operation.name} has no input or attribute {name!r}")
        # Rules read the same names again and again: from now on it is found before this function is called.
        fields[name] = found
        return found

    def tensors(self, name: str) -> tuple[Tensor, ...]:
        """The tensors of an input: one, several for an input that repeats, none for one left out."""
        given = self.inputs[name]
        if given is None:
            return ()
        return given if isinstance(given, tuple) else (given,)

    def ports(self) -> tuple[tuple[str, Tensor | None], ...]:
        """(name, tensor) for each input port in order; an input left out in the middle gives None."""
        if "ports" not in self.derived:
            self.derived["ports"] = _ports(self.inputs)
        found: tuple[tuple[str, Tensor | None], ...] = self.derived["ports"]
        return found

    @property
    def data_names(self) -> tuple[str, ...]:
        """The names of the ports of data, index inputs apart, that are not left out."""
        if "data names" not in self.derived:
            index = self.operation.index_names
            named = (n for n, tensor in self.ports() if tensor is not None and n not in index)
            self.derived["data names"] = tuple(named)
        found: tuple[str, ...] = self.derived["data names"]
        return found

    @property
    def states_data(self) -> bool:
        """Whether it states the value of an input that is not an index input."""
        data = (t for i in self.operation.inputs if not i.index for t in self.tensors(i.name))
        return any(tensor.value is not None for tensor in data)

    def graphs(self) -> dict[str, Graph]:
        """The bodies inside the layer, by the name of their element in IR; unknown ones have none."""
        return {
            body.name: body.type[self.attributes[body.name]](self)
            for body in self.operation.bodies
            if self.attributes.get(body.name) in body.type
        }

    def arguments(self) -> dict[str, Any]:
        """The attributes for a reference, those of the page: bodies, port maps and back edges are plain data."""
        taken = {a.name for a in self.operation.attributes if a.is_written or a.partner}
        found = {name: value for name, value in self.attributes.items() if name in taken}
        for name, graph in self.graphs().items():
            found |= graph.arguments(name)
        return found

    def replace(self, **changes: Any) -> Layer:
        """This layer with other inputs or attributes; ``None`` leaves one out."""
        return self.operation.layer(**{**self.inputs, **self.attributes, **changes})

    def changed(self, changes: Changes) -> Layer:
        """This layer with changes as declarations write them.

        An element type changes the type of that input alone; a value given for an input whose value is stated states
        another one in the type that the input usually has.
        """
        parameters: dict[str, Any] = {}
        for name, change in self.operation.parameters(changes).items():
            before = self.inputs.get(name)
            if isinstance(change, ElementType) and name in self.inputs:
                typed = tuple(t.with_type(change) for t in self.tensors(name))
                if before is not None:  # an input left out has no type
                    parameters[name] = typed if isinstance(before, tuple) else typed[0]
            elif (
                isinstance(before, Tensor)
                and before.value is not None
                and not isinstance(change, Tensor)
            ):
                parameters[name] = self.operation.layer(**{name: literal(change)}).inputs[name]
            else:
                parameters[name] = change
        return self.replace(**parameters)

    def with_types(self, chosen: Mapping[str, ElementType]) -> Layer:
        """This layer with the element types that ``chosen`` gives for type variables by name."""

        def typed(name: str, given: Given) -> Given:
            wanted = chosen.get(self.operation.input(name).types.name)
            if wanted is None or given is None:
                return given
            if isinstance(given, tuple):
                return tuple(each.with_type(wanted) for each in given)
            return given.with_type(wanted)

        inputs = {name: typed(name, t) for name, t in self.inputs.items()}
        changed = Layer(self.operation, inputs, self.attributes)
        return changed._following("type", lambda kind: _kind_like(kind, inputs))._with_own_size()

    def with_dimension(self, name: str, number: int, axis: int, size: int) -> Layer:
        """This layer with another size along one axis of the tensor ``number`` of an input, as data."""
        tensors = list(self.tensors(name))
        shape = tensors[number].shape
        tensors[number] = tensors[number].with_shape(*shape[:axis], size, *shape[axis + 1 :])
        given = tuple(tensors) if self.operation.input(name).many else tensors[0]
        changed = Layer(self.operation, {**self.inputs, name: given}, self.attributes)
        found = changed._following("shape", lambda sizes: _with_size(sizes, axis, size))
        return found._with_own_size()

    def _with_own_size(self) -> Layer:
        """This layer with the size in bytes of its first tensor where an attribute is that."""
        if "size" not in self.operation.followers:
            return self
        first = _first(self.inputs)
        return self._following("size", lambda _: first.element_type.byte_size(first.shape))

    def _following(self, what: str, change: Callable[[Any], Any]) -> Layer:
        """This layer with another value of the attributes that follow data in its shape or its type."""
        names = self.operation.followers.get(what)
        if names is None:
            return self
        followers = [name for name in names if self.attributes.get(name) is not None]
        changed = {name: change(self.attributes[name]) for name in followers}
        return replace(self, attributes={**self.attributes, **changed}) if changed else self


def _ports(inputs: Mapping[str, Given]) -> tuple[tuple[str, Tensor | None], ...]:
    found: list[tuple[str, Tensor | None]] = []
    count = 0
    for name, given in inputs.items():
        if isinstance(given, tuple):
            found.extend((f"{name}_{index}", each) for index, each in enumerate(given))
        else:
            found.append((name, given))
        # Inputs that are left out at the end have no port.
        count = count if given is None else len(found)
    return tuple(found[:count])


def _first(inputs: Mapping[str, Given]) -> Tensor:
    """The first tensor. Raises StopIteration where there is none."""
    given = next(each for each in inputs.values() if each)
    return given[0] if isinstance(given, tuple) else given


def _kind_like(kind: Any, inputs: Mapping[str, Given]) -> Any:
    """The element type of data as an attribute has it: as a name, or as the type itself."""
    if kind == "dynamic":
        return kind
    found = _first(inputs).element_type
    return found if isinstance(kind, ElementType) else found.name


def _with_size(sizes: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    """A shape with another size along an axis, if that is known."""
    return tuple(size if place == axis and each >= 0 else each for place, each in enumerate(sizes))


def _given(declared: Input, given: Any) -> Given:
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
    return Tensor(declared.types.usual_index, np.shape(value), value)


def _output_type(output: Output, layer: Layer) -> ElementType:
    if not isinstance(output.types, TypeSet):
        return output.types(layer)
    for declared in layer.operation.inputs:
        if declared.types.name == output.types.name:
            for tensor in layer.tensors(declared.name):
                return tensor.element_type
    return output.types.default
