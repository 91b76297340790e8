#!/usr/bin/env python3
"""Renders the synthetic demo clip: one portrait, turned and deformed in 3-D by a face mesh.

The portrait is the public-domain NASA picture of Eileen Collins that scikit-image carries, cut to
320x240 (`portrait.png`). `mesh.csv` holds the 468 points of the face mesh on it (x, y in pixels of
the crop, z in the same unit, negative towards the camera). Nobody moved for this clip: it tests the
program, it is no proof of liveness.

Usage: make_demo.py OUTPUT_FOLDER   (needs the ffmpeg program; writes OUTPUT_FOLDER/demo.mp4)
"""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
from scipy.spatial import Delaunay

HERE = Path(__file__).parent
SCALE = 2  # portrait pixel to clip pixel
FPS = 25
SECONDS = 14.6

LIPS = [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 185, 40, 39, 37, 0, 267, 269, 270, 409,
        78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 191, 80, 81, 82, 13, 312, 311, 310, 415,
        76, 77, 90, 180, 85, 16, 315, 404, 320, 307, 306, 184, 74, 73, 72, 11, 302, 303, 304, 408,
        62, 96, 89, 179, 86, 15, 316, 403, 319, 325, 292, 183, 42, 41, 38, 12, 268, 271, 272, 407]
INNER_UPPER = [78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308]
INNER_LOWER = [78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308]
LOWER_LIP = [146, 91, 181, 84, 17, 314, 405, 321, 375, 95, 88, 178, 87, 14, 317, 402, 318, 324,
             77, 90, 180, 85, 16, 315, 404, 320, 307, 96, 89, 179, 86, 15, 316, 403, 319, 325]
UPPER_LIDS = [[246, 161, 160, 159, 158, 157, 173], [466, 388, 387, 386, 385, 384, 398]]
LOWER_LIDS = [[7, 163, 144, 145, 153, 154, 155], [249, 390, 373, 374, 380, 381, 382]]
# The folds from the nose to the corners of the mouth, which a smile deepens.
FOLDS = [[129, 203, 206, 216, 212], [358, 423, 426, 436, 432]]
OVAL = [10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
        152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109]


def ease(t: float, start: float, end: float, ramp: float) -> float:
    """0 outside start…end, 1 inside, with smooth ramps of `ramp` seconds within it."""
    x = min((t - start) / ramp, (end - t) / ramp, 1.0)
    return 0.0 if x <= 0 else float(x * x * (3 - 2 * x))


def spread(points: np.ndarray, moved: list[int], shift: np.ndarray, reach: float) -> np.ndarray:
    """Lets the neighbourhood follow: a displacement for every point, fading over `reach` pixels."""
    result = np.zeros_like(points)
    anchors = points[moved, :2]
    distance = np.linalg.norm(points[:, None, :2] - anchors[None], axis=2)
    weight = np.exp(-(distance / (0.35 * reach)) ** 2) + 1e-12
    result = (weight[:, :, None] * shift[None]).sum(1) / weight.sum(1)[:, None]
    result *= np.exp(-(distance.min(1) / reach) ** 2)[:, None]
    result[moved] = shift
    return result


