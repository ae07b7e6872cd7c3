"""Chats in prompts: their messages, JSON with template statements, and `_conversation`, the turns before."""

import re
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import NamedTuple

from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = [
    "CONVERSATION",
    "MESSAGE_REFUSED",
    "JsonFault",
    "chat_faults",
    "conversation_slips",
    "is_conversation",
    "json_fault",
    "roles_in_text",
    "tokens",
]

_KEYS = ("role", "content")
_ROLES = ("system", "user", "assistant", "developer", "tool", "function", "model")
#: What a message has beside these two with one vendor or another.
_OTHERS = frozenset({
    "name", "tool_calls", "tool_call_id", "tools", "parts", "type", "text", "refusal", "audio", "function_call", "cache_control", "id", "image",
})  # fmt: skip
_ROLE = pattern(r"\"role\"\s{0,9}:\s{0,9}\"([A-Za-z_]{1,40})\"")
MESSAGE_REFUSED = "promptfoo sends the message as it is; a model refuses it, and each row is an error"
#: Its groups: a statement or comment, what is filled in, a string, a sign, another value, anything else.
_TOKEN = pattern(
    r"\s*(?:(?P<statement>\{%[^%]{0,999}%\}|\{#[^#]{0,999}#\})|(?P<shown>\{\{[^{}]{0,999}\}\})"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.){0,20000}\")|(?P<sign>[{}\[\],:])|(?P<word>-?[\w.+-]{1,99})|(?P<other>\S))"
)
_WORD = pattern(r"\{%-?\s{0,99}(\w{1,20})")
#: Statements with an end, their branches, and the ends.
_BLOCKS, _BRANCHES = frozenset({"if", "for"}), frozenset({"else", "elif", "elseif"})
_ENDS = frozenset({"endif", "endfor"})
_CLOSED_BY = MappingProxyType({"[": "]", "{": "}"})
_VALUES = frozenset({"string", "word"})
CONVERSATION = "_conversation"
#: What each turn has.
_MEMBERS = ("prompt", "input", "output", "metadata")
_LOOP = pattern(r"\{%-?\s{0,9}for\s{1,9}([A-Za-z_]\w{0,40})\s{1,9}in\s{1,9}([A-Za-z_]\w{0,40})")
_ITEM = pattern(r"\b_conversation\[[^\[\]\n]{1,60}\]\.([A-Za-z_]\w{0,40})")
#: Their names in other tools.
_CALLED = MappingProxyType(
    {"answer": "output", "response": "output", "reply": "output", "question": "input", "user": "input"}
)
#: More loops than any prompt has.
_MOST = 20


def chat_faults(root: Node | None, text: str, *, least: int = 1) -> Iterator[Finding]:
    """What no model takes in a list of messages; nothing for a list of anything else.

    Args:
        root: The list.
        text: The text of its tree.
        least: How many messages have to have a role and a content, so that a list is one of messages.
    """
    items = root.items if isinstance(root, Sequence) else []
    messages = [item for item in items if isinstance(item, Mapping)]
    if len(messages) < len(items) or not any(_is_message(each) for each in messages):
        return
    if least > 1 and sum(set(_KEYS) <= {entry.name for entry in each.entries} for each in messages) < least:
        return
    for message in messages:
        present = {entry.name for entry in message.entries}
        yield from (found for entry in message.entries for found in _key(entry, present, text))
        role = message.get("role")
        if (
            isinstance(role, Scalar)
            and isinstance(role.value, str)
            and role.text not in _ROLES
            and "{" not in role.text
        ):
            meant = closest(role.text.lower(), _ROLES)
            if meant is not None:
                words = f"there is no role `{role.text}`; did you mean `{meant}`?"
                yield Finding(role.span, words, fixes=_changed(role, meant, text), consequence=MESSAGE_REFUSED)


def _is_message(item: Mapping) -> bool:
    """Whether a mapping is a message, of whose two keys one may be misspelt."""
    names = {entry.name or "" for entry in item.entries}
    lacking = [key for key in _KEYS if key not in names]
    return not lacking or (
        len(lacking) == 1 and any(is_typo(name, lacking[0]) for name in names if name not in _OTHERS)
    )


def roles_in_text(text: str) -> Iterator[Finding]:
    """Misspelt roles in JSON with statements between its messages."""
    for found in _ROLE.finditer(text):
        meant = closest(found[1].lower(), _ROLES) if found[1] not in _ROLES else None
        if meant is not None:
            words, at = f"there is no role `{found[1]}`; did you mean `{meant}`?", Span(*found.span(1))
            fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),)
            yield Finding(at, words, fixes=fixes, consequence=MESSAGE_REFUSED)


def _key(entry: Entry, present: set[str | None], text: str) -> Iterator[Finding]:
    name = entry.name
    if name is None or name in _KEYS or name in _OTHERS:
        return
    meant = closest(name, tuple(key for key in _KEYS if key not in present))
    if meant is not None:
        yield _no_key(entry, meant, text)


def _no_key(entry: Entry, meant: str, text: str) -> Finding:
    words = f"a message has no key `{entry.name}`; did you mean `{meant}`?"
    fixes = _changed(entry.key, meant, text) if isinstance(entry.key, Scalar) else ()
    return Finding(entry.key.span, words, fixes=fixes, consequence=MESSAGE_REFUSED)


def _changed(word: Scalar, meant: str, text: str) -> tuple[Fix, ...]:
    """A fix for a word, if it is written without escapes."""
    at = Span(word.span.start + word.is_quoted, word.span.end - word.is_quoted)
    return (Fix(f"change it to `{meant}`", (Edit(at, meant),)),) if text[at.start : at.end] == word.text else ()


