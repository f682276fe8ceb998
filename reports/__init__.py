"""What it means: results, baselines, causes, the gate, comparisons and pages; ``python -m reports``.

A run leaves a results file, one line per case. Everything here reads such files and needs neither
OpenVINO nor pytest, so a merge job on a bare CI machine can run it:

- `reports.results.reading`: results files, their lines, and the failure folders beside them;
- `reports.gate`: baselines, causes, and the decision on each case;
- `reports.explaining.explanations`: departures told as one;
- `reports.comparing`: what two runs differ in;
- `reports.case_folder`: a case as a folder of files, written by `python -m devices write` too;
- `reports.views`, `reports.documents`, `reports.page`: what a report shows, as text, Markdown or HTML;
- `reports.commands`: the commands, a module each;
- ``baselines/``, ``causes/``: what the suite ships.
"""

from reports.results.outcomes import Gate, Outcome
from reports.results.reading import Results, load
from reports.results.records import CaseRecord, Header, ResultsError
from reports.results.writer import Writer

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
