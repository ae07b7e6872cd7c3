"""Mistakes in the files of prompts, reported where a configuration names them (issue 18, section 2)."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import PurePath

from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.reference_issues import PromptFileText
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Span
from rubric_core.validation.promptfoo.chat_files import MESSAGE_REFUSED, chat_faults, roles_in_text
from rubric_core.validation.promptfoo.json_templates import json_fault
from rubric_core.validation.promptfoo.template_errors import broken_statements
from rubric_core.validation.promptfoo.templates import LEFT_OPEN, SENT_AS_IS, half_written
from rubric_core.validation.rule import Context, Finding

__all__ = ["faults_in_file"]

#: A statement or a comment that is not inside of a text.
_BETWEEN = pattern(r"^[ \t]{0,40}\{[%#]", re.MULTILINE)
#: Longer files are not checked, and no more mistakes of one are reported.
_LONGEST, _MOST = 100_000, 3
_DATA = (".json", ".yaml", ".yml")
_SHOWN = pattern(r"\{\{[^{}]{0,500}\}\}")
#: What becomes of placeholders that are none.
_AS_TEXT = (SENT_AS_IS, LEFT_OPEN, MESSAGE_REFUSED)
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
        found += (replace(each, severity="error") for each in half_written(node, inner))
    errors = [each for each in found if each.severity == "error"]
    fault = _fault_of_data(prompt) if not errors else ""
    if fault:
        yield Finding(prompt.span, f"{prompt.name} is no {fault}", consequence=_REFUSED)
    else:
        errors += _in_chats(prompt)
    for each in sorted(errors, key=lambda each: each.span)[:_MOST]:
        line = prompt.text.count("\n", 0, each.span.start) + 1
        severity = None if each.consequence in _AS_TEXT else each.severity
        yield replace(
            each, span=prompt.span, message=f"{prompt.name}, line {line}: {each.message}", fixes=(), severity=severity
        )


def _in_chats(prompt: PromptFileText) -> Iterator[Finding]:
    """Misspelt keys and roles of messages; a file of lines has a chat on each."""
    suffix = PurePath(prompt.name).suffix.lower()
    if suffix == ".json" and "{%" in prompt.text:
        yield from roles_in_text(prompt.text)
    if suffix in _DATA:
        tree = parse(prompt.text)
        yield from chat_faults(tree.root) if not tree.problems else ()
        return
    at = 0
    for line in prompt.text.splitlines(keepends=True) if suffix == ".jsonl" else ():
        if line.lstrip().startswith("["):
            tree = parse(line)
            found = chat_faults(tree.root) if not tree.problems else ()
            yield from (replace(each, span=each.span.moved(at)) for each in found)
        at += len(line)


def _texts(prompt: PromptFileText) -> Iterator[Scalar]:
    """The texts of data, which are filled in one by one; else the whole file."""
    if PurePath(prompt.name).suffix.lower() in _DATA:
        tree = parse(prompt.text)
        if not tree.problems and tree.root is not None:
            yield from (n for n in walk(tree.root) if isinstance(n, Scalar) and isinstance(n.value, str))
            return
    whole = Span(0, len(prompt.text))
    yield Scalar(whole, whole, None, None, prompt.text, "literal")


def _fault_of_data(prompt: PromptFileText) -> str:
    """What keeps a file from being what its name says, whatever is filled in; empty where its template may mend that."""
    suffix = PurePath(prompt.name).suffix.lower()
    if suffix == ".json":
        is_whole = "{%" not in prompt.text and "{#" not in prompt.text
        return _json_fault(prompt) if is_whole else _fault_between(prompt)
    return _yaml_fault(prompt) if suffix in _DATA and not _BETWEEN.search(prompt.text) else ""


def _yaml_fault(prompt: PromptFileText) -> str:
    broken = next((each for each in parse(prompt.text).problems if each.kind == "syntax"), None)
    if broken is None:
        return ""
    return f"YAML: line {prompt.text.count(chr(10), 0, broken.span.start) + 1}: {broken.message}"


def _fault_between(prompt: PromptFileText) -> str:
    fault = json_fault(prompt.text) if "{% raw" not in prompt.text and "{%- raw" not in prompt.text else None
    return f"JSON: line {prompt.text.count(chr(10), 0, fault.offset) + 1}: {fault.words}" if fault is not None else ""


def _json_fault(prompt: PromptFileText) -> str:
    # As long as the template, so that lines and columns stay.
    text = _SHOWN.sub(lambda found: "0" + " " * (len(found[0]) - 1), prompt.text)
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return f"JSON: line {error.lineno}: {error.msg.lower()}" if "{{" not in text else ""
    except (ValueError, RecursionError):
        return ""
    return ""
