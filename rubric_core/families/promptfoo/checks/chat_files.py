"""Messages in the files of prompts: misspelt keys and roles, which promptfoo sends as they are."""

from collections.abc import Iterator

from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = ["MESSAGE_REFUSED", "chat_faults", "roles_in_text"]

_KEYS = ("role", "content")
_ROLES = ("system", "user", "assistant", "developer", "tool", "function", "model")
#: What a message has beside these two with one vendor or another.
_OTHERS = frozenset({
    "name", "tool_calls", "tool_call_id", "tools", "parts", "type", "text", "refusal", "audio", "function_call", "cache_control", "id", "image",
})  # fmt: skip
_ROLE = pattern(r"\"role\"\s{0,9}:\s{0,9}\"([A-Za-z_]{1,40})\"")
MESSAGE_REFUSED = "promptfoo sends the message as it is; a model refuses it, and each row is an error"


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
