"""The numbers on the cards: int8 as it ships against float, on pictures that trained nothing.

    python measure.py CACHE [detector] [mesh] [gender] [smile] [eyes] [blinks]

Needs ../shared/data. Int8 here is zoo/integer.py as modelc packs it (PReLU and additions fused, raw
outputs), compiled by jax; golden_networks.py shows that its unfused form equals LiteRT's reference
kernels.
"""

from __future__ import annotations

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import csv
import json
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from zoo import (
    canonical_face,
    data,
    engines,
    faces,
    finder,
    gender,
    heads,
    networks,
    packages,
    pose,
    tflite_writer,
)
from zoo.faces import Detection
from zoo.heads import EYE
from zoo.networks import DETECTOR_SHAPES, INPUT_SCALES
from zoo.pictures import Crop, cut, to_int8
from zoo.scores import auc, best_accuracy
from zoo.teacher import BLINK_LEFT, BLINK_RIGHT, SMILE_LEFT, SMILE_RIGHT, Teacher

CACHE = Path(sys.argv[1])
BLINK = 0.5  # blendshape score above which the teacher calls an eye closed
SURELY_OPEN = 0.35


@cache
def pins() -> dict[str, dict]:
    entries = json.loads((Path(__file__).parent / "models.json").read_text())["models"]
    return {entry["name"]: entry for entry in entries}


@cache
def shipped(name: str, batch: int = 8) -> finder.Network:
    raw = tuple(pins()[name]["raw_outputs"])
    return engines.compiled(networks.quantised(name, CACHE), raw, batch)


@cache
def exact(name: str) -> finder.Network:
    return engines.in_float(networks.packaged(name, CACHE), INPUT_SCALES[name])


def percent(share: float, digits: int = 2) -> str:
    return f"{100 * share:.{digits}f} %"


# ---------------------------------------------------------------- detector


def match(expected: list[Detection], found: list[Detection]) -> list[tuple[Detection, Detection]]:
    pairs, left = [], list(found)
    for one in expected:
        other = max(left, key=lambda d: faces.overlap(one.box, d.box), default=None)
        if other is not None and faces.overlap(one.box, other.box) > 0.5:
            pairs.append((one, other))
            left.remove(other)
    return pairs


def detector() -> None:
    portraits = [data.rgb(p) for p in data.folder("detection")]
    groups = [data.rgb(p) for p in data.folder("stills")]
    empty = [data.rgb(p) for p in data.folder("noface")]
    for name in DETECTOR_SHAPES:
        for label, pictures in (("detection/", portraits), ("stills/", groups)):
            a = finder.detect(exact(name), name, pictures)
            b = finder.detect(shipped(name), name, pictures)
            pairs = [match(x, y) for x, y in zip(a, b)]
            flat = [p for some in pairs for p in some]
            missed = sum(len(x) - len(p) for x, p in zip(a, pairs))
            extra = sum(len(y) - len(p) for y, p in zip(b, pairs))
            off = [
                np.linalg.norm(x.points - y.points, axis=1).mean() / np.linalg.norm(x.points[0] - x.points[1])
                for x, y in flat
            ]
            print(
                f"{name} {label} {len(pictures)} pictures: float finds {sum(map(len, a))} faces, int8"
                f" misses {missed}, adds {extra}; overlap {np.mean([faces.overlap(x.box, y.box) for x, y in flat]):.3f},"
                f" score off {np.mean([abs(x.score - y.score) for x, y in flat]):.4f}"
                f" (most {max(abs(x.score - y.score) for x, y in flat):.3f}), points off"
                f" {percent(np.mean(off))} of the eye distance"
            )
        counts = [sum(map(len, finder.detect(run(name), name, empty))) for run in (exact, shipped)]
        print(f"{name} noface/ {len(empty)} pictures: false faces float {counts[0]}, int8 {counts[1]}")


# ---------------------------------------------------------------- mesh


def crops_by_float(pictures: list[np.ndarray]) -> tuple[list[np.ndarray], list[Crop]]:
    """Pictures with a face and the crop a following frame would be read from."""
    found = [finder.largest(f) for f in finder.detect(exact("yunet-320"), "yunet-320", pictures)]
    seen = [(p, d) for p, d in zip(pictures, found) if d is not None]
    pictures = [p for p, _ in seen]
    first = finder.track(exact("mesh468"), pictures, [faces.mesh_crop_of_detection(d) for _, d in seen])
    return pictures, [faces.mesh_crop_of_mesh(f.points) for f in first]


