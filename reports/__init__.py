"""What it means: results, expectations, comparisons and pages; ``python -m reports``.

A run leaves a results file, one line per case. Everything here reads such files and needs neither
OpenVINO nor pytest, so a merge job on a bare CI machine can run it:

- `reports.records`: the lines of a results file, as types; `reports.schema` publishes them;
- `reports.results`, `reports.writer`, `reports.conflicts`: results files read, written, joined;
- `reports.outcomes`: how a case can end, and what the gate makes of it;
- `reports.expectations`, `reports.expectation_files`, `reports.expectation_edits`,
  `reports.selectors`, `reports.traits`, `reports.inference`, `reports.known`: the known root causes
  of departures of a device, the cases that they explain, and how wrong those are;
- `reports.case_folder`: a case as a folder of files, written by `python -m ir_models write` too;
- `reports.comparison`: what two runs differ in;
- `reports.documents`: a report as text, Markdown or HTML;
- `reports.page`: the page with every case;
- `reports.commands`: the commands, a module each.
"""

from reports.outcomes import Gate, Outcome
from reports.records import CaseRecord, Header, ResultsError
from reports.results import Results, load
from reports.writer import Writer

__all__ = [
    "CaseRecord",
    "Gate",
    "Header",
    "Outcome",
    "Results",
    "ResultsError",
    "Writer",
    "load",
]
