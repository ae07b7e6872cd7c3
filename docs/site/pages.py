"""A hook of mkdocs: the pages of the site, read where they are in the repository, and the navigation of rules and evaluators."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
#: Pages and pictures, from the root of the repository.
_SOURCES = (
    "*.md", "docs/**/*.md", "docs/images/*", "docs/site/*.css", "editors/*.md", "editors/neovim/*.md", "editors/vscode/*.md", "editors/vscode/images/*",
    "rubric_core/validation/rules/*.md", "rubric_core/families/*/checks/pages/*.md", "rubric_core/evaluation/evaluators/*.md",
)  # fmt: skip
#: What pages link to and readers of the site see as it is.
_LINKED = ("LICENSE", "editors/helix/languages.toml", "editors/neovim/lsp/rubric.lua")
_SECTIONS = {
    "How evaluators score": "rubric_core/evaluation/evaluators/", "Codes": "rubric_core/validation/rules/",
    "Codes of promptfoo's files": "rubric_core/families/promptfoo/checks/pages/",
}  # fmt: skip


def on_files(found: Files, config: MkDocsConfig) -> Files:
    """Every page of the repository at its own path, and a place in the navigation for those that are generated from the code."""
    paths = sorted({path for pattern in (*_SOURCES, *_LINKED) for path in ROOT.glob(pattern) if path.is_file()})
    of_theme = [file for file in found if file.src_dir != config.docs_dir]
    pages = (File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)) for path in paths)
    files = Files([*of_theme, *pages])
    reference = next(entry["Reference"] for entry in _entries(config) if "Reference" in entry)
    for title, folder in _SECTIONS.items():
        reference.append(
            {title: [file.src_uri for file in files.documentation_pages() if file.src_uri.startswith(folder)]}
        )
    return files


def _entries(config: MkDocsConfig) -> Iterator[dict[str, Any]]:
    return (entry for entry in config.nav or () if isinstance(entry, dict))
