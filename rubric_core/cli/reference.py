"""`rubric reference`: writes the reference pages, or compares them with the current ones."""

import argparse
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

from rubric_core.analysis import Language
from rubric_core.atomic_write import write_file
from rubric_core.family import FAMILIES
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import dialect_named
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.family_reference import reference_of
from rubric_core.language.reference import NOTICE, RuleRow, pages
from rubric_core.migration import titles
from rubric_core.text import Span
from rubric_core.validation.codes import family_codes
from rubric_core.validation.rule import Finding, Fix, Rule
from rubric_core.validation.wording import count

__all__ = ["add_arguments", "main", "reference"]

CURRENT, STALE = 0, 1
#: The folder of the pages, which lead to others of the package.
_FOLDER = Path(__file__).parents[2] / "docs" / "reference"
_EVALUATORS = "../../rubric_core/evaluation/evaluators"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric reference`."""
    parser.add_argument(
        "folder",
        nargs="?",
        default="docs/reference",
        metavar="FOLDER",
        help="the folder of the pages (default: docs/reference)",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 when a page is out of date")


def main(options: argparse.Namespace) -> int:
    """Write the pages, or list the outdated ones."""
    folder = Path(options.folder)
    stale = {name: text for name, text in reference().items() if _read(folder / name) != text}
    if options.check:
        for name in stale:
            print(f"{folder / name} is out of date: run `rubric reference {folder}`", file=sys.stderr)
        return STALE if stale else CURRENT
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in stale.items():
        write_file(folder / name, text.encode())
    print(f"{count(len(stale), 'page')} written to {folder}")
    return CURRENT


def reference() -> dict[str, str]:
    """Every page by its file name."""
    language = Language()
    ways = {dialect.name: titles(dialect.name) for dialect in language.dialects}
    from rubric_core.evaluation.targets.providers import PROVIDERS  # noqa: PLC0415  # only the reference needs to know what runs

    kinds = {name: tuple(kind.unused) for kind in PROVIDERS for name in kind.names}
    rows = (_row(rule) for rule in (*language.rules, *(e for f in FAMILIES for e in family_codes(f.name))))
    made = pages(language.dialects, rows, _evaluator_pages(language.dialects), ways, kinds)
    others = (name for family in FAMILIES for name in family.dialects if name not in ways)
    return {**made, **{f"{name}.md": f"{NOTICE}\n\n{reference_of(dialect_named(name))}" for name in others}}


def _row(rule: "Rule[object]") -> RuleRow:
    # A rule with fixes creates them: its module uses the class, or a function that creates one.
    has_fix = any(known is Fix or _makes_fixes(known) for known in inspect.unwrap(rule.check).__globals__.values())
    page = os.path.relpath(rule.page, _FOLDER)
    return RuleRow(rule.code, rule.severity, rule.summary, page, has_fix)


def _evaluator_pages(dialects: Sequence[Dialect]) -> Mapping[str, str]:
    """The page of each evaluator type, by its name; types that rubric does not run have none."""
    from rubric_core.evaluation.engine.registry import kind_of  # noqa: PLC0415  # only the reference needs to know what runs

    found = find_spec("rubric_core.evaluation.evaluators")
    folders = found.submodule_search_locations if found is not None else None
    pages = [page for folder in folders or () for page in sorted(Path(folder).glob("*.md"))]
    by_kind = {_title(page): f"{_EVALUATORS}/{page.name}" for page in pages}
    types = {known.name: known.shape for dialect in dialects for known in dialect.types.values()}
    made = {name: shape(Span(0, 0), None, type=name) for name, shape in types.items()}
    kinds = {name: kind_of(config) for name, config in made.items() if isinstance(config, Evaluator)}
    return {name: by_kind[kind] for name, kind in kinds.items() if kind in by_kind}


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _makes_fixes(known: object, seen: frozenset[object] = frozenset()) -> bool:
    """Whether it is a function that returns fixes, or a class with a method that does; `seen` are its callers."""
    if inspect.isclass(known):
        return any(inspect.isfunction(each) and _makes_fixes(each) for each in vars(known).values())
    if not inspect.isfunction(known):
        return False
    returned = known.__annotations__.get("return")
    if Finding in get_args(
        returned
    ):  # shared helpers of rules, in a module that imports the class, or that call another
        if Fix in known.__globals__.values():
            return True
        names = map(known.__globals__.get, known.__code__.co_names)
        called = {each for each in names if inspect.isfunction(each)}
        return any(_makes_fixes(each, seen | {known}) for each in called - seen - {known})
    return returned is Fix or Fix in get_args(returned)
