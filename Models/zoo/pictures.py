"""How the firmware cuts pictures: letterbox and turned crops. OpenCV stands in for Imaging.

Coordinates are continuous: pixel (0, 0) covers 0..1 in x and y, its centre is at 0.5, 0.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np


@dataclass(frozen=True)
class Crop:
    """A turned rectangle of the picture; `angle` in radians, clockwise as seen."""

    x: float
    y: float
    width: float
    height: float
    angle: float

    def to_picture(self, share: np.ndarray) -> np.ndarray:
        """From shares of the crop, (n, 2) in 0..1, to picture pixels."""
        u = (share[:, 0] - 0.5) * self.width
        v = (share[:, 1] - 0.5) * self.height
        c, s = math.cos(self.angle), math.sin(self.angle)
        return np.stack([self.x + c * u - s * v, self.y + s * u + c * v], axis=1)


@dataclass(frozen=True)
class Box:
    """Where a scaled picture lies in an input: input = picture * scale + (left, top)."""

    scale: float
    left: int
    top: int

    def to_picture(self, points: np.ndarray) -> np.ndarray:
        """(..., 2) from input to picture pixels."""
        return (points - np.array([self.left, self.top])) / self.scale


def letterbox(picture: np.ndarray, columns: int, rows: int) -> tuple[np.ndarray, Box]:
    """The picture scaled to fit into the middle of a black field, area average when shrinking."""
    h, w = picture.shape[:2]
    scale = min(columns / w, rows / h)
    width = min(columns, max(1, round(w * scale)))
    height = min(rows, max(1, round(h * scale)))
    left, top = (columns - width) // 2, (rows - height) // 2
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    out = np.zeros((rows, columns, 3), np.uint8)
    out[top : top + height, left : left + width] = cv2.resize(picture, (width, height), interpolation=way)
    return out, Box(scale, left, top)


def cut(picture: np.ndarray, crop: Crop, columns: int, rows: int, mirror: bool = False) -> np.ndarray:
    """The crop as columns x rows pixels: bilinear, the picture's edge repeated outside.

    Where the crop shrinks by more than 1.5, each output pixel is the mean of n x n bilinear samples
    spread evenly over it: n = 2, 4, 8 or 16, the first with at most 1.5 pixels from one to the next.
    """
    shrink = max(crop.width / columns, crop.height / rows)
    n = 1
    while n < 16 and shrink > 1.5 * n:
        n *= 2
    sx, sy = crop.width / (columns * n), crop.height / (rows * n)
    c, s = math.cos(crop.angle), math.sin(crop.angle)
    # Destination pixel (i, j) has its centre at (i + .5, j + .5); OpenCV counts from centres.
    u0, v0 = 0.5 * sx - crop.width / 2, 0.5 * sy - crop.height / 2
    matrix = np.array(
        [
            [c * sx, -s * sy, crop.x - 0.5 + c * u0 - s * v0],
            [s * sx, c * sy, crop.y - 0.5 + s * u0 + c * v0],
        ]
    )
    out = cv2.warpAffine(
        picture,
        matrix,
        (columns * n, rows * n),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    if n > 1:
        tiles = out.reshape(rows, n, columns, n, -1).astype(np.float32)
        out = np.rint(tiles.mean((1, 3))).astype(np.uint8)
    out = out.reshape(rows, columns, -1)
    return out[:, ::-1] if mirror else out


def to_int8(pictures: np.ndarray) -> np.ndarray:
    return (pictures.astype(np.int16) - 128).astype(np.int8)
