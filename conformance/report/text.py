"""Names and messages are data: what they may hold and a format cannot, it gets as an escape that a reader can see."""

from __future__ import annotations

import re

UNSAFE = re.compile(
    "[^\t\n\r\u0020-\u007e\u00a0-\u200d\u2010-\u2027\u202f-\u2065\u2070-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010fffd]"
)
"""Control characters, halves of surrogate pairs, what is no character, and what changes the direction of a line: it would
make a name read as another."""


def visible(text: str) -> str:
    """The text with every unsafe character as an escape: valid in XML, HTML, UTF-8, and the same to the eye."""
    return UNSAFE.sub(lambda match: _escape(match[0]), text)


def one_line(text: str) -> str:
    """The same, with line ends and tabs as escapes too."""
    return visible(text).replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
