"""What documents have in common: `groups`, `headline`, `choosing` cases, `junit`, `run_end` (the end of a run)."""
