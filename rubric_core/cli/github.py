"""Findings as commands of a GitHub Actions workflow, which shows them on the lines of a pull request."""

from collections.abc import Iterable, Iterator

from rubric_core.cli.check_result import CheckedFile
from rubric_core.control_characters import mask
from rubric_core.validation.rule import Diagnostic

__all__ = ["commands"]

_COMMANDS = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}


def commands(files: Iterable[CheckedFile]) -> Iterator[str]:
    """One line for each finding."""
    return (_command(each, diagnostic) for each in files for diagnostic in each.diagnostics)


def _command(checked: CheckedFile, found: Diagnostic) -> str:
    start, end = checked.document.range(found.span, "utf-32")
    places: dict[str, object] = {"file": checked.path, "line": start.line + 1, "endLine": end.line + 1}
    if start.line == end.line:
        # GitHub takes columns within one line only.
        places |= {"col": start.character + 1, "endColumn": end.character + 1}
    places["title"] = found.code
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items())
    return f"::{_COMMANDS[found.severity]} {properties}::{_text(found.in_full)}"


def _text(value: str) -> str:
    return mask(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _text(value).replace(":", "%3A").replace(",", "%2C")
