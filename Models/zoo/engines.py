"""Ways to run a network, all taking the firmware's int8 input and giving float outputs."""

from __future__ import annotations

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from .finder import Network
from .graph import Graph
from .integer import Fusion, IntegerRun
from .quantise import IntGraph, Scale


def real_input(q: np.ndarray, scale: Scale) -> np.ndarray:
    return (q.astype(np.float32) - scale.zero) * scale.scale


def in_float(graph: Graph, scale: Scale) -> Network:
    return lambda q: graph.run(real_input(q, scale))


def in_int8(network: IntGraph, raw: tuple[str, ...] = (), fusion: Fusion = Fusion.ADD) -> Network:
    run = IntegerRun(network, fusion, raw)
    return lambda q: run.real(run(q))


def compiled(network: IntGraph, raw: tuple[str, ...] = (), batch: int = 8) -> Network:
    """As `in_int8`, to the bit, but compiled by jax: for measuring on thousands of pictures."""
    import jax

    jax.config.update("jax_enable_x64", True)
    run = IntegerRun(network, Fusion.ADD, raw)
    step = jax.jit(run.__call__)

    def each(q: np.ndarray) -> dict[str, np.ndarray]:
        parts = []
        for at in range(0, len(q), batch):
            some = q[at : at + batch]
            full = np.concatenate([some, np.zeros((batch - len(some), *q.shape[1:]), np.int8)])
            parts.append({k: np.asarray(v)[: len(some)] for k, v in step(full).items()})
        return run.real({k: np.concatenate([p[k] for p in parts]) for k in parts[0]})

    return each


class LiteRT:
    """A .tflite file in LiteRT, one picture at a time; int8 outputs come back as float."""

    def __init__(self, data: bytes, reference: bool = False, threads: int = 1):
        kind = OpResolverType.BUILTIN_REF if reference else OpResolverType.AUTO
        self.interpreter = Interpreter(
            model_content=data, experimental_op_resolver_type=kind, num_threads=threads
        )
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]
        self.outputs = self.interpreter.get_output_details()

    def raw(self, one: np.ndarray) -> dict[str, np.ndarray]:
        self.interpreter.set_tensor(self.input["index"], one)
        self.interpreter.invoke()
        return {o["name"]: self.interpreter.get_tensor(o["index"]) for o in self.outputs}

    def __call__(self, q: np.ndarray) -> dict[str, np.ndarray]:
        each = [self.raw(q[i : i + 1]) for i in range(len(q))]
        out = {}
        for detail in self.outputs:
            values = np.concatenate([e[detail["name"]] for e in each])
            if values.dtype == np.int8:
                scale, zero = detail["quantization"]
                values = (values.astype(np.float32) - zero) * np.float32(scale)
            out[detail["name"]] = values
        return out
