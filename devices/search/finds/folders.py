"""Folders of finds: the smallest graph with what feeds it, a script that shows the departure, and what conforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from devices.engine.case_files import of_verdict
from devices.search.attribution import Attribution
from devices.search.graph_runner import case_of
from devices.search.shrinking import Shrunk
from devices.targets.profiles import Profile
from reports.results.case_folder import writing
from reports.results.shared.text import listing

TEXT = "graph.txt"


def write(
    folder: Path,
    shrunk: Shrunk,
    by: Attribution,
    device: str,
    profile: Profile,
    asked: str = "",
    more: Sequence[str] = (),
) -> None:
    """Write the folder of a find; ``asked`` is the id of the graph that it was shrunk from. Raises OSError.

    ``more`` are lines behind its text.
    """
    verdict = shrunk.answer
    evidence = verdict.evidence
    assert evidence is not None
    content = of_verdict(verdict, evidence, device, profile, 0)
    result = {
        "outcome": str(verdict.outcome),
        "detail": verdict.detail,
        "device": device,
        "profile": profile.name,
    }
    writing.write(folder, replace(content, result=result))
    (folder / TEXT).write_text(
        "\n".join([*lines(shrunk, by, asked), *more]) + "\n", encoding="utf-8"
    )


def lines(shrunk: Shrunk, by: Attribution, asked: str = "") -> list[str]:
    """What a find says to a reader."""
    answer = shrunk.answer
    found = [*case_of(answer).graph.text.split("; "), "", f"{answer.outcome}: {answer.detail}"]
    if by.is_graph:
        which = "each layer" if not by.unasked else "each other layer"
        unasked = f"{listing(list(by.unasked))} cannot be tested alone; " if by.unasked else ""
        found.append(f"{unasked}{which} conforms alone; {by.everywhere}")
    else:
        found.append(f"{by.layer} departs alone")
    if shrunk.conforms:
        found += ["", "It conforms when"]
        found += [f"  {each.what}: {each.graph.text}" for each in shrunk.conforms]
    if not shrunk.is_done:
        found += [
            "",
            "The time limit came before it was the smallest: `python -m devices shrink` continues.",
        ]
    if asked:
        found += ["", f"shrunk from {asked}"]
    return found
