"""How the parameters of a case relate to the shapes of its tensors, where a cause depends on that.

Each relation is a sentence of the field ``relation``. A case has those that hold; which operation it is said of is a
condition of its own. They are computed from what is asked alone, never from how it ended. Where an expression says it,
``where`` is shorter: see `reports.gate.statements`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ir_models.asking.id_parts import DataPart
from reports.results.explained.factors import tensors_of, typed
from reports.results.records import CaseRecord


@dataclass(frozen=True)
class _Asked:
    tensors: Sequence[DataPart | None]
    parameters: Mapping[str, str]

    def shape(self, number: int) -> tuple[int, ...]:
        """The shape of an input. Raises IndexError if it is left out."""
        tensor = self.tensors[number] if number < len(self.tensors) else None
        if tensor is None:
            raise IndexError(f"input {number} is left out")
        return tensor.shape

    def text(self, name: str, default: str = "") -> str:
        return self.parameters.get(name, default)

    def value(self, name: str) -> str:
        """The value of a parameter without its element type. Raises KeyError if it is left out."""
        return typed(self.parameters.items())[name][1]

    def integers(self, name: str) -> list[int]:
        """The integers of a parameter. Raises KeyError if it is left out, ValueError if it has others."""
        return [int(each) for each in self.value(name).strip("[]").split(",") if each]


_Relation = Callable[[_Asked], bool]
_RELATIONS: dict[str, _Relation] = {}

SENTENCES = _RELATIONS.keys()
"""All sentences."""


def relations_of(record: CaseRecord) -> tuple[str, ...]:
    """Return the sentences that hold of a case."""
    asked = _Asked(tensors_of(record.inputs), record.parameters)
    return tuple(sentence for sentence, holds in _RELATIONS.items() if _holds(holds, asked))


def _holds(relation: _Relation, asked: _Asked) -> bool:
    try:
        return relation(asked)
    except (IndexError, KeyError, ValueError, ZeroDivisionError):
        # What is left out, or is no number, relates to nothing; so do numbers that an invalid layer has.
        return False


def _relation(sentence: str) -> Callable[[_Relation], _Relation]:
    def register(relation: _Relation) -> _Relation:
        _RELATIONS[sentence] = relation
        return relation

    return register


@_relation("a bag begins behind the last index")
def _bag_behind_the_last_index(asked: _Asked) -> bool:
    (indices,) = asked.shape(1)
    return max(asked.integers("offsets")) == indices


@_relation("axes are neither all from 1 on nor all from 2 on")
def _other_axes(asked: _Asked) -> bool:
    """An axis of size 1 does not count. Axis 1 is meant by 1 alone, not by -1 of a matrix."""
    shape, axes = asked.shape(0), asked.integers("reduction_axes")
    taken = set(range(1 if 1 in axes else 2, len(shape)))
    return any(shape[axis] != 1 for axis in taken ^ {axis % len(shape) for axis in axes})


@_relation("signal_length is beyond the default")
def _beyond_the_default_length(asked: _Asked) -> bool:
    (length,), (step,) = asked.integers("signal_length"), asked.integers("frame_step")
    (frame,) = asked.integers("frame_size")
    centered = asked.text("center") == "true"
    return length > (asked.shape(0)[-2] - 1) * step + (0 if centered else frame)


def _resized(asked: _Asked) -> list[int]:
    """By how much signal_size is larger than each axis. The last axis has half of the signal, and one element."""
    shape, axes = asked.shape(0)[:-1], asked.integers("axes")
    needed = asked.integers("signal_size")
    if -1 in needed:
        raise ValueError("a size of an axis is the default")
    needed[-1] = needed[-1] // 2 + 1
    return [size - shape[axis] for axis, size in zip(axes, needed, strict=True)]


@_relation("signal_size pads an axis")
def _padded_signal(asked: _Asked) -> bool:
    return max(_resized(asked)) > 0


@_relation("signal_size cuts one of three axes")
def _cut_signal(asked: _Asked) -> bool:
    resized = _resized(asked)
    return len(resized) > 2 and min(resized) < 0


@_relation("mat_b has square matrices")
def _square_matrices(asked: _Asked) -> bool:
    shape = asked.shape(1)
    return len(shape) == 3 and shape[1] == shape[2]


@_relation("one padded cell along an axis")
def _one_padded_cell(asked: _Asked) -> bool:
    """Along the channels only where there are several items, whose blocks are written one behind another."""
    shape, blocks = asked.shape(0), asked.integers("block_shape")
    before, after = asked.integers("pads_begin"), asked.integers("pads_end")
    return any(
        shape[axis] + before[axis] + after[axis] == blocks[axis] > 1 and after[axis] > 0
        for axis in range(1 if shape[0] > 1 else 2, len(shape))
    )


@_relation("output_shape leaves over other than pads_begin")
def _other_pads(asked: _Asked) -> bool:
    """Half of what is left over is the padding at the beginning; that of auto_pad=valid should be 0."""
    wanted = asked.integers("output_shape")
    spatial = len(wanted)
    pads = [0] * spatial
    if asked.text("auto_pad") != "valid":
        pads = asked.integers("pads_begin")
    more = [0] * spatial
    if "output_padding" in asked.parameters:
        more = asked.integers("output_padding")
    strides, dilations = asked.integers("strides"), asked.integers("dilations")
    sizes, windows = asked.shape(0)[-spatial:], asked.shape(1)[-spatial:]
    return any(
        (
            strides[axis] * (sizes[axis] - 1)
            + (windows[axis] - 1) * dilations[axis]
            + 1
            + more[axis]
            - wanted[axis]
        )
        // 2
        != pads[axis]
        for axis in range(spatial)
    )


@_relation("a window has padding alone")
def _window_of_padding(asked: _Asked) -> bool:
    windows, strides = asked.integers("kernel"), asked.integers("strides")
    before, after = asked.integers("pads_begin"), asked.integers("pads_end")
    if asked.text("auto_pad", "explicit") == "valid":
        before = after = [0] * len(windows)
    elif asked.text("auto_pad", "explicit") != "explicit":
        return False
    for axis, size in enumerate(asked.shape(0)[2:]):
        span = size + before[axis] + after[axis] - windows[axis]
        if asked.text("rounding_type") == "ceil":
            span += strides[axis] - 1
        starts = [step * strides[axis] - before[axis] for step in range(span // strides[axis] + 1)]
        if any(start >= size or start + windows[axis] <= 0 for start in starts):
            return True
    return False


@_relation("a label is repeated in one subscript alone")
def _label_of_one_subscript(asked: _Asked) -> bool:
    subscripts = asked.text("equation").partition("->")[0].replace(".", "").split(",")
    return any(
        subscript.count(label) > 1 and sum(label in other for other in subscripts) == 1
        for subscript in subscripts
        for label in subscript.strip()
    )


@_relation("nearly as many boxes as score_threshold leaves")
def _nearly_all_boxes(asked: _Asked) -> bool:
    """At least three, and three quarters of a class, if scores are spread evenly from 0 to 1: some of them overlap."""
    (most,) = asked.integers("max_output_boxes_per_class")
    return (
        most > 2 and most >= 0.75 * (1 - float(asked.value("score_threshold"))) * asked.shape(1)[-1]
    )


@_relation("several boxes of several classes")
def _several_boxes_of_several_classes(asked: _Asked) -> bool:
    """With roisnum boxes have the classes first."""
    return "roisnum" in asked.parameters and min(asked.shape(0)[:2]) > 1


@_relation("data of signed integers")
def _signed_integers(asked: _Asked) -> bool:
    first = asked.tensors[0]
    return first is not None and first.element_type in ("i8", "i16", "i32", "i64")
