"""Every requirement has a test that shows it, and the page says which."""

import re
import subprocess

import pytest
from harness import UPDATING
from requirements import DOCUMENTS, PAGE, REPOSITORY, page, requirements, shown_by

#: What is ours to read, and neither made of tests nor of what others publish.
_TEXTS = (
    "rubric_core/",
    "rubric_lsp/",
    "docs/",
    "editors/",
    "examples/",
    "report/src/",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
)


def test_the_page_is_that_of_the_tests() -> None:
    """`UPDATE=1` writes it."""
    made = page()
    if UPDATING:
        PAGE.write_text(made, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == made


def test_every_requirement_has_a_test() -> None:
    assert [each for each in requirements() if each not in shown_by()] == []


def test_every_marker_names_a_requirement() -> None:
    assert {name: tests for name, tests in shown_by().items() if name not in requirements()} == {}


def test_no_two_requirements_have_one_name() -> None:
    parts = [section.parts for document in DOCUMENTS for section in document.sections]
    assert sum(map(len, parts)) == len(requirements())


def test_what_links_to_a_requirement_finds_it() -> None:
    for name, text in _own_texts():
        for anchor in re.findall(r"requirements\.md#([\w-]+)", text):
            assert anchor in requirements(), f"{name}: {anchor}"


def test_whoever_names_the_documents_leads_to_the_page() -> None:
    texts = [(name, text) for name, text in _own_texts() if "requirement document" in text.lower()]
    assert texts
    assert [name for name, text in texts if "requirements.md" not in text] == []


def _own_texts() -> list[tuple[str, str]]:
    listed = subprocess.run(["git", "ls-files", *_TEXTS], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if not listed.stdout:
        pytest.skip("not a checkout")
    kinds = (".py", ".md", ".ts", ".mjs", ".lua", ".rs", ".yaml", ".yml", ".toml")
    paths = (REPOSITORY / name for name in listed.stdout.splitlines() if name.endswith(kinds))
    return [
        (path.relative_to(REPOSITORY).as_posix(), path.read_text(encoding="utf-8", errors="replace"))
        for path in paths
        if path != PAGE and path.is_file()
    ]
