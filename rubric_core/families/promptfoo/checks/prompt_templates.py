"""Mistakes in prompts: in chats of a configuration, and in files, there or where a configuration names them."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import NamedTuple

from rubric_core.families.promptfoo.checks.chats import (
    MESSAGE_REFUSED,
    chat_faults,
    conversation_slips,
    is_conversation,
    json_fault,
    roles_in_text,
)
from rubric_core.families.promptfoo.checks.judge_prompts import FILLED_IN, slips_of_judges
from rubric_core.families.promptfoo.checks.mapping_members import missing_members
from rubric_core.families.promptfoo.checks.placeholders import (
    LEFT_OPEN,
    SENT_AS_IS,
    STAYS_IN_TEXT,
    foreign_placeholders,
    half_written,
    member_of_variables,
)
from rubric_core.families.promptfoo.checks.script_names import place_in_code
from rubric_core.families.promptfoo.checks.shown_mappings import shown_in
from rubric_core.families.promptfoo.checks.suite import texts_of
from rubric_core.families.promptfoo.checks.template_errors import SIGNS, STAYS, broken_filters, broken_statements
from rubric_core.families.promptfoo.checks.templates import UsedName, names_in
from rubric_core.families.promptfoo.checks.variable_names import GIVEN
from rubric_core.families.promptfoo.checks.variables import EMPTY, below_vars, is_slip
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS
from rubric_core.language.closest_name import closest
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.reference_issues import PromptFileText
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Scalar, Sequence, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, Severity, checks

#: A statement or a comment that is not inside of a text.
_BETWEEN = pattern(r"^[ \t]{0,40}\{[%#]", re.MULTILINE)
#: Longer files are not checked, and no more mistakes of one are reported at its reference.
_LONGEST, _MOST = 100_000, 3
_DATA = (".json", ".yaml", ".yml")
#: So many messages with a role and a content make a template one of a chat.
_LEAST = 2
_STATEMENT = pattern(r"\{%[^{}%]{0,500}%\}")
#: A comma that only a statement divides from the next one.
_COMMA = pattern(r",(?=\s{0,500},)")
_RAW = pattern(r"\{%-?\s{0,9}(?:raw|verbatim)\b")
_SHOWN = pattern(r"\{\{[^{}]{0,500}\}\}")
#: A prompt that is a list of messages.
_CHAT = pattern(r"\s{0,99}\[\s{0,99}\{[^{}]{0,99}\"(?:role|content)\"")
_TOKEN = pattern(r"\"(?:[^\"\\\n]|\\.){0,200}\"?|[\w.+-]{1,99}|\S")
#: What becomes of placeholders that are none.
_AS_TEXT = (SENT_AS_IS, LEFT_OPEN, MESSAGE_REFUSED)
_REFUSED = "promptfoo sends it as text; to a chat model each row is an error"


class _DataFault(NamedTuple):
    """What keeps a file from being JSON or YAML, and where it shows."""

    format: str
    span: Span
    words: str


@checks("promptfoo/prompt-file", "broken-template", "warning", signs=SIGNS)
def faults_in_file(prompt: PromptFileText, context: Context) -> Iterator[Finding]:
    """A prompt file with broken JSON or YAML, a broken template, or misspelt keys or roles in its messages."""
    if len(prompt.text) > _LONGEST:
        return
    inner = replace(context, text=prompt.text)

    def errors_in(nodes: Iterable[Scalar]) -> Iterator[Finding]:
        for node in nodes:
            yield from broken_statements(node, inner, is_value=prompt.is_of_judges)
            yield from broken_filters(node.span, inner, of_judges=prompt.is_of_judges)
            half = half_written(node, inner, is_rendered=prompt.is_of_judges)
            yield from (replace(each, severity="error") for each in half)

    def severity_of(found: Finding) -> Severity | None:
        if found.consequence == STAYS_IN_TEXT:
            return "warning"
        return None if found.consequence in _AS_TEXT else found.severity

    errors = [each for each in errors_in(_texts(prompt)) if each.severity == "error" or each.consequence == STAYS]
    if prompt.is_of_judges and errors and not any(e.consequence == ROW_ERRORS for e in errors_in([_whole(prompt)])):
        # Where one text of JSON cannot be rendered by itself, promptfoo renders the whole.
        errors = [each for each in errors if each.consequence != ROW_ERRORS]
    fault = _fault_of_data(prompt) if not errors else None
    if fault is not None:
        yield _of_data(fault, prompt)
    else:
        errors += _in_chats(prompt)
    told = (replace(each, severity=severity_of(each)) for each in errors)
    if prompt.is_own:
        yield from told
        return
    for each in sorted(told, key=lambda each: each.span)[:_MOST]:
        words = f"{prompt.name}, line {_line(prompt, each.span.start)}: {each.message}"
        yield replace(each, span=prompt.span, message=words, fixes=())


@checks("promptfoo/chat-prompt", "broken-template", "warning", signs=SIGNS, borrowed=False)
def broken_chats(configuration: Configuration, context: Context) -> Iterator[Finding]:
    """Chat messages in an inline prompt that are invalid JSON, or have an unknown role or key."""
    for node, _ in texts_of(configuration):
        yield from _faults_of_chat(node, context.text)


def _faults_of_chat(node: Scalar, text: str) -> Iterator[Finding]:
    """What is wrong with messages in JSON that stand in the configuration itself, whose `text` that is."""
    if not _CHAT.match(node.text) or len(node.text) > _LONGEST:
        return
    prompt = PromptFileText(span=node.span, name="messages.json", text=node.text, is_own=True, use=DefinedNames())
    fault = _fault_of_data(prompt)
    for found in (_of_data(fault, prompt),) if fault is not None else _in_chats(prompt):
        at = place_in_code(node, text, found.span.start, found.span.end - found.span.start)
        edits = [edit for fix in found.fixes for edit in fix.edits]
        places = [place_in_code(node, text, edit.span.start, edit.span.end - edit.span.start) for edit in edits]
        fixes = tuple(
            replace(fix, edits=(Edit(place, fix.edits[0].new_text),))
            for fix, place in zip(found.fixes, places, strict=False)
            if place is not None and len(edits) == len(found.fixes)
        )
        yield replace(found, span=at or node.span, fixes=fixes)


@checks("promptfoo/undefined-variable", "undefined-variable", "warning", awaits="entry", about_name=True)
def undefined_in_file(prompt: PromptFileText) -> Iterator[Finding]:
    """Names without a value in any case of the configurations that name the file, each where it is used first."""
    if not prompt.is_own or prompt.use is None or prompt.use.variables is None:
        return
    of_judges, known, every = prompt.is_of_judges, prompt.use.variables, names_in(prompt.text)
    known = known | FILLED_IN if of_judges else known
    used: dict[str, list[UsedName]] = {}
    for each in slips_of_judges(every, known) if of_judges else every:
        is_open = prompt.use.is_open and not is_slip(each.name, known)
        if (
            each.name not in known
            and each.name not in GIVEN
            and (not each.optional or (each.repeated and not is_conversation(each.name)))
            and not is_open
        ):
            used.setdefault(each.name, []).append(each)
    whose = "nothing" if of_judges else "no case"
    for name, places in used.items():
        member = member_of_variables(prompt.text, places[0].span.start, known)
        if member is not None:
            yield below_vars(member[0], prompt.text[slice(*member[0])], member[1])
            continue
        meant = closest(name, sorted(known))
        edits = tuple(Edit(each.span, meant) for each in places) if meant else ()
        fixes = (Fix(f"change it to `{meant}`", edits),) if edits else ()
        advice = f"; did you mean `{meant}`?" if meant else ""
        yield Finding(places[0].span, f"{whose} has a value for `{name}`{advice}", fixes=fixes, consequence=EMPTY)
    if not of_judges:
        use = prompt.use
        yield from missing_members(prompt.text, use.mappings, use.members, slips_only=use.is_open)
    if len(prompt.text) <= _LONGEST and not of_judges:
        whole = Span(0, len(prompt.text))
        yield from foreign_placeholders(
            prompt.text, whole, known - GIVEN, lambda span: span, in_file=True, asserted=prompt.use.asserted
        )
        yield from conversation_slips(prompt.text, whole, known, lambda span: span)


@checks("promptfoo/shown-mapping", "variable-value", "warning")
def objects_in_file(prompt: PromptFileText) -> Iterator[Finding]:
    """A mapping that a prompt inserts by its name alone, or hands to a filter for text."""
    is_told = prompt.is_own and not prompt.is_of_judges
    maps = prompt.use.mappings if is_told and prompt.use is not None else frozenset[str]()
    if maps and prompt.use is not None:
        yield from shown_in(prompt.text, maps, prompt.use.filters or ())


def _of_data(fault: _DataFault, prompt: PromptFileText) -> Finding:
    if prompt.is_own:
        return Finding(fault.span, f"this is no {fault.format}: {fault.words}", consequence=_REFUSED)
    words = f"{prompt.name} is no {fault.format}: line {_line(prompt, fault.span.start)}: {fault.words}"
    return Finding(prompt.span, words, consequence=_REFUSED)


def _line(prompt: PromptFileText, offset: int) -> int:
    return prompt.text.count("\n", 0, offset) + 1


def _in_chats(prompt: PromptFileText) -> Iterator[Finding]:
    """Misspelt keys and roles of messages; a file of lines has a chat on each."""
    suffix = PurePath(prompt.name).suffix.lower()
    if suffix in _DATA:
        tree = parse(prompt.text)
        if not tree.problems:
            yield from chat_faults(tree.root, prompt.text)
        elif "{%" in prompt.text:
            yield from _between_statements(prompt)
        return
    at = 0
    for line in prompt.text.splitlines(keepends=True) if suffix == ".jsonl" else ():
        if line.lstrip().startswith("["):
            tree = parse(line)
            found = chat_faults(tree.root, line) if not tree.problems else ()
            yield from (replace(each, span=each.span.moved(at)) for each in found)
        at += len(line)


def _between_statements(prompt: PromptFileText) -> Iterator[Finding]:
    """The messages of a template with statements between them; the roles of JSON, whatever else is in it."""
    roles = list(roles_in_text(prompt.text)) if prompt.name.lower().endswith(".json") else []
    yield from roles
    # As long as the template, so that places stay.
    filled = _STATEMENT.sub(lambda found: " " * len(found[0]), prompt.text)
    filled = _SHOWN.sub(lambda found: "1" * len(found[0]), filled)
    filled = _COMMA.sub(" ", filled)
    tree = parse(filled) if not _RAW.search(prompt.text) else None
    if tree is not None and not tree.problems and isinstance(tree.root, Sequence):
        for found in chat_faults(tree.root, filled, least=_LEAST):
            if not any(found.span.start <= each.span.start < found.span.end for each in roles):
                yield found


def _texts(prompt: PromptFileText) -> Iterator[Scalar]:
    """The texts of data, which are filled in one by one; else the whole file, as the YAML for judges is."""
    if PurePath(prompt.name).suffix.lower() in (_DATA[:1] if prompt.is_of_judges else _DATA):
        tree = parse(prompt.text)
        if not tree.problems and tree.root is not None:
            yield from (n for n in walk(tree.root) if isinstance(n, Scalar) and isinstance(n.value, str))
            return
    yield _whole(prompt)


def _whole(prompt: PromptFileText) -> Scalar:
    whole = Span(0, len(prompt.text))
    return Scalar(whole, whole, None, None, prompt.text, "literal")


def _fault_of_data(prompt: PromptFileText) -> _DataFault | None:
    """What keeps a file from being what its name says, whatever is filled in; None where its template may mend that."""
    suffix = PurePath(prompt.name).suffix.lower()
    if suffix == ".json":
        is_whole = "{%" not in prompt.text and "{#" not in prompt.text
        return _json_fault(prompt.text) if is_whole else _fault_between(prompt.text)
    return _yaml_fault(prompt.text) if suffix in _DATA and not _BETWEEN.search(prompt.text) else None


def _yaml_fault(text: str) -> _DataFault | None:
    broken = next((each for each in parse(text).problems if each.kind == "syntax"), None)
    return _DataFault("YAML", broken.span, broken.message) if broken is not None else None


def _fault_between(text: str) -> _DataFault | None:
    fault = json_fault(text) if "{% raw" not in text and "{%- raw" not in text else None
    return _DataFault("JSON", _token(text, fault.offset), fault.words) if fault is not None else None


def _token(text: str, offset: int) -> Span:
    """What is at an offset of JSON: a string, a word or a sign."""
    found = _TOKEN.match(text, offset)
    return Span(*found.span()) if found is not None else Span(offset, offset)


def _json_fault(text: str) -> _DataFault | None:
    # As long as the template, so that lines and columns stay.
    filled = _SHOWN.sub(lambda found: "1" * len(found[0]), text)
    try:
        json.loads(filled, strict=False)
    except json.JSONDecodeError as error:
        if "{{" in filled:
            return None
        if text.strip() and error.pos >= len(filled.rstrip()):
            return _DataFault(
                "JSON", Span(len(text.rstrip()) - 1, len(text.rstrip())), "it ends before a bracket is closed"
            )
        if error.msg.startswith("Expecting ',' delimiter"):
            end = len(filled[: error.pos].rstrip())
            return _DataFault("JSON", Span(end - 1, end), f"a comma is missing behind `{text[end - 1]}`")
        return _DataFault("JSON", _token(text, error.pos), error.msg.lower())
    except (ValueError, RecursionError):
        return None
    return None
