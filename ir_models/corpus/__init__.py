"""All questions: where the cases of an operation come from."""
