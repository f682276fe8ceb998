"""What two runs differ in: `comparison` by case, `times` by time."""
