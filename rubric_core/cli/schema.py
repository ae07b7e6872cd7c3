"""`rubric schema`: the JSON Schema of a dialect, for editors and programs without rubric."""

import argparse
import json
import sys

from rubric_core.family import FAMILIES
from rubric_core.language.dialects import DIALECTS, dialect_named
from rubric_core.language.file_kinds import language_of
from rubric_core.language.schema import json_schema, kinds_of

__all__ = ["add_arguments", "main"]

PRINTED, WRONG_USE = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric schema`."""
    names = [name for family in FAMILIES for name in family.dialects]
    kinds = dict.fromkeys(kind for family in FAMILIES for kind in language_of(family.name).schemas)
    parser.add_argument(
        "--dialect",
        choices=names,
        default=DIALECTS[-1].name,
        metavar="NAME",
        help=f"one of {', '.join(names)} (default: {DIALECTS[-1].name})",
    )
    parser.add_argument("--kind", choices=tuple(kinds), default="suite", help="the kind of file (default: a suite)")


def main(options: argparse.Namespace) -> int:
    """Print the schema."""
    dialect = dialect_named(options.dialect)
    known = kinds_of(dialect)
    if options.kind not in known:
        print(f"rubric: {dialect.name} has no files of kind {options.kind}; choose {', '.join(known)}", file=sys.stderr)
        return WRONG_USE
    print(json.dumps(json_schema(dialect, options.kind), ensure_ascii=False, indent=2))
    return PRINTED
