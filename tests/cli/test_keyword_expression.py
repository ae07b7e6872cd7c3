"""The expressions of `-k`: pytest itself says what they mean."""

import pytest
from _pytest.mark.expression import Expression
from hypothesis import given
from hypothesis import strategies as st

from rubric_core.cli.keyword_expression import KeywordError, KeywordExpression

#: The file, the id and the tags of a case.
NAMES = ["billing.eval.yaml", "Refund-late[tone=polite]", "slow", "team=billing"]


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("refund", True),
        ("REFUND", True),
        ("late[tone", True),
        ("team=billing", True),
        ("billing.eval", True),
        ("gift", False),
        ("not gift", True),
        ("not not refund", True),
        ("refund and slow", True),
        ("refund and not slow", False),
        ("gift or refund and slow", True),
        ("(gift or refund) and not slow", False),
        ("not (gift or slow)", False),
        ("notice or refund", True),
        ("", True),
        ("  ", True),
    ],
)
def test_names_and_words(text: str, matches: bool) -> None:
    assert KeywordExpression(text).matches(NAMES) is matches


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("refund and", "column 11: expected `not`, `(` or a name, found the end"),
        ("and refund", "column 1: expected `not`, `(` or a name, found and"),
        ("(refund", "column 8: expected `)`, found the end"),
        ("refund)", "column 7: expected `and`, `or` or the end, found )"),
        ("refund late", "column 8: expected `and`, `or` or the end, found late"),
        ("a & b", "column 3: a name cannot have the character '&'"),
        ("not", "column 4: expected `not`, `(` or a name, found the end"),
        ("()", "column 2: expected `not`, `(` or a name, found )"),
    ],
)
def test_an_error_names_the_column(text: str, message: str) -> None:
    with pytest.raises(KeywordError) as error:
        KeywordExpression(text)
    assert str(error.value) == message


_words = st.sampled_from(["refund", "gift", "SLOW", "or", "and", "not", "(", ")", "late[", "nothing"])


@given(st.lists(_words, min_size=1, max_size=9).map(" ".join))
def test_every_expression_means_what_it_means_to_pytest(text: str) -> None:
    try:
        wanted = Expression.compile(text).evaluate(lambda word, **_: any(word.lower() in n.lower() for n in NAMES))
    except SyntaxError:
        with pytest.raises(KeywordError):
            KeywordExpression(text)
    else:
        assert KeywordExpression(text).matches(NAMES) is wanted
