"""Head pose from mesh points: the perspective-correct solve, as MediaPipe's face geometry does it.

This is the reference the Swift solver is checked against. The camera is assumed, not measured:
63 degrees of vertical field of view, principal point in the middle. Screen points come with a
depth (z) in the same unit as x but of unknown scale and offset; two Procrustes fits against the
canonical face find the scale, then the points can be put into centimetres before the camera.
"""

from __future__ import annotations

import math

import numpy as np

from .canonical_face import VERTICES, CanonicalFace

VERTICAL_FOV_DEGREES = 63.0
NEAR_CM = 1.0


def weighted_similarity(source: np.ndarray, target: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The 4x4 matrix [sR t] that brings `source` (n, 3) nearest to `target`, weighted least squares."""
    share = weights / weights.sum()
    source_mean, target_mean = share @ source, share @ target
    a = (source - source_mean) * share[:, None]
    b = target - target_mean
    u, _, vt = np.linalg.svd(b.T @ a)
    # A reflection would fit mirrored faces: flip the least certain axis instead.
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
    rotation = u @ flip @ vt
    scale = np.sum((a @ rotation.T) * b) / np.sum(a * (source - source_mean))
    out = np.eye(4)
    out[:3, :3] = scale * rotation
    out[:3, 3] = target_mean - scale * rotation @ source_mean
    return out


def solve(
    points: np.ndarray,
    width: float,
    height: float,
    face: CanonicalFace,
    depth_points: np.ndarray | None = None,
) -> np.ndarray:
    """4x4 pose (canonical face to camera, cm; camera looks along -z, y up).

    points: (>= 468, 3) mesh in picture pixels, x right, y down, z in pixels, smaller is nearer.
    depth_points: the points whose mean depth is the depth origin; all 468 by default as in
        MediaPipe. The firmware may pass the 33 only.
    """
    near_height = 2 * NEAR_CM * math.tan(math.radians(VERTICAL_FOV_DEGREES) / 2)
    scale = near_height / height  # picture pixels to cm on the near plane
    points = points[:VERTICES]
    screen = np.empty((VERTICES, 3))
    screen[:, 0] = (points[:, 0] - width / 2) * scale
    screen[:, 1] = (height / 2 - points[:, 1]) * scale
    screen[:, 2] = points[:, 2] * scale
    depth_offset = screen[:, 2].mean() if depth_points is None else screen[depth_points, 2].mean()
    canonical = face.vertices[face.indices]

    def fit(metric: np.ndarray) -> np.ndarray:
        return weighted_similarity(canonical, metric[face.indices], face.weights)

    def unproject(total: float) -> np.ndarray:
        """Points in camera space if one canonical cm is `total` near-plane cm."""
        depth = (screen[:, 2] - depth_offset + NEAR_CM) / total
        return np.stack([screen[:, 0] * depth / NEAR_CM, screen[:, 1] * depth / NEAR_CM, -depth], axis=1)

    flat = screen * np.array([1, 1, -1])
    first = np.linalg.norm(fit(flat)[:3, 0])
    second = np.linalg.norm(fit(unproject(first))[:3, 0])
    return fit(unproject(first * second))


def euler(pose: np.ndarray) -> tuple[float, float, float]:
    """(pitch, yaw, roll) in degrees, signs as ML Kit: up, to the picture's right, counter-clockwise."""
    rotation = pose[:3, :3] / np.linalg.norm(pose[:3, 0])
    pitch = math.degrees(math.asin(np.clip(rotation[1, 2], -1, 1)))
    yaw = math.degrees(math.atan2(rotation[0, 2], rotation[2, 2]))
    roll = math.degrees(math.atan2(rotation[1, 0], rotation[1, 1]))
    return pitch, yaw, roll
