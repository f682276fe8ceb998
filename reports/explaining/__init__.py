"""Departures that are reported as one: which are alike, which a part of the case explains, and which factors one needs.

- `alike`: whether two departures are of one kind;
- `factors`: what sets a case apart from the plain layer asked in the usual way;
- `explanations`: crossings that depart as a part of them does alone;
- `naming`: the factors that a departure of a crossing needs;
- `symptoms`: how departures end, coarsely, across operations;
- `telling`: sets of factors that tell departures of several operations from what conforms.
"""
