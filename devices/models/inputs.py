"""The values that a model is given: files and numbers of the user's, others at random, from a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from devices.models.large_layers import boxes
from devices.process.resources import storage
from ir_models.models import Model
from ir_models.vocabulary.element_types import ElementType

# The size of an unknown dimension: the first one is a batch, others may be anything.
_BATCH, _SIZE = 1, 64
# Other sizes that are tried where the device refuses those: least of networks of images, patches, words.
_OTHERS = (224, 16, 320, 512, 1)
_MOST_SAMPLES = 1000
GIVE_SHAPE = "give --shape"
"""Ends the words on sizes of which the model runs with none."""


class InputError(ValueError):
    """An input that the model cannot be given. The message is one line."""


def feeds_of(
    model: Model,
    given: Sequence[str],
    shapes: Sequence[str],
    samples: int,
    seed: int,
    sizes: tuple[int, int] = (_BATCH, _SIZE),
) -> list[dict[str, np.ndarray]]:
    """The values of all Parameters for each sample.

    ``given`` are NAME=FILE.npy or NAME=NUMBER, several times for several samples; ``shapes`` are NAME=1,3,224,224.
    ``sizes`` are those of a first dimension and of another one that the model and these leave open. Other values are
    random: reals from -1 to 1, integers 0 and 1, pixels of u8. Raises InputError.
    """
    if not 1 <= samples <= _MOST_SAMPLES:
        raise InputError(f"--samples must be from 1 to {_MOST_SAMPLES}, got {samples}")
    names = {model.sources[each.name].title: each.name for each in model.graph.parameters}
    stated: dict[str, tuple[int, ...]] = {}
    for text in shapes:
        name, _ = _known(names, text)
        stated[name] = _shape(text)
        _check_shape(model, name, stated[name], text)
    files: dict[str, list[str]] = {}
    for text in given:
        name, value = _known(names, text)
        files.setdefault(name, []).append(value)
    count = max([samples, *(len(each) for each in files.values())])
    return [
        {
            each.name: _given(
                model, each.name, files[each.name], stated.get(each.name), sample, sizes
            )
            if each.name in files
            else _random(model, each.name, stated.get(each.name), sample, seed, sizes)
            for each in model.graph.parameters
        }
        for sample in range(count)
    ]


def open_inputs(model: Model, given: Sequence[str], shapes: Sequence[str]) -> list[str]:
    """The Parameters with dimensions that neither the model nor the user states, with their declared shapes."""
    stated = {text.rpartition("=")[0] for text in (*given, *shapes)}
    found = []
    for each in model.graph.parameters:
        title, bounds = model.sources[each.name].title, model.shapes.get(each.name) or ()
        if title not in stated and any(low != high for low, high in bounds):
            found.append(f"{title} [{','.join(_bound(*bound) for bound in bounds)}]")
    return found


def feeds_that_run(
    model: Model,
    runs: Callable[[list[dict[str, np.ndarray]]], bool],
    given: Sequence[str],
    shapes: Sequence[str],
    samples: int,
    seed: int,
) -> tuple[list[dict[str, np.ndarray]], str]:
    """Like ``feeds_of``, with sizes of open dimensions with which the model runs, and words on what was chosen.

    ``runs`` tells whether it does. A model that leaves its first dimension open has another sample, with a batch of 2:
    a batch of 1 hides what depends on it. Raises InputError.
    """
    undecided = open_inputs(model, given, shapes)
    if not undecided:
        return feeds_of(model, given, shapes, samples, seed), ""
    refused = []
    for size in (_SIZE, *_OTHERS):
        sizes = _BATCH, size
        found = feeds_of(model, given, shapes, samples, seed, sizes)
        if runs(found):
            break
        refused.append(str(size))
    else:
        return feeds_of(model, given, shapes, samples, seed), (
            f"the model leaves dimensions open, {', '.join(undecided)}, and fails with each size that was tried, "
            f"{', '.join(refused)}: {GIVE_SHAPE}"
        )
    words = f"the model leaves dimensions open, {', '.join(undecided)}: tested with a batch of 1"
    more = feeds_of(model, given, shapes, 1, seed + 1, (2, sizes[1]))
    keeps_state = any(e.operation and e.operation.partner for e in model.sources.values())
    has_batch = any(more[0][name].shape != array.shape for name, array in found[0].items())
    has_batch = has_batch and not keeps_state
    if has_batch and runs(more):
        found, words = [*found, *more], f"{words} and of 2"
    words = f"{words}, and other dimensions of {sizes[1]}"
    return found, words + (f"; with {', '.join(refused)} it fails" if refused else "")


def _known(names: dict[str, str], text: str) -> tuple[str, str]:
    title, equals, value = text.rpartition("=")
    if not equals or title not in names:
        raise InputError(f"{text!r} names no input; the model has {', '.join(names)}")
    return names[title], value


def _shape(text: str) -> tuple[int, ...]:
    try:
        shape = tuple(int(size) for size in text.rpartition("=")[2].split(",") if size)
    except ValueError:
        raise InputError(f"{text!r} is not NAME=SIZE,SIZE,...") from None
    if any(size < 0 for size in shape):
        raise InputError(f"{text!r}: a size must be at least 0")
    return shape


def _check_shape(model: Model, name: str, shape: tuple[int, ...], text: str) -> None:
    """Raise InputError where a Parameter of the model cannot have a shape; ``text`` says whose it is."""
    bounds = model.shapes.get(name)
    if bounds is None:
        return
    fits = len(shape) == len(bounds) and all(
        low <= size and (high is None or size <= high)
        for size, (low, high) in zip(shape, bounds, strict=True)
    )
    if not fits:
        declared = ",".join(_bound(*each) for each in bounds)
        sizes = ",".join(map(str, shape))
        raise InputError(
            f"{text}: the shape is [{sizes}], {model.sources[name].title} is [{declared}]"
        )


def _bound(low: int, high: int | None) -> str:
    if low == high:
        return str(low)
    return "?" if high is None and not low else f"{low}..{'' if high is None else high}"


def _given(
    model: Model,
    name: str,
    values: Sequence[str],
    stated: tuple[int, ...] | None,
    sample: int,
    sizes: tuple[int, int],
) -> np.ndarray:
    """The value of a Parameter that the user gives. A single number is the value of all elements."""
    value = values[sample % len(values)]
    text = f"{model.sources[name].title}={value}"
    try:
        array = _loaded(value)
    except (OSError, EOFError, ValueError) as error:
        # NumPy's own words for a file of another format advise to unpickle it.
        raise InputError(f"{text}: {'no .npy file' if 'pickle' in str(error) else error}") from None
    if array.ndim == 0 and not Path(value).is_file():
        array = np.broadcast_to(array, _shape_of(model, name, stated, sizes))
    _check_shape(model, name, array.shape, text)
    return _typed(array, model.types[name], text)


def _loaded(text: str) -> np.ndarray:
    if not Path(text).is_file():
        return _number(text)
    array = np.load(text, allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise ValueError("several arrays; expected one, in a file .npy")
    return array


def _typed(array: np.ndarray, kind: ElementType, text: str) -> np.ndarray:
    """Values in the type of a Parameter. Raises InputError where that would change them by more than rounding."""
    is_text = array.dtype.kind in "USO"
    if (kind.kind == "string") != is_text or not (is_text or array.dtype.kind in "biuf"):
        raise InputError(f"{text}: the values are {array.dtype}, expected {kind}")
    if is_text:
        return array.astype(object)
    with np.errstate(all="ignore"):
        found: np.ndarray = array.astype(kind.dtype)
        if kind.is_integer or kind.kind == "boolean":
            changed = found != array
        else:
            changed = np.isfinite(array) & ~np.isfinite(found)
    if changed.any():
        first = array[tuple(np.argwhere(changed)[0])]
        raise InputError(f"{text}: {first} is not a value of {kind}")
    return found


def _number(text: str) -> np.ndarray:
    if Path(text).suffix in (".npy", ".npz"):
        raise ValueError("there is no such file")
    try:
        return (
            np.array([float(item) for item in text.split(",")])
            if "," in text
            else np.array(float(text))
        )
    except ValueError:
        raise ValueError("neither a file nor a number") from None


def _random(
    model: Model,
    name: str,
    shape: tuple[int, ...] | None,
    sample: int,
    seed: int,
    sizes: tuple[int, int],
) -> np.ndarray:
    kind = model.types[name]
    shape = _shape_of(model, name, shape, sizes)
    text = f"{seed} {sample} {model.sources[name].title} {kind} {shape}"
    state = np.random.RandomState(int(hashlib.sha256(text.encode()).hexdigest()[:8], 16))
    if kind.kind == "boolean":
        return state.randint(0, 2, shape).astype(bool)
    if kind.kind == "string":
        return np.full(shape, "text", object)
    if kind.is_integer:
        most = 256 if kind.name == "u8" else 2
        return state.randint(0, most, shape).astype(kind.dtype)
    if not shape:
        return np.array(state.uniform(-1, 1), np.float32).astype(kind.dtype)
    found = storage.zeros(shape, kind.dtype)
    for box in boxes(shape):
        values = found[box]
        values[...] = state.uniform(-1, 1, values.shape).astype(np.float32)
    return found


def _shape_of(
    model: Model, name: str, stated: tuple[int, ...] | None, sizes: tuple[int, int]
) -> tuple[int, ...]:
    """The shape of a Parameter: what the user states, or what the model leaves no choice in, or usual sizes."""
    bounds = model.shapes.get(name)
    if stated is not None:
        return stated
    if bounds is None:
        title = model.sources[name].title
        raise InputError(f"{title} has an unknown rank: give --shape {title}=SIZE,SIZE,...")
    return tuple(_size(sizes[min(place, 1)], *bound) for place, bound in enumerate(bounds))


def _size(usual: int, low: int, high: int | None) -> int:
    if low == high:
        return low
    return max(low, usual if high is None else min(usual, high), 1)
