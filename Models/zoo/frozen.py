"""ranges.json: the numbers measured once on pictures, so that building needs none.

ranges       network → tensor → [low, high] of its real values
corrections  network → output → what to add to each channel
"""

from __future__ import annotations

import json
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "ranges.json"


def load() -> dict:
    return json.loads(FILE.read_text())


def save(numbers: dict) -> None:
    """One tensor a line, so that a diff shows which ranges moved."""
    lines = []
    for part, networks in numbers.items():
        inner = []
        for network, tensors in networks.items():
            rows = ",\n".join(f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in tensors.items())
            inner.append(f"  {json.dumps(network)}: {{\n{rows}\n  }}")
        lines.append(f" {json.dumps(part)}: {{\n" + ",\n".join(inner) + "\n }")
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def update(ranges: dict, corrections: dict) -> None:
    """Replaces the numbers of the networks given and keeps the others'."""
    numbers = load()
    numbers["ranges"] |= ranges
    numbers["corrections"] |= corrections
    save(numbers)
