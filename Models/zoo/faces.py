"""From network outputs to faces, as the Swift room Faces does it. Numbers here are the contract."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .networks import DETECTOR_STRIDES
from .pictures import Crop

SCORE_THRESHOLD = 0.6
OVERLAP_THRESHOLD = 0.3
DETECTION_TO_MESH = 1.4
MESH_TO_MESH = 1.5
MESH_SIZE = 192
OUTER_EYE_RIGHT, OUTER_EYE_LEFT = 33, 263  # the person's own right and left


@dataclass(eq=False)  # arrays do not compare to one truth
class Detection:
    box: np.ndarray  # x0, y0, x1, y1
    points: np.ndarray  # (5, 2): right eye, left eye, nose, right and left mouth corner
    score: float


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(x, -60, 60)))


def decode(outputs: dict[str, np.ndarray], item: int, threshold: float = SCORE_THRESHOLD) -> list[Detection]:
    """Detections of one batch item in input pixels, best first, overlaps removed."""
    found: list[Detection] = []
    for stride in DETECTOR_STRIDES:
        score = np.sqrt(
            sigmoid(outputs[f"cls_{stride}"][item, ..., 0]) * sigmoid(outputs[f"obj_{stride}"][item, ..., 0])
        )
        for row, column in zip(*np.where(score >= threshold)):
            box = outputs[f"bbox_{stride}"][item, row, column].astype(np.float64)
            points = outputs[f"kps_{stride}"][item, row, column].astype(np.float64).reshape(5, 2)
            corner = np.array([column, row], np.float64)
            centre, half = (corner + box[:2]) * stride, np.exp(box[2:]) * stride / 2
            found.append(
                Detection(
                    np.concatenate([centre - half, centre + half]),
                    (corner + points) * stride,
                    float(score[row, column]),
                )
            )
    found.sort(key=lambda d: -d.score)
    kept: list[Detection] = []
    for candidate in found:
        if all(overlap(candidate.box, other.box) <= OVERLAP_THRESHOLD for other in kept):
            kept.append(candidate)
    return kept


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """Shared area over joint area."""
    shared = np.prod(np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None))
    return float(shared / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - shared + 1e-9))


def mesh_crop_of_detection(detection: Detection) -> Crop:
    """Square round the box's middle, 1.4 x its longer side, turned as the eyes are."""
    x0, y0, x1, y1 = detection.box
    side = DETECTION_TO_MESH * max(x1 - x0, y1 - y0)
    eyes = detection.points[1] - detection.points[0]
    return Crop((x0 + x1) / 2, (y0 + y1) / 2, side, side, math.atan2(eyes[1], eyes[0]))


def mesh_crop_of_mesh(points: np.ndarray) -> Crop:
    """Square for the next frame: 1.5 x the longer side of the mesh's bounds in the eyes' own axes."""
    eyes = points[OUTER_EYE_LEFT, :2] - points[OUTER_EYE_RIGHT, :2]
    angle = math.atan2(eyes[1], eyes[0])
    c, s = math.cos(angle), math.sin(angle)
    turned = points[:, :2] @ np.array([[c, -s], [s, c]])  # into the eyes' axes
    low, high = turned.min(0), turned.max(0)
    middle = np.array([[c, -s], [s, c]]) @ ((low + high) / 2)
    side = MESH_TO_MESH * float((high - low).max())
    return Crop(float(middle[0]), float(middle[1]), side, side, angle)


def mesh_in_picture(landmarks: np.ndarray, crop: Crop) -> np.ndarray:
    """(468, 3) in picture pixels from the network's 1404 numbers; z in the same unit, nearer is less."""
    raw = landmarks.reshape(-1, 3).astype(np.float64) / MESH_SIZE
    flat = crop.to_picture(raw[:, :2])
    return np.concatenate([flat, raw[:, 2:] * crop.width], axis=1)


def eye_distance(points: np.ndarray) -> float:
    return float(np.linalg.norm(points[OUTER_EYE_LEFT, :2] - points[OUTER_EYE_RIGHT, :2]))
