"""Messages between the fork server and its clients, beside the file descriptors of the child process."""

from __future__ import annotations

import struct

# A client sends it together with the child's standard input, output and error.
FORK_REQUEST = b"fork"
# The server's answers: the process id of the child first, and its exit status once it has ended.
NUMBER = struct.Struct("<q")
# An argument of the server: its children will need OpenVINO. Others are names of modules that they will import.
LOADS_OPENVINO = "openvino"
# Devices of these names are modules, in place of OpenVINO.
PYTHON_DEVICE = "PYTHON:"
