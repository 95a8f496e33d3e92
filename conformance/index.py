"""Cases by node id, for runs of any number of them: what is held is where a case is, and the cases of a few files."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import overload

from conformance.cases import AnyCase, BrokenCase, Case, cases_from, load

HELD = 8000
"""Cases that are held at most, unless a single file has more; WPT's and ours are fewer, so that each file is read once."""

LARGE = 8 << 20
"""Bytes from which the cases of a file are not held but read one by one."""

_files: OrderedDict[tuple[Path, int, int], Sequence[AnyCase]] = OrderedDict()


def cases_of(path: Path) -> Sequence[AnyCase]:
    """The cases of a file, as `load` gives them, read again only if it has changed or been forgotten."""
    try:
        status = path.stat()
    except OSError:
        return load(path)
    key = (path, status.st_mtime_ns, status.st_size)
    if key in _files:
        _files.move_to_end(key)
        return _files[key]
    _files[key] = found = _sliced(path) if status.st_size >= LARGE else load(path)
    held = sum(map(_weight, _files.values()))
    while len(_files) > 1 and held > HELD:
        held -= _weight(_files.popitem(last=False)[1])
    return found


def _sliced(path: Path) -> Sequence[AnyCase]:
    try:
        return _Sliced(path)
    except Exception:  # then it is not a case file, or one in some other form, of which `load` knows more
        return load(path)


def _weight(cases: Sequence[AnyCase]) -> int:
    return 1 if isinstance(cases, _Sliced) else len(cases)


class _Sliced(Sequence[AnyCase]):
    """The cases of a large file: each is read where it stands. Those that cannot be read are held."""

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_bytes().decode("utf-8")
        spans = list(_spans(text))
        self._cases: list[BrokenCase | tuple[str, int, int]] = []
        tests = (json.loads(text[begin:end]) for begin, end in spans)
        offset, seen = 0, 0  # in bytes, and the characters before it
        for case, (begin, end) in zip(cases_from(path, tests), spans, strict=True):
            offset += len(text[seen:begin].encode())
            size = len(text[begin:end].encode())
            self._cases.append((case.name, offset, size) if isinstance(case, Case) else case)
            offset, seen = offset + size, end

    def __len__(self) -> int:
        return len(self._cases)

    @overload
    def __getitem__(self, index: int) -> AnyCase: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[AnyCase]: ...
    def __getitem__(self, index: int | slice) -> AnyCase | Sequence[AnyCase]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        found = self._cases[index]
        if not isinstance(found, tuple):
            return found
        name, offset, size = found
        with self._path.open("rb") as file:
            file.seek(offset)
            test = json.loads(file.read(size))
        return Case(self._path.stem, self._path, index % len(self), name, test["graph"], test.get("tolerance"))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the elements of the document's list "tests" begin and end. Raises in any way for what is not such a
    document."""
    decoder = json.JSONDecoder()

    def skip(at: int, expected: str = "") -> int:
        """The next place that is not white space; behind it and what follows, if it is `expected`."""
        while text[at] in " \t\r\n":
            at += 1
        if expected and text[at] != expected:
            raise ValueError(f"no {expected} at {at}")
        return skip(at + 1) if expected else at

    at = skip(0, "{")
    while True:
        key, at = decoder.raw_decode(text, at)
        at = skip(at, ":")
        if key == "tests":
            break
        at = skip(decoder.raw_decode(text, at)[1], ",")
    at = skip(at, "[")
    while text[at] != "]":
        end = decoder.raw_decode(text, at)[1]
        yield at, end
        at = skip(end)
        at = at if text[at] == "]" else skip(at, ",")
    at = skip(at + 1)
    while text[at] == ",":
        key, at = decoder.raw_decode(text, skip(at + 1))
        if key == "tests":
            raise ValueError("two lists of tests")
        at = skip(decoder.raw_decode(text, skip(at, ":"))[1])
    if text[at] != "}" or text[at + 1 :].strip():
        raise ValueError("not the end")


class CaseIndex(Mapping[str, AnyCase]):
    """Cases by node id, from triples of node id, file and position in the file."""

    def __init__(self, places: Iterable[tuple[str, Path, int]]) -> None:
        self._places = {key: (path, position) for key, path, position in places}

    def __getitem__(self, key: str) -> AnyCase:
        path, position = self._places[key]
        return cases_of(path)[position]

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def paths(self) -> set[Path]:
        """Of the files that have one of the cases."""
        return {path for path, _ in self._places.values()}
