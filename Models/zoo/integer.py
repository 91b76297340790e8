"""Runs an int8 graph with the integer arithmetic of the firmware.

`Fusion.NONE` equals the TFLite reference kernels bit for bit (checked by golden_networks.py).
`Fusion.PRELU` makes a PReLU behind a convolution or an addition a second requantisation multiplier,
so the value before it is never rounded to int8. `Fusion.ADD` is what modelc packs and what ships: an
addition goes into the convolution before it as well (with real multipliers here, fixed-point ones in
the firmware: the last step of rounding may differ). Outputs named in `raw` keep their int32
accumulator and are scaled to float.
"""

from __future__ import annotations

from enum import Enum
from functools import reduce

import numpy as np

from .graph import convolve, padded, space, window_of, windows
from .quantise import IntGraph, IntNode


class Fusion(Enum):
    NONE = 0
    PRELU = 1
    ADD = 2


def multiplier(real: float) -> tuple[int, int]:
    """TFLite's fixed-point form of a real factor: mantissa x 2^(shift - 31)."""
    if real == 0:
        return 0, 0
    mantissa, shift = np.frexp(real)
    fixed = int(np.rint(mantissa * (1 << 31)))
    if abs(fixed) == 1 << 31:
        fixed, shift = fixed // 2, shift + 1
    return (0, 0) if shift < -31 else (fixed, int(shift))


def scale_by(x: np.ndarray, fixed: np.ndarray | int, shift: np.ndarray | int) -> np.ndarray:
    """MultiplyByQuantizedMultiplier: a rounding doubling high multiply, then a rounding shift.

    TFLite's high multiply nudges by sign and truncates, which is one shift right of the product
    plus a half; its shift rounds halves away from zero.
    """
    xp = space(x)
    left, right = xp.maximum(shift, 0), xp.maximum(xp.negative(shift), 0)
    high = ((x << left) * fixed + (1 << 30)) >> 31
    half = xp.where(right > 0, xp.left_shift(1, xp.maximum(right - 1, 0)), 0)
    return (high + half - ((high < 0) & (right > 0))) >> right


