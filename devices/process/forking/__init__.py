"""The fork server: a process that has loaded OpenVINO once, and forks the children of a worker."""
