"""Writes the graphs inside a layer: bodies of conditions and loops, with their port maps and back edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from lxml import etree

from ir_models import catalog
from ir_models.vocabulary import stored
from ir_models.vocabulary.element_types import Tensor
from ir_models.vocabulary.graph import Graph, Parameter, Result, along
from ir_models.vocabulary.network import Network, write_port
from ir_models.vocabulary.operation import Layer

# The dimensions that a body states for a parameter, None for those of an unknown rank.
Stated = Callable[[Parameter, "Tensor | None"], "list[str] | None"]


class GraphNetwork(Network):
    """A network that holds plain graphs, and layers that have some."""

    def _bodies(
        self,
        element: etree._Element,
        layer: Layer,
        in_ids: Sequence[int],
        out_ids: Sequence[int],
        stated: Stated,
    ) -> None:
        """The graphs inside a layer: how their layers meet its ports, then they themselves."""
        networks = []
        for tag, body in layer.graphs().items():
            # Ids of layers are a body's own, the weights are the model's.
            inner = GraphNetwork(weights=self.weights)
            port_map = etree.SubElement(element, tag.replace("body", "port_map"))
            ids = inner._graph(body, layer, port_map, in_ids, out_ids, stated)
            if body.back_edges:
                back_edges = etree.SubElement(element, "back_edges")
                for result, parameter in body.back_edges:
                    # An invalid layer may name a layer that the body does not have.
                    first, last = (str(ids.get(end, end)) for end in (result, parameter))
                    ends = {"from-layer": first, "to-layer": last}
                    etree.SubElement(back_edges, "edge", ends)
            network = etree.Element(tag)
            etree.SubElement(network, "layers").extend(inner.layers)
            etree.SubElement(network, "edges").extend(inner.edges)
            networks.append(network)
        element.extend(networks)

    def _graph(
        self,
        graph: Graph,
        owner: Layer,
        port_map: etree._Element,
        in_ids: Sequence[int],
        out_ids: Sequence[int],
        stated: Stated,
    ) -> dict[str, int]:
        """Write the layers of a graph and fill its port map; the ids of the layers by name."""
        given = [tensor for _, tensor in owner.ports()]
        sources: dict[str, tuple[int, int]] = {}
        types = graph.types()
        for parameter in graph.parameters:
            fed = parameter.port is not None and parameter.port < len(given)
            outside = given[parameter.port] if fed and parameter.port is not None else None
            dims = stated(parameter, outside)
            layer = self._layer(parameter.name, "Parameter", "opset1")
            text = "..." if dims is None else ",".join(dims).replace("-1", "?")
            kind = parameter.tensor.element_type
            etree.SubElement(layer, "data", shape=text, element_type=kind.name)
            write_port(etree.SubElement(layer, "output"), 0, kind, dims)
            sources[parameter.name] = (_id(layer), 0)
            _map(port_map, "input", parameter, _id(layer), in_ids)
        sources = self._nodes(graph, sources)
        ids = {name: layer for name, (layer, _) in sources.items()}
        for result in graph.results:
            layer = self._layer(result.name, "Result", "opset1")
            write_port(etree.SubElement(layer, "input"), 0, types[result.source], None)
            self._edge(sources[result.source], layer, 0)
            ids[result.name] = _id(layer)
            _map(port_map, "output", result, _id(layer), out_ids)
        return ids

    def _nodes(
        self, graph: Graph, given: Mapping[str, tuple[int, int]], prefix: str = ""
    ) -> dict[str, tuple[int, int]]:
        """Write the constants and nodes of a graph; the port of each, and of what is ``given``, by name."""
        sources, types = dict(given), graph.types()
        for name, tensor in graph.constants.items():
            sources[name] = (self._held(prefix + name, tensor, tensor.array()), 0)
        for node in graph.nodes:
            operation = catalog.operation(node.operation)
            layer = self._layer(prefix + node.name, operation.type, operation.opset)
            texts = {
                a.ir_name or a.name: a.text(node.attributes[a.name])
                for a in operation.attributes
                if a.name in node.attributes
            }
            if texts:
                etree.SubElement(layer, "data", texts)
            ports = etree.SubElement(layer, "input")
            for number, source in enumerate(node.inputs):
                write_port(ports, number, types[source], None)
                self._edge(sources[source], layer, number)
            number = len(node.inputs)
            ports = etree.SubElement(layer, "output")
            for place in range(node.outputs):
                write_port(ports, number + place, types[node.name], None)
                sources[f"{node.name}:{place}" if place else node.name] = (
                    _id(layer),
                    number + place,
                )
        return sources

    def _held(self, name: str, tensor: Tensor, array: np.ndarray) -> int:
        """A constant of these values."""
        content = stored.content(tensor.element_type, array)
        offset = stored.aligned(self.weights)
        self.weights.extend(content)
        return self._reading(name, tensor, offset, len(content))

    def _reading(self, name: str, tensor: Tensor, offset: int, size: int) -> int:
        """A constant of bytes that the weights have."""
        layer = self._layer(name, "Const", "opset1")
        etree.SubElement(
            layer,
            "data",
            element_type=tensor.element_type.name,
            shape=",".join(map(str, tensor.shape)),
            offset=str(offset),
            size=str(size),
        )
        dims = [str(d) for d in tensor.shape]
        write_port(etree.SubElement(layer, "output"), 0, tensor.element_type, dims)
        return _id(layer)


def _map(
    port_map: etree._Element, side: str, end: Parameter | Result, layer: int, ids: Sequence[int]
) -> None:
    """The entry for a body's parameter or result; none where it meets nothing of the layer."""
    if end.port is None and not end.purpose:
        return
    outside = -1 if end.port is None else end.port
    # An invalid layer may name a port that it does not have.
    if 0 <= outside < len(ids):
        outside = ids[outside]
    entry = {"external_port_id": str(outside), "internal_layer_id": str(layer)}
    entry |= {name: str(value) for name, value in along(end).items()}
    if end.purpose:
        entry["purpose"] = end.purpose
    etree.SubElement(port_map, side, entry)


def _id(layer: etree._Element) -> int:
    return int(str(layer.get("id")))
