"""The teacher of the heads: MediaPipe's 478-point mesh and 52 blendshapes, in float."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from . import packages
from .engines import LiteRT
from .pictures import Crop, cut

MESH_SIZE = 256
POINTS = 478
# Rows of the blendshape output that we learn from.
BLINK_LEFT, BLINK_RIGHT, SMILE_LEFT, SMILE_RIGHT = 9, 10, 44, 45
# The 146 mesh points that the blendshape network reads, in its order.
INPUTS = [
    0, 1, 4, 5, 6, 7, 8, 10, 13, 14, 17, 21, 33, 37, 39, 40, 46, 52, 53, 54, 55, 58, 61, 63, 65, 66,
    67, 70, 78, 80, 81, 82, 84, 87, 88, 91, 93, 95, 103, 105, 107, 109, 127, 132, 133, 136, 144, 145,
    146, 148, 149, 150, 152, 153, 154, 155, 157, 158, 159, 160, 161, 162, 163, 168, 172, 173, 176, 178,
    181, 185, 191, 195, 197, 234, 246, 249, 251, 263, 267, 269, 270, 276, 282, 283, 284, 285, 288, 291,
    293, 295, 296, 297, 300, 308, 310, 311, 312, 314, 317, 318, 321, 323, 324, 332, 334, 336, 338, 356,
    361, 362, 365, 373, 374, 375, 377, 378, 379, 380, 381, 382, 384, 385, 386, 387, 388, 389, 390, 397,
    398, 400, 402, 405, 409, 415, 454, 466, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477,
]  # fmt: skip


class Teacher:
    def __init__(self, cache: Path):
        self.mesh = LiteRT(packages.source("mesh478", cache))
        self.blendshapes = LiteRT(packages.source("blendshapes", cache))

    def __call__(self, picture: np.ndarray, crop: Crop) -> tuple[np.ndarray, float]:
        """52 scores 0..1 and the mesh's presence logit."""
        chip = cut(picture, crop, MESH_SIZE, MESH_SIZE).astype(np.float32)[None] / 255
        outputs = self.mesh.raw(chip)
        mesh = next(v for v in outputs.values() if v.size == 3 * POINTS).reshape(POINTS, 3)
        # The network has two single outputs; presence is the one named first in the file.
        presence = next(float(v.reshape(())) for v in outputs.values() if v.size == 1)
        # Centred and scaled inside the network, so crop pixels do as well as picture pixels.
        scores = next(iter(self.blendshapes.raw(mesh[INPUTS, :2][None].astype(np.float32)).values()))
        return scores.reshape(-1), presence
