"""Whole-network golden vectors: int8 inputs, and what LiteRT's reference kernels make of them.

    python golden_networks.py MODELS CACHE

Writes MODELS/golden/NETWORK/{random,astronaut}/: `input.bin` and one .bin for each output, int8 in
NHWC order, nothing else in the files; `index.json` lists them with shapes, scales and zero points.
Raw outputs are int8 here, as the .tflite has them. The random input is every byte value alike; the
other one is cut from the public-domain astronaut portrait as the firmware would.

Our own integer arithmetic (zoo/integer.py) must give the same bytes, or this stops.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import numpy as np

from zoo import engines, networks, packages, view
from zoo.integer import Fusion, IntegerRun

SEED = 20261130


def astronaut(cache: Path) -> np.ndarray:
    encoded = np.frombuffer(packages.source("astronaut", cache), np.uint8)
    return np.ascontiguousarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR)[:, :, ::-1])


def main() -> None:
    models, cache = Path(sys.argv[1]), Path(sys.argv[2])
    pins = json.loads((Path(__file__).parent / "models.json").read_text())["models"]
    graphs = {entry["name"]: networks.quantised(entry["name"], cache) for entry in pins}
    raw = {entry["name"]: tuple(entry["raw_outputs"]) for entry in pins}
    chain = view.Chain(lambda name: engines.in_int8(graphs[name], raw[name]))
    picture = astronaut(cache)
    detection, _, second = chain.face(picture)
    real = view.inputs(picture, detection, second)
    random = np.random.default_rng(SEED)
    index = []
    for entry in pins:
        name = entry["name"]
        reference = engines.LiteRT((models / entry["file"]).read_bytes(), reference=True)
        ours = IntegerRun(graphs[name], Fusion.NONE)
        cases = {
            "random": random.integers(-128, 128, entry["input"]["shape"]).astype(np.int8),
            "astronaut": real[name],
        }
        for case, x in cases.items():
            folder = models / "golden" / name / case
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "input.bin").write_bytes(x.tobytes())
            expected, found = reference.raw(x), ours(x)
            for output in entry["outputs"]:
                values = expected[output["name"]]
                if not np.array_equal(values, found[output["name"]]):
                    raise SystemExit(f"{name} {case} {output['name']}: zoo/integer.py differs")
                (folder / f"{output['name']}.bin").write_bytes(values.tobytes())
        scales = graphs[name].scales
        index.append(
            {
                "name": name,
                "input": {"shape": entry["input"]["shape"]} | scale_of(scales["input"]),
                "outputs": [
                    {"name": o["name"], "shape": o["shape"]} | scale_of(scales[o["name"]])
                    for o in entry["outputs"]
                ],
            }
        )
        print(f"{name}: LiteRT's reference kernels and zoo/integer.py agree to the bit")
    (models / "golden" / "index.json").write_text(json.dumps(index, indent=1) + "\n")


def scale_of(scale) -> dict[str, object]:
    return {"scale": float(scale.scale), "zeroPoint": scale.zero}


if __name__ == "__main__":
    main()
