"""Layers, edges and ports of IR, which all writers of models make alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lxml import etree

from ir_models.vocabulary.element_types import ElementType


@dataclass(kw_only=True)
class Network:
    """What is written so far of a network, and the bytes of its constants."""

    weights: bytearray = field(default_factory=bytearray)
    layers: list[etree._Element] = field(default_factory=list)
    edges: list[etree._Element] = field(default_factory=list)

    def _layer(self, name: str, kind: str, opset: str) -> etree._Element:
        number = str(len(self.layers))
        layer = etree.Element("layer", id=number, name=name, type=kind, version=opset)
        self.layers.append(layer)
        return layer

    def _edge(self, begin: tuple[object, object], layer: etree._Element, port: object) -> None:
        """Feed a port of a layer. ``begin`` has the ids of the layer and the port that the value comes from."""
        names = {"from-layer": str(begin[0]), "from-port": str(begin[1])}
        names |= {"to-layer": str(layer.get("id")), "to-port": str(port)}
        self.edges.append(etree.Element("edge", names))


def write_port(
    parent: etree._Element, number: int, kind: ElementType, dims: Iterable[object] | None
) -> None:
    """Write a port with its element type and, if they are given, its dimensions."""
    port = etree.SubElement(parent, "port", id=str(number), precision=kind.precision)
    for dim in dims or ():
        etree.SubElement(port, "dim").text = str(dim)
