"""The trtx command, as somebody new to it would use it, well and badly."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conformance.make import ROOT, case, write
from trtx_backend import selection
from trtx_backend.cli import main
from trtx_backend.engine.cache import EngineCache, Entry

NO_GPU = "the trtx backend was asked for and cannot be had: "


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(case()["graph"]))
    return path


@pytest.fixture(autouse=True)
def without_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRTX_FLAVOR", raising=False)
    monkeypatch.setattr(selection, "cuda_devices", lambda: ([], "no driver"))


def trtx(*arguments: object, code: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own; `code` runs before it."""
    command = [sys.executable, "-c", f"{code}\nimport sys\nfrom trtx_backend.cli import main\nsys.exit(main())"]
    options = {"env": dict(os.environ), "stderr": subprocess.PIPE, "stdout": subprocess.PIPE, **options}
    options["env"].pop("PYTHONUNBUFFERED", None)
    return subprocess.run([*command, *map(str, arguments)], cwd=ROOT, text=True, check=False, **options)


def test_run_prints_the_outputs(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(graph)]) == 0
    assert capsys.readouterr().out == "y float32[2]\n[1. 0.]\n"


def test_run_takes_inputs_from_files_and_writes_outputs_to_one(graph: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([-3, 7], np.float32))
    out = tmp_path / "out.npz"
    assert main(["run", str(graph), "--device", "cpu", "--input", f"x={tmp_path / 'x.npy'}", "--output", str(out)]) == 0
    assert np.load(out)["y"].tolist() == [0, 7]
    os.umask(mask := os.umask(0))
    assert stat.S_IMODE(out.stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("name", ["file", "a/b", "ü", "args"])
def test_outputs_may_have_any_name_and_any_file(graph: Path, tmp_path: Path, name: str) -> None:
    graph.write_text(graph.read_text().replace('"y"', json.dumps(name)))
    assert main(["run", str(graph), "--output", str(tmp_path / "result")]) == 0
    with np.load(tmp_path / "result") as outputs:
        assert {key: outputs[key].tolist() for key in outputs} == {name: [1, 0]}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.json", "result"]


def test_run_chooses_a_case_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "relu.json", case("one"), case("two"))
    assert main(["run", str(path), "--case", "two"]) == 0
    assert main(["run", str(path)]) == 2
    assert "holds 2 cases; choose one with --case" in capsys.readouterr().err
    assert main(["run", str(path), "--case", "TW"]) == 0  # a part that no other has
    capsys.readouterr()
    assert main(["run", str(path), "--case", "o"]) == 2
    assert "has no case 'o'; 2 have it in their names, 'one' first" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--run-trtx"], ["--device", "cuda:0"], ["--run-trtx", "--device", "cuda:0"]])
