"""Measures the ranges of every activation on training pictures and writes ranges.json.

    python calibrate.py CACHE          the packaged networks
    python calibrate.py CACHE FACES    the heads, from what collect_faces.py wrote

Run once; the file is committed and `make models` uses the frozen numbers, so that no picture is
needed to build. People of the test folds and every "test only" folder stay out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from zoo import data, engines, finder, frozen, gender, heads, networks
from zoo.faces import mesh_crop_of_detection, mesh_crop_of_mesh
from zoo.graph import Graph
from zoo.integer import Fusion
from zoo.networks import INPUT_SCALES
from zoo.pictures import cut, letterbox, to_int8
from zoo.quantise import KEEPS_SCALE, quantise

SMILE_PICTURES = 48
FRAMES_A_CLIP = 6
HEAD_FACES = 1500
SAMPLES = 2000  # values kept of each tensor and picture for choosing the clipping


def pictures() -> list[np.ndarray]:
    """Faces of training people: stills of smile/ and frames of clips."""
    allowed = [p for p in data.smile_pictures() if p.fold not in data.TEST_FOLDS | data.VALIDATION_FOLDS]
    chosen = [data.rgb(p.path) for p in allowed[:: len(allowed) // SMILE_PICTURES]]
    for name in data.TRAINING_CLIPS:
        frames = [frame for _, frame in data.clip(name)]
        chosen += frames[:: max(1, len(frames) // FRAMES_A_CLIP)][:FRAMES_A_CLIP]
    return chosen


class Watch:
    """Extremes of each tensor over all pictures, and a sample of its values."""

    def __init__(self) -> None:
        self.low: dict[str, float] = {}
        self.high: dict[str, float] = {}
        self.samples: dict[str, list[np.ndarray]] = {}
        self.random = np.random.default_rng(1)

    def __call__(self, name: str, values: np.ndarray) -> None:
        self.low[name] = min(self.low.get(name, 0.0), float(values.min()))
        self.high[name] = max(self.high.get(name, 0.0), float(values.max()))
        for one in values.reshape(len(values), -1):
            picks = self.random.integers(0, one.size, min(SAMPLES, one.size))
            self.samples.setdefault(name, []).append(one[picks])

    def least_error(self, name: str) -> tuple[float, float]:
        """The range, shrunk from the extremes, with the least squared rounding and clipping error."""
        values = np.concatenate(self.samples[name])
        best = (np.inf, 0.0, 0.0)
        for share in np.linspace(0.4, 1.0, 25):
            low, high = self.low[name] * share, self.high[name] * share
            scale = max((high - low) / 255, 1e-8)
            rounded = np.clip(np.rint((values - low) / scale), 0, 255) * scale + low
            best = min(best, (float(np.square(rounded - values).mean()), low, high))
        return best[1:]


def measure(graphs: list[tuple[Graph, np.ndarray]], clip: bool) -> dict[str, list[float]]:
    """Ranges over one or more shapes of the same network, each with its int8 input pictures."""
    watch = Watch()
    for graph, inputs in graphs:
        scale = INPUT_SCALES[graph.name]
        for at in range(0, len(inputs), 8):
            graph.run(engines.real_input(inputs[at : at + 8], scale), watch)
    out = {}
    for node in graphs[0][0].nodes:
        if node.op in KEEPS_SCALE:
            continue
        name = node.output
        low, high = watch.least_error(name) if clip else (watch.low[name], watch.high[name])
        out[name] = [float(f"{low:.6g}"), float(f"{high:.6g}")]
    return out


def mean_shift(mesh: Graph, ranges: dict[str, list[float]], crops: np.ndarray) -> list[float]:
    """By how much, on average, each landmark number of the int8 network is off: to be added to it.

    It takes the mesh from 0.45 % to 0.40 % of the eye distance (validation people).
    """
    scale = INPUT_SCALES["mesh468"]
    rounded = engines.in_int8(quantise(mesh, ranges, scale), ("landmarks",), Fusion.PRELU)
    exact = engines.in_float(mesh, scale)
    total = np.zeros(mesh.shapes["landmarks"][-1])
    for at in range(0, len(crops), 8):
        some = crops[at : at + 8]
        total += (exact(some)["landmarks"] - rounded(some)["landmarks"]).sum((0, 1, 2))
    return [round(float(v), 3) for v in total / len(crops)]


def packaged_networks(cache: Path) -> None:
    faces = pictures()
    detectors = [networks.packaged(name, cache) for name in networks.DETECTOR_SHAPES]
    mesh = networks.packaged("mesh468", cache)
    chips = networks.packaged("gender", cache)

    boxed = [
        (g, to_int8(np.stack([letterbox(p, g.input_shape[2], g.input_shape[1])[0] for p in faces])))
        for g in detectors
    ]
    ranges = {"yunet": measure(boxed, clip=False)}

    network = engines.in_float(detectors[1], INPUT_SCALES["yunet-320"])
    best = [finder.largest(found) for found in finder.detect(network, "yunet-320", faces)]
    with_face = [(p, d) for p, d in zip(faces, best) if d is not None]
    seen = [p for p, _ in with_face]
    print(f"{len(seen)} of {len(faces)} pictures have a face", file=sys.stderr)

    network = engines.in_float(mesh, INPUT_SCALES["mesh468"])
    first = [mesh_crop_of_detection(d) for _, d in with_face]
    found = finder.track(network, seen, first)
    second = [mesh_crop_of_mesh(f.points) for f in found]
    inputs = [cut(p, c, 192, 192) for p, c in zip(seen * 2, first + second)]
    crops = to_int8(np.stack(inputs))
    ranges["mesh468"] = measure([(mesh, crops)], clip=True)
    corrections = {"mesh468": {"landmarks": mean_shift(mesh, ranges["mesh468"], crops)}}

    found = finder.track(network, seen, second)
    inputs = [gender.chip(p, f.points) for p, f in zip(seen, found)]
    ranges["gender"] = measure([(chips, to_int8(np.stack(inputs)))], clip=False)

    frozen.update(ranges, corrections)


def our_heads(folder: Path) -> None:
    """Patches of training people only, as the firmware cuts them."""
    import train_heads

    seen = train_heads.load(folder, ("smile", *data.TRAINING_CLIPS))
    training = np.flatnonzero(train_heads.divisions(seen)[0])
    some = np.random.default_rng(1).choice(training, HEAD_FACES, replace=False)
    mouths = train_heads.plain(seen["mouth"][some], heads.MOUTH)
    eyes = train_heads.plain(np.concatenate([seen["right"][some], seen["left"][some]]), heads.EYE)
    for name, patches in (("smile", mouths), ("eye-open", eyes)):
        inputs = heads.even(patches)[..., None]
        frozen.update({name: measure([(networks.head(name), inputs)], clip=False)}, {})


def main() -> None:
    if len(sys.argv) > 2:
        our_heads(Path(sys.argv[2]))
    else:
        packaged_networks(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
