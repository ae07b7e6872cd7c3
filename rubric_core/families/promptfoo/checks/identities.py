"""The places of a promptfoo configuration that name a provider, and ids there of which promptfoo cannot make one."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.identity_faults import (
    BARE,
    FILE_WITHOUT_URL,
    MODELS,
    WITHOUT_MODEL,
    bare_id_faults,
    id_of,
    own_id_faults,
    vendor_faults,
)
from rubric_core.families.promptfoo.checks.provider_settings import grader_keys, settings_of
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.catalogue import MISNOMERS
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider, ProviderInFile
from rubric_core.families.promptfoo.language.provider_ids import GRADER_ROLES, VENDORS
from rubric_core.families.promptfoo.loading.case_files import DATA
from rubric_core.language.closest_name import closest
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL
from rubric_core.syntax.ancestors import line_start
from rubric_core.syntax.edit import quoted, rename_key
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["has_no_id"]

#: A program with the name of a function.
_WITH_FUNCTION = pattern(r".{1,300}\.(?:[cm]?[jt]s|py):[^:/\\]{1,100}\Z")
#: What brings an id, and the keys of a list entry besides it.
_WITH_ID = frozenset({"id", "<<", "$ref"})
_BESIDE_ID = frozenset({"label", "config", "prompts", "transform", "delay", "env", "inputs"})
#: The kinds of models for which a grader may have its own provider.
_NO_ROLE = "promptfoo grades with its default model, or makes the row an error"


@checks("promptfoo/provider-id", "invalid-value")
def configured_ids(shape: Configuration, context: Context) -> Iterator[Finding]:
    """An id of which promptfoo cannot create a provider, or a provider without an id."""
    if isinstance(shape.node, Mapping) and not shape.has("providers") and not shape.has("targets"):
        for entry in shape.node.entries:
            if entry.name in ("providers", "targets"):
                yield Finding(entry.key.span, f"`{entry.name}` is empty: promptfoo needs a provider", consequence=STOPS)
    for field in ("providers", "targets"):
        place = shape.places.get(field)
        if place is None or place.borrowed:
            continue
        for item in place.node.items if isinstance(place.node, Sequence) else [place.node]:
            node = id_of(item)
            if node is not None:
                yield from own_id_faults(node)
            elif isinstance(item, Mapping) and (named := _named_by_key(item)) is not None:
                yield from _by_key(*named)
            elif isinstance(item, Mapping) and _lacks_id(item) and not any(map(_means_id, item.entries)):
                at = item.entries[0].key.span if item.entries else item.span
                # Without a dash on its line, the key before this one is still being typed.
                if item.flow or "-" in context.text[line_start(context.text, at.start) : at.start]:
                    yield Finding(at, "a provider of the list needs `id`", consequence=STOPS)


@checks("promptfoo/provider-id", "invalid-value")
def filed_ids(shape: ProviderInFile) -> Iterator[Finding]:
    """A provider in a file, in which promptfoo replaces every `file://` by the content of the file."""
    place = shape.places.get("id")
    identity = place.node if place is not None and not place.borrowed else None
    if isinstance(identity, Scalar) and identity.text.startswith(URL):
        # A lone name stands for the provider that is described in the file.
        yield from () if identity is shape.node and identity.text.endswith(DATA) else _inlined_id(identity)
    elif (node := id_of(identity)) is not None:
        yield from own_id_faults(node)
    prompts = shape.places.get("prompts")
    for each in prompts.node.items if prompts is not None and isinstance(prompts.node, Sequence) else ():
        if isinstance(each, Scalar) and each.text.startswith(URL):
            words = "in a file of providers, promptfoo puts the text of this prompt here; write its label, or `prompts` in the configuration"
            yield Finding(each.span, words, consequence="this provider gets no prompt: its cases do not run")


def _inlined_id(node: Scalar) -> Iterator[Finding]:
    """A program is named with its function here, or by the kind of program; other files are replaced by their text."""
    name = node.text.removeprefix(URL)
    if _WITH_FUNCTION.match(name):
        return
    fixes: tuple[Fix, ...] = ()
    advice = "write the id of the provider itself"
    if name.endswith(".py"):
        advice = f"write `python:{name}`"
        fixes = (Fix(advice, (Edit(node.span, quoted(f"python:{name}") if node.is_quoted else f"python:{name}"),)),)
    words = f"in a file of providers, promptfoo puts the text of this file here; {advice}"
    yield Finding(node.span, words, fixes=fixes, consequence=STOPS)


@checks("promptfoo/provider-id", "invalid-value")
def case_ids(shape: PromptfooCase) -> Iterator[Finding]:
    """The `provider` of a case, or of `defaultTest`: promptfoo creates it anew, so a label is not enough."""
    yield from _scoring_function(shape)
    place = shape.places.get("provider")
    if place is not None and not place.borrowed and isinstance(place.node, Mapping):
        yield from grader_keys(place.node)
        yield from _without_id(place.node)
    node = _id_in(shape, "provider")
    if node is None:
        return
    if not BARE.match(node.text) or FILE_WITHOUT_URL.match(node.text):
        yield from vendor_faults(node, STOPS)
    elif node.text not in WITHOUT_MODEL:
        words = f"promptfoo has no provider `{node.text}`: `provider` of a case is an id; a label stands in the list `providers`"
        yield Finding(node.span, words, consequence=STOPS)


def _without_id(provider: Mapping) -> Iterator[Finding]:
    """A mapping that names no provider; that of `defaultTest` may be one of graders. Slips of `id` are reported themselves."""
    names = [entry.name or "" for entry in provider.entries]
    if not _WITH_ID.union(GRADER_ROLES).isdisjoint(names) or any(closest(name, ("id",)) for name in names):
        return
    called = next((e for e in provider.entries if _means_id(e) and isinstance(e.value, Scalar)), None)
    at = called.key.span if called is not None else provider.entries[0].key.span if names else provider.span
    words, fixes = "the provider of a case needs `id`", tuple[Fix, ...]()
    if called is not None:
        words = f"the provider of a case has no key `{called.name}`; did you mean `id`?"
        vendor = called.value.text.partition(":")[0] if isinstance(called.value, Scalar) else ""
        fixes = (Fix("change it to `id`", (rename_key(called, "id"),), safe=vendor in VENDORS),)
    consequence = "promptfoo ignores it and calls the configured providers"
    yield Finding(at, words, fixes=fixes, severity="warning", consequence=consequence)


def _scoring_function(shape: PromptfooCase) -> Iterator[Finding]:
    place = shape.places.get("scoring")
    node = place.node if place is not None and not place.borrowed else None
    if (
        isinstance(node, Scalar)
        and isinstance(node.value, str)
        and not node.text.startswith(("file://", "package:", "{{"))
    ):
        at = node.span.start + node.is_quoted
        fixes = () if node.is_block else (Fix("write file:// in front", (Edit(Span(at, at), "file://"),), safe=False),)
        yield Finding(
            node.span, "a scoring function is a file that begins with file://", fixes=fixes, consequence=STOPS
        )


@checks("promptfoo/grader", "invalid-value")
def grader_ids(shape: Assertion | CaseOptions) -> Iterator[Finding]:
    """The models that grade: an id, a mapping with one, or one for each role. Labels are checked with the whole suite."""
    place = shape.places.get("provider")
    if place is None or place.borrowed:
        return
    inner = [place.node]
    if isinstance(place.node, Mapping) and place.node.get("id") is None:
        inner = [each for role in GRADER_ROLES if (each := place.node.get(role)) is not None]
        yield from _misspelt_roles(place.node)
        inner = inner or [place.node]
    for each in inner:
        node = id_of(each)
        if node is not None and not FILE_WITHOUT_URL.match(node.text):  # it is taken for a label
            yield from vendor_faults(node, ROW_ERRORS)
            if each is not place.node and node.text.startswith(MODELS):
                yield from bare_id_faults(node, ROW_ERRORS)
        if isinstance(each, Mapping):
            yield from grader_keys(each)


def _misspelt_roles(node: Mapping) -> Iterator[Finding]:
    for entry in node.entries:
        meant = closest(entry.name, GRADER_ROLES) if entry.name is not None and entry.name not in GRADER_ROLES else None
        if meant is not None and isinstance(entry.key, Scalar) and node.get(meant) is None:
            at = entry.key.span
            fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),)
            words = f"a grader has no role `{entry.name}`; did you mean `{meant}`?"
            yield Finding(at, words, fixes=fixes, severity="warning", consequence=_NO_ROLE)


def _lacks_id(node: Mapping) -> bool:
    """Whether a list entry has no id, or none with a value. A mapping's only key is an id itself."""
    identity = node.get("id")
    is_empty = isinstance(identity, Scalar) and identity.value is None and identity.style != "hole"
    return is_empty or has_no_id(node)


