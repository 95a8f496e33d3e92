"""The command: a corpus as a whole or none, and the manifest's word on what changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance import cli
from conformance.cases import find_corpus, select
from conformance.sync.manifest import difference, digest, make_manifest, read_manifest, write_manifest
from tests.conformance.sync.upstream import checkout, commit, file, relu

REVISION = "0123456789" * 4

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def made(*arguments: str) -> tuple[int, str]:
        status = cli.main(["sync", f"--root={tmp_path / 'project'}", *arguments])
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return made


def corpus(tmp_path: Path) -> dict[str, list[str]]:
    folder = tmp_path / "project/wpt_data/upstream"
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    documents = {path.stem: json.loads(path.read_text()) for path in files}
    return {stem: [test["name"] for test in d["tests"]] for stem, d in documents.items() if "tests" in d}


def test_a_folder_becomes_a_corpus_that_the_harness_reads(tmp_path: Path, run: Run) -> None:
    folder = checkout(tmp_path / "wpt", relu=file(relu("a"), relu("b")), tensor="promise_test(async () => {});")
    status, output = run(f"--from={folder}", f"--revision={REVISION}", "--pin")
    assert status == 0, output
    assert "2 cases in 1 files; 1 files have none: tensor" in output
    found = find_corpus(None, tmp_path / "project", {})
    assert [case.id for case in select(found)] == ["relu: a", "relu: b"]
    assert (found.revision, list(found.minimum)) == (REVISION, ["relu"])
    manifest = read_manifest(tmp_path / "project/wpt_data/manifest.json")
    assert manifest is not None
    assert (manifest.revision, manifest.cases) == (REVISION, 2)
    status, output = run(f"--from={folder}")
    assert (status, "0 new, 0 changed, 0 removed" in output) == (0, True)


def test_other_cases_than_the_manifests_are_told_and_taken_over_by_pin_only(tmp_path: Path, run: Run) -> None:
    folder = checkout(tmp_path / "wpt", relu=file(relu("a"), relu("b")))
    run(f"--from={folder}", f"--revision={REVISION}", "--pin")
    checkout(folder, relu=file(relu("a", "[-1, 3]"), relu("c")), abs=file(relu("d")))
    status, output = run(f"--from={folder}")
    assert status == 1
    assert "2 new, 1 changed, 1 removed" in output
    for line in ("new abs: d", "new relu: c", "changed relu: a", "removed relu: b", "nothing was written: --pin"):
        assert line in output
    assert corpus(tmp_path) == {"relu": ["a", "b"]}
    assert run(f"--from={folder}", "--pin")[0] == 0
    assert corpus(tmp_path) == {"abs": ["d"], "relu": ["a", "c"]}
    assert run(f"--from={folder}")[0] == 0


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (file(relu("a")) + "foo)", "relu.https.any.js:13: SyntaxError"),
        (file(relu("a", size=3)), "2 values, the shape [3] needs 3"),
        (file(relu("a", "[1.5, 2]", "int32")), "1.5 is not a value of int32"),
    ],
)
def test_a_sync_that_fails_leaves_what_was_there(tmp_path: Path, run: Run, broken: str, words: str) -> None:
    folder = checkout(tmp_path / "wpt", relu=file(relu("a")), abs=file(relu("b")))
    run(f"--from={folder}", f"--revision={REVISION}", "--pin")
    checkout(folder, relu=broken)
    status, output = run(f"--from={folder}", "--pin")
    assert (status, words in output, "nothing was written" in output) == (1, True, True)
    assert corpus(tmp_path) == {"abs": ["b"], "relu": ["a"]}
    assert [path.name for path in (tmp_path / "project/wpt_data").iterdir() if path.name.startswith(".")] == []


def test_a_tolerance_that_needs_shapes_is_compared_with_upstreams_own_function(tmp_path: Path, run: Run) -> None:
    resource = "{data: 1, descriptor: {shape: [2, 2], dataType: 'float32'}}"
    case = (
        f"{{name: 'a', graph: {{inputs: {{x: {resource}}}, operators: ["
        "{name: 'relu', arguments: [{input: 'x'}], outputs: 'r'},"
        "{name: 'matmul', arguments: [{a: 'r'}, {b: 'x'}], outputs: 'y'}],"
        f"expectedOutputs: {{y: {resource}}}}}}}"
    )
    folder = checkout(tmp_path / "wpt", matmul=file(case))
    assert run(f"--from={folder}", f"--revision={REVISION}", "--pin")[0] == 0
    document = json.loads((tmp_path / "project/wpt_data/upstream/matmul.json").read_text())
    assert document["tests"][0]["tolerance"] == {
        "function": "getPrecisionTolerance", "needsShapes": True, "undefinedUpstream": True
    }  # fmt: skip
    utils = folder / "webnn/resources/utils.js"
    utils.write_text(utils.read_text().replace("2 * shape", "3 * shape"))
    status, output = run(f"--from={folder}")
    assert status == 1
    assert "'a': upstream allows {'metricType': 'ULP', 'value': 6}, the table in tolerance.py ULP <= 4" in output


def test_a_sparse_checkout_of_the_pinned_revision(tmp_path: Path, run: Run) -> None:
    folder = checkout(tmp_path / "wpt", relu=file(relu("a")))
    (folder / "css").mkdir()
    (folder / "css/large.txt").write_text("x" * 100)
    first = commit(folder)
    repository = f"--repository={folder.as_uri()}"
    assert run(repository, "--revision=master", "--pin")[0] == 0
    checkout(folder, relu=file(relu("a"), relu("b")))
    second = commit(folder)
    status, output = run(repository)
    assert (status, first[:10] in output, corpus(tmp_path)) == (0, True, {"relu": ["a"]})
    status, output = run(repository, "--revision=master")
    assert (status, second[:10] in output, "1 new, 0 changed, 0 removed" in output) == (1, True, True)
    status, output = run(repository, "--revision=nowhere")
    assert (status, "git fetch: fatal:" in output) == (2, True)


def test_what_cannot_be_meant(tmp_path: Path, run: Run) -> None:
    status, output = run(f"--from={tmp_path}")
    assert (status, "there is no webnn/conformance_tests in it" in output) == (2, True)
    folder = checkout(tmp_path / "wpt", relu=file(relu("a")))
    assert "the manifest has none" in run(f"--from={folder}")[1]
    assert "git does not know its commit" in run(f"--from={folder}", "--revision=master")[1]
    (tmp_path / "project/wpt_data").mkdir(parents=True, exist_ok=True)
    (tmp_path / "project/wpt_data/upstream").symlink_to(tmp_path)
    status, output = run(f"--from={folder}", f"--revision={REVISION}")
    assert (status, "is a link or a file" in output) == (2, True)
    (tmp_path / "project/wpt_data/manifest.json").write_text('{"schema": 2}')
    status, output = run(f"--from={folder}")
    assert (status, "manifest.json: schema 2 is not 1" in output) == (2, True)


def test_digests_are_of_values() -> None:
    assert digest({"a": 1.0, "b": [2]}) == digest({"b": [2], "a": 1})
    assert len({digest(value) for value in (0, -0.0, 0.5, "NaN", 2**63, float(2**53), None, [0], True, "1", 1)}) == 11
    assert digest(2**63) != digest(2**63 - 1)


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    names = ["a", 'quote " and ∞', "lone \ud800"]
    manifest = make_manifest(REVISION, {"relu": [{"name": name} for name in names], "abs": [{"name": "a"}]})
    write_manifest(tmp_path / "manifest.json", manifest)
    assert read_manifest(tmp_path / "manifest.json") == manifest
    assert not difference(manifest, manifest)
