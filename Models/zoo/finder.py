"""Detector and mesh together, float or int8: from a picture to mesh points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import faces
from .faces import Detection
from .networks import DETECTOR_SHAPES
from .pictures import Box, Crop, cut, letterbox, to_int8

# int8 batch in the firmware's input form → float outputs by name
Network = Callable[[np.ndarray], dict[str, np.ndarray]]


@dataclass
class Found:
    points: np.ndarray  # (468, 3) picture pixels
    presence: float  # logit
    crop: Crop  # the crop the points were read from


def detect(network: Network, name: str, pictures: list[np.ndarray], **options) -> list[list[Detection]]:
    """Detections of each picture, in picture pixels."""
    _, rows, columns, _ = DETECTOR_SHAPES[name]
    found: list[list[Detection]] = []
    for at in range(0, len(pictures), 8):
        boxed = [letterbox(p, columns, rows) for p in pictures[at : at + 8]]
        outputs = network(to_int8(np.stack([b[0] for b in boxed])))
        for item, (_, box) in enumerate(boxed):
            in_input = faces.decode(outputs, item, **options)
            found.append([in_picture(d, box) for d in in_input])
    return found


def in_picture(detection: Detection, box: Box) -> Detection:
    corners = box.to_picture(detection.box.reshape(2, 2)).reshape(4)
    return Detection(corners, box.to_picture(detection.points), detection.score)


def largest(detections: list[Detection]) -> Detection | None:
    return max(detections, key=lambda d: np.prod(d.box[2:] - d.box[:2]), default=None)


def track(network: Network, pictures: list[np.ndarray], crops: list[Crop]) -> list[Found]:
    """One mesh pass over each picture."""
    found: list[Found] = []
    for at in range(0, len(pictures), 8):
        some = crops[at : at + 8]
        chips = [cut(p, c, faces.MESH_SIZE, faces.MESH_SIZE) for p, c in zip(pictures[at : at + 8], some)]
        outputs = network(to_int8(np.stack(chips)))
        for item, crop in enumerate(some):
            points = faces.mesh_in_picture(outputs["landmarks"][item], crop)
            found.append(Found(points, float(outputs["presence"][item].reshape(())), crop))
    return found
