"""How fast the suite is, measured as a ratio within one run. Not part of the tests."""
