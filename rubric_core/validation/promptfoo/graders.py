"""Mappings of graders, and of the provider of a case, that name no provider (issue 18, section 2)."""

from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.language.closest_name import closest
from rubric_core.language.misnomers import field_called
from rubric_core.language.promptfoo import graded_assertions as graded
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions, PromptfooCase
from rubric_core.language.promptfoo.configuration import ConfiguredProvider
from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.language.promptfoo.provider_ids import GRADER_ROLES, VENDORS
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Entry, Mapping, Scalar
from rubric_core.validation.rule import Finding, Fix, Severity

__all__ = ["case_providers_without_id", "grader_roles"]

#: Keys that bring an id, or that a merge may bring.
_WITH_ID = frozenset({"id", "<<", "$ref"})
#: Names of roles elsewhere, without `_` and in lower case.
_CALLED = MappingProxyType({
    "llm": "text", "chat": "text", "completion": "text", "judge": "text", "grader": "text", "model": "text", "embed": "embedding",
    "embedder": "embedding", "embeddingmodel": "embedding", "classifier": "classification", "moderator": "moderation",
})  # fmt: skip
#: The role that assertions ask for. Those with several, or with a service of their own, are left out.
_ROLE_OF = MappingProxyType({
    graded.SimilarText: "embedding", graded.Classifier: "classification", graded.Moderation: "moderation", graded.ModelRubric: "text",
    graded.Factuality: "text", graded.ClosedQa: "text", graded.GEval: "text", graded.ContextRecall: "text", graded.ContextRelevance: "text",
    graded.ContextFaithfulness: "text", graded.ConversationRelevance: "text",
})  # fmt: skip
_NO_ROLE = "promptfoo makes each row that needs this role an error"
_NO_GRADER = "promptfoo makes each row that a model grades an error"


def grader_roles(shape: Assertion | CaseOptions) -> Iterator[Finding]:
    """A mapping of graders that has neither an id nor the roles that are needed."""
    place = shape.places.get("provider")
    node = place.node if place is not None and not place.borrowed else None
    if not isinstance(node, Mapping) or any(entry.name in (None, *_WITH_ID) for entry in node.entries):
        return
    names = {entry.name for entry in node.entries}
    if names.isdisjoint(GRADER_ROLES) and not any(_role_like(entry) for entry in node.entries):
        yield from _without_id(node, shape)
        return
    slips = [(entry, meant) for entry in node.entries if (meant := _intended_role(entry, node)) is not None]
    for entry, meant in slips:
        fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),)
        words = f"a grader has no role `{entry.name}`; did you mean `{meant}`?"
        yield Finding(entry.key.span, words, fixes=fixes, severity="warning", consequence=_NO_ROLE)
    role = _ROLE_OF.get(type(shape)) if isinstance(shape, Assertion) else None
    if role is not None and role not in names and not slips and place is not None:
        words = f"this assertion needs a grader of the role `{role}`, or one with `id`"
        yield Finding(place.key, words, severity="error", consequence=ROW_ERRORS)


def case_providers_without_id(shape: PromptfooCase) -> Iterator[Finding]:
    """A mapping under `provider` of a case that tells no provider; that of `defaultTest` may be one of graders."""
    place = shape.places.get("provider")
    node = place.node if place is not None and not place.borrowed else None
    if not isinstance(node, Mapping) or not {entry.name for entry in node.entries}.isdisjoint(
        (*_WITH_ID, *GRADER_ROLES)
    ):
        return
    if not any(closest(entry.name or "", ("id",)) for entry in node.entries):
        yield _lacking_id(
            node, "the provider of a case", "warning", "promptfoo ignores it and calls the configured providers"
        )


def _role_like(entry: Entry) -> bool:
    return closest(entry.name or "", GRADER_ROLES) is not None


def _intended_role(entry: Entry, graders: Mapping) -> str | None:
    """The role that a key is a slip of, or that others call so, if it is not there itself."""
    name = entry.name or ""
    if name in GRADER_ROLES:
        return None
    meant = _CALLED.get(name.replace("_", "").lower()) or closest(name, GRADER_ROLES)
    return meant if meant is not None and graders.get(meant) is None else None


def _without_id(node: Mapping, shape: Assertion | CaseOptions) -> Iterator[Finding]:
    if any(closest(entry.name or "", ("id",)) for entry in node.entries):
        return  # it is reported as a misspelt key
    is_certain = type(shape) in _ROLE_OF
    what = "the model that grades"
    yield _lacking_id(node, what, "error" if is_certain else "warning", ROW_ERRORS if is_certain else _NO_GRADER)


def _lacking_id(node: Mapping, what: str, severity: Severity, consequence: str) -> Finding:
    """At the key that is meant for `id`, if there is one."""
    called = next((entry for entry in node.entries if _means_id(entry)), None)
    if called is None:
        at = node.entries[0].key.span if node.entries else node.span
        return Finding(at, f"{what} needs `id`", severity=severity, consequence=consequence)
    vendor = called.value.text.partition(":")[0] if isinstance(called.value, Scalar) else ""
    fixes = (Fix("change it to `id`", (rename_key(called, "id"),), safe=vendor in VENDORS),)
    words = f"{what} has no key `{called.name}`; did you mean `id`?"
    return Finding(called.key.span, words, fixes=fixes, severity=severity, consequence=consequence)


def _means_id(entry: Entry) -> bool:
    return isinstance(entry.value, Scalar) and field_called(ConfiguredProvider, entry.name or "") == "id"
