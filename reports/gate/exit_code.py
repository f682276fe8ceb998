"""The exit code of a run, and of a report on its results: one function of what was decided."""

from __future__ import annotations

from collections.abc import Iterable

from reports.results.outcomes import Gate


def exit_code(
    gates: Iterable[Gate],
    *,
    strict: bool = False,
    may_skip_all: bool = False,
    has_gaps: bool = False,
    has_other_failures: bool = False,
    is_unreliable: bool = False,
) -> int:
    """Return the exit code by the decisions on all cases.

    ====  ==============================================================================================
    code  when, the first that holds
    ====  ==============================================================================================
    2     the results are unreliable (not written, too few); no case ran; all cases were skipped, unless
          ``may_skip_all``
    1     the gate lets a case not pass (``strict``: also an improved one and a new case); something else
          than a case failed; ``has_gaps``: cases that were selected have no result
    0     otherwise
    ====  ==============================================================================================
    """
    found = {*gates}
    if is_unreliable or not found or (found == {Gate.SKIPPED} and not may_skip_all):
        return 2
    is_red = any(gate.is_red_if(strict) for gate in found)
    return int(is_red or has_gaps or has_other_failures)
