"""Baselines in files: those that the suite ships, folders like them elsewhere, and results files.

A folder holds

- ``run.toml``: what run it was taken from, and the name of the baseline below it (``base``), a folder beside it;
- ``asked.tsv``: which cases the run asked, exactly (see ``reports.gate.asked``);
- ``<category>.txt``: its departures, by cause and ending. A diff shows which cases a cause gained or lost::

    gelu-of-f64: FAIL output=0 kind=value
        Abs-1/type/f64[2,3,5,4]/-/values=large	0.08333
        Abs-1/type/f64[2,3,5,4]/-/values=special	0.1833	2.1e+03		9f31c20a77
    reverse-reads-beyond: nondeterministic FAIL output=0 kind=value | CRASH stage=infer kind=signal signal=SIGSEGV
        ReverseSequence-1/...

- ``precision.tsv``: how many of the cases that each cause admits departed (see ``reports.gate.precision``).

A line at the margin says how the cases below it ended; each of those has its id and, where elements were compared, the
share of wrong ones, the largest error as a fraction of the bound, the first wrong element, and the digest of the
answer: ``~`` where it varies, from run to run or with what new memory holds, then that of the part which does not.
`NO_CAUSE` stands for no known cause.
Everything is sorted.

A baseline with a base holds what differs from it: cases that depart otherwise, and under ``PASS`` those that conform.
So a new release, other kernels and another profile take a few lines each.

The suite ships ``reports/baselines/<device>/<name>/``, where the name is a release, with a word behind it where a
device has several for one release.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path

import msgspec

from reports.gate import asked
from reports.gate.asked import AskedCases
from reports.gate.baseline import (
    DEPTHS,
    PASSES,
    Baseline,
    Ending,
    Line,
    Run,
    from_records,
    run_of,
    unnumbered,
)
from reports.results.facts_of_departures import Extent, Facts
from reports.results.files.coverage import gaps
from reports.results.files.reading import load as load_results
from reports.results.outcomes import Outcome
from reports.results.shared import toml
from reports.results.shared.files import check_is_regular, write_text
from reports.results.shared.matching import numbers_of

DIRECTORY = Path(__file__).parents[1] / "baselines"
RUN = "run.toml"
ASKED = "asked.tsv"
PRECISION = "precision.tsv"
NO_CAUSE = "no-cause"
_SUFFIX = ".txt"
SUFFIXES = (_SUFFIX, ".toml", ".tsv", ".md")
"""Of the files of a baseline's folder."""
_BETWEEN_VALUES = " | "  # which no value has: see `reports.results.facts_of_departures`
_BY_CHANCE = "nondeterministic"
_PASS = "PASS"
_BASE = "base"
_NO_CATEGORY = "other"
_FORMER = "corpus.tsv"

_QUOTES = re.compile(r"['\"\\]")

# Devices that run the kernels of another one.
_VIRTUAL = re.compile(r"(?:AUTO|MULTI|HETERO|BATCH):([A-Za-z]+)")


class BaselineError(ValueError):
    """A baseline cannot be used. The message names the file, and the line where there is one."""


# --- shipped ones -------------------------------------------------------------------------------------------------


def families_of(device: str) -> list[str]:
    """Return the folders in which a device's baselines may be: its own, then that of the device below it.

    ``GPU.1`` is a GPU; AUTO, MULTI, HETERO and BATCH run the kernels of the first device that they name. The size of a
    batch makes no other device: ``BATCH:CPU(4)`` is ``BATCH_CPU``.
    """
    virtual = _VIRTUAL.match(device)
    below = virtual[1] if virtual else unnumbered(device)
    own = re.sub(r"\(\d+\)$", "", device) if virtual else device
    return list(dict.fromkeys(re.sub(r"\W+", "_", name) for name in (own, below)))


def folders_of(device: str, directory: Path = DIRECTORY) -> list[Path]:
    """Return the folders of a device's baselines, sorted; of the first family that has any."""
    for family in families_of(device):
        found = sorted(path.parent for path in (directory / family).glob(f"*/{RUN}"))
        if found:
            return found
    return []


