"""OpenVINO, inside the child process where inference runs: the only modules that import it."""
