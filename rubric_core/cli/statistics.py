"""`--statistics`: the number of findings per code."""

from collections.abc import Iterable

from rubric_core.analysis import Language
from rubric_core.cli.check_result import CheckedFile
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.fixing import safe_fix
from rubric_core.lazy_compilation import dataclass
from rubric_core.validation.rule import SEVERITIES, Severity

__all__ = ["as_rows", "table"]


@dataclass(slots=True)
class _Amount:
    code: str
    severity: Severity
    count: int = 0
    fixable: int = 0


def _amounts(files: Iterable[CheckedFile]) -> list[_Amount]:
    """The most frequent first."""
    amounts: dict[str, _Amount] = {}
    for found in (d for each in files for d in each.diagnostics):
        amount = amounts.setdefault(found.code, _Amount(found.code, found.severity))
        amount.severity = min(amount.severity, found.severity, key=SEVERITIES.index)
        amount.count += 1 + found.more
        amount.fixable += bool(safe_fix(found)) + found.more_fixable
    return sorted(amounts.values(), key=lambda a: (-a.count, a.code))


def as_rows(files: Iterable[CheckedFile], language: Language) -> list[dict[str, object]]:
    """The same as plain data."""
    return [
        {
            "code": a.code,
            "severity": a.severity,
            "count": a.count,
            "fixable": a.fixable,
            "summary": _summary(a, language),
        }
        for a in _amounts(files)
    ]


def table(files: Iterable[CheckedFile], language: Language, style: TerminalStyle) -> str:
    """A line for each code; fixable codes are marked."""
    amounts = _amounts(files)
    widths = [
        max((len(f(a)) for a in amounts), default=0)
        for f in (lambda a: str(a.count), lambda a: a.code, lambda a: a.severity)
    ]
    return "\n".join(_line(a, widths, language, style) for a in amounts)


def _line(amount: _Amount, widths: list[int], language: Language, style: TerminalStyle) -> str:
    number = str(amount.count).rjust(widths[0])
    code = style.paint(amount.code.ljust(widths[1]), "bold")
    severity = style.paint(amount.severity.ljust(widths[2]), amount.severity)
    fixable = f"  ({'all' if amount.fixable == amount.count else amount.fixable} fixable)" if amount.fixable else ""
    return f"{number}  {code}  {severity}  {_summary(amount, language)}{style.paint(fixable, 'good')}"


def _summary(amount: _Amount, language: Language) -> str:
    rule = language.rule(amount.code)
    return rule.summary if rule is not None else ""
