"""Causes: why cases depart, written by hand. A cause names departures; it excuses none.

One is ``reports/causes/<area>/<id>.toml``: see `area_of`. In a folder of one's own areas may be left out.

::

    title = "Split - unknown dimensions - the compiler dies"   # at most 80 characters
    class = "defect"                  # see CLASSES
    component = "plugin node"         # see COMPONENTS
    page = "'The result of this operation is ...'"
    smallest = "Split-1/plain/..."    # the smallest case that shows it
    place = { CPU = "pass ov::pass::RMSFusion" }   # where in OpenVINO, as `python -m devices place` measured it
    since = "2024.0"                  # the oldest release that was seen to show it
    last_good = "2023.3"              # the last release that was seen to do it right: it is a regression
    fixed = "2026.2"                  # the first release that no longer does
    devices = ["CPU", "CORE"]
    fix = "pooling-ceil-torch"        # causes that one change in one component mends share it, at one place
    theme = "empty-inputs"            # causes of one kind of mistake, at several places
    below = ["not-executed-for-an-empty-input"]    # the causes that name a departure which this one selects as well
    hint = "m_axis{1} in place of 0"   # a guess, of one line, at the change that mends it
    nondeterministic = "the memory that is read was never written"   # why it ends otherwise now and then
    spoils = "the layers behind it do not run"      # what it does to other layers of its model
    corrupts = ["CPU"]                # devices where it damages the heap, whatever a case shows
    only_on = "PoCL"                  # the only one of several OpenCL stacks that shows it
    undecided = true                  # of an open question: no reading of the page says yet that both answers are right
    link = "https://..."
    notes = "What was worked by hand, and whatever a reader should know."

    [[select]]                        # generous: every condition must hold, by one of its wildcards
    operation = ["Split-1"]
    outcome = ["CRASH", "FAIL"]
    message = ["*Failed to infer result type*"]
    how = { shape = ["dims"] }

``since``, ``last_good`` and ``fixed`` may be tables by device: ``since = { CPU = "2024.0", GPU = "2026.4" }``.
Where several causes select a departure, the first one in the alphabet names it that is ``below`` none of the others.
Conditions are named in `reports.gate.selectors`. What departs at reading is core's: causes of CORE name it on every
device.

That a cause damages the heap is seen in the C library's words when the process dies ('free(): invalid pointer'), or its
own check shows it, in a case's folder, and the notes say so: ``LD_PRELOAD=libc_malloc_debug.so.0
GLIBC_TUNABLES=glibc.malloc.check=3 python reproduce.py --in-process``.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import cache_from_source
from itertools import chain
from pathlib import Path
from typing import Any

from ir_models.asking.id_parts import FACTORS
from reports.gate import selectors, statements
from reports.gate.baseline import Run
from reports.gate.baseline_files import families_of
from reports.gate.precision import Share, is_narrow
from reports.gate.selectors import (
    CORE,
    FIRST,
    KINDS,
    NAMES,
    OUTCOMES,
    STAGES,
    STATEMENTS,
    TABLES,
    Features,
    Selector,
    Values,
    features_of,
    features_of_run,
)
from reports.results.records import CaseRecord
from reports.results.shared import toml
from reports.results.shared.matching import matches_any, numbers_of

DIRECTORY = Path(__file__).parents[1] / "causes"
_KEPT = DIRECTORY
"""The folder whose causes are kept parsed: no other one gets files that its owner did not write."""

CLASSES = {
    "defect": ("known defect", "known defects"),
    "limit": ("limit of support", "limits of support"),
    "page": ("error in the specification", "errors in the specification"),
    "open": ("gap in the specification", "gaps in the specification"),
    "stack": ("defect below the plugin", "defects below the plugin"),
}
"""The classes of causes, with what a summary calls one and several of them."""

MEANINGS = {
    "defect": "the device contradicts the words of the specification's page",
    "limit": "refused, or computed in a narrower type, where OpenVINO's documents claim no support",
    "page": "the specification's page is wrong: a check or formula of OpenVINO says otherwise, and its parts agree",
    "open": "the specification's page is silent or contradicts itself",
    "stack": "the fault is in the driver or in OpenCL, below the plugin",
}
"""What each class says of a departure."""


def classes_help(about: str) -> str:
    """Return the help of an option that takes a class."""
    return _explained(about, MEANINGS)


COMPONENTS = {
    "reader": "the frontend that reads the IR",
    "core": "OpenVINO's core: operations, shape inference, reference implementation",
    "constant folding": "evaluation of layers whose inputs are constants",
    "transformation": "passes that all plugins share",
    "plugin transformation": "passes of the plugin",
    "plugin node": "the plugin's code that executes a layer",
    "oneDNN": "the library of the CPU's and the GPU's kernels",
    "Arm Compute Library": "the library of Arm kernels",
    "NPU compiler": "the compiler of the NPU plugin",
    "stack": "the driver or OpenCL",
    "Python": "OpenVINO's Python API",
}
"""The parts of OpenVINO that a cause can be in, with what each one is."""


def components_help(about: str) -> str:
    """Return the help of an option that takes a component."""
    return _explained(about, COMPONENTS)


def _explained(about: str, names: Mapping[str, str]) -> str:
    return f"{about}: {'; '.join(f'{name} ({means})' for name, means in names.items())}"


COMPUTING = ("plugin node", "oneDNN", "Arm Compute Library")
"""The components that compute: those before them change the model."""

PLACES = {
    "line": "the line of code that refuses",
    "frame": "the innermost function that the binaries name where the process dies",
    "pass": "the pass after which the model's answer is the wrong one",
    "node": "the executed node and its kernel; no pass was seen to change the answer",
    "function": "the function of the operation that computes it, or that accepts what is invalid",
}
"""The kinds of places, the first word of each, with what it means."""

OLDEST_TRIED = {
    "CORE": ("2024.0",),
    "CPU": ("2024.0",),
    "GPU": ("2025.4", "2026.4"),
    "NPU": ("2024.0",),
}
"""The oldest release that causes were looked for on, by device; of the GPU not all were on the older one."""

_TEXTS = (
    "title", "class", "component", "page", "smallest", "fix", "theme", "nondeterministic", "spoils", "link",
    "notes", "hint", "only_on",
)  # fmt: skip
_BY_DEVICE = ("since", "last_good", "fixed")
_KEYS = (
    *_TEXTS, *_BY_DEVICE, "place", "devices", "corrupts", "below", "undecided", "select",
)  # fmt: skip


TO_DESCRIBE = "to be described"
"""Ends the title of a cause that was drafted."""


class CauseError(ValueError):
    """A cause's file cannot be used. The message names it."""


