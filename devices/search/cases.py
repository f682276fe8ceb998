"""A case of the corpus, with the layers around it, a folder or a model as a graph that can be shrunk: read from IR."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import numpy as np
from lxml import etree

import ir_models
from devices.engine.questions import prepare, question_for
from devices.models.inputs import feeds_of
from devices.models.opening import models_in, open_model
from ir_models.graphs import AskedGraph, Fed, GraphError, Step
from ir_models.graphs.evaluation import explicit
from ir_models.models import reader
from ir_models.vocabulary.graph import Node
from reference.accuracy import is_float
from reports.results.case_folder.manifest import Manifest

# What the IR and the values of a first inference do not show: how the request is used, how the file is written.
_NOT_SHOWN = (
    "memory", "requests", "state", "ir", "ports", "names", "attributes", "booleans", "layers", "weights", "resize",
)  # fmt: skip
# Elements of what feeds the graph whose values stand in the text; the largest tensors of reals behind that are random.
_MOST = 20_000


def graph_of_case(case_id: str, seed: int = 0) -> AskedGraph:
    """The graph of a case with its values. Raises CaseIdError, UnknownOperationError, GraphError."""
    case = ir_models.parse(case_id)
    if case.is_invalid:
        raise GraphError("a layer that is not valid must be refused, and is not shrunk")
    others = [
        f.name for f in fields(case.how) if f.name in _NOT_SHOWN and getattr(case.how, f.name)
    ]
    if others:
        raise GraphError(f"a case is shrunk as layers; this one is about {', '.join(others)}")
    operation = case.operation
    if operation.bodies or operation.keeps_state or operation.role:
        raise GraphError(
            f"{operation.name} has a body or a state, or is not a layer that computes: it is not shrunk"
        )
    question = question_for([prepare(case, seed)])
    given = {name: tensor.values() for name, tensor in question.feeds[0].items()}
    return _graph_of(_parsed(question.xml, question.weights), given)


def graph_of_folder(folder: Path, found: Manifest) -> AskedGraph:
    """The graph of a failure folder's model, such as layers of a user's own. Raises GraphError, OSError, ValueError."""
    if found.turns or found.invalid:
        raise GraphError(
            "a folder whose request has several turns, or whose layer is not valid, is not shrunk"
        )
    given = {each.name: each.load(folder).values() for each in found.inferences[0].inputs}
    xml, weights = ((folder / name).read_bytes() for name in ("model.xml", "model.bin"))
    try:
        return _graph_of(_parsed(xml, weights), given)
    except GraphError:
        raise
    except (etree.XMLSyntaxError, KeyError, ValueError) as error:
        raise GraphError(f"{folder}: the model is damaged: {error}") from None


def graph_of_model(path: Path, seed: int = 0) -> AskedGraph:
    """The graph of a model's file, with values at random from a seed.

    Raises GraphError, and what opening the model and giving it values raises: ModelError, InputError.
    """
    with tempfile.TemporaryDirectory() as folder:
        (found,) = models_in(path)
        model = open_model(found, Path(folder) / "ir")
        (feed,) = feeds_of(model, [], [], 1, seed)
        return _graph_of(model, {model.title(name): array for name, array in feed.items()})


def _parsed(xml: bytes, stored: bytes) -> reader.Model:
    return reader.parse(etree.fromstring(xml), np.frombuffer(stored, np.uint8))


def _graph_of(model: reader.Model, given: Mapping[str, np.ndarray]) -> AskedGraph:
    """The graph of a model with values for its inputs. Raises GraphError."""
    graph, types = model.graph, model.types
    names = _names(model)
    arrays = {each.name: given[model.title(each.name)] for each in graph.parameters}
    arrays |= {name: tensor.array() for name, tensor in graph.constants.items()}
    if any(types[name].kind == "string" for name in arrays):
        raise GraphError("a case with strings is not shrunk")
    stated = _stated(arrays)
    fed = {
        names[name]: Fed(
            types[name],
            array.shape,
            explicit(array) if name in stated else "~",
            name in graph.constants,
            _unknown(model, name, array.ndim),
        )
        for name, array in arrays.items()
    }
    steps = tuple(_step(node, names) for node in graph.nodes)
    return AskedGraph(fed, steps, tuple(_renamed(each.source, names) for each in graph.results))


def _stated(arrays: Mapping[str, np.ndarray]) -> set[str]:
    """The tensors whose values stand in the text: all that are not real numbers, and of these the smallest.

    Raises GraphError where the others are too many.
    """
    total, found = 0, set()
    by_size = sorted(arrays, key=lambda name: (is_float(arrays[name].dtype), arrays[name].size))
    for name in by_size:
        total += arrays[name].size
        if total <= _MOST:
            found.add(name)
        elif not is_float(arrays[name].dtype):
            raise GraphError(
                f"more than {_MOST:,} elements that are no real numbers: it is not shrunk"
            )
    return found


def _unknown(model: reader.Model, name: str, rank: int) -> frozenset[int]:
    """The axes of a parameter whose size the model does not know; bounds are not kept. None of a constant."""
    if name not in model.shapes:
        return frozenset()
    bounds = model.shapes[name]
    return frozenset(
        axis for axis in range(rank) if bounds is None or bounds[axis][0] != bounds[axis][1]
    )


def _step(node: Node, names: Mapping[str, str]) -> Step:
    if not node.operation or ir_models.operation(node.operation).bodies:
        raise GraphError(
            f"{node.operation or 'a layer without a page'} has a body or is unknown: it is not shrunk"
        )
    inputs = tuple(_renamed(value, names) for value in node.inputs)
    return Step(names[node.name], node.operation, inputs, dict(node.attributes))


def _names(model: reader.Model) -> dict[str, str]:
    """Names for a text, by those of the graph: those of the IR, where they are words and of one layer alone."""
    found: dict[str, str] = {}
    for name, source in model.sources.items():
        plain = re.sub(r"\W", "_", source.title)
        found[name] = plain if plain not in found.values() else f"{plain}_{name}"
    return found


def _renamed(value: str, names: Mapping[str, str]) -> str:
    name, colon, place = value.partition(":")
    return f"{names[name]}{colon}{place}" if name else ""
