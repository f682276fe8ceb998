"""What of a model is at risk: known causes that meet its layers."""
