"""IR: the one writer of models, and the models of cases."""
