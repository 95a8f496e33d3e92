"""Verdicts of the compiler that are kept: what keeps one, and everything that must not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import load
from conformance.kept import KeptVerdicts, default_path
from conformance.runner import run_case
from conformance.targets import Engine
from tests.conformance.make import ROOT, case, run_project, special, write

K1, K2, K3 = (f"{number:032x}" for number in (1, 2, 3))


# The file -------------------------------------------------------------------------------------------------------------


def test_what_is_kept_is_there_for_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "verdicts"
    assert KeptVerdicts(path).keys() == frozenset()
    KeptVerdicts(path).update({"relu: a": K1, "relu: \ud800": K2}, [])
    KeptVerdicts(path).update({"relu: a": K1}, [])
    assert KeptVerdicts(path).keys() == {K1, K2}


def test_a_run_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "verdicts"
    KeptVerdicts(path).update({"a": K1, "b": K2}, [])
    before = path.stat().st_ino
    KeptVerdicts(path).update({"a": K1, "b": K2}, [])
    assert path.stat().st_ino == before


def test_it_is_bounded_and_the_longest_unused_goes(tmp_path: Path) -> None:
    kept = KeptVerdicts(tmp_path / "verdicts", limit=2)
    kept.update({"a": K1, "b": K2}, [])
    kept.update({"a": K1}, [])
    kept.update({"c": K3}, [])
    assert kept.keys() == {K1, K3}


def test_a_case_that_ended_otherwise_takes_back_every_verdict_of_its_networks(tmp_path: Path) -> None:
    kept = KeptVerdicts(tmp_path / "verdicts")
    kept.update({"a": K1, "b": K2}, [])
    kept.update({"a": K3, "same as a": K1}, [])
    kept.update({"same as a": K1}, ["a"])
    assert kept.keys() == {K2}


def damage(text: str) -> list[tuple[str, bytes, set[str]]]:
    """Ways to damage a file of three lines, and what is still to be read."""
    head, first, second, third = text.splitlines(keepends=True)
    other = "f" if first[0] != "f" else "0"
    case_of_first = first.split()[1]
    return [
        ("empty", b"", set()),
        ("another format", text.replace("1\n", "2\n", 1).encode(), set()),
        ("no head", (first + second).encode(), set()),
        ("not text", bytes(range(256)), set()),
        ("head and rubbish", head.encode() + bytes(range(256)), set()),
        ("cut", text[:-1].encode(), {K1, K2}),
        ("cut deep", (head + first + second[:40]).encode(), {K1}),
        ("a changed key", (head + other + first[1:] + second).encode(), {K2}),
        ("a changed case", (head + first.replace(case_of_first, "0" * 16) + second).encode(), {K2}),
        ("a foreign line", (head + f"{K3} PASS\n" + first).encode(), {K1}),
        ("no check", (head + first.rsplit(" ", 1)[0] + "\n" + third).encode(), {K3}),
    ]


def test_what_is_damaged_is_a_miss_and_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "verdicts"
    kept = KeptVerdicts(path)
    kept.update({"a": K1, "b": K2, "c": K3}, [])
    ways = damage(path.read_text())
    for name, content, left in ways:
        path.write_bytes(content)
        assert kept.keys() == left, name
        kept.update({"a": K1, "b": K2, "c": K3}, [])
        assert kept.keys() == {K1, K2, K3}, name
    assert len(ways) == 11


def test_what_is_no_plain_file_of_ours_is_a_miss(tmp_path: Path) -> None:
    path = tmp_path / "verdicts"
    KeptVerdicts(path).update({"a": K1}, [])
    (tmp_path / "link").symlink_to(path)
    assert KeptVerdicts(tmp_path / "link").keys() == frozenset()
    assert KeptVerdicts(tmp_path).keys() == frozenset()
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
        assert KeptVerdicts(path).keys() == frozenset()


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    code = """
        import sys
        from pathlib import Path
        from conformance.kept import KeptVerdicts
        kept, number = KeptVerdicts(Path(sys.argv[1])), int(sys.argv[2])
        for turn in range(20):
            key = "%032x" % (1000 * number + turn)
            kept.update({f"{number} {turn}": key}, [])
            assert key in kept.keys()
        """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "verdicts")]
    writers = [subprocess.Popen([*command, str(number)], cwd=ROOT) for number in range(4)]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    assert len(KeptVerdicts(tmp_path / "verdicts").keys()) == 80


def test_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a checkout, in a folder that git ignores; of an installed package, not beside it."""
    ignored = subprocess.run(["git", "check-ignore", default_path(ROOT)], cwd=ROOT, capture_output=True, check=False)
    assert ignored.returncode == 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert default_path(tmp_path) == tmp_path / "caches" / "trtx-webnn" / "engine-verdicts"


