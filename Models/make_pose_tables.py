"""Writes pose_points.csv: the mesh points of the pose solve with their canonical place and weight.

    python make_pose_tables.py CACHE > pose_points.csv

Columns: mesh point, x, y, z in cm (x to the picture's right, y up, z to the camera), weight.
Numbers are printed so that a Float reads back exactly.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from zoo import canonical_face, packages


def main() -> None:
    face = canonical_face.read(packages.source("canonical-face", Path(sys.argv[1])))
    print("point,x,y,z,weight")
    for index, weight in zip(face.indices, face.weights):
        numbers = [*face.vertices[index], weight]
        print(",".join([str(index)] + [np.format_float_positional(np.float32(v)) for v in numbers]))


if __name__ == "__main__":
    main()
