"""Results files: a header for each run, then one line for each case.

- `records`, `facts`, `outcomes`: what a line says; `schema` publishes it as a JSON Schema;
- `reading`, `writer`, `conflicts`, `processors`, `locking`, `same_run`: files read, written, joined;
- `coverage`: which part of all cases results are of;
- `folders`, `folder_plan`, `failures`: the failure folders beside a file.
"""
