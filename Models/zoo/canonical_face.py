"""MediaPipe's canonical face: 468 vertices in centimetres and the 33 that carry weight in a pose fit.

Axes of the canonical face: x to the picture's right (the person's left), y up, z towards the
camera. Source: `geometry_pipeline_metadata_landmarks.binarypb` of the face landmarker bundle.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from . import protobuf

VERTICES = 468
# Field numbers of the bundle's message and of the mesh inside it.
MESH, BASIS = 1, 2
MESH_VERTEX_BUFFER = 3
FLOATS_PER_VERTEX = 5  # x, y, z, u, v
BASIS_LANDMARK, BASIS_WEIGHT = 1, 2


@dataclass
class CanonicalFace:
    vertices: np.ndarray  # (468, 3), cm
    indices: np.ndarray  # (33,), mesh points that take part in the pose fit
    weights: np.ndarray  # (33,), their weights; they sum to 1 but for rounding


def read(data: bytes) -> CanonicalFace:
    mesh = protobuf.messages(data, MESH)[0]
    buffer = np.array(protobuf.floats(mesh, MESH_VERTEX_BUFFER), np.float64)
    vertices = buffer.reshape(-1, FLOATS_PER_VERTEX)[:, :3]
    if len(vertices) != VERTICES:
        raise ValueError(f"{len(vertices)} vertices, expected {VERTICES}")
    indices, weights = [], []
    for entry in protobuf.messages(data, BASIS):
        number, weight = 0, 0.0
        for field, _, value in protobuf.fields(entry):
            if field == BASIS_LANDMARK:
                number = int(value)
            elif field == BASIS_WEIGHT:
                weight = struct.unpack("<f", value)[0]
        indices.append(number)
        weights.append(weight)
    return CanonicalFace(vertices, np.array(indices), np.array(weights))
