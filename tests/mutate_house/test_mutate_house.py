"""The table of mutations is what it says, and a trial tells one that is caught from one that is not."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.conformance.make import ROOT
from tests.mutate_house.__main__ import main
from tests.mutate_house.table import MUTATIONS
from tests.mutate_house.trial import Mutation, Unusable, tried
from trtx_backend.graph.operator import RULES

CAUGHT = Mutation("oracle", "relu.py", "input > 0", "input > 1", ("relu",))
EQUIVALENT = Mutation("oracle", "relu.py", "input > 0", "input >= 0", ("relu",))
LOWERED = Mutation("lowering", "relu.py", "ActivationType.RELU", "ActivationType.TANH", ("relu",))
"""Of a lowering, and caught."""


def nodes(text: str) -> Iterator[tuple[str, ...]]:
    """What each node of the program says, without its children and without docstrings."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.expr_context):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ""
        own = [f"{k}={v!r}" for k, v in ast.iter_fields(node) if not isinstance(v, (ast.AST, list))]
        yield (type(node).__name__, *own)


def differing(old: str, new: str) -> int:
    """In how many nodes two programs differ; -1 if they have not the same number of them."""
    a, b = list(nodes(old)), list(nodes(new))
    return sum(x != y for x, y in zip(a, b, strict=True)) if len(a) == len(b) else -1


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_a_mutation_changes_one_constant_of_the_program(mutation: Mutation) -> None:
    text = (ROOT / mutation.path).read_text(encoding="utf-8")
    assert differing(text, mutation.applied(text)) == 1
    names = {rule.webnn_name for rule in RULES.values()}
    assert mutation.operators
    assert set(mutation.operators) <= names


def test_a_comment_or_docstring_is_no_change_of_the_program() -> None:
    assert differing('def f():\n    "one"\n    return 1  # one', 'def f():\n    "two"\n    return 1  # two') == 0
    assert differing("x = 1", "x = 1 + 1") == -1


def test_the_table_covers_the_families() -> None:
    assert len(set(MUTATIONS)) == len(MUTATIONS)
    files = {kind: {m.file for m in MUTATIONS if m.kind == kind} for kind in ("oracle", "lowering")}
    sections = {path.name for path in (ROOT / "conformance/oracle").glob("*.py")} - {"__init__.py"}
    assert files["oracle"] == sections, "each file of the oracle has a mutation"
    assert len(files["lowering"]) >= 40
    assert min(Counter(m.kind for m in MUTATIONS).values()) >= 14


def test_one_that_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], [CAUGHT, LOWERED]) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("  1/2 caught by ")
    assert "of " in first
    assert second.startswith("  2/2 caught by ")
    assert last.startswith("2 mutations, all caught")


def test_one_that_changes_nothing_is_not_caught(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], [EQUIVALENT, CAUGHT]) == 1
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("  1/2 NOT CAUGHT by ")
    assert "input > 0 → input >= 0 [relu]" in first
    assert second.startswith("  2/2 caught by "), "the first mutation is gone when the second is tried"
    assert last.startswith("2 mutations, 1 NOT CAUGHT")


def test_the_working_tree_is_not_touched() -> None:
    path = ROOT / CAUGHT.path
    before = path.stat().st_mtime_ns, path.read_bytes()
    assert [trial.caught for trial in tried([CAUGHT])] == [True]
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before


def test_a_text_that_is_not_there_once_is_an_error() -> None:
    for old in ("no such text", "input"):
        with pytest.raises(ValueError, match="times"):
            Mutation("oracle", "relu.py", old, "x", ("relu",)).applied((ROOT / CAUGHT.path).read_text())


def test_an_operator_without_a_case_says_nothing() -> None:
    with pytest.raises(Unusable, match="no house case uses nothing"):
        list(tried([Mutation("oracle", "relu.py", "input > 0", "input > 1", ("nothing",))]))


def test_a_module_that_cannot_be_loaded_is_caught_by_the_end_of_its_process() -> None:
    broken = Mutation("oracle", "__init__.py", "class Undefined(Exception):", "class Undefined(Exception)", ("relu",))
    (trial,) = tried([broken])
    assert trial.caught
    assert str(trial).startswith("caught by the end of the process: ")


def test_list_and_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(MUTATIONS)
    assert main(["--list", "--only", "ORACLE relu"]) == 0
    assert capsys.readouterr().out == "oracle relu.py: input > 0 → input > 1 [relu]\n"
    assert main(["--only", "no such thing"]) == 2
    assert "--list shows them" in capsys.readouterr().err
