"""The suite itself: cases as pytest items. ``conftest.py`` at the top connects it to pytest."""
