#!/usr/bin/env python3
"""Makes operators.golden: one-operator .tflite models and what the TFLite reference kernels answer.

    pip install ai-edge-litert==2.3.0 flatbuffers==25.12.19 numpy==2.4.6
    python3 Tests/Golden/make.py                 # writes Tests/Golden/operators.golden

Only BUILTIN_REF counts: the optimised kernels of the same package may differ by one.

The container is little endian: "LLGOLD1\\0", u32 cases, then for each case
    u16 bytes of its name, the name,
    u32 bytes of the .tflite, the .tflite,
    u32 inputs, for each: u64 seed, u8 bits to drop (int16 only)
    u32 outputs, for each: u32 bytes, the bytes. None where the packer must refuse the model; the
    case's name is then a part of its message.
Inputs are not stored: element i is the top 8 (int8) or 16 (int16) bits of the i-th number of
SplitMix64 with that seed, shifted right arithmetically by the dropped bits.
"""

import os
import struct
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter, schema_py_generated as schema

SAME, VALID = schema.Padding.SAME, schema.Padding.VALID
ACTIVATIONS = schema.ActivationFunctionType
NONE, RELU, RELU6, RELU1 = (
    ACTIVATIONS.NONE, ACTIVATIONS.RELU, ACTIVATIONS.RELU6, ACTIVATIONS.RELU_N1_TO_1)
OPERATORS, OPTIONS, TYPES = schema.BuiltinOperator, schema.BuiltinOptions, schema.TensorType
KIND = {np.int8: TYPES.INT8, np.int16: TYPES.INT16, np.int32: TYPES.INT32, np.int64: TYPES.INT64,
        np.float32: TYPES.FLOAT32}


def splitmix(seed: int, count: int) -> np.ndarray:
    steps = np.arange(1, count + 1, dtype=np.uint64)
    z = np.uint64(seed) + steps * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def seeded(shape, kind, seed: int, dropped: int) -> np.ndarray:
    values = splitmix(seed, int(np.prod(shape)))
    if kind is np.int8:
        return (values >> np.uint64(56)).astype(np.uint8).view(np.int8).reshape(shape)
    wide = (values >> np.uint64(48)).astype(np.uint16).view(np.int16)
    return (wide >> dropped).reshape(shape)