def multipliers(factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The fixed-point form of one factor a channel."""
    pairs = [multiplier(float(f)) for f in factors]
    return np.array([p[0] for p in pairs], np.int64), np.array([p[1] for p in pairs], np.int64)


class IntegerRun:
    """Repeated inference of one int8 graph."""

    def __init__(self, network: IntGraph, fusion: Fusion = Fusion.ADD, raw: tuple[str, ...] = ()):
        self.network = network
        self.fusion = fusion
        self.raw = set(raw)
        users: dict[str, list[IntNode]] = {}
        for item in network.nodes:
            for name in item.node.inputs:
                users.setdefault(name, []).append(item)
        producer = {item.node.output: item for item in network.nodes}
        self.prelu_behind: dict[str, IntNode] = {}
        self.into_add: set[str] = set()
        for item in network.nodes:
            source = item.node.inputs[0]
            single = source in producer and len(users[source]) == 1
            if fusion is not Fusion.NONE and item.node.op == "PRELU" and single:
                if producer[source].node.op in ("CONV_2D", "DEPTHWISE_CONV_2D", "ADD"):
                    self.prelu_behind[source] = item
            if fusion is Fusion.ADD and item.node.op == "ADD":
                for name in item.node.inputs:
                    before = producer.get(name)
                    if before and before.node.op == "CONV_2D" and len(users[name]) == 1:
                        if name not in self.prelu_behind and not before.node.relu:
                            self.into_add.add(name)
                            break

    def __call__(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """x: int8 batch. Outputs: int8, or float for the raw ones."""
        values = {self.network.graph.input: x.astype(np.int64)}
        fused = {item.node.output for item in self.prelu_behind.values()}
        for item in self.network.nodes:
            if item.node.output in fused:
                continue
            behind = self.prelu_behind.get(item.node.output)
            target = behind.node.output if behind else item.node.output
            values[target] = self.evaluate(item, behind, values)
        out = {}
        for name in self.network.graph.outputs:
            out[name] = values[name] if name in self.raw else values[name].astype(np.int8)
        return out

    def real(self, outputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Outputs as float."""
        scales = self.network.scales
        return {
            name: v if name in self.raw else (v.astype(np.float64) - scales[name].zero) * scales[name].scale
            for name, v in outputs.items()
        }

    def evaluate(self, item: IntNode, behind: IntNode | None, values: dict) -> np.ndarray:
        node, scales = item.node, self.network.scales
        inputs = [values[name] for name in node.inputs]
        x, s_in = inputs[0], scales[node.inputs[0]]
        out = scales[behind.node.output if behind else node.output]
        if node.op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            # Sums below 2^24 are exact in float32, all of ours are in float64.
            terms = int(np.prod(item.weights.shape[1:]))
            exact = np.float32 if terms * 127 * 255 < 1 << 24 else np.float64
            centred = (x - s_in.zero).astype(exact)
            total = convolve(node, padded(node, centred, 0), item.weights.astype(exact))
            total = total.astype(np.int64) + item.bias
            unit = s_in.scale.astype(np.float64) * item.weight_scales.astype(np.float64)
            if node.output in self.raw or node.output in self.into_add:
                return total * unit
            y = self.requantise(total, unit / np.float64(out.scale), behind)
            return self.clamp(y + out.zero, node.relu, out.zero)
        if node.op == "ADD":
            return self.add(node, inputs, behind, out)
        if node.op == "PRELU":
            centred = x - s_in.zero
            plus = np.float64(s_in.scale) / np.float64(out.scale)
            minus = np.float64(s_in.scale) * np.float64(item.weight_scales[0]) / np.float64(out.scale)
            slope = centred * item.weights.astype(np.int64)
            y = space(x).where(
                centred >= 0, scale_by(centred, *multiplier(plus)), scale_by(slope, *multiplier(minus))
            )
            return self.clamp(y + out.zero)
        if node.op == "MAX_POOL_2D":
            return reduce(space(x).maximum, windows(x, *window_of(node), node.stride))
        if node.op == "AVERAGE_POOL_2D":
            total, count = sum(windows(x, *window_of(node), node.stride)), node.window**2
            rounded = space(x).where(total > 0, total + count // 2, total - count // 2)
            return space(x).sign(rounded) * (abs(rounded) // count)
        if node.op == "PAD":
            return space(x).pad(x, node.pads, constant_values=s_in.zero)
        if node.op == "RESIZE_NEAREST_NEIGHBOR":
            return x.repeat(2, axis=1).repeat(2, axis=2)
        raise ValueError(node.op)

    @staticmethod
    def clamp(y: np.ndarray, relu: bool = False, zero: int = 0) -> np.ndarray:
        return space(y).clip(y, zero if relu else -128, 127)

    @staticmethod
    def requantise(total: np.ndarray, factors: np.ndarray, behind: IntNode | None) -> np.ndarray:
        plus, plus_shift = multipliers(factors)
        if behind is None:
            return scale_by(total, plus, plus_shift)
        slopes = behind.weights.astype(np.float64) * np.float64(behind.weight_scales[0])
        minus, minus_shift = multipliers(factors * slopes)
        negative, where = total < 0, space(total).where
        return scale_by(total, where(negative, minus, plus), where(negative, minus_shift, plus_shift))

    def add(self, node, inputs, behind: IntNode | None, out) -> np.ndarray:
        a, b = (self.network.scales[name] for name in node.inputs)
        if self.into_add.intersection(node.inputs):
            total = sum(
                v if name in self.into_add else (v - s.zero) * np.float64(s.scale)
                for name, v, s in zip(node.inputs, inputs, (a, b))
            )
            if behind is not None:
                slopes = behind.weights.astype(np.float64) * np.float64(behind.weight_scales[0])
                total = space(total).where(total >= 0, total, total * slopes)
            return self.clamp(space(total).rint(total / np.float64(out.scale)).astype(np.int64) + out.zero)
        twice = 2 * max(np.float64(a.scale), np.float64(b.scale))
        left = 20  # TFLite's headroom for int8 additions
        total = sum(
            scale_by((v - s.zero) << left, *multiplier(np.float64(s.scale) / twice))
            for v, s in zip(inputs, (a, b))
        )
        factor = twice / ((1 << left) * np.float64(out.scale))
        if behind is None:
            y = scale_by(total, *multiplier(factor))
        else:
            channels = np.full(total.shape[-1], factor)
            y = self.requantise(total, channels, behind)
        return self.clamp(y + out.zero, node.relu, out.zero)
