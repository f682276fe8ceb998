"""Asks a device about a pack of cases, and splits the pack until every case has an outcome of its own.

A pack is asked as a case alone is: all its inferences run twice. One that is refused, dies or hangs is split. A case
that is wrong in a pack is asked again alone, and so is a share of the cases that pass (the audit). Where the other
layers of a pack decide how a case ends, it is only asked alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from devices.engine import packs
from devices.engine.failed import Failed
from devices.engine.prepared import PreparedCase
from devices.engine.questions import cases_named, question_for, replies_by_case
from devices.engine.single import (
    SingleCases,
    evidence_for,
    not_opened,
    split_runs,
    twice,
    twice_in,
)
from devices.engine.verdicts.digests import varying
from devices.engine.verdicts.verdict import Evidence, Verdict
from devices.process.child_handle import ChildDiedError
from devices.process.opening import NotOpenedError
from devices.process.protocol import Question, Reply
from ir_models import Case
from reports.results.facts_of_departures import Facts
from reports.results.outcomes import ENDS, Outcome


class PackBisection:
    """Valid cases in packs, and where needed alone by ``single``.

    The share ``single.audit`` of the cases that passed, or departed as known, is asked again alone. ``together`` are
    packs that departed and whose cases conform alone: first the case that was wrong, if one was.
    """

    def __init__(self, single: SingleCases) -> None:
        self._single, self._session, self._known = single, single.session, single.known
        self._failed = Failed()
        self.together: list[list[Case]] = []

    def in_packs(
        self, prepared: Sequence[PreparedCase], places: Iterable[Sequence[int]]
    ) -> list[Verdict]:
        """The verdicts on cases, in order; ``places`` has those of each pack. Raises NotOpenedError."""
        found: dict[int, Verdict] = {}
        for pack in places:
            self._session.open()
            found |= zip(pack, self.verdicts([prepared[place] for place in pack]), strict=True)
        if any(verdict.outcome is Outcome.ERROR for verdict in found.values()):
            # Perhaps since the device does not open any more.
            self._session.open()
        return [found[place] for place in range(len(prepared))]

    def verdicts(self, pack: Sequence[PreparedCase], refused_before: bool = False) -> list[Verdict]:
        """The verdicts on the cases of a pack, in order. ``refused_before``: it is part of a refused pack."""
        # Those that are expected to be refused or to end the child would cost all others their compilation.
        outcomes = {each.case.id: self._known.known_outcomes(each.case) for each in pack}
        suspects = {
            each.case.id
            for each in pack
            if outcomes[each.case.id]
            or self._failed.has_similar(each.case)
            or _depends_on_others(each)
        }
        if suspects:
            # What may damage the child comes last.
            last = [each for each in pack if each.case.id in suspects]
            last.sort(key=lambda each: bool(outcomes[each.case.id] & ENDS))
            others = [each for each in pack if each.case.id not in suspects]
            found = self.verdicts(others, refused_before)
            return _in_order(pack, [*found, *self._each_alone(last)])
        if len(pack) <= 1:
            return self._each_alone(pack)
        is_fragile = bool(packs.fragile_type(pack[0].case.id))
        try:
            question = question_for(pack)
            reply = self._reply(twice(question), pack, is_fragile)
        except NotOpenedError as error:
            return [not_opened(prepared.case, error) for prepared in pack]
        except Exception:  # the child has ended; or the suite cannot ask about one of the cases
            found = self._each_alone(pack) if is_fragile else self._halves(pack)
            return self._noted(pack, found)
        if reply.refused:
            return self._noted(pack, self._without_named(pack, reply.error, refused_before))
        if reply.compiled is not None and not reply.compiled.is_as_asked:
            # It cannot be told whose ports are wrong, or whose part differs.
            return self._halves(pack)
        verdicts = []
        reply, again = split_runs(reply, question)
        runs = (replies_by_case(pack, question, each) for each in (reply, again))
        for prepared, own, second in zip(pack, *runs, strict=True):
            verdict = self._single.judge(prepared, own)
            if second.outputs and twice_in(prepared.case, question) == "request":
                self._single.compare_runs(prepared, own, second, verdict)
                if verdict.outcome is Outcome.FLAKE:
                    verdict = self._determined(prepared, own, second, verdict)
            verdict.pack = len(pack)
            verdict.seconds = sum(reply.seconds.values()) / len(pack)
            verdict = self._checked_alone(prepared, verdict)
            if not verdict.shows_nothing_wrong and verdict.pack > 1:
                alone = self._single.question(prepared)
                verdict.evidence = evidence_for(prepared, alone, own)
            verdicts.append(verdict)
        if without_spoilers := self._without_spoilers(pack, verdicts):
            return without_spoilers
        right = [verdict.case for verdict in verdicts if verdict.conforms]
        for verdict in verdicts:
            if _is_of_pack(verdict):
                # Alone it passes, so that only the pack shows what is wrong.
                verdict.evidence = _evidence_of_pack(pack, question, reply)
                self.together.append([verdict.case, *right])
        return verdicts

    def _without_spoilers(
        self, pack: Sequence[PreparedCase], verdicts: Sequence[Verdict]
    ) -> list[Verdict]:
        """The verdicts where some cases are wrong in a pack alone, beside others that are known to spoil it; else none.

        So does a layer whose exception a device loses: the outputs of all layers behind it stay unwritten. The others
        are asked again without it, and what is wrong there as well is wrong in a pack alone. No other case is left
        out: one that departs for another reason, and newly spoils its neighbours, shows in these.
        """
        spoilers = {
            each.case.id
            for each in verdicts
            if not each.conforms and not _is_of_pack(each) and self._known.spoils(each.case)
        }
        if not spoilers or not any(_is_of_pack(each) for each in verdicts):
            return []
        others = self.verdicts([each for each in pack if each.case.id not in spoilers])
        return _in_order(pack, [*others, *(v for v in verdicts if v.case.id in spoilers)])

    def _noted(self, pack: Sequence[PreparedCase], verdicts: list[Verdict]) -> list[Verdict]:
        """The verdicts on a pack that was refused or ended the child; it is noted if its cases conform."""
        cases = [prepared.case for prepared in pack]
        is_noted = any({*each} <= {*cases} for each in self.together)
        if not is_noted and all(verdict.conforms for verdict in verdicts):
            self.together.append(cases)
        return verdicts

    def _determined(
        self, prepared: PreparedCase, own: Reply, second: Reply, verdict: Verdict
    ) -> Verdict:
        """The verdict on the first answer, where both are right: elements that the page leaves open may differ.

        They hold what other layers left in memory. Alone two answers are a FLAKE all the same.
        """
        first, again = (self._single.judge(prepared, each) for each in (own, second))
        return first if first.conforms and again.conforms else verdict

    def _reply(self, question: Question, pack: Sequence[PreparedCase], is_fragile: bool) -> Reply:
        """The reply about a pack. A pack whose child was killed from outside is asked once again.

        Raises ChildDiedError, ChildHungError, NotOpenedError.
        """
        for is_last in (False, True):
            try:
                reply = self._session.ask(question, len(pack))
                if is_fragile and not reply.refused:
                    # These cases may damage the child's memory, which shows when it ends.
                    self._session.retire()
                break
            except ChildDiedError as error:
                if is_last or not error.is_killed:
                    raise
        return reply

    def _checked_alone(self, prepared: PreparedCase, verdict: Verdict) -> Verdict:
        """The verdict from a pack, or that on the case alone if the audit chose the case or it is wrong."""
        in_pack = f"in a pack of {verdict.pack}"
        conforms = verdict.conforms
        is_chosen = packs.chosen(prepared.case.id, self._single.audit, "audit")
        if not is_chosen and (conforms or self._known.matches_baseline(verdict)):
            return verdict
        alone = self._single.verdict(prepared)
        if alone.digest and alone.digest != verdict.digest:
            alone.digest = varying(alone.digest)
        if conforms and alone.outcome is not verdict.outcome:
            alone.detail = f"{verdict.outcome} {in_pack}; alone: {alone.detail}"
        elif not conforms and alone.conforms:
            alone.detail = f"{alone.outcome} alone; {in_pack}: {verdict.detail}"
            alone.outcome, alone.evidence = Outcome.FLAKE, None
            alone.facts = Facts(kind="only in a pack")
        return alone

    def _each_alone(self, pack: Sequence[PreparedCase]) -> list[Verdict]:
        verdicts = []
        for prepared in pack:
            verdicts.append(self._single.verdict(prepared))
            if verdicts[-1].outcome in ENDS:
                self._failed.add(prepared.case)
        return verdicts

    def _halves(self, pack: Sequence[PreparedCase], refused_before: bool = False) -> list[Verdict]:
        middle = len(pack) // 2
        return [
            *self.verdicts(pack[:middle], refused_before),
            *self.verdicts(pack[middle:], refused_before),
        ]

    def _without_named(
        self, pack: Sequence[PreparedCase], error: str, refused_before: bool
    ) -> list[Verdict]:
        """A refused pack: the cases that the message names, and similar ones, are asked alone, the others in a pack.

        A pack that is refused a second time probably has more such cases: its others are asked in halves.
        """
        numbers = cases_named(error)
        named = [each for number, each in enumerate(pack) if number in numbers]
        others = [each for number, each in enumerate(pack) if number not in numbers]
        for prepared in named:
            self._failed.add(prepared.case)
        if not named or not others:
            return self._halves(pack)
        ask_others = self._halves if refused_before else self.verdicts
        return _in_order(pack, [*self._each_alone(named), *ask_others(others, True)])


def _is_of_pack(verdict: Verdict) -> bool:
    """Whether a case is wrong in a pack, and right alone."""
    return verdict.outcome is Outcome.FLAKE and verdict.evidence is None


def _depends_on_others(prepared: PreparedCase) -> bool:
    """Whether other layers of its model can decide how a case ends.

    An output that stays unwritten holds what they left in its memory, and an empty tensor has a place in theirs. One
    layer that the optimizer quantizes keeps the constants of all such layers from being folded.
    """
    case = prepared.case
    is_kept = case.gives_constants and case.operation.category == packs.APART
    return prepared.is_partly_empty or is_kept


def _evidence_of_pack(pack: Sequence[PreparedCase], question: Question, reply: Reply) -> Evidence:
    counts = [len(prepared.case.result_types) for prepared in pack]
    expected = []
    for one in zip(*(prepared.expected for prepared in pack), strict=True):
        # The results of all cases stand before the variables that are queried.
        pairs = list(zip(one, counts, strict=True))
        results = (outputs[:count] for outputs, count in pairs)
        queried = (outputs[count:] for outputs, count in pairs)
        expected.append(list(chain(*results, *queried)))
    return Evidence(question, lambda: expected, reply, [prepared.case for prepared in pack])


def _in_order(pack: Sequence[PreparedCase], verdicts: Sequence[Verdict]) -> list[Verdict]:
    by_id = {verdict.case.id: verdict for verdict in verdicts}
    return [by_id[prepared.case.id] for prepared in pack]
