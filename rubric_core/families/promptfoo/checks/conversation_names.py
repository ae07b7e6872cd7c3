"""`_conversation`, the earlier turns that promptfoo gives to prompts: slips of its name, and members that no turn has."""

import re
from collections.abc import Callable, Iterator
from types import MappingProxyType

from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = ["CONVERSATION", "conversation_slips", "is_conversation"]

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
