"""What the tests of ids share."""

import pytest

from ir_models import LayerCase, cases, operations


@pytest.fixture(scope="session", params=operations(), ids=lambda operation: operation.name)
def listed(request: pytest.FixtureRequest) -> list[LayerCase]:
    """The cases of an operation, made once for all tests."""
    return list(cases(request.param, draws=30))
