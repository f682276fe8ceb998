"""The text of an upstream issue about a failure folder: a layer of a user's model, a reduced model, a shrunk graph."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from reports.gate.causes import Cause, Causes
from reports.results.case_folder.manifest import MANIFEST, Manifest, read
from reports.results.outcomes import Outcome
from reports.results.records import ResultsError
from reports.upstream.releases import Release, Tried, as_rows, search, span_of
from reports.upstream.running import ENDINGS, ScriptRun, environment_of, run
from reports.upstream.script import NoScriptError, scripts_of
from reports.upstream.text import page_of, steps_of

_WRONG = {
    Outcome.FAIL: "wrong result",
    Outcome.REFUSED: "a valid model is refused",
    Outcome.CRASH: "the process ends",
    Outcome.TIMEOUT: "it does not end",
    Outcome.ACCEPTED_INVALID: "a layer that is not valid is accepted",
    Outcome.FLAKE: "two inferences differ",
}


def is_folder(path: Path) -> bool:
    """Return whether a path is a failure folder."""
    return (path / MANIFEST).is_file()


def issue_of(
    folder: Path,
    tested: Release,
    releases: Sequence[Release],
    shrink: Callable[[Path, Path], bool],
    causes: Causes | None = None,
) -> tuple[str, bool]:
    """Return the issue in Markdown, and whether its script, or that of the folder, shows the departure.

    ``tested`` is the OpenVINO that the issue is about; ``releases`` are others to run the script on. ``shrink``
    makes a smaller folder of one that fits into no script, and tells whether it could. The text has the one of
    ``causes`` that a layer of a model has. Raises ResultsError for a folder that no run wrote, OSError, ValueError.
    """
    case = read(folder)
    if case.result is None or Outcome(case.result["outcome"]) not in _WRONG:
        raise ResultsError(f"{folder}: the case in it passed")
    outcome = Outcome(case.result["outcome"])
    actual = _detail(folder, outcome)
    own = environment_of(case.environment)
    tested, *releases = (
        replace(one, environment={**one.environment, **own}) for one in (tested, *releases)
    )
    script, done, why = _script(folder, outcome, tested)
    if not script:
        with tempfile.TemporaryDirectory() as directory:
            small = Path(directory) / "small"
            if shrink(folder, small):
                found = _script(small, outcome, tested)
                if found[0]:
                    script, done, why = found
                    actual = f"{_detail(small, outcome)}. Where it was found: {actual}"
    if not script:
        done = _of_folder(folder, tested)
    tried = (
        search(script, Tried(tested.version.partition("-")[0], done.ending), releases)
        if script and done
        else []
    )
    cause = causes.get(str(case.result.get("cause", ""))) if causes else None
    text = "\n".join(_rows(case, outcome, actual, tested.version, script, done, why, tried, cause))
    return text, done is not None


def _detail(folder: Path, outcome: Outcome) -> str:
    """What departs in a folder, in words."""
    result = read(folder).result or {}
    return str(result.get("detail") or _WRONG[outcome])


def _script(folder: Path, outcome: Outcome, tested: Release) -> tuple[str, ScriptRun | None, str]:
    """The script that shows the departure, what it did, and why there is none."""
    is_of_reader = ((read(folder).result or {}).get("facts") or {}).get("stage") == "read"
    is_value = outcome in (Outcome.FAIL, Outcome.FLAKE)
    try:
        for script in scripts_of(folder, is_value, is_of_reader=is_of_reader):
            done = _run(script, tested)
            if done.ending in ENDINGS[outcome]:
                return script, done, ""
    except NoScriptError as error:
        return "", None, str(error)
    return "", None, "no case that is small enough for a script shows the same failure"


def _run(script: str, tested: Release) -> ScriptRun:
    return run(script, tested.python, {**os.environ, **tested.environment})


def _of_folder(folder: Path, tested: Release) -> ScriptRun | None:
    """What the folder's own script does; None where it shows nothing."""
    text = (
        "import runpy, sys\n"
        f"sys.path.insert(0, {str(folder.resolve())!r})\n"
        f"sys.argv = [{str(folder.resolve() / 'reproduce.py')!r}]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    own = _run(text, tested)
    # It tells any departure by the exit code 1.
    return own if own.code == 1 or own.hung else None


def _rows(
    case: Manifest,
    outcome: Outcome,
    actual: str,
    version: str,
    script: str,
    done: ScriptRun | None,
    why: str,
    tried: Sequence[Tried],
    cause: Cause | None,
) -> list[str]:
    assert case.result is not None
    result = case.result
    own = f"{result['category']}/{result['operation']}" if result.get("layer_xml") else ""
    found = result.get("operations", [own] if own else [])
    operations = [each.rpartition("/") for each in found]
    names = ", ".join(dict.fromkeys(name for _, _, name in operations)) or case.case
    profile = ", ".join(f"{name}={value}" for name, value in case.settings.items())
    rows = [
        f"# {names}: {_WRONG[outcome]} on {case.device}",
        "",
        f"- OpenVINO {version}, device {case.device}{', ' + profile if profile else ''}",
        f"- Releases, by the script: {span_of(tried) if len(tried) > 1 else 'no other was tried'}",
        *([f"- Known as {cause.id}: {cause.title}"] if cause else []),
        "",
        *steps_of(script, version, why),
        "## Expected",
        "",
        *([f"The specification says: {cause.page}", ""] if cause and cause.page else []),
        *(page_of(name, category) for category, _, name in dict.fromkeys(operations)),
        "",
        "## Actual",
        "",
        actual,
        "",
    ]
    if done is None:
        rows += [
            "The departure was not seen again: run it several times, or on the machine of the run.",
            "",
        ]
    elif done.said:
        rows += [f"The script prints ({done.how}):", "", "```", done.said, "```", ""]
    if len(tried) > 1:
        rows += ["## What the script does on releases", "", *as_rows(tried), ""]
    return rows
