"""What mutants are made of a module."""

import ast

import pytest

from .mutants import mutants


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("return a < b", ["return a <= b", "return None"]),
        ("return a not in b", ["return a in b", "return None"]),
        ("x = a and b or c", ["x = a or b or c", "x = a and b and c"]),
        ("x = not a", ["x = (a)"]),
        ("x = a + 1", ["x = a - 1", "x = a + 2"]),
        ("x = 'ä' if a else 5000", ["x = 'ä' if not (a) else 5000"]),
        ("x.append(a)", ["pass"]),
        ("x += 20", ["pass"]),
        ("x = True", ["x = False"]),
        ("return True", ["return False"]),
        ("_log.warning('%s', a + b)", []),
        ("raise ValueError(a + b)", []),
        ("assert a < b", []),
        ("zip(a, b, strict=True)", ["pass"]),
        ("zip(a, b, strict=False)", ["pass", "zip(a, b, strict=True)"]),
    ],
)
def test_mutants_of_a_line(line: str, after: list[str]) -> None:
    text = f"def f(x):\n    {line}\n"
    made = [each.applied(text) for each in mutants(text)]
    assert sorted(made) == sorted(f"def f(x):\n    {each}\n" for each in after)
    for each in made:
        ast.parse(each)


def test_annotations_docstrings_and_types_stay() -> None:
    text = '"""About 1."""\nif TYPE_CHECKING:\n    a = 1\ndef f(x: Literal[1]) -> Literal[2]:\n    """Of 3."""\n'
    assert mutants(text) == []


def test_a_mutant_says_what_it_is() -> None:
    text = "def f(a):\n    # ä\n    return a < 3\n"
    first, *_ = mutants(text)
    assert (first.line, first.described(text)) == (3, "return a < 3  →  return None")