@dataclass(frozen=True)
class Cause:
    """One cause: see the module's docstring."""

    id: str
    title: str
    cause_class: str
    component: str = ""
    page: str = ""
    smallest: str = ""
    since: Mapping[str, str] | str = ""
    last_good: Mapping[str, str] | str = ""
    fixed: Mapping[str, str] | str = ""
    devices: tuple[str, ...] = ()
    fix: str = ""
    nondeterministic: str = ""
    spoils: str = ""
    """What it does to other layers of a model: a pack is asked again without the cases that a baseline names it for."""
    link: str = ""
    notes: str = ""
    selectors: tuple[Selector, ...] = ()
    path: Path = Path()
    below: tuple[str, ...] = ()
    """Causes that name a departure which this one selects as well."""
    theme: str = ""
    """A kind of mistake that causes share at several places: no one change mends them."""
    place: Mapping[str, str] = field(default_factory=dict)
    """Where in OpenVINO it is, by device: a line, a frame, a pass, a node, a function (`PLACES`)."""
    undecided: bool = False
    """Whether an open question rests on no reading of its page."""
    hint: str = ""
    """A guess at the change that mends it, where that is of one line. Nobody tried it."""
    corrupts: tuple[str, ...] = ()
    """Devices where it damages the heap, whatever a case shows."""
    only_on: str = ""
    """The only OpenCL stack that shows it, where several were tried."""

    @property
    def lacks(self) -> list[str]:
        """What is missing in words that a maintainer needs before anything is taken to the cause."""
        title = "" if self.title.endswith(TO_DESCRIBE) else self.title
        given = {"title": title, "component": self.component, "smallest": self.smallest}
        if self.cause_class in ("defect", "page"):
            given["page"] = self.page
        return [name for name, text in given.items() if not text]

    def since_on(self, device: str) -> str:
        """Return the oldest release that was seen to show it on a device; "" if unknown."""
        told = _on(self.since, device)
        return _oldest_tried(device)[-1] if self._is_of_another(told, device) else told

    def place_on(self, device: str) -> str:
        """Return where in OpenVINO it is on a device; "" if that was not measured."""
        return _on(self.place, device)

    def told_since_on(self, device: str) -> str:
        """Return since when a device shows it, as it is shown: without a good release it may be older than is known."""
        since = self.since_on(device)
        if not since or self.last_good_on(device):
            return since
        return (
            f"{since}, not tried before" if self.is_oldest_tried(device) else f"{since} or before"
        )

    def is_oldest_tried(self, device: str) -> bool:
        """Tell whether no release before the one that was seen to show it on a device was tried."""
        return self.since_on(device) in _oldest_tried(device)

    def last_good_on(self, device: str) -> str:
        """Return the last release that was seen to do it right on a device; "" if none was."""
        told = _on(self.last_good, device)
        return "" if self._is_of_another(told, device) else told

    @staticmethod
    def _is_of_another(release: str, device: str) -> bool:
        """Tell whether a release is older than all that were tried on a device: another device showed it."""
        oldest = [numbers_of(each) for each in _oldest_tried(device)]
        return bool(release and oldest) and numbers_of(release) < min(oldest)

    def fixed_on(self, device: str) -> str:
        """Return the first release that no longer shows it on a device; "" if there is none."""
        return _on(self.fixed, device)

    def corrupts_on(self, device: str) -> bool:
        """Tell whether it damages the heap on a device."""
        return not set(self.corrupts).isdisjoint(families_of(device))

    def may_show(self, run: Run, *, is_at_reading: bool = False) -> bool:
        """Tell whether a device of this release may show it; what reading does is core's on every device."""
        devices = [run.device, CORE] if is_at_reading else [run.device]
        shown_by = next(
            (d for d in devices if not set(self.devices).isdisjoint(families_of(d))), None
        )
        if shown_by is None:
            return False
        release = numbers_of(run.release)
        if not release:
            return True  # of a build whose version tells nothing
        since, fixed = numbers_of(_on(self.since, shown_by)), numbers_of(self.fixed_on(shown_by))
        return (not since or release >= since[:2]) and (not fixed or release < fixed[:2])


