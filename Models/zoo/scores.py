"""How well a score tells two classes apart."""

from __future__ import annotations

import numpy as np


def auc(positive: np.ndarray, negative: np.ndarray) -> float:
    """Chance that a positive scores above a negative; a draw counts half."""
    order = np.sort(negative)
    below = np.searchsorted(order, positive, "left") + np.searchsorted(order, positive, "right")
    return float(below.mean() / 2 / len(order))


def best_accuracy(positive: np.ndarray, negative: np.ndarray) -> float:
    """Share told right at the best threshold."""
    cuts = np.concatenate([positive, negative])
    right = [((positive >= t).sum() + (negative < t).sum()) / len(cuts) for t in cuts]
    return float(max(right))
