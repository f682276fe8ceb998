"""A case: one question for a device. That of a layer has every parameter fixed, a purpose, and a way of asking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Any

import numpy as np

from ir_models.asking import ids, neighbours, operands, sweeps, values
from ir_models.asking.how import USUAL, WHOLE_SHAPES, How
from ir_models.asking.neighbours import EXACT_BEFORE, NEIGHBOURS, WRITES_SIZES
from ir_models.vocabulary import rules
from ir_models.vocabulary.element_types import ElementType, Tensor
from ir_models.vocabulary.layers import (
    can_be_resized,
    can_be_resized_along,
    resized,
    resized_along,
)
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.page import Rule

VARIANT = "variant."

Narrowing = Callable[["np.ndarray"], "np.ndarray"]
"""What becomes of values that a device converts to a narrower type."""

# The size of the dimension that changes between inferences; None for any other size in every dimension.
SIZES = {"": None, "zero": 0, "one": 1}


class Case(ABC):
    """One question for a device: what is asked, why it is asked (its purpose), and how. Its id says all of it."""

    purpose: str
    how: How

    @property
    @abstractmethod
    def operation(self) -> Operation:
        """The operation of the layer, or what stands for it."""

    @property
    @abstractmethod
    def id(self) -> str:
        """The case's name, its address and its seed."""

    @property
    @abstractmethod
    def inferences(self) -> int:
        """How often the model is inferred."""

    @property
    @abstractmethod
    def result_types(self) -> tuple[ElementType, ...]:
        """The element type of each result of the model."""

    @property
    def queried_types(self) -> tuple[ElementType, ...]:
        """The element type of each variable whose value is read through the request."""
        return ()

    @cached_property
    def output_types(self) -> tuple[ElementType, ...]:
        """The element type of each output that is compared: those of the model, then the variables that are queried."""
        return (*self.result_types, *self.queried_types)

    @property
    @abstractmethod
    def gives_constants(self) -> bool:
        """Whether only constants can come out."""

    @property
    @abstractmethod
    def likeness(self) -> tuple[object, tuple[str, ...]]:
        """What refusals depend on: ranks, types of index inputs, attributes present; then the types of data."""

    @property
    def graph_text(self) -> str:
        """The graph as text; "" for a layer."""
        return ""

    @property
    def is_invalid(self) -> bool:
        """Whether the layer breaks a rule of the page, so that a device must refuse it."""
        return self.purpose == "invalid"

    @property
    def broken_rule(self) -> Rule | None:
        """The first rule of the page that an invalid case breaks; None for other cases."""
        return None

    @property
    def promised_rank(self) -> bool | None:
        """Whether the page promises a known rank, or an unknown one, of outputs of unknown dimensions."""
        return None

    def sizes_at(self, inference: int) -> str:
        """What the model is given at an inference, where the sizes are others in each; else ""."""
        return ""

    def __str__(self) -> str:
        return self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Case) and other.id == self.id


