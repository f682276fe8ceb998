"""A case: one layer with every parameter fixed, why it exists (its purpose), and how it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Any

import numpy as np

from ir_models.asking import ids, sweeps, values
from ir_models.asking.how import USUAL, How
from ir_models.asking.neighbours import NEIGHBOURS
from ir_models.vocabulary import rules
from ir_models.vocabulary.element_types import ElementType, Tensor
from ir_models.vocabulary.layers import resized
from ir_models.vocabulary.operation import Layer, Operation
from ir_models.vocabulary.page import Rule

VARIANT = "variant."

Narrowing = Callable[["np.ndarray"], "np.ndarray"]
"""What becomes of values that a device converts to a narrower type."""

# The size of the dimension that changes between inferences; None for any other size in every dimension.
SIZES = {"": None, "zero": 0, "one": 1}


@dataclass(frozen=True)
class Case:
    """One question for a device: *what* is asked is the layer, with its purpose; *how* is apart from it."""

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

    def asked(self, how: How) -> Case:
        """This case, which is asked in the usual way, asked in another one."""
        case = Case(self.layer, self.purpose, how)
        # Its id begins with this one's, which takes time to write.
        case.__dict__["id"] = ids.with_how(self.id, how)
        return case

    def __str__(self) -> str:
        return self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Case) and other.id == self.id

    @property
    def is_invalid(self) -> bool:
        """Whether the layer breaks a rule of the page, so that a device must refuse it."""
        return self.purpose == "invalid"

    @property
    def broken_rule(self) -> Rule | None:
        """The first rule of the page that an invalid case breaks; None for other cases."""
        if not self.is_invalid:
            return None
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
            or any(
                port == declared.name for declared in self.operation.inputs if declared.type_alone
            )
            or (tensor.size == 0 and not self.how.shape)
        )

    def feeds_constant(self, port: str, tensor: Tensor) -> bool:
        """Whether a port of the layer (see ``Layer.ports``) is fed by a constant, not at run time."""
        if self.operation.role in ("constant", "parameter"):
            return self.operation.role == "constant"
        if self.how.data == "constant" or self.how.constant == port:
            return True
        if any(port == declared.name for declared in self.operation.index_inputs):
            return not self.how.index
        return tensor.value is not None and self.how.data != "runtime"

    def has_known_shape(self, port: str, tensor: Tensor) -> bool:
        """Whether the shape at a port of the layer is in the model: that of a stated value or a constant always is."""
        is_fixed = tensor.value is not None or self.feeds_constant(port, tensor)
        return is_fixed or not self.how.shape

    @property
    def element_types(self) -> tuple[str, ...]:
        """The names of the element types of its inputs, each once."""
        given = (tensor for _, tensor in self.layer.ports() if tensor is not None)
        return tuple(dict.fromkeys(tensor.element_type.name for tensor in given))

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layer of each inference: the same one, but for unknown shapes, which end with the first shape again."""
        if not self.how.shape or all(
            tensor is None or self.has_known_shape(name, tensor)
            for name, tensor in self.layer.ports()
        ):
            return (self.layer,) * self.how.inferences
        fixed = (self.how.constant,) if self.how.constant else ()
        return (self.layer, resized(self.layer, SIZES[self.how.resize], fixed), self.layer)

    @cached_property
    def before_port(self) -> int | None:
        """The number of the port whose data comes from a layer before, None without one: the first data input."""
        return next(self._ports_before(), None) if self.how.before else None

    def _ports_before(self) -> Iterator[int]:
        if self.operation.role == "parameter":
            return  # nothing stands before it
        index = {declared.name for declared in self.operation.index_inputs}
        for number, (name, tensor) in enumerate(self.layer.ports()):
            if tensor is not None and name not in index and not self.feeds_constant(name, tensor):
                yield number

    @cached_property
    def behind(self) -> tuple[str, ...]:
        """The neighbour behind each output of the layer; "" where there is none."""
        name = self.how.behind if self.operation.role != "result" else ""
        kinds = self.operation.output_types(self.layer)
        return tuple(name if name and kind in NEIGHBOURS[name].types else "" for kind in kinds)

    @property
    def contradiction(self) -> str:
        """Why the layer cannot be asked in this way, empty where it can."""
        how, ports = self.how, dict(self.layer.ports())
        index = {declared.name for declared in self.operation.index_inputs}
        data = [name for name, tensor in ports.items() if tensor is not None and name not in index]
        if self.operation.role in ("constant", "parameter") and (how.data or how.constant):
            return f"{self.operation.type} itself says how its data is given"
        if how.constant and how.constant not in data:
            return f"constant is one of {', '.join(data) or 'none'}, got {how.constant!r}"
        if how.values == "large" and not any(
            tensor is not None and tensor.value is None and tensor.element_type.bits == 64
            for tensor in ports.values()
        ):
            return "values=large needs an input of a 64-bit type"
        if how.values == "sweep" and not self._can_sweep:
            types = ", ".join(kind.name for kind in sweeps.TYPES)
            return f"values=sweep needs a function of one number, with data of {types}"
        if how.resize and not how.shape:
            return f"resize={how.resize} needs a shape that is not known"
        if how.state and not self.operation.partner:
            return f"state={how.state} needs a layer that reads or sets a variable"
        if how.state and how.requests:
            return f"state={how.state} says which requests there are"
        if how.shape and how.state not in ("", "kept"):
            return f"state={how.state} is asked with known shapes"
        if how.middle and not how.behind:
            return f"middle={how.middle} needs a layer behind"
        if how.behind and not any(self.behind):
            return f"behind={how.behind} takes no output of this layer"
        if not how.before:
            return ""
        if how.shape or how.requests:
            return f"before={how.before} is asked with known shapes, in one inference"
        if self.before_port is None:
            return f"before={how.before} needs data that is given at run time"
        tensor = list(ports.values())[self.before_port]
        if tensor is not None and tensor.element_type not in NEIGHBOURS[how.before].types:
            return f"before={how.before} does not take {tensor.element_type}"
        return ""

    @property
    def _can_sweep(self) -> bool:
        """Whether there is a sweep for the layer's data."""
        name = self.operation.sweeps
        return bool(name) and any(
            each.element_type in sweeps.TYPES for each in self.layer.tensors(name)
        )

    @cached_property
    def output_types(self) -> tuple[ElementType, ...]:
        """The element type of each output that is compared: those of the model, then the variables that are queried."""
        return (*self.result_types, *self.queried_types)

    @cached_property
    def result_types(self) -> tuple[ElementType, ...]:
        """The element type of each result of the model: those of the layer, then those compared in the middle."""
        kinds = tuple(self.operation.output_types(self.layer))
        return kinds * 2 if self.how.middle else kinds

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
        if self.how.constant and inference:
            port = [name for name, _ in self.layer.ports()].index(self.how.constant)
            arrays[port] = self._drawn(0, seed)[port]
        if self.before_port is not None:
            drawn = arrays[self.before_port]
            assert drawn is not None
            arrays[self.before_port] = NEIGHBOURS[self.how.before].received(drawn)
        if narrow is not None:
            arrays = [None if drawn is None else narrow(drawn) for drawn in arrays]
        return arrays

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
            fed, received = NEIGHBOURS[self.how.before].fed, given[self.before_port]
            assert fed is not None
            assert received is not None
            given[self.before_port] = fed(received)
        return given
