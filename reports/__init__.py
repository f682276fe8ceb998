"""What it means: results, expectations, comparisons and pages; ``python -m reports``.

A run leaves a results file (`reports.results`), one line per case. Everything here reads such
files, and needs neither OpenVINO nor pytest, so a merge job on a bare CI machine can run it:

- `reports.outcomes`: how a case can end, how bad each end is, and what the gate makes of it;
- `reports.results`: results files, read and written, line by line as `reports.schema` says;
- `reports.expectations`: the known departures of a device, with their reasons;
- `reports.summary`, `reports.compare`, `reports.history`, `reports.merge`, `reports.export`,
  `reports.html`: the views, each a subcommand of ``python -m reports``.
"""

from reports.outcomes import Gate, Outcome
from reports.results import Results, ResultsError, Writer, load

__all__ = ["Gate", "Outcome", "Results", "ResultsError", "Writer", "load"]
