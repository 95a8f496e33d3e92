"""What the values of options may be."""

from __future__ import annotations

import argparse
from typing import Any

from conformance.memory import size


class Once(argparse.Action):
    """An option whose last value would silently win over another: it is refused when it is given twice."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None
    ) -> None:
        given = namespace.__dict__.setdefault("given", set())
        if self.dest in given:
            raise argparse.ArgumentError(self, "is given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


def count(text: str) -> int:
    """A number of processes or of attempts, 0 or more."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or more")
    return int(text)


def seconds(text: str) -> float:
    """A time limit: more than 0, less than 1,000,000 seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return value


def memory(text: str) -> int:
    """Bytes, of which a limit has a million at least; 0: no limit."""
    try:
        amount = size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if 0 < amount < 1 << 20:
        raise argparse.ArgumentTypeError(f"{text!r} is {amount} bytes, in which nothing runs; like 800M or 2G")
    return amount
