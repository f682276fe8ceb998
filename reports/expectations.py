"""The known departures of a device, by root cause: ``reports/expectations/<device>.toml``.

An entry is one root cause, and says which cases it explains::

    [[expect]]
    id = "f64-computed-in-f32"
    title = "f64 is computed in f32"
    class = "defect"                     # defect, limit, open or stack
    page = "T: any floating-point type"  # what the page says of it
    since = "2024.0"                     # the first release that shows it, of those that were tried
    smallest = "Add-1/type/f64[2,3]..."  # the smallest case that shows it
    link = "https://..."                 # where to read on
    covers = [
      { type = "f64", how = { values = ["special", "large"] }, outcome = "FAIL" },
      { operation = "Slice-8", parameter = { axes = "-" }, outcome = "REFUSED", detail = "at compile: *" },
      { case = "SpaceToDepth-1/*/i4*", outcome = "CRASH", when = { openvino = ">=2025.1,<2026.5" } },
    ]

Classes: `defect`: the page says so, the device does otherwise. `limit`: refused, where the page says "any supported
type" or promises nothing. `open`: the page is silent or contradicts itself. `stack`: not the plugin's, but that of the
driver or of OpenCL below it.

In a cover every condition must hold, by one of its patterns (* and ? are wildcards); `reports.traits` lists them.
`where` is an expression on the layer, for what patterns cannot tell: see ``reports.conditions``. `error` is the largest
relative error that wrong elements may have, for failures that depend on the data drawn: what is further off departs.
`computed_as` names what wrong answers must be right for, and so tells one root cause from others whatever the case:
"f64 as f32" and "i64 as i32" of inputs that are converted first, "integers as f32" of those and of outputs. Such a
cover covers no case that passes, and foretells nothing of the cases that it selects. `depth` is that of the runs which
have the cases, where these are crossings alone: `pairs` or `all`. `outcome` is required. `detail` is
a pattern, or several, for the detail line. In `when` every key must hold; `openvino` is a range or a list of ranges
(``>= <= > < == !=``, joined by commas; ``==2026.4.*`` is every 2026.4), the others are patterns, or ``!`` and what must
not match. `capabilities` are the names that the device gives itself, sorted and joined by spaces: on a processor that
computes in f16 ``capabilities = "*FP16*"`` holds, elsewhere ``"!*FP16*"``.

An entry is exact: it covers no case that passes, so that no other defect hides behind it. Where the outcome changes
from run to run, or with what else is in a model, `unstable` of the entry or of a cover says why; where it changes with
the data drawn, `varies` of a cover does. Then a pass is as good as the departure.

``reading = "CORE"`` above the entries takes over those covers of another device's file whose details are about reading
a model alone, as that is done before there is a device. They come after the file's own.

The first cover that admits a result decides. If none does, the first cover that selects the case and expects another
outcome decides: this is how an improvement is detected. Expected cases are executed all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reports.outcomes import Gate, Outcome, improves
from reports.records import CaseRecord, Header
from reports.selectors import Selector, matches, version_in
from reports.traits import Traits, traits_of

FACTS = (
    "openvino",
    "processor",
    "architecture",
    "driver",
    "full_name",
    "isa",
    "capabilities",
)
"""What `when` can test of a run, besides its profile."""

DEPTHS = ("single", "pairs", "all")
"""How much of what x how a run asks, from the least to all."""

CLASSES = {
    "defect": ("known defect", "known defects"),
    "limit": ("limit", "limits"),
    "open": ("open question", "open questions"),
    "stack": ("defect of the stack below", "defects of the stack below"),
}
"""The classes of root causes, with what a summary calls one and several of them."""


@dataclass(frozen=True)
class Cover:
    """One line of `covers`: cases, how they end, and when."""

    selector: Selector
    outcomes: tuple[Outcome, ...]
    details: tuple[str, ...] = ()
    varies: str = ""
    unstable: str = ""
    error: float | None = None
    """The largest relative error of the elements that are wrong; None for any."""
    computed_as: tuple[str, ...] = ()
    """What a wrong answer must be right for, such as ``f64 as f32``; empty for any."""
    depth: str = "single"
    """The least depth of a run that has cases which it selects."""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def applies(self, facts: Mapping[str, str]) -> bool:
        """Tell whether `when` holds for the facts of a run (see `facts`)."""
        for name, admitted in self.when.items():
            value = facts.get(name, "")
            if name == "openvino":
                holds = any(version_in(value, versions) for versions in admitted)
            else:
                holds = any(_holds(pattern, value) for pattern in admitted)
            if not holds:
                return False
        return True

    @property
    def tells_outcome(self) -> bool:
        """Tell whether the cases that it selects are expected to end so, not only some of them by their answer."""
        return not self.computed_as

    def admits(self, record: CaseRecord) -> bool:
        """Tell whether a case that it selects is expected to end so."""
        if record.outcome not in self.outcomes:
            return False
        if self.error is not None and record.outcome == Outcome.FAIL:
            error = record.relative_error
            if error is None or error > self.error:
                return False
        if self.computed_as and record.computed_as not in self.computed_as:
            return False
        return not self.details or any(_tells(one, record.detail) for one in self.details)


def _holds(pattern: str, value: str) -> bool:
    """Tell whether a pattern of `when` holds for a fact of a run."""
    return not matches(pattern[1:], value) if pattern.startswith("!") else matches(pattern, value)


_OF_HETERO = "at compile: Hetero device used default fallback policy, but some layers "


def _tells(pattern: str, detail: str) -> bool:
    """Tell whether a pattern for details is about this one.

    HETERO asks the device below which layers it takes, and refuses a model that the device refuses in words of its own:
    of these only the stage can be told.
    """
    if detail.startswith(_OF_HETERO):
        return pattern.startswith(("at compile: ", "*"))
    return matches(pattern, detail)


@dataclass(frozen=True, eq=False)
class Entry:
    """One ``[[expect]]`` of a file: one root cause."""

    id: str
    title: str
    kind: str
    covers: tuple[Cover, ...]
    page: str = ""
    since: str = ""
    smallest: str = ""
    link: str = ""
    unstable: str = ""
    path: Path = Path()
    number: int = 0
    """Position in the file, from 1."""

    def __str__(self) -> str:
        return f"{self.path}: {self.id}"


@dataclass(frozen=True)
class Decision:
    """The entry that decides about a result, and the cover of it that selects the case."""

    entry: Entry
    cover: Cover

    @property
    def by_chance(self) -> str:
        """Why the same case may end otherwise in the next run, or ""."""
        return self.entry.unstable or self.cover.unstable

    @property
    def unstable(self) -> str:
        """Why the outcome may be another one, in another run or with other data; empty if it may not."""
        return self.by_chance or self.cover.varies


class Expectations:
    """The entries of a device, in order: the module's docstring says which one decides."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries = list(entries)
        self._covers = [Decision(entry, cover) for entry in self.entries for cover in entry.covers]
        self._unused = set(range(len(self._covers)))
        # Thousands of cases share few operations.
        self._by_operation: dict[str, list[int]] = {}
        self._by_outcomes: dict[tuple[str, frozenset[Outcome]], list[int]] = {}
        # And runs share their facts.
        self._applying: dict[tuple[object, ...], frozenset[int]] = {}

    def match(self, record: CaseRecord, facts: Mapping[str, str]) -> Decision | None:
        """Return what decides about a result, or None: see the module's docstring.

        `facts` is what the function of that name returns for the run.
        """
        admitting: Decision | None = None
        other: Decision | None = None
        traits: Traits | None = None
        applying = self._applying_to(record.operation, facts)
        for number in self._candidates(record.operation):
            one = self._covers[number]
            may_decide = admitting is None and number in applying
            if not may_decide and number not in self._unused:
                continue
            traits = traits or traits_of(record)
            if not one.cover.selector.selects(record.case, traits):
                continue
            self._unused.discard(number)
            if not may_decide:
                continue
            if one.cover.admits(record):
                admitting = one
            elif (
                other is None
                and one.cover.tells_outcome
                and record.outcome not in one.cover.outcomes
            ):
                other = one
        return admitting or other

    def selecting(self, record: CaseRecord, facts: Mapping[str, str]) -> list[Decision]:
        """Return every cover that selects the case of a result in such a run, however it ended."""
        traits = traits_of(record)
        return [
            one
            for one in map(
                self._covers.__getitem__, sorted(self._applying_to(record.operation, facts))
            )
            if one.cover.tells_outcome and one.cover.selector.selects(record.case, traits)
        ]

    def foretold(
        self, record: CaseRecord, facts: Mapping[str, str], asked: frozenset[Outcome]
    ) -> frozenset[Outcome]:
        """Return those of the asked outcomes that covers which select the case expect in such a run."""
        key = (record.operation, asked)
        if key not in self._by_outcomes:
            self._by_outcomes[key] = [
                number
                for number in self._candidates(record.operation)
                if not asked.isdisjoint(self._covers[number].cover.outcomes)
            ]
        found: set[Outcome] = set()
        traits: Traits | None = None
        applying = self._applying_to(record.operation, facts)
        for number in self._by_outcomes[key]:
            if number not in applying:
                continue
            cover = self._covers[number].cover
            traits = traits or traits_of(record)
            if cover.selector.selects(record.case, traits):
                found |= asked & set(cover.outcomes)
        return frozenset(found)

    def unused(self, depth: str = "single") -> list[Decision]:
        """Return the covers that select none of the cases so far, of a run of this depth.

        A cover counts as used when it selects a case, whether or not its `when` holds: one for another release is not a
        mistake, one that selects no case is. Covers of random layers alone are left out: these differ by seed.
        """
        unused = [self._covers[number] for number in sorted(self._unused)]
        return [
            one
            for one in unused
            if not one.cover.selector.is_of_random_layers
            and DEPTHS.index(one.cover.depth) <= DEPTHS.index(depth)
        ]

    def _applying_to(self, operation: str, facts: Mapping[str, str]) -> frozenset[int]:
        """Return the positions of the covers that may select cases of an operation, and whose `when` holds."""
        key = (operation, *facts.items())
        found = self._applying.get(key)
        if found is None:
            found = self._applying[key] = frozenset(
                number
                for number in self._candidates(operation)
                if self._covers[number].cover.applies(facts)
            )
        return found

    def _candidates(self, operation: str) -> list[int]:
        """Return the positions of the covers that may select cases of an operation."""
        found = self._by_operation.get(operation)
        if found is None:
            found = self._by_operation[operation] = [
                number
                for number, one in enumerate(self._covers)
                if (named := one.cover.selector.operations) is None or operation in named
            ]
        return found


