"""The suite itself: cases as pytest items. The ``conftest.py`` of the project connects it to pytest."""