def nearest(run: Run, directory: Path = DIRECTORY, *, without: Path | None = None) -> Path | None:
    """Return the folder of the baseline that is nearest to a run, None if its device has none but ``without``.

    Nearest is that with the same profile and machine, with the same data, of the nearest release, then with the most
    similar kernels. A cap on the instruction set counts as the kernels that it leaves.
    """
    folders = [path for path in folders_of(run.device, directory) if path != without]
    found = [(path, read_run(path)) for path in folders]
    if not found:
        return None

    def distance(one: tuple[Path, Run]) -> tuple[object, ...]:
        other = one[1]
        return (
            other.architecture != run.architecture,
            not run.is_of_processor and other.full_name != run.full_name,
            other.uncapped_profile != run.uncapped_profile,
            other.seed != run.seed,
            _apart(other.release, run.release),
            len({*other.isa.split("+")} ^ {*run.isa.split("+")}),
            other.profile != run.profile,
            other.precision != run.precision,
            other.f16 != run.f16,
            one[0].name,
        )

    return min(found, key=distance)[0]


def beside(run: Run, folder: Path, directory: Path = DIRECTORY) -> list[Path]:
    """Return the folders that show the release without a profile, beside the chain of ``folder``, the nearest one.

    Those with the kernels of the run come first. Of cards and of other devices than processors there are none.
    """
    if not run.is_of_processor:
        return []
    known, release = chain(folder), read_run(folder).release
    found = [
        (path, read_run(path)) for path in folders_of(run.device, directory) if path not in known
    ]
    alike = [
        (other.isa != run.isa, path.name, path)
        for path, other in found
        if (other.release, other.architecture) == (release, run.architecture)
        and other.uncapped_profile == "accuracy"
    ]
    return [path for *_, path in sorted(alike)]


def _apart(one: str, other: str) -> int:
    """How far two releases are apart: four releases are a year."""
    years = [(*numbers_of(text), 0, 0)[:2] for text in (one, other)]
    (year, number), (other_year, other_number) = years
    return abs((year - other_year) * 10 + number - other_number)


def read_run(folder: Path) -> Run:
    """Read what run a baseline was taken from. Raises BaselineError."""
    return _read_run(folder)[0]


def _read_run(folder: Path) -> tuple[Run, str]:
    """Read the run of a baseline, and the name of the baseline below it, "" without one. Raises BaselineError."""
    path = folder / RUN
    try:
        content = toml.loads(path.read_text("utf-8"))
        base = content.pop(_BASE, "")
        run = msgspec.convert(content, Run)
        unknown = sorted(content.keys() - {each.name for each in fields(Run)})
        if unknown:
            raise ValueError(f"no such field: {', '.join(unknown)}")
        if not run.device or not run.openvino:
            raise ValueError("it names no device, or no release of OpenVINO")
        if run.depth not in DEPTHS or run.random < 0:
            raise ValueError(f"depth is one of {', '.join(DEPTHS)}, and random is 0 or more")
        if not isinstance(base, str) or not re.fullmatch(r"[\w.=+-]*", base):
            raise ValueError(f"{_BASE} must be the name of a folder")
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, msgspec.ValidationError) as error:
        raise BaselineError(f"{path}: {error}") from None
    return run, base


# --- reading ------------------------------------------------------------------------------------------------------


def read(path: Path, chance: frozenset[str] = frozenset()) -> dict[str, Baseline]:
    """Read a folder or a results file given by the user; by the name of each target, ``CPU (accuracy)``.

    ``chance`` are the ids of nondeterministic causes: values of their cases are not compared.
    Raises BaselineError, ResultsError.
    """
    if path.is_dir():
        found = read_folder(path)
        found.is_given = True
        return {name_of(found.run.device, found.run.profile): found}
    if not path.exists():
        makes = f"; `python -m reports accept RESULTS --baseline {path} --take all` makes a folder"
        raise BaselineError(
            f"{path}: there is no such file or folder{'' if path.suffix == '.jsonl' else makes}"
        )
    results = load_results(path)
    by_target = {}
    for device, profile in results.targets():
        records = [record for record in results.records if record.target == (device, profile)]
        run = run_of(results.header(device, profile), device, profile)
        found = from_records(records, run, str(path), is_given=True, chance=chance)
        found.lacks = "; ".join(gaps(results.runs, [(device, profile)]))
        by_target[name_of(device, profile)] = found
    if not by_target:
        raise BaselineError(f"{path}: no case in these results")
    return by_target


