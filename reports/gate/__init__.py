"""The gate: what earlier runs showed, why, and what that decides of a case.

- `baseline`: which cases did not pass in an earlier run, exactly;
- `baseline_files`: baselines as folders of text, as results files, and those that the suite ships;
- `causes`: why, by hand, a file for each; `selectors` names departures by their facts, `precision` says how many cases
  that conform they admit, and `drafting` proposes them;
- `decision`: the one function from a record, the baseline and the causes to a `Gate`.
"""
