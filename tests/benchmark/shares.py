"""``python -m tests.benchmark.shares``: where the time of a run goes, measured in one process over chosen cases.

Inside OpenVINO: reading, compiling, inferring and fetching, as the child measures it, with any outcome; the time
until a device dies or hangs; opening and ending devices. The suite's own: collecting cases, their values and
references, IR, comparing, and the messages to the child and back.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import ir_models
from devices import (
    Child,
    ChildDiedError,
    ChildHungError,
    Options,
    Runner,
    opening,
    packs,
    parse_profile,
)
from devices.protocol import Question, Reply

LINES = {
    "collecting": "collecting cases",
    "own": "values, references, IR, comparing",
    "messages": "messages to the child and back",
    "openvino": "inside OpenVINO",
    "deaths": "until a device died or hung",
    "devices": "opening and ending devices",
}
INSIDE = ("openvino", "deaths", "devices")


class Clock:
    """Seconds by part. The time of a part that runs inside another one counts for the inner part only."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inner = 0.0

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Count the time of a block, without that of the blocks inside it."""
        outer, self._inner = self._inner, 0.0
        started = time.perf_counter()
        try:
            yield
        finally:
            whole = time.perf_counter() - started
            self.seconds[part] += whole - self._inner
            self._inner = outer + whole


def measured(clock: Clock) -> type[Child]:
    """A child process whose time is counted."""

    class Measured(Child):
        def __init__(self, *args: Any) -> None:
            with clock.of("devices"):
                super().__init__(*args)

        def ask(self, question: Question, limit: float) -> Reply:
            started = time.perf_counter()
            part = "messages"
            try:
                with clock.of(part):
                    reply = super().ask(question, limit)
            except (ChildDiedError, ChildHungError):
                clock.seconds["messages"] -= time.perf_counter() - started
                clock.seconds["deaths"] += time.perf_counter() - started
                raise
            inside = sum(reply.seconds.values())
            clock.seconds["messages"] -= inside
            clock.seconds["openvino"] += inside
            return reply

        def close(self, limit: float = 10.0) -> None:
            with clock.of("devices"):
                super().close(limit)

    return Measured


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.shares",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--operation", action="append", help="default all; repeatable")
    parser.add_argument("--category", action="append", help="such as movement; repeatable")
    parser.add_argument("--purpose", action="append", help="default all; repeatable")
    parser.add_argument("--device", default="CPU")
    parser.add_argument("--profile", default="accuracy")
    args = parser.parse_args()
    operations = [
        o
        for o in ir_models.select(args.operation or [])
        if not args.category or o.category in args.category
    ]
    clock, options = Clock(), Options(case_timeout=10)
    started = time.perf_counter()
    with clock.of("collecting"):
        cases = [c for o in operations for c in ir_models.cases(o, tuple(args.purpose or ()))]
        planned = packs.plan([case.id for case in cases], options.pack_size)
    original, opening.Child = opening.Child, measured(clock)  # type: ignore[attr-defined]
    try:
        with clock.of("own"), Runner(args.device, parse_profile(args.profile), options) as asks:
            for pack in planned:
                asks.judge([cases[position] for position in pack])
    finally:
        opening.Child = original  # type: ignore[attr-defined]
    show(len(cases), clock.seconds, time.perf_counter() - started)
    return 0


def show(count: int, seconds: Mapping[str, float], whole: float) -> None:
    """Print a line for each part, and both sides together."""
    say: Callable[[str, float], None] = lambda text, value: print(  # noqa: E731
        f"{text:36}{value:9.2f} s {value / whole:6.0%}"
    )
    print(f"{'cases':36}{count:9,}")
    say("one process, whole", whole)
    for part, text in LINES.items():
        say(f"  {text}", seconds[part])
    inside = sum(seconds[part] for part in INSIDE)
    say("OpenVINO and its devices", inside)
    say("the suite's own", whole - inside)
    judging = seconds["collecting"] + seconds["own"]
    print(
        f"collecting and judging, as a part of the time inside OpenVINO: {judging / seconds['openvino']:.2f}"
    )


if __name__ == "__main__":
    sys.exit(main())