class Case:
    """A model under construction, with the numbers it is fed."""

    def __init__(self, name: str, seed: int):
        self.name, self.seed = name, seed
        self.random = np.random.default_rng(seed)
        self.tensors, self.buffers = [], [schema.BufferT()]
        self.inputs, self.outputs, self.operands = [], [], []
        self.input_kinds, self.dropped = [], 0
        self.codes, self.nodes = [], []

    def tensor(self, shape, kind, scale=None, zero=0, axis=0, data=None) -> int:
        out = schema.TensorT()
        out.name, out.shape, out.type = b"t", np.array(shape, np.int32), KIND[kind]
        if scale is not None:
            out.quantization = schema.QuantizationParametersT()
            out.quantization.scale = np.atleast_1d(np.float32(scale))
            zeros = np.full(len(out.quantization.scale), zero)
            out.quantization.zeroPoint = zeros.astype(np.int64)
            out.quantization.quantizedDimension = axis
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
            out.buffer = len(self.buffers)
            self.buffers.append(buffer)
        self.tensors.append(out)
        return len(self.tensors) - 1

    def input(self, shape, kind, scale, zero):
        index = self.tensor(shape, kind, scale, zero)
        self.inputs.append(index)
        self.operands.append(index)
        self.input_kinds.append((tuple(shape), kind))

    def constant(self, data, scale=None, zero=0, axis=0):
        self.operands.append(self.tensor(data.shape, data.dtype.type, scale, zero, axis, data))

    def output(self, shape, kind, scale, zero):
        self.outputs.append(self.tensor(shape, kind, scale, zero))

    def node(self, operator: int, operands, output: int, options=None, kind=OPTIONS.NONE,
             version: int = 1):
        code = schema.OperatorCodeT()
        code.builtinCode, code.version = operator, version
        code.deprecatedBuiltinCode = min(operator, 127)
        node = schema.OperatorT()
        node.opcodeIndex = len(self.codes)
        node.inputs = np.array(operands, np.int32)
        node.outputs = np.array([output], np.int32)
        node.builtinOptions, node.builtinOptionsType = options, kind
        self.codes.append(code)
        self.nodes.append(node)

    def finish(self, operator: int, options=None, kind=OPTIONS.NONE, version: int = 1):
        """A model of this one operator."""
        self.codes, self.nodes = [], []
        self.node(operator, self.operands, self.outputs[0], options, kind, version)
        return self.build()

    def build(self):
        graph = schema.SubGraphT()
        graph.tensors, graph.operators = self.tensors, self.nodes
        graph.inputs = np.array(self.inputs, np.int32)
        graph.outputs = np.array(self.outputs, np.int32)
        model = schema.ModelT()
        model.version, model.subgraphs, model.buffers = 3, [graph], self.buffers
        model.operatorCodes = self.codes
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        self.model = bytes(builder.Output())
        return self

    def run(self) -> list[np.ndarray]:
        reference = interpreter.Interpreter(
            model_content=self.model, num_threads=1,
            experimental_op_resolver_type=interpreter.OpResolverType.BUILTIN_REF)
        reference.allocate_tensors()
        for place, (shape, kind) in enumerate(self.input_kinds):
            data = seeded(shape, kind, self.seed * 16 + place, self.dropped)
            reference.set_tensor(reference.get_input_details()[place]["index"], data)
        reference.invoke()
        return [reference.get_tensor(d["index"]) for d in reference.get_output_details()]

    def refused(self, message: str):
        self.name, self.run = message, list
        return self

    def packed(self) -> bytes:
        name = self.name.encode()
        out = struct.pack("<H", len(name)) + name
        out += struct.pack("<I", len(self.model)) + self.model
        out += struct.pack("<I", len(self.input_kinds))
        for place in range(len(self.input_kinds)):
            out += struct.pack("<QB", self.seed * 16 + place, self.dropped)
        outputs = self.run()
        out += struct.pack("<I", len(outputs))
        for array in outputs:
            out += struct.pack("<I", array.nbytes) + array.tobytes()
        return out


