"""The commands of ``python -m reports``: a module each, with `add_arguments` and `run`."""
