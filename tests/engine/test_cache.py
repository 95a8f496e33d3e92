"""The engine cache on real files: whatever happens to them, an engine comes back as it was stored or not at all."""

from __future__ import annotations

import json
import logging
import os
import random
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.kills import KEY, entry
from trtx_backend.engine import EngineCache, container, files
from trtx_backend.engine.cache import KIND, SUFFIX
from trtx_backend.engine.key import FORMAT

SMALL = 2000


@pytest.fixture
def cache(tmp_path: Path) -> EngineCache:
    made = EngineCache(tmp_path)
    assert made.store(entry(1, SMALL))
    return made


@pytest.fixture
def file(cache: EngineCache) -> Path:
    return cache.directory / f"{KEY}{SUFFIX}"


def replaced(cache: EngineCache) -> bool:
    """Whether the engine can be stored and found again, whatever is in its file."""
    return cache.store(entry(7, SMALL)) and cache.load(KEY) == entry(7, SMALL)


def key(index: int) -> str:
    return f"{index:064x}"


def test_an_engine_comes_back_as_it_was_stored(cache: EngineCache, file: Path) -> None:
    assert cache.load(KEY) == entry(1, SMALL)
    assert EngineCache(cache.directory.parents[1]).load(KEY) == entry(1, SMALL)
    assert cache.load(key(1)) is None
    assert [f.path for f in cache.files()] == [file]
    assert cache.files()[0].size == file.stat().st_size


def test_a_plan_of_any_length_is_compressed(tmp_path: Path) -> None:
    cache = EngineCache(tmp_path)
    for size in (0, 1, 1 << 20):
        assert cache.store(made := replace(entry(1, 0), plan=b"a" * size))
        assert cache.load(KEY) == made
    assert cache.files()[0].size < 2000


# Damage ---------------------------------------------------------------------------------------------------------------


def _positions(file: Path) -> tuple[int, int]:
    """Where the payload starts, and the length of the file."""
    data = file.read_bytes()
    return container.unpack_header(KIND, FORMAT, data)[1], len(data)


def test_every_flipped_byte_of_the_header_and_many_of_the_payload_are_found(cache: EngineCache, file: Path) -> None:
    whole = file.read_bytes()
    start, size = _positions(file)
    rng = random.Random(0)
    flips = [(position, mask) for position in range(start) for mask in (0xFF, 1 << rng.randrange(8))]
    flips += [(position, 1 << rng.randrange(8)) for position in range(start, min(start + 40, size))]
    flips += [(rng.randrange(start, size), 1 << rng.randrange(8)) for _ in range(300)]
    for position, mask in flips:
        damaged = bytearray(whole)
        damaged[position] ^= mask
        file.write_bytes(damaged)
        assert cache.load(KEY) is None, f"byte {position} of {size}, bits {mask:#x}"
    assert len(flips) == 2 * start + 340
    assert replaced(cache)


def test_truncated_and_extended_files_are_found(cache: EngineCache, file: Path) -> None:
    whole = file.read_bytes()
    start, size = _positions(file)
    rng = random.Random(0)
    for length in [*range(start + 2), *rng.sample(range(start, size), 100), size - 1]:
        file.write_bytes(whole[:length])
        assert cache.load(KEY) is None, f"{length} of {size} bytes"
    for more in (b"\0", whole[-100:], whole):
        file.write_bytes(whole + more)
        assert cache.load(KEY) is None
    assert replaced(cache)


def test_zeroed_and_repeated_blocks_are_found(cache: EngineCache, file: Path) -> None:
    """What file systems leave after a crash."""
    whole = file.read_bytes()
    for start in range(0, len(whole) - 512, 512):
        for block in (bytes(512), whole[-512:]):
            file.write_bytes(whole[:start] + block + whole[start + 512 :])
            assert cache.load(KEY) is None
    assert replaced(cache)


