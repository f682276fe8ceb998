"""The comparator and the cases on trial: wrong references that the cases of each operation must catch.

Wrong references follow from the declaration alone: ``mutants`` makes them, ``trial`` tries them, ``table`` prints
what was caught. Those that no case can catch, because a page lets nothing depend on what they change, are listed with
the reason in ``equivalent.toml``. ``bounds`` tries small errors on the bounds. ``python -m tests.kill --help`` tells
how to run it.
"""
