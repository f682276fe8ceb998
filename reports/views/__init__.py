"""What documents have in common: `groups` of departures by cause, the `headline`, `choosing` cases, `junit`."""
