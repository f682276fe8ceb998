"""A pytest plugin that makes the suite itself fail: ``-p tests.unit.conformance.sabotage``.

The environment says how: RAISE is the name of an exception; of the cases of the operation IN, the reference raises it,
or with JUDGING=1 the comparison with the reference's answer.
"""

from __future__ import annotations

import builtins
import os
from typing import Any

from devices.engine import layers
from devices.engine.verdicts import judging


def _failing(original: Any) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        if any(getattr(arg, "name", arg) == os.environ["IN"] for arg in args if not _is_array(arg)):
            raise getattr(builtins, os.environ["RAISE"])("sabotage")
        return original(*args, **kwargs)

    return function


def _is_array(value: object) -> bool:
    return hasattr(value, "dtype")


if os.environ.get("JUDGING"):

    def _judge(case: Any, *args: Any, original: Any = judging.judge) -> Any:
        _failing(lambda _: None)(case.operation.name)
        return original(case, *args)

    judging.judge = _judge
else:
    layers.answer = _failing(layers.answer)
    layers.as_rounded = _failing(layers.as_rounded)
