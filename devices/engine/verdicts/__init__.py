"""A reply judged by the expected outputs, and the record of it."""
