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
#: A number of one of the documents, of a requirement in them, or of a ticket.
_NUMBERS = re.compile(
    r"\bdocuments? 00\d\b|\bREQ-[A-Z]+|\b(?:issues?|tickets?) ?#?\d+\b|\((?:see )?#\d+\)", re.IGNORECASE
)
#: Tickets of others, at their address, and text that only looks so.
_NOT_OURS = re.compile(r"https?://\S+|`[^`\n]*`|(?i:fix issue #12)")


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


def test_nothing_else_cites_numbers_of_documents_or_tickets() -> None:
    """They say nothing to a reader who has neither: the reason is stated, or the page on requirements linked."""
    found = []
    for name, text in _own_texts():
        lines = enumerate(text.splitlines(), start=1)
        found += [
            f"{name}:{number}: {line.strip()}" for number, line in lines if _NUMBERS.search(_NOT_OURS.sub("", line))
        ]
    assert found == []


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