def judge(
    outcome: Outcome,
    required: Outcome,
    decision: Decision | None,
    *,
    allow_absent: bool = False,
) -> Gate:
    """Return what the gate makes of an outcome.

    `required` is the outcome that the case requires, `decision` the expectation that decides, if any. An outcome better
    than all that the cover admits is an improvement, unless the entry says that it is unstable; ABSENT and ERROR never
    are.
    """
    if outcome == Outcome.ABSENT and allow_absent:
        return Gate.SKIPPED
    conforms = outcome in (required, Outcome.PASS)
    if decision is not None:
        admitted = decision.cover.outcomes
        if outcome in admitted:
            return Gate.PASS if conforms else Gate.EXPECTED
        if decision.unstable and (conforms or outcome == Outcome.QUALITY):
            return Gate.PASS if conforms else Gate.QUALITY
        # What may change from run to run cannot get better: it may as well have been right before.
        if not decision.unstable and all(improves(outcome, one, required) for one in admitted):
            return Gate.IMPROVED
    if conforms:
        return Gate.PASS
    if outcome == Outcome.COMPILED:
        return Gate.COMPILED
    return Gate.QUALITY if outcome == Outcome.QUALITY else Gate.DEPARTURE


def facts(header: Header, device: str, profile: str) -> dict[str, str]:
    """Return what `when` can test of a run: the profile and `FACTS`. Unknown ones are empty."""
    target = header.target(device, profile)
    return {
        "profile": profile,
        "openvino": header.openvino,
        "processor": header.processor,
        "architecture": header.platform,
        "driver": target.driver if target else "",
        "full_name": target.full_name if target else "",
        "isa": target.isa if target else "",
        "capabilities": " ".join(target.capabilities) if target else "",
    }
