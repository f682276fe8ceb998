"""Writes the skeletons of a declaration and of its reference from what a page states."""

from __future__ import annotations

import keyword
import re
import textwrap
from dataclasses import dataclass, field
from itertools import groupby

from ir_models.skeletons.pages import Page, PageAttribute, PageExample, PagePort
from ir_models.vocabulary import shapes, type_sets

# Inputs of integers that hold data all the same.
_DATA = ("indices", "labels", "tokens", "segment", "logit")

# Families by what their pages have: names of inputs or attributes, and where to find the function.
_FAMILIES = (
    ({"auto_broadcast"}, "elementwise.py: binary, comparison or logical"),
    ({"keep_dims"}, "reductions.py: reduction"),
    ({"pads_begin", "strides"}, "windows.py: convolution or pooling"),
    ({"block_size"}, "blocks.py: depth_blocks"),
    ({"block_shape"}, "blocks.py: batch_blocks"),
    ({"data", "indices", "updates"}, "scatter.py: scatter"),
    ({"hidden_size", "W", "R"}, "cells.py: cell"),
)

_INTERNAL = (
    "an operation set: the page is internal, and readers of IR refuse its layers until one has them"
)

_READINGS = (
    "readings: what the page leaves open, contradicts or prints wrong (readings=[Reading(...)])"
)


def _opset(page: Page) -> str:
    version = page.name.rpartition("-")[2]
    return (
        f"opset{version}, which follows from the name: check that it is the first operation set that lists the "
        "operation"
    )


# A function of the vocabulary and its arguments.
Call = tuple[str, list[str]]


@dataclass(frozen=True)
class Skeleton:
    """Two files' text and the name of both; ``questions`` are what the page leaves to the author.

    ``unread`` is what the page says and the declaration lacks. It stands there as comments.
    """

    stem: str
    declaration: str
    reference: str
    questions: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def skeleton(page: Page) -> Skeleton:
    """The skeletons for a page."""
    return _PageWriting(page).finish()


def _snake(name: str) -> str:
    parts = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+", name)
    return "_".join(part.lower() for part in parts)


