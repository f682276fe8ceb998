"""The values that a model is given: files and numbers of the user's, others at random, from a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from devices import storage
from devices.models.parts import boxes
from ir_models.models import Model
from ir_models.vocabulary.element_types import ElementType

# The size of an unknown dimension: the first one is a batch, others may be anything.
_BATCH, _SIZE = 1, 64


class InputError(ValueError):
    """An input that the model cannot be given. The message is one line."""


def feeds_of(
    model: Model, given: Sequence[str], shapes: Sequence[str], samples: int, seed: int
) -> list[dict[str, np.ndarray]]:
    """The values of all Parameters for each sample.

    ``given`` are NAME=FILE.npy or NAME=NUMBER, several times for several samples; ``shapes`` are NAME=1,3,224,224.
    Other values are random: reals from -1 to 1, integers 0 and 1, pixels of u8. Raises InputError.
    """
    names = {model.sources[each.name].title: each.name for each in model.graph.parameters}
    stated = {_known(names, text)[0]: _shape(text) for text in shapes}
    files: dict[str, list[str]] = {}
    for text in given:
        name, value = _known(names, text)
        files.setdefault(name, []).append(value)
    count = max([samples, *(len(each) for each in files.values())])
    return [
        {
            each.name: _given(files[each.name], sample, each.tensor.element_type)
            if each.name in files
            else _random(model, each.name, stated.get(each.name), sample, seed)
            for each in model.graph.parameters
        }
        for sample in range(count)
    ]


def _known(names: dict[str, str], text: str) -> tuple[str, str]:
    title, equals, value = text.rpartition("=")
    if not equals or title not in names:
        raise InputError(f"{text!r} names no input; the model has {', '.join(names)}")
    return names[title], value


def _shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(size) for size in text.rpartition("=")[2].split(",") if size)
    except ValueError:
        raise InputError(f"{text!r} is not NAME=SIZE,SIZE,...") from None


def _given(values: Sequence[str], sample: int, kind: ElementType) -> np.ndarray:
    text = values[sample % len(values)]
    try:
        array = np.load(text, allow_pickle=False) if Path(text).is_file() else _number(text)
    except (OSError, ValueError) as error:
        raise InputError(f"{text}: {error}") from None
    if kind.kind == "string":
        return array.astype(object)
    with np.errstate(all="ignore"):
        return array.astype(kind.dtype, copy=False)


def _number(text: str) -> np.ndarray:
    if text.endswith(".npy"):
        raise ValueError("there is no such file")
    return (
        np.array([float(item) for item in text.split(",")])
        if "," in text
        else np.array(float(text))
    )


def _random(
    model: Model, name: str, shape: tuple[int, ...] | None, sample: int, seed: int
) -> np.ndarray:
    kind = model.types[name]
    bounds = model.shapes.get(name)
    if shape is None:
        if bounds is None:
            title = model.sources[name].title
            raise InputError(f"{title} has an unknown rank: give --shape {title}=SIZE,SIZE,...")
        shape = tuple(_size(place, *bound) for place, bound in enumerate(bounds))
    text = f"{seed} {sample} {model.sources[name].title} {kind} {shape}"
    state = np.random.RandomState(int(hashlib.sha256(text.encode()).hexdigest()[:8], 16))
    if kind.kind == "boolean":
        return state.randint(0, 2, shape).astype(bool)
    if kind.kind == "string":
        return np.full(shape, "text", object)
    if kind.is_integer:
        most = 256 if kind.name == "u8" else 2
        return state.randint(0, most, shape).astype(kind.dtype)
    found = storage.zeros(shape, kind.dtype)
    for box in boxes(shape):
        values = found[box]
        values[...] = state.uniform(-1, 1, values.shape).astype(np.float32)
    return found


def _size(place: int, low: int, high: int | None) -> int:
    if low == high:
        return low
    usual = _SIZE if place else _BATCH
    return max(low, usual if high is None else min(usual, high), 1)
