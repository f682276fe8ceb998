"""The vocabulary of results: a header for each run, then one line for each case.

- `records`, `facts`, `outcomes`: what a line says; `schema` publishes it as a JSON Schema;
- `releases`: what a message says of the release of OpenVINO that gave it;
- `files`: results files, read, written and joined, and which part of all cases they are of;
- `explained`: departures of crossings that a part of them explains;
- `case_folder`: a case as a folder of files; `failures`: those of a run;
- `shared`: helpers that say nothing of results.

It imports nothing else of the project but the reader of case ids, `ir_models.asking.id_parts`.
"""
