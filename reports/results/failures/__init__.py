"""Failure folders: which cases have one, how it is written, and how it is recognized."""
