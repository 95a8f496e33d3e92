"""Names of cases as pytest, xdist and a terminal take them."""

from __future__ import annotations

import pytest

from conformance.plugin import encodable, printable


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain é ∞ 😀", "plain é ∞ 😀"),
        ("two\nlines\ttab\x1b[31m", "two\\nlines\\ttab\\x1b[31m"),
        ("half \ud800", "half \\ud800"),
        ("next\u2028line\u200bno width", "next\\u2028line\\u200bno width"),
    ],
)
def test_a_name_is_one_line_of_valid_text(name: str, shown: str) -> None:
    assert printable(name) == shown
    printable(name).encode()
    assert printable(name).isprintable()


def test_what_cannot_be_encoded_is_spelled_out() -> None:
    assert encodable("a\udc00\nb") == "a\\udc00\nb"
