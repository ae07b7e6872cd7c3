"""Versions, addresses and how rubric is installed, in the files that cannot import `rubric_core.distribution`.

python tests/release/addresses.py                                     # which files disagree
python tests/release/addresses.py --write --version 0.2.0             # another version everywhere
python tests/release/addresses.py --write --index NAME --repository URL     # from the first release on
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: How documents name a checkout where an index could be named.
CHECKOUT = "/path/to/rubric"
LINKED = ("README.md", "docs/install.md", "editors/vscode/README.md", "editors/neovim/doc/rubric.txt", "editors/neovim/lsp/rubric.lua")  # fmt: skip
MASON = "editors/neovim/mason/package.yaml"
PACK = "vsce package --no-dependencies"


@dataclass(frozen=True)
class Distribution:
    """What `rubric_core.distribution` says, and the version."""

    version: str
    index: str
    repository: str

    @property
    def source(self) -> str:
        """The argument of `pipx install` in messages."""
        return self.index or "PATH (of rubric's repository, or of the wheel of a release)"


def current(root: Path = ROOT) -> Distribution:
    """As the package has it."""
    text = (root / "rubric_core/distribution.py").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.+)"', (root / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    index, repository = (re.search(rf'^{name} = "(.*)"', text, re.MULTILINE) for name in ("INDEX", "REPOSITORY"))
    if not (version and index and repository):
        raise SystemExit(f"{root}: no version, INDEX or REPOSITORY")
    return Distribution(version[1], index[1], repository[1])


def wanted(to: Distribution, root: Path = ROOT) -> dict[str, str]:
    """The text of each file that depends on it; empty for one that is not there."""
    made = {path: edit((root / path).read_text(encoding="utf-8"), to) for path, edit in EDITS.items()}
    for path in LINKED:
        text = made.get(path) or (root / path).read_text(encoding="utf-8")
        text = re.sub(r"rubric_lsp-[\d.]+(?=-py3)", f"rubric_lsp-{to.version}", text)
        made[path] = text.replace(CHECKOUT, to.index) if to.index else text
    made[MASON] = _mason(to) if to.index else ""
    return made


def _line(pattern: str, make: Callable[[Distribution], str]) -> Callable[[str, Distribution], str]:
    """An edit of the first line that matches."""

    def edit(text: str, to: Distribution) -> str:
        found = re.search(pattern, text, re.MULTILINE)
        assert found, pattern
        return text[: found.start()] + make(to) + text[found.end() :]

    return edit


def _all(*edits: Callable[[str, Distribution], str]) -> Callable[[str, Distribution], str]:
    def edit(text: str, to: Distribution) -> str:
        for each in edits:
            text = each(text, to)
        return text

    return edit


_VERSION = _line(r'^version = ".*"$', lambda to: f'version = "{to.version}"')


def _urls(text: str, to: Distribution) -> str:
    """The addresses in the package's metadata."""
    text = re.sub(r"\[project\.urls\]\n(?:.+\n)*\n", "", text)
    if not to.repository:
        return text
    urls = f'[project.urls]\nRepository = "{to.repository}"\nIssues = "{to.repository}/issues"\n\n'
    return text.replace("[dependency-groups]", f"{urls}[dependency-groups]", 1)


def _zed(text: str, to: Distribution) -> str:
    lines = [line for line in text.split("\n") if not line.startswith("repository = ") or "tree-sitter" in line]
    if to.repository:
        lines.insert(next(n for n, line in enumerate(lines) if line.startswith("description")) + 1, f'repository = "{to.repository}"')  # fmt: skip
    return "\n".join(lines)


def _manifest(text: str, to: Distribution) -> str:
    manifest = json.loads(text)
    manifest["version"] = to.version
    at = {"baseContentUrl": "blob", "baseImagesUrl": "raw"}
    links = "".join(f" --{name} {to.repository}/{kind}/HEAD/editors/vscode" for name, kind in at.items())
    alone = " --allow-missing-repository --no-rewrite-relative-links --readme-path dist/README.md"
    manifest["scripts"]["package"] = f"{PACK}{links if to.repository else alone} --out rubric.vsix"
    addresses = {
        "homepage": f"{to.repository}/tree/main/editors/vscode#readme",
        "repository": {"type": "git", "url": f"{to.repository}.git", "directory": "editors/vscode"},
        "bugs": {"url": f"{to.repository}/issues"},
        "qna": f"{to.repository}/discussions",
    }
    rest = {name: value for name, value in manifest.items() if name not in addresses}
    made = {}
    for name, value in rest.items():
        made[name] = value
        if name == "license" and to.repository:
            made |= addresses
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _lock(text: str, to: Distribution) -> str:
    lock = json.loads(text)
    lock["version"] = lock["packages"][""]["version"] = to.version
    return json.dumps(lock, indent=2, ensure_ascii=False) + "\n"