class _PageWriting:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.type = page.name.rpartition("-")[0]
        stem = _snake(self.type)
        self.stem = stem + "_" if keyword.iskeyword(stem) else stem
        self.questions: list[str] = []
        self.unread: list[str] = []

    def finish(self) -> Skeleton:
        page = self.page
        for each in page.examples:
            self._compare(each)
        if self._is_unary():
            return self._unary()
        body = [f'    "{page.name}",', f'    "opset{page.name.rpartition("-")[2]}",']
        body += self._list("inputs", [self._input(port) for port in page.inputs])
        body += self._list(
            "outputs", [self._output(port, n) for n, port in enumerate(page.outputs)]
        )
        body += self._list("attributes", [self._attribute(each) for each in page.attributes])
        body += self._examples()
        variables = [self._variable(name) for name in self._variables()]
        if not any(port.shape for port in page.inputs):
            self.questions.append(
                f"the plain layer (@{self.type}.plain) and random ones (@{self.type}.random)"
            )
        self.questions.append(
            "rules of the page that inputs and attributes do not say; variants; values of data"
        )
        self.questions.append(_READINGS)
        self.questions.append(_INTERNAL if self.page.is_internal else _opset(self.page))
        self._ask_for_a_family()
        head = f'"""{self.type}: ... (page {page.name})."""\n'
        imports = ["from ir_models.declaration import *"]
        text = "\n".join(
            [
                head,
                *imports,
                *self._comments(),
                "",
                *variables,
                "",
                f"{self.type} = Operation(",
                *body,
                ")",
                "",
            ]
        )
        return Skeleton(self.stem, text, self._reference(), self.questions, self._unread())

    def _unread(self) -> list[str]:
        return list(dict.fromkeys(self.unread))

    def _comments(self) -> list[str]:
        """What the declaration lacks, as its comments."""
        if not self.unread:
            return []
        lines = ["", "# Left to you:"]
        for each in self._unread():
            lines += textwrap.wrap(each, 98, initial_indent="# - ", subsequent_indent="#   ")
        return lines

    def _compare(self, example: PageExample) -> None:
        """Note in what an example differs from the lists of the page."""
        page = self.page
        if example.type and example.type != self.type:
            self.unread.append(f"the name: {self.type} on the page, {example.type} in an example")
        listed = {each.name for each in page.attributes}
        for name, value in example.attributes.items():
            if name.replace("-", "_") not in listed:
                self.unread.append(f'{name}="{value}" in an example: no attribute of the list')
        required = sum(not port.is_optional for port in page.inputs)
        if len(example.inputs) < required:
            self.unread.append(
                f"inputs of an example: {len(example.inputs)}, where the list requires {required}"
            )
        if len(example.outputs) != len(page.outputs):
            self.unread.append(
                f"outputs of an example: {len(example.outputs)}, where the list has {len(page.outputs)}"
            )

    def _is_unary(self) -> bool:
        """Whether the page has one input without a shape, one output, and no attributes."""
        page = self.page
        ports = [*page.inputs, *page.outputs]
        alike = len({port.type_variable for port in ports}) == 1
        free = all(not port.shape and port.ranks is None for port in ports)
        return len(page.inputs) == len(page.outputs) == 1 and not page.attributes and alike and free

    def _unary(self) -> Skeleton:
        page = self.page
        (name,) = self._variables()
        variable = self._variable(name)
        shapes = [each.inputs[0][1] for each in page.examples if len(each.inputs) == 1]
        stated = [shape for shape in shapes if shape is not None]
        examples = f", example={stated[0]}" if stated else ""
        if len(stated) != 1 or len(page.examples) != 1:
            self.questions.append("examples that are none or several: see unary")
        self.questions += [
            "values of data where the function shows itself: reals(low, high), which has more for f16 and for "
            "unsigned integers",
            "variants",
            _READINGS,
            _opset(page),
        ]
        opset = page.name.rpartition("-")[2]
        comments = "".join(f"{line}\n" for line in self._comments())
        text = (
            f'"""{self.type}: ... (page {page.name})."""\n\n'
            "from ir_models.declaration import types\n"
            f"from ir_models.families.elementwise import reals, unary\n{comments}\n{variable}\n\n"
            f'{self.type} = unary("{page.name}", "opset{opset}", {name}, reals(-10.0, 10.0){examples})\n'
        )
        reference = (
            f'"""{self.type} (page {page.name})."""\n\nimport numpy as np\n\n'
            "from reference.accuracy import Function, implements\n"
            "from reference.shared.elementwise import unary\n\n\n"
            f'@implements("{page.name}", accuracy=Function(k=...))\n'
            f"def {self.stem}(data: np.ndarray) -> np.ndarray:\n"
            f'    """..."""\n    return unary(..., data)\n'
        )
        self.questions.append("the accuracy class: see CONTRIBUTING.md")
        return Skeleton(self.stem, text, reference, self.questions, self._unread())

    def _ask_for_a_family(self) -> None:
        names = {each.name for each in self.page.inputs}
        names |= {each.name for each in self.page.attributes}
        found = [where for wanted, where in _FAMILIES if wanted <= names]
        if found:
            self.questions.append(f"a family may have most of it: ir_models/families/{found[0]}")

    def _list(self, name: str, calls: list[Call]) -> list[str]:
        if not calls:
            return []
        lines = [line for call in calls for line in _laid_out(call)]
        if len(lines) == 1 and len(lines[0]) + len(name) < 90:
            return [f"    {name}=[{lines[0][:-1]}],"]
        return [f"    {name}=[", *(f"        {line}" for line in lines), "    ],"]

    def _variables(self) -> list[str]:
        ports = [port.type_variable or "T" for port in (*self.page.inputs, *self.page.outputs)]
        return list(dict.fromkeys(ports))

    def _variable(self, name: str) -> str:
        said = self.page.types.get(name, "")
        words = re.sub("[`*]", "", said).split(". ")[0].rstrip(". ")
        try:
            type_sets.meaning(words)
        except type_sets.UnknownTypesError:
            self.questions.append(f"the element types of {name}, of which the page says {words!r}")
            words = "any type"
        return f'{name} = types("{name}", "{words}")'

    def _input(self, port: PagePort) -> Call:
        kind = "Index" if self._is_index(port) else "Input"
        arguments = [f'"{port.name}"', self._type_variable(port, port.name)]
        if self._shape(port):
            self._check_shape(port)
            arguments.append(f'shape="{port.shape}"')
        elif port.ranks is not None and not (kind == "Index" and port.ranks == (1, 1)):
            arguments.append(self._rank(port.ranks))
        if port.is_optional:
            arguments.append("optional=True")
        return kind, arguments

    def _type_variable(self, port: PagePort, name: str) -> str:
        if not port.type_variable:
            self.unread.append(
                f"the element type of {name}, which names no type variable: T is taken"
            )
        return port.type_variable or "T"

    def _check_shape(self, port: PagePort) -> None:
        if len(port.shapes) > 1:
            several = ", ".join(f"[{shape}]" for shape in port.shapes)
            self.unread.append(
                f"when {port.name} has which of its shapes, {several}: the first one is taken"
            )
        rank = len(port.shape.split(", "))
        if port.ranks is not None and not port.ranks[0] <= rank <= port.ranks[1]:
            said = " to ".join(map(str, dict.fromkeys(port.ranks)))
            self.unread.append(
                f"the rank of {port.name}: {said} on the page, {rank} in its shape, which is taken"
            )

    def _is_index(self, port: PagePort) -> bool:
        said = self.page.types.get(port.type_variable, "").lower()
        integers = "int" in said and "float" not in said and "numeric" not in said
        data = any(word in port.name.lower() for word in _DATA)
        return integers and not data and port.ranks in ((0, 0), (0, 1), (1, 1))

    def _shape(self, port: PagePort) -> str:
        if not port.shape:
            return ""
        try:
            shapes.parse(port.shape)
        except ValueError:
            self.questions.append(
                f"the shape of {port.name}, which the page writes as [{port.shape}]"
            )
            return ""
        return port.shape

    def _rank(self, ranks: tuple[int, int]) -> str:
        least, most = ranks
        return f"exactly({least})" if least == most else f"between({least}, {most})"

    def _output(self, port: PagePort, number: int) -> Call:
        name = (
            port.name
            if not port.name.startswith("input_")
            else "output"
            if number == 0
            else f"output_{number}"
        )
        return "Output", [f'"{name}"', self._type_variable(port, name)]

    def _attribute(self, each: PageAttribute) -> Call:
        kind = self._attribute_type(each)
        arguments = [f'"{each.name}"', kind]
        if each.is_required:
            arguments.append("required=True")
        elif (default := _default(each, kind)) is not None:
            arguments.append(f"default={default}")
        elif each.default.lower().rstrip(".") not in ("", "none"):
            self.unread.append(f"the default of {each.name}: {each.default}")
        if each.allowed and not _is_range_read(each, kind):
            self.unread.append(f"the values of {each.name}: {each.allowed}")
        if each.least is not None and kind in ("int", "float", "list"):
            arguments.append(f"least={each.least}")
        return "Attribute", arguments

    def _attribute_type(self, each: PageAttribute) -> str:
        if "bool" in each.kind:
            return "bool"
        if "list" in each.kind or "[]" in each.kind:
            item = "float" if "float" in each.kind else "str" if "string" in each.kind else ""
            return f"list[{item}]" if item else "list"
        for word, name in (("float", "float"), ("int", "int")):
            if word in each.kind:
                return name
        if len(each.values) > 1:
            return "(" + ", ".join(f'"{value}"' for value in each.values) + ")"
        self.questions.append(f"the type of the attribute {each.name}")
        return "str"

    def _examples(self) -> list[str]:
        """The examples as a text, one for each list of port ids."""
        found = [each for example in self.page.examples if (each := self._example(example))]
        calls: list[list[str]] = []
        for (ports, is_stated), group in groupby(found, lambda e: (e[1], " -> " in e[0])):
            texts = [text for text, _ in group]
            given = [f"ports={ports}"] if ports else []
            if not is_stated:
                calls += [_laid_out(("example", [f'"{t}"', "output=None", *given])) for t in texts]
                continue
            wrapped = (textwrap.wrap(text, 84, break_on_hyphens=False) for text in texts)
            lines = [f"    {line}" for each in wrapped for line in each]
            if given or len(found) > len(texts):
                given = [f"    {each}," for each in given]
                calls.append(["*examples(", '    """', *lines, '    """,', *given, "),"])
            else:
                calls.append(['*examples("""', *lines, '"""),'])
        if len(calls) == 1 and calls[0][0].startswith("*"):
            return ["    examples=" + calls[0][0][1:], *(f"    {line}" for line in calls[0][1:])]
        lines = [line for call in calls for line in call]
        return ["    examples=[", *(f"        {line}" for line in lines), "    ],"] if calls else []

    def _example(self, example: PageExample) -> tuple[str, list[int]] | None:
        """``LAYER -> OUTPUT``, and the port ids where they are not 0, 1, 2 ...; None for what cannot be written."""
        if len(example.inputs) > len(self.page.inputs) or any(
            s is None for _, s, _ in example.inputs
        ):
            self.questions.append("an example whose inputs are not those of the list")
            return None
        pairs = []
        for port, (_, shape, value) in zip(self.page.inputs, example.inputs, strict=False):
            assert shape is not None
            if self._is_index(port):
                if not value:
                    self.questions.append(f"the value of {port.name} in an example")
                    value = ",".join(["0"] * (shape[0] if shape else 1))
                # Of an input that may be a scalar, a list needs its brackets.
                listed = shape and port.ranks != (1, 1)
                pairs.append(f"{port.name}=[{value}]" if listed else f"{port.name}={value}")
            else:
                dims = "" if shape == (0,) and port.ranks == (0, 0) else ",".join(map(str, shape))
                pairs.append(f"{port.name}=[{dims}]")
        kinds = {each.name: self._attribute_type(each) for each in self.page.attributes}
        printed = {name.replace("-", "_") for name in example.attributes}
        for each in self.page.attributes:
            if each.is_required and each.name not in printed:
                self.questions.append(
                    f"an example without {each.name}, which is required: give it a value and say so in erratum="
                )
        for name, value in example.attributes.items():
            name = name.replace("-", "_")
            if name in kinds:
                text = _value(value.replace(" ", ""), kinds[name])
                if text is None:
                    self.questions.append(f"the value {value!r} of {name} in an example")
                else:
                    pairs.append(f"{name}={text}")
        outputs = [s if s is None else ",".join(map(str, s)) for _, s in example.outputs]
        stated = "" if None in outputs else ",".join(f"[{shape}]" for shape in outputs)
        ids = [number for number, *_ in example.inputs] + [number for number, _ in example.outputs]
        ports = [] if ids == list(range(len(ids))) else ids
        return "; ".join(pairs) + (f" -> {stated}" if stated else ""), ports

    def _reference(self) -> str:
        inputs = [
            f"{port.name.lower()}: np.ndarray" + (" | None = None" if port.is_optional else "")
            for port in self.page.inputs
        ]
        attributes = []
        for each in self.page.attributes:
            kind = self._attribute_type(each)
            hint = {"list": "Sequence[int]"}.get(kind, re.sub(r"^list\[", "Sequence[", kind))
            # Without an import of annotations: ``implements`` reads the values of a Literal.
            hint = f"Literal[{hint[1:-1]}]" if hint.startswith("(") else hint
            default = None if each.is_required else _default(each, kind)
            if kind == "float" and each.default.lower().startswith("inf"):
                default = "np.inf"
            text = f"{each.name}: {hint}"
            if not each.is_required:
                text += f" = {default}" if default is not None else " | None = None"
            attributes.append(text)
        listed = [*inputs, *(["*", *attributes] if attributes else [])]
        arguments = ", ".join(listed)
        returned = "np.ndarray"
        if len(self.page.outputs) > 1:
            returned = f"tuple[{', '.join(['np.ndarray'] * len(self.page.outputs))}]"
        lines = [f'"""{self.type} (page {self.page.name})."""', ""]
        standard = []
        if "Sequence[" in arguments:
            standard.append("from collections.abc import Sequence")
        if "Literal[" in arguments:
            standard.append("from typing import Literal")
        lines += [*standard, *([""] if standard else [])]
        lines += ["import numpy as np", "", "from reference import implements", "", ""]
        lines += [
            f'@implements("{self.page.name}")',
            *_signature(self.stem, listed, returned),
        ]
        lines += ['    """..."""', "    raise NotImplementedError", ""]
        return "\n".join(lines)


