"""Hover on names: what a target is, with its secrets masked; what a template variable is filled with."""

from collections.abc import Callable, Iterator

from rubric_core.analysis import Analysis
from rubric_core.language.kinds import Text
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Entry
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.validation.rule import CaseEntry
from rubric_lsp.features.completion.variables import values_at
from rubric_lsp.features.hover import HoverText
from rubric_lsp.features.names import Name, name_at

__all__ = ["Found", "named"]

#: A target's entry, the text that it stands in, and the name of its file.
Found = tuple[Entry, str, str]
_LONGEST = 2_000
_MASK = "••••"
#: A value that the environment gives is no secret itself.
_OPEN = "${{"
#: Words in the names of settings whose values nobody else should see, wherever the catalogue knows no better.
_TELLING = ("key", "token", "secret", "password", "credential", "auth", "header", "env")


def named(analysis: Analysis, offset: int, entry_of: Callable[[str], Found | None]) -> HoverText | None:
    """What there is to say about the name at `offset`; `entry_of` finds targets."""
    name = name_at(analysis, offset)
    if name is None:
        return None
    if name.kind == "target":
        found = entry_of(name.name)
        return HoverText(_target(name.name, *found), name.span) if found is not None else None
    if name.kind == "variable":
        return HoverText(_variable(analysis, offset, name), name.span)
    entry = analysis.case_named(name.name) if name.kind == "case" and not name.defines else None
    return HoverText(_case(entry), name.span) if entry is not None else None


def _case(entry: CaseEntry) -> str:
    """A case that is referred to, by what it asks for."""
    asked = entry.case.criteria
    said = f"\n\n{asked.strip()[:_LONGEST]}" if isinstance(asked, str) else ""
    return f"**{entry.case.id}** — a case of this suite{said}"


def _target(name: str, entry: Entry, text: str, file: str) -> str:
    lines = [f"{key}: {value}" for key, value in _settings(entry, text)]
    return "\n".join([f"**{name}** — a target of {file}", "", "```yaml", *lines, "```"])


def _settings(entry: Shape, text: str) -> Iterator[tuple[str, str]]:
    """The settings as they are written, secrets masked."""
    node = entry.node
    for written in node.entries if isinstance(node, Mapping) else ():
        name = written.name or ""
        value = text[written.value.span.start : written.value.span.end]
        declared = next(
            (type(entry).keys[f] for f, p in entry.places.items() if p.name == name and f in type(entry).keys), None
        )
        secret = declared is not None and isinstance(declared.kind, Text) and declared.kind.refers_to == "secret"
        if (secret or any(word in name.lower() for word in _TELLING)) and _OPEN not in value:
            value = _MASK
        elif isinstance(written.value, Mapping | Sequence) or "\n" in value:
            # What is inside may be a secret as well; the file itself is one click away.
            value = "…"
        elif isinstance(written.value, Scalar) and "@" in value and "://" in value:
            value = _MASK
        yield name, value


def _variable(analysis: Analysis, offset: int, name: Name) -> str:
    local = analysis.local(offset)
    values = values_at(analysis, local)
    if name.name in values:
        text = str(values[name.name])
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        return f"**{name.name}** — filled in for this case\n\n```text\n{shown}\n```"
    if name.name in analysis.dialect.properties.template_variables:
        return f"**{name.name}** — filled in for the judge when the suite runs"
    return f"**{name.name}** — nothing is filled in here under this name"
