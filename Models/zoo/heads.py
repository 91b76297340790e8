"""What the two heads look at: grey patches placed by the mesh, with their contrast evened out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from .faces import OUTER_EYE_LEFT, OUTER_EYE_RIGHT
from .pictures import Crop, cut

MOUTH_POINTS = (61, 291, 0, 17)  # corners, upper edge of the upper and lower edge of the lower lip
# Outer and inner corner of each of the person's eyes.
EYES = {"right": (33, 133), "left": (263, 362)}


@dataclass(frozen=True)
class Patch:
    """Size in pixels and the width it covers."""

    columns: int
    rows: int
    span: float  # mouth: in distances of the outer eye corners; eye: in widths of the eye


EYE = Patch(32, 24, 1.8)
MOUTH = Patch(40, 28, 1.15)


def line_of_eyes(points: np.ndarray) -> float:
    along = points[OUTER_EYE_LEFT, :2] - points[OUTER_EYE_RIGHT, :2]
    return math.atan2(along[1], along[0])


def mouth_crop(points: np.ndarray, patch: Patch = MOUTH) -> Crop:
    """Middle of four lip points, along the line of the eyes, as wide as the eyes are apart x span."""
    x, y = points[list(MOUTH_POINTS), :2].mean(0)
    apart = np.linalg.norm(points[OUTER_EYE_LEFT, :2] - points[OUTER_EYE_RIGHT, :2])
    width = patch.span * float(apart)
    return Crop(float(x), float(y), width, width * patch.rows / patch.columns, line_of_eyes(points))


def eye_crop(points: np.ndarray, side: str, patch: Patch = EYE) -> Crop:
    """Middle of the eye's corners, turned as the line from picture-left to picture-right corner.

    The right eye of the person lies at the picture's left, its outer corner first; the left eye's
    patch is mirrored afterwards, so that both show the outer corner at the left.
    """
    outer, inner = (points[i, :2] for i in EYES[side])
    along = inner - outer if side == "right" else outer - inner
    middle = (outer + inner) / 2
    width = patch.span * float(np.linalg.norm(along))
    return Crop(
        float(middle[0]), float(middle[1]), width, width * patch.rows / patch.columns,
        math.atan2(along[1], along[0]),
    )  # fmt: skip


def eye_patches(picture: np.ndarray, points: np.ndarray) -> np.ndarray:
    """u8 patches of the right and of the left eye, the left one mirrored: (2, rows, columns)."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    return np.stack(
        [
            cut(grey, eye_crop(points, side), EYE.columns, EYE.rows, side == "left")[..., 0]
            for side in ("right", "left")
        ]
    )


def mouth_patch(picture: np.ndarray, points: np.ndarray) -> np.ndarray:
    """u8 patch: (rows, columns)."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    return cut(grey, mouth_crop(points), MOUTH.columns, MOUTH.rows)[..., 0]


SPREAD, FLOOR = 48.0, 6.0


def even(patches: np.ndarray) -> np.ndarray:
    """u8 patches (n, rows, columns) → int8 with mean 0 and a standard deviation near 48.

    q = clamp(round((u8 - mean) * 48 / (deviation + 6))). The 6 keeps noise of a flat patch small.
    Exposure and contrast are gone before the network sees the patch, so it need not learn them.
    """
    x = patches.astype(np.float32)
    mean = x.mean((1, 2), keepdims=True)
    deviation = x.std((1, 2), keepdims=True)
    return np.clip(np.rint((x - mean) * (SPREAD / (deviation + FLOOR))), -128, 127).astype(np.int8)
