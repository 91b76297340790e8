"""The networks of the firmware, as float graphs that already take the firmware's input.

Every network takes int8 = u8 - 128. What a network wants of its input beyond that (BGR order, a
mean to subtract) is folded into its first convolution here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import frozen, onnx_reader, packages, tflite_reader
from .graph import Graph, Node
from .quantise import IntGraph, Scale, quantise

# Rows are rounded up to a multiple of 32: the network halves five times and doubles back twice.
DETECTOR_SHAPES = {"yunet-160": (1, 128, 160, 3), "yunet-320": (1, 256, 320, 3)}
DETECTOR_STRIDES = (8, 16, 32)
DETECTOR_OUTPUTS = [f"{kind}_{s}" for kind in ("cls", "bbox", "obj", "kps") for s in DETECTOR_STRIDES]

GENDER_MEAN = np.array([122.782, 117.001, 104.298])  # of R, G, B
# The zero point stands for this grey, the mean of the channel means but for rounding.
GENDER_ZERO = 115

INPUT_SCALES = {
    "yunet-160": Scale(np.float32(1.0), -128),  # 0..255
    "yunet-320": Scale(np.float32(1.0), -128),
    "mesh468": Scale(np.float32(1 / 255), -128),  # 0..1
    "gender": Scale(np.float32(1 / 256), GENDER_ZERO - 128),  # (u8 - 115) / 256
    "eye-open": Scale(np.float32(1 / 64), 0),  # the evened patch, deviation near 0.75
    "smile": Scale(np.float32(1 / 64), 0),
}


@dataclass(frozen=True)
class Layer:
    """A convolution of a head: SAME with ReLU, but the last one covers the whole map."""

    rows: int
    columns: int
    channels: int
    stride: int = 1


# 0.42 M multiplies an eye, 0.64 M a mouth.
HEAD_LAYERS = {
    "eye-open": [Layer(3, 3, 16, 2), Layer(3, 3, 32, 2), Layer(3, 3, 48, 2), Layer(3, 4, 1)],
    "smile": [Layer(3, 3, 16, 2), Layer(3, 3, 32, 2), Layer(3, 3, 48, 2), Layer(4, 5, 1)],
}
HEAD_SHAPES = {"eye-open": (1, 24, 32, 1), "smile": (1, 28, 40, 1)}
HEADS = Path(__file__).resolve().parents[1] / "heads"


def rename(graph: Graph, outputs: list[str]) -> Graph:
    """Tensor names that say where and what; they key the frozen ranges."""
    names = {graph.input: "input"} | dict(zip(graph.outputs, outputs))
    for number, node in enumerate(graph.nodes):
        names.setdefault(node.output, f"{number:02d}-{node.op.lower().removesuffix('_2d')}")
    for node in graph.nodes:
        node.inputs = [names[name] for name in node.inputs]
        node.output = names[node.output]
    return Graph(graph.name, "input", graph.input_shape, graph.nodes, outputs)


def detector(name: str, cache: Path) -> Graph:
    graph = onnx_reader.read(packages.source("yunet", cache), name, DETECTOR_SHAPES[name])
    first = next(node for node in graph.nodes if node.weights is not None)
    first.weights = first.weights[..., ::-1].copy()  # trained on BGR
    return rename(graph, DETECTOR_OUTPUTS)


def mesh(cache: Path) -> Graph:
    graph = tflite_reader.read(packages.source("mesh468", cache), "mesh468")
    return rename(graph, ["landmarks", "presence"])


def gender(cache: Path) -> Graph:
    """Wants (x - mean of the channel) / 256; gets (x - 115) / 256 and the rest in its bias.

    Inside the picture that is exact. In the outermost row and column the zero padding now stands
    for grey 115 instead of each channel's mean, which the card shows to be harmless.
    """
    graph = onnx_reader.read(packages.source("gender", cache), "gender", (1, 32, 32, 3))
    first = graph.nodes[0]
    shift = (GENDER_ZERO - GENDER_MEAN) / 256
    first.bias = first.bias + (first.weights * shift).sum((1, 2, 3))
    return rename(graph, ["logits"])


def head(name: str) -> Graph:
    """One of our own, from its committed float weights."""
    stored = np.load(HEADS / f"{name}.npz")
    nodes, source = [], "input"
    layers = HEAD_LAYERS[name]
    for number, layer in enumerate(layers):
        last = number == len(layers) - 1
        output = "logit" if last else f"{number:02d}-conv"
        nodes.append(
            Node(
                "CONV_2D",
                [source],
                output,
                stored[f"{number}/weights"],
                stored[f"{number}/bias"],
                stride=layer.stride,
                same=not last,
                relu=not last,
            )  # fmt: skip
        )
        source = output
    return Graph(name, "input", HEAD_SHAPES[name], nodes, ["logit"])


def packaged(name: str, cache: Path) -> Graph:
    if name in DETECTOR_SHAPES:
        return detector(name, cache)
    if name in HEAD_LAYERS:
        return head(name)
    return {"mesh468": mesh, "gender": gender}[name](cache)


def quantised(name: str, cache: Path) -> IntGraph:
    """The network in int8, from the frozen numbers. Both detector sizes share theirs."""
    numbers = frozen.load()
    key = "yunet" if name in DETECTOR_SHAPES else name
    return quantise(
        packaged(name, cache),
        numbers["ranges"][key],
        INPUT_SCALES[name],
        numbers["corrections"].get(key),
    )
