"""Helpers that say nothing of results: files, options, patterns of texts and versions, text."""
