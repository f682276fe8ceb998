"""References of the poolings."""
