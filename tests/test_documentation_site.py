"""The documentation site is built without warnings: links and anchors lead somewhere, and every page has a place."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from thorough import only_thorough

pytestmark = only_thorough

REPOSITORY = Path(__file__).parents[1]
PAGES = (
    "docs",
    "editors",
    "rubric_core/validation/rules",
    "rubric_core/families/promptfoo/checks/pages",
    "rubric_core/evaluation/evaluators",
)


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


def test_it_is_built_without_warnings_and_is_whole(copy: Path) -> None:
    """It loads nothing from elsewhere, and every page finds its styles, scripts and pictures."""
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    pages = {page: page.read_text(encoding="utf-8") for page in (copy / "build/site").rglob("*.html")}
    assert len(pages) > 100
    loaded = re.compile(
        r"""<(?:script|link rel="(?:stylesheet|preconnect)|img|iframe)[^>]*(?:src|href)="(https?:[^"]+)"""
    )
    assert [(page.name, found) for page, text in pages.items() for found in loaded.findall(text)] == []
    named = re.compile(r"""<(?:script|link rel="(?:stylesheet|icon)"|img)[^>]*?(?:src|href)="([^":#?]+)""")
    needed = {page: named.findall(text) for page, text in pages.items() if page.name != "404.html"}
    assert [
        (page.name, name) for page, names in needed.items() for name in names if not (page.parent / name).is_file()
    ] == []
    assert all(any(name.endswith(".css") for name in names) for names in needed.values())


def test_links_that_lead_nowhere_and_a_page_without_a_place_fail(copy: Path) -> None:
    links = {
        "tutorial.md": ("[nowhere](nothing.md)", "nothing.md"),
        "running.md": ("[nowhere](install.md#no-such-heading)", "no-such-heading"),
        "cluster.md": ("[nowhere](../editors/nowhere/)", "nowhere/"),
    }
    for name, (link, _) in links.items():
        page = copy / "docs" / name
        page.write_text(page.read_text(encoding="utf-8") + f"\n{link}\n", encoding="utf-8")
    (copy / "docs/forgotten.md").write_text("# Forgotten\n", encoding="utf-8")
    done = build(copy)
    assert done.returncode == 1
    told = done.stdout + done.stderr
    assert "Aborted with 4 warnings" in told
    for name, (_, complaint) in links.items():
        assert [line for line in told.splitlines() if "WARNING" in line and name in line and complaint in line], told
    assert "docs/forgotten.md" in told
