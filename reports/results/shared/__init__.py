"""Helpers that say nothing of results: files, options, wildcards and versions, text."""
