"""The page of a model."""

from reports.models.records import ModelRun


def page(run: ModelRun) -> str:
    """The page."""
    return run.model
