"""Hover on names: a target with its secrets masked, the values of a template variable."""

from collections.abc import Callable, Iterator, Sequence

from rubric_core.analysis import Analysis
from rubric_core.language.markdown import code, plain
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Entry
from rubric_core.language.value_kinds import Text
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.validation.entry_lists import CaseEntry
from rubric_lsp.features.completion.variables import values_at
from rubric_lsp.features.hover import HoverText
from rubric_lsp.features.markdown import beginning, fenced, shortened, value_text
from rubric_lsp.features.name_occurrence import NameOccurrence

__all__ = ["Found", "filled_prompt", "masked_settings", "name_hover", "preview"]

#: A target's entry, its text, and the name of its file.
Found = tuple[Entry, str, str]
#: The most values of a variable that are shown.
_FEW = 5
#: The language ids of files by extension.
_LANGUAGES = {
    "md": "markdown", "yaml": "yaml", "yml": "yaml", "json": "json", "jsonl": "json", "py": "python", "js": "javascript",
    "mjs": "javascript", "ts": "typescript", "sh": "sh",
}  # fmt: skip
_MASK = "••••"
#: A reference to the environment is not a secret itself.
_OPEN = "${{"
#: Words in the names of settings whose values are masked, if the catalogue does not declare them secret.
_TELLING = ("key", "token", "secret", "password", "credential", "auth", "header", "env")


def name_hover(analysis: Analysis, name: NameOccurrence, entry_of: Callable[[str], Found | None]) -> HoverText | None:
    """The hover of a name; `entry_of` finds targets."""
    if name.kind == "target":
        found = entry_of(name.name)
        return HoverText(_target(name.name, *found), name.span) if found is not None else None
    if name.kind == "anchor":
        said = _anchor(analysis, name)
        return HoverText(said, name.span) if said else None
    entry = analysis.case_named(name.name) if name.kind == "case" and not name.defines else None
    return HoverText(_case(entry), name.span) if entry is not None else None


def filled_prompt(
    analysis: Analysis, name: NameOccurrence, values: Sequence[tuple[str, str, str]], *, named: bool
) -> HoverText:
    """The values of a template variable: for each the case (empty for every case), its file, and the text.

    `named`: whether an author chose the name; else the engine fills it in from the fields of the case.
    """
    own = analysis.case_at(name.span.start) if not analysis.kind.is_text else None
    local = analysis.local(name.span.start)
    held = own is not None or (analysis.kind.dialect and not local.in_frame and not analysis.kind.is_text)
    here = values_at(analysis, local) if held else {}
    if name.name in here:
        value = here[name.name]
        shown = fenced(beginning(value_text(value)), "text" if isinstance(value, str) else "yaml")
        return HoverText(f"**{plain(name.name)}** — filled in for this case\n\n{shown}", name.span)
    by_engine = not named and name.name in analysis.dialect.properties.template_variables
    told = "filled in for the judge when the suite runs" if by_engine else "filled in when the suite runs"
    if not values and not by_engine:
        told = "there is no variable with this name here"
    rows = [f"- {_whose(case)} in {plain(file)}: {_short(text)}" for case, file, text in values[:_FEW]]
    rows += [f"- and {len(values) - _FEW} more"] if len(values) > _FEW else []
    return HoverText("\n".join([f"**{plain(name.name)}** — {told}", *([""] if rows else []), *rows]), name.span)


def _whose(case: str) -> str:
    return code(case) if case else "every case"


def _short(text: str) -> str:
    return code(shortened(text)) if text.strip() else "nothing"


def _case(entry: CaseEntry) -> str:
    """A referenced case, by its input."""
    asked = entry.case.criteria
    said = f"\n\n{fenced(beginning(asked.strip()))}" if isinstance(asked, str) else ""
    return f"{code(entry.case.id or '')} — a case of this suite{said}"


def _anchor(analysis: Analysis, name: NameOccurrence) -> str:
    """The value of an anchor."""
    found = analysis.alias_value(name.name, name.span.start)
    return f"{code(name.name)} — an anchor\n\n{fenced(beginning(found), 'yaml')}" if found is not None else ""


def preview(name: NameOccurrence, text: str) -> HoverText:
    """The beginning of a referenced file."""
    language = _LANGUAGES.get(name.name.lower().rpartition(".")[2], "text")
    lines = text.count("\n") + (not text.endswith("\n"))
    count = f"{lines} line{'' if lines == 1 else 's'}" if text else "empty"
    shown = f"\n\n{fenced(beginning(text), language)}" if text.strip() else ""
    return HoverText(f"{code(name.name)} — {count}{shown}", name.span)


def _target(name: str, entry: Entry, text: str, file: str) -> str:
    lines = [f"{key}: {value}" for key, value in masked_settings(entry, text)]
    return f"**{plain(name)}** — a target of {plain(file)}\n\n{fenced(chr(10).join(lines), 'yaml')}"


def masked_settings(entry: Shape, text: str) -> Iterator[tuple[str, str]]:
    """The settings as written, secrets masked."""
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
        elif isinstance(written.value, Mapping | SequenceNode) or "\n" in value:
            # Nested values may be secrets, too; the file itself is one click away.
            value = "…"
        elif isinstance(written.value, Scalar) and "@" in value and "://" in value:
            value = _MASK
        yield name, value
