"""Bodies of requests that are JSON as text, into which a prompt is filled in without quotes."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.prompt_paths import path_sign
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.json_templates import tokens
from rubric_core.validation.promptfoo.suite import PromptEntry, PromptfooSuite
from rubric_core.validation.rule import Finding, Fix

__all__ = ["prompts_without_quotes"]

_PROMPT = pattern(r"\{\{-?[ \t]{0,9}prompt[ \t]{0,9}-?\}\}")
_IDS = ("http", "https")
#: A text that no JSON begins with.
_WORDS = pattern(r"\s{0,9}(?!(?:true|false|null)\b)[A-Za-z]")
#: What may make JSON of the prompt.
_MADE_ELSEWHERE = ("request", "transformRequest", "multipart")


def prompts_without_quotes(suite: PromptfooSuite) -> Iterator[Finding]:
    """`{"q": {{prompt}}}`, where every prompt is a plain text: what is sent is no JSON."""
    text = suite.frame.text
    if "{{" not in text or "prefix" in text or not suite.has_static_lists or not _are_words(suite.prompts):
        return
    for provider in suite.providers:
        place = provider.shape.places.get("config") if provider.shape is not None else None
        settings = place.node if place is not None and not place.borrowed else None
        if not isinstance(settings, Mapping) or not (
            provider.id in _IDS or provider.id.startswith(("http:", "https:"))
        ):
            continue
        entry = settings.entry("body")
        if entry is None or any(settings.get(name) is not None for name in _MADE_ELSEWHERE):
            continue
        if isinstance(entry.value, Scalar) and _is_bare_in(entry.value):
            yield _unquoted(suite, entry.key.span, entry.value)


def _are_words(prompts: tuple[PromptEntry, ...] | None) -> bool:
    """Whether every prompt is a text that begins with a word."""
    return bool(prompts) and all(
        isinstance(each.node, Scalar) and _WORDS.match(each.text) is not None and not path_sign(each.text)
        for each in prompts or ()
    )


def _is_bare_in(body: Scalar) -> bool:
    """Whether a text is JSON into which the prompt is filled in as a value."""
    if not isinstance(body.value, str) or "{%" in body.text or not _PROMPT.search(body.text):
        return False
    before = ""
    for each in tokens(body.text):
        if not before and each["sign"] not in ("{", "["):
            return False
        if each.lastgroup == "shown" and before in (":", ",", "[") and _PROMPT.fullmatch(each["shown"]):
            return True
        before = each[each.lastgroup or 0]
    return False


def _unquoted(suite: PromptfooSuite, key: Span, body: Scalar) -> Finding:
    """The finding at the placeholder, or at the key where it is there more than once."""
    places = list(_PROMPT.finditer(suite.frame.text, *body.span))
    words = "the prompt is a text, which JSON has in quotes; write `{{ prompt | dump }}`"
    at, fixes = key, tuple[Fix, ...]()
    if len(places) == 1:
        at = Span(*places[0].span())
        fixes = (Fix("write `{{ prompt | dump }}`", (Edit(suite.frame.outer(at), "{{ prompt | dump }}"),), safe=False),)
    effect = "the service gets broken JSON"
    return Finding(suite.frame.outer(at), words, fixes=fixes, severity="warning", consequence=effect)