def mesh() -> None:
    tests = [p for p in data.smile_pictures() if p.fold in data.TEST_FOLDS]
    sets = {
        "detection/": [data.rgb(p) for p in data.folder("detection")],
        "smile/ test folds": [data.rgb(p.path) for p in tests[::5]],
        "franck": [frame for _, frame in data.clip(data.TEST_CLIP, 48)],
    }
    canonical = canonical_face.read(packages.source("canonical-face", CACHE))
    every, angles = [], []
    for label, pictures in sets.items():
        pictures, crops = crops_by_float(pictures)
        a = finder.track(exact("mesh468"), pictures, crops)
        b = finder.track(shipped("mesh468"), pictures, crops)
        off = np.array(
            [
                np.linalg.norm(x.points[:, :2] - y.points[:, :2], axis=1).mean()
                / faces.eye_distance(x.points)
                for x, y in zip(a, b)
            ]
        )
        every.append(off)
        size = [p.shape[1::-1] for p in pictures]
        angles += [
            np.subtract(pose.euler(pose.solve(x.points, *s, canonical)), pose.euler(pose.solve(y.points, *s, canonical)))
            for x, y, s in zip(a, b, size)
        ]  # fmt: skip
        presence = np.array([[x.presence, y.presence] for x, y in zip(a, b)])
        print(
            f"mesh468 {label}: {len(off)} faces, mean {percent(off.mean(), 3)}, p95"
            f" {percent(np.percentile(off, 95), 3)}, most {percent(off.max())} of the eye distance; presence"
            f" least {presence[:, 1].min():.1f} (float {presence[:, 0].min():.1f}), 5 % below"
            f" {np.percentile(presence[:, 1], 5):.1f}"
        )
    off = np.concatenate(every)
    print(
        f"mesh468 all: {len(off)} faces, mean {percent(off.mean(), 3)}, p95 {percent(np.percentile(off, 95), 3)}"
    )
    mean, most = np.abs(angles).mean(0), np.abs(angles).max(0)
    print(
        f"mesh468 pose: pitch, yaw, roll off by {mean.round(2)} degrees on average, {most.round(1)} at most"
    )
    presence_without_face()


def presence_without_face() -> None:
    """What the mesh says of squares of pictures that have no face."""
    random = np.random.default_rng(5)
    pictures, crops = [], []
    for path in data.folder("noface"):
        picture = data.rgb(path)
        h, w = picture.shape[:2]
        for _ in range(6):
            side = random.uniform(0.2, 0.8) * min(h, w)
            pictures.append(picture)
            crops.append(
                Crop(
                    random.uniform(side / 2, w - side / 2),
                    random.uniform(side / 2, h - side / 2),
                    side,
                    side,
                    0,
                )
            )
    found = [f.presence for f in finder.track(shipped("mesh468"), pictures, crops)]
    print(
        f"mesh468 presence on {len(found)} squares of noface/: most {max(found):.1f}, above 0:"
        f" {sum(v > 0 for v in found)}"
    )


# ---------------------------------------------------------------- the chain as it runs


@cache
def quick_detector() -> finder.Network:
    """The int8 detector in LiteRT's fast kernels: at times one step of rounding off, to place a crop."""
    return engines.LiteRT(tflite_writer.write(networks.quantised("yunet-320", CACHE)))


def look(picture: np.ndarray) -> finder.Found | None:
    """A still picture through the int8 chain."""
    detection = finder.largest(finder.detect(quick_detector(), "yunet-320", [picture])[0])
    if detection is None:
        return None
    read = shipped("mesh468", 1)
    first = finder.track(read, [picture], [faces.mesh_crop_of_detection(detection)])[0]
    return finder.track(read, [picture], [faces.mesh_crop_of_mesh(first.points)])[0]


def logits(run: finder.Network, patches: np.ndarray) -> np.ndarray:
    return run(heads.even(patches)[..., None])["logit"].reshape(-1)


# ---------------------------------------------------------------- gender


AGES = ((0, 25), (26, 40), (41, 60), (61, 200))