def name_of(device: str, profile: str) -> str:
    """Return how a target is called."""
    return f"{device} ({profile})"


def read_folder(
    folder: Path, before: Mapping[str, str | None] | None = None, *, above: tuple[Path, ...] = ()
) -> Baseline:
    """Read a baseline's folder, and those below it. Raises BaselineError with the file and line.

    ``before`` are the texts of files as they were earlier, by name; None for one that was not there.
    """
    run, below = _read_run(folder)
    if (folder / _FORMER).exists():
        raise BaselineError(
            f"{folder}: {_FORMER} is of an earlier version of the suite: accept the results into a new folder"
        )
    base = None
    if below:
        place = _below(folder, below, run.device)
        if place.resolve() in (*above, folder.resolve()):
            raise BaselineError(
                f"{folder / RUN}: {_BASE} {below!r} stands above this folder itself"
            )
        base = read_folder(place, above=(*above, folder.resolve()))
    texts = _texts_in(folder) | {folder / name: text for name, text in (before or {}).items()}
    lines, categories = _lines_in(texts)
    if base is not None:
        categories = {**base.categories, **categories}
    name = f"{folder.parent.name} {folder.name}"
    path = folder / ASKED
    below_asked = base.asked if base is not None and isinstance(base.asked, AskedCases) else None
    which = _asked(path, texts.get(path) or "", below_asked)
    for operation in sorted({case.partition("/")[0] for case in lines} - which.operations):
        raise BaselineError(f"{path}: {operation} has lines in the folder, and no case of it here")
    return Baseline(run, lines, which, name, base=base, folder=folder, categories=categories)


def read_asked(folder: Path) -> AskedCases:
    """Read which cases the run of a baseline asked, and nothing else of its folder. Raises BaselineError."""
    found: AskedCases | None = None
    for each in chain(folder):
        found = _asked(each / ASKED, _text_of(each / ASKED), found)
    assert found is not None
    return found


def _asked(path: Path, text: str, below: AskedCases | None) -> AskedCases:
    try:
        return asked.from_lines(_rows(path, text), below)
    except ValueError as error:
        if isinstance(error, BaselineError):
            raise
        raise BaselineError(f"{path}: {error}") from None


def own_lines(folder: Path) -> dict[str, Line]:
    """Read the lines of a baseline's own folder, not those below it. Raises BaselineError."""
    return _lines_in(_texts_in(folder))[0]


def _lines_in(texts: Mapping[Path, str | None]) -> tuple[dict[str, Line], dict[str, str]]:
    """Return the lines by case, and the categories of their operations. Raises BaselineError."""
    lines: dict[str, Line] = {}
    places: dict[str, Path] = {}
    categories: dict[str, str] = {}
    for path, text in sorted(texts.items()):
        if path.suffix != _SUFFIX or text is None:
            continue
        own: dict[str, Line] = {}
        for case, line in _read_lines(path, text):
            if case in own or case in lines:
                where = " twice" if case in own else f" as well as in {places[case]}"
                raise BaselineError(f"{path}: {case} stands in it{where}: leave one of the lines")
            own[case] = line
        lines |= own
        places |= dict.fromkeys(own, path)
        categories |= dict.fromkeys((case.partition("/")[0] for case in own), path.stem)
    return lines, categories


def _texts_in(folder: Path) -> dict[Path, str | None]:
    """Return the texts of a folder's files that say what was asked and what departed. Raises BaselineError."""
    return {path: _text_of(path) for path in (*folder.glob(f"*{_SUFFIX}"), folder / ASKED)}


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BaselineError(f"{path}: cannot be read: {error}") from None


