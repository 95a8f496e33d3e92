"""Parts of a corpus for several machines: `--shard 2/3` is the second of three.

Which part a case is in follows from its id alone, so that it stays there whatever cases come, go or are selected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Shard:
    """Part `number`, counted from 1, of `count`."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def __contains__(self, case_id: str) -> bool:
        digest = sha256(case_id.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.number - 1


def shard_of(text: str) -> Shard:
    """ "2/3" as a shard. ValueError unless it is one."""
    match = re.fullmatch(r"([1-9]\d{0,4})/([1-9]\d{0,4})", text)
    if match is None or int(match[1]) > int(match[2]):
        raise ValueError(f"{text!r} is not a part, like 1/3, 2/3 or 3/3")
    return Shard(int(match[1]), int(match[2]))
