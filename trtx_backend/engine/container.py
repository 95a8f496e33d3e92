"""The form of a cached file: magic, format, a header in JSON with its hash, and the compressed payload.

A flipped bit anywhere is found: in front of the payload by the header's hash, in the payload by its CRC, and in what was
unpacked by the length. This is against accidents; who may write the file is not stopped by any of it.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import zstandard

MAGIC = b"RUSTNN\x1a\n"
_FRONT = struct.Struct("<8s4sII")
"""Magic, kind, format, length of the header."""
_HASH = 16
FRONT_SIZE = _FRONT.size
LEVEL = 3
"""zstd's own default. Higher ones take many times as long for some per cent."""
MAX_PAYLOAD = 1 << 36


class BadFile(ValueError):
    """The file is not what it should be; the message says what is wrong."""


def pack(kind: bytes, version: int, header: Mapping[str, Any], payload: bytes) -> list[bytes]:
    """The parts of a file. `kind` is 4 bytes; the header gets the payload's lengths and checksum as well."""
    packed = zstandard.ZstdCompressor(level=LEVEL).compress(payload)
    sizes = {"payload": len(payload), "packed": len(packed), "crc": zlib.crc32(packed)}
    text = json.dumps({**header, **sizes}, sort_keys=True, separators=(",", ":")).encode()
    front = _FRONT.pack(MAGIC, kind, version, len(text))
    return [front, text, _hash(front, text), packed]


def unpack(kind: bytes, version: int, data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the payload of a file. BadFile if anything in it is not as it was written."""
    header, start = unpack_header(kind, version, data)
    packed = memoryview(data)[start:]
    if len(packed) != header["packed"]:
        raise BadFile(f"the payload has {len(packed)} bytes, not {header['packed']}")
    if zlib.crc32(packed) != header["crc"]:
        raise BadFile("the payload's checksum is wrong")
    try:
        if zstandard.frame_content_size(packed) != header["payload"]:
            raise BadFile(f"the payload does not unpack to {header['payload']} bytes")
        payload = zstandard.ZstdDecompressor().decompress(packed, max_output_size=header["payload"])
    except zstandard.ZstdError as error:
        raise BadFile(f"the payload cannot be unpacked: {error}") from None
    return header, payload


def unpack_header(kind: bytes, version: int, data: bytes) -> tuple[dict[str, Any], int]:
    """The header, and where the payload starts. `data` need not go further than that. BadFile."""
    if len(data) < FRONT_SIZE:
        raise BadFile(f"{len(data)} bytes are too few")
    magic, its_kind, its_version, length = _FRONT.unpack_from(data)
    if magic != MAGIC or its_kind != kind:
        raise BadFile("it is a file of another kind")
    if its_version != version:
        raise BadFile(f"it has format {its_version}, not {version}")
    start = FRONT_SIZE + length + _HASH
    if len(data) < start:
        raise BadFile("it ends within its header")
    text = data[FRONT_SIZE : FRONT_SIZE + length]
    if data[FRONT_SIZE + length : start] != _hash(data[:FRONT_SIZE], text):
        raise BadFile("the header's hash is wrong")
    return _checked(text), start


def _checked(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except ValueError as error:
        raise BadFile(f"the header is no JSON: {error}") from None
    sizes = [header.get(name) for name in ("payload", "packed", "crc")] if isinstance(header, dict) else [None]
    if not all(isinstance(size, int) and 0 <= size <= MAX_PAYLOAD for size in sizes):
        raise BadFile("the header does not say how large the payload is")
    return dict(header)


def _hash(front: bytes, text: bytes) -> bytes:
    return hashlib.blake2b(front + text, digest_size=_HASH).digest()