def chain(folder: Path) -> list[Path]:
    """Return a baseline's folder and those below it, the lowest first. Raises BaselineError."""
    found = [folder]
    while True:
        run, below = _read_run(found[0])
        place = _below(found[0], below, run.device) if below else None
        if place is None or place in found:
            return found
        found.insert(0, place)


def _below(folder: Path, name: str, device: str) -> Path:
    """Return the folder of the baseline below another one: beside it, else one that the suite ships."""
    places = [folder.parent, *(DIRECTORY / family for family in families_of(device))]
    for place in places:
        if (place / name / RUN).exists():
            return place / name
    raise BaselineError(
        f"{folder / RUN}: {_BASE} {name!r}: there is no such baseline in {places[0]}"
    )


def _rows(path: Path, text: str) -> list[str]:
    """The lines of a text that ends with the end of one. Raises BaselineError."""
    if text and not text.endswith("\n"):
        raise BaselineError(f"{path}: the last line is cut off")
    return text.split("\n")[:-1]


def _read_lines(path: Path, text: str) -> Iterator[tuple[str, Line]]:
    heading: Line | None = None
    for number, row in enumerate(_rows(path, text), 1):
        try:
            if not row or row.startswith("#"):
                continue
            if not row.startswith("\t"):
                heading = _heading(row)
            elif heading is None:
                raise ValueError("a case before the line that says how it ended")
            else:
                case, extent, digest = _case(row[1:])
                endings, cause, _, by_chance, _ = heading
                yield case, Line(endings, cause, extent, by_chance, digest)
        except (ValueError, msgspec.ValidationError) as error:
            raise BaselineError(f"{path}: line {number}: {error}") from None


@lru_cache(maxsize=1 << 14)  # those of baselines that stand above one another are mostly the same
def _heading(row: str) -> Line:
    cause, colon, text = row.partition(": ")
    if row == _PASS:
        return PASSES
    if not colon:
        raise ValueError(f"expected a cause, a colon and how cases ended, or {_PASS}")
    cause = "" if cause == NO_CAUSE else cause
    # Of words without quotes it takes a small part of the time.
    words = shlex.split(text) if _QUOTES.search(text) else text.split()
    is_nondeterministic = words[:1] == [_BY_CHANCE]
    endings: list[Ending] = []
    group: list[str] = []
    for word in [*words[is_nondeterministic:], "|"]:
        if word != "|":
            group.append(word)
            continue
        if not group:
            raise ValueError("an outcome is missing")
        values: dict[str, object] = {}
        for pair in group[1:]:
            name, _, value = pair.partition("=")
            values[name] = int(value) if name in ("output", "inference") else value
        unknown = set(values) - set(Facts.__struct_fields__)
        if unknown:
            raise ValueError(f"no such fact: {', '.join(sorted(unknown))}")
        endings.append(Ending(Outcome(group[0]), msgspec.convert(values, Facts)))
        group = []
    return Line(tuple(endings), cause, None, is_nondeterministic)


def _case(row: str) -> tuple[str, Extent | None, str]:
    case, *numbers = row.split("\t")
    if "\\" in case:
        case = case.encode("latin-1", "backslashreplace").decode("unicode_escape")
    if "/" not in case:
        raise ValueError(f"{case!r} is not the id of a case")
    if len(numbers) > 4:
        raise ValueError(
            "expected at most a share, a fraction, the first wrong element and a digest"
        )
    share, fraction, values, digest = (*numbers, "", "", "", "")[:4]
    if not share:
        return case, None, digest
    found = Extent(
        float(share),
        float(fraction) if fraction else None,
        tuple(filter(None, values.split(_BETWEEN_VALUES))),
    )
    if not (0 <= found.share <= 1 and (found.fraction or 0) >= 0):
        raise ValueError("expected a share from 0 to 1, and a fraction that is not negative")
    return case, found, digest


# --- writing ------------------------------------------------------------------------------------------------------


