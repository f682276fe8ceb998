"""What a survey of a user's model found: as text, and as a page with its graph."""
