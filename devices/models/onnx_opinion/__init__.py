"""What ONNX's reference evaluator says of a model of ONNX as OpenVINO read it: a second opinion, not of the device.

The survey judges the layers that OpenVINO's reader made. Whether they mean what the nodes of the file mean is asked
here: the evaluator of the package ``onnx`` computes each node on the reference's own values of what feeds it, so that a
node that was read otherwise does not hide those behind it; and the whole on its own values.
"""
