"""Baselines in files: those that the suite ships, folders like them elsewhere, and results files.

A folder holds ``run.toml``, which says what run it was taken from, and a text file for each cause, ``<cause>.txt``, so
that a diff shows which cases a cause gained, and two branches that accept different causes change different files::

    FAIL output=0 kind=value
        Abs-1/type/f64[2,3,5,4]/-/values=large	0.08333
        Abs-1/type/f64[2,3,5,4]/-/values=special	0.1833	2.1e+03
    nondeterministic FAIL output=0 kind=value | CRASH stage=infer kind=signal signal=SIGSEGV
        ReverseSequence-1/...

A line at the margin says how the cases below it ended; each of those has its id and, where elements were compared, the
share of wrong ones, the largest error as a fraction of the bound, and the first wrong element. `NO_CAUSE` holds the
cases of no known cause. ``corpus.tsv`` says what the run asked: the purposes of each operation, the ways of asking.
Everything is sorted.

The suite ships ``reports/baselines/<device>/<name>/``, where the name is a release, with a word behind it where a
device has several for one release.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path

import msgspec

from reports.files import check_is_regular, write_text
from reports.gate.baseline import (
    DEPTHS,
    Baseline,
    Corpus,
    Ending,
    Line,
    Run,
    from_records,
    run_of,
    unnumbered,
)
from reports.patterns import numbers_of
from reports.results.coverage import gaps
from reports.results.facts import Extent, Facts
from reports.results.outcomes import Outcome
from reports.results.reading import load as load_results

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DIRECTORY = Path(__file__).parents[1] / "baselines"
RUN = "run.toml"
CORPUS = "corpus.tsv"
NO_CAUSE = "no-cause"
_SUFFIX = ".txt"
_BETWEEN_VALUES = " | "  # which no value has: see `reports.results.facts.extent`
_BY_CHANCE = "nondeterministic"

# Devices that run the kernels of another one.
_VIRTUAL = re.compile(r"(?:AUTO|MULTI|HETERO|BATCH):([A-Za-z]+)")


class BaselineError(ValueError):
    """A baseline cannot be used. The message names the file, and the line where there is one."""


# --- shipped ones -------------------------------------------------------------------------------------------------


def families_of(device: str) -> list[str]:
    """Return the folders in which a device's baselines may be: its own, then that of the device below it.

    ``GPU.1`` is a GPU; AUTO, MULTI, HETERO and BATCH run the kernels of the first device that they name.
    """
    virtual = _VIRTUAL.match(device)
    below = virtual[1] if virtual else unnumbered(device)
    return list(dict.fromkeys(re.sub(r"\W+", "_", name) for name in (device, below)))


def folders_of(device: str, directory: Path = DIRECTORY) -> list[Path]:
    """Return the folders of a device's baselines, sorted; of the first family that has any."""
    for family in families_of(device):
        found = sorted(path.parent for path in (directory / family).glob(f"*/{RUN}"))
        if found:
            return found
    return []


def nearest(run: Run, directory: Path = DIRECTORY) -> Path | None:
    """Return the folder of the baseline that is nearest to a run, None if its device has none.

    Nearest is that with the same profile and machine, then the same kernels, of the nearest release.
    """
    found = [(path, read_run(path)) for path in folders_of(run.device, directory)]
    if not found:
        return None

    def distance(one: tuple[Path, Run]) -> tuple[object, ...]:
        other = one[1]
        return (
            other.architecture != run.architecture,
            not run.is_of_processor and other.full_name != run.full_name,
            other.profile != run.profile,
            _apart(other.release, run.release),
            other.isa != run.isa,
            other.precision != run.precision,
            other.f16 != run.f16,
            one[0].name,
        )

    return min(found, key=distance)[0]


def _apart(one: str, other: str) -> int:
    """How far two releases are apart: four releases are a year."""
    years = [(*numbers_of(text), 0, 0)[:2] for text in (one, other)]
    (year, number), (other_year, other_number) = years
    return abs((year - other_year) * 10 + number - other_number)


def read_run(folder: Path) -> Run:
    """Read what run a baseline was taken from. Raises BaselineError."""
    path = folder / RUN
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        run = msgspec.convert(content, Run)
        unknown = sorted(content.keys() - {each.name for each in fields(Run)})
        if unknown:
            raise ValueError(f"no such field: {', '.join(unknown)}")
        if not run.device or not run.openvino:
            raise ValueError("it names no device, or no release of OpenVINO")
        if run.depth not in DEPTHS or run.random < 0:
            raise ValueError(f"depth is one of {', '.join(DEPTHS)}, and random is 0 or more")
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, msgspec.ValidationError) as error:
        raise BaselineError(f"{path}: {error}") from None
    return run


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


def read_folder(folder: Path) -> Baseline:
    """Read a baseline's folder. Raises BaselineError with the file and line."""
    lines: dict[str, Line] = {}
    run = read_run(folder)
    places: dict[str, Path] = {}
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        for case, line in _read_cause(path):
            # Two branches may have taken it to two causes: files of their own, which merge without a conflict.
            if case in lines:
                where = " twice" if places[case] == path else f" as well as in {places[case]}"
                raise BaselineError(f"{path}: {case} stands in it{where}: leave one of the lines")
            lines[case] = line
            places[case] = path
    name = f"{folder.parent.name} {folder.name}"
    corpus = _read_corpus(folder / CORPUS)
    if corpus is not None:
        # One branch left what another one took.
        corpus = replace(corpus, left=corpus.left.difference(lines))
    return Baseline(run, lines, None, name, corpus=corpus)


_HOW, _LEFT = "how", "left"


