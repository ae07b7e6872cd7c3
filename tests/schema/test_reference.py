"""The pages of the reference are current, complete, and lead somewhere."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from harness import Page, analysis_of, unmarked

from rubric_core.analysis import Language
from rubric_core.cli import main
from rubric_core.cli.reference import reference
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.model import Case, Suite
from rubric_core.language.properties import Properties
from rubric_core.language.reference_dialects import property_words

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "reference"
PAGES = reference()
_LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    path = FOLDER / name
    current = path.is_file() and path.read_text(encoding="utf-8") == PAGES[name]
    assert current, f"docs/reference/{name} is not current; run: .venv/bin/rubric reference"


def test_has_no_other_pages() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for link in _LINK.findall(PAGES[name]):
        assert link.startswith("https://") or (FOLDER / link).is_file(), link


def test_every_key_of_suites_and_cases_is_there() -> None:
    for dialect in DIALECTS:
        for shape in (Suite, Case):
            for spelling, declared in dialect.fields(shape):
                assert f"`{spelling.name}" in PAGES["keys.md"]
                doc = declared.doc.split("|")[0]
                here = f"In {dialect.name}: {doc[0].lower()}{doc[1:]}"  # where it says something else than the newest
                assert doc in PAGES["keys.md"] or here in PAGES["keys.md"]


def test_every_type_is_there() -> None:
    for dialect in DIALECTS:
        for name in dialect.types:
            assert f"`{name}`" in PAGES["evaluators.md"] + PAGES["dialects.md"], name


def test_every_property_has_words() -> None:
    for dialect in DIALECTS:
        for each in fields(Properties):
            property_words(each.name, getattr(dialect.properties, each.name))


@pytest.mark.parametrize("rule", Language().rules, ids=lambda r: r.code)
def test_a_rule_with_fixes_is_said_to_have_them(rule) -> None:
    examples = [unmarked(block.text)[0] for block in Page(rule.page).blocks("Example")]
    found = [d for text in examples for d in analysis_of(text).diagnostics if d.code == rule.code]
    if any(d.fixes for d in found):
        assert re.search(rf"^\| \[{rule.code}\].*\| yes \|$", PAGES["rules.md"], re.MULTILINE)


def test_check_names_what_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pages"
    assert main(["reference", str(folder), "--check"]) == 1
    assert f"{folder / 'rules.md'} is out of date: run `rubric reference {folder}`" in capsys.readouterr().err
    assert main(["reference", str(folder)]) == 0
    assert main(["reference", str(folder), "--check"]) == 0
