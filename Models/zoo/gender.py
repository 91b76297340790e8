"""The chip the gender network looks at."""

from __future__ import annotations

import math

import numpy as np

from .pictures import Crop, cut

SIZE = 32
# Mesh points: outer and inner corner of the person's left eye, of the right eye, under the nose.
POINTS = (263, 362, 33, 133, 2)
# Where dlib's five-point face has them in its chip (width 1), before the padding.
TEMPLATE = np.array(
    [
        [0.8595674595992, 0.2134981538014],
        [0.6460604764104, 0.2289674387677],
        [0.1205750620789, 0.2137274526848],
        [0.3340850613712, 0.2290642403242],
        [0.4901123135679, 0.6277975316475],
    ]
)
PADDING = 0.2  # of the unpadded chip, on each side


def crop(points: np.ndarray) -> Crop:
    """The square the chip covers: least-squares similarity from the template to the mesh points.

    With both point sets as complex numbers about their means, p and q, the similarity q = a p has
    a = sum(conj(p) q) / sum(|p|^2): scale and turn at once, no SVD.
    """
    template = (TEMPLATE + PADDING) / (1 + 2 * PADDING)  # 0..1 in the chip
    mesh = points[list(POINTS), :2]
    middle_t, middle_m = template.mean(0), mesh.mean(0)
    p = (template - middle_t) @ np.array([1, 1j])
    q = (mesh - middle_m) @ np.array([1, 1j])
    a = (np.conj(p) * q).sum() / (np.abs(p) ** 2).sum()
    to_centre = a * complex(*(np.array([0.5, 0.5]) - middle_t))
    return Crop(
        middle_m[0] + to_centre.real, middle_m[1] + to_centre.imag, abs(a), abs(a),
        math.atan2(a.imag, a.real),
    )  # fmt: skip


def chip(picture: np.ndarray, points: np.ndarray) -> np.ndarray:
    return cut(picture, crop(points), SIZE, SIZE)
