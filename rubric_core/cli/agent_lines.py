"""Findings for a coding agent: a line each, with what to do about it."""

from collections.abc import Iterable, Iterator

from rubric_core.cli.check_result import CheckedFile
from rubric_core.control_characters import mask, mask_name
from rubric_core.fixing import safe_fix
from rubric_core.validation.rule import Diagnostic

__all__ = ["agent_lines"]


def agent_lines(files: Iterable[CheckedFile]) -> Iterator[str]:
    """One line per finding: `file:line:column severity[code] message | consequence | fix (safe): title`.

    Lines and columns are 1-based; columns count characters.
    """
    return (_line(each, diagnostic) for each in files for diagnostic in each.diagnostics)


def _line(checked: CheckedFile, found: Diagnostic) -> str:
    start, _ = checked.document.range(found.span, "utf-32")
    parts = [found.repeated, found.consequence]
    if found.fixes:
        parts.append(f"fix{' (safe)' if safe_fix(found) else ''}: {found.advice}")
    words = " | ".join(" ".join(part.split()) for part in parts if part)
    return mask(
        f"{mask_name(checked.path)}:{start.line + 1}:{start.character + 1} {found.severity}[{found.code}] {words}"
    )
