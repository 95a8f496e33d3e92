"""Device memory and streams of the double."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

GARBAGE = 0xCD
"""What fresh memory holds."""


@dataclass(eq=False)
class Allocation:
    """`stream` orders it; None: it was allocated at once, and all streams may use it."""

    address: int
    size: int
    stream: Stream | None
    data: Bytes = field(init=False)
    free_asked: bool = False

    def __post_init__(self) -> None:
        self.data = np.full(self.size, GARBAGE, np.uint8)


@dataclass(eq=False)
class Work:
    """Something that a stream will do. `run` does it; `uses` is memory that it reads or writes; `owners` are ids of the
    objects that must outlive it."""

    name: str
    run: Callable[[], None]
    uses: Sequence[Allocation] = ()
    owners: Sequence[int] = ()


@dataclass(eq=False)
class Recorded:
    """A call that a capture has taken down; `issue` issues it again, on a launch."""

    name: str
    issue: Callable[[Stream], Work]


@dataclass(eq=False)
class Capture:
    thread: int
    recorded: list[Recorded] = field(default_factory=list)
    invalid: bool = False


@dataclass(eq=False)
class Stream:
    """What is pending runs when someone waits, in order, or when there is too much of it."""

    handle: int
    pending: deque[Work] = field(default_factory=deque)
    capture: Capture | None = None
    alive: bool = True

    def run_all(self) -> None:
        while self.pending:
            self.pending.popleft().run()

    def waits_for(self, owner: int) -> bool:
        return any(owner in work.owners for work in self.pending)
