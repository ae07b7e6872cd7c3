"""The documentation site is built without warnings: links and anchors lead somewhere, and every page has a place (issue 19, section 4)."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PAGES = ("docs", "editors", "rubric_core/validation/rules", "rubric_core/evaluation/evaluators")


def build(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]  # with --quiet it counts no warnings
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The pages as they are, to be changed and built."""
    for folder in PAGES:
        keep = shutil.ignore_patterns("node_modules", "server", "*.py", "__pycache__")
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=keep if folder != "docs" else None)
    for file in (*REPOSITORY.glob("*.md"), REPOSITORY / "LICENSE", REPOSITORY / "mkdocs.yml"):
        shutil.copy(file, tmp_path)
    return tmp_path


def test_it_is_built_without_warnings_and_loads_nothing_from_elsewhere(copy: Path) -> None:
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    pages = list((copy / "build/site").rglob("*.html"))
    assert len(pages) > 100
    loaded = re.compile(
        r"""<(?:script|link rel="(?:stylesheet|preconnect)|img|iframe)[^>]*(?:src|href)="(https?:[^"]+)"""
    )
    assert [(page.name, found) for page in pages for found in loaded.findall(page.read_text(encoding="utf-8"))] == []


def test_every_page_finds_its_styles_scripts_and_pictures(copy: Path) -> None:
    assert build(copy).returncode == 0
    site = copy / "build/site"
    named = re.compile(r"""<(?:script|link rel="(?:stylesheet|icon)"|img)[^>]*?(?:src|href)="([^":#?]+)""")
    pages = list(site.rglob("*.html"))
    needed = {page: named.findall(page.read_text(encoding="utf-8")) for page in pages if page.name != "404.html"}
    assert [
        (page.name, name) for page, names in needed.items() for name in names if not (page.parent / name).is_file()
    ] == []
    assert all(any(name.endswith(".css") for name in names) for names in needed.values())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[nowhere](nothing.md)", "nothing.md"),
        ("[nowhere](install.md#no-such-heading)", "no-such-heading"),
        ("[nowhere](../editors/nowhere/)", "nowhere"),
    ],
)
def test_a_link_that_leads_nowhere_fails(copy: Path, text: str, complaint: str) -> None:
    page = copy / "docs/tutorial.md"
    page.write_text(page.read_text(encoding="utf-8") + f"\n{text}\n", encoding="utf-8")
    done = build(copy)
    assert done.returncode == 1
    assert complaint in done.stdout + done.stderr


def test_a_page_without_a_place_fails(copy: Path) -> None:
    (copy / "docs/forgotten.md").write_text("# Forgotten\n", encoding="utf-8")
    done = build(copy)
    assert done.returncode == 1
    assert "docs/forgotten.md" in done.stdout + done.stderr
