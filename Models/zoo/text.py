"""JSON that people can read and diffs can show."""

from __future__ import annotations

import json
import re

WIDTH = 110


def compact(value: object) -> str:
    """Indented, but lists of plain values and short records stay on one line."""

    def one_line(match: re.Match) -> str:
        line = " ".join(match[0].split()).replace("[ ", "[").replace(" ]", "]")
        return line if match[0][0] == "[" or len(line) <= WIDTH else match[0]

    text = re.sub(r"\[[^\[\]{}]*\]", one_line, json.dumps(value, indent=2))
    return re.sub(r"\{[^{}]*\}", one_line, text)
