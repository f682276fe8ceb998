"""What it means: results, baselines, causes, the gate, comparisons and pages; ``python -m reports``.

A run leaves a results file, one line per case. Everything here reads such files and needs neither
OpenVINO nor pytest, so a merge job on a bare CI machine can run it:

- `reports.results`: results files, their lines, and the failure folders beside them;
- `reports.gate`: baselines, causes, and the decision on each case;
- `reports.views`: what a report shows, as text, Markdown or HTML, what two runs differ in, and the site;
- `reports.commands`: the commands, a module each;
- ``baselines/``, ``causes/``: what the suite ships.
"""
