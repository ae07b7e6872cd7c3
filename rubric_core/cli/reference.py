"""`rubric reference`: the pages of the reference, written or compared with what is there."""

import argparse
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from rubric_core.analysis import Language
from rubric_core.language.reference import RuleRow, pages
from rubric_core.migration import titles
from rubric_core.validation.rule import Rule
from rubric_core.validation.words import count

__all__ = ["add_arguments", "main", "reference"]

CURRENT, STALE = 0, 1
_RULES = "../../rubric_core/validation/rules"
_EVALUATORS = "../../rubric_core/evaluation/evaluators"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric reference`."""
    parser.add_argument(
        "folder",
        nargs="?",
        default="docs/reference",
        metavar="FOLDER",
        help="where the pages stand (default: docs/reference)",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 when a page is not current")


def main(options: argparse.Namespace) -> int:
    """Write the pages, or say which of them are not current."""
    folder = Path(options.folder)
    stale = {name: text for name, text in reference().items() if _read(folder / name) != text}
    if options.check:
        for name in stale:
            print(f"{folder / name} is not current: run `rubric reference {folder}`", file=sys.stderr)
        return STALE if stale else CURRENT
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in stale.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"{count(len(stale), 'page')} written to {folder}")
    return CURRENT


def reference() -> dict[str, str]:
    """Every page by its file name."""
    language = Language()
    ways = {dialect.name: titles(dialect.name) for dialect in language.dialects}
    return pages(language.dialects, (_row(rule) for rule in language.rules), _evaluator_pages(), ways)


def _row(rule: "Rule[object]") -> RuleRow:
    # A rule that has fixes makes them: its module knows the class.
    has_fix = "Fix" in rule.check.__globals__
    return RuleRow(rule.code, rule.severity, rule.summary, f"{_RULES}/{rule.page.name}", has_fix)


def _evaluator_pages() -> Mapping[str, str]:
    """The pages on how types score, by the name of their file."""
    found = find_spec("rubric_core.evaluation.evaluators")
    folders = found.submodule_search_locations if found is not None else None
    names = (page.name for folder in folders or () for page in sorted(Path(folder).glob("*.md")))
    return {name.removesuffix(".md"): f"{_EVALUATORS}/{name}" for name in names}


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
