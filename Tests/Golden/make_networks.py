#!/usr/bin/env python3
"""Makes networks.golden: the networks of Models/ against the TFLite reference kernels.

    python3 Tests/Golden/make_networks.py TFLITE MODELC [SOURCES]

TFLITE is where Models/make.sh wrote the .tflite files and golden_networks.py its folder golden/,
MODELC the built packer, SOURCES the folder of fetched packages (default TFLITE/sources).

The container is little endian: "LLGOLD3\\0", u32 networks, then for each
    u16 bytes of its name, the name,
    u32 bytes, the unfused packing up to its weights; the weights are those of Models/NAME.llm,
    u32 cases, for each:
        u64 seed (see make.py), u32 bytes of the input, the input: 0 bytes where it is seeded,
        u32 outputs, for each: u32 bytes, what BUILTIN_REF answers,
        u32 outputs, for each: u32 bytes, float32: what the fused network should answer, computed
            by Models/zoo/integer.py with real numbers in place of fixed point. Empty where nothing
            that changes values is fused.
"""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import make

MODELS = Path(__file__).resolve().parents[2] / "Models"
sys.path.insert(0, str(MODELS))

from zoo import networks  # noqa: E402
from zoo.engines import LiteRT  # noqa: E402
from zoo.integer import Fusion, IntegerRun  # noqa: E402

WEIGHTS_OFFSET = 14  # word of the header
# The larger detector has the weights of the smaller one: a portrait for one of them is enough.
WITHOUT_PORTRAIT = {"yunet-320"}


def block(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


def tables(modelc: str, model: Path, name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "unfused.llm"
        subprocess.run([modelc, model, packed, "--name", name, "--no-fuse", "--quiet"], check=True)
        data = packed.read_bytes()
    return data[: struct.unpack_from("<I", data, 4 * WEIGHTS_OFFSET)[0]]


def main() -> None:
    folder, modelc = Path(sys.argv[1]), sys.argv[2]
    sources = Path(sys.argv[3]) if len(sys.argv) > 3 else folder / "sources"
    entries = json.loads((MODELS / "models.json").read_text())["models"]
    out = b"LLGOLD3\0" + struct.pack("<I", len(entries))
    for number, entry in enumerate(entries):
        name, shape = entry["name"], tuple(entry["input"]["shape"])
        model = folder / entry["file"]
        reference = LiteRT(model.read_bytes(), reference=True)
        graph = networks.quantised(name, sources)
        fused = any(node.op == "PRELU" for node in graph.graph.nodes)
        ideal = IntegerRun(graph, Fusion.ADD, tuple(entry["raw_outputs"]))
        cases = [(seed, make.seeded(shape, np.int8, seed, 0)) for seed in (number + 1, number + 101)]
        portrait = folder / "golden" / name / "astronaut" / "input.bin"
        if name not in WITHOUT_PORTRAIT and portrait.exists():
            cases.append((0, np.frombuffer(portrait.read_bytes(), np.int8).reshape(shape)))
        label = name.encode()
        out += struct.pack("<H", len(label)) + label + block(tables(modelc, model, name))
        out += struct.pack("<I", len(cases))
        for seed, values in cases:
            out += struct.pack("<Q", seed) + block(b"" if seed else values.tobytes())
            answers = reference.raw(values)
            names = [output["name"] for output in entry["outputs"]]
            out += struct.pack("<I", len(names))
            for output in names:
                out += block(answers[output].tobytes())
            real = ideal.real(ideal(values)) if fused else {}
            out += struct.pack("<I", len(names))
            for output in names:
                out += block(real[output].astype("<f4").tobytes() if fused else b"")
        print(f"{name}: {len(cases)} cases")
    Path(__file__).with_name("networks.golden").write_bytes(out)
    print(f"networks.golden: {len(out)} bytes")


if __name__ == "__main__":
    main()
