"""A network as a list of nodes in NHWC, and its float executor.

Both sources (ONNX and float TFLite) are read into this form; quantising, writing and measuring
start from it. Only what our networks need is here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray


@dataclass
class Node:
    op: str  # the TFLite name: CONV_2D, DEPTHWISE_CONV_2D, ADD, PRELU, ...
    inputs: list[str]
    output: str
    # CONV_2D: (out, kh, kw, in). DEPTHWISE_CONV_2D: (1, kh, kw, channels). PRELU: (channels,).
    weights: Array | None = None
    bias: Array | None = None
    stride: int = 1
    same: bool = False  # TFLite's SAME, else VALID
    relu: bool = False
    window: int = 0  # pools
    pads: Array | None = None  # PAD: (4, 2)


@dataclass
class Graph:
    name: str
    input: str
    input_shape: tuple[int, ...]
    nodes: list[Node]
    outputs: list[str]
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shapes = {self.input: self.input_shape}
        for node in self.nodes:
            self.shapes[node.output] = output_shape(node, self.shapes)

    def run(self, x: Array, watch: Callable[[str, Array], None] | None = None) -> dict[str, Array]:
        """Float outputs of a batch; `watch` sees every tensor as it appears."""
        values = {self.input: x.astype(np.float32)}
        if watch:
            watch(self.input, values[self.input])
        last_use = {name: i for i, node in enumerate(self.nodes) for name in node.inputs}
        for i, node in enumerate(self.nodes):
            value = evaluate(node, [values[name] for name in node.inputs])
            values[node.output] = value
            if watch:
                watch(node.output, value)
            for name in node.inputs:
                if last_use[name] == i and name not in self.outputs:
                    values.pop(name, None)
        return {name: values[name] for name in self.outputs}


def space(x: Array):
    """The module the array belongs to: numpy, or jax.numpy where a network is compiled."""
    return x.__array_namespace__()


def same_padding(size: int, window: int, stride: int) -> tuple[int, int]:
    """TFLite's SAME: the odd row or column of padding goes behind."""
    total = max((-(-size // stride) - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


def window_of(node: Node) -> tuple[int, int]:
    if node.weights is not None and node.op != "PRELU":
        return node.weights.shape[1], node.weights.shape[2]
    return node.window, node.window


def output_shape(node: Node, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    n, h, w, c = shapes[node.inputs[0]]
    if node.op == "PAD":
        return tuple(s + int(p.sum()) for s, p in zip((n, h, w, c), node.pads))
    if node.op == "RESIZE_NEAREST_NEIGHBOR":
        return n, 2 * h, 2 * w, c
    if node.op in ("ADD", "PRELU"):
        return n, h, w, c
    kh, kw = window_of(node)
    if node.same:
        h, w = -(-h // node.stride), -(-w // node.stride)
    else:
        h, w = (h - kh) // node.stride + 1, (w - kw) // node.stride + 1
    return n, h, w, node.weights.shape[0] if node.op == "CONV_2D" else c


def padded(node: Node, x: Array, filler: float) -> Array:
    """The input with the padding of a SAME window op made explicit."""
    if not node.same:
        return x
    kh, kw = window_of(node)
    rows = same_padding(x.shape[1], kh, node.stride)
    columns = same_padding(x.shape[2], kw, node.stride)
    if not any(rows + columns):
        return x
    return space(x).pad(x, ((0, 0), rows, columns, (0, 0)), constant_values=filler)


def windows(x: Array, kh: int, kw: int, stride: int) -> list[Array]:
    """One strided view of x for each place in the window, in row order."""
    oh, ow = (x.shape[1] - kh) // stride + 1, (x.shape[2] - kw) // stride + 1
    return [
        x[:, i : i + (oh - 1) * stride + 1 : stride, j : j + (ow - 1) * stride + 1 : stride]
        for i in range(kh)
        for j in range(kw)
    ]


def convolve(node: Node, x: Array, weights: Array) -> Array:
    """CONV_2D or DEPTHWISE_CONV_2D without bias; x already padded. Exact for integers in float64."""
    kh, kw = weights.shape[1:3]
    views = windows(x, kh, kw, node.stride)
    if node.op == "DEPTHWISE_CONV_2D":
        flat = weights.reshape(kh * kw, -1)
        total = views[0] * flat[0]
        for view, w in zip(views[1:], flat[1:]):
            total = total + view * w
        return total
    columns = views[0] if len(views) == 1 else space(x).concatenate(views, axis=-1)
    return columns @ weights.reshape(weights.shape[0], -1).T


def evaluate(node: Node, inputs: list[Array]) -> Array:
    x = inputs[0]
    if node.op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        y = convolve(node, padded(node, x, 0), node.weights.astype(np.float32))
        y += node.bias.astype(np.float32)
    elif node.op == "ADD":
        y = x + inputs[1]
    elif node.op == "PRELU":
        return np.where(x >= 0, x, x * node.weights)
    elif node.op == "MAX_POOL_2D":
        return np.maximum.reduce(windows(padded(node, x, -np.inf), *window_of(node), node.stride))
    elif node.op == "AVERAGE_POOL_2D":
        return sum(windows(x, *window_of(node), node.stride)) / np.float32(node.window**2)
    elif node.op == "PAD":
        return np.pad(x, node.pads)
    elif node.op == "RESIZE_NEAREST_NEIGHBOR":
        return x.repeat(2, axis=1).repeat(2, axis=2)
    else:
        raise ValueError(node.op)
    return np.maximum(y, 0) if node.relu else y
