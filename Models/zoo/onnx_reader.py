"""Reads the convolutional ONNX graphs of YuNet and of the gender network into `Graph`.

NCHW becomes NHWC; scale-and-offset nodes (folded batch norms) and scalar factors go into the
weights; flatten + matrix becomes a convolution over the whole map. What comes behind the last
convolution (sigmoid, softmax, reshapes) is left to the Swift side, in float.
"""

from __future__ import annotations

import struct

import numpy as np

from . import protobuf
from .graph import Graph, Node, output_shape

# Field numbers of onnx.proto3.
MODEL_GRAPH = 7
GRAPH_NODE, GRAPH_INITIALIZER = 1, 5
NODE_INPUT, NODE_OUTPUT, NODE_OP, NODE_ATTRIBUTE = 1, 2, 4, 5
ATTRIBUTE_NAME, ATTRIBUTE_FLOAT, ATTRIBUTE_INT, ATTRIBUTE_INTS = 1, 2, 3, 8
TENSOR_DIMS, TENSOR_TYPE, TENSOR_FLOATS, TENSOR_NAME, TENSOR_RAW = 1, 2, 4, 8, 9
FLOAT = 1

# Everything from these on belongs to the decoding.
DECODING = {"Transpose", "Reshape", "Sigmoid", "Softmax"}


def tensor(data: bytes) -> tuple[str, np.ndarray | None]:
    """Name and values; None for what is not float (shapes of reshapes)."""
    name = protobuf.text(data, TENSOR_NAME)
    kind = [value for number, _, value in protobuf.fields(data) if number == TENSOR_TYPE]
    if kind != [FLOAT]:
        return name, None
    raw = protobuf.messages(data, TENSOR_RAW)
    values = np.frombuffer(raw[0], "<f4") if raw else np.array(protobuf.floats(data, TENSOR_FLOATS))
    return name, values.reshape(protobuf.integers(data, TENSOR_DIMS)).astype(np.float32)


def attributes(data: bytes) -> dict[str, object]:
    out: dict[str, object] = {}
    for item in protobuf.messages(data, NODE_ATTRIBUTE):
        name = protobuf.text(item, ATTRIBUTE_NAME)
        for number, _, value in protobuf.fields(item):
            if number == ATTRIBUTE_FLOAT:
                out[name] = struct.unpack("<f", value)[0]
            elif number == ATTRIBUTE_INT:
                out[name] = protobuf.signed(value)
        found = protobuf.integers(item, ATTRIBUTE_INTS)
        if found:
            out[name] = found
    return out


def read(data: bytes, name: str, input_shape: tuple[int, int, int, int]) -> Graph:
    """The graph for an NHWC input of the given shape."""
    graph = protobuf.messages(data, MODEL_GRAPH)[0]
    constants = dict(tensor(item) for item in protobuf.messages(graph, GRAPH_INITIALIZER))
    nodes: list[Node] = []
    producer: dict[str, Node] = {}
    alias: dict[str, str] = {}  # a value that was folded away → the value it became
    factor: dict[str, float] = {}  # a scalar the next matrix must take in
    decoded: set[str] = set()
    shapes = {"input": input_shape}

    def resolve(value: str) -> str:
        return alias.get(value, value)

    def append(node: Node) -> None:
        nodes.append(node)
        producer[node.output] = node
        shapes[node.output] = output_shape(node, shapes)

    for item in protobuf.messages(graph, GRAPH_NODE):
        op = protobuf.text(item, NODE_OP)
        inputs = [value.decode() for value in protobuf.messages(item, NODE_INPUT)]
        output = protobuf.messages(item, NODE_OUTPUT)[0].decode()
        attribute = attributes(item)
        if not nodes:
            alias[inputs[0]] = "input"
        source = resolve(inputs[0])
        if op in DECODING or source in decoded:
            decoded.add(output)
        elif op == "Conv":
            append_convolution(append, source, output, constants[inputs[1]], constants[inputs[2]], attribute)
        elif op == "Relu":
            producer[source].relu = True
            alias[output] = source
        elif op in ("Mul", "Add") and inputs[1] in constants:
            values = constants[inputs[1]]
            if values.size == 1:
                factor[source] = float(values.reshape(()))
            elif op == "Mul":
                before = producer[source]
                before.weights = before.weights * values.reshape(-1, 1, 1, 1)
                before.bias = before.bias * values.reshape(-1)
            else:
                producer[source].bias = producer[source].bias + values.reshape(-1)
            alias[output] = source
        elif op == "Add":
            append(Node("ADD", [source, resolve(inputs[1])], output))
        elif op in ("MaxPool", "AveragePool"):
            kind = "MAX_POOL_2D" if op == "MaxPool" else "AVERAGE_POOL_2D"
            (window, _), (stride, _) = attribute["kernel_shape"], attribute["strides"]
            append(Node(kind, [source], output, window=window, stride=stride))
        elif op == "Resize":
            append(Node("RESIZE_NEAREST_NEIGHBOR", [source], output))
        elif op == "Flatten":
            alias[output] = source
        elif op == "Gemm":
            # (features, out) with features in CHW order → a window over the whole HWC map.
            _, h, w, c = shapes[source]
            matrix = constants[inputs[1]].T * factor.get(source, 1.0)
            weights = matrix.reshape(-1, c, h, w).transpose(0, 2, 3, 1)
            append(Node("CONV_2D", [source], output, weights, constants[inputs[2]]))
        else:
            raise ValueError(f"{name}: ONNX op {op}")
    used = {value for node in nodes for value in node.inputs}
    outputs = [node.output for node in nodes if node.output not in used]
    return Graph(name, "input", input_shape, nodes, outputs)


def append_convolution(append, source, output, weights, bias, attribute) -> None:
    stride = attribute["strides"][0]
    top, left, bottom, right = attribute["pads"]
    depthwise = attribute.get("group", 1) > 1
    kernel = weights.shape[2]
    same = stride == 1 and (top, left, bottom, right) == (kernel // 2,) * 4
    if not same and (top or left):
        # At stride 2 TFLite's SAME pads an even size behind only; ONNX pads both sides, and the
        # padding behind is never reached. So: an explicit row and column before.
        pads = np.array([[0, 0], [top, 0], [left, 0], [0, 0]])
        append(Node("PAD", [source], output + "/pad", pads=pads))
        source = output + "/pad"
    if depthwise:
        op, weights = "DEPTHWISE_CONV_2D", weights.transpose(1, 2, 3, 0)
    else:
        op, weights = "CONV_2D", weights.transpose(0, 2, 3, 1)
    append(Node(op, [source], output, weights.copy(), bias.copy(), stride=stride, same=same))