def area_of(cause: Cause) -> str:
    """Return the folder of a cause: ``fixed``, ``arm``, a device such as ``cpu``, or ``several`` devices."""
    if all(cause.fixed_on(device) for device in cause.devices):
        return "fixed"
    if cause.id.startswith("arm-"):
        return "arm"
    families = {re.split(r"[._]", device)[0] for device in cause.devices}
    return families.pop().lower() if len(families) == 1 else "several"


_OF_MANY = frozenset(
    (
        "constant", "convert", "dnnlextensionutils", "eltwise", "graph", "graphrewrite", "input", "math", "node",
        "output", "partialshape", "plugin", "reference", "reorder", "shapeutil", "subgraph", "tensor", "utils",
        "validationutil", "commonfusions", "constantfolding",
    )
)  # fmt: skip


def unit_of(place: str) -> str:
    """Return what a place is part of, in one word: a file, a class, a pass or a type of node, however it is written.

    The file ``nodes/embedding_bag_offsets.cpp``, the class ``node::EmbeddingBagOffsets`` and the node of that name are
    one unit; what serves many operations is none, "".
    """
    kind, _, name = place.partition(" ")
    if kind == "line":
        name = Path(name.partition(":")[0]).stem
    elif kind == "node":
        name = name.partition(" (")[0]
    elif kind in ("frame", "function") and "::" in name:
        parts = name.partition(" (")[0].split("::")
        name = next((part for part in reversed(parts) if part[:1].isupper()), parts[-1])
    else:
        name = name.rpartition("::")[2]
    unit = re.sub(r"[^a-z0-9]", "", name.lower())
    return "" if unit in _OF_MANY or unit.startswith("libopenvino") else unit


