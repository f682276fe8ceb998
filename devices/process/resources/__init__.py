"""What processes may use: memory, temporary files, cores and time."""
