"""What meets shapes that the model does not know: constants and values of all kinds of layers, sizes of constants.

``ir_models.corpus.crossings`` asks each layer in one way after another, ``ir_models.corpus.meetings`` the plain layer
and those of other types in several. Operands of unequal ranks and the values of index inputs meet constants and unknown
shapes here. So do an arithmetic layer whose constant has sizes of the data, and Gather of one index in front of the
layer, with an unknown batch. Covering arrays choose; a layer has one of its own, so that another layer moves none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, product
from typing import Any

from ir_models.asking.case import LayerCase
from ir_models.asking.how import How
from ir_models.asking.neighbours import EXACT_BEFORE, OF_UNKNOWN, WITH_CONSTANT
from ir_models.asking.operands import SIZED
from ir_models.corpus.meetings import (
    Meetings,
    chosen_layers,
    has_float_output,
    way_of,
)

# Rows of an array at most, before depth all.
_OF_KIND, _OF_SIZES = 2, 16
# Purposes whose layers have an array each.
_KINDS = ("unequal-ranks", "index-values")

Levels = dict[str, list[Any]]


class UnknownShapes(Meetings):
    """The cases of an operation in which what a layer is meets unknown shapes."""

    _what = "unknown shapes"

    def of_plain(self, plain: LayerCase) -> Iterator[LayerCase]:
        """Two cases for the plain layer alone: a constant with its sizes, an unknown batch behind Gather."""
        chosen = chosen_layers(self._operation, [plain])
        yield from self._operands(chosen, 1)
        yield from self._batches(chosen, 1)

    def cases(self, layers: Sequence[LayerCase], is_whole: bool = False) -> Iterator[LayerCase]:
        """The cases for layers that are asked in the usual way; ``is_whole``: no array is cut off."""
        chosen = chosen_layers(self._operation, layers)
        if chosen:
            yield from self._constants_of_kinds(chosen, is_whole)
            if is_whole:
                plain = [each for each in chosen if each.purpose in ("plain", "type", "rank")]
                yield from self._operands(plain)
                yield from self._batches(plain)
            yield from self._sizes(chosen, layers, is_whole)

    def _why_not_here(self, case: LayerCase) -> str:
        return self.why_not(case)

    def _constants_of_kinds(
        self, chosen: Sequence[LayerCase], is_whole: bool
    ) -> Iterator[LayerCase]:
        """Layers of some purposes whose data is partly constant, or whose index inputs are, and unknown shapes."""
        takes_values = self._operation.takes_values_at_run_time
        for each in (each for each in chosen if each.purpose in _KINDS):
            given = self._given([each])
            factors: Levels = {
                "layer": [[each]],
                "given": given[1:] or given,
                "shape": ["dims", *self._axes([each]), "bounds"],
                "index": ["", *(("parameters", "computed") if takes_values else ())],
            }
            name = f"constants of {each.id}"
            yield from self._array(name, factors, None if is_whole else _OF_KIND)

    def _operands(
        self, chosen: Sequence[LayerCase], most: int | None = None
    ) -> Iterator[LayerCase]:
        """Layers beside an arithmetic one whose constant has sizes of the data, which the model does not know."""
        if self._operation.has_sizes_of_values:
            return  # other data in each inference gives other sizes
        floats = [each for each in chosen if has_float_output(each)]
        axes = self._axes(floats)
        operands = [name for name in SIZED if name in (*axes, "last", "full")]
        neighbours = [{"behind": name} for name in WITH_CONSTANT if name != "prelu"]
        neighbours += [{"before": name} for name in EXACT_BEFORE]
        factors: Levels = {
            "layer": [floats],
            "neighbours": neighbours,
            "operand": operands[::-1],
            "shape": ["dims", *axes, "bounds"],
            "given": self._given(floats),
        }
        yield from self._array("operands", factors, most)

    def _batches(self, chosen: Sequence[LayerCase], most: int | None = None) -> Iterator[LayerCase]:
        """Layers behind Gather of one index, of an unknown batch."""
        factors: Levels = {
            "layer": [chosen],
            "before": [*OF_UNKNOWN],
            "shape": ["axis-0", "dims", "bounds"],
            "behind": ["", "multiply", "unsqueeze"],
            "given": self._given(chosen),
        }
        yield from self._array("batches", factors, most)

    def _sizes(
        self, chosen: Sequence[LayerCase], layers: Sequence[LayerCase], is_whole: bool
    ) -> Iterator[LayerCase]:
        """Constants that are zero, or empty, of an operation the size of whose outputs the values say."""
        if not self._operation.has_sizes_of_values:
            return
        given = [{"data": "constant"}, *self._given(chosen)[1:]]
        # The last one says how good each of what the others describe is: several boxes of zero size have no overlap.
        factors: Levels = {
            "layer": [chosen],
            "given": given[:1] if len(given) < 2 else [given[0], given[-1]],
            "values": ["zeros"],
            "behind": ["", "unsqueeze", "concat"],
            "shape": ["", "dims"],
        }
        yield from self._array("zeros", factors, None if is_whole else _OF_SIZES)
        for each in layers:
            for how in given if each.purpose == "dim-0" else ():
                found = each.asked(way_of({"given": how}))
                if not found.contradiction:
                    yield found

    def _array(self, name: str, factors: Levels, most: int | None) -> Iterator[LayerCase]:
        """The cases of a covering array: for each row the next layer of its kind that takes it."""
        if not all(factors.values()) or not all(factors["layer"]):
            return
        turns = [cycle(each) for each in factors["layer"]]
        for chosen in self._rows(f"unknown {name}", factors, most):
            # A dimension that a layer does not have, or that cannot change, makes room for the next one.
            shapes = factors["shape"][chosen["shape"] :] + factors["shape"][: chosen["shape"]]
            own, count = turns[chosen["layer"]], len(factors["layer"][chosen["layer"]])
            why = ""
            for shape, _ in product(shapes, range(count)):
                case = next(own)
                levels = {n: factors[n][i] for n, i in chosen.items() if n != "layer"}
                how = _without_stated(case, way_of(levels | {"shape": shape}))
                reason = self._reason(case, how)
                if not reason:
                    yield case.asked(how)
                    break
                why = why or reason
            else:
                self._dropped[f"{self._what}: {why}"] += 1

    def _reason(self, case: LayerCase, how: How) -> str:
        """Why a case cannot be asked, or a way of asking would change nothing."""
        asked = LayerCase(case.layer, case.purpose, how)
        if how.index and not any(case.layer.tensors(i.name) for i in self._operation.index_inputs):
            return "the index inputs are left out"
        if how.operand.startswith("axis-") and how.operand not in self._axes([case]):
            return "the data has no such axis"
        if how.values != "zeros":
            return self.why_not(asked)
        if how.shape and (how.data or asked.contradiction or not asked.can_be_resized):
            return "the dimension cannot change"
        return asked.contradiction


def _without_stated(case: LayerCase, how: How) -> How:
    """The way of asking; an input whose value the layer states is a constant already."""
    stated = dict(case.layer.ports()).get(how.constant)
    return replace(how, constant="") if stated is not None and stated.value is not None else how
