"""The reference of a dialect on one page, for the context of a model."""

from pathlib import Path

import pytest

from rubric_core.analysis import Language, analyze
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.families.promptfoo.language.reference import PROMPTFOO_EXAMPLE, promptfoo_reference
from rubric_core.language.dialect import Dialect, SpellingStatus
from rubric_core.language.dialect_reference import dialect_reference, example_suite
from rubric_core.language.dialects import DIALECTS, dialect_named
from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.model import Case, Suite

#: Characters; four of them are about one token.
MOST = 50_000


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
def test_every_key_and_type_that_an_author_may_write_is_there(dialect: Dialect) -> None:
    page = dialect_reference(dialect)
    for shape in (Suite, Case, Evaluator, Criterion):
        missing = [s.name for s, _ in dialect.fields(shape) if f"- `{s.name}` (" not in page]
        assert missing == [], shape
    types = [t.name for t in dialect.types.values() if t.fate is SpellingStatus.CURRENT]
    assert [name for name in types if f"`{name}`" not in page.partition("## Evaluators\n")[2]] == []


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
def test_it_fits_into_a_context(dialect: Dialect) -> None:
    assert 3_000 < len(dialect_reference(dialect)) < MOST


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
def test_nothing_is_wrong_with_its_example(dialect: Dialect) -> None:
    language = Language()
    text = example_suite(dialect)
    assert text in dialect_reference(dialect)
    found = analyze(language.document(text, Path("a.eval.yaml")), language)
    assert found.dialect is dialect
    assert [d.message for d in found.diagnostics] == []
    assert list(found.ids) == ["late-parcel"]


def test_names_of_other_releases_say_what_to_write() -> None:
    page = dialect_reference(dialect_named("agentv-3"))
    old = page.partition("## Names of other releases")[2]
    assert "- Suite: `evalcases`, `eval_cases`: write `tests`" in old
    assert "- Suite: `assert`: write `assertions`" in old
    written = page.partition("## Names of other releases")[0]
    assert "`evalcases`" not in written


def test_a_key_is_spelled_as_in_its_dialect() -> None:
    old, new = (dialect_reference(dialect_named(name)) for name in ("agentv-3", "agentv-5"))
    assert "- `assertions` (a list): Evaluators for every case" in old
    assert "- `assert` (a list): Evaluators for every case" in new
    assert "- `assertions` (" not in new


def test_the_page_of_promptfoo_has_every_key_and_type() -> None:
    page = promptfoo_reference()
    for shape in (Configuration, PromptfooCase, Assertion):
        assert [s.name for s, _ in PROMPTFOO.fields(shape) if f"- `{s.name}` (" not in page] == [], shape
    types = [name for name in PROMPTFOO.types if not name.startswith("not-")]
    assert [name for name in types if f"`{name}`" not in page.partition("## Assertions\n")[2]] == []
    assert 3_000 < len(page) < MOST
    assert "agentv" not in page.lower()


def test_the_example_of_promptfoo_has_no_findings() -> None:
    assert PROMPTFOO_EXAMPLE in promptfoo_reference()
    found = analyze(PROMPTFOO_EXAMPLE, path=Path("/w/promptfooconfig.yaml"))
    assert found.dialect is PROMPTFOO
    assert found.diagnostics == ()