def _read_corpus(path: Path) -> Corpus | None:
    """Read what a run asked; None where the folder does not say. Raises BaselineError."""
    purposes: dict[str, frozenset[str]] = {}
    hows, left = set(), set()
    if not path.exists():
        return None
    for number, row in enumerate(_rows(path), 1):
        name, tab, value = row.partition("\t")
        if not tab or not name:
            raise BaselineError(f"{path}: line {number}: expected a name, a tab and what was asked")
        if name == _HOW:
            hows.add(value)
        elif name == _LEFT:
            left.add(_case(value)[0])
        else:
            # Twice where two branches asked more of it.
            purposes[name] = purposes.get(name, frozenset()) | frozenset(value.split())
    return Corpus(purposes, frozenset(hows), frozenset(left))


def _rows(path: Path) -> list[str]:
    """The lines of a text that ends with the end of one. Raises BaselineError."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BaselineError(f"{path}: cannot be read: {error}") from None
    if text and not text.endswith("\n"):
        raise BaselineError(f"{path}: the last line is cut off")
    return text.split("\n")[:-1]


def _corpus_text(corpus: Corpus) -> str:
    rows = [f"{_HOW}\t{how}" for how in sorted(corpus.hows)]
    rows += [f"{name}\t{' '.join(sorted(each))}" for name, each in sorted(corpus.purposes.items())]
    rows += [f"{_LEFT}\t{_case_text(case, None)}" for case in sorted(corpus.left)]
    return "".join(f"{row}\n" for row in rows)


def _read_cause(path: Path) -> Iterator[tuple[str, Line]]:
    cause = "" if path.stem == NO_CAUSE else path.stem
    heading: Line | None = None
    for number, row in enumerate(_rows(path), 1):
        try:
            if not row or row.startswith("#"):
                continue
            if not row.startswith("\t"):
                heading = _heading(row, cause)
            elif heading is None:
                raise ValueError("a case before the line that says how it ended")
            else:
                case, extent = _case(row[1:])
                yield case, heading._replace(extent=extent)
        except (ValueError, msgspec.ValidationError) as error:
            raise BaselineError(f"{path}: line {number}: {error}") from None


def _heading(row: str, cause: str) -> Line:
    words = shlex.split(row)
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


def _case(row: str) -> tuple[str, Extent | None]:
    case, *numbers = row.split("\t")
    if "\\" in case:
        case = case.encode("latin-1", "backslashreplace").decode("unicode_escape")
    if "/" not in case:
        raise ValueError(f"{case!r} is not the id of a case")
    if not numbers:
        return case, None
    if len(numbers) > 3:
        raise ValueError("expected at most a share, a fraction and the first wrong element")
    share, fraction, values = (*numbers, "", "")[:3]
    found = Extent(
        float(share),
        float(fraction) if fraction else None,
        tuple(filter(None, values.split(_BETWEEN_VALUES))),
    )
    if not (0 <= found.share <= 1 and (found.fraction or 0) >= 0):
        raise ValueError("expected a share from 0 to 1, and a fraction that is not negative")
    return case, found


# --- writing ------------------------------------------------------------------------------------------------------


def write_folder(folder: Path, baseline: Baseline) -> list[Path]:
    """Write a baseline; only files whose text changes. Files of causes without a case are removed.

    Returns the files that changed. Each is written atomically.
    """
    texts = _texts_of(baseline)
    changed = []
    folder.mkdir(parents=True, exist_ok=True)
    for name in texts:
        check_is_regular(folder / name)
    # Without the run a folder is no baseline: an interrupted one has it.
    for name, text in sorted(texts.items(), key=lambda each: (each[0] != RUN, each[0])):
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            write_text(path, text)
            changed.append(path)
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        if path.name not in texts:
            path.unlink()
            changed.append(path)
    return changed


def paths_of(folder: Path, baseline: Baseline) -> list[Path]:
    """Return the files that `write_folder` could write or remove."""
    return sorted({*(folder / name for name in _texts_of(baseline)), *folder.glob(f"*{_SUFFIX}")})


def _texts_of(baseline: Baseline) -> dict[str, str]:
    """Return the texts of a folder by the names of its files."""
    texts = {f"{cause}{_SUFFIX}": text for cause, text in _texts(baseline.lines).items()}
    texts[RUN] = _run_text(baseline.run)
    if baseline.corpus is not None:
        texts[CORPUS] = _corpus_text(baseline.corpus)
    return texts


def _texts(lines: Mapping[str, Line]) -> dict[str, str]:
    """Return the text of each cause's file."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for case, line in lines.items():
        found[line.cause or NO_CAUSE][_heading_text(line)].append(_case_text(case, line.extent))
    texts = {}
    for cause, sections in found.items():
        rows = []
        for heading, cases in sorted(sections.items()):
            rows += [heading, *(f"\t{case}" for case in sorted(cases))]
        texts[cause] = "\n".join(rows) + "\n"
    return texts


def _heading_text(line: Line) -> str:
    endings = []
    for outcome, facts in line.endings:
        given: dict[str, object] = msgspec.to_builtins(facts)
        pairs = [f"{name}={shlex.quote(str(value))}" for name, value in given.items()]
        endings.append(" ".join([str(outcome), *pairs]))
    start = f"{_BY_CHANCE} " if line.is_nondeterministic else ""
    return start + " | ".join(endings)


def _case_text(case: str, extent: Extent | None) -> str:
    if not case.isprintable() or "\\" in case:
        case = case.encode("unicode_escape").decode("ascii")
    if extent is None:
        return case
    fraction = "" if extent.fraction is None else f"{extent.fraction:.3g}"
    values = _BETWEEN_VALUES.join(extent.values)
    return f"{case}\t{extent.share:.4g}\t{fraction}\t{values}".rstrip("\t")


def _run_text(run: Run) -> str:
    rows = ["# What these cases were asked on. See reports/gate/baseline_files.py."]
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
