"""Documents about a run: answer, prompt, the judge's reply, the trace."""

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, get_args

from rubric_core.evaluation.reporting.inline_marks import SIGNS
from rubric_core.evaluation.reporting.rows import case_row
from rubric_core.evaluation.reporting.transcript import request_text, requests_of
from rubric_core.evaluation.results.journal import json_text
from rubric_core.language.markdown import plain, plain_lines
from rubric_lsp.features.markdown import fenced

if TYPE_CHECKING:
    from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult

__all__ = ["KINDS", "Kind", "difference", "file_name", "reply", "sent", "trace"]

Kind = Literal["answer", "expected", "prompt", "reply", "trace", "report", "difference"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_ENDINGS = {"trace": "json", "report": "md", "reply": "md", "difference": "diff"}


def file_name(kind: Kind, case_id: str) -> str:
    """A file name for the document that shows its content and selects its highlighting."""
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in case_id)[:80]
    return f"{safe}.{kind}.{_ENDINGS.get(kind, 'txt')}"


def reply(result: "CaseResult", evaluator: str = "") -> str:
    """Replies of judges for a case, and their prompts; of one evaluator by its name, or of all.

    Empty if no judge was called.
    """
    found = [each for one in result.evaluators for each in one.flat()]
    chosen = [each for each in found if each.name == evaluator] or result.evaluators
    return "\n".join(line for one in chosen for each in one.flat() if each.was_judged for line in _reply(each))


def _reply(found: "EvaluatorResult") -> Iterator[str]:
    score = "no score" if found.score is None else f"{found.score:.2f}"
    yield f"# {plain(found.name)}: {SIGNS[found.verdict]} {score}"
    yield ""
    if found.judge:
        yield f"Judge: {plain(found.judge)}"
        yield ""
    for text in (found.reason, found.reasoning):
        if text:
            yield from (plain_lines(text), "")
    for criterion in found.criteria:
        yield from _criterion(criterion)
    for number, said in enumerate(found.raw_replies, start=1):
        yield from (f"## {_try(number, len(found.raw_replies), found)}", "", *_as_it_is(said), "")
    for name, told in (found.evaluator_raw_request or {}).items():
        if name.endswith("_prompt") and told:
            yield from (f"## {name.replace('_', ' ').capitalize()}", "", *_as_it_is(str(told)), "")


def _try(number: int, count: int, found: "EvaluatorResult") -> str:
    """The heading of a reply; the last one of an evaluator with a score counted."""
    if number == count and found.score is not None:
        return "The raw reply" if count == 1 else f"Try {number}, raw reply"
    return f"Try {number}, invalid"


def _as_it_is(text: str) -> Iterator[str]:
    """A text that is never rendered as Markdown."""
    yield from fenced(text, "json" if text.lstrip().startswith("{") else "text").split("\n")


def _criterion(found: "CriterionResult") -> Iterator[str]:
    raw = f" {found.raw}/10" if found.raw is not None else ""
    yield f"## {SIGNS[found.verdict]} {plain(found.label)}{raw}"
    yield ""
    for text in (found.outcome, f"Band: {found.band}" if found.band else "", found.reasoning or found.reason):
        if text:
            yield from (plain_lines(text), "")


def sent(result: "CaseResult") -> str:
    """The requests to targets, judges and programs as Markdown; empty without any."""
    lines = ["## What was sent", ""]
    for title, before, told, after in map(request_text, requests_of(result)):
        lines += [f"### {plain(title)}", ""]
        for sentence in before:
            lines += [plain(sentence), ""]
        for name, text in told:
            lines += [f"{plain(name)}:", "", *_as_it_is(text), ""]
        for sentence in after:
            lines += [plain(sentence), ""]
    return "\n".join(lines) if len(lines) > 2 else ""


def trace(result: "CaseResult") -> str:
    """The stored result of a run as JSON."""
    return json_text(case_row(result), indent=2) + "\n"


def difference(expected: str, answer: str) -> str:
    """A unified diff of the expected output and the answer."""
    lines = difflib.unified_diff(
        expected.splitlines(), answer.splitlines(), "expected_output", "answer", lineterm="", n=1_000
    )
    return "\n".join(lines) + "\n"
