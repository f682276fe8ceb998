"""Stub until merged."""


def draft_selectors(departing, conforming):
    return [{"operation": ["X-1"]}]
