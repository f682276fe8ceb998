"""One question: a case, its id, its data, and how it is asked."""
