"""Reads protocol-buffer wire format without generated classes.

Two of the packaged files are protocol buffers (ONNX graphs and MediaPipe's canonical face).
We need a handful of their fields, so a reader of a few lines is less to trust and to pin than
a runtime plus schemas.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The unsigned varint at `at`, and the offset behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """Every (field number, wire type, raw value) of one message, in file order."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = varint(data, at)
        elif wire == FIXED64:
            value, at = data[at : at + 8], at + 8
        elif wire == BYTES:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        elif wire == FIXED32:
            value, at = data[at : at + 4], at + 4
        else:
            raise ValueError(f"wire type {wire} at offset {at}")
        yield number, wire, value


def signed(value: int) -> int:
    """A varint read as int64 (protobuf writes negative numbers as ten bytes)."""
    return value - (1 << 64) if value >= 1 << 63 else value


def integers(data: bytes, number: int) -> list[int]:
    """A repeated integer field, packed or not."""
    out: list[int] = []
    for field, wire, value in fields(data):
        if field != number:
            continue
        if wire == VARINT:
            out.append(signed(value))
            continue
        at = 0
        while at < len(value):
            item, at = varint(value, at)
            out.append(signed(item))
    return out


def floats(data: bytes, number: int) -> list[float]:
    """A repeated float field, packed or not."""
    out: list[float] = []
    for field, _, value in fields(data):
        if field == number:
            out.extend(struct.unpack(f"<{len(value) // 4}f", value))
    return out


def messages(data: bytes, number: int) -> list[bytes]:
    """A repeated message, string or bytes field, each as raw bytes."""
    return [value for field, _, value in fields(data) if field == number]


def text(data: bytes, number: int, default: str = "") -> str:
    """The last value of a string field."""
    found = messages(data, number)
    return found[-1].decode() if found else default