def _oldest_tried(device: str) -> tuple[str, ...]:
    return OLDEST_TRIED.get(re.split(r"[._:]", device)[0], ())


def _on(value: Mapping[str, str] | str, device: str) -> str:
    if isinstance(value, str):
        return value
    return next((value[name] for name in families_of(device) if name in value), "")


@dataclass(frozen=True)
class RunScope:
    """What a run asked all cases of, and the causes that it found."""

    operations: frozenset[str]
    causes: frozenset[str]
    is_everything: bool = False
    """Whether these are all operations."""


_Index = dict[tuple[Values, ...], list[tuple[Cause, Selector]]]
"""Selectors that may select a case, by the values of some of its fields."""


def _of_these(
    index: _Index, features: Features, fields: Sequence[str]
) -> list[tuple[Cause, Selector]]:
    """Return the selectors whose conditions on some fields hold. Cases are many, their values of these fields few."""
    whole = tuple(features[name] for name in fields)
    if whole not in index:
        for number, name in enumerate(fields):
            wider, key = index[whole[:number]], whole[: number + 1]
            if key not in index:
                part = {name: features[name]}
                index[key] = [
                    one
                    for one in wider
                    if name not in one[1].conditions or one[1].admits_part(part)
                ]
    return index[whole]


class Causes:
    """All causes by id, and which of them names a departure."""

    def __init__(self, causes: Iterable[Cause] = ()) -> None:
        self.by_id = {each.id: each for each in causes}
        self._selectors = [
            (cause, selector) for cause in self.by_id.values() for selector in cause.selectors
        ]
        self._by_departure: dict[tuple[Run, bool], _Index] = {}

    def get(self, name: str) -> Cause | None:
        """Return a cause by its id."""
        return self.by_id.get(name)

    @cached_property
    def nondeterministic(self) -> frozenset[str]:
        """The ids of causes whose cases end otherwise now and then."""
        return frozenset(each.id for each in self.by_id.values() if each.nondeterministic)

    def naming(self, record: CaseRecord, run: Run) -> list[Cause]:
        """Return the causes that select a departure: the first one names it."""
        return _in_order({cause.id: cause for cause, _ in self._selecting(record, run)})

    def naming_narrowly(
        self, record: CaseRecord, run: Run, shares: Mapping[str, Share]
    ) -> Cause | None:
        """Return the first cause that selects a departure by a selector that is narrow, None if there is none.

        ``shares`` are what `measure` found in a run like this one. A selector that has none
        there, because it is new or its conditions changed, is not narrow. One that demands ``computed_as``,
        ``right_with`` or ``clues`` needs none: that the answer is what the reference gives for narrowed inputs or
        another parameter, element by element, or is wrong only where the cause says, is evidence in the case itself,
        which a wrong answer for any other reason does not have.
        """
        found = {
            cause.id: cause
            for cause, selector in self._selecting(record, run)
            if selector.shows_itself
            or ((share := shares.get(name_of(cause, selector))) is not None and is_narrow(share))
        }
        return next(iter(_in_order(found)), None)

    def _selecting(self, record: CaseRecord, run: Run) -> Iterator[tuple[Cause, Selector]]:
        """Yield every selector that selects a departure, with its cause."""
        features, is_at_reading = features_of(record, run), record.facts.is_at_reading
        key = run, is_at_reading
        if key not in self._by_departure:
            self._by_departure[key] = {
                (): [
                    (cause, selector)
                    for cause, selector in self._selectors
                    if cause.may_show(run, is_at_reading=is_at_reading)
                ]
            }
        for cause, selector in _of_these(self._by_departure[key], features, FIRST):
            if selector.selects_by_others(features):
                yield cause, selector

    def measure(self, records: Iterable[CaseRecord], run: Run) -> dict[str, Share]:
        """Return the share of each selector that admits a case of a run, by `name_of` it.

        Selectors whose conditions on the run do not hold are left out, and so are those of causes that it cannot show,
        and those that need clues, which answers have not that a baseline knows.
        """
        features = features_of_run(run, is_at_reading=True)
        by_case: _Index = {
            (): [
                (cause, selector)
                for cause, selector in self._selectors
                if (cause.may_show(run) or cause.may_show(run, is_at_reading=True))
                and not selector.needs_clues
                and selector.admits_part(features)
            ]
        }
        admitted: Counter[str] = Counter()
        departing: Counter[str] = Counter()
        for record in records:
            if record.outcome.says_nothing:
                continue
            features = features_of(record, run)
            for cause, selector in _of_these(by_case, features, ("operation", "purpose")):
                if not selector.admits_case(features):
                    continue
                name = name_of(cause, selector)
                admitted[name] += 1
                departing[name] += (
                    not record.conforms
                    and selector.selects(features)
                    and cause.may_show(run, is_at_reading=record.facts.is_at_reading)
                )
        return {name: Share(count, departing[name]) for name, count in admitted.items()}

    def idle(self, folders: Iterable[Path], runs: Iterable[Run], asked: RunScope) -> list[Cause]:
        """Return the causes of these folders that name no departure, although every case of theirs was asked."""
        places, runs = {*folders}, [*runs]
        return [
            cause
            for cause in self.by_id.values()
            if not places.isdisjoint(cause.path.parents[:2])
            and cause.selectors
            and cause.id not in asked.causes
            and any(map(cause.may_show, runs))
            and all(
                asked.is_everything
                if selector.operations is None
                else asked.operations.issuperset(selector.operations)
                for selector in cause.selectors
            )
        ]

    def name(self, record: CaseRecord, run: Run) -> Cause | None:
        """Return the cause that names a departure, None if none does."""
        return next(iter(self.naming(record, run)), None)


