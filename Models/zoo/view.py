"""One picture through the whole chain, as the firmware does it; the reference for the Swift rooms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import faces, finder, gender, heads
from .faces import Detection
from .finder import Found, Network
from .pictures import Crop, cut, letterbox, to_int8


class Chain:
    """Networks by name (float or int8), each from int8 input to float outputs."""

    def __init__(self, network: Callable[[str], Network], detector: str = "yunet-320"):
        self.network = network
        self.detector = detector

    def face(self, picture: np.ndarray) -> tuple[Detection, Found, Found] | None:
        """The largest face: detection, mesh from it, mesh again from that mesh's own crop."""
        found = finder.detect(self.network(self.detector), self.detector, [picture])[0]
        detection = finder.largest(found)
        if detection is None:
            return None
        mesh = self.network("mesh468")
        first = finder.track(mesh, [picture], [faces.mesh_crop_of_detection(detection)])[0]
        second = finder.track(mesh, [picture], [faces.mesh_crop_of_mesh(first.points)])[0]
        return detection, first, second

    def man(self, picture: np.ndarray, points: np.ndarray) -> float:
        """Probability of "man"."""
        chip = to_int8(gender.chip(picture, points))[None]
        woman, man = self.network("gender")(chip)["logits"].reshape(2)
        return float(1 / (1 + np.exp(woman - man)))

    def heads(self, picture: np.ndarray, points: np.ndarray) -> dict[str, float]:
        """Probabilities of a smile and of each eye being open."""
        eyes = heads.even(heads.eye_patches(picture, points))[..., None]
        mouth = heads.even(heads.mouth_patch(picture, points)[None])[..., None]
        right, left = faces.sigmoid(self.network("eye-open")(eyes)["logit"].reshape(-1))
        (smile,) = faces.sigmoid(self.network("smile")(mouth)["logit"].reshape(-1))
        return {"smile": float(smile), "rightEyeOpen": float(right), "leftEyeOpen": float(left)}


def inputs(picture: np.ndarray, detection: Detection, second: Found) -> dict[str, np.ndarray]:
    """The int8 input of each network for a picture that was looked at."""
    square = cut(picture, second.crop, faces.MESH_SIZE, faces.MESH_SIZE)
    return {
        "yunet-160": to_int8(letterbox(picture, 160, 128)[0])[None],
        "yunet-320": to_int8(letterbox(picture, 320, 256)[0])[None],
        "mesh468": to_int8(square)[None],
        "gender": to_int8(gender.chip(picture, second.points))[None],
        "eye-open": heads.even(heads.eye_patches(picture, second.points)[:1])[..., None],
        "smile": heads.even(heads.mouth_patch(picture, second.points)[None])[..., None],
    }


def crop_numbers(crop: Crop) -> dict[str, float]:
    return {
        "x": round(crop.x, 3),
        "y": round(crop.y, 3),
        "width": round(crop.width, 3),
        "height": round(crop.height, 3),
        "angle": round(crop.angle, 5),
    }
