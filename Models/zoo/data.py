"""The pictures of ../shared/data: what may train, what only tests, and who is on which side.

Nothing of it is in this repository. `README.md` of that folder has the terms.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

# People of these folds of smile/ are never trained on or calibrated with.
TEST_FOLDS = {8, 9}
# Hyper-parameters are chosen on this one.
VALIDATION_FOLDS = {7}
# Clips that may train. franck may as well, but is kept aside: it is the blink test.
TRAINING_CLIPS = ("lp_d0", "lp_d1", "lp_d3", "lp_d5", "lp_d8", "lp_d9", "lp_d13", "lp_d14", "cap12",
                  "talk1", "talk2")  # fmt: skip
TEST_CLIP = "franck"


@dataclass(frozen=True)
class SmilePicture:
    path: Path
    agreed: str  # "1", "0", "?" or empty
    fold: int


def root() -> Path:
    folder = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    if not folder.is_dir():
        raise SystemExit(f"{folder} is absent: only `make models` works without pictures")
    return folder


def rgb(path: Path) -> np.ndarray:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError(f"{path.name} is no picture")
    return np.ascontiguousarray(picture[:, :, ::-1])


def smile_pictures() -> list[SmilePicture]:
    folder = root() / "smile"
    with open(folder / "labels.csv", newline="") as file:
        return [
            SmilePicture(folder / row["file"], row["smile_agreed"], int(row["fold"]))
            for row in csv.DictReader(file)
        ]


def clip(name: str, step: int = 1) -> Iterator[tuple[int, np.ndarray]]:
    """(frame number, RGB) of every `step`-th frame."""
    path = next((root() / "clips").glob(name + ".*"))
    capture = cv2.VideoCapture(str(path))
    number = 0
    while capture.grab():
        if number % step == 0:
            ok, frame = capture.retrieve()
            if ok:
                yield number, np.ascontiguousarray(frame[:, :, ::-1])
        number += 1
    capture.release()


def folder(name: str) -> list[Path]:
    return sorted(p for p in (root() / name).iterdir() if p.suffix in (".jpg", ".png", ".jpeg", ".webp"))
