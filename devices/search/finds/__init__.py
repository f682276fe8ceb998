"""What a search writes down of what it found: a journal, folders, the names of causes."""
