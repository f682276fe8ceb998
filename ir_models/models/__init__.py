"""A user's model: IR read as a graph of known operations, and parts of it written again.

    read(folder / "model.xml")       the model of an IR file, with its weights file
    parse(net, weights)              the same of IR in memory
    cut(model, nodes, ...)           a part of it as IR: some layers with what feeds them

The layers that the project has no declaration of are named and keep their place in the graph.
"""

from ir_models.models.reader import Model, NotIRError, Source, parse, read
from ir_models.models.writer import Part, cut

__all__ = ["Model", "NotIRError", "Part", "Source", "cut", "parse", "read"]
