"""`rubric schema`: the JSON Schema of a dialect, for editors and programs that know nothing else."""

import argparse
import json

from rubric_core.language.dialects import DIALECTS
from rubric_core.language.schema import KINDS, json_schema

__all__ = ["add_arguments", "main"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric schema`."""
    names = [dialect.name for dialect in DIALECTS]
    parser.add_argument(
        "--dialect",
        choices=names,
        default=names[-1],
        metavar="NAME",
        help=f"one of {', '.join(names)} (default: the last one)",
    )
    parser.add_argument("--kind", choices=tuple(KINDS), default="suite", help="the kind of file (default: a suite)")


def main(options: argparse.Namespace) -> int:
    """Print the schema."""
    dialect = next(d for d in DIALECTS if d.name == options.dialect)
    print(json.dumps(json_schema(dialect, options.kind), ensure_ascii=False, indent=2))
    return 0
