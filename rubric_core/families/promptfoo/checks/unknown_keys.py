"""Keys that promptfoo does not know, and misspelt names in mappings whose keys are free."""

from collections.abc import Iterator, Sequence

from rubric_core.families.promptfoo.checks.identities import has_no_id
from rubric_core.families.promptfoo.checks.listed_entries import is_sentence, lacks_its_text
from rubric_core.families.promptfoo.checks.values import stands_below_vars
from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language import text_assertions as text
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import replace
from rubric_core.loading.issues import UnknownKey
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Entry, Mapping, Scalar
from rubric_core.validation.rule import Context, Finding, Fix, checks
from rubric_core.validation.rules.unknown_key import UNKNOWN_KEY, unknown_key

#: promptfoo stops without either of them.
_LISTS_OF_PROVIDERS = frozenset({"providers", "targets"})
_CATEGORIES = ("subset", "superset", "agree", "disagree", "differButFactual")
_IGNORED = "promptfoo ignores it"
_CONVERSATION = "conversationId"
_NO_CONVERSATION = "promptfoo takes it for no conversation: the case shares one with all others that name none"


@checks("promptfoo/unknown-key", "unknown-key", "warning", about_name=True)
def unknown_keys(issue: UnknownKey, context: Context) -> Iterator[Finding]:
    """A key that promptfoo does not know.

    promptfoo stops without some of the keys that were meant. A prompt that is a sentence, and an empty `vars`, are reported themselves.
    """
    slip = issue.meant is not None and is_typo(issue.name, issue.meant)
    if issue.shape is ConfiguredPrompt and lacks_its_text(issue.node):
        if not is_sentence(issue.node) or issue.meant is not None:
            yield unknown_key(issue, context, STOPS, "error")
        return
    if issubclass(issue.shape, PromptfooCase) and not slip and stands_below_vars(issue.node, issue.entry):
        return
    for found in UNKNOWN_KEY.check(issue, context):
        if found.severity is not None:
            yield found
        elif _stops(issue):
            yield replace(found, consequence=STOPS, severity="error")
        elif issue.shape is Configuration and issue.meant is None and not issue.inside:
            # Some authors keep notes under such keys.
            yield replace(found, severity="hint", tags=("unnecessary",))
        else:
            yield found


def _stops(issue: UnknownKey) -> bool:
    """Whether promptfoo stops because nothing else is what the key was to be."""
    if issue.shape is Configuration:
        present = {entry.name for entry in issue.node.entries} if isinstance(issue.node, Mapping) else set()
        return issue.meant in _LISTS_OF_PROVIDERS and present.isdisjoint(_LISTS_OF_PROVIDERS | {"<<", "$ref"})
    if issue.shape is ConfiguredProvider:
        return issue.meant == "id" and has_no_id(issue.node)
    return issue.shape is PromptfooCase and PromptfooCase.is_bare(issue.node)


@checks("promptfoo/nested-key", "invalid-value", borrowed=False)
def keys_in_assertion(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A misspelt key in a mapping under `value`, in `metadata` or in `factuality`."""
    node = _mapping(shape, "value")
    if node is None:
        return
    if isinstance(shape, text.IsXml | text.ContainsXml):
        if node.get("requiredElements") is None and node.get("$ref") is None and node.get("<<") is None:
            yield from _renamed(
                node.entries, ("requiredElements",), "XML assertions have no key", ROW_ERRORS, severity="error"
            )
    elif isinstance(shape, graded.MaxScore) and isinstance(weights := node.get("weights"), Mapping):
        for entry in weights.entries:
            if entry.name is not None and entry.name not in context.dialect.types:
                yield from _renamed([entry], sorted(context.dialect.types), "there is no assertion type", _IGNORED)


@checks("promptfoo/nested-key", "invalid-value", borrowed=False)
def keys_in_case(shape: PromptfooCase) -> Iterator[Finding]:
    """`conversationId` in the metadata, which no other spelling means."""
    node = _mapping(shape, "metadata")
    if node is None or node.get(_CONVERSATION) is not None:
        return
    for entry in node.entries:
        plain = (entry.name or "").replace("_", "").replace("-", "").lower()
        if plain in ("conversation", "conversations"):
            continue  # a word that teams have for their own data
        if plain == _CONVERSATION.lower() or is_typo(entry.name or "", _CONVERSATION):
            yield from _renamed([entry], (_CONVERSATION,), "promptfoo reads no metadata", _NO_CONVERSATION, always=True)


@checks("promptfoo/nested-key", "invalid-value")
def keys_in_options(shape: CaseOptions) -> Iterator[Finding]:
    """The categories of `factuality`, and `conversationId` in the metadata."""
    if shape.borrowed or not isinstance(shape.node, Mapping):
        return
    node = _mapping(shape, "factuality")
    if node is not None:
        yield from _slips(node, _CATEGORIES, "`factuality` has no category", "promptfoo takes the usual score")
    entry = shape.node.entry(_CONVERSATION)
    if entry is not None:
        words = f"`{_CONVERSATION}` stands under `metadata`, beside `options`"
        yield Finding(entry.key.span, words, severity="warning", consequence=_NO_CONVERSATION)


def _mapping(shape: Shape, field: str) -> Mapping | None:
    place = shape.places.get(field)
    node = place.node if place is not None and not place.borrowed else None
    return node if isinstance(node, Mapping) else None


def _slips(node: Mapping, known: Sequence[str], words: str, consequence: str) -> Iterator[Finding]:
    """Names that are almost a known one, which is not there itself."""
    lacking = [name for name in known if node.get(name) is None]
    yield from _renamed([e for e in node.entries if e.name not in known], lacking, words, consequence)


def _renamed(
    entries: Sequence[Entry],
    known: Sequence[str],
    words: str,
    consequence: str,
    *,
    severity: str = "warning",
    always: bool = False,
) -> Iterator[Finding]:
    for entry in entries:
        meant = closest(entry.name or "", known) or (known[0] if always else None)
        if meant is not None and isinstance(entry.key, Scalar):
            fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),)
            yield Finding(
                entry.key.span, f"{words} `{entry.name}`; did you mean `{meant}`?", fixes=fixes,
                severity="error" if severity == "error" else "warning", consequence=consequence,
            )  # fmt: skip
