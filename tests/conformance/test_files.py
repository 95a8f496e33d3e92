"""Files that others read while we write."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from conformance.files import write_whole


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.txt"
    write_whole(path, ["one", "two"])
    assert path.read_text() == "onetwo"
    with pytest.raises(ZeroDivisionError):
        write_whole(path, (str(1 // n) for n in (1, 0)))
    assert [(p.name, p.read_text()) for p in path.parent.iterdir()] == [("a.txt", "onetwo")]


def test_what_is_there_and_is_no_file_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="is not a file"):
        write_whole(tmp_path / "pipe", "text")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, there: bool) -> None:
    (tmp_path / "link").symlink_to("file")
    if there:
        (tmp_path / "file").write_text("before")
    write_whole(tmp_path / "link", "after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "after"
