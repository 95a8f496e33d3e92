"""Evaluates upstream's files: the child's side. Reads a job a line from stdin, answers a line of JSON for each.

    python -m conformance.sync.engine MEGABYTES SECONDS

The engine has no files, no network and no modules: it gets text. Typed arrays lie outside of its own heap, so the process
has a limit as well.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from py_mini_racer import JSEvalException, MiniRacer

HOST = (Path(__file__).parent / "host.js").read_text(encoding="utf-8")

_HOST = "host.js"
_ERROR = re.compile(r"^(?P<script>.*?):(?P<line>\d+): (?P<error>.*)")
_FRAME = re.compile(r"^ +at (?:.*\()?(?P<script>[^()]*?):(?P<line>\d+):\d+\)?$", re.MULTILINE)


class EvaluationError(Exception):
    """What went wrong, and in which script at which line, if that is known."""

    def __init__(self, script: str, line: int | None, message: str) -> None:
        self.script, self.line, self.message = script, line, message
        super().__init__(message)


def evaluate(job: dict[str, Any], megabytes: int, seconds: float) -> dict[str, Any]:
    """The cases of a file. `job`: scripts, a list of [name, text], the file itself last; allowed, shapes by case name
    for which upstream's tolerance is asked."""
    limits = {"timeout_sec": seconds, "max_memory": megabytes << 20}
    with MiniRacer() as engine:
        try:
            _eval(engine, _HOST, HOST, limits)
            *needed, (name, text) = job["scripts"]
            for place, source in needed:
                _eval(engine, place, source, limits)
            _eval(engine, _HOST, "webnn_conformance_test = __record", limits)
            _eval(engine, name, text, limits)
            cases = json.loads(str(_eval(engine, _HOST, "__cases()", limits)))
            asked = job.get("allowed", {})
            calls = {case: f"__allowed({json.dumps(case)}, {json.dumps(shapes)})" for case, shapes in asked.items()}
            allowed = {case: json.loads(str(_eval(engine, _HOST, call, limits))) for case, call in calls.items()}
        except EvaluationError as error:
            return {"script": error.script, "line": error.line, "problem": error.message}
    return {"cases": cases, "allowed": allowed}


def _eval(engine: MiniRacer, script: str, text: str, limits: dict[str, Any]) -> Any:
    try:
        return engine.eval(f"{text}\n//# sourceURL={script}", **limits)
    except JSEvalException as error:
        found = _ERROR.match(str(error))
        if found is None:
            raise EvaluationError(script, None, str(error).partition("\n")[0]) from None
        frames = [found, *_FRAME.finditer(str(error))]
        place = next((frame for frame in frames if frame["script"] != _HOST), found)  # ours only says what is wrong
        # V8 has not read the name, which is at the end, where a syntax error comes before
        where = script if place["script"] == "<anonymous>" else place["script"]
        raise EvaluationError(where, int(place["line"]), found["error"]) from None


def _limit(megabytes: int) -> None:
    """Of this process's memory, beyond what it has with an engine in it."""
    try:
        import resource
    except ImportError:
        return  # Windows: the engine's own heap is bounded, typed arrays are not
    MiniRacer().close()
    pages = int(Path("/proc/self/statm").read_text().split()[5]) if Path("/proc/self/statm").is_file() else 0
    limit = pages * resource.getpagesize() + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def main() -> None:
    megabytes, seconds = int(sys.argv[1]), float(sys.argv[2])
    _limit(2 * megabytes)
    for line in sys.stdin:
        print(json.dumps(evaluate(json.loads(line), megabytes, seconds)), flush=True)


if __name__ == "__main__":
    main()