def gender_() -> None:
    with open(data.root() / "gender" / "labels.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    chips, kept = [], []
    for row in rows:
        picture = data.rgb(data.root() / "gender" / row["file"])
        found = look(picture)
        if found is not None:
            chips.append(gender.chip(picture, found.points))
            kept.append(row)
    q = to_int8(np.stack(chips))
    margins = []
    for run in (exact("gender"), shipped("gender")):
        out = np.concatenate([run(q[i : i + 64])["logits"] for i in range(0, len(q), 64)]).reshape(-1, 2)
        margins.append(out[:, 1] - out[:, 0])
    original = original_margins(chips)
    man = np.array([row["gender"] == "man" for row in kept])
    right = [(m > 0) == man for m in (original, *margins)]
    print(
        f"gender: {len(kept)} of {len(rows)} faces found; right: original {percent(right[0].mean())},"
        f" mean folded in {percent(right[1].mean())}, int8 {percent(right[2].mean())}; int8 flips"
        f" {(np.sign(margins[0]) != np.sign(margins[1])).sum()} of the folded,"
        f" {(np.sign(original) != np.sign(margins[1])).sum()} of the original; margin off"
        f" {np.abs(original - margins[1]).mean():.3f} on average"
    )
    sure = np.abs(margins[1]) >= 1
    print(
        f"gender, margin at least 1: {percent(sure.mean())} of the faces, right {percent(right[2][sure].mean())}"
    )
    tables: dict[str, list[bool]] = defaultdict(list)
    for row, ok in zip(kept, right[2]):
        age = int(row["age"])
        low, high = next(band for band in AGES if band[0] <= age <= band[1])
        tables[row["gender"]].append(ok)
        tables[f"age {low}-{high}"].append(ok)
        tables[f"{row['gender']}, age {low}-{high}"].append(ok)
        tables[f"group {row['group']}"].append(ok)
        tables[f"{row['gender']}, group {row['group']}"].append(ok)
    for name, oks in sorted(tables.items()):
        print(f"gender, {name}: {percent(np.mean(oks), 1)} of {len(oks)}")


def original_margins(chips: list[np.ndarray]) -> np.ndarray:
    """The network as packaged: each channel's own mean, zero padding after it."""
    from zoo import onnx_reader

    graph = onnx_reader.read(packages.source("gender", CACHE), "gender", (1, 32, 32, 3))
    x = (np.stack(chips).astype(np.float32) - networks.GENDER_MEAN.astype(np.float32)) / 256
    out = np.concatenate([graph.run(x[i : i + 64])["logits"] for i in range(0, len(x), 64)]).reshape(-1, 2)
    return out[:, 1] - out[:, 0]


# ---------------------------------------------------------------- heads


def smile() -> None:
    tests = [p for p in data.smile_pictures() if p.fold in data.TEST_FOLDS]
    teacher = Teacher(CACHE)
    mouths, eyes, scores, agreed = [], [], [], []
    for entry in tests:
        picture = data.rgb(entry.path)
        found = look(picture)
        if found is None:
            continue
        mouths.append(heads.mouth_patch(picture, found.points))
        eyes.append(heads.eye_patches(picture, found.points))
        scores.append(teacher(picture, faces.mesh_crop_of_mesh(found.points))[0])
        agreed.append(entry.agreed)
    agreed, scores = np.array(agreed), np.array(scores)
    yes, no = agreed == "1", agreed == "0"
    print(
        f"smile: {len(agreed)} of {len(tests)} faces of folds {sorted(data.TEST_FOLDS)} found; {yes.sum()} smiles, {no.sum()} not"
    )
    taught = scores[:, [SMILE_LEFT, SMILE_RIGHT]].mean(1)
    for label, z in (
        ("teacher", taught),
        ("float", logits(exact("smile"), np.stack(mouths))),
        ("int8", logits(shipped("smile"), np.stack(mouths))),
    ):
        line = (
            f"smile {label}: AUC {auc(z[yes], z[no]):.4f}, best accuracy {best_accuracy(z[yes], z[no]):.4f}"
        )
        if label != "teacher":
            line += f", at 0.5 {((z[yes] > 0).sum() + (z[no] <= 0).sum()) / (yes.sum() + no.sum()):.4f}"
        print(line)
    blink = scores[:, [BLINK_RIGHT, BLINK_LEFT]].reshape(-1)
    for label, run in (("float", exact("eye-open")), ("int8", shipped("eye-open"))):
        against_teacher(f"eye-open {label}, smile/ test folds", logits(run, np.concatenate(eyes)), blink)


def against_teacher(label: str, z: np.ndarray, blink: np.ndarray) -> None:
    closed, clear = blink > BLINK, blink < SURELY_OPEN
    print(
        f"{label}: {closed.sum()} closed (blink > {BLINK}), {clear.sum()} surely open (< {SURELY_OPEN}):"
        f" AUC {auc(z[clear], z[closed]):.4f}; closed against all others {auc(z[~closed], z[closed]):.4f};"
        f" right at 0.5: {((z[closed] <= 0).sum() + (z[clear] > 0).sum()) / (closed.sum() + clear.sum()):.4f}"
    )


# Where the eye lies in the crops of eyes/, looked at by eye: shares of the crop's width and height.
EYES_MIDDLE, EYES_WIDTH = (0.5, 0.57), 1.0


def eyes() -> None:
    """eyes/: crops of unknown making, placed so that the eye fills as much as in our patches."""
    patches, open_ = [], []
    for state in ("open", "closed"):
        for path in data.folder(f"eyes/{state}"):
            grey = cv2.cvtColor(data.rgb(path), cv2.COLOR_RGB2GRAY)
            h, w = grey.shape
            side = EYES_WIDTH * min(w, h)
            crop = Crop(w * EYES_MIDDLE[0], h * EYES_MIDDLE[1], side, side * EYE.rows / EYE.columns, 0)
            patches.append(cut(grey, crop, EYE.columns, EYE.rows)[..., 0])
            open_.append(state == "open")
    patches, open_ = np.stack(patches), np.array(open_)
    for label, run in (("float", exact("eye-open")), ("int8", shipped("eye-open"))):
        straight, mirrored = logits(run, patches), logits(run, patches[:, :, ::-1])
        for form, z in (
            ("as is", straight),
            ("mirrored", mirrored),
            ("mean of both", (straight + mirrored) / 2),
        ):
            print(
                f"eye-open {label}, eyes/ {form}: accuracy at 0.5 {((z > 0) == open_).mean():.4f} (open"
                f" {(z[open_] > 0).mean():.3f}, closed {(z[~open_] <= 0).mean():.3f}), AUC"
                f" {auc(z[open_], z[~open_]):.4f}, best {best_accuracy(z[open_], z[~open_]):.4f}"
            )


def blinks() -> None:
    """franck, frame by frame as tracked: against the teacher, and the blinks that come out."""
    teacher, found = Teacher(CACHE), None
    z, blink = [], []
    for _, picture in data.clip(data.TEST_CLIP):
        if found is None or found.presence < 0:
            found = look(picture)
        else:
            crop = faces.mesh_crop_of_mesh(found.points)
            found = finder.track(shipped("mesh468", 1), [picture], [crop])[0]
        z.append(logits(shipped("eye-open", 2), heads.eye_patches(picture, found.points)))
        scores, _ = teacher(picture, faces.mesh_crop_of_mesh(found.points))
        blink.append(scores[[BLINK_RIGHT, BLINK_LEFT]])
    z, blink = np.array(z), np.array(blink)
    np.savez(CACHE.parent / "franck-eyes.npz", logits=z, blink=blink)
    against_teacher("eye-open int8, franck", z.reshape(-1), blink.reshape(-1))
    for label, closed in (
        ("head, both below 0.5", (z < 0).all(1)),
        ("head, mean below 0.5", z.mean(1) < 0),
        ("teacher, both above 0.5", (blink > BLINK).all(1)),
        ("teacher, mean above 0.4", blink.mean(1) > 0.4),
    ):
        lengths = run_lengths(closed)
        good = lengths[lengths <= 25]  # a second
        print(
            f"franck, {label}: {len(good)} blinks of at most a second, {len(lengths) - len(good)} longer,"
            f" median {np.median(good) * 40 if len(good) else 0:.0f} ms at 25 frames a second"
        )


def run_lengths(flags: np.ndarray) -> np.ndarray:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return edges[1::2] - edges[::2]


PARTS = {
    "detector": detector,
    "mesh": mesh,
    "gender": gender_,
    "smile": smile,
    "eyes": eyes,
    "blinks": blinks,
}

if __name__ == "__main__":
    for part in sys.argv[2:] or PARTS:
        PARTS[part]()
        sys.stdout.flush()
