"""Tables: the content and the place of each cell."""

import pytest

from rubric_core.syntax.csv_cells import rows_of


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2\n", [[("a", "a"), ("b", "b")], [("1", "1"), ("2", "2")]]),
        ("\ufeffa,b\r\n1,2", [[("a", "a"), ("b", "b")], [("1", "1"), ("2", "2")]]),
        ('"a ""b""",", "\n', [[('a "b"', '"a ""b"""'), (", ", '", "')]]),
        ('"a\nb",c\n', [[("a\nb", '"a\nb"'), ("c", "c")]]),
        ("a\n\n \nb\n", [[("a", "a")], [("b", "b")]]),
        ("a,\n,b\n", [[("a", "a"), ("", "")], [("", ""), ("b", "b")]]),
        ('a,"b\nc', [[("a", "a"), ("b\nc", '"b\nc')]]),
        ('"a" x,b', [[('"a" x', '"a" x'), ("b", "b")]]),
        ("a\rb", [[("a", "a")], [("b", "b")]]),
        ("", []),
        ("\ufeff", []),
    ],
)
def test_cells_of_a_table(text: str, rows: list[list[tuple[str, str]]]) -> None:
    found = [[(cell.text, text[slice(*cell.span)]) for cell in row] for row in rows_of(text)]
    assert found == rows
