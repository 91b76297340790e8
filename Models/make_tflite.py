"""Writes the int8 .tflite files: packaged networks and our heads, with the frozen ranges.

    python make_tflite.py OUTDIR CACHE [--accept]

The files must have the sha256 that models.json pins; --accept writes the new ones there instead,
after ranges or heads were made anew on purpose.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from zoo import networks, text, tflite_writer

PINS = Path(__file__).parent / "models.json"


def main() -> None:
    target, cache = Path(sys.argv[1]), Path(sys.argv[2])
    accept = "--accept" in sys.argv
    target.mkdir(parents=True, exist_ok=True)
    pins = json.loads(PINS.read_text())
    wrong = []
    for entry in pins["models"]:
        data = tflite_writer.write(networks.quantised(entry["name"], cache))
        (target / entry["file"]).write_bytes(data)
        found = hashlib.sha256(data).hexdigest()
        if accept:
            entry["sha256"], entry["bytes"] = found, len(data)
        elif found != entry["sha256"]:
            wrong.append(f"{entry['file']}: sha256 is {found}, models.json has {entry['sha256']}")
        print(f"{entry['file']}: {len(data)} bytes")
    if accept:
        PINS.write_text(text.compact(pins) + "\n")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
