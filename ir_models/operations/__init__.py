"""The declarations, one file per operation type, in the folders of the specification."""
