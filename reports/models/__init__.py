"""What a survey of a user's model found: as text, and as an HTML report with its graph."""