def _signature(name: str, arguments: list[str], returned: str) -> list[str]:
    """The head of a function: in one line if it is short enough, else its arguments one below the other."""
    line = f"def {name}({', '.join(arguments)}) -> {returned}:"
    if len(line) <= 100:
        return [line]
    return [f"def {name}(", *(f"    {each}," for each in arguments), f") -> {returned}:"]


def _laid_out(call: Call) -> list[str]:
    """A call in a list: in one line if it is short enough, else its arguments one below the other."""
    word, arguments = call
    line = f"{word}({', '.join(arguments)})"
    if len(line) < 90:
        return [f"{line},"]
    lines = [f"{word}("]
    for argument in arguments:
        if len(argument) > 86 and argument.startswith('"'):
            parts = argument[1:-1].split("; ")
            lines += [f'    "{part}; "' for part in parts[:-1]] + [f'    "{parts[-1]}",']
        else:
            lines.append(f"    {argument},")
    return [*lines, "),"]


# What says no more of a number than its type does.
_ANY_NUMBER = re.compile(
    r"(an? |any )?((list|array) of )?(any )?(integers?|floating[- ]point)( (numbers?|values?))?\.?",
    re.I,
)


def _is_range_read(each: PageAttribute, kind: str) -> bool:
    """Whether the declaration says what the page says of an attribute's values."""
    if kind == "bool":
        return all(word in each.allowed.lower() for word in ("true", "false"))
    if kind.startswith("("):
        return True
    return each.least is not None or bool(_ANY_NUMBER.fullmatch(each.allowed))


