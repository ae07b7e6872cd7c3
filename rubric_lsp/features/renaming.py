"""Renames a name everywhere it is used."""

from rubric_core.analysis import Analysis
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import plain_or_quoted, quoted
from rubric_core.text import Edit
from rubric_lsp.features.cell_names import cell_text
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence

__all__ = ["RENAMED", "objection", "written_name"]

#: Kinds of names that can be renamed; files are moved instead.
RENAMED: frozenset[NameKind] = frozenset(
    {"case", "criterion", "evaluator", "target", "anchor", "variable", "provider", "prompt", "metric"}
)
_ANCHOR = pattern(r"[^\s,\[\]{}&*!|>'\"%@`#]+\Z")
_VARIABLE = pattern(r"[A-Za-z_]\w*\Z")


def objection(analysis: Analysis, name: NameOccurrence, new: str) -> str:
    """Why `name` cannot be renamed to `new`; empty if it can."""
    if not new.strip() or new != new.strip():
        return "a name must not be empty, or begin or end with a space"
    if any(ord(c) < 32 for c in new):
        return "a name must be on one line"
    if name.kind == "anchor" and not _ANCHOR.match(new):
        return "an anchor must not contain spaces, brackets, braces or commas"
    if name.kind == "variable" and not _VARIABLE.match(new):
        return "a template variable is made of letters, digits and underscores"
    if name.kind == "variable" and new in analysis.dialect.properties.template_variables and new != name.name:
        return f"{new} is set when the suite runs. It would hide the variable. Choose another name."
    return ""


def written_name(name: NameOccurrence, new: str) -> Edit:
    """The edit of one occurrence; quotes are kept, and added if needed."""
    if name.style == "raw":
        return Edit(name.span, new)
    if name.style == "taken":
        # `const {old} = vars`: the code goes on to call it so. With a blank, a plain text would become a mapping.
        return Edit(name.span, f"{new}:{name.name}")
    if name.style == "single":
        return Edit(name.span, new.replace("'", "''"))
    if name.style == "double":
        return Edit(name.span, quoted(new)[1:-1])
    if name.style == "cell":
        return Edit(name.span, cell_text(new))
    if name.style == "quoted-cell":
        return Edit(name.span, new.replace('"', '""'))
    return Edit(name.span, plain_or_quoted(new))