def test_without_a_gpu_trtx_is_not_available(
    graph: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert main(["run", str(graph), *options]) == 3
    assert capsys.readouterr().err == f"trtx: {NO_GPU}no driver\n"


@pytest.mark.parametrize("options", [["--run-trtx"], ["--device", "cuda:1"], ["--device", "cpu"]])
def test_on_the_mock_trtx_is_played_by_the_executor(graph: Path, options: list[str]) -> None:
    done = trtx("run", graph, *options, env={**os.environ, "TRTX_FLAVOR": "mock", "RUST_LOG": "info"})
    assert (done.returncode, done.stdout) == (0, "y float32[2]\n[1. 0.]\n")
    device = {"--run-trtx": "Trtx { cuda_device_idx: 0 }", "cuda:1": "Trtx { cuda_device_idx: 1 }", "cpu": "Cpu"}
    assert f"Backend selected: {device[options[-1]]}\n" in done.stderr


WRONG: list[tuple[list[str], str]] = [
    (["nowhere.json"], "trtx: nowhere.json: No such file or directory"),
    (["{dir}"], "Is a directory"),
    (["a\0b"], "not JSON"),
    (["{graph}", "--device", "npu"], "--device npu: must be cpu, or cuda:N"),
    (["{graph}", "--device", "cuda:٣"], "must be cpu, or cuda:N"),
    (["{graph}", "--device", "cuda:-1"], "must be cpu, or cuda:N"),
    (["{graph}", "--device", "cpu", "--run-trtx"], "contradict each other"),
    (["{graph}", "--case", "one"], "it has no cases to choose"),
    (["{graph}", "--input", "x"], "--input x: must be NAME=FILE.npy"),
    (["{graph}", "--input", "z=z.npy"], "--input z: the graph has the inputs x"),
    (["{graph}", "--input", "x=nowhere.npy"], "x=nowhere.npy: No such file"),
    (["{graph}", "--input", "x={graph}"], "not a .npy file of numbers"),
    (["{graph}", "--input", "x={double}"], "it holds float64, and the input is float32[2], float32 in numpy"),
    (["{graph}", "--input", "x={long}"], "its shape is [3], and the input is float32[2]"),
    (["{graph}", "--input", "x={wide}"], "its shape is [1, 2], and the input is float32[2]"),
    (["{graph}", "--input", "x={object}"], "not a .npy file of numbers"),
    (["{graph}", "--input", "x={long}", "--input", "x={long}"], "--input x: it is given twice"),
    (["{graph}", "--output", "{dir}"], "it is a directory"),
    (["{graph}", "--output", "{graph}"], "it is there, and is no .npz file"),
    (["{graph}", "--output", "{dir}/no/out.npz"], "there is no directory"),
    (["{dir}/w.json"], "operator is 'reluu': WebNN has no operator of this name"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_is_wrong_is_said_in_one_line(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (tmp_path / "w.json").write_text(graph.read_text().replace("relu", "reluu"))
    files: dict[str, Any] = {"graph": graph, "dir": tmp_path}
    arrays = {"double": np.zeros(2), "long": np.zeros(3, np.float32), "wide": np.zeros((1, 2), np.float32)}
    for name, array in {**arrays, "object": np.array([{}])}.items():
        files[name] = tmp_path / f"{name}.npy"
        np.save(files[name], array, allow_pickle=True)
    assert main(["run", *(argument.format(**files) for argument in arguments)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("trtx: ")
    assert error.count("\n") == 1


def changed(**parts: Any) -> str:
    return json.dumps({**case()["graph"], **parts})


X = {"data": [1, -2], "descriptor": {"shape": [2], "dataType": "float32"}}
RELU = {"name": "relu", "arguments": [{"input": "x"}], "outputs": "y"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: Expecting value"),
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deep"),
        ("[]", "a graph is an object with inputs, operators and expectedOutputs"),
        ('{"tests": {}}', '"tests" must be a list of cases'),
        ('{"tests": []}', "holds 0 cases\n"),
        (changed().replace('"y"', '"\\ud800"'), "a name holds half of a surrogate pair"),
        (changed(inputs=[]), "inputs must be an object"),
        (changed(inputs={"x": {"data": [1]}}), "input 'x' must have a \"descriptor\" with shape and dataType"),
        (changed(inputs={"x": {**X, "descriptor": {"shape": [2], "dataType": "float64"}}}), "'float64' is not a data type"),
        (changed(inputs={"x": {**X, "descriptor": {"shape": 2, "dataType": "float32"}}}), "the shape 2 must be a list"),
        (changed(inputs={"x": {**X, "descriptor": {"shape": ["a"], "dataType": "float32"}}}), "shape"),
        (changed(inputs={"x": {**X, "data": [1]}}), "the shape [2] needs 2"),
        (changed(inputs={"x": {**X, "data": ["one", 2]}}), "must be a number"),
        (changed(inputs={"x": {"descriptor": X["descriptor"]}}), "give it with --input x=FILE.npy"),
        (changed(inputs={"x": {"descriptor": X["descriptor"], "constant": True}}), "is a constant and has no data"),
        (changed(operators=[1]), "operators[0] must be an object with a name"),
        (changed(operators=[{**RELU, "arguments": {}}]), "relu: arguments must be a list of objects"),
        (changed(operators=[{**RELU, "arguments": [{"options": 1}]}]), "relu: options must be an object"),
        (changed(operators=[{**RELU, "arguments": [{"input": "z"}]}]), "no input or earlier output has this name"),
        (changed(operators=[{**RELU, "outputs": [1]}]), "outputs must be a name or a list of names"),
        (changed(operators=[RELU, RELU]), "two operands are called 'y'"),
        (changed(expectedOutputs={"z": {}}), "no operator computes 'z'"),
        (changed(expectedOutputs={}), "must name an output"),
    ],
)  # fmt: skip
def test_a_wrong_graph_is_said_in_one_line_with_its_file(
    graph: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    graph.write_text(text)
    assert main(["run", str(graph)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("trtx: ")
    assert error.count("\n") == 1


def test_random_damage_never_ends_in_a_traceback(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    original, chance = json.loads(graph.read_text()), random.Random(7)
    statuses = set()
    for _ in range(600):
        damaged = json.loads(json.dumps(original))
        _damage(damaged, chance)
        graph.write_text(json.dumps(damaged))
        status = main(["run", str(graph)])
        error = capsys.readouterr().err
        assert error.count("\n") == (status != 0), error
        statuses.add(status)
    assert statuses == {0, 2}


JUNK: list[Any] = [None, True, 0, -1, 2**70, 1.5, "", "x", "relu", [], [1], ["x"], {}, {"x": 1}, [[]], "NaN"]


def _damage(value: Any, chance: random.Random) -> None:
    """Replace or remove one place in a JSON document."""
    places: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        item = stack.pop()
        keys = item.keys() if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
        places += [(item, key) for key in keys]
        stack += [item[key] for key in keys]
    holder, key = chance.choice(places)
    if chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = deepcopy(chance.choice(JUNK))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "trtx: the following arguments are required: COMMAND (see trtx --help)\n"),
        (["fly"], "invalid choice: 'fly' (choose from"),
        (["run"], "trtx: the following arguments are required: GRAPH.json (see trtx run --help)\n"),
        (["run", "g.json", "--run"], "unrecognized arguments: --run"),
        (["run", "g.json", "--device"], "argument --device: expected one argument (see trtx run --help)"),
        (["cache"], "required: {list,verify,clear} (see trtx cache --help)"),
    ],
)
def test_a_wrong_usage_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", [[], ["run"], ["devices"], ["cache"], ["cache", "verify"]])
def test_help_says_what_there_is(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert "usage: trtx" in text
    if command[:1] != ["cache"] or len(command) == 1:
        assert "exit status:\n  0    done" in text
    if command == ["run"]:
        for part in ("GRAPH.json has the form", "--run-trtx", "--input NAME=FILE.npy", "examples:", "TRTX_FLAVOR"):
            assert part in text


def test_devices(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["devices"]) == 0
    assert "cuda      not available: no driver\n" in capsys.readouterr().out

    class Device:
        index, name, compute_capability, memory = 1, "RTX 4090", (8, 9), 24 << 30

    monkeypatch.setattr(selection, "cuda_devices", lambda: ([Device()], None))
    assert main(["devices"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("tensorrt  rtx: TensorRT for RTX 1.6")
    assert lines[2:] == ["cuda:1    RTX 4090, compute capability 8.9, 24.0 GiB"]


def test_devices_without_tensorrt() -> None:
    block = "import sys\nsys.modules['tensorrt_rtx'] = None"
    done = trtx("devices", code=block)
    assert done.returncode == 0
    assert "cpu       not available: networks are made with TensorRT" in done.stdout
    assert trtx("run", "g.json", code=block).returncode == 2
    graph = ROOT / "wpt_data" / "house" / "relu.json"
    name = json.loads(graph.read_text())["tests"][0]["name"]
    done = trtx("run", graph, "--case", name, code=block)
    assert done.returncode == 3
    assert "TensorRT for RTX cannot be loaded" in done.stderr and done.stderr.count("\n") == 1


def test_an_output_that_cannot_be_written_is_left_as_it_was(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.npz"
    np.savez(out, before=1)
    before = out.read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", full)
    assert main(["run", str(graph), "--output", str(out)]) == 1
    assert capsys.readouterr().err == f"trtx: [Errno 28] --output {out}: No space left on device\n"
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.json", "out.npz"]


def test_a_pipe_is_not_replaced_and_a_link_is_followed(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert main(["run", str(graph), "--output", str(tmp_path / "pipe")]) == 2
    assert "pipe: it is not a file" in capsys.readouterr().err
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/out.npz")
    assert main(["run", str(graph), "--output", str(tmp_path / "link")]) == 0
    assert (tmp_path / "link").is_symlink()
    assert np.load(tmp_path / "there/out.npz")["y"].tolist() == [1, 0]


def test_a_byte_order_mark_is_no_part_of_a_graph(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph.write_text(graph.read_text(), encoding="utf-8-sig")
    assert main(["run", str(graph)]) == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do anything")
def test_no_permission(graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert main(["run", str(graph), "--output", str(locked / "out.npz")]) == 2
    graph.chmod(0)
    assert main(["run", str(graph)]) == 2
    assert capsys.readouterr().err.lower().count("permission denied") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
def test_a_closed_pipe_is_quiet(graph: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = trtx("run", graph, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(sys.platform == "win32", reason="no such redirection")
def test_a_closed_output_is_no_error(graph: Path) -> None:
    done = trtx("run", graph, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_a_full_disk_is_said(graph: Path) -> None:
    with open("/dev/full", "w") as full:
        done = trtx("run", graph, stdout=full)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_an_interrupt_is_one_line(graph: Path) -> None:
    wait = "import time, trtx_backend.cli.run as r\ndef wait(*_):\n    print('here', flush=True)\n    time.sleep(60)\nr.read_graph = wait"
    command = [sys.executable, "-c", f"{wait}\nimport sys\nfrom trtx_backend.cli import main\nsys.exit(main())"]
    process = subprocess.Popen([*command, "run", str(graph)], stdout=-1, stderr=-1, text=True, cwd=ROOT)
    assert process.stdout is not None and process.stdout.readline() == "here\n"
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert (process.returncode, error) == (130, "trtx: interrupted\n")


@pytest.fixture
def cache(tmp_path: Path) -> EngineCache:
    cache = EngineCache(tmp_path / "cache")
    (tmp_path / "cache").mkdir(mode=0o700)
    for digit in "12":
        assert cache.store(Entry(digit * 64, b"plan" * 300, ("in0",), ("out0",), {}, "1.6.1.120", "rtx"))
    return cache


def test_the_cache_is_listed_verified_and_cleared(
    cache: EngineCache, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--cache-dir", str(tmp_path / "cache")]
    first, second = (cache.directory / f"{digit * 64}.trtx-engine" for digit in "12")
    os.utime(first, (time.time() + 60, time.time() + 60))
    stranger = cache.directory / "notes.txt"
    stranger.write_text("mine")

    assert main(["cache", "list", *where]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:3] for line in lines[:2]] == ["111", "222"]
    assert lines[2].startswith("2 engines, ") and lines[2].endswith(f" in {cache.directory}")

    assert main(["cache", "verify", *where]) == 0
    assert ": 0 not usable" in capsys.readouterr().out
    second.write_bytes(second.read_bytes()[:-1])
    assert main(["cache", "verify", *where]) == 1
    assert capsys.readouterr().out.startswith(f"{second}: ")

    assert main(["cache", "clear", *where]) == 0
    assert capsys.readouterr().out.startswith("2 of 2 engines, ")
    assert list(cache.directory.iterdir()) == [stranger]
    assert main(["cache", "list", *where]) == 0
    assert capsys.readouterr().out.startswith("0 engines, 0 B, in ")


def test_an_unused_cache_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for action in ("list", "verify", "clear"):
        assert main(["cache", action, "--cache-dir", str(tmp_path)]) == 0
    assert list(tmp_path.iterdir()) == []
    assert main(["cache", "list", "--cache-dir", str(tmp_path / "no")]) == 2
    assert "it is not a directory" in capsys.readouterr().err
    assert main(["cache", "list", "--cache-dir", ""]) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions")
def test_a_cache_that_others_can_write_is_not_touched(
    cache: EngineCache, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache.directory.chmod(0o777)
    for action in ("list", "verify", "clear"):
        assert main(["cache", action, "--cache-dir", str(tmp_path / "cache")]) == 2
        assert "is writable by others" in capsys.readouterr().err
    assert len(list(cache.directory.iterdir())) == 2