class Head:
    """The portrait as a relief: mesh, hair around it, and a border that stays where it is."""

    def __init__(self, mesh: np.ndarray, width: int, height: int) -> None:
        self.mesh = mesh
        self.width, self.height = width, height
        center = mesh[OVAL].mean(0)
        radius = np.linalg.norm(mesh[OVAL, :2] - center[:2], axis=1).mean()
        self.center = np.array([center[0], center[1] + 0.2 * radius, mesh[:, 2].max() + 0.55 * radius])
        self.radius = radius
        ring = mesh[OVAL]
        out = ring[:, :2] - center[:2]
        hair = np.c_[center[:2] + out * 1.30, ring[:, 2] + 0.30 * radius]
        back = np.c_[center[:2] + out * 1.62, ring[:, 2] + 0.75 * radius]
        still = np.c_[center[:2] + out * 2.0, np.full(len(ring), 1.6 * radius)]
        # the neck and the collar do not turn with the head
        stays = np.clip((np.r_[hair, back, still][:, 1] - (mesh[152, 1] - 0.05 * radius)) / (0.2 * radius), 0, 1)
        border = np.array([[x, y, 1.6 * radius] for x in np.linspace(0, width - 1, 9)
                           for y in np.linspace(0, height - 1, 7)])
        reach = np.linalg.norm(border[:, :2] - center[:2], axis=1)
        border = border[reach > 2.2 * radius]
        self.points = np.r_[mesh, hair, back, still, border]
        moves = np.ones(len(self.points))
        n = len(mesh)
        moves[n:n + 3 * len(ring)] = 1 - stays
        moves[n + 2 * len(ring):] = 0
        self.moves = moves
        self.triangles = Delaunay(self.points[:, :2]).simplices

    def unsmile(self) -> np.ndarray:
        """Displacement that makes the portrait's smile a neutral, closed mouth."""
        p = self.mesh
        middle = (p[13] + p[14]) / 2
        shift = np.zeros((len(LIPS), 3))
        half = abs(p[291, 0] - p[61, 0]) / 2
        gap = p[14, 1] - p[13, 1]
        for k, i in enumerate(LIPS):
            x = (p[i, 0] - middle[0]) / half
            shift[k, 0] = -0.28 * half * x
            shift[k, 1] = 0.34 * half * abs(x) ** 1.5
        for upper, lower in zip(INNER_UPPER[1:-1], INNER_LOWER[1:-1]):
            close = 0.47 * (p[lower, 1] - p[upper, 1])
            shift[LIPS.index(upper), 1] += close
            shift[LIPS.index(lower), 1] -= close
        # outer rings of the lips keep their thickness
        for k, i in enumerate(LIPS):
            if i in INNER_UPPER or i in INNER_LOWER:
                continue
            x = 1 - min(1.0, abs((p[i, 0] - middle[0]) / half))
            shift[k, 1] += (-0.40 if i in LOWER_LIP else 0.40) * gap * x ** 0.5
        return spread(p, LIPS, shift, 0.42 * self.radius)

    def open_jaw(self) -> np.ndarray:
        """Displacement of the jaw, the lower lip with it, for an open mouth."""
        p = self.mesh
        shift = np.zeros_like(p)
        mouth = p[13, 1] + 0.5 * (p[14, 1] - p[13, 1])
        chin = p[152, 1]
        half = abs(p[454, 0] - p[234, 0]) / 2
        for i in range(len(p)):
            below = np.clip((p[i, 1] - mouth) / (0.25 * (chin - mouth)), 0, 1)
            side = 1 - min(1.0, abs(p[i, 0] - p[152, 0]) / half) ** 2
            shift[i, 1] = below * max(side, 0.0)
        for i in LOWER_LIP:
            x = min(1.0, abs(p[i, 0] - p[14, 0]) / (abs(p[291, 0] - p[61, 0]) / 2))
            shift[i, 1] = 1 - x ** 2
        return shift * 0.34 * self.radius

    def close_eyes(self) -> np.ndarray:
        """Displacement of the upper lids onto the lower ones."""
        total = np.zeros_like(self.mesh)
        for upper, lower in zip(UPPER_LIDS, LOWER_LIDS):
            shift = 1.08 * (self.mesh[lower] - self.mesh[upper])
            total += spread(self.mesh, upper + lower, np.r_[shift, np.zeros_like(shift)], 0.09 * self.radius)
        return total

    def pose(self, deformed: np.ndarray, yaw: float, pitch: float, roll: float, shift: np.ndarray) -> np.ndarray:
        """Rotates (degrees; positive yaw towards the picture's right) and projects all points."""
        y, x, r = np.radians([yaw, pitch, roll])
        around_y = np.array([[np.cos(y), 0, -np.sin(y)], [0, 1, 0], [np.sin(y), 0, np.cos(y)]])
        around_x = np.array([[1, 0, 0], [0, np.cos(x), np.sin(x)], [0, -np.sin(x), np.cos(x)]])
        around_z = np.array([[np.cos(r), np.sin(r), 0], [-np.sin(r), np.cos(r), 0], [0, 0, 1]])
        turned = (deformed - self.center) @ (around_z @ around_x @ around_y).T
        distance = 9 * self.radius
        factor = distance / (distance + turned[:, 2:] - (deformed[:, 2:] - self.center[2]))
        flat = np.c_[turned[:, :2] * factor, turned[:, 2:]] + self.center
        flat[:, :2] += shift
        w = self.moves[:, None]
        return deformed * (1 - w) + flat * w


