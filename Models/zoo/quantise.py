"""Float graph + frozen ranges → int8 graph after the TFLite specification.

Weights: int8, symmetric, -127..127, one scale per output channel. Bias: int32 at input scale x
weight scale. Activations: int8, one scale and zero point per tensor. Pools, pads and the x2 resize
keep the scale of their input.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .graph import Graph, Node

Range = tuple[float, float]

KEEPS_SCALE = {"MAX_POOL_2D", "AVERAGE_POOL_2D", "PAD", "RESIZE_NEAREST_NEIGHBOR"}


@dataclass(frozen=True)
class Scale:
    """real = scale * (q - zero)"""

    scale: np.float32
    zero: int


@dataclass
class IntNode:
    node: Node
    weights: np.ndarray | None = None  # int8
    weight_scales: np.ndarray | None = None  # float32, per output channel; PRELU: one
    bias: np.ndarray | None = None  # int32


@dataclass
class IntGraph:
    graph: Graph
    nodes: list[IntNode]
    scales: dict[str, Scale]


def activation_scale(limits: Range) -> Scale:
    low, high = min(limits[0], 0.0), max(limits[1], 0.0)
    scale = np.float32(max((high - low) / 255, 1e-8))
    return Scale(scale, int(np.clip(np.rint(-128 - low / scale), -128, 127)))


def quantise_weights(
    weights: np.ndarray, channel_axis: int, least: np.ndarray | float = 1e-9
) -> tuple[np.ndarray, np.ndarray]:
    """int8 weights and a scale a channel, none below `least`."""
    w = weights.astype(np.float64)
    axes = tuple(i for i in range(w.ndim) if i != channel_axis)
    shape = [-1 if i == channel_axis else 1 for i in range(w.ndim)]
    scales = np.maximum(np.abs(w).max(axes) / 127, least).astype(np.float32).reshape(shape)
    q = np.clip(np.rint(w / scales), -127, 127).astype(np.int8)
    return q, scales.reshape(-1)


def quantise(
    graph: Graph,
    ranges: dict[str, Range],
    input_scale: Scale,
    corrections: dict[str, list[float]] | None = None,
) -> IntGraph:
    """`corrections`: what to add to an output's channels because rounding shifts their mean."""
    corrections = corrections or {}
    scales = {graph.input: input_scale}
    nodes: list[IntNode] = []
    for node in graph.nodes:
        if node.op in KEEPS_SCALE:
            scales[node.output] = scales[node.inputs[0]]
        else:
            scales[node.output] = activation_scale(ranges[node.output])
        done = IntNode(node)
        if node.op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            axis = 0 if node.op == "CONV_2D" else 3
            before = scales[node.inputs[0]].scale.astype(np.float64)
            bias = node.bias.astype(np.float64) + np.array(corrections.get(node.output, 0.0))
            # Training leaves channels whose weights are all but 0: their bias must fit as well.
            least = np.maximum(np.abs(bias) / before / (1 << 30), 1e-9)
            done.weights, done.weight_scales = quantise_weights(node.weights, axis, least)
            unit = before * done.weight_scales
            done.bias = np.rint(bias / unit).astype(np.int32)
        elif node.op == "PRELU":
            done.weights, done.weight_scales = quantise_weights(node.weights[None], 0)
            done.weights = done.weights.reshape(-1)
        nodes.append(done)
    return IntGraph(graph, nodes, scales)