def _value(text: str, kind: str) -> str | None:
    """A value of an example as the notation of ids has it, None where it is none of the attribute's type."""
    if kind == "bool":
        return {"true": "true", "false": "false", "1": "true", "0": "false"}.get(text.lower())
    patterns = {"int": r"-?\d+", "float": r"-?[\d.]+(e-?\d+)?", "list": r"[-\d,]*"}
    return text if re.fullmatch(patterns.get(kind, ".*"), text) else None


def _default(each: PageAttribute, kind: str) -> str | None:
    """The page's default as Python, None where there is none or it is a sentence."""
    text = each.default.rstrip(".")
    if kind == "bool":
        return {"true": "True", "false": "False"}.get(text.lower())
    if kind == "int" and re.fullmatch(r"-?\d+", text):
        return text
    if kind == "float" and re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", text):
        return repr(float(text))
    if (
        text in each.values
        if kind.startswith("(")
        else kind == "str" and re.fullmatch(r"\w+", text)
    ):
        return f'"{text}"'
    if (
        kind.startswith("list")
        and re.fullmatch(r"\[?[\w., -]+\]?|\[\]", text)
        and text.lower() != "none"
    ):
        items = [item for item in re.split(r"[\s,]+", text.strip("[]")) if item]
        if kind == "list[str]":
            return (
                "("
                + ", ".join(f'"{item}"' for item in items)
                + ("," if len(items) == 1 else "")
                + ")"
            )
        if all(re.fullmatch(r"-?\d+(\.\d+)?", item) for item in items):
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return None
