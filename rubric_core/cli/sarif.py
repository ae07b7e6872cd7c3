"""Findings as SARIF 2.1.0, for code hosts and security dashboards."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rubric_core import __version__
from rubric_core.analysis import Language
from rubric_core.cli.check_result import LEFT_OUT, CheckedFile, CheckRound
from rubric_core.distribution import REPOSITORY
from rubric_core.text import Span
from rubric_core.validation.rule import Diagnostic, Fix, Rule

__all__ = ["sarif"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}

Json = dict[str, Any]


def sarif(done: CheckRound, language: Language) -> Json:
    """The log of one run."""
    codes = sorted({d.code for each in done.files for d in (*each.diagnostics, *each.ignored)})
    rules = [_rule(rule) for code in codes if (rule := language.rule(code)) is not None]
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    driver = {
        "name": "rubric",
        "version": __version__,
        "semanticVersion": __version__,
        # Addresses of this machine are useless to readers of the log.
        **({"informationUri": REPOSITORY} if REPOSITORY else {}),
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        # Columns count characters.
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(done.failures)],
        "results": [row for each in done.files for row in _results(each, numbers)],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule[Any]) -> Json:
    page = rule.page.read_text(encoding="utf-8") if rule.page.is_file() else rule.summary
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.summary},
        "help": {"text": rule.summary, "markdown": page},
        **({"helpUri": rule.url} if REPOSITORY else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _invocation(failures: Iterable[str]) -> Json:
    notes = [{"level": "error", "message": {"text": failure}} for failure in failures]
    return {"executionSuccessful": not notes, "toolExecutionNotifications": notes}


def _results(checked: CheckedFile, numbers: dict[str, int]) -> list[Json]:
    shown = [_result(checked, d, numbers) for d in checked.diagnostics]
    ignored = [{**_result(checked, d, numbers), "suppressions": [{"kind": "inSource"}]} for d in checked.ignored]
    return shown + ignored


def _result(checked: CheckedFile, found: Diagnostic, numbers: dict[str, int]) -> Json:
    result: Json = {
        "ruleId": found.code,
        "level": _LEVELS[found.severity],
        "message": {"text": found.in_full},
        "locations": [{"physicalLocation": _location(checked, found.span)}],
    }
    if found.code in numbers:
        result["ruleIndex"] = numbers[found.code]
    if found.related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _location(checked, r.span), "message": {"text": r.message}}
            for number, r in enumerate(found.related, 1)
        ]
    written = [_fix(checked, fix) for fix in found.fixes if fix.edits]
    if written:
        result["fixes"] = written
    left_out = [f"{fix.title} ({LEFT_OUT})" for fix in found.fixes if not fix.edits]
    if left_out:
        result["properties"] = {"fixesLeftOut": left_out}
    return result


def _fix(checked: CheckedFile, fix: Fix) -> Json:
    replacements = [
        {"deletedRegion": _region(checked, edit.span), "insertedContent": {"text": edit.new_text}} for edit in fix.edits
    ]
    change = {"artifactLocation": {"uri": _uri(checked.path)}, "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _location(checked: CheckedFile, span: Span) -> Json:
    return {"artifactLocation": {"uri": _uri(checked.path)}, "region": _region(checked, span)}


def _region(checked: CheckedFile, span: Span) -> Json:
    start, end = checked.document.range(span, "utf-32")
    return {
        "startLine": start.line + 1,
        "startColumn": start.character + 1,
        "endLine": end.line + 1,
        "endColumn": end.character + 1,
    }


def _uri(path: str) -> str:
    # The bytes of a name need not be UTF-8.
    return Path(path).as_uri() if Path(path).is_absolute() else quote(os.fsencode(Path(path).as_posix()))