# The target -----------------------------------------------------------------------------------------------------------


def test_a_kept_network_is_not_compiled_and_another_generation_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (relu,) = load(write(tmp_path / "relu.json", case("a")))
    first = run_case(relu, Engine("SM86", frozenset()))
    assert (first.line, first.kept) == ("PASS", False)
    assert first.key is not None

    compiled: list[tuple[str, ...]] = []
    monkeypatch.setattr("trtx_backend.engine.compile_network", lambda _, settings: compiled.append(settings.targets))
    again = run_case(relu, Engine("SM86", {first.key}))
    assert (again.line, again.kept, again.key, compiled) == ("PASS", True, first.key, [])
    for generation in ("SM89", None):
        other = run_case(relu, Engine(generation, {first.key}))
        assert (other.kept, other.key == first.key) == (False, False)
    assert compiled == [("SM89",), Engine().generations]


def test_without_a_file_nothing_is_kept(tmp_path: Path) -> None:
    (relu,) = load(write(tmp_path / "relu.json", case("a")))
    outcome = run_case(relu, Engine("SM86"))
    assert (outcome.key, outcome.kept) == (None, False)


# Runs -----------------------------------------------------------------------------------------------------------------


def engine(project: Path, *options: str, **more: Any) -> tuple[int, dict[str, tuple[str, bool | None]], str]:
    """A run on one generation, which is quicker: its status, the rows, and what it said."""
    report = project / "report.json"
    report.unlink(missing_ok=True)
    made = run_project(
        project, "--target=engine", "--sm=SM86", "--no-snapshots", f"--report={report}", *options, **more
    )
    rows = json.loads(report.read_text())["cases"]
    found = {f"{row['file']}: {row['name']}": (row["status"], row.get("kept")) for row in rows}
    return made.returncode, found, made.stdout


