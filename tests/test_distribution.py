"""Every address, and every line that installs rubric, comes from `rubric_core.distribution`, and switches with a release."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from release.addresses import CHECKOUT, EDITS, LINKED, MASON, ROOT, Distribution, current, differences, write

import rubric_core.distribution
from rubric_core.validation.rules import all_rules

RELEASED = Distribution("9.8.7", "rubric-lsp", "https://code.example/rubric")
#: Addresses of ours that nothing may name on its own.
OURS = ("github.com/rubric-lsp", "pypi.org/project/rubric-lsp")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files that a release writes."""
    for name in {*EDITS, *LINKED}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_every_file_says_what_the_package_says() -> None:
    told = "python tests/release/addresses.py --write writes them"
    assert [str(path.relative_to(ROOT)) for path, _ in differences(current())] == [], told


def test_no_address_is_named_that_is_not_ours() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    if not listed:
        pytest.skip("not a checkout")
    if current().repository:
        pytest.skip("there is one")
    texts = {name: (ROOT / name) for name in listed.splitlines() if (ROOT / name).is_file() and not name.startswith("tests/")}  # fmt: skip
    found = {name: path.read_bytes() for name, path in texts.items()}
    assert [name for name, text in found.items() if any(each.encode() in text for each in OURS)] == []


def test_a_release_switches_all_of_them(copy: Path) -> None:
    before = current(copy)
    for path, text in list(differences(RELEASED, copy)):
        write(path, text)
    assert current(copy) == RELEASED
    assert list(differences(RELEASED, copy)) == [], "once is enough"
    texts = {name: (copy / name).read_text(encoding="utf-8") for name in {*EDITS, *LINKED, MASON}}
    assert [name for name, text in texts.items() if CHECKOUT in text or "PATH (of" in text] == []
    for name in (
        "editors/zed/src/lib.rs",
        "editors/vscode/src/distribution.ts",
        "editors/neovim/lua/rubric/install.lua",
        "docs/install.md",
    ):
        assert RELEASED.index in texts[name], name
    assert f"pkg:pypi/{RELEASED.index}@{RELEASED.version}" in texts[MASON]
    assert f"repo: {RELEASED.repository}  #" in texts["docs/ci.md"]
    assert f"rev: v{RELEASED.version}  #" in texts["docs/ci.md"]
    assert f"uses: code.example/rubric@v{RELEASED.version}  #" in texts["docs/ci.md"]
    assert f"git+{RELEASED.repository}@v{RELEASED.version}  #" in texts["docs/ci.md"]
    manifest = json.loads(texts["editors/vscode/package.json"])
    assert manifest["repository"]["url"] == f"{RELEASED.repository}.git"
    assert "allow-missing-repository" not in manifest["scripts"]["package"]
    assert f'repository = "{RELEASED.repository}"' in texts["editors/zed/extension.toml"]
    assert f'Repository = "{RELEASED.repository}"' in texts["pyproject.toml"]
    for path, text in list(differences(Distribution(before.version, RELEASED.index, ""), copy)):
        write(path, text)
    assert "repository" not in json.loads((copy / "editors/vscode/package.json").read_text(encoding="utf-8"))


def test_pages_of_rules_can_be_read_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    page = all_rules()[0].page
    assert rubric_core.distribution.page_address(page) == page.as_uri()
    monkeypatch.setattr(rubric_core.distribution, "REPOSITORY", RELEASED.repository)
    address = rubric_core.distribution.page_address(page)
    assert address == f"{RELEASED.repository}/blob/main/rubric_core/validation/rules/{page.name}"