def _page(text: str, to: Distribution) -> str:
    if not to.index:
        return text
    intro = f"`pipx install {to.index}` or `uv tool install {to.index}` installs the server and the command line.\n"
    return re.sub(r"(?<=# Installing\n\n).+?\n(?=\n)", lambda _: intro, text, count=1, flags=re.DOTALL)


def _ci_page(text: str, to: Distribution) -> str:
    """Hooks and the action are named by the address of the repository and a tag."""
    text = re.sub(r"((?:rev: |rubric@|PACKAGE: git\+\S+@)v)[\d.]+(?=  # )", rf"\g<1>{to.version}", text)
    if not to.repository:
        return text
    owner = "/".join(to.repository.split("/")[-2:-1])
    return text.replace("RUBRIC-REPOSITORY", to.repository).replace("RUBRIC-OWNER/", f"{owner}/")


def _mason(to: Distribution) -> str:
    return f"""\
---
name: {to.index}
description: Language server for LLM evaluation suites in YAML (AgentV, promptfoo-style).
homepage: {to.repository or f"https://pypi.org/project/{to.index}/"}
licenses:
  - MIT
languages:
  - YAML
categories:
  - LSP
  - Linter

source:
  id: pkg:pypi/{to.index}@{to.version}

bin:
  rubric: pypi:rubric
  rubric-lsp: pypi:rubric-lsp

neovim:
  lspconfig: rubric
"""


EDITS: dict[str, Callable[[str, Distribution], str]] = {
    "pyproject.toml": _all(_VERSION, _urls),
    "rubric_core/__init__.py": _line(r'^__version__ = ".*"$', lambda to: f'__version__ = "{to.version}"'),
    "rubric_core/distribution.py": _all(
        _line(r'^INDEX = ".*"$', lambda to: f'INDEX = "{to.index}"'),
        _line(r'^REPOSITORY = ".*"$', lambda to: f'REPOSITORY = "{to.repository}"'),
    ),
    "docs/ci.md": _ci_page,
    "docs/install.md": _page,
    "editors/zed/Cargo.toml": _VERSION,
    "editors/zed/extension.toml": _all(_VERSION, _zed),
    "editors/zed/src/lib.rs": _line(r"^const SOURCE: &str = .*$", lambda to: f'const SOURCE: &str = "{to.source}";'),
    "editors/neovim/lua/rubric/install.lua": _line(r"^local SOURCE = .*$", lambda to: f'local SOURCE = "{to.source}"'),
    "editors/neovim/rubric.nvim-scm-1.rockspec": _line(
        r"^source = .*$", lambda to: f"source = {{ url = '{f'git+{to.repository}' if to.repository else '.'}' }}"
    ),
    "editors/vscode/src/distribution.ts": _line(
        r"^export const SOURCE = .*$", lambda to: f'export const SOURCE = "{to.source}";'
    ),
    "editors/vscode/package.json": _manifest,
    "editors/vscode/package-lock.json": _lock,
}


def differences(to: Distribution, root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """The files that say something else, with what they should say."""
    for name, text in wanted(to, root).items():
        path = root / name
        if (path.read_text(encoding="utf-8") if path.exists() else "") != text:
            yield path, text


def write(path: Path, text: str) -> None:
    """Write a file, or take it away."""
    if text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def main(argv: list[str]) -> int:
    """Exit code 1 where files disagree and are not written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    for name in ("version", "index", "repository"):
        parser.add_argument(f"--{name}")
    options = parser.parse_args(argv)
    given = {
        name: value for name in ("version", "index", "repository") if (value := getattr(options, name)) is not None
    }
    found = list(differences(replace(current(), **given)))
    for path, text in found:
        sys.stdout.write(f"{path.relative_to(ROOT)}{' written' if options.write else ' says something else'}\n")
        if options.write:
            write(path, text)
    return int(bool(found) and not options.write)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