def name_of(cause: Cause, selector: Selector) -> str:
    """Return what shares call a selector of a cause."""
    return f"{cause.id} {selector.key}"


def _in_order(fitting: Mapping[str, Cause]) -> list[Cause]:
    """Return causes in the order in which they name a departure that all of them select."""
    left = dict(sorted(fitting.items()))
    order = []
    while left:
        first = next(one for one in left.values() if left.keys().isdisjoint(one.below))
        order.append(left.pop(first.id))
    return order


def load(*directories: Path) -> Causes:
    """Read all causes of some folders, the suite's own first. Raises CauseError."""
    found = {each.id: each for each in _shipped()}
    for directory in directories:
        if directory == DIRECTORY:
            continue
        if not directory.is_dir():
            raise CauseError(f"{directory}: there is no such folder of causes; make it first")
        try:
            os.listdir(directory)
        except OSError as error:
            raise CauseError(f"{directory}: cannot be read: {error.strerror}") from None
        for path in files_of(directory):
            if path.stem in found:
                raise CauseError(
                    f"{path}: there is a cause of this name in {found[path.stem].path.parent}"
                )
            found[path.stem] = read(path)
    _check_order(found)
    return Causes(found.values())


def files_of(directory: Path) -> list[Path]:
    """Return the files of a folder's causes, by id. Raises CauseError where two have the same id."""
    found: dict[str, Path] = {}
    for path in (*directory.glob("*.toml"), *directory.glob("*/*.toml")):
        if path.stem in found:
            raise CauseError(f"{path}: there is a cause of this name in {found[path.stem].parent}")
        found[path.stem] = path
    return [found[name] for name in sorted(found)]