@dataclass(frozen=True, eq=False)
class LayerCase(Case):
    """The question about one layer: *what* is asked is the layer, with its purpose; *how* is apart from it."""

    layer: Layer
    purpose: str
    how: How = USUAL

    @property
    def operation(self) -> Operation:
        """The operation of the layer."""
        return self.layer.operation

    @cached_property
    def id(self) -> str:
        """The case's name, its address and its seed."""
        return ids.write(self.layer, self.purpose, self.how)

    def asked(self, how: How) -> LayerCase:
        """This case, which is asked in the usual way, asked in another one."""
        case = LayerCase(self.layer, self.purpose, how)
        # Its id begins with this one's, which takes time to write.
        case.__dict__["id"] = ids.with_how(self.id, how)
        return case

    @property
    def broken_rule(self) -> Rule | None:
        """The first rule of the page that an invalid case breaks; None for other cases."""
        return self.first_broken_rule if self.is_invalid else None

    @property
    def first_broken_rule(self) -> Rule | None:
        """The first rule of the page that the layer breaks, or how it is asked; None for a valid layer."""
        late = [i.name for i in self.operation.index_inputs if i.constant and self.how.index]
        return rules.broken_rule(self.layer) or (rules.constant_rule(late[0]) if late else None)

    @property
    def variant(self) -> str:
        """The name of the operation's variant that the case is of; empty for other purposes."""
        return self.purpose.removeprefix(VARIANT) if self.purpose.startswith(VARIANT) else ""

    @property
    def is_constant(self) -> bool:
        """Whether outputs cannot depend on what is given at run time, so that a layer may be folded before that.

        Every input is a constant, or has no element, or only its shape or its type is read; that shape is known. What a
        variable holds is no constant.
        """
        if self.operation.partner:
            return False
        shapes_suffice = self.operation.reads_shapes_alone and not self.how.shape
        return shapes_suffice or all(starmap(self._is_settled, self.layer.ports()))

    @property
    def gives_constants(self) -> bool:
        """Whether only constants can come out: it is constant, or so is all that this layer reads of its inputs."""
        reads = self.operation.reads
        if self.is_constant or self.is_invalid or reads is None:
            return self.is_constant  # What an invalid layer reads is nowhere said.
        read = set(reads(self.layer))
        return all(starmap(self._is_settled, (p for p in self.layer.ports() if p[0] in read)))

    def _is_settled(self, port: str, tensor: Tensor | None) -> bool:
        """Whether nothing that a port of the layer is given at run time can change the outputs."""
        return (
            tensor is None
            or self.feeds_constant(port, tensor)
            or port in self.operation.names_of_types
            or (tensor.size == 0 and not self.how.shape)
        )

    def feeds_constant(self, port: str, tensor: Tensor) -> bool:
        """Whether a port of the layer (see ``Layer.ports``) is fed by a constant, not at run time."""
        operation, how = self.layer.operation, self.how
        if operation.role in ("constant", "parameter"):
            return operation.role == "constant"
        if how.data == "constant" or how.constant == port:
            return True
        if how.data == "first" and port in self._ports_of_data[1:]:
            return True
        if port in operation.index_names:
            return not how.index
        return tensor.value is not None and how.data != "runtime"

    @cached_property
    def _ports_of_data(self) -> tuple[str, ...]:
        """The data ports whose value the layer does not state."""
        ports = dict(self.layer.ports())
        given = ((name, ports[name]) for name in self.layer.data_names)
        return tuple(name for name, tensor in given if tensor and tensor.value is None)

    @property
    def constants(self) -> tuple[str, ...]:
        """The data ports that are constants though others are not, by how the layer is asked."""
        if self.how.constant:
            return (self.how.constant,)
        return self._ports_of_data[1:] if self.how.data == "first" else ()

    def has_known_shape(self, port: str, tensor: Tensor) -> bool:
        """Whether the shape at a port of the layer is in the model: that of a stated value or a constant always is."""
        is_fixed = tensor.value is not None or self.feeds_constant(port, tensor)
        return is_fixed or not self.how.shape

    @property
    def element_types(self) -> tuple[str, ...]:
        """The names of the element types of its inputs, each once."""
        given = (tensor for _, tensor in self.layer.ports() if tensor is not None)
        return tuple(dict.fromkeys(tensor.element_type.name for tensor in given))

    @property
    def inferences(self) -> int:
        """How often the model is inferred."""
        return self.how.inferences

    @property
    def likeness(self) -> tuple[object, tuple[str, ...]]:
        """What refusals depend on: ranks, types of index inputs, attributes present; then the types of data."""
        tensors = [tensor for _, tensor in self.layer.ports() if tensor is not None]
        index = tuple(t.element_type.name for t in tensors if t.value is not None)
        data = tuple(t.element_type.name for t in tensors if t.value is None)
        ranks = tuple(t.rank for t in tensors)
        return (self.operation.name, self.how, tuple(self.layer.attributes), index, ranks), data

    @property
    def promised_rank(self) -> bool | None:
        """Whether the page promises a known rank, or an unknown one, of outputs of unknown dimensions."""
        promise = self.operation.infers_rank
        asked = self.how.shape == "dims" and not self.how.index
        return promise(self.layer) if promise is not None and asked else None

    def sizes_at(self, inference: int) -> str:
        """What the model is given at an inference, where the sizes are others in each; else ""."""
        if not self.how.shape:
            return ""
        ports = self.layers[inference].ports()
        return ",".join(str(t) for _, t in ports if t is not None and t.value is None)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layer of each inference: the same one, but for unknown shapes, which end with the first shape again.

        A constant beside the layer that has sizes of the data is for one shape alone, though the model allows others.
        """
        if self.how.operand in operands.SIZED:
            return (self.layer,) * self.how.inferences
        return self.allowed

    @cached_property
    def allowed(self) -> tuple[Layer, ...]:
        """The layers of the shapes that the model allows, one for each inference."""
        if self._has_known_shapes:
            return (self.layer,) * self.how.inferences
        fixed = self.constants
        if self.how.shape not in WHOLE_SHAPES:
            axis = int(self.how.shape.removeprefix("axis-"))
            return (self.layer, resized_along(self.layer, axis, fixed), self.layer)
        return (self.layer, resized(self.layer, SIZES[self.how.resize], fixed), self.layer)

    @property
    def _has_known_shapes(self) -> bool:
        return not self.how.shape or all(
            tensor is None or self.has_known_shape(name, tensor)
            for name, tensor in self.layer.ports()
        )

    @property
    def can_be_resized(self) -> bool:
        """Whether there is a second layer, where a shape is not known: else ``layers`` raises ValueError."""
        how = self.how
        if self._has_known_shapes:
            return True
        if how.shape not in WHOLE_SHAPES:
            axis = int(how.shape.removeprefix("axis-"))
            return can_be_resized_along(self.layer, axis, self.constants)
        return can_be_resized(self.layer, SIZES[how.resize], self.constants)

    @cached_property
    def before_port(self) -> int | None:
        """The number of the port whose data comes from a layer before, None without one: the first data input."""
        return next(iter(self.data_ports), None) if self.how.before else None

    @cached_property
    def data_ports(self) -> tuple[int, ...]:
        """The numbers of the ports whose data is given at run time, index inputs apart."""
        if self.operation.role == "parameter":
            return ()  # nothing stands before it
        data = self.layer.data_names
        return tuple(
            number
            for number, (name, tensor) in enumerate(self.layer.ports())
            if tensor is not None and name in data and not self.feeds_constant(name, tensor)
        )

    @cached_property
    def behind(self) -> tuple[str, ...]:
        """The neighbour behind each output of the layer; "" where there is none."""
        name = self.how.behind if self.operation.role != "result" else ""
        kinds = self.operation.output_types(self.layer)
        return tuple(name if name and kind in NEIGHBOURS[name].types else "" for kind in kinds)

    @property
    def contradiction(self) -> str:
        """Why the layer cannot be asked in this way, empty where it can."""
        how, data = self.how, self.layer.data_names
        if self.operation.role in ("constant", "parameter") and (how.data or how.constant):
            return f"{self.operation.type} itself says how its data is given"
        if how.constant and how.constant not in data:
            return f"constant is one of {', '.join(data) or 'none'}, got {how.constant!r}"
        if how.values == "large" and not any(
            tensor is not None and tensor.value is None and tensor.element_type.bits == 64
            for _, tensor in self.layer.ports()
        ):
            return "values=large needs an input of a 64-bit type"
        if how.values == "sweep" and not self._can_sweep:
            types = ", ".join(kind.name for kind in sweeps.TYPES)
            return f"values=sweep needs a function of one number, with data of {types}"
        if how.values == "zeros" and not (how.data or how.constant):
            return "values=zeros needs data that is constant"
        if how.resize and not how.shape:
            return f"resize={how.resize} needs a shape that is not known"
        if how.state and not self.operation.partner:
            return f"state={how.state} needs a layer that reads or sets a variable"
        if how.state and how.requests:
            return f"state={how.state} says which requests there are"
        if how.shape and how.state not in ("", "kept"):
            return f"state={how.state} cannot be combined with shape={how.shape}: it needs known shapes"
        if how.middle and not how.behind:
            return f"middle={how.middle} needs a layer behind"
        if how.behind and not any(self.behind):
            return f"behind={how.behind} takes no output of this layer"
        if how.behind and how.shape and NEIGHBOURS[how.behind].needs_shape:
            return f"behind={how.behind} cannot be combined with shape={how.shape}: it needs known shapes"
        tensors = (tensor for _, tensor in self.layer.ports() if tensor is not None)
        if how.shape and how.behind in WRITES_SIZES and any(0 in each.shape for each in tensors):
            return (
                f"behind={how.behind} of a layer without elements cannot be combined with shape={how.shape}: it needs "
                "known shapes"
            )
        return self._of_data(data) or self._of_layer_before() or self._of_constants()

    def _of_data(self, data: Sequence[str]) -> str:
        """Why data cannot be given so: constants beside it, one dimension unknown, one tensor at two inputs."""
        how, operation = self.how, self.operation
        if how.data == "first" and len(self._ports_of_data) < 2:
            return "data=first needs a second data input"
        if how.shape and how.shape not in WHOLE_SHAPES:
            axis, ports = int(how.shape.removeprefix("axis-")), self.data_ports
            if not ports or self.layer_tensors[ports[0]].rank <= axis:
                return f"shape={how.shape} needs data of such a rank at run time"
            if operation.partner or operation.role or any(a.follows for a in operation.attributes):
                return f"shape={how.shape} needs a layer that states no shape itself"
        if how.also and (operation.partner or operation.role):
            return f"also={how.also} needs a layer that computes"
        if how.also in ("input", "both") and not self.data_ports:
            return f"also={how.also} needs data that is given at run time"
        if not all(neighbours.may_be_read(kind) for kind, _ in self.readers):
            return f"also={how.also} does not take {self.readers[0][0]}"
        if how.twice and (len(data) < 2 or how.before or how.shape or self._twice is None):
            return f"twice={how.twice} needs two alike tensors of known shapes at run time"
        return ""

    @cached_property
    def _twice(self) -> tuple[int, int] | None:
        """The first two ports of data, where one tensor can feed them; None where it cannot."""
        ports = self.data_ports[:2]
        if len(ports) < 2:
            return None
        one, other = (self.layer_tensors[port] for port in ports)
        if one != other or one.value is not None:
            return None
        if self.how.twice == "converted" and not neighbours.is_converted(one.element_type):
            return None
        return ports[0], ports[1]

    @property
    def fed_by(self) -> dict[int, int]:
        """The second port of ``twice``, mapped to the first one, whose Parameter feeds both."""
        return {self._twice[1]: self._twice[0]} if self.how.twice and self._twice else {}

    def _of_constants(self) -> str:
        """Why the layers beside this one cannot have such a constant."""
        how = self.how
        if not (how.operand or how.number):
            return ""
        asked = f"operand={how.operand}" if how.operand else f"number={how.number}"
        with_one = [n for n in (how.before, how.behind) if n and NEIGHBOURS[n].usual is not None]
        if not with_one:
            return f"{asked} needs a layer before or behind that has a constant"
        if how.operand in operands.SIZED and how.resize:
            return f"{asked} cannot be combined with resize={how.resize}: it has sizes of the data"
        # A device may flush the divisor to zero.
        if how.number in ("zero", "subnormal") and "divide" in with_one:
            return f"{asked} cannot be what a layer divides by: a device may flush it to zero"
        if how.before not in with_one or self.before_port is None:
            return ""
        tensor = self.layer_tensors[self.before_port]
        if how.number not in EXACT_BEFORE.get(how.before, ()):
            return f"before={how.before} gives no exact values with {asked}"
        given = (how.before, how.operand, how.number, tensor.element_type, tensor.shape)
        constant = neighbours.constant_of(*given)
        if constant is None or constant.rank > tensor.rank:
            return f"before={how.before} has no such constant for {tensor}"
        return ""

    def _of_layer_before(self) -> str:
        how = self.how
        if not how.before:
            return ""
        if how.requests or (how.shape and how.before == "reshape"):
            return f"before={how.before} is asked with known shapes, in one inference"
        if self.before_port is None:
            return f"before={how.before} needs data that is given at run time"
        tensor, neighbour = self.layer_tensors[self.before_port], NEIGHBOURS[how.before]
        if tensor.element_type not in neighbour.types:
            return f"before={how.before} does not take {tensor.element_type}"
        if tensor.rank < neighbour.least_rank:
            return f"before={how.before} does not take data of rank {tensor.rank}"
        return ""

    @property
    def _can_sweep(self) -> bool:
        """Whether there is a sweep for the layer's data."""
        name = self.operation.sweeps
        return bool(name) and any(
            each.element_type in sweeps.TYPES for each in self.layer.tensors(name)
        )

    @cached_property
    def result_types(self) -> tuple[ElementType, ...]:
        """The element type of each result of the model.

        Those behind the layer, those compared in the middle, then those of other layers that read what it does.
        """
        kinds = tuple(self.operation.output_types(self.layer))
        behind = tuple(
            NEIGHBOURS[name].type_behind(kind) if name else kind
            for name, kind in zip(self.behind, kinds, strict=True)
        )
        return (*behind, *(kinds if self.how.middle else ()), *(kind for kind, _ in self.readers))

    @cached_property
    def readers(self) -> tuple[tuple[ElementType, int | None], ...]:
        """The other layers that read what this one does: (element type, its output, or None for its first data input).

        Each is ``reader_of`` its element type.
        """
        also = self.how.also
        if not also:
            return ()
        found: list[tuple[ElementType, int | None]] = []
        if also in ("input", "both"):
            found.append((self.layer_tensors[self.data_ports[0]].element_type, None))
        if also in ("output", "both"):
            found += [(kind, n) for n, kind in enumerate(self.operation.output_types(self.layer))]
        return tuple(found)

    @property
    def layer_tensors(self) -> list[Tensor]:
        """The tensor at each port of the layer; none that is read is left out."""
        return [tensor for _, tensor in self.layer.ports()]  # type: ignore[misc]

    def operand_behind(self, place: int, shape: tuple[int, ...]) -> np.ndarray | None:
        """The constant of the layer behind an output of a shape, where it has another one than usual."""
        how = self.how
        if not self.behind[place] or not (how.operand or how.number):
            return None
        kind = self.operation.output_types(self.layer)[place]
        asked = self.behind[place], how.operand, how.number, kind, shape
        found = neighbours.constant_behind(*asked)
        return None if found is None else found.array()

    @property
    def queried_types(self) -> tuple[ElementType, ...]:
        """The element type of each variable whose value is read through the request."""
        if not any(turn.queried for turn in self.how.turns):
            return ()
        return (self.operation.output_types(self.layer)[0],)

    def arguments(
        self, inference: int = 0, seed: int = 0, narrow: Narrowing | None = None
    ) -> dict[str, Any]:
        """The attributes for the reference at one inference.

        For a layer with a variable also what came before it: ``variable``, the value that the variable was given
        through the request, and ``earlier``, the inputs of the inferences since then, or since it was reset; each as
        ``narrow`` makes it, if that is given.
        """
        found = self.layers[inference].arguments()
        # Bodies are in the model, with constants that may be made for the shapes of the first inference.
        found |= {name: graph.data() for name, graph in self.layer.graphs().items()}
        for attribute in self.operation.attributes:
            if self.how.shape and attribute.follows == "shape" and attribute.name in found:
                found[attribute.name] = (-1,) * len(found[attribute.name])
        turns = self.how.turns
        if not turns:
            return found
        variable: np.ndarray | None = None
        earlier: list[list[np.ndarray | None]] = []
        for number, turn in enumerate(turns[: inference + 1]):
            if turn.request != turns[inference].request:
                continue
            if turn.before:
                variable, earlier = self.set_before(number, seed), []
            if number < inference:
                earlier.append(self.arrays(number, seed, narrow))
        if narrow is not None and variable is not None:
            variable = narrow(variable)
        return {**found, "variable": variable, "earlier": earlier}

    def arguments_after(
        self, inference: int, seed: int = 0, narrow: Narrowing | None = None
    ) -> dict[str, Any]:
        """The attributes for the reference at an inference that follows in the same request, and finds its state."""
        found = self.arguments(inference, seed, narrow)
        found["earlier"] = [*found["earlier"], self.arrays(inference, seed, narrow)]
        return found

    def set_before(self, inference: int, seed: int = 0) -> np.ndarray | None:
        """The value that the variable is given through the request before an inference; None where it is not."""
        turns = self.how.turns
        if not turns or turns[inference].before != "set":
            return None
        declared = self.operation.input("new_value")
        (tensor,) = self.layer.tensors("new_value")
        state = values.random_state(f"{self.id}#set{inference}", seed)
        return values.data(declared, tensor, self.layer, self.how.values, state)

    def arrays(
        self, inference: int = 0, seed: int = 0, narrow: Narrowing | None = None
    ) -> list[np.ndarray | None]:
        """The value that the layer has at every input port at one inference; None for an input left out.

        Each is as ``narrow`` makes it, if that is given.
        """
        arrays = self._drawn(inference, seed)
        if self.constants and inference:
            first = self._drawn(0, seed)
            for port, (name, _) in enumerate(self.layer.ports()):
                if name in self.constants:
                    arrays[port] = first[port]
        for port, other in self.fed_by.items():
            arrays[port] = arrays[other]
        if self.before_port is not None:
            drawn = arrays[self.before_port]
            assert drawn is not None
            arrays[self.before_port] = neighbours.received(*self._before, drawn)
        if narrow is not None:
            arrays = [None if drawn is None else narrow(drawn) for drawn in arrays]
        return arrays

    @property
    def _before(self) -> tuple[str, str, str, ElementType]:
        assert self.before_port is not None
        kind = self.layer_tensors[self.before_port].element_type
        return self.how.before, self.how.operand, self.how.number, kind

    def _drawn(self, inference: int, seed: int) -> list[np.ndarray | None]:
        layer = self.layers[inference]
        # The last inference of an unknown shape repeats the first, data included; a constant is always the same.
        is_repeated = (
            (self.how.shape and inference == 2)
            or self.how.data == "constant"
            or self.operation.role == "constant"
        )
        number = 0 if is_repeated else inference
        state = values.random_state(f"{self.id}#{number}" if number else self.id, seed)
        arrays: list[np.ndarray | None] = []
        for declared in self.operation.inputs:
            for tensor in layer.tensors(declared.name) or (None,):
                if tensor is None:
                    arrays.append(None)
                elif tensor.value is not None:
                    arrays.append(tensor.array())
                elif self.how.values == "zeros" and self.feeds_constant(declared.name, tensor):
                    arrays.append(np.zeros(tensor.shape, tensor.element_type.dtype))
                elif self.is_invalid:
                    arrays.append(values.of_invalid(declared, tensor, layer, state))
                else:
                    how = self.how.values
                    arrays.append(values.data(declared, tensor, layer, how, state))
        while arrays and arrays[-1] is None:
            arrays.pop()
        return arrays

    def fed(self, arrays: Sequence[np.ndarray | None]) -> list[np.ndarray | None]:
        """The values of the Parameters, by input port, for the values that the layer has at its ports."""
        given = list(arrays)
        if self.before_port is not None:
            received = given[self.before_port]
            assert received is not None
            given[self.before_port] = neighbours.fed(*self._before, received)
        return given
