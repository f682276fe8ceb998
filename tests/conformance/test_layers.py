"""The file in the node id of every case: ``pytest "tests/conformance/test_layers.py::CPU::SpaceToDepth-1/..."``.

``tests/conformance/items.py`` collects the cases; this file has no tests of its own.
"""