def _check_order(causes: Mapping[str, Cause]) -> None:
    """Raise CauseError where a cause is below one that does not exist, or below itself by way of others."""
    done: set[str] = set()
    for one in causes.values():
        for name in one.below:
            if name not in causes:
                raise CauseError(f"{one.path}: below: there is no cause {name!r}")
    for start in causes:
        way, choices = [start], [iter(causes[start].below)]
        while way:
            name = next(choices[-1], "")
            if not name:
                done.add(way.pop())
                choices.pop()
            elif name in way:
                circle = " below ".join([*way[way.index(name) :], name])
                raise CauseError(f"{causes[name].path}: below: {circle}")
            elif name not in done:
                way.append(name)
                choices.append(iter(causes[name].below))


def _shipped() -> list[Cause]:
    """Read the suite's own causes, or take them as they were read before: parsing them is a fifth of a small run.

    They are kept beside them as Python keeps bytecode, and valid while every source has the same bytes: times and sizes
    tell nothing of a file that was put back.
    """
    paths = files_of(DIRECTORY)
    if DIRECTORY != _KEPT:
        return [read(path) for path in paths]
    kept = Path(cache_from_source(str(DIRECTORY / "causes.py"))).with_suffix(".pickle")
    state = None
    with suppress(Exception):  # whatever is wrong with what is kept, the files are read
        state = _digest((Path(__file__), Path(selectors.__file__), *paths))
        before, found = pickle.loads(kept.read_bytes())
        if before == state:
            return list(found)
    found = [read(path) for path in paths]
    if state and not sys.dont_write_bytecode:
        own = kept.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            own.write_bytes(pickle.dumps((state, found)))
            own.replace(kept)
    return found


