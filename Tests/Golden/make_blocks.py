#!/usr/bin/env python3
"""Makes blocks.golden: small networks in which the packer has something to fuse.

    pip install ai-edge-litert==2.3.0 flatbuffers==25.12.19 numpy==2.4.6
    python3 Tests/Golden/make_blocks.py          # writes Tests/Golden/blocks.golden

As operators.golden (see make.py; the mark is "LLGOLD2\\0"), and behind each case
    u8 PReLUs, u8 additions, u8 pads that the packer must fuse,
    u8 1 if the last output is also to be tried raw (then its accumulators are stored),
    u32 ideals, for each: u32 output, u32 bytes, the bytes.
An ideal is what an output would be if only the tensors that fusing keeps were rounded: real
numbers, computed here in double precision from the reference's own values of those tensors.
"""

import struct
import sys

import numpy as np

import make
from make import NONE, OPERATORS, OPTIONS, RELU, SAME, TYPES, VALID, schema


class Block(make.Case):
    """A network of int8 (or int16) tensors, each kept as an output so that its value is known."""

    def __init__(self, name: str, seed: int, kind=np.int8):
        super().__init__(name, seed)
        self.kind, self.dropped = kind, 2 if kind is np.int16 else 0
        self.shapes, self.scales, self.zeros, self.real = {}, {}, {}, {}
        self.fused, self.raw, self.ideals = (0, 0, 0), False, []

    def quantised(self, shape, scale, zero):
        if self.kind is np.int16:
            scale, zero = scale / 200, 0
        index = self.tensor((1, *shape), self.kind, scale, zero)
        self.shapes[index], self.scales[index], self.zeros[index] = shape, np.float32(scale), zero
        return index

    def source(self, shape, scale=0.02, zero=-3):
        index = self.quantised(shape, scale, zero)
        self.inputs.append(index)
        self.input_kinds.append(((1, *shape), self.kind))
        return index

    def conv(self, x, filters=None, kernel=1, stride=1, padding=SAME, activation=NONE,
             scale=0.05, zero=5, bias=np.int32):
        """`filters` None is depthwise."""
        height, width, channels = self.shapes[x]
        depthwise = filters is None
        filters = filters or channels
        taps = kernel * kernel * (1 if depthwise else channels)
        shape = (1, kernel, kernel, channels) if depthwise else (filters, kernel, kernel, channels)
        w = self.random.integers(-127, 128, shape).astype(np.int8)
        unit = self.scales[x] * (1 if self.kind is np.int8 else 200)
        scales = (scale * 50 / (73 * 73 * np.sqrt(taps) * unit)
                  * self.random.uniform(0.4, 1.5, filters)).astype(np.float32)
        limit = 73 * 73 * (1 if self.kind is np.int8 else 100) * np.sqrt(taps) / 2
        b = self.random.normal(0, limit, filters).astype(bias)
        after = make.size_after
        y = self.quantised((after(height, kernel, stride, padding),
                            after(width, kernel, stride, padding), filters), scale, zero)
        options = schema.DepthwiseConv2DOptionsT() if depthwise else schema.Conv2DOptionsT()
        options.padding, options.fusedActivationFunction = padding, activation
        options.strideH = options.strideW = stride
        options.dilationHFactor = options.dilationWFactor = 1
        if depthwise:
            options.depthMultiplier = 1
        elif self.kind is np.int16 and bias is np.int32:
            options.quantizedBiasType = TYPES.INT32
        constants = [self.tensor(w.shape, np.int8, scales, 0, 3 if depthwise else 0, w),
                     self.tensor(b.shape, bias, scales * self.scales[x], 0, 0, b)]
        code = OPERATORS.DEPTHWISE_CONV_2D if depthwise else OPERATORS.CONV_2D
        kind = OPTIONS.DepthwiseConv2DOptions if depthwise else OPTIONS.Conv2DOptions
        self.node(code, [x, *constants], y, options, kind, 3)

        def accumulator(values):
            centred = values[x].astype(np.float64) - self.zeros[x]
            rows, columns = self.shapes[y][:2]
            pad_h = max((rows - 1) * stride + kernel - height, 0) if padding == SAME else 0
            pad_w = max((columns - 1) * stride + kernel - width, 0) if padding == SAME else 0
            big = np.zeros((height + pad_h, width + pad_w, channels))
            big[pad_h // 2:pad_h // 2 + height, pad_w // 2:pad_w // 2 + width] = centred[0]
            out = np.zeros((rows, columns, filters))
            for i in range(kernel):
                for j in range(kernel):
                    part = big[i:i + (rows - 1) * stride + 1:stride,
                               j:j + (columns - 1) * stride + 1:stride]
                    tap = w.astype(np.float64)[0 if depthwise else slice(None), i, j]
                    out += part * tap if depthwise else part @ tap.T
            return out + b

        self.sums = accumulator
        self.real[y] = lambda values: accumulator(values) * (
            np.float64(self.scales[x]) * scales.astype(np.float64))
        return y

    def value(self, index, values):
        """The real value of a tensor that fusing keeps, or of one that it does not."""
        if index in self.hidden:
            return self.real[index](values)
        return (values[index][0].astype(np.float64) - self.zeros[index]) * np.float64(
            self.scales[index])

    def add(self, a, b, activation=NONE, scale=0.07, zero=-8):
        y = self.quantised(self.shapes[a], scale, zero)
        options = schema.AddOptionsT()
        options.fusedActivationFunction, options.potScaleInt16 = activation, False
        self.node(OPERATORS.ADD, [a, b], y, options, OPTIONS.AddOptions, 2)
        self.real[y] = lambda values: (
            lambda s: np.maximum(s, 0) if activation == RELU else s
        )(self.value(a, values) + self.value(b, values))
        return y

    def prelu(self, x, scale=0.04, zero=-20, low=-60, high=128, slope_zero=0):
        y = self.quantised(self.shapes[x], scale, zero)
        a = self.random.integers(low, high, (1, 1, self.shapes[x][2])).astype(np.int8)
        step = np.float32(0.011)
        constant = self.tensor(a.shape, np.int8, step, slope_zero, 0, a)
        self.node(OPERATORS.PRELU, [x, constant], y)
        slopes = (a.reshape(-1).astype(np.float64) - slope_zero) * np.float64(step)
        self.real[y] = lambda values: (
            lambda v: np.where(v >= 0, v, v * slopes))(self.value(x, values))
        return y

    def same_scale(self, x, shape):
        y = self.tensor((1, *shape), self.kind, self.scales[x], self.zeros[x])
        self.shapes[y], self.scales[y], self.zeros[y] = shape, self.scales[x], self.zeros[x]
        return y

    def pool(self, x):
        height, width, channels = self.shapes[x]
        y = self.same_scale(x, (-(-height // 2), -(-width // 2), channels))
        options = schema.Pool2DOptionsT()
        options.padding, options.filterHeight, options.filterWidth = SAME, 2, 2
        options.strideH = options.strideW = 2
        self.node(OPERATORS.MAX_POOL_2D, [x], y, options, OPTIONS.Pool2DOptions, 2)
        return y

    def pad(self, x, *amounts):
        shape = [s + a + b for s, (a, b) in zip(self.shapes[x], amounts)]
        y = self.same_scale(x, shape)
        data = np.array([(0, 0), *amounts], np.int32)
        constant = self.tensor(data.shape, np.int32, data=data)
        self.node(OPERATORS.PAD, [x, constant], y, schema.PadOptionsT(), OPTIONS.PadOptions, 2)
        self.real[y] = lambda values: np.pad(self.value(x, values), amounts)
        return y

    def double(self, x):
        height, width, channels = self.shapes[x]
        y = self.same_scale(x, (2 * height, 2 * width, channels))
        data = np.array((2 * height, 2 * width), np.int32)
        options = schema.ResizeNearestNeighborOptionsT()
        self.node(OPERATORS.RESIZE_NEAREST_NEIGHBOR, [x, self.tensor(data.shape, np.int32, data=data)],
                  y, options, OPTIONS.ResizeNearestNeighborOptions, 2)
        return y

    def reshape(self, x, shape):
        y = self.tensor(shape, self.kind, self.scales[x], self.zeros[x])
        data = np.array(shape, np.int32)
        options = schema.ReshapeOptionsT()
        options.newShape = data
        self.node(OPERATORS.RESHAPE, [x, self.tensor(data.shape, np.int32, data=data)], y, options,
                  OPTIONS.ReshapeOptions)
        return y

    def dense(self, x, filters, scale=0.05, zero=3):
        count = int(np.prod(self.shapes[x]))
        w = self.random.integers(-127, 128, (filters, count)).astype(np.int8)
        step = np.float32(scale * 50 / (73 * 73 * np.sqrt(count) * self.scales[x]))
        b = self.random.normal(0, 30000, filters).astype(np.int32)
        y = self.tensor((1, filters), self.kind, scale, zero)
        options = schema.FullyConnectedOptionsT()
        operands = [x, self.tensor(w.shape, np.int8, step, 0, 0, w),
                    self.tensor(b.shape, np.int32, step * self.scales[x], 0, 0, b)]
        self.node(OPERATORS.FULLY_CONNECTED, operands, y, options, OPTIONS.FullyConnectedOptions, 4)
        self.sums = lambda values: (
            values[x].astype(np.float64).reshape(-1) - self.zeros[x]) @ w.T.astype(np.float64) + b
        return y

    def end(self, *outputs, hidden=(), fused=(0, 0, 0), ideal=True, raw=False):
        """`hidden`: tensors that fusing does away with."""
        for number, index in enumerate(outputs):
            self.tensors[index].name = f"output{number}".encode()
        self.hidden, self.fused, self.raw = set(hidden), fused, raw
        # Once with every kept tensor as an output, to learn their values.
        kept = [i for i in self.shapes if i not in self.hidden]
        self.outputs = kept
        everything = dict(zip(kept, self.build().run()))
        self.outputs = list(outputs)
        self.build()
        for number, index in enumerate(outputs):
            if not ideal or index not in self.real:
                continue
            real = self.real[index](everything) / np.float64(self.scales[index])
            info = np.iinfo(self.kind)
            steps = np.clip(np.rint(real) + self.zeros[index], info.min, info.max)
            self.ideals.append((number, steps.astype(self.kind)))
        if raw:
            self.accumulators = self.sums(everything).astype(np.int32)
        return self

    def packed(self) -> bytes:
        out = super().packed() + bytes((*self.fused, int(self.raw)))
        if self.raw:
            out += struct.pack("<I", self.accumulators.nbytes) + self.accumulators.tobytes()
        out += struct.pack("<I", len(self.ideals))
        for number, array in self.ideals:
            out += struct.pack("<II", number, array.nbytes) + array.tobytes()
        return out


def blocks():
    seeds = iter(range(20_000, 30_000))

    def block(name, kind=np.int8):
        return Block(name, next(seeds), kind)

    for kind, bias in ((np.int8, np.int32), (np.int16, np.int32), (np.int16, np.int64)):
        label = f"{np.dtype(kind).name} bias {np.dtype(bias).name}"
        for depthwise in (False, True):
            if depthwise and kind is np.int16 and bias is np.int32:
                continue  # the reference has no such operator
            b = block(f"convolution, PReLU {label} depthwise {depthwise}", kind)
            c = b.conv(b.source((5, 7, 9)), None if depthwise else 17, 3, 2, bias=bias)
            yield b.end(b.prelu(c), hidden=[c], fused=(1, 0, 0))

            b = block(f"convolution, addition, PReLU {label} depthwise {depthwise}", kind)
            x = b.source((4, 5, 9))
            c = b.conv(x, None if depthwise else 9, 3, bias=bias)
            s = b.add(x, c)
            yield b.end(b.prelu(s), hidden=[c, s], fused=(1, 1, 0))

        b = block(f"convolution, addition with ReLU {label}", kind)
        x = b.source((4, 5, 16), 0.03, 100)
        c = b.conv(x, 16, bias=bias)
        yield b.end(b.add(c, x, RELU), hidden=[c], fused=(0, 1, 0))

        b = block(f"the mesh's block of two widths {label}", kind)
        x = b.source((6, 7, 8))
        d = b.conv(x, None, 3, 2, bias=np.int64 if kind is np.int16 else bias)
        c = b.conv(d, 16, bias=bias)
        m = b.pool(x)
        p = b.pad(m, (0, 0), (0, 0), (0, 8))
        s = b.add(p, c)
        yield b.end(b.prelu(s), hidden=[p, c, s], fused=(1, 1, 1))

    b = block("PReLU with slopes above one")
    c = b.conv(b.source((3, 3, 4)), 8)
    yield b.end(b.prelu(c, low=90, high=127), hidden=[c], fused=(1, 0, 0))

    b = block("PReLU whose slopes have a zero point")
    c = b.conv(b.source((3, 3, 4)), 8)
    yield b.end(b.prelu(c, slope_zero=37), hidden=[c], fused=(1, 0, 0))

    b = block("two convolutions added: the later one takes it")
    x = b.source((4, 4, 8))
    p, q = b.conv(x, 8), b.conv(x, 8, 3)
    yield b.end(b.add(p, q), hidden=[q], fused=(0, 1, 0))

    b = block("residual of a very different scale")
    x = b.source((4, 4, 8), 0.5)
    c = b.conv(x, 8, scale=0.004)
    yield b.end(b.add(x, c, scale=0.6), hidden=[c], fused=(0, 1, 0))

    b = block("pads of rows and columns, exact")
    x = b.source((5, 6, 3))
    p = b.pad(x, (0, 1), (0, 1), (0, 0))
    c = b.conv(p, 8, 3, 2, VALID)
    p2 = b.pad(c, (1, 1), (2, 0), (0, 0))
    yield b.end(b.conv(p2, None, 3, 1, VALID), hidden=[p, p2], fused=(0, 0, 2),
                ideal=False)

    b = block("pad that leaves a window outside stays")
    p = b.pad(b.source((3, 3, 2)), (3, 0), (0, 0), (0, 0))
    yield b.end(b.conv(p, 4, 2, 1, VALID), ideal=False)

    b = block("a convolution with two readers stays")
    x = b.source((3, 4, 8))
    c = b.conv(x, 8)
    s = b.add(x, c)
    yield b.end(b.prelu(s), b.prelu(c), ideal=False)

    b = block("a convolution that is an output stays")
    c = b.conv(b.source((3, 4, 8)), 8)
    yield b.end(c, b.prelu(c), ideal=False)

    b = block("a convolution with an activation stays")
    x = b.source((3, 4, 8))
    yield b.end(b.add(x, b.conv(x, 8, activation=RELU)), ideal=False)

    b = block("YuNet's neck: doubled, added, two heads")
    x = b.source((8, 8, 3))
    small = b.conv(b.conv(x, 16, 3, 2, activation=RELU), 16, 3, 2, activation=RELU)
    wide = b.conv(b.conv(x, 16, 3, 2, activation=RELU), 16)
    yield b.end(b.conv(b.add(b.double(small), wide), 4), b.conv(b.pool(small), 1),
                fused=(0, 1, 0), ideal=False)

    b = block("raw head behind a reshape", np.int8)
    c = b.conv(b.source((3, 4, 8)), 5, 3)
    yield b.end(b.reshape(c, (1, 12, 5)), ideal=False, raw=True)

    b = block("raw fully connected", np.int8)
    yield b.end(b.dense(b.pool(b.source((5, 4, 6))), 7), ideal=False, raw=True)


if __name__ == "__main__":
    sys.exit(make.write("blocks.golden", b"LLGOLD2\0", blocks()))
