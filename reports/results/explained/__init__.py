"""Departures of crossings that a part of them explains: computed from records alone."""
