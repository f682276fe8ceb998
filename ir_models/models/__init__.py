"""A user's model: IR read as a graph of known operations, and parts of it written again.

    read(folder / "model.xml")       the model of an IR file, with its weights file
    parse(net, weights)              the same of IR in memory
    cut(model, nodes, ...)           a part of it as IR: some layers with what feeds them
    asked_layers(model)              its layers as cases ask layers, for what is known of cases

The layers that the project has no declaration of are named and keep their place in the graph.
"""

from ir_models.models.asked import AskedLayer, Form, asked_layers, cases_asked, forms_asked
from ir_models.models.reader import Model, NotIRError, Source, parse, read
from ir_models.models.writer import SHORT, Part, cut

__all__ = [
    "SHORT",
    "AskedLayer",
    "Form",
    "Model",
    "NotIRError",
    "Part",
    "Source",
    "asked_layers",
    "cases_asked",
    "cut",
    "forms_asked",
    "parse",
    "read",
]
