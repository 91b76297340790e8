"""Writes an int8 graph as a .tflite file. The same graph gives the same bytes."""

from __future__ import annotations

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from .graph import Node
from .quantise import IntGraph, Scale

VERSIONS = {  # the op versions that first took int8
    "CONV_2D": 3,
    "DEPTHWISE_CONV_2D": 3,
    "ADD": 2,
    "PRELU": 1,
    "MAX_POOL_2D": 2,
    "AVERAGE_POOL_2D": 2,
    "PAD": 2,
    "RESIZE_NEAREST_NEIGHBOR": 2,
}


def quantisation(scales: np.ndarray, zeros: np.ndarray, axis: int = 0):
    out = schema.QuantizationParametersT()
    out.scale = np.asarray(scales, np.float32)
    out.zeroPoint = np.asarray(zeros, np.int64)
    out.quantizedDimension = axis
    return out


def options(node: Node):
    """The options table of a node and its type."""
    kinds = schema.BuiltinOptions
    padding = schema.Padding.SAME if node.same else schema.Padding.VALID
    activations = schema.ActivationFunctionType
    activation = activations.RELU if node.relu else activations.NONE
    if node.op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        depthwise = node.op == "DEPTHWISE_CONV_2D"
        out = schema.DepthwiseConv2DOptionsT() if depthwise else schema.Conv2DOptionsT()
        out.padding, out.fusedActivationFunction = padding, activation
        out.strideW = out.strideH = node.stride
        out.dilationWFactor = out.dilationHFactor = 1
        if depthwise:
            out.depthMultiplier = 1
        return out, kinds.DepthwiseConv2DOptions if depthwise else kinds.Conv2DOptions
    if node.op in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
        out = schema.Pool2DOptionsT()
        out.padding, out.fusedActivationFunction = padding, activation
        out.strideW = out.strideH = node.stride
        out.filterWidth = out.filterHeight = node.window
        return out, kinds.Pool2DOptions
    if node.op == "ADD":
        out = schema.AddOptionsT()
        out.fusedActivationFunction = activation
        return out, kinds.AddOptions
    if node.op == "PAD":
        return schema.PadOptionsT(), kinds.PadOptions
    if node.op == "RESIZE_NEAREST_NEIGHBOR":
        return schema.ResizeNearestNeighborOptionsT(), kinds.ResizeNearestNeighborOptions
    return None, kinds.NONE


class Writer:
    def __init__(self, network: IntGraph):
        self.network = network
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.description = network.graph.name.encode()
        self.model.buffers = [schema.BufferT()]
        self.model.operatorCodes = []
        self.subgraph = schema.SubGraphT()
        self.subgraph.tensors, self.subgraph.operators = [], []
        self.tensors: dict[str, int] = {}
        self.codes: dict[str, int] = {}

    def tensor(self, name: str, shape, kind: int, quant, data: np.ndarray | None = None) -> int:
        out = schema.TensorT()
        out.name, out.shape, out.type = name.encode(), np.array(shape, np.int32), kind
        out.quantization = quant
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(data.tobytes(), np.uint8)
            out.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.subgraph.tensors.append(out)
        return len(self.subgraph.tensors) - 1

    def activation(self, name: str) -> int:
        if name not in self.tensors:
            scale: Scale = self.network.scales[name]
            quant = quantisation([scale.scale], [scale.zero])
            shape = self.network.graph.shapes[name]
            self.tensors[name] = self.tensor(name, shape, schema.TensorType.INT8, quant)
        return self.tensors[name]

    def constants(self, item) -> list[int]:
        """The constant inputs of a node: weights and bias, slopes, paddings, sizes."""
        node, types = item.node, schema.TensorType
        if node.op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            axis = 0 if node.op == "CONV_2D" else 3
            zeros = np.zeros(len(item.weight_scales))
            quant = quantisation(item.weight_scales, zeros, axis)
            unit = self.network.scales[node.inputs[0]].scale * item.weight_scales
            return [
                self.tensor(node.output + "/weights", item.weights.shape, types.INT8, quant, item.weights),
                self.tensor(
                    node.output + "/bias", item.bias.shape, types.INT32, quantisation(unit, zeros), item.bias
                ),
            ]
        if node.op == "PRELU":
            quant = quantisation(item.weight_scales, [0])
            shape = (1, 1, item.weights.size)
            return [self.tensor(node.output + "/slopes", shape, types.INT8, quant, item.weights)]
        if node.op == "PAD":
            pads = node.pads.astype(np.int32)
            return [self.tensor(node.output + "/pads", pads.shape, types.INT32, None, pads)]
        if node.op == "RESIZE_NEAREST_NEIGHBOR":
            size = np.array(self.network.graph.shapes[node.output][1:3], np.int32)
            return [self.tensor(node.output + "/size", size.shape, types.INT32, None, size)]
        return []

    def bytes(self) -> bytes:
        graph = self.network.graph
        self.activation(graph.input)
        for item in self.network.nodes:
            node = item.node
            if node.op not in self.codes:
                code = schema.OperatorCodeT()
                code.builtinCode = getattr(schema.BuiltinOperator, node.op)
                code.deprecatedBuiltinCode = min(code.builtinCode, 127)
                code.version = VERSIONS[node.op]
                self.codes[node.op] = len(self.model.operatorCodes)
                self.model.operatorCodes.append(code)
            operator = schema.OperatorT()
            operator.opcodeIndex = self.codes[node.op]
            sources = [self.activation(name) for name in node.inputs]
            operator.inputs = np.array(sources + self.constants(item), np.int32)
            operator.outputs = np.array([self.activation(node.output)], np.int32)
            operator.builtinOptions, operator.builtinOptionsType = options(node)
            self.subgraph.operators.append(operator)
        self.subgraph.inputs = np.array([self.tensors[graph.input]], np.int32)
        self.subgraph.outputs = np.array([self.tensors[n] for n in graph.outputs], np.int32)
        self.model.subgraphs = [self.subgraph]
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def write(network: IntGraph) -> bytes:
    return Writer(network).bytes()
