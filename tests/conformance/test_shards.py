"""Parts of a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.shards import Shard, shard_of
from tests.conformance.make import accept, case, run_project, snapshot, write

IDS = [f"relu: case {number} \ud800" for number in range(3000)]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_every_case_is_in_one_part_and_the_parts_are_alike(count: int) -> None:
    parts = [[name for name in IDS if name in Shard(number, count)] for number in range(1, count + 1)]
    assert sorted(name for part in parts for name in part) == sorted(IDS)
    assert all(0.8 < len(part) * count / len(IDS) < 1.2 for part in parts)


def test_a_part_stays_what_it_is() -> None:
    """Between machines and versions: a matrix may run a long time apart."""
    assert [number for number in range(40) if f"relu: {number}" in Shard(2, 7)] == STAYS


STAYS = [6, 15, 33]
"""From sha256sum: the first 16 digits, modulo 7, are 1."""


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1.0/3"])
def test_what_is_not_a_part(text: str) -> None:
    with pytest.raises(ValueError, match="is not a part, like 1/3"):
        shard_of(text)


def test_runs_of_all_parts_are_the_whole_run(project: Path) -> None:
    accept(project)
    write(project / "wpt_data/upstream/relu.json", case("a"), *(case(f"n{number}") for number in range(6)))
    seen = []
    for number in (1, 2, 3):
        report = project / f"{number}.json"
        made = run_project(project, f"--shard={number}/3", f"--report={report}", "--update-snapshots")
        assert made.returncode == 0, made.stdout
        document = json.loads(report.read_text())
        assert document["corpus"]["cases"] == 9
        seen.append([(row["file"], row["name"]) for row in document["cases"]])
    assert all(seen)
    assert sorted(key for part in seen for key in part) == sorted(
        [("abs", "a"), ("abs", "wrong"), ("relu", "a"), *(("relu", f"n{number}") for number in range(6))]
    )
    assert len(snapshot(project, "relu")) == 9  # b and c, which have no case now, too


def test_a_part_without_a_case_is_no_failure(project: Path) -> None:
    codes = [run_project(project, "--op=abs", "--case=a", f"--shard={number}/2").returncode for number in (1, 2)]
    assert codes == [0, 0]
