"""Finds the faces of the training pictures (and of the test folds) and keeps what the heads are trained on.

    python collect_faces.py CACHE OUTDIR [SOURCE ...]

One file a source (smile/ or a clip); those that are there already are kept. For each face: int8-mesh
points, the teacher's scores and three grey patches (mouth, right eye, left eye mirrored) that are half
as wide again as the heads' and twice as fine, so that training can move, turn and blur them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np

from zoo import data, engines, faces, finder, frozen, networks, tflite_writer
from zoo.graph import Graph
from zoo.heads import EYE, MOUTH, Patch, eye_crop, mouth_crop
from zoo.networks import INPUT_SCALES
from zoo.pictures import Crop, cut
from zoo.quantise import quantise
from zoo.teacher import Teacher

MARGIN, FINE = 1.5, 2


def roomy(patch: Patch) -> Patch:
    """The patch with room around it, at twice the resolution."""
    columns, rows = (round(n * MARGIN * FINE) for n in (patch.columns, patch.rows))
    return Patch(columns, rows, patch.span * MARGIN)


def fast_mesh(cache: Path) -> finder.Network:
    """The int8 mesh in LiteRT, with its last layer done here so that it is not rounded to int8.

    LiteRT has no fused PReLU, so this is a little noisier than what ships. Measuring uses the exact
    form; for teaching, thousands of pictures have to be gone through.
    """
    graph = networks.packaged("mesh468", cache)
    numbers = frozen.load()
    whole = quantise(
        graph, numbers["ranges"]["mesh468"], INPUT_SCALES["mesh468"], numbers["corrections"]["mesh468"]
    )
    last = next(item for item in whole.nodes if item.node.output == "landmarks")
    before = last.node.inputs[0]
    rest = Graph(
        graph.name, graph.input, graph.input_shape,
        [n for n in graph.nodes if n.output != "landmarks"], [before, "presence"],
    )  # fmt: skip
    trunk = engines.LiteRT(
        tflite_writer.write(quantise(rest, numbers["ranges"]["mesh468"], INPUT_SCALES["mesh468"]))
    )
    unit = whole.scales[before].scale * last.weight_scales
    weights = (last.weights * last.weight_scales[:, None, None, None]).reshape(len(unit), -1)

    def run(q: np.ndarray) -> dict[str, np.ndarray]:
        outputs = trunk(q)
        flat = outputs[before].reshape(len(q), -1)
        return {"landmarks": flat @ weights.T + last.bias * unit, "presence": outputs["presence"]}

    return run


class Collector:
    def __init__(self, cache: Path):
        name = "yunet-320"
        graph = networks.packaged(name, cache)
        ranges = frozen.load()["ranges"]["yunet"]
        detector = engines.LiteRT(tflite_writer.write(quantise(graph, ranges, INPUT_SCALES[name])))
        self.detect = lambda picture: finder.largest(finder.detect(detector, name, [picture])[0])
        self.mesh = fast_mesh(cache)
        self.teacher = Teacher(cache)
        self.rows: list[dict[str, object]] = []

    def look(self, picture: np.ndarray, crop: Crop | None) -> finder.Found | None:
        """Mesh of the picture's face: from the given crop, or found anew and read twice."""
        if crop is None:
            detection = self.detect(picture)
            if detection is None:
                return None
            first = finder.track(self.mesh, [picture], [faces.mesh_crop_of_detection(detection)])[0]
            crop = faces.mesh_crop_of_mesh(first.points)
        found = finder.track(self.mesh, [picture], [crop])[0]
        return found if found.presence > 0 else None

    def keep(self, picture: np.ndarray, found: finder.Found, source: str, number: int) -> None:
        scores, presence = self.teacher(picture, faces.mesh_crop_of_mesh(found.points))
        grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
        mouth, eye = roomy(MOUTH), roomy(EYE)

        def patch(crop: Crop, form: Patch, mirror: bool = False) -> np.ndarray:
            return cut(grey, crop, form.columns, form.rows, mirror)[..., 0]

        self.rows.append(
            {
                "source": source,
                "number": number,
                "points": found.points.astype(np.float32),
                "presence": np.float32(presence),
                "scores": scores.astype(np.float32),
                "mouth": patch(mouth_crop(found.points, mouth), mouth),
                "right": patch(eye_crop(found.points, "right", eye), eye),
                "left": patch(eye_crop(found.points, "left", eye), eye, mirror=True),
            }
        )

    def stills(self) -> None:
        for number, entry in enumerate(data.smile_pictures()):
            picture = data.rgb(entry.path)
            found = self.look(picture, None)
            if found:
                self.keep(picture, found, "smile", number)

    def clip(self, name: str) -> None:
        found = None
        for number, picture in data.clip(name):
            found = self.look(picture, faces.mesh_crop_of_mesh(found.points) if found else None)
            if found:
                self.keep(picture, found, name, number)


def main() -> None:
    cache, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for source in sys.argv[3:] or ["smile", *data.TRAINING_CLIPS]:
        target = folder / f"{source}.npz"
        if target.exists():
            continue
        collector = Collector(cache)
        collector.stills() if source == "smile" else collector.clip(source)
        rows = collector.rows
        np.savez(target, **{key: np.array([row[key] for row in rows]) for key in rows[0]})
        print(f"{source}: {len(rows)} faces", flush=True)


if __name__ == "__main__":
    main()
