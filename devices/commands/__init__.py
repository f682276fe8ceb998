"""The commands of ``python -m devices``."""