def warp(picture: np.ndarray, source: np.ndarray, target: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Draws the triangles far to near; coordinates in pixels of `picture` and of the result."""
    height, width = picture.shape[:2]
    map_x = np.tile(np.arange(width, dtype=np.float32), (height, 1))
    map_y = np.tile(np.arange(height, dtype=np.float32)[:, None], (1, width))
    order = np.argsort(-target[triangles, 2].mean(1))
    for a, b, c in triangles[order]:
        p, q = target[[a, b, c], :2], source[[a, b, c], :2]
        area = (p[1, 0] - p[0, 0]) * (p[2, 1] - p[0, 1]) - (p[2, 0] - p[0, 0]) * (p[1, 1] - p[0, 1])
        before = (q[1, 0] - q[0, 0]) * (q[2, 1] - q[0, 1]) - (q[2, 0] - q[0, 0]) * (q[1, 1] - q[0, 1])
        if abs(area) < 1e-6 or area * before < 0:  # turned away from the camera
            continue
        x0, y0 = np.maximum(np.floor(p.min(0)).astype(int), 0)
        x1, y1 = np.minimum(np.ceil(p.max(0)).astype(int) + 1, [width, height])
        if x0 >= x1 or y0 >= y1:
            continue
        gx, gy = np.meshgrid(np.arange(x0, x1), np.arange(y0, y1))
        u = ((gx - p[0, 0]) * (p[2, 1] - p[0, 1]) - (p[2, 0] - p[0, 0]) * (gy - p[0, 1])) / area
        v = ((p[1, 0] - p[0, 0]) * (gy - p[0, 1]) - (gx - p[0, 0]) * (p[1, 1] - p[0, 1])) / area
        inside = (u >= -1e-3) & (v >= -1e-3) & (u + v <= 1 + 1e-3)
        map_x[y0:y1, x0:x1][inside] = (q[0, 0] + u * (q[1, 0] - q[0, 0]) + v * (q[2, 0] - q[0, 0]))[inside]
        map_y[y0:y1, x0:x1][inside] = (q[0, 1] + u * (q[1, 1] - q[0, 1]) + v * (q[2, 1] - q[0, 1]))[inside]
    return cv2.remap(picture, map_x, map_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def at_rest(picture: np.ndarray, mesh: np.ndarray) -> np.ndarray:
    """The picture's skin without its smile: folds filled from their surroundings, lips closed."""
    folds = np.zeros(picture.shape[:2], np.uint8)
    for line in FOLDS:
        cv2.polylines(folds, [np.rint(mesh[line, :2] * SCALE).astype(np.int32)], False, 255, 22)
    smooth = cv2.inpaint(picture, folds, 9, cv2.INPAINT_TELEA)
    lips = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(lips, [np.rint(mesh[INNER_UPPER + INNER_LOWER[::-1], :2] * SCALE).astype(np.int32)], 255)
    lips = cv2.dilate(lips, np.ones((3, 3), np.uint8))
    result = picture.astype(np.float32)
    for mask, source in ((folds, smooth), (lips, np.array([70, 60, 110], np.float32))):
        soft = cv2.GaussianBlur(mask, (0, 0), 2.0)[..., None].astype(np.float32) / 255
        result = result * (1 - soft) + source * soft
    return np.clip(np.rint(result), 0, 255).astype(np.uint8)


def render(
    t: float, picture: np.ndarray, rest: np.ndarray, head: Head, noise: np.random.Generator
) -> np.ndarray:
    smile = ease(t, 2.0, 3.6, 0.35)
    turn = ease(t, 5.0, 6.9, 0.5)
    jaw = ease(t, 8.6, 10.2, 0.4)
    blink = max(ease(t, s, s + 0.24, 0.09) for s in (1.35, 4.4, 8.0, 11.6))
    mesh = head.mesh + (1 - smile) * head.unsmile() + jaw * head.open_jaw() + blink * head.close_eyes()
    points = np.r_[mesh, head.points[len(mesh):]]
    # nobody holds perfectly still
    sway = np.array([0.9 * np.sin(1.3 * t) + 0.4 * np.sin(3.1 * t + 1), 0.6 * np.sin(1.7 * t + 2)])
    yaw = 40 * turn + 1.6 * np.sin(0.9 * t) + 0.5 * np.sin(2.7 * t)
    target = head.pose(points, yaw, 6 + 1.0 * np.sin(0.7 * t + 1), 0.8 * np.sin(0.5 * t), sway)
    skin = cv2.addWeighted(picture, smile, rest, 1 - smile, 0)
    frame = warp(skin, head.points * SCALE, target * SCALE, head.triangles)
    if jaw > 0:  # what is seen behind open lips
        lips = (target[INNER_UPPER + INNER_LOWER[::-1], :2] * SCALE).astype(np.float32)
        mask = np.zeros(frame.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.rint(lips).astype(np.int32)], 255)
        soft = cv2.GaussianBlur(mask, (0, 0), 1.5)[..., None].astype(np.float32) / 255 * min(1, 1.5 * jaw)
        frame = frame * (1 - soft) + np.array([30, 22, 52], np.float32) * soft
    frame = frame.astype(np.float32) + noise.normal(0, 2.0, frame.shape).astype(np.float32)
    return np.clip(np.rint(frame), 0, 255).astype(np.uint8)


def main() -> None:
    output = Path(sys.argv[1])
    portrait = cv2.imread(str(HERE / "portrait.png"))
    picture = cv2.resize(portrait, None, fx=SCALE, fy=SCALE, interpolation=cv2.INTER_CUBIC)
    mesh = np.loadtxt(HERE / "mesh.csv", delimiter=",")
    head = Head(mesh, portrait.shape[1], portrait.shape[0])
    rest = at_rest(picture, mesh)
    noise = np.random.default_rng(7)
    height, width = picture.shape[:2]
    encoder = subprocess.Popen(
        ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{width}x{height}",
         "-r", str(FPS), "-i", "-", "-an", "-c:v", "libx264", "-preset", "slow", "-crf", "27", "-pix_fmt", "yuv420p",
         "-threads", "1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart",
         str(output / "demo.mp4")], stdin=subprocess.PIPE)
    for index in range(round(FPS * SECONDS)):
        encoder.stdin.write(render(index / FPS, picture, rest, head, noise).tobytes())
    encoder.stdin.close()
    if encoder.wait() != 0:
        sys.exit("ffmpeg failed")


if __name__ == "__main__":
    main()
