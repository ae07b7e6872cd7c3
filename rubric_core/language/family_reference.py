"""The reference of a dialect, which its family writes, or its shapes."""

from collections.abc import Callable, Iterator

from rubric_core.family import family_named, part_of
from rubric_core.language.dialect import Dialect
from rubric_core.language.file_kinds import language_of

__all__ = ["reference_of"]

_COMMANDS = """\
`rubric check --format agent FILE` lists mistakes with their fixes, `rubric check --fix FILE` applies the safe ones,
`rubric explain CODE` explains one."""


def reference_of(dialect: Dialect) -> str:
    """The reference of a dialect as one Markdown page. Raises KeyError for a dialect of no family."""
    part = part_of(dialect.properties.engine, "reference")
    if part is None:
        return "\n".join(_lines(dialect)) + "\n"
    reference: Callable[[Dialect], str] = part.REFERENCE
    return reference(dialect)


def _lines(dialect: Dialect) -> Iterator[str]:
    """The page of a family without one of its own: every key of the files that are run by themselves."""
    from rubric_core.language.dialect_reference import ReferencePage  # noqa: PLC0415  # it needs the shapes of AgentV

    family = family_named(dialect.properties.engine)
    page = ReferencePage(dialect, besides=())
    yield from (f"# The language of {family.title}, dialect {dialect.name}", "")
    yield from (f"Read by {family.title} {dialect.releases}. Write only the keys below.", _COMMANDS)
    for kind, root in language_of(family.name).roots.items():
        if kind.is_root:
            yield from page.shapes(root)
