"""Teaches the smile and the eye head and writes heads/smile.npz and heads/eye-open.npz.

    python train_heads.py FACES HEADDIR [smile|eye-open]

FACES is what collect_faces.py wrote. Targets: the blendshapes' scores, and for the smile the agreed
labels where there are any. People of the test folds and the test clip take no part; the validation
fold is only looked at.
"""

from __future__ import annotations

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import jax
import jax.numpy as jnp
import numpy as np

from zoo import data, heads, teacher
from zoo.heads import Patch
from zoo.networks import HEAD_LAYERS
from zoo.scores import auc

BATCH = 128
RATE = 2e-3
DECAY = 2e-4
STEPS = 5000


@dataclass
class Samples:
    patches: np.ndarray  # (n, rows, columns) u8, roomy
    targets: np.ndarray  # (n,) 0..1
    weights: np.ndarray  # (n,) share of the loss and of the draws


# ---------------------------------------------------------------- what to learn


def open_target(blink: np.ndarray) -> np.ndarray:
    """Blendshape "blink" → how open. Below 0.35 it is surely open, above 0.6 closed."""
    return np.clip((0.6 - blink) / 0.25, 0.0, 1.0)


def smile_target(smile: np.ndarray) -> np.ndarray:
    """Blendshape smile (mean of both sides) → how much of a smile."""
    return np.clip((smile - 0.2) / 0.5, 0.0, 1.0)


def load(folder: Path, sources: tuple[str, ...]) -> dict[str, np.ndarray]:
    parts = [np.load(folder / f"{source}.npz") for source in sources]
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0].files}


