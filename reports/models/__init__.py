"""What a survey of a user's model found: its results as a file (``records``), as text, as a page with its graph."""
