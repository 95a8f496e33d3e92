"""Writers of the cache that are killed, find no room, may not write, or are several at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.kills import KEY, check, entry
from trtx_backend.engine import EngineCache
from trtx_backend.engine.cache import SUFFIX

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals, limits and users are those of POSIX")

ROOT = Path(__file__).parents[2]
BEGIN = """
import json, os, resource, signal, sys
from pathlib import Path
from tests.engine.kills import KEY, check, entry
from trtx_backend.engine import EngineCache
cache = EngineCache(Path(sys.argv[1]))
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, *(["-c", BEGIN + code] if code else ["-m", "tests.engine.kills"]), *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )


def finish(process: subprocess.Popen[str]) -> tuple[Any, str]:
    """What a process printed as JSON, and what it logged."""
    out, log = process.communicate(timeout=120)
    assert process.returncode == 0, log
    return json.loads(out), log


def test_a_killed_writer_leaves_the_old_engine_or_the_new_one(tmp_path: Path) -> None:
    counts, _ = finish(start("", tmp_path, 60))
    assert counts["kills"] == 60
    assert counts["steps"] > 8
    assert counts["old"] > 0 and counts["remainders"] > 0, "some were killed in the middle of a write"
    assert counts["left"] == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m,nr_inodes=16,mode=700", "tmpfs", str(disk)]
    if os.geteuid() != 0 or not shutil.which("mount") or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a file system of 1 MiB cannot be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_on_a_full_disk_the_engine_that_was_there_stays(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = EngineCache(small_disk)
    assert cache.store(entry(1, 300_000))
    for size in (800_000, 5_000_000):
        with caplog.at_level("WARNING", "trtx"):
            assert not cache.store(entry(2, size))
        assert "is not cached: [Errno 28] No space left on device" in caplog.text
        caplog.clear()
        assert cache.load(KEY) == entry(1, 300_000)
        assert [path.name for path in cache.directory.iterdir()] == [f"{KEY}{SUFFIX}"]
    (small_disk / "rest").write_bytes(bytes(os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_bsize))
    assert not cache.store(entry(3, 0))
    assert cache.load(KEY) == entry(1, 300_000)
    (small_disk / "rest").unlink()
    assert cache.store(entry(4, 300_000))
    assert cache.load(KEY) == entry(4, 300_000)


def test_on_a_disk_without_room_for_a_directory_nothing_is_cached(small_disk: Path) -> None:
    (small_disk / "rest").write_bytes(bytes(os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_bsize))
    for index in range(20):
        try:
            (small_disk / f"f{index}").touch()
        except OSError:
            break
    cache = EngineCache(small_disk)
    assert not cache.store(entry(1, 100))
    assert cache.load(KEY) is None


@pytest.mark.parametrize("limit", [0, 1, 30, 300, 5000])
def test_at_any_limit_the_engine_that_was_there_stays(tmp_path: Path, limit: int) -> None:
    """A write that ends short, without the right to mount."""
    cache = EngineCache(tmp_path)
    assert cache.store(entry(1, 10_000))
    code = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
print(json.dumps(cache.store(entry(2, 10_000))))
"""
    stored, log = finish(start(code, tmp_path, limit))
    assert not stored
    assert "is not cached: [Errno 27] File too large" in log
    assert cache.load(KEY) == entry(1, 10_000)
    assert len(list(cache.directory.iterdir())) == 1


@pytest.fixture
def nobodys() -> Iterator[Path]:
    """A directory that an ordinary user can reach: nobody, if this is root, who may do anything."""
    directory = Path(tempfile.mkdtemp(prefix="trtx-cache-"))
    try:
        yield directory
    finally:
        for path in directory.rglob("*"):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
        directory.chmod(0o700)
        shutil.rmtree(directory)


AS_USER = """
user = int(sys.argv[2])
if os.geteuid() == 0:
    for path in [cache.directory.parents[1], *cache.directory.parents[1].rglob("*")]:
        os.chown(path, user, user)
    os.setgroups([]); os.setgid(user); os.setuid(user)
"""
USER = 65534


def test_a_read_only_directory_is_read_and_not_written(nobodys: Path) -> None:
    assert EngineCache(nobodys).store(entry(1, 1000))
    code = """
cache.directory.chmod(0o500)
other = cache.store(entry(2, 1000))
cache.drop(KEY)
print(json.dumps([other, cache.load(KEY) == entry(1, 1000), cache.clear()]))
"""
    result, log = finish(start(AS_USER + code, nobodys, USER))
    assert result == [False, True, 0]
    assert "is not cached: [Errno 13] Permission denied" in log


@pytest.mark.parametrize("name", ["", "rustnn", "rustnn/trtx"])
def test_a_directory_that_cannot_be_made_or_entered_is_no_cache(nobodys: Path, name: str) -> None:
    if name == "rustnn/trtx":
        EngineCache(nobodys).store(entry(1, 1000))
    elif name == "rustnn":
        (nobodys / name).mkdir()
    code = """
(cache.directory.parents[1] / sys.argv[3]).chmod(0)
print(json.dumps([cache.load(KEY) is None, cache.store(entry(1, 1000)), cache.files() == []]))
"""
    result, log = finish(start(AS_USER + code, nobodys, USER, name))
    assert result == [True, False, True]
    assert "Permission denied" in log


def test_a_file_where_the_directory_should_be_is_no_cache(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "rustnn").write_bytes(b"mine")
    cache = EngineCache(tmp_path)
    with caplog.at_level("WARNING", "trtx"):
        assert cache.load(KEY) is None
        assert not cache.store(entry(1, 100))
    assert "rustnn is not a directory" in caplog.text
    assert (tmp_path / "rustnn").read_bytes() == b"mine"


def test_two_processes_that_build_the_same_graph_both_get_it_and_leave_one_file(tmp_path: Path) -> None:
    code = """
from tests.engine.double import DoubleCompiler, DoubleLoader
from tests.engine.graphs import mlp
from trtx_backend.engine import for_device, obtain
sys.stdin.readline()
made = [obtain(mlp(), for_device((8, 9)), DoubleCompiler(), DoubleLoader(), cache) for _ in range(5)]
print(json.dumps([[e.key for e in made], [len(e.engine.weights) for e in made], made[-1].cached]))
"""
    processes = [start(code, tmp_path) for _ in range(2)]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [finish(process) for process in processes]
    keys = {key for (keys, _, _), _ in results for key in keys}
    assert len(keys) == 1
    assert [result[1:] for result, _ in results] == [[[4] * 5, True]] * 2
    assert all(log == "" for _, log in results)
    (file,) = EngineCache(tmp_path).directory.iterdir()
    assert file.name == f"{keys.pop()}{SUFFIX}"


def test_readers_among_writers_see_whole_engines_only(tmp_path: Path) -> None:
    code = """
own, seen = int(sys.argv[2]), set()
sys.stdin.readline()
for round in range(60):
    cache.store(entry(own + round, 50_000))
    found = check(cache, range(2000), 50_000)
    assert found is not None
    seen.add(found // 1000)
print(json.dumps(sorted(seen)))
"""
    processes = [start(code, tmp_path, base) for base in (0, 1000)]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        finish(process)
    assert check(EngineCache(tmp_path), range(2000), 50_000) in (59, 1059)
    assert len(list(EngineCache(tmp_path).directory.iterdir())) == 1
