"""Stub until merged."""

from reports.explaining.alike import described


def draft_selectors(departing, conforming):
    """One selector for each kind of departure of each operation."""
    found = {}
    for one in departing:
        found[one.operation, described(one)] = {
            "operation": [one.operation], "outcome": [str(one.outcome)],
            **({"kind": [one.facts.kind]} if one.facts.kind else {}),
        }
    return [*found.values()]
