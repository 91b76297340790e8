"""Reads MediaPipe's float TFLite networks (weights stored as float16) into `Graph`."""

from __future__ import annotations

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from .graph import Graph, Node

OP_NAMES = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
DTYPES = {
    schema.TensorType.FLOAT32: np.float32,
    schema.TensorType.FLOAT16: np.float16,
    schema.TensorType.INT32: np.int32,
}
SAME = schema.Padding.SAME
RELU = schema.ActivationFunctionType.RELU


def read(data: bytes, name: str) -> Graph:
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(data, 0))
    subgraph = model.subgraphs[0]
    constants: dict[int, np.ndarray] = {}
    for index, item in enumerate(subgraph.tensors):
        raw = model.buffers[item.buffer].data
        if raw is not None and len(raw):
            values = np.frombuffer(bytes(raw), DTYPES[item.type]).reshape(item.shape)
            constants[index] = values.astype(np.float32) if values.dtype == np.float16 else values

    def label(index: int) -> str:
        return subgraph.tensors[index].name.decode()

    nodes: list[Node] = []
    for operator in subgraph.operators:
        code = model.operatorCodes[operator.opcodeIndex]
        op = OP_NAMES[max(code.builtinCode, code.deprecatedBuiltinCode)]
        options = operator.builtinOptions
        ins, out = list(operator.inputs), operator.outputs[0]
        if op == "DEQUANTIZE" and ins[0] in constants:
            constants[out] = constants[ins[0]]
            continue
        node = Node(op, [label(i) for i in ins if i not in constants], label(out))
        if op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            node.weights, node.bias = constants[ins[1]], constants[ins[2]]
            node.stride, node.same = options.strideH, options.padding == SAME
            node.relu = options.fusedActivationFunction == RELU
        elif op == "MAX_POOL_2D":
            node.window, node.stride = options.filterHeight, options.strideH
            # The networks pool even sizes 2x2 at stride 2, where SAME adds nothing.
            node.same = False
        elif op == "PRELU":
            node.weights = constants[ins[1]].reshape(-1)
        elif op == "PAD":
            node.pads = constants[ins[1]]
        elif op != "ADD":
            raise ValueError(f"{name}: TFLite op {op}")
        nodes.append(node)
    inputs = subgraph.inputs[0]
    shape = tuple(int(v) for v in subgraph.tensors[inputs].shape)
    return Graph(name, label(inputs), shape, nodes, [label(i) for i in subgraph.outputs])
