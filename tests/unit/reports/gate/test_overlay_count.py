"""What a run says of a baseline that stands above another one."""

from reports.gate.baseline import Baseline, Ending, Line
from reports.gate.causes import Causes
from reports.gate.decision import GateTarget, remark
from reports.results.outcomes import Outcome


def test_departures_of_the_baseline_below_are_counted():
    line = Line((Ending(Outcome.FAIL),))
    below = Baseline(lines={"one": line, "two": line}, name="below")
    above = Baseline(lines={"three": line}, name="above", base=below)
    assert "above, 3 departures in all" in remark(GateTarget(above.run, above, Causes([])))