@pytest.mark.parametrize(
    ("kind", "version", "reason"),
    [(KIND, FORMAT + 1, "it has format"), (b"jit\0", FORMAT, "it is a file of another kind")],
)
def test_an_old_or_foreign_entry_is_a_miss_and_replaced(
    cache: EngineCache, file: Path, kind: bytes, version: int, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    header, plan = container.unpack(KIND, FORMAT, file.read_bytes())
    file.write_bytes(b"".join(container.pack(kind, version, header, plan)))
    with caplog.at_level(logging.WARNING, "trtx"):
        assert cache.load(KEY) is None
    assert reason in caplog.text and str(file) in caplog.text
    assert replaced(cache)


def test_an_engine_under_the_name_of_another_is_a_miss(cache: EngineCache, file: Path) -> None:
    other = cache.directory / f"{key(3)}{SUFFIX}"
    other.write_bytes(file.read_bytes())
    other.chmod(0o600)
    assert cache.load(key(3)) is None
    assert [reason for f, reason in cache.verify() if f.path == other] == [f"it is the engine {KEY} under another name"]
    assert cache.load(KEY) == entry(1, SMALL)


@pytest.mark.parametrize(
    "text", ["[]", "{}", "nonsense", '{"payload":-1,"packed":0,"crc":0}', '{"payload":99999999999999}']
)
def test_a_header_of_another_form_with_a_right_hash_is_a_miss(cache: EngineCache, file: Path, text: str) -> None:
    front = container._FRONT.pack(container.MAGIC, KIND, FORMAT, len(text))
    file.write_bytes(front + text.encode() + container._hash(front, text.encode()))
    assert cache.load(KEY) is None
    assert replaced(cache)


@pytest.mark.parametrize("header", [{}, {"key": KEY}, {"key": KEY, "inputs": 1, "outputs": [], "weights": {}}], ids=str)
def test_a_header_that_lacks_what_an_engine_has_is_a_miss(
    cache: EngineCache, file: Path, header: dict[str, Any]
) -> None:
    file.write_bytes(b"".join(container.pack(KIND, FORMAT, header, b"plan")))
    assert cache.load(KEY) is None
    assert replaced(cache)


def test_a_payload_that_would_unpack_to_more_than_it_says_is_not_unpacked(
    cache: EngineCache, file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    header, _ = container.unpack(KIND, FORMAT, file.read_bytes())
    packed = container.pack(KIND, FORMAT, header, bytes(10_000_000))[3]
    sizes = {"payload": 100, "packed": len(packed), "crc": zlib.crc32(packed)}
    text = json.dumps({**header, **sizes}).encode()
    front = container._FRONT.pack(container.MAGIC, KIND, FORMAT, len(text))
    file.write_bytes(b"".join([front, text, container._hash(front, text), packed]))
    monkeypatch.delattr("zstandard.ZstdDecompressor")
    with caplog.at_level(logging.WARNING, "trtx"):
        assert cache.load(KEY) is None
    assert "does not unpack to 100 bytes" in caplog.text


def test_verify_tells_the_good_from_the_bad(cache: EngineCache, file: Path) -> None:
    for index in (1, 2):
        assert cache.store(replace(entry(index, SMALL), key=key(index)))
    bad = cache.directory / f"{key(2)}{SUFFIX}"
    size = container.unpack_header(KIND, FORMAT, bad.read_bytes())[0]["packed"]
    bad.write_bytes(bad.read_bytes()[:-1])
    found = {f.path.name.removesuffix(SUFFIX): reason for f, reason in cache.verify()}
    assert found == {KEY: "", key(1): "", key(2): f"the payload has {size - 1} bytes, not {size}"}


# Who may write it -----------------------------------------------------------------------------------------------------

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
as_root = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give files away")


@posix
def test_directories_and_files_are_for_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        cache = EngineCache(tmp_path / "deep" / "er" / "still")
        assert cache.store(entry(1, SMALL))
    finally:
        os.umask(before)
    made = [path for path in cache.directory.parents if path.is_relative_to(tmp_path / "deep")]
    assert len(made) == 4
    for path in (cache.directory, *made):
        assert path.stat().st_mode & 0o777 == 0o700
    assert cache.files()[0].path.stat().st_mode & 0o777 == 0o600


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_entry_that_others_can_write_is_not_loaded(
    cache: EngineCache, file: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    file.chmod(mode)
    with caplog.at_level(logging.WARNING, "trtx"):
        assert cache.load(KEY) is None
    assert "is writable by others" in caplog.text
    assert replaced(cache)
    assert file.stat().st_mode & 0o777 == 0o600


@as_root
def test_an_entry_of_another_user_is_not_loaded(
    cache: EngineCache, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    os.chown(file, 65534, 65534)
    with caplog.at_level(logging.WARNING, "trtx"):
        assert cache.load(KEY) is None
    assert "belongs to another user" in caplog.text
    assert replaced(cache)


@posix
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_directory_that_others_can_write_is_not_used(
    cache: EngineCache, which: int, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    directory = [cache.directory, cache.directory.parent][which]
    directory.chmod(mode)
    before = _tree(cache.directory)
    with caplog.at_level(logging.WARNING, "trtx"):
        assert cache.load(KEY) is None
        assert not cache.store(entry(2, SMALL))
        cache.drop(KEY)
    assert (cache.files(), cache.clear()) == ([], 0)
    assert f"{directory} is writable by others" in caplog.text
    directory.chmod(0o700)
    assert _tree(cache.directory) == before
    assert cache.load(KEY) == entry(1, SMALL)


@as_root
def test_a_directory_of_another_user_is_not_used(cache: EngineCache) -> None:
    os.chown(cache.directory, 65534, 65534)
    assert cache.load(KEY) is None
    assert not cache.store(entry(2, SMALL))
    os.chown(cache.directory, 0, 0)
    assert cache.load(KEY) == entry(1, SMALL)


@posix
def test_a_link_is_not_followed_but_replaced(cache: EngineCache, file: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    file.rename(target)
    kept = target.read_bytes()
    file.symlink_to(target)
    assert cache.load(KEY) is None
    assert cache.files() == []
    assert replaced(cache)
    assert not file.is_symlink()
    assert target.read_bytes() == kept


@posix
def test_a_linked_directory_is_not_used(cache: EngineCache, tmp_path: Path) -> None:
    real = tmp_path / "real"
    cache.directory.rename(real)
    cache.directory.symlink_to(real)
    before = _tree(real)
    assert cache.load(KEY) is None
    assert not cache.store(entry(2, SMALL))
    cache.drop(KEY)
    assert (cache.clear(), _tree(real)) == (0, before)


@posix
@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["directory", "pipe"])
def test_what_is_no_file_is_a_miss_that_does_not_hang(tmp_path: Path, make: object) -> None:
    cache = EngineCache(tmp_path)
    assert cache.store(replace(entry(1, SMALL), key=key(1)))
    make(cache.directory / f"{KEY}{SUFFIX}")  # type: ignore[operator]
    assert cache.load(KEY) is None
    assert [f.key for f in cache.files()] == [key(1)]
    assert cache.store(entry(2, SMALL)) == (make is os.mkfifo)


# Bounds, and files of others ------------------------------------------------------------------------------------------


def _tree(directory: Path) -> dict[str, bytes | None]:
    return {str(p.relative_to(directory)): p.read_bytes() if p.is_file() else None for p in directory.rglob("*")}


def _foreign(directory: Path) -> dict[Path, bytes | None]:
    """Files that the cache did not write, under names near its own."""
    (directory / "folder").mkdir()
    (directory / f"{key(9)}{SUFFIX}.d").mkdir()
    made: dict[Path, bytes | None] = {directory / "folder": None, directory / f"{key(9)}{SUFFIX}.d": None}
    names = (
        "README",
        "notes.txt",
        f"{key(9)}.zst",
        f"{key(9)[1:]}{SUFFIX}",
        f"{'G' * 64}{SUFFIX}",
        f"{key(8)}{SUFFIX}",
    )
    for name in (*names, ".hidden", f".x{files.REMAINDER}.bak", f"folder/{key(9)}{SUFFIX}"):
        (directory / name).write_bytes(made.setdefault(directory / name, b"precious " + name.encode()) or b"")
    copy, kept = directory / f"copy{SUFFIX}", (directory / f"{KEY}{SUFFIX}").read_bytes()
    copy.write_bytes(kept)
    return {**made, copy: kept}


def test_files_that_it_did_not_write_are_never_touched(tmp_path: Path) -> None:
    cache = EngineCache(tmp_path, limit=3 * SMALL)
    assert cache.store(entry(1, SMALL))
    foreign = _foreign(cache.directory)
    for path in foreign:
        os.utime(path, (0, 0))
    for index in range(10, 20):
        assert cache.store(replace(entry(index, SMALL), key=key(index)))
    assert [f.key for f in cache.files()] == [key(18), key(19)]
    assert [reason for _, reason in cache.verify()] == ["", ""]
    cache.drop(key(8))
    assert cache.clear() == 2
    assert {path: path.read_bytes() if path.is_file() else None for path in foreign} == foreign
    assert set(cache.directory.rglob("*")) == foreign.keys()


def test_a_foreign_file_under_the_very_name_of_an_engine_is_replaced_only_by_that_engine(cache: EngineCache) -> None:
    path = cache.directory / f"{key(8)}{SUFFIX}"
    path.write_bytes(b"what is this")
    path.chmod(0o600)
    assert cache.load(key(8)) is None
    cache.clear()
    assert path.read_bytes() == b"what is this"
    assert cache.store(made := replace(entry(8, SMALL), key=key(8)))
    assert cache.load(key(8)) == made


def test_the_engines_that_were_not_used_for_longest_go_first(tmp_path: Path) -> None:
    one = EngineCache(tmp_path)
    assert one.store(entry(0, SMALL))
    size = one.files()[0].size
    cache = EngineCache(tmp_path, limit=4 * size + size // 2)
    assert one.clear() == 1
    for index in range(4):
        assert cache.store(replace(entry(index, SMALL), key=key(index)))
        os.utime(cache.directory / f"{key(index)}{SUFFIX}", (1000 + index, 1000 + index))
    assert cache.load(key(0)) is not None, "used now"
    assert cache.store(replace(entry(4, SMALL), key=key(4)))
    assert {f.key for f in cache.files()} == {key(0), key(2), key(3), key(4)}
    assert sum(f.size for f in cache.files()) <= cache.limit
    large = EngineCache(tmp_path, limit=2 * size)
    assert large.store(replace(entry(5, SMALL), key=key(5)))
    assert {f.key for f in large.files()} <= {key(0), key(4), key(5)}
    assert key(5) in {f.key for f in large.files()}


def test_the_engine_that_was_just_stored_stays_whatever_the_clock_says(tmp_path: Path) -> None:
    one = EngineCache(tmp_path)
    for index in range(2):
        assert one.store(replace(entry(index, SMALL), key=key(index)))
        os.utime(one.directory / f"{key(index)}{SUFFIX}", (4e9, 4e9))
    cache = EngineCache(tmp_path, limit=2 * one.files()[0].size + 500)
    assert cache.store(replace(entry(2, SMALL), key=key(2)))
    assert {f.key for f in cache.files()} == {key(1), key(2)}


def test_an_engine_larger_than_the_cache_may_be_is_not_stored(
    cache: EngineCache, caplog: pytest.LogCaptureFixture
) -> None:
    small = EngineCache(cache.directory.parents[1], limit=SMALL)
    with caplog.at_level(logging.WARNING, "trtx"):
        assert not small.store(replace(entry(2, SMALL), key=key(2)))
    assert "bytes are more than the cache may hold" in caplog.text
    assert cache.load(KEY) == entry(1, SMALL)


def test_what_killed_writers_left_goes_after_an_hour(cache: EngineCache) -> None:
    old, new = (cache.directory / f".{name}{files.REMAINDER}" for name in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"part")
        path.chmod(0o600)
    os.utime(old, (1000, 1000))
    assert cache.store(entry(2, SMALL))
    assert (old.exists(), new.exists()) == (False, True)
    cache.clear()
    assert not new.exists()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path


@pytest.mark.skipif(os.name == "nt" or os.uname().sysname != "Linux", reason="the rule of Linux")
def test_where_it_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert EngineCache().directory == home / ".cache" / "rustnn" / "trtx"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "other"))
    assert EngineCache().directory == home / "other" / "rustnn" / "trtx"
    assert EngineCache().store(entry(1, SMALL))
    assert (home / "other" / "rustnn" / "trtx" / f"{KEY}{SUFFIX}").is_file()


@pytest.mark.parametrize(
    ("system", "end"), [("macos.MacOS", "/Library/Caches"), ("unix.Unix", "/.cache"), ("windows.Windows", "/local")]
)
def test_where_it_would_be_elsewhere(system: str, end: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    module, name = system.split(".")
    made = importlib.import_module(f"platformdirs.{module}")
    if module == "windows":
        monkeypatch.setattr(made, "get_win_folder", lambda _: str(home / "local"))
    path = Path(getattr(made, name)().user_cache_dir)
    assert str(path) == f"{home}{end}"


def test_a_relative_directory_is_one_of_the_time_when_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    cache = EngineCache(Path("cache"))
    monkeypatch.chdir(tmp_path / "b")
    assert cache.store(entry(1, SMALL))
    assert (tmp_path / "a" / "cache" / "rustnn" / "trtx" / f"{KEY}{SUFFIX}").is_file()
