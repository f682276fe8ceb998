"""A user's model: IR read as a graph of known operations, and parts of it written again.

    read(folder / "model.xml")       the model of an IR file, with its weights file
    parse(net, weights)              the same of IR in memory
    cut(model, nodes, ...)           a part of it as IR: some layers with what feeds them
    asked_layers(model)              its layers, by the cells of support that they fall into
    cells_of(name, ...)              the cells of a layer or a case; rows_of(name): those of an operation

The layers that the project has no declaration of are named and keep their place in the graph.
"""

from ir_models.models.asked import AskedLayer, asked_layers
from ir_models.models.case import ModelLayerCase
from ir_models.models.cells import (
    cases_asked,
    cells_of,
    graphs_asked,
    has_plain_numbers,
    id_of,
    kind_of,
    operation_names,
    plain_cells,
    ports_of,
    rows_of,
    ways_of,
)
from ir_models.models.reader import Model, NotIRError, Source, parse, read
from ir_models.models.writer import SHORT, Part, cut

__all__ = [
    "SHORT",
    "AskedLayer",
    "Model",
    "ModelLayerCase",
    "NotIRError",
    "Part",
    "Source",
    "asked_layers",
    "cases_asked",
    "cells_of",
    "cut",
    "graphs_asked",
    "has_plain_numbers",
    "id_of",
    "kind_of",
    "operation_names",
    "parse",
    "plain_cells",
    "ports_of",
    "read",
    "rows_of",
    "ways_of",
]