def has_no_id(node: Node | None) -> bool:
    """Whether nothing tells which provider an entry of the list is."""
    names = {entry.name for entry in node.entries} if isinstance(node, Mapping) else {"id"}
    if isinstance(node, Mapping) and len(node.entries) == 1 and "config" not in names:
        return not (isinstance(node.entries[0].value, Mapping | Alias) or names & _WITH_ID)
    return names.isdisjoint(_WITH_ID)


def _means_id(entry: Entry) -> bool:
    """Whether a key is a slip of `id`, or what others call so, which is reported."""
    name = entry.name or ""
    if name == "id" or name in _BESIDE_ID:
        return False
    return MISNOMERS.field_called(ConfiguredProvider, name) == "id" or closest(name, ("id", *_BESIDE_ID)) == "id"


def _named_by_key(node: Mapping) -> tuple[Scalar, Mapping] | None:
    """The key of an entry that is an id, with its value; None for an entry of another form."""
    entry = node.entries[0] if len(node.entries) == 1 else None
    if (
        entry is None
        or entry.name == "config"
        or not isinstance(entry.value, Mapping)
        or not isinstance(entry.key, Scalar)
    ):
        return None
    return None if entry.name in ("<<", "$ref") or entry.value.get("id") is not None else (entry.key, entry.value)


def _by_key(key: Scalar, below: Mapping) -> Iterator[Finding]:
    if isinstance(key.value, str) and "{{" not in key.text and not FILE_WITHOUT_URL.match(key.text):
        yield from vendor_faults(key, STOPS)
        yield from settings_of(key.text, below.get("config"))


def _id_in(shape: Shape, field: str) -> Scalar | None:
    place = shape.places.get(field)
    return None if place is None or place.borrowed else id_of(place.node)
