"""Where in OpenVINO a departure happens, as far as the shipped binaries tell it.

- `measuring`: a case folder is run, and its place reported: a line of code that refuses, the frame of a crash, the
  pass that changes the answer, or the node and its kernel;
- `passes`: the models that OpenVINO writes after each pass, evaluated;
- `frames`: the functions of a stack, by the classes in whose virtual tables they stand.
"""
