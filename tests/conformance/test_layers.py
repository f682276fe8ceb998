"""The address of every case: ``pytest "tests/conformance/test_layers.py::CPU::SpaceToDepth-1/..."``.

Cases are collected by ``tests/conformance/items.py``; there is nothing to write here.
"""
