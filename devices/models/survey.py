"""Surveys a model on a device: as a whole, each layer or fused group in place, each layer alone.

1. The model as it is, untouched: its results, and the nodes of the graph that the device executed.
2. The same with values inside as further results (``groups.values_to_read``), some at a time. Each layer, or the layers
   between two values that were read, is judged on the values that the device itself fed to it.
3. Each layer alone, in packs, on the same values. Layers alike in everything but their data are asked once.

Beside it the reference evaluates the whole model in float64, from which follows what the results should be. Where the
device gives no values, because the whole is refused or dies, layers get those.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

import numpy as np

from devices.models import large_layers
from devices.models.effects import PARTED
from devices.models.findings import Survey
from devices.models.groups import values_to_read
from devices.models.operands import computed_anew
from devices.models.shared import Shared
from devices.models.walk import Walk
from ir_models.models import SHORT
from reference.accuracy import is_float
from reports.results.outcomes import Outcome


class Surveyor(Shared):
    """Surveys one model on one device. ``feeds`` has the values of the Parameters, for each sample."""

    def survey(self, *, alone: bool = True) -> Survey:
        """All of it. Ctrl-C ends it; what was found until then is in ``partial``."""
        started = time.monotonic()
        self.started, self.asked_before = started, self.session.questions
        self.report("the model as it is")
        self.whole = self.asking.ask(self.model.nodes, self.results, self.feeds, executed=True)
        self._hold_results()
        kernels = self.whole.kernels
        if self.whole.failed:
            self.report(f"the whole model: {self.whole.outcome} {self.whole.detail}")
        self.read = [] if self.whole.failed else values_to_read(self.model, self.whole.nodes)
        for name, kernel in kernels.items():
            if name in self.findings:
                self.findings[name].kernel = kernel
        self._walk(alone)
        outcomes = {each.outcome for each in self.findings.values()}
        if alone and self.whole.failed and self.whole.outcome not in outcomes:
            self.report(
                "no layer fails in place as the model does, so layers that are alike are each tested"
            )
            self.asks_alike = True
            self._walk(alone)
        hidden = set[str]()
        if self._is_masked():
            self.report("reading inner values hides the error: fewer are read at once")
            hidden = self._hiding()
            self._note(hidden, "reading these values changes the results, so each is judged")
        anew = self._computed_anew() - hidden
        self._note(anew, "a device may compute these values anew for a reader, so each is judged")
        if hidden or anew:
            self.read = values_to_read(self.model, self.whole.nodes, hidden | anew)
            for each in self.findings.values():
                each.in_place, each.evidence, each.members, each.by = None, None, (), ""
            self._walk(False)
        if self.by_reading:
            titles = ", ".join(self.model.title(name) for name in self.by_reading[:5])
            self.notes.append(
                f"with {len(self.read)} values read at once, {len(self.by_reading)} layers are wrong that "
                f"are right alone "
                f"or with few values read: {titles}"
            )
        return self.partial()

    def partial(self) -> Survey:
        """What is known so far."""
        return Survey(
            self.findings,
            self.whole,
            self.result_errors,
            [node.name for node in self.model.graph.nodes],
            time.monotonic() - self.started,
            self.session.questions - self.asked_before,
            len(self.read),
            self.notes,
            self.truth,
        )

    def _hold_results(self) -> None:
        """Read what the device holds of results of f16 and bf16, if reading it changes nothing.

        What such a type hides, an error that vanishes when values are read may be too small to be seen in it.
        """
        whole = self.whole
        if whole.failed or all(self.model.types[each].name not in SHORT for each in self.results):
            return
        again = self.asking.ask(self.model.nodes, self.results, self.feeds, read=self.results)
        if not again.failed and all(
            large_layers.same_bytes(one[each], two[each])
            for each in self.results
            for one, two in zip(whole.values, again.values, strict=True)
        ):
            whole.held = again.held

    # --- walking --------------------------------------------------------------------------------------------------

    def _walk(self, alone: bool) -> None:
        variables: dict[str, dict[str, np.ndarray]] = {"local": {}, "truth": {}}
        self.result_errors = []
        for sample in range(len(self.feeds)):
            walk = Walk(self, sample, alone and not sample, variables)
            walk.run()
            self.result_errors += walk.result_errors()
            if walk.effects.not_finite and not sample:
                source = self.model.sources[walk.effects.not_finite.partition(":")[0]]
                self.notes.append(
                    f"the reference has NaN or infinity as well, first at {source.label} {source.title!r}"
                )
            far = any(each.relative > PARTED for each in self.result_errors)
            departs = any(each.departs for each in self.findings.values())
            if far and not departs and walk.effects.parted is not None and not sample:
                value, error = walk.effects.parted
                source = self.model.sources[value.partition(":")[0]]
                kernels = [
                    each.kernel for each in self.findings.values() if each.kernel is not None
                ]
                coarse = {k.precision for k in kernels} & {"bf16", "f16"}
                why = (
                    f"errors of {' and '.join(sorted(coarse))}"
                    if coarse
                    else "the model magnifies small errors"
                )
                self.notes.append(
                    f"{why}, each within its bound: device and reference differ by {error:.2g} of the largest value at "
                    f"{source.label} {self.model.title(value)!r}, whose layer is right for its inputs"
                )

    def _is_masked(self) -> bool:
        """Whether the untouched results are clearly further from the reference than those with values read."""
        return any(
            each.read_error is not None
            and not each.same_bits
            and (
                each.error > 8 * max(each.read_error, 2.0**-20 * each.scale)
                or each.moved > PARTED * each.scale
            )
            for each in self.result_errors
        )

    def _note(self, values: Collection[str], why: str) -> None:
        if values:
            titles = ", ".join(self.model.title(value) for value in sorted(values))
            self.notes.append(f"{why} together with the layer behind it: {titles}")

    def _computed_anew(self) -> set[str]:
        """The values that were read before layers that are wrong in place, right alone, and may have had other ones."""
        found: set[str] = set()
        for name, each in self.findings.items():
            fails = each.in_place is not None and each.in_place.outcome is Outcome.FAIL
            if fails and not self.departs_alone(name):
                found |= computed_anew(self.model, each.members or (name,), self.is_constant)
        return found.intersection(self.read).difference(self.results)

    def _hiding(self) -> set[str]:
        """The values that change the results of the model when they are read, found by bisection."""
        found: set[str] = set()
        pending = [list(self.read)]
        end = time.monotonic() + 300
        while pending and time.monotonic() < end:
            values = pending.pop()
            if not values or not self._changes(values):
                continue
            if len(values) == 1:
                found.update(values)
                continue
            middle = len(values) // 2
            pending += [values[middle:], values[:middle]]
        return found

    def _changes(self, values: Sequence[str]) -> bool:
        answer = self.asking.ask(
            self.model.nodes, [*self.results, *values], self.feeds, executed=False
        )
        if answer.failed:
            return True
        for each in self.result_errors:
            before, after = (one.values[0][each.name].values() for one in (self.whole, answer))
            if before.shape != after.shape:
                return True
            if is_float(before.dtype):
                one, two = before.astype(np.float64), after.astype(np.float64)
                if np.nanmax(np.abs(one - two), initial=0.0) > 2.0**-20 * each.scale:
                    return True
            elif not np.array_equal(before, after):
                return True
        return False