def plugin(project: Path, name: str, text: str) -> str:
    (project / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return name


NOW, KEPT = ("PASS", False), ("PASS", True)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_second_run_compiles_nothing_and_fresh_compiles_all(project: Path, workers: int) -> None:
    status, rows, said = engine(project, workers=workers)
    assert (status, set(rows.values()), "earlier runs" in said) == (0, {NOW}, False)
    status, rows, said = engine(project, workers=workers)
    assert (status, len(rows), set(rows.values())) == (0, 5, {KEPT})
    assert "5 compiled in earlier runs and unchanged since, 0 now; --fresh compiles all" in said
    if workers:
        status, rows, _ = engine(project, "--fresh", workers=workers)
        assert (status, set(rows.values())) == (0, {NOW})


def test_a_changed_lowering_compiles_again_what_it_touches(project: Path) -> None:
    engine(project)
    changed = plugin(
        project,
        "changed",
        """
        import trtx_backend.lowering.registry as registry
        from dataclasses import replace
        from trtx_backend.trt import trt
        relu = registry.entry("relu").function
        registry._ENTRIES["relu"] = replace(
            registry.entry("relu"), function=lambda w, input: w.unary(relu(w, input), trt.UnaryOperation.ABS)
        )
        """,
    )
    write(project / "wpt_data/upstream/abs.json", negated("a"), negated("b"))
    _, rows, _ = engine(project)
    assert rows == {"abs: a": NOW, "abs: b": NOW, "relu: a": KEPT, "relu: b": KEPT, "relu: c": KEPT}
    _, rows, _ = engine(project, plugins=[changed])
    assert rows == {"abs: a": KEPT, "abs: b": KEPT, "relu: a": NOW, "relu: b": NOW, "relu: c": NOW}
    assert set(engine(project)[1].values()) == {KEPT}  # those of before are still there


def negated(name: str) -> dict[str, Any]:
    return case(name, operators=[{"name": "neg", "arguments": [{"input": "x"}], "outputs": "y"}])


def four(project: Path) -> None:
    """Cases a to d, each a network of its own; b is the one that goes wrong."""
    for path in (project / "wpt_data/upstream").iterdir():
        path.unlink()
    cases = [special(name, 13 if name == "b" else 1) for name in "abcd"]
    for size, each in enumerate(cases, 2):
        for tensor, data in (("x", each["graph"]["inputs"]["x"]), ("y", each["graph"]["expectedOutputs"]["y"])):
            data["descriptor"]["shape"] = [size]
            data["data"] = [data["data"][0] if tensor == "x" else 0] * size
    write(project / "wpt_data/upstream/relu.json", *cases)


def going_wrong(project: Path, action: str) -> str:
    return plugin(
        project,
        "wrong",
        f"""
        import os, time
        from conformance import targets
        from trtx_backend.errors import EngineError
        class Wrong(targets.Engine):
            def run(self, graph, inputs):
                made = super().run(graph, inputs)
                if inputs["x"][0] == 13:
                    {action}
                return made
        targets.TARGETS = {{**targets.TARGETS, "engine": Wrong}}
        targets.Engine = Wrong
        """,
    )


@pytest.mark.parametrize(
    ("action", "outcome", "options"),
    [
        ("os.abort()", "CRASH", []),
        ("time.sleep(60)", "TIMEOUT", ["--timeout=2"]),
        ("raise MemoryError", "CRASH", []),
        ("raise EngineError('no')", "FAIL", []),
        ("targets.behind = True", "CRASH", []),
    ],
    ids=["crash", "timeout", "memory", "failure", "crash behind the case"],
)
def test_only_a_pass_is_kept_and_what_ended_otherwise_takes_back_an_earlier_one(
    project: Path, action: str, outcome: str, options: list[str]
) -> None:
    four(project)
    names = ["relu: a", "relu: b", "relu: c", "relu: d"]
    behind = plugin(
        project,
        "behind",
        """
        import os
        from conformance import targets
        def pytest_runtest_protocol(item):
            if hasattr(targets, "behind"):
                os.abort()
        """,
    )
    plugins = [going_wrong(project, action), behind]
    status, rows, _ = engine(project, *options, workers=1, plugins=plugins)
    assert (status, [rows[name][0] for name in names]) == (1, ["PASS", outcome, "PASS", "PASS"])
    _, rows, _ = engine(project, workers=1)
    assert [rows[name] for name in names] == [KEPT, NOW, KEPT, KEPT]
    # now that b is kept: a fresh run that sees it go wrong
    _, rows, _ = engine(project, "--fresh", *options, workers=1, plugins=plugins)
    assert [rows[name][0] for name in names] == ["PASS", outcome, "PASS", "PASS"]
    assert engine(project, workers=1)[1]["relu: b"] == NOW


def test_two_runs_at_once_keep_what_both_found(project: Path) -> None:
    commands = [
        [sys.executable, "-m", "conformance", "run", f"--root={project}", "--target=engine", "--sm=SM86", "-n1",
         "--no-snapshots", f"--op={operator}"]
        for operator in ("relu", "abs")
    ]  # fmt: skip
    write(project / "wpt_data/upstream/abs.json", negated("a"), negated("b"))
    environ = {**os.environ, "WPT_DATA": "", "PYTHONPATH": str(ROOT)}
    runs = [subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL) for command in commands]
    assert [run.wait(timeout=120) for run in runs] == [0, 0]
    assert set(engine(project)[1].values()) == {KEPT}


def test_a_file_that_cannot_be_written_is_said_and_fails_nothing(project: Path) -> None:
    (project / ".cache").write_text("in the way")
    status, rows, said = engine(project)
    assert (status, set(rows.values())) == (0, {NOW})
    assert "verdicts are not kept: " in said


def test_the_allocator_is_told_and_limits_still_hold() -> None:
    code = (
        "from conformance.memory import limited, reuse_freed\nimport numpy as np\nreuse_freed()\n"
        "np.ones(50_000_000)\n"
        "try:\n with limited(100 << 20): np.ones(50_000_000)\nexcept MemoryError: print('refused')"
    )
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert made.stdout == "refused\n"