def size_after(size: int, window: int, stride: int, padding: int) -> int:
    return -(-size // stride) if padding == SAME else (size - window) // stride + 1


def convolution(seed, *, size, kernel, channels, filters=None, stride=(1, 1), padding=SAME,
                activation=NONE, kind=np.int8, bias=np.int32, zeros=(-3, 5), per_channel=True,
                gain=1.0, multiplier=1, dilation=1, weights=(-127, 128), name=""):
    """`filters` None is a depthwise convolution; only that may have no bias in the reference."""
    depthwise = filters is None
    filters = filters or channels * multiplier
    label = "depthwise" if depthwise else "conv"
    case = Case(
        f"{label} {name or size} {kind.__name__} k{kernel} c{channels}>{filters} s{stride}"
        f" {'same' if padding == SAME else 'valid'} a{activation} z{zeros}", seed)
    wide = kind is np.int16
    zero_in, zero_out = (0, 0) if wide else zeros
    case.dropped = 2 if wide else 0
    shape = (1, *kernel, filters) if depthwise else (filters, *kernel, channels)
    filter = case.random.integers(*weights, shape).astype(np.int8)
    # Outputs that use the range and clip a little: the deviation of the accumulator is known.
    taps = kernel[0] * kernel[1] * (1 if depthwise else channels)
    spread = 73.0 * (74.0 if not wide else 4700.0) * np.sqrt(taps)
    step_in, step_out = (0.02, 0.05) if not wide else (3e-4, 7e-4)
    base = step_out * (60 if not wide else 12000) / (spread * step_in)
    scales = base * gain * case.random.uniform(0.3, 1.6, filters if per_channel else 1)
    constants = (case.random.normal(0, spread, filters)).astype(np.int64).astype(bias or np.int32)
    case.input((1, *size, channels), kind, step_in, zero_in)
    case.constant(filter, scales, 0, 3 if depthwise else 0)
    if bias is not None:
        case.constant(constants, scales * step_in, 0, 0)
    height = size_after(size[0], kernel[0], stride[0], padding)
    width = size_after(size[1], kernel[1], stride[1], padding)
    case.output((1, height, width, filters), kind, step_out, zero_out)
    options = schema.DepthwiseConv2DOptionsT() if depthwise else schema.Conv2DOptionsT()
    options.padding, options.fusedActivationFunction = padding, activation
    options.strideH, options.strideW = stride
    options.dilationHFactor = options.dilationWFactor = dilation
    if wide and bias is np.int32:
        # Without this the reference reads the biases as int64, beyond their end.
        options.quantizedBiasType = TYPES.INT32
    if depthwise:
        options.depthMultiplier = multiplier
        return case.finish(
            OPERATORS.DEPTHWISE_CONV_2D, options, OPTIONS.DepthwiseConv2DOptions, 3)
    return case.finish(OPERATORS.CONV_2D, options, OPTIONS.Conv2DOptions, 3)


def dense(seed, *, count, filters, activation=NONE, bias=np.int32, per_channel=False,
          zeros=(-7, 11), kind=np.int8):
    case = Case(
        f"dense {kind.__name__} {count}>{filters} a{activation} z{zeros}"
        f" b{np.dtype(bias).itemsize * 8 if bias else 0}", seed)
    wide = kind is np.int16
    zeros = (0, 0) if wide else zeros
    case.dropped = 2 if wide else 0
    step_in, step_out = (0.02, 0.05) if not wide else (3e-4, 7e-4)
    weights = case.random.integers(-127, 128, (filters, count)).astype(np.int8)
    spread = 73.0 * (74.0 if not wide else 4700.0) * np.sqrt(count)
    scales = step_out * (60 if not wide else 12000) / (spread * step_in) * case.random.uniform(
        0.5, 1.3, filters if per_channel else 1)
    case.input((1, count), kind, step_in, zeros[0])
    case.constant(weights, scales)
    if bias:
        values = case.random.normal(0, spread, filters).astype(bias)
        case.constant(values, scales * step_in)
    else:
        case.operands.append(-1)
    case.output((1, filters), kind, step_out, zeros[1])
    options = schema.FullyConnectedOptionsT()
    options.fusedActivationFunction = activation
    if wide and bias is np.int32:
        options.quantizedBiasType = TYPES.INT32
    return case.finish(OPERATORS.FULLY_CONNECTED, options, OPTIONS.FullyConnectedOptions, 4)


def pool(seed, *, size, channels, window, stride, padding=SAME, activation=NONE, average=False,
         kind=np.int8, zero=-4):
    case = Case(
        f"{'average' if average else 'max'} pool {size} {kind.__name__} w{window} s{stride}"
        f" c{channels} {'same' if padding == SAME else 'valid'} a{activation} z{zero}", seed)
    zero = 0 if kind is np.int16 else zero
    case.input((1, *size, channels), kind, 0.05 if kind is np.int8 else 2e-4, zero)
    height = size_after(size[0], window[0], stride[0], padding)
    width = size_after(size[1], window[1], stride[1], padding)
    case.output((1, height, width, channels), kind, 0.05 if kind is np.int8 else 2e-4, zero)
    options = schema.Pool2DOptionsT()
    options.padding, options.fusedActivationFunction = padding, activation
    options.filterHeight, options.filterWidth = window
    options.strideH, options.strideW = stride
    operator = OPERATORS.AVERAGE_POOL_2D if average else OPERATORS.MAX_POOL_2D
    return case.finish(operator, options, OPTIONS.Pool2DOptions, 3)


def add(seed, *, shape, scales, zeros=(-3, 17, 5), activation=NONE, kind=np.int8):
    case = Case(f"add {shape} {kind.__name__} {scales} z{zeros} a{activation}", seed)
    zeros = (0, 0, 0) if kind is np.int16 else zeros
    case.input((1, *shape), kind, scales[0], zeros[0])
    case.input((1, *shape), kind, scales[1], zeros[1])
    case.output((1, *shape), kind, scales[2], zeros[2])
    options = schema.AddOptionsT()
    options.fusedActivationFunction, options.potScaleInt16 = activation, False
    return case.finish(OPERATORS.ADD, options, OPTIONS.AddOptions, 2)


def prelu(seed, *, shape, scales=(0.05, 0.01, 0.04), zeros=(-9, 0, 12), kind=np.int8):
    case = Case(f"prelu {shape} {kind.__name__} {scales} z{zeros}", seed)
    zeros = (0, 0, 0) if kind is np.int16 else zeros
    slopes = case.random.integers(-128, 128, (1, 1, shape[-1])).astype(np.int8)
    case.input((1, *shape), kind, scales[0], zeros[0])
    case.constant(slopes, scales[1], zeros[1])
    case.output((1, *shape), kind, scales[2], zeros[2])
    return case.finish(OPERATORS.PRELU)


def pad(seed, *, shape, amounts, kind=np.int8, zero=6):
    case = Case(f"pad {shape} by {amounts} {kind.__name__}", seed)
    zero = 0 if kind is np.int16 else zero
    case.input((1, *shape), kind, 0.05, zero)
    case.constant(np.array([(0, 0), *amounts], np.int32))
    out = [size + before + after for size, (before, after) in zip(shape, amounts)]
    case.output((1, *out), kind, 0.05, zero)
    return case.finish(OPERATORS.PAD, schema.PadOptionsT(), OPTIONS.PadOptions, 2)


def resize(seed, *, shape, factor, kind=np.int8):
    case = Case(f"nearest {shape} x{factor} {kind.__name__}", seed)
    zero = 0 if kind is np.int16 else -2
    case.input((1, *shape), kind, 0.05, zero)
    height, width = shape[0] * factor, shape[1] * factor
    case.constant(np.array((height, width), np.int32))
    case.output((1, height, width, shape[2]), kind, 0.05, zero)
    options = schema.ResizeNearestNeighborOptionsT()
    return case.finish(
        OPERATORS.RESIZE_NEAREST_NEIGHBOR, options, OPTIONS.ResizeNearestNeighborOptions, 2)


def reshape(seed, *, shape, target, kind=np.int8):
    case = Case(f"reshape {shape} to {target} {kind.__name__}", seed)
    case.input(shape, kind, 0.05, 0)
    case.constant(np.array(target, np.int32))
    case.output(target, kind, 0.05, 0)
    options = schema.ReshapeOptionsT()
    options.newShape = np.array(target, np.int32)
    return case.finish(OPERATORS.RESHAPE, options, OPTIONS.ReshapeOptions)


def cases():
    conv, wide = convolution, np.int16
    seeds = iter(range(1, 10_000))
    nxt = lambda: next(seeds)
    # Channel counts around every vector width and tile edge, 1x1.
    for channels, filters in ((1, 1), (2, 3), (3, 4), (4, 5), (5, 8), (7, 9), (8, 16), (9, 7),
                              (15, 17), (16, 16), (17, 15), (31, 33), (32, 31), (33, 32)):
        yield conv(nxt(), size=(3, 5), kernel=(1, 1), channels=channels, filters=filters)
    # Pixel counts around the tile's edges.
    for size in ((1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 4), (3, 3), (1, 15), (1, 17)):
        yield conv(nxt(), size=size, kernel=(1, 1), channels=6, filters=5)
    # Windows, strides, paddings, odd sizes.
    for kernel in ((2, 2), (3, 3), (5, 5), (1, 3), (3, 1), (2, 3)):
        for stride in ((1, 1), (2, 2), (2, 1), (3, 3)):
            for padding in (SAME, VALID):
                size = (7, 6) if stride != (2, 2) else (8, 9)
                yield conv(nxt(), size=size, kernel=kernel, channels=3, filters=5,
                           stride=stride, padding=padding)
    for size in ((1, 1), (2, 1), (1, 3), (2, 2)):  # windows larger than the picture
        yield conv(nxt(), size=size, kernel=(3, 3), channels=4, filters=6)
        yield conv(nxt(), size=size, kernel=(5, 5), channels=2, filters=3, stride=(2, 2))
    for channels, filters in ((3, 16), (16, 16), (16, 9), (8, 33)):
        yield conv(nxt(), size=(6, 5), kernel=(3, 3), channels=channels, filters=filters,
                   stride=(2, 2))
    yield conv(nxt(), size=(3, 3), kernel=(3, 3), channels=32, filters=21, padding=VALID)
    # Zero points, activations, one scale for all filters, multipliers above one.
    for zeros in ((-128, -128), (127, 127), (-128, 127), (127, -128), (0, 0)):
        for activation in (NONE, RELU):
            yield conv(nxt(), size=(5, 5), kernel=(3, 3), channels=3, filters=4, zeros=zeros,
                       activation=activation)
    for activation in (RELU6, RELU1):
        yield conv(nxt(), size=(5, 4), kernel=(3, 3), channels=4, filters=9, activation=activation)
    yield conv(nxt(), size=(4, 4), kernel=(2, 2), channels=5, filters=6, per_channel=False)
    for gain in (1e-7, 1e-3, 40.0, 4000.0):
        yield conv(nxt(), size=(4, 4), kernel=(1, 1), channels=3, filters=8, gain=gain,
                   name=f"gain{gain} (4, 4)")
    # Depthwise.
    for channels in (1, 3, 7, 8, 9, 15, 16, 17, 32, 33):
        for stride in ((1, 1), (2, 2)):
            yield conv(nxt(), size=(5, 6), kernel=(3, 3), channels=channels, stride=stride)
    for kernel in ((1, 1), (2, 2), (5, 5), (3, 1), (2, 5)):
        for stride, padding in (((1, 1), SAME), ((2, 2), SAME), ((1, 2), VALID), ((3, 3), VALID)):
            yield conv(nxt(), size=(7, 8), kernel=kernel, channels=5, stride=stride,
                       padding=padding)
    for size in ((1, 1), (2, 1), (1, 3), (2, 2), (3, 17), (1, 18), (13, 1)):
        yield conv(nxt(), size=size, kernel=(3, 3), channels=9)
        yield conv(nxt(), size=size, kernel=(3, 3), channels=16, stride=(2, 2))
    for zeros in ((-128, -128), (127, 127), (-128, 127), (127, -128)):
        for activation in (NONE, RELU, RELU6, RELU1):
            yield conv(nxt(), size=(4, 5), kernel=(3, 3), channels=6, zeros=zeros,
                       activation=activation)
    yield conv(nxt(), size=(4, 5), kernel=(3, 3), channels=6, per_channel=False)
    yield conv(nxt(), size=(4, 5), kernel=(3, 3), channels=6, bias=None)
    for multiplier in (2, 3):
        yield conv(nxt(), size=(4, 5), kernel=(3, 3), channels=5, multiplier=multiplier)
    # int8 weights, int16 activations.
    for bias in (np.int32, np.int64):
        for channels, filters in ((1, 1), (3, 8), (8, 5), (17, 9)):
            for kernel, stride, padding in (((1, 1), (1, 1), SAME), ((3, 3), (2, 2), SAME),
                                            ((2, 2), (1, 1), VALID), ((3, 3), (1, 1), SAME)):
                yield conv(nxt(), size=(5, 4), kernel=kernel, channels=channels, filters=filters,
                           stride=stride, padding=padding, kind=wide, bias=bias,
                           name=f"b{np.dtype(bias).itemsize * 8} (5, 4)")
        yield conv(nxt(), size=(4, 4), kernel=(3, 3), channels=4, filters=4, activation=RELU,
                   kind=wide, bias=bias, name=f"b{np.dtype(bias).itemsize * 8} (4, 4)")
    for channels in (1, 5, 8, 17):
        for stride in ((1, 1), (2, 2)):
            yield conv(nxt(), size=(5, 6), kernel=(3, 3), channels=channels, stride=stride,
                       kind=wide, bias=np.int64)
    yield conv(nxt(), size=(5, 6), kernel=(3, 3), channels=4, activation=RELU, kind=wide,
               bias=np.int64)
    # Fully connected.
    for count, filters in ((1, 1), (3, 2), (15, 5), (16, 9), (17, 4), (33, 17), (64, 1), (130, 3)):
        yield dense(nxt(), count=count, filters=filters)
        yield dense(nxt(), count=count, filters=filters, per_channel=True, activation=RELU)
    yield dense(nxt(), count=20, filters=6, bias=None)
    yield dense(nxt(), count=20, filters=6, zeros=(-128, 127))
    for bias in (np.int32, np.int64):
        for count, filters in ((1, 1), (9, 5), (33, 8)):
            yield dense(nxt(), count=count, filters=filters, kind=wide, bias=bias)
            yield dense(nxt(), count=count, filters=filters, kind=wide, bias=bias,
                        per_channel=True, activation=RELU)
    # Pools.
    for average in (False, True):
        for size, window, stride, padding in (
                ((4, 4), (2, 2), (2, 2), VALID), ((5, 7), (2, 2), (2, 2), SAME),
                ((5, 7), (2, 2), (2, 2), VALID), ((5, 5), (3, 3), (1, 1), SAME),
                ((6, 5), (3, 2), (2, 1), SAME), ((4, 6), (4, 6), (1, 1), VALID),
                ((1, 1), (2, 2), (2, 2), SAME), ((8, 8), (3, 3), (3, 3), VALID)):
            for channels in (1, 7, 17):
                yield pool(nxt(), size=size, channels=channels, window=window, stride=stride,
                           padding=padding, average=average)
        yield pool(nxt(), size=(4, 6), channels=16, window=(2, 2), stride=(2, 2), average=average,
                   activation=RELU, zero=-100)
        yield pool(nxt(), size=(4, 6), channels=5, window=(2, 2), stride=(2, 2), average=average,
                   activation=RELU6, zero=-30)
        yield pool(nxt(), size=(5, 6), channels=9, window=(2, 2), stride=(2, 2), average=average,
                   kind=wide)
        yield pool(nxt(), size=(5, 6), channels=3, window=(3, 3), stride=(1, 1), average=average,
                   kind=wide)
    # Additions.
    for shape in ((1, 1, 1), (1, 1, 7), (2, 3, 5), (3, 3, 16), (1, 1, 33), (5, 1, 9)):
        yield add(nxt(), shape=shape, scales=(0.05, 0.02, 0.06))
    for scales in ((0.05, 0.05, 0.05), (0.001, 0.9, 0.5), (0.9, 0.001, 0.002), (0.3, 0.3, 0.9)):
        for activation in (NONE, RELU, RELU6):
            yield add(nxt(), shape=(3, 3, 8), scales=scales, activation=activation)
    for zeros in ((-128, -128, -128), (127, 127, 127), (-128, 127, 0)):
        yield add(nxt(), shape=(3, 3, 8), scales=(0.05, 0.03, 0.06), zeros=zeros)
    for scales in ((2e-4, 3e-4, 4e-4), (1e-4, 1e-4, 1e-4), (1e-5, 4e-4, 2e-4)):
        for activation in (NONE, RELU):
            yield add(nxt(), shape=(3, 3, 7), scales=scales, activation=activation, kind=wide)
    # PReLU.
    for shape in ((1, 1, 1), (2, 3, 5), (3, 3, 16), (2, 2, 33)):
        yield prelu(nxt(), shape=shape)
        yield prelu(nxt(), shape=shape, scales=(0.05, 0.002, 0.05), zeros=(4, 0, -100))
        yield prelu(nxt(), shape=shape, scales=(2e-4, 0.003, 2e-4), kind=wide)
    yield prelu(nxt(), shape=(2, 2, 8), zeros=(-128, 0, 127))
    yield prelu(nxt(), shape=(2, 2, 8), zeros=(3, 9, 1))
    # Pads, resizes, reshapes.
    for amounts in (((0, 0), (0, 0), (0, 5)), ((0, 0), (0, 0), (2, 1)), ((1, 2), (0, 0), (0, 0)),
                    ((0, 1), (0, 1), (0, 0)), ((1, 1), (2, 3), (0, 4)), ((0, 0), (0, 0), (0, 0))):
        yield pad(nxt(), shape=(3, 2, 5), amounts=amounts)
        yield pad(nxt(), shape=(2, 3, 4), amounts=amounts, kind=wide)
    for shape, factor in (((1, 1, 1), 2), ((3, 2, 5), 2), ((2, 3, 17), 2), ((2, 2, 3), 1)):
        yield resize(nxt(), shape=shape, factor=factor)
        yield resize(nxt(), shape=shape, factor=factor, kind=wide)
    for shape, target in (((1, 3, 4, 5), (1, 60)), ((1, 2, 3, 4), (1, 6, 4)), ((1, 6), (1, 2, 3)),
                          ((1, 4, 4, 2), (1, 2, 8, 2))):
        yield reshape(nxt(), shape=shape, target=target)
        yield reshape(nxt(), shape=shape, target=target, kind=wide)
    # What the firmware has not.
    yield resize(nxt(), shape=(3, 3, 4), factor=3).refused("only the double size is")
    yield conv(nxt(), size=(9, 9), kernel=(3, 3), channels=2, filters=3, dilation=2).refused(
        "(conv2D) with a dilation")
    yield conv(nxt(), size=(2, 2), kernel=(1, 1), channels=2, filters=3,
               weights=(-128, -127)).refused("a weight is -128")
    float32 = Case("", nxt())
    float32.input((1, 2, 2, 3), np.float32, 1, 0)
    float32.output((1, 2, 2, 3), np.float32, 1, 0)
    yield float32.finish(OPERATORS.MAX_POOL_2D).refused("is float32, not int8 or int16")
    yield pool(nxt(), size=(4, 4), channels=2, window=(2, 2), stride=(2, 2)).finish(
        OPERATORS.LOGISTIC).refused("operator 0 has the code 14")
    unscaled = Case("", nxt())
    unscaled.input((1, 2, 2, 3), np.int8, 0.5, 0)
    unscaled.output((1, 2, 2, 3), np.int8, 0.25, 0)
    unscaled.constant(np.zeros((4, 2), np.int32))
    yield unscaled.finish(OPERATORS.PAD).refused("with another scale behind it than before it")


def write(name: str, mark: bytes, cases) -> bool:
    packed, failed = [], 0
    for case in cases:
        try:
            packed.append(case.packed())
        except Exception as error:  # a combination that the reference refuses
            print(f"{case.name}: {error}", file=sys.stderr)
            failed += 1
    data = mark + struct.pack("<I", len(packed)) + b"".join(packed)
    Path(__file__).with_name(name).write_bytes(data)
    print(f"{name}: {len(packed)} cases, {len(data)} bytes, {failed} refused by the reference")
    return failed > 0


if __name__ == "__main__":
    sys.exit(write("operators.golden", b"LLGOLD1\0", cases()))