def _digest(paths: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        text = path.read_bytes()
        found.update(f"{path}:{len(text)}:".encode() + text)
    return found.hexdigest()


def read(path: Path) -> Cause:
    """Read one cause. Raises CauseError."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise CauseError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise CauseError(f"{path}: {error}") from None
    return parse(path, text)


def parse(path: Path, text: str) -> Cause:
    """Return the cause that a file with this text is. Raises CauseError."""
    try:
        return _cause(path, toml.loads(text))
    except ValueError as error:
        raise CauseError(f"{path}: {error}") from None


def _cause(path: Path, content: Mapping[str, Any]) -> Cause:
    for key in content:
        if key not in _KEYS:
            raise ValueError(f"unknown key {key!r}; there are {', '.join(_KEYS)}")
    for key in _TEXTS:
        if not isinstance(content.get(key, ""), str):
            raise ValueError(f"{key} must be a text")
    if content.get("undecided", False) not in (False, content.get("class") == "open"):
        raise ValueError('undecided must be true or false, and true for class = "open" alone')
    for key in ("title", "class"):
        if not content.get(key):
            raise ValueError(f"{key} is missing")
    if content["class"] not in CLASSES:
        raise ValueError(f"class must be one of {', '.join(CLASSES)}, got {content['class']!r}")
    if content.get("component", "") not in ("", *COMPONENTS):
        known = ", ".join(COMPONENTS)
        raise ValueError(f"component must be one of {known}, got {content['component']!r}")
    devices = content.get("devices", ())
    if not isinstance(devices, list) or not devices or not all(map(_is_device, devices)):
        raise ValueError("devices must be a list of names such as CPU")
    corrupts = content.get("corrupts", [])
    if not isinstance(corrupts, list) or not {*map(str, corrupts)} <= {*devices}:
        raise ValueError("corrupts must be a list of names that stand in devices")
    below = content.get("below", [])
    if not isinstance(below, list) or not all(isinstance(name, str) for name in below):
        raise ValueError("below must be a list of ids of causes")
    selectors = content.get("select", [])
    if not isinstance(selectors, list):
        raise ValueError("select must be tables, [[select]]")
    return Cause(
        id=path.stem,
        title=content["title"],
        cause_class=content["class"],
        component=content.get("component", ""),
        page=content.get("page", ""),
        smallest=content.get("smallest", ""),
        since=_versions(content, "since"),
        last_good=_versions(content, "last_good"),
        fixed=_versions(content, "fixed"),
        devices=tuple(devices),
        fix=content.get("fix", ""),
        nondeterministic=content.get("nondeterministic", ""),
        spoils=content.get("spoils", ""),
        link=content.get("link", ""),
        notes=content.get("notes", ""),
        selectors=tuple(_selector(number, one) for number, one in enumerate(selectors, 1)),
        path=path,
        below=tuple(below),
        theme=content.get("theme", ""),
        place=_place(content.get("place", {})),
        undecided=content.get("undecided", False),
        hint=content.get("hint", ""),
        corrupts=tuple(corrupts),
        only_on=content.get("only_on", ""),
    )


def _is_device(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[A-Z][\w.]*", name) is not None


def _place(value: Any) -> dict[str, str]:
    texts = value.values() if isinstance(value, dict) else [""]
    if not all(isinstance(text, str) and text.partition(" ")[0] in PLACES for text in texts):
        raise ValueError(
            f"place must be a table by device of texts that begin with {', '.join(PLACES)}"
        )
    return dict(value)


def _versions(content: Mapping[str, Any], key: str) -> Mapping[str, str] | str:
    value = content.get(key, "")
    texts = value.values() if isinstance(value, dict) else [value]
    if not all(isinstance(text, str) and (not text or numbers_of(text)) for text in texts):
        raise ValueError(f'{key} must be a release such as "2026.4", or a table of them by device')
    return value  # type: ignore[no-any-return]


def _selector(number: int, content: Any) -> Selector:
    where = f"select {number}"
    if not isinstance(content, dict) or not content:
        raise ValueError(f"{where} must be a table with a condition")
    conditions: dict[str, tuple[str, ...]] = {}
    for name, value in content.items():
        if name in TABLES:
            if not isinstance(value, dict):
                raise ValueError(f"{where}: {name} must be a table")
            for key, admitted in value.items():
                conditions[f"{name}.{key}"] = _patterns(f"{where}: {name}.{key}", admitted)
        elif name in NAMES:
            conditions[name] = _patterns(f"{where}: {name}", value)
        else:
            raise ValueError(
                f"{where}: unknown field {name!r}; there are {', '.join((*NAMES, *TABLES))}"
            )
    for name, known in (("outcome", OUTCOMES), ("stage", STAGES), ("kind", KINDS)):
        for wildcard in conditions.get(name, ()):
            if not any(matches_any([wildcard.removeprefix("!")], value) for value in known):
                raise ValueError(f"{where}: {name} {wildcard!r} is none of {', '.join(known)}")
    for statement in chain.from_iterable(conditions.get(name, ()) for name in STATEMENTS):
        statements.parsed(statement)
    for statement in conditions.get("clues", ()):
        if "!=" in statement:
            raise ValueError(
                f"{where}: clues {statement!r}: clues are the least and the most of numbers, and != says nothing of "
                "those between"
            )
    for name in conditions:
        table, dot, factor = name.partition(".")
        if dot and table == "how" and factor not in FACTORS:
            raise ValueError(f"{where}: how.{factor}: the factors are {', '.join(FACTORS)}")
        if dot and table == "how" and "*" in conditions[name]:
            raise ValueError(
                f"{where}: {name}: '*' holds without the factor, too; '?*' asks for any level of it"
            )
    return Selector(conditions)


def _patterns(where: str, value: Any) -> tuple[str, ...]:
    wildcards = [value] if isinstance(value, str) else value
    if (
        not isinstance(wildcards, list)
        or not wildcards
        or not all(isinstance(p, str) for p in wildcards)
    ):
        raise ValueError(f"{where} must be a text or a list of texts")
    return tuple(wildcards)
