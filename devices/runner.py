"""Asks a device about cases: packs first, then whatever a pack cannot settle alone.

The layer alone is the truth. A pack that is refused, dies or hangs is split until each case has an outcome of its own;
a case that is wrong in a pack is asked again alone, twice in a row, and so is a share of those that passed.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from devices import packs
from devices.process import Child, ChildDiedError, ChildHungError
from devices.profiles import Profile
from devices.protocol import Kernel, Question, Reply, TensorData
from devices.suspicion import Suspicion
from devices.verdict import Evidence, Verdict, judge, same_outputs, words
from ir_models import Case, cases, ir
from reference import Expected, MissingReferenceError, answer, coarsens
from reports.outcomes import Outcome


@dataclass
class Options:
    """How a runner goes about it: ``case_timeout`` in seconds, ``audit`` the share of passed cases asked again."""

    pack_size: int = 100
    case_timeout: float = 30.0
    audit: float = 0.02
    seed: int = 0


@dataclass
class _Item:
    """A case with the values of its inputs and its right answers, a list of each for every inference.

    ``computed_in`` is the precision for which the answers have their bounds, where a device said one.
    """

    case: Case
    arrays: list[list[np.ndarray | None]]
    expected: list[list[Expected]]
    computed_in: str = ""


class Runner:
    """Runs cases on one device with one profile. Use it as a context manager: it owns a child process."""

    def __init__(self, device: str, profile: Profile, options: Options) -> None:
        self.device, self.profile, self.options = device, profile, options
        self._child: Child | None = None
        self._suspicion = Suspicion()
        self._inference_precision = ""

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def dismiss(self) -> None:
        """Tell the child process to end; ``close`` sees it end."""
        if self._child is not None:
            self._child.dismiss()

    def close(self) -> None:
        """End the child process."""
        if self._child is not None:
            with suppress(ChildDiedError, ChildHungError):
                self._child.close()
            self._child = None

    def open(self) -> Child:
        """The child process, started if there is none. Raises NoDeviceError, ChildDiedError, ProfileError."""
        if self._child is None:
            settings = self.profile.for_device(self.device)
            child = Child(self.device, settings, self.profile.environment)
            try:
                self.profile.check(child.facts.get("kernels", {}))
            except BaseException:
                child.kill()
                raise
            self._child = child
            settings_in_force = child.facts.get("settings", {})
            self._inference_precision = settings_in_force.get("INFERENCE_PRECISION_HINT", "")
        return self._child

    # --- a pack of cases ------------------------------------------------------------------------------------------

    def judge(self, pack: Sequence[Case]) -> list[Verdict]:
        """The verdicts of a pack (see ``packs.plan``), in order."""
        verdicts: dict[str, Verdict] = {}
        items = []
        for case in pack:
            try:
                items.append(self._item(case))
            except (ValueError, MissingReferenceError, RuntimeError, TypeError) as error:
                detail = f"the reference cannot answer: {type(error).__name__}: {error}"
                verdicts[case.id] = Verdict(case, Outcome.ERROR, detail)
        invalid = bool(items) and items[0].case.is_invalid
        found = self._invalid(items) if invalid else self._pack(items)
        verdicts |= {verdict.case.id: verdict for verdict in found}
        return [verdicts[case.id] for case in pack]

    def _item(self, case: Case) -> _Item:
        arrays = [case.arrays(k, self.options.seed) for k in range(case.form.inferences)]
        if case.is_invalid:
            return _Item(case, arrays, [])
        return _Item(case, arrays, _answers(case, arrays))

    def _pack(self, items: Sequence[_Item], refused_before: bool = False) -> list[Verdict]:
        suspects = [item for item in items if self._suspicion.of(item.case)]
        if suspects:
            found = {v.case.id: v for v in self._each_alone(suspects)}
            rest = [item for item in items if item.case.id not in found]
            found |= {v.case.id: v for v in self._pack(rest, refused_before)}
            return [found[item.case.id] for item in items]
        if len(items) <= 1:
            return [self._alone(item) for item in items]
        # A child that may be damaged by fragile types is released at once: dying of it says so.
        fragile = bool(packs.fragile_type(items[0].case.id))
        question = self._question(items)
        try:
            reply = self._ask(question, len(items))
            if fragile and not reply.refused:
                self._retire()
        except (ChildDiedError, ChildHungError):
            return self._each_alone(items) if fragile else self._halves(items)
        if reply.refused:
            return self._without_named(items, reply.error, refused_before)
        verdicts = []
        for item, own in zip(items, _shares(items, question, reply), strict=True):
            verdict = self._judged(item, own)
            if verdict.outcome is Outcome.QUALITY:
                verdict.evidence = Evidence(self._question([item]), item.expected, own)
            verdict.pack = len(items)
            verdict.seconds = sum(reply.seconds.values()) / len(items)
            verdicts.append(self._checked_alone(item, verdict))
        return verdicts

    def _checked_alone(self, item: _Item, verdict: Verdict) -> Verdict:
        """A verdict from a pack, replaced by that of the layer alone where that is called for."""
        if verdict.outcome in (Outcome.PASS, Outcome.QUALITY, verdict.wanted):
            if not packs.chosen(item.case.id, self.options.audit, "audit"):
                return verdict
            alone = self._alone(item)
            if alone.outcome is not verdict.outcome:
                alone.detail = (
                    f"{verdict.outcome} in a pack of {verdict.pack}; alone: {alone.detail}"
                )
            return alone
        alone = self._alone(item)
        if alone.outcome is Outcome.PASS:
            alone.outcome = Outcome.FLAKE
            alone.detail = f"right alone, but in a pack of {verdict.pack}: {verdict.detail}"
        return alone

    def _halves(self, items: Sequence[_Item], refused_before: bool = False) -> list[Verdict]:
        middle = len(items) // 2
        halves = (items[:middle], items[middle:])
        return [verdict for half in halves for verdict in self._pack(half, refused_before)]

    def _each_alone(self, items: Sequence[_Item]) -> list[Verdict]:
        return [self._alone(item) for item in items]

    def _without_named(
        self, items: Sequence[_Item], error: str, refused_before: bool
    ) -> list[Verdict]:
        """A refused pack: the cases that the device names, and those like them, are asked alone, the others again.

        In a pack that is refused again there are probably more of them: it goes on in halves.
        """
        places = {int(number) for number in re.findall(r"\bc(\d+)\.", error)}
        named = [item for number, item in enumerate(items) if number in places]
        for item in named:
            self._suspicion.refused(item.case)
        if not named or len(named) == len(items):
            return self._halves(items)
        rest = [item for number, item in enumerate(items) if number not in places]
        goes_on = self._halves if refused_before else self._pack
        found = {v.case.id: v for v in [*self._each_alone(named), *goes_on(rest, True)]}
        return [found[item.case.id] for item in items]

    # --- a case alone ---------------------------------------------------------------------------------------------

    def _alone(self, item: _Item) -> Verdict:
        """The verdict of the layer alone, asked twice in a row: two answers make a FLAKE."""
        question = self._question([item])
        evidence = Evidence(question, item.expected, None)
        twice = question if question.requests else replace(question, feeds=question.feeds * 2)
        fragile = bool(packs.fragile_type(item.case.id))
        try:
            reply = self._ask_surely(twice, retire=fragile)
        except ChildDiedError as error:
            return Verdict(item.case, Outcome.CRASH, str(error), evidence=evidence)
        except ChildHungError as error:
            return Verdict(item.case, Outcome.TIMEOUT, str(error), evidence=evidence)
        evidence.reply = reply
        seconds = sum(reply.seconds.values())
        if reply.refused:
            return replace(self._refusal(item, reply), seconds=seconds, evidence=evidence)
        first, second = _split(reply, len(question.feeds))
        verdict = self._judged(item, first)
        evidence.expected = item.expected
        verdict.seconds, verdict.evidence = seconds, evidence
        if not question.requests:
            for number, (one, two) in enumerate(zip(first.outputs, second.outputs, strict=True)):
                if same_outputs(one, two):
                    continue
                again = self._judged(item, second)
                random = all(right.is_random for right in item.expected[number])
                if random and again.outcome is verdict.outcome is Outcome.PASS:
                    continue
                verdict.outcome = Outcome.FLAKE
                verdict.detail = f"inference {number + 1} gave two answers for the same data"
                if again.detail:
                    verdict.detail += f"; {again.detail}"
            evidence.reply = replace(reply, outputs=first.outputs)
        if verdict.outcome in (Outcome.PASS, verdict.wanted):
            verdict.evidence = None
        return verdict

    def _refusal(self, item: _Item, reply: Reply) -> Verdict:
        told = words(reply.error) or "without a word"
        if reply.stage == "fetch":
            return Verdict(item.case, Outcome.ERROR, f"the answer cannot be read: {told}")
        if lacks_operation(reply):
            return _lacking(item.case, told)
        return Verdict(item.case, Outcome.REFUSED, f"at {reply.stage}: {told}")

    def _judged(self, item: _Item, reply: Reply) -> Verdict:
        strangers = self._strangers(reply)
        if strangers:
            detail = f"{strangers} executed instead of {self.device}"
            return Verdict(item.case, Outcome.ABSENT, detail)
        kernel = next(iter(reply.kernels.values()), None)
        try:
            self._regard_precision(item, kernel)
            return judge(item.case, item.expected, reply.outputs, reply.inferred, kernel)
        except Exception as error:  # a fault of the suite in one case must not take its pack along
            where = traceback.extract_tb(error.__traceback__)[-1]
            detail = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            return Verdict(item.case, Outcome.ERROR, detail)

    def _regard_precision(self, item: _Item, kernel: Kernel | None) -> None:
        """Give an item the bounds of what the device computed it in: its kernel's precision, else that of inference."""
        computed_in = kernel.precision if kernel else ""
        computed_in = computed_in or self._inference_precision
        coarser = computed_in if coarsens(computed_in, _types(item.case)) else ""
        if coarser != item.computed_in:
            item.computed_in = coarser
            item.expected = _answers(item.case, item.arrays, coarser)

    def _strangers(self, reply: Reply) -> str:
        asked = self.device.replace(":", ",").replace("(", ",").split(",")
        kinds = {name.strip().lstrip("-").partition(".")[0] for name in asked}
        return ", ".join(d for d in reply.devices if d.partition(".")[0] not in kinds)

    # --- invalid layers -------------------------------------------------------------------------------------------

    def _invalid(self, items: Sequence[_Item]) -> list[Verdict]:
        """Each alone; then the plain layer must still pass in the same process, or each is tried with it anew."""
        child = self.open()
        verdicts = [self._refused(item) for item in items]
        if len(items) == 1:
            return [self._still_works(items[0].case, verdicts[0])]
        # A process that had to be replaced was brought down by one of them, perhaps not by the one that it died of.
        if self._child is child and self._canary_passes(items[-1].case):
            return verdicts
        return [verdict for item in items for verdict in self._invalid([item])]

    def _refused(self, item: _Item) -> Verdict:
        question = self._question([item])
        evidence = Evidence(question, [], None)
        try:
            reply = self._ask_surely(question)
        except ChildDiedError as error:
            return Verdict(item.case, Outcome.CRASH, str(error), evidence=evidence)
        except ChildHungError as error:
            return Verdict(item.case, Outcome.TIMEOUT, str(error), evidence=evidence)
        evidence.reply = reply
        seconds = sum(reply.seconds.values())
        rule = item.case.operation.broken_rule(item.case.layer)
        broken = f"broken rule: {rule.text}" if rule else "broken rule unknown"
        if not reply.refused:
            shapes = ", ".join(str(list(t.shape)) for t in reply.outputs[0])
            detail = f"{broken}; the device computed {shapes}"
            return Verdict(item.case, Outcome.ACCEPTED_INVALID, detail, seconds, evidence=evidence)
        told = words(reply.error)
        if lacks_operation(reply):
            return _lacking(item.case, told)
        if not any(character.isalpha() for character in told):
            detail = f"{broken}; refused at {reply.stage} without a word"
            return Verdict(item.case, Outcome.FAIL, detail, seconds, evidence=evidence)
        return Verdict(item.case, Outcome.PASS, f"refused at {reply.stage}: {told}", seconds)

    def _still_works(self, case: Case, verdict: Verdict) -> Verdict:
        if verdict.outcome is Outcome.PASS and not self._canary_passes(case):
            verdict.outcome = Outcome.FAIL
            verdict.detail += "; after it, the plain layer no longer passes in the same process"
        return verdict

    def _canary_passes(self, case: Case) -> bool:
        """Whether the plain layer is right in this very process, or is not right in a fresh one either."""
        for plain in cases(case.operation, ["plain"]):
            item = self._item(plain)
            try:
                reply = self._ask(self._question([item]), 1)
                right = not reply.refused and self._judged(item, reply).outcome is Outcome.PASS
            except (ChildDiedError, ChildHungError):
                right = False
            if not right:
                self._drop()
                return self._alone(item).outcome is not Outcome.PASS
        return True

    # --- asking ---------------------------------------------------------------------------------------------------

    def _question(self, items: Sequence[_Item]) -> Question:
        pack = [item.case for item in items]
        shapes = [
            [e.value.shape for e in item.expected[0]] if item.expected else None for item in items
        ]
        model = ir.write(pack, shapes, self.options.seed)
        feeds = [
            {
                name: _tensor(items[port.case].arrays[k][port.port], port.element_type.name)
                for name, port in model.parameters.items()
            }
            for k in range(pack[0].form.inferences)
        ]
        form = pack[0].form
        return Question(
            model.xml,
            model.weights,
            feeds,
            list(model.results),
            list(model.layers),
            form.memory,
            form.requests,
        )

    def _ask(self, question: Question, cases_in_pack: int) -> Reply:
        """One question to the child, which is started anew if it is gone. Raises ChildDiedError, ChildHungError."""
        child = self.open()
        try:
            return child.ask(question, self.options.case_timeout * (1 + cases_in_pack / 20))
        except BaseException:
            # Gone, or interrupted (Ctrl-C) with an answer to come that nobody awaits.
            self._drop()
            raise

    def _ask_surely(self, question: Question, retire: bool = False) -> Reply:
        """As ``_ask``, but a death or a hang counts only in a fresh child: earlier cases may have damaged memory."""
        fresh = self._child is None or not self._child.questions
        try:
            reply = self._ask(question, 1)
            if retire and not reply.refused:
                self._retire()
            return reply
        except (ChildDiedError, ChildHungError):
            if fresh:
                raise
            return self._ask_surely(question, retire)

    def _drop(self) -> None:
        """End a child that is not to be trusted, whatever comes of it."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def _retire(self) -> None:
        """Release the child, so that the next question meets a fresh one.

        Raises ChildDiedError or ChildHungError if that goes wrong.
        """
        child, self._child = self._child, None
        if child is not None:
            child.close(self.options.case_timeout)


# What a reader says of an operation set, or of an element type, that came after it.
_LATER = re.compile(r"from unsupported opset|Incorrect type: ")


def lacks_operation(reply: Reply) -> bool:
    """Whether this release of OpenVINO is older than the operation or an element type, and says so."""
    return reply.stage == "read" and bool(_LATER.search(reply.error))


def _lacking(case: Case, told: str) -> Verdict:
    detail = f"this release of OpenVINO is older than the layer: {told}"
    return Verdict(case, Outcome.ABSENT, detail, lacking=True)


def _tensor(values: np.ndarray | None, element_type: str) -> TensorData:
    assert values is not None
    return TensorData.of(values, element_type)


def _answers(
    case: Case, arrays: list[list[np.ndarray | None]], computed_in: str = ""
) -> list[list[Expected]]:
    """The right outputs of each inference of a case."""
    return [
        answer(
            case.operation.name,
            inputs,
            layer.attributes,
            [t.name for t in case.operation.output_types(layer)],
            computed_in,
        )
        for inputs, layer in zip(arrays, case.layers, strict=True)
    ]


def _types(case: Case) -> list[str]:
    """The element types of a case's inputs and outputs."""
    inputs = [tensor.element_type for _, tensor in case.layer.ports() if tensor is not None]
    return [t.name for t in (*inputs, *case.operation.output_types(case.layer))]


def _shares(items: Sequence[_Item], question: Question, reply: Reply) -> list[Reply]:
    """A reply about a pack as one reply for each case."""
    shares = []
    start = 0
    for number, item in enumerate(items):
        count = len(item.case.operation.output_types(item.case.layer))
        layer = question.layers[number]
        kernels = {layer: reply.kernels[layer]} if layer in reply.kernels else {}
        shares.append(
            replace(
                reply,
                inferred=reply.inferred[start : start + count],
                outputs=[outputs[start : start + count] for outputs in reply.outputs],
                kernels=kernels,
            )
        )
        start += count
    return shares


def _split(reply: Reply, feeds: int) -> tuple[Reply, Reply]:
    return replace(reply, outputs=reply.outputs[:feeds]), replace(
        reply, outputs=reply.outputs[feeds:]
    )