class JsonFault(NamedTuple):
    """What is wrong, and where it shows."""

    words: str
    offset: int


def json_fault(text: str) -> JsonFault | None:
    """The first pair of neighbours that no JSON has, whatever the statements make of it."""
    at, before, start = 0, "", 0
    while (found := _TOKEN.match(text, at)) is not None:
        kind = found.lastgroup or ""
        sign = found["sign"] if kind == "sign" else ""
        here = found.start(kind)
        if kind == "other":
            return JsonFault(
                "a string has no end" if found[kind] == '"' else f"`{found[kind]}` is not expected here", here
            )
        fault = _between(before, "value" if kind in _VALUES else sign, text[here : found.end()])
        if fault:
            return JsonFault(fault, start if fault.startswith("a comma") else here)
        # What is filled in may be anything, several values included.
        before = sign or ("value" if kind in _VALUES else "")
        at, start = found.end(), here
    return _unclosed(text) if not text[at:].strip() else None


def tokens(text: str) -> Iterator[re.Match[str]]:
    """The tokens of JSON with template statements between them; the group of each that matched says what it is."""
    at = 0
    while (found := _TOKEN.match(text, at)) is not None:
        yield found
        at = found.end()


def _unclosed(text: str) -> JsonFault | None:
    """A bracket that nothing closes, in whatever way the statements go.

    Nothing is known of branches and loops that open or close more than they have, nor of other statements.
    """
    outer: list[str] = []
    #: The brackets that are open in each statement around.
    inner: list[list[str]] = []
    for found in tokens(text):
        kind = found.lastgroup or ""
        open_here = inner[-1] if inner else outer
        if kind == "statement" and found[kind].startswith("{%"):
            word = _WORD.match(found[kind])
            name = word[1] if word is not None else ""
            if name not in _BLOCKS | _BRANCHES and name not in _ENDS and (name != "set" or "=" not in found[kind]):
                return None
            if (name in _ENDS or name in _BRANCHES) and (not inner or inner[-1]):
                return None
            if name in _ENDS:
                inner.pop()
            elif name in _BLOCKS:
                inner.append([])
        elif kind == "sign" and found[kind] in _CLOSED_BY:
            open_here.append(found[kind])
        elif kind == "sign" and found[kind] in _CLOSED_BY.values():
            if not open_here or _CLOSED_BY[open_here[-1]] != found[kind]:
                is_certain = not inner and (bool(outer) or not text[found.end() :].strip())
                missing = f"`{_CLOSED_BY[open_here[-1]]}` is missing before" if open_here else ""
                words = f"{missing} `{found[kind]}`" if missing else f"`{found[kind]}` closes nothing"
                return JsonFault(words, found.start(kind)) if is_certain else None
            open_here.pop()
    if not outer or inner:
        return None
    return JsonFault(f"`{_CLOSED_BY[outer[-1]]}` is missing at the end", len(text.rstrip()) - 1)


def _between(before: str, after: str, written: str) -> str:
    """What is wrong between two neighbours; nothing is known of an empty one."""
    if not before or not after:
        return ""
    ends, begins = before in ("value", "}", "]"), after in ("value", "{", "[")
    if ends and begins:
        return f"a comma or a colon is missing before `{written[:20]}`"
    if before in (",", ":", "{", "[") and after in (",", ":"):
        return f"`{after}` is not expected here"
    if before in (",", ":") and after in ("}", "]"):
        return f"a value is missing before `{after}`"
    return ""


def conversation_slips(
    text: str, span: Span, known: frozenset[str], outer: Callable[[Span], Span]
) -> Iterator[Finding]:
    """What is misspelt about the conversation in a prompt.

    Args:
        text: The text that contains the prompt.
        span: The place of the prompt in it.
        known: The variables of the cases.
        outer: Maps spans of the text to spans of the findings.
    """
    if text.find("conversation", *span) < 0 and text.find(" in ", *span) < 0:
        return
    turns: set[str] = set()
    for number, loop in enumerate(_LOOP.finditer(text, *span)):
        if number >= _MOST:
            break
        if loop[2] == CONVERSATION:
            turns.add(loop[1])
        elif loop[2] not in known and is_conversation(loop[2]):
            turns.add(loop[1])
            at = outer(Span(*loop.span(2)))
            fixes = (Fix(f"change it to `{CONVERSATION}`", (Edit(at, CONVERSATION),)),)
            words = f"no case has a value for `{loop[2]}`; did you mean `{CONVERSATION}`?"
            yield Finding(at, words, fixes=fixes, consequence="the loop has no turns")
    members = [_ITEM, *(_member_of(name) for name in sorted(turns))]
    for member in members:
        for found in member.finditer(text, *span):
            if found[1] in _MEMBERS:
                continue
            meant = closest(found[1], _MEMBERS) or _CALLED.get(found[1])
            at = outer(Span(*found.span(1)))
            change = (Fix(f"change it to `{meant}`", (Edit(at, meant),), safe=False),) if meant else ()
            advice = f"; did you mean `{meant}`?" if meant else f"; it has {', '.join(_MEMBERS)}"
            words = f"a turn of the conversation has no `{found[1]}`{advice}"
            yield Finding(at, words, fixes=change, consequence="promptfoo fills in nothing")


def is_conversation(name: str) -> bool:
    """Whether a name is a slip of `_conversation`, which is reported where a template goes through it."""
    return is_typo(name, CONVERSATION) or name == "conversations"


def _member_of(name: str) -> "re.Pattern[str]":
    """A member of a turn in a template, by the name that a loop gives to turns."""
    return re.compile(rf"\{{[{{%][^{{}}]{{0,200}}?(?<![\w.]){re.escape(name)}\.([A-Za-z_]\w{{0,40}})")
