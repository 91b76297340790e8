"""Writes reference/astronaut.json: one portrait through the float chain, step by step.

    python make_reference.py CACHE

The Swift rooms compare with it: same crops to a fraction of a pixel, same results within what int8
costs (the cards say how much).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from golden_networks import astronaut
from zoo import canonical_face, engines, gender, heads, networks, packages, pose, text, view
from zoo.networks import INPUT_SCALES

KEY_POINTS = (1, 2, 13, 14, 17, 33, 50, 61, 133, 145, 152, 159, 234, 263, 280, 291, 362, 374, 386, 454)


def rounded(values, digits: int = 3) -> list:
    return np.round(np.asarray(values, np.float64), digits).tolist()


def main() -> None:
    cache = Path(sys.argv[1])
    picture = astronaut(cache)
    height, width = picture.shape[:2]

    def network(name: str):
        return engines.in_float(networks.packaged(name, cache), INPUT_SCALES[name])

    out: dict[str, object] = {
        "picture": "astronaut.png of scikit-image 0.26.0, 512x512, public domain",
        "networks": "float; int8 differs by what the cards say",
    }
    for name in networks.DETECTOR_SHAPES:
        found = view.Chain(network, name).face(picture)[0]
        out[name] = {
            "box": rounded(found.box),
            "points": rounded(found.points),
            "score": round(found.score, 5),
        }
    chain = view.Chain(network)
    _, first, second = chain.face(picture)
    for label, step in (("mesh from detection", first), ("mesh from mesh", second)):
        out[label] = {
            "crop": view.crop_numbers(step.crop),
            "presence": round(step.presence, 3),
            "points": {str(i): rounded(step.points[i]) for i in KEY_POINTS},
        }
    face = canonical_face.read(packages.source("canonical-face", cache))
    matrix = pose.solve(second.points, width, height, face)
    pitch, yaw, roll = pose.euler(matrix)
    out["pose"] = {
        "matrix": rounded(matrix, 5),
        "pitch": round(pitch, 3),
        "yaw": round(yaw, 3),
        "roll": round(roll, 3),
        "pitch yaw roll with the depth origin from the 33 points": rounded(
            pose.euler(pose.solve(second.points, width, height, face, face.indices))
        ),
    }
    out["gender"] = {
        "crop": view.crop_numbers(gender.crop(second.points)),
        "man": round(chain.man(picture, second.points), 5),
    }
    out["eyes and mouth"] = {
        "right eye": view.crop_numbers(heads.eye_crop(second.points, "right")),
        "left eye": view.crop_numbers(heads.eye_crop(second.points, "left")),
        "mouth": view.crop_numbers(heads.mouth_crop(second.points)),
    } | {k: round(v, 5) for k, v in chain.heads(picture, second.points).items()}
    folder = Path(__file__).parent / "reference"
    folder.mkdir(exist_ok=True)
    (folder / "astronaut.json").write_text(text.compact(out) + "\n")


if __name__ == "__main__":
    main()
