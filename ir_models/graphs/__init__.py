"""Graphs that are asked: layers that feed each other, as a text from which the graph can be rebuilt anywhere.

read(text)               the graph that a text names
text(graph)              its text, which is its id, selects it and seeds its values
evaluate(graph)          its layers with shapes, checked by the rules of their pages, and their values
write([evaluated])       one IR model of independent graphs
random_graph(draw)       layers from the draws of the declarations, joined
"""

from ir_models.graphs.as_ir import write
from ir_models.graphs.case import GraphCase
from ir_models.graphs.evaluation import Evaluated, evaluate
from ir_models.graphs.growing import random_graph
from ir_models.graphs.notation import AskedGraph, Fed, GraphError, read, text
from ir_models.vocabulary.graph import Step

__all__ = [
    "AskedGraph",
    "Evaluated",
    "Fed",
    "GraphCase",
    "GraphError",
    "Step",
    "evaluate",
    "random_graph",
    "read",
    "text",
    "write",
]
