"""Each promise on the page about reliability names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PAGE = (REPOSITORY / "docs/reliability.md").read_text(encoding="utf-8")
#: A row: the promise, and the tests that show it.
_ROW = re.compile(r"^\| (?P<promise>[^|]+?) \| (?P<shown>[^|]+?) \|$", re.MULTILINE)
_NAME = re.compile(r"`(?P<file>tests/[\w/]+\.py)?(?:::(?P<test>\w+))?`")
_PART = re.compile(r"`make chaos ONLY=(\w+)`")
ROWS = [
    (row["promise"], row["shown"])
    for section in ("Nothing lost", "Nothing that hangs", "Nothing leaked", "Nothing that lies")
    for row in _ROW.finditer(PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0])
    if row["promise"] != "Promise" and set(row["promise"]) != {"-"}
]


def named_tests(shown: str) -> list[tuple[str, str]]:
    """Files and functions in a cell; a function alone is in the file before it."""
    found: list[tuple[str, str]] = []
    for name in _NAME.finditer(shown):
        if name["file"] or name["test"]:
            found.append((name["file"] or found[-1][0], name["test"] or ""))
    return found


def functions_of(file: str) -> set[str]:
    """The tests that pytest collects of a file: its name and the names of its functions say so."""
    path = REPOSITORY / file
    if not path.is_file() or not path.name.startswith("test_"):
        return set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name for node in functions if node.name.startswith("test_")}


def test_the_page_makes_promises() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize(("promise", "shown"), ROWS, ids=[promise[:60] for promise, _ in ROWS])
def test_a_promise_names_tests_that_exist(promise: str, shown: str) -> None:
    named = named_tests(shown)
    assert named, promise
    for file, test in named:
        collected = functions_of(file)
        assert collected, f"{file} has no tests"
        assert not test or test in collected, f"{file} has no {test}"


def test_the_parts_of_chaos_that_the_page_names_exist() -> None:
    from chaos.parts import PARTS

    named = set(_PART.findall(PAGE))
    assert named
    assert named <= {part.name for part in PARTS}


def test_what_does_not_exist_is_seen() -> None:
    assert named_tests("`tests/a.py`, `::test_x`; and `other words`") == [("tests/a.py", ""), ("tests/a.py", "test_x")]
    assert functions_of("tests/test_nothing.py") == set()
    assert functions_of("tests/waiting.py") == set()
    assert "test_what_does_not_exist_is_seen" in functions_of("tests/test_reliability.py")
