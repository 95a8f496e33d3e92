"""The file of TensorRT's runtime cache."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from trtx_backend.engine import JitCache, JitFile, container, jit_cache
from trtx_backend.engine.jit_cache import FORMAT, KIND, SUFFIX, _shared, save_all

DATA = random.Random(0).randbytes(3000)


class DoubleRuntime:
    """Holds bytes; takes over those that start with its own device."""

    def __init__(self, device: bytes = b"gpu") -> None:
        self.device, self.held, self.fails, self.serialized = device, b"", False, 0

    def serialize(self) -> bytes:
        self.serialized += 1
        if self.fails:
            raise RuntimeError("serialize failed")
        return self.device + self.held

    def deserialize(self, data: bytes) -> bool:
        if not data.startswith(self.device):
            return False
        self.held = data[len(self.device) :]
        return True


@pytest.fixture
def file(tmp_path: Path) -> JitFile:
    return JitFile("NVIDIA RTX 4090 0000:01:00.0", "1.6.1", tmp_path)


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    _shared.clear()
    yield
    _shared.clear()


def test_what_was_saved_is_loaded(file: JitFile, tmp_path: Path) -> None:
    assert file.load() is None
    assert file.save(DATA)
    assert file.load() == DATA
    assert file.path.parent == tmp_path / "rustnn" / "trtx-jit"
    assert file.path.name.startswith("NVIDIA-RTX-4090-0000-01-00.0-1.6.1-")
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_each_gpu_and_version_has_its_own(tmp_path: Path) -> None:
    made = {
        (gpu, version): JitFile(gpu, version, tmp_path)
        for gpu in ("a b", "a-b", "a/b", "../a")
        for version in ("1", "2")
    }
    for index, file in enumerate(made.values()):
        assert file.save(bytes([index]))
    assert [file.load() for file in made.values()] == [bytes([index]) for index in range(8)]
    assert len(list((tmp_path / "rustnn" / "trtx-jit").iterdir())) == 8


def test_damage_age_and_other_devices_are_found_and_replaced(file: JitFile, tmp_path: Path) -> None:
    other = JitFile("other", "1.6.1", tmp_path)
    assert file.save(DATA) and other.save(DATA)
    whole = file.path.read_bytes()
    start = container.unpack_header(KIND, FORMAT, whole)[1]
    bad = [
        other.path.read_bytes(),
        whole[:-1],
        whole + b"\0",
        b"",
        b"".join(container.pack(KIND, FORMAT + 1, {}, DATA)),
    ]
    bad += [b"".join(container.pack(b"eng\0", FORMAT, {}, DATA)), b"".join(container.pack(KIND, FORMAT, {}, DATA))]
    for position in [*range(start), *random.Random(1).sample(range(start, len(whole)), 60)]:
        bad.append(whole[:position] + bytes([whole[position] ^ 0x10]) + whole[position + 1 :])
    for data in bad:
        file.path.write_bytes(data)
        assert file.load() is None
    assert file.save(b"new")
    assert file.load() == b"new"


def test_a_file_that_others_can_write_is_not_loaded(file: JitFile) -> None:
    assert file.save(DATA)
    file.path.chmod(0o606)
    assert file.load() is None
    file.path.parent.chmod(0o777)
    assert not file.save(DATA)


def test_one_that_grew_too_large_is_begun_anew(file: JitFile, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert file.save(b"small")
    bounded = JitFile(file.gpu, file.tensorrt, tmp_path, limit=2000)
    with caplog.at_level(logging.WARNING, "trtx"):
        assert not bounded.save(DATA)
    assert "is begun anew: it may not have" in caplog.text
    assert not file.path.exists()


def test_a_process_loads_it_once_and_saves_what_is_new(file: JitFile) -> None:
    assert file.save(b"gpu old")
    made: list[DoubleRuntime] = []

    def make() -> DoubleRuntime:
        made.append(DoubleRuntime())
        return made[-1]

    cache = jit_cache(file, make)
    assert jit_cache(JitFile(file.gpu, file.tensorrt, file.path.parents[2]), make) is cache
    assert (len(made), made[0].held) == (1, b" old")
    before = file.path.stat()
    cache.save()
    assert file.path.stat().st_ino == before.st_ino, "nothing new, nothing written"
    made[0].held += b" and new"
    save_all()
    assert file.load() == b"gpu old and new"
    cache.save()
    assert made[0].serialized == 3


def test_what_tensorrt_does_not_take_is_dropped(file: JitFile, caplog: pytest.LogCaptureFixture) -> None:
    assert file.save(b"another gpu's")
    with caplog.at_level(logging.WARNING, "trtx"):
        cache = JitCache(file, DoubleRuntime())
    assert "TensorRT does not take the runtime cache" in caplog.text
    assert not file.path.exists()
    cache.save()
    assert file.load() == b"gpu"


def test_a_failure_to_tell_it_keeps_the_file_and_may_pass(file: JitFile, caplog: pytest.LogCaptureFixture) -> None:
    assert file.save(b"gpu old")
    runtime = DoubleRuntime()
    cache = JitCache(file, runtime)
    runtime.held, runtime.fails = b" new", True
    with caplog.at_level(logging.WARNING, "trtx"):
        cache.save()
    assert "serialize failed" in caplog.text
    assert file.load() == b"gpu old"
    runtime.fails = False
    cache.save()
    assert file.load() == b"gpu new"


def test_it_is_saved_when_the_process_ends(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from tests.engine.test_jit_cache import DoubleRuntime
from trtx_backend.engine import JitFile, jit_cache
cache = jit_cache(JitFile("g", "1", Path(sys.argv[1])), DoubleRuntime)
cache.runtime.held = b" compiled"
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, cwd=Path(__file__).parents[2])
    assert JitFile("g", "1", tmp_path).load() == b"gpu compiled"
    assert [path.suffix for path in (tmp_path / "rustnn" / "trtx-jit").iterdir()] == [SUFFIX]
