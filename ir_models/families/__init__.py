"""Families of operations: functions that return the ``Operation`` of a page whose like there are several."""