def divisions(faces: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masks of faces that train, validate and test, by person."""
    pictures = data.smile_pictures()
    still = faces["source"] == "smile"
    fold = np.full(len(still), -1)
    fold[still] = [pictures[i].fold for i in faces["number"][still]]
    test = np.isin(fold, list(data.TEST_FOLDS)) | (faces["source"] == data.TEST_CLIP)
    validation = np.isin(fold, list(data.VALIDATION_FOLDS))
    return ~test & ~validation, validation, test


def evened_sources(source: np.ndarray) -> np.ndarray:
    """Weights by which a long clip of one person counts as much as some hundred pictures."""
    weights = np.ones(len(source))
    for name in np.unique(source):
        if name != "smile":
            weights[source == name] = min(1.0, 400 / (source == name).sum())
    return weights


def eye_samples(faces: dict[str, np.ndarray], mask: np.ndarray) -> Samples:
    patches, targets, weights = [], [], []
    for side, row in (("right", teacher.BLINK_RIGHT), ("left", teacher.BLINK_LEFT)):
        target = open_target(faces["scores"][mask, row])
        patches.append(faces[side][mask])
        targets.append(target)
        weights.append(evened_sources(faces["source"][mask]))
    target, weight = np.concatenate(targets), np.concatenate(weights)
    # Closed eyes are rare: they get a third of the draws.
    closed = target < 0.5
    weight[closed] *= 0.5 * weight[~closed].sum() / max(weight[closed].sum(), 1e-9)
    return Samples(np.concatenate(patches), target, weight)


def smile_samples(faces: dict[str, np.ndarray], mask: np.ndarray) -> Samples:
    scores = faces["scores"][mask][:, [teacher.SMILE_LEFT, teacher.SMILE_RIGHT]].mean(1)
    target = smile_target(scores)
    weight = evened_sources(faces["source"][mask])
    pictures = data.smile_pictures()
    for i, (source, number) in enumerate(zip(faces["source"][mask], faces["number"][mask])):
        if source == "smile" and pictures[number].agreed in ("0", "1"):
            # People saw it: their word counts for most, and more often.
            target[i] = 0.15 * target[i] + 0.85 * float(pictures[number].agreed)
            weight[i] = 2.0
    smiling = target > 0.5
    weight[smiling] *= 0.8 * weight[~smiling].sum() / max(weight[smiling].sum(), 1e-9)
    return Samples(faces["mouth"][mask], target, weight)


# ---------------------------------------------------------------- patches as cameras see them


def plain(patches: np.ndarray, patch: Patch) -> np.ndarray:
    """The head's patch from the middle of the roomy one."""
    return np.stack([window(p, patch, 0, 0, 1, 0) for p in patches])


def window(roomy: np.ndarray, patch: Patch, dx: float, dy: float, zoom: float, turn: float) -> np.ndarray:
    """A patch moved by (dx, dy) of its own pixels, zoomed and turned (radians), 2x2 samples a pixel."""
    rows, columns = roomy.shape
    fine = rows / patch.rows / 1.5  # roomy pixels per patch pixel
    step = fine * zoom / 2
    c, s = np.cos(turn) * step, np.sin(turn) * step
    wide, high = 2 * patch.columns, 2 * patch.rows
    x0 = (columns - 1) / 2 + dx * fine - c * (wide - 1) / 2 + s * (high - 1) / 2
    y0 = (rows - 1) / 2 + dy * fine - s * (wide - 1) / 2 - c * (high - 1) / 2
    big = cv2.warpAffine(
        roomy, np.array([[c, -s, x0], [s, c, y0]]), (wide, high),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return cv2.resize(big, (patch.columns, patch.rows), interpolation=cv2.INTER_AREA)


def disturbed(roomy: np.ndarray, patch: Patch, random: np.random.Generator) -> np.ndarray:
    """As another camera, light or mesh error would give it."""
    out = window(
        roomy, patch,
        random.normal(0, 0.05) * patch.columns, random.normal(0, 0.05) * patch.rows,
        np.exp(random.normal(0, 0.1)), random.normal(0, 0.08),
    )  # fmt: skip
    if random.random() < 0.5:
        out = out[:, ::-1]
    if random.random() < 0.35:  # a small face: fewer real pixels
        share = random.uniform(0.3, 0.9)
        small = (max(8, round(patch.columns * share)), max(6, round(patch.rows * share)))
        out = cv2.resize(out, small, interpolation=cv2.INTER_AREA)
        out = cv2.resize(out, (patch.columns, patch.rows), interpolation=cv2.INTER_LINEAR)
    if random.random() < 0.25:  # motion
        length = random.integers(2, 5)
        kernel = np.zeros((length, length), np.float32)
        if random.random() < 0.5:
            kernel[length // 2] = 1 / length
        else:
            kernel[:, length // 2] = 1 / length
        out = cv2.filter2D(out, -1, kernel)
    x = out.astype(np.float32)
    if random.random() < 0.5:  # light from one side
        slope = random.normal(0, 25, 2)
        x = (
            x
            + slope[0] * np.linspace(-1, 1, patch.columns)
            + slope[1] * np.linspace(-1, 1, patch.rows)[:, None]
        )
    if random.random() < 0.5:  # gamma
        x = 255 * (np.clip(x, 0, 255) / 255) ** np.exp(random.normal(0, 0.35))
    if random.random() < 0.3:  # dark: contrast is lost against noise
        x = x * random.uniform(0.15, 0.7)
    x = x + random.normal(0, abs(random.normal(0, 3.0)), x.shape)
    if random.random() < 0.15:  # a rim of glasses, a glint, hair
        at = random.integers(0, patch.rows), random.integers(0, patch.columns)
        end = at[1] + random.integers(-patch.columns, patch.columns), at[0] + random.integers(-8, 8)
        x = cv2.line(np.ascontiguousarray(x), at[::-1], tuple(int(v) for v in end),
                     float(random.uniform(0, 255)), int(random.integers(1, 3)))  # fmt: skip
    return np.clip(np.rint(x), 0, 255).astype(np.uint8)


# ---------------------------------------------------------------- network and descent


def beginnings(name: str, random: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    out, channels = [], 1
    for layer in HEAD_LAYERS[name]:
        shape = (layer.rows, layer.columns, channels, layer.channels)
        scale = np.sqrt(2 / (layer.rows * layer.columns * channels))
        out.append((random.normal(0, scale, shape).astype(np.float32), np.zeros(layer.channels, np.float32)))
        channels = layer.channels
    return out


def logits(name: str, weights, x, key=None):
    """x: (n, rows, columns, 1) of q / 64. `key` drops features while learning."""
    for number, (layer, (w, b)) in enumerate(zip(HEAD_LAYERS[name], weights)):
        last = number == len(weights) - 1
        if last and key is not None:
            keep = jax.random.bernoulli(key, 0.7, (x.shape[0], 1, 1, x.shape[3]))
            x = x * keep / 0.7
        x = jax.lax.conv_general_dilated(
            x, w, (layer.stride, layer.stride), "VALID" if last else "SAME",
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        ) + b  # fmt: skip
        x = x if last else jax.nn.relu(x)
    return x.reshape(-1)


def train(name: str, samples: Samples, patch: Patch, check, steps: int, seed: int = 1):
    random = np.random.default_rng(seed)
    weights = beginnings(name, random)

    def loss(weights, x, target, key):
        z = logits(name, weights, x, key)
        fit = jnp.mean(jnp.logaddexp(0, z) - target * z)
        return fit + DECAY * sum(jnp.sum(w**2) for w, _ in weights)

    @jax.jit
    def step(weights, first, second, x, target, key, t):
        slopes = jax.grad(loss)(weights, x, target, key)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slopes)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, slopes)
        rate = RATE * 0.5 * (1 + jnp.cos(jnp.pi * t / steps))

        def moved(w, m, v):
            return w - rate * (m / (1 - 0.9 ** (t + 1))) / (jnp.sqrt(v / (1 - 0.999 ** (t + 1))) + 1e-8)

        return jax.tree.map(moved, weights, first, second), first, second

    first = jax.tree.map(jnp.zeros_like, weights)
    second = jax.tree.map(jnp.zeros_like, weights)
    key = jax.random.PRNGKey(seed)
    share = samples.weights / samples.weights.sum()
    forward = jax.jit(lambda w, x: logits(name, w, x))
    for t in range(steps):
        picks = random.choice(len(share), BATCH, p=share)
        seen = np.stack([disturbed(samples.patches[i], patch, random) for i in picks])
        x = heads.even(seen)[..., None].astype(np.float32) / 64
        key, part = jax.random.split(key)
        weights, first, second = step(weights, first, second, x, samples.targets[picks], part, t)
        if t % 1000 == 999 or t == steps - 1:
            check(t + 1, lambda q, w=weights: np.asarray(forward(w, q[..., None].astype(np.float32) / 64)))
    return [(np.asarray(w), np.asarray(b)) for w, b in weights]


def save(path: Path, weights: list[tuple[np.ndarray, np.ndarray]]) -> None:
    arrays = {}
    for number, (w, b) in enumerate(weights):
        arrays[f"{number}/weights"] = w.transpose(3, 0, 1, 2)  # HWIO → TFLite's OHWI
        arrays[f"{number}/bias"] = b
    path.parent.mkdir(exist_ok=True)
    np.savez(path, **arrays)


def main() -> None:
    faces = load(Path(sys.argv[1]), ("smile", *data.TRAINING_CLIPS))
    target = Path(sys.argv[2])
    chosen = sys.argv[3:] or ["smile", "eye-open"]
    training, validation, _ = divisions(faces)
    if "eye-open" in chosen:
        known = eye_samples(faces, validation)
        patches = heads.even(plain(known.patches, heads.EYE))

        def check(step, run):
            z = run(patches)
            area = auc(z[known.targets > 0.99], z[known.targets < 0.4])
            print(
                f"eye-open {step}: validation AUC {area:.4f} ({(known.targets < 0.4).sum()} closed)",
                flush=True,
            )

        save(
            target / "eye-open.npz", train("eye-open", eye_samples(faces, training), heads.EYE, check, STEPS)
        )
    if "smile" in chosen:
        pictures = data.smile_pictures()
        agreed = np.array(
            [pictures[i].agreed if s == "smile" else "" for s, i in zip(faces["source"], faces["number"])]
        )
        mask = validation & np.isin(agreed, ["0", "1"])
        patches, label = heads.even(plain(faces["mouth"][mask], heads.MOUTH)), agreed[mask] == "1"
        scores = faces["scores"][mask][:, [teacher.SMILE_LEFT, teacher.SMILE_RIGHT]].mean(1)
        print(f"smile: the teacher's validation AUC {auc(scores[label], scores[~label]):.4f}")

        def check(step, run):
            z = run(patches)
            print(
                f"smile {step}: validation AUC {auc(z[label], z[~label]):.4f} ({label.sum()} smiles)",
                flush=True,
            )

        save(target / "smile.npz", train("smile", smile_samples(faces, training), heads.MOUTH, check, STEPS))


if __name__ == "__main__":
    main()