def texts_of(baseline: Baseline, precision: str | None = None) -> dict[str, str]:
    """Return the texts of a folder by the names of its files; ``precision`` is that of `PRECISION`, None for none."""
    texts = {f"{name}{_SUFFIX}": text for name, text in _texts(baseline).items()}
    base = baseline.base
    texts[RUN] = _run_text(baseline.run, base.folder.name if base and base.folder else "")
    below = base.asked if base is not None and isinstance(base.asked, AskedCases) else None
    own = baseline.asked if isinstance(baseline.asked, AskedCases) else AskedCases()
    texts[ASKED] = asked.to_text(own, below)
    if precision is not None:
        texts[PRECISION] = precision
    return texts


def write_folder(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write a baseline's folder; only files whose text changes. Files of categories without a case are removed.

    Returns the files that changed. Each is written atomically.
    """
    changed = []
    folder.mkdir(parents=True, exist_ok=True)
    for name in texts:
        check_is_regular(folder / name)
    # Without the run a folder is no baseline: one that is not written to its end has none.
    for name, text in sorted(texts.items(), key=lambda each: (each[0] == RUN, each[0])):
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            write_text(path, text)
            changed.append(path)
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        if path.name not in texts:
            path.unlink()
            changed.append(path)
    return changed


def paths_of(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Return the files that `write_folder` could write or remove."""
    return sorted({*(folder / name for name in texts), *folder.glob(f"*{_SUFFIX}")})


def above(folder: Path) -> list[Path]:
    """Return the folders beside a baseline whose base it is."""
    found = sorted(path.parent for path in folder.parent.glob(f"*/{RUN}"))
    return [each for each in found if each != folder and _read_run(each)[1] == folder.name]


def rebased(baseline: Baseline, base: Baseline | None) -> Baseline:
    """Return a baseline as the differences from another one, or as a whole. It knows the same of each case."""
    own = baseline.departures()
    below = {} if base is None else base.known_departures()
    lines = {case: line for case, line in own.items() if below.get(case) != line}
    lines |= {case: PASSES for case in below if case not in own and case in baseline.asked}
    categories = {**(base.categories if base else {}), **baseline.categories}
    return replace(baseline, lines=lines, base=base, categories=categories)


def _texts(baseline: Baseline) -> dict[str, str]:
    """Return the text of each category's file."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for case, line in baseline.lines.items():
        category = baseline.categories.get(case.partition("/")[0]) or _NO_CATEGORY
        found[category][_heading_text(line)].append(_case_text(case, line))
    texts = {}
    for category, sections in found.items():
        rows = []
        for heading, cases in sorted(sections.items()):
            rows += [heading, *(f"\t{case}" for case in sorted(cases))]
        texts[category] = "\n".join(rows) + "\n"
    return texts


def _heading_text(line: Line) -> str:
    if line.passes:
        return _PASS
    endings = []
    for outcome, facts in line.endings:
        given: dict[str, object] = msgspec.to_builtins(facts)
        pairs = [f"{name}={shlex.quote(str(value))}" for name, value in given.items()]
        endings.append(" ".join([str(outcome), *pairs]))
    start = f"{_BY_CHANCE} " if line.is_nondeterministic else ""
    return f"{line.cause or NO_CAUSE}: {start}{' | '.join(endings)}"


def _case_text(case: str, line: Line) -> str:
    if not case.isprintable() or "\\" in case:
        case = case.encode("unicode_escape").decode("ascii")
    extent = line.extent
    if extent is None:
        return f"{case}\t\t\t\t{line.digest}".rstrip("\t")
    fraction = "" if extent.fraction is None else f"{extent.fraction:.3g}"
    values = _BETWEEN_VALUES.join(extent.values)
    return f"{case}\t{extent.share:.4g}\t{fraction}\t{values}\t{line.digest}".rstrip("\t")


def _run_text(run: Run, base: str) -> str:
    rows = ["# What these cases were asked on. See reports/gate/baseline_files.py."]
    if base:
        rows.append(f"{_BASE} = {msgspec.json.encode(base).decode()}")
    for each in fields(run):
        value = getattr(run, each.name)
        if isinstance(value, bool):
            text = str(value).lower()
        elif isinstance(value, int):
            text = str(value)
        else:
            text = msgspec.json.encode(value).decode()
        rows.append(f"{each.name} = {text}")
    return "\n".join(rows) + "\n"
