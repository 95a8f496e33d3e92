"""A small checkout in upstream's style: its folders, a utils.js, test files that the tests write."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

UTILS = """'use strict';
const sums = {add: 1, relu: 0};
const getPrecisionTolerance = (graph, operands) => {
  let value = 0;
  for (const op of graph.operators) {
    if (op.name === 'matmul') {
      const a = op.arguments[0].a;
      const shape = graph.inputs[a] ? graph.inputs[a].descriptor.shape : operands[a].shape;
      value += 2 * shape[shape.length - 1];
    } else {
      value += sums[op.name];
    }
  }
  return {metricType: 'ULP', value};
};
const searchParams = new URLSearchParams(location.search);
async function webnn_conformance_test(tests, build, tolerance) {
  promise_test(async () => { throw new Error('tests are not run'); });
}
"""

HEAD = """// META: title=a test
// META: variant=?cpu
// META: variant=?gpu
// META: script=../resources/utils.js
'use strict';
"""

RUN = "webnn_conformance_test(tests, buildAndExecuteGraph, getPrecisionTolerance);\n"


def relu(name: str, data: str = "[-1, 2]", dtype: str = "float32", size: int = 2) -> str:
    """A case as upstream writes them."""
    descriptor = f"{{shape: [{size}], dataType: '{dtype}'}}"
    return (
        f"{{'name': '{name}', 'graph': {{'inputs': {{'x': {{'data': {data}, 'descriptor': {descriptor}}}}},\n"
        "  'operators': [{'name': 'relu', 'arguments': [{'input': 'x'}], 'outputs': 'y'}],\n"
        f"  'expectedOutputs': {{'y': {{'data': {data}, 'descriptor': {descriptor}}}}}}}}}"
    )


def file(*cases: str, before: str = "const buildAndExecuteGraph = null;\n", after: str = RUN) -> str:
    return f"{HEAD}{before}const tests = [\n{','.join(cases)}\n];\n{after}"


def checkout(folder: Path, **files: str) -> Path:
    """A folder laid out as upstream's, with a test file of each text."""
    tests = folder / "webnn/conformance_tests"
    tests.mkdir(parents=True, exist_ok=True)
    (folder / "webnn/resources").mkdir(exist_ok=True)
    (folder / "webnn/resources/utils.js").write_text(UTILS)
    minimum = {"relu": {"input": {"dataTypes": ["float32"], "rankRange": {"min": 0, "max": 5}}}}
    (folder / "webnn/resources/minimum_datatype_set.json").write_text(f"// a comment\n{json.dumps(minimum)}")
    for stem, text in files.items():
        (tests / f"{stem}.https.any.js").write_text(text)
    return folder


def commit(folder: Path) -> str:
    """The folder as a git repository that others may fetch any commit of; the commit."""

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()

    if not (folder / ".git").is_dir():
        git("init", "-q", "-b", "master")
        git("config", "uploadpack.allowFilter", "true")
        git("config", "uploadpack.allowAnySHA1InWant", "true")
    git("add", "-A")
    git("commit", "-q", "-m", "a")
    return git("rev-parse", "HEAD")
