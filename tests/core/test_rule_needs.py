"""A rule that names the fields it needs finds nothing in a shape that has none of them."""

from pathlib import Path
from typing import Any, get_args

import pytest

from rubric_core.analysis import Language, analyze
from rubric_core.family import FAMILIES
from rubric_core.validation.family_checks import checks_of
from rubric_core.validation.rule import Rule

LANGUAGE = Language()
#: Rules that need a field of some class; one that only passes whole classes over is not among them.
EVERY = [*LANGUAGE.rules, *(check for family in FAMILIES for check in checks_of(family.name))]
NEEDING = [r for r in EVERY if any(r.needed(each) for each in get_args(r.visits) or (r.visits,))]
PAGES = [rule.page for rule in LANGUAGE.rules]
MISTAKES = sorted((Path(__file__).parent / "mistakes").glob("*.txt"))


class Thorough(Language):
    """Judges every shape by every rule."""

    def judges(self, visited: type, family: str, *_written: object) -> tuple[Rule[Any], ...]:
        return self.visitors(visited, family)


class Careless(Language):
    """Judges no shape by a rule that names what it needs."""

    def judges(self, visited: type, family: str, *_written: object) -> tuple[Rule[Any], ...]:
        return tuple(rule for rule in self.visitors(visited, family) if rule.needed(visited) is None)


def texts(page: Path) -> list[str]:
    """The examples of a page, or the whole texts between its headings."""
    parts = page.read_text(encoding="utf-8").split("```")
    examples = [part.partition("\n")[2] for part in parts[1::2]]
    lines = [[line for line in text.splitlines() if "^" not in line] for text in examples or parts]
    return ["\n".join(each) + "\n" for each in lines]


def found(text: str, language: Language) -> list[object]:
    return [(d.code, d.span, d.message, d.fixes) for d in analyze(text, language).every]


@pytest.mark.parametrize("page", [*PAGES, *MISTAKES], ids=lambda page: page.stem)
def test_what_is_left_out_would_have_found_nothing(page):
    for text in texts(page):
        assert found(text, LANGUAGE) == found(text, Thorough())


@pytest.mark.parametrize("rule", NEEDING, ids=lambda rule: rule.code)
def test_the_page_of_a_rule_that_needs_fields_is_such_a_case(rule):
    assert any(found(text, LANGUAGE) != found(text, Careless()) for text in texts(rule.page))
