"""Mistakes in the files of prompts, reported where a configuration names them (issue 18, section 2)."""

import json
from collections.abc import Callable, Iterator
from pathlib import PurePath

from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.reference_issues import PromptFileText
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Span
from rubric_core.validation.promptfoo.template_errors import broken_statements
from rubric_core.validation.rule import Context, Finding

__all__ = ["faults_in_file"]

#: Longer files are not checked, and no more mistakes of one are reported.
_LONGEST, _MOST = 100_000, 3
_DATA = (".json", ".yaml", ".yml")
_SHOWN = pattern(r"\{\{[^{}]{0,500}\}\}")
_REFUSED = "promptfoo sends it as text; to a chat model each row is an error"


def faults_in_file(
    prompt: PromptFileText, context: Context, filters: Callable[[Span, Context, str], Iterator[Finding]]
) -> Iterator[Finding]:
    """What makes each row with a prompt an error. `filters` finds those that there are not."""
    if len(prompt.text) > _LONGEST:
        return
    inner, found = replace(context, text=prompt.text), list[Finding]()
    for node in _texts(prompt):
        found += broken_statements(node, inner, is_value=False)
        found += filters(node.span, inner, ROW_ERRORS)
    errors = [each for each in found if each.severity == "error"]
    for each in errors[:_MOST]:
        line = prompt.text.count("\n", 0, each.span.start) + 1
        yield replace(each, span=prompt.span, message=f"{prompt.name}, line {line}: {each.message}", fixes=())
    fault = _json_fault(prompt) if not errors else ""
    if fault:
        yield Finding(prompt.span, f"{prompt.name} is no JSON: {fault}", consequence=_REFUSED)


def _texts(prompt: PromptFileText) -> Iterator[Scalar]:
    """The texts of data, which are filled in one by one; else the whole file."""
    if PurePath(prompt.name).suffix.lower() in _DATA:
        tree = parse(prompt.text)
        if not tree.problems and tree.root is not None:
            yield from (n for n in walk(tree.root) if isinstance(n, Scalar) and isinstance(n.value, str))
            return
    whole = Span(0, len(prompt.text))
    yield Scalar(whole, whole, None, None, prompt.text, "literal")


def _json_fault(prompt: PromptFileText) -> str:
    """The syntax error of a JSON file whatever its templates render to; empty if statements may fix it."""
    if PurePath(prompt.name).suffix.lower() != ".json" or "{%" in prompt.text or "{#" in prompt.text:
        return ""
    # As long as the template, so that lines and columns stay.
    text = _SHOWN.sub(lambda found: "0" + " " * (len(found[0]) - 1), prompt.text)
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg.lower()}" if "{{" not in text else ""
    except (ValueError, RecursionError):
        return ""
    return ""
