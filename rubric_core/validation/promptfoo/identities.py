"""Ids of providers that promptfoo cannot make a provider of (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.closest_name import closest
from rubric_core.language.misnomers import field_called
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions, PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration
from rubric_core.language.promptfoo.consequences import ROW_ERRORS, STOPS
from rubric_core.language.promptfoo.provider import ConfiguredProvider, ProviderInFile
from rubric_core.language.promptfoo.provider_ids import GRADER_ROLES, KINDS_OF_VENDORS, VENDORS
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL
from rubric_core.syntax.ancestors import line_start
from rubric_core.syntax.edit import quoted, rename_key
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.exec_commands import shell_signs
from rubric_core.validation.promptfoo.provider_settings import grader_keys, settings_of
from rubric_core.validation.rule import Finding, Fix

__all__ = ["case_ids", "configured_ids", "filed_ids", "grader_ids"]

#: The id of a provider without a vendor that is not a file.
_BARE = pattern(r"[A-Za-z](?:[\w.-]*[\w-])?(?<!\.js)(?<!\.ts)(?<!\.[cm][jt]s)(?<!\.[jt]sx)\Z")
#: The providers that need no model.
_WITHOUT_MODEL = (
    "a2a", "browser", "echo", "http", "https", "llama", "mcp", "n8n", "openclaw", "opencode", "openinterpreter", "sequence", "slack",
    "websocket", "ws", "wss",
)  # fmt: skip
_VENDORS = (
    ("gpt-", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"), ("claude-", "anthropic:messages"), ("gemini-", "google"),
    ("mistral-", "mistral"), ("deepseek-", "deepseek"), ("grok-", "xai"),
)  # fmt: skip
_MODELS = tuple(start for start, _ in _VENDORS)
#: An id with a vendor prefix; the drive of a Windows path is none.
_VENDOR = pattern(r"([A-Za-z][\w.-]+):")
#: `openai/gpt-4o` and `openai;gpt-4o`.
_OTHER_SIGN = pattern(r"([A-Za-z][\w.-]{0,60})[/;]([\w.:/;@-]{1,200})(?<!\.js)(?<!\.ts)(?<!\.[cm][jt]s)\Z")
#: A file without `file://`, which promptfoo takes for a provider in JavaScript alone.
_FILE = pattern(r"[\w./-]{1,200}\.(?:py|rb|go|ya?ml|json)(?::\w{1,60})?\Z")
#: A program with the name of a function.
_WITH_FUNCTION = pattern(r".{1,300}\.(?:[cm]?[jt]s|py):[^:/\\]{1,100}\Z")
#: A name in words: an id with a blank has a colon or a path in it.
_IN_WORDS = pattern(r"[A-Za-z][^:/\\{}$]{0,200} [^:/\\{}$]{0,200}(?<!\.js)(?<!\.ts)(?<!\.[cm][jt]s)\Z")
#: What brings an id, and the keys of a list entry besides it.
_WITH_ID = frozenset({"id", "<<", "$ref"})
_BESIDE_ID = frozenset({"label", "config", "prompts", "transform", "delay", "env", "inputs"})
#: The kinds of models for which a grader may have its own provider.
_NO_ROLE = "promptfoo grades with its default model, or makes the row an error"


def configured_ids(shape: Configuration, text: str) -> Iterator[Finding]:
    """The providers of a configuration in a text."""
    if isinstance(shape.node, Mapping) and not shape.has("providers") and not shape.has("targets"):
        for entry in shape.node.entries:
            if entry.name in ("providers", "targets"):
                yield Finding(entry.key.span, f"`{entry.name}` is empty: promptfoo needs a provider", consequence=STOPS)
    for field in ("providers", "targets"):
        place = shape.places.get(field)
        if place is None or place.borrowed:
            continue
        for item in place.node.items if isinstance(place.node, Sequence) else [place.node]:
            node = _id_of(item)
            if node is not None:
                yield from _own_id(node)
            elif isinstance(item, Mapping) and (named := _named_by_key(item)) is not None:
                yield from _by_key(*named)
            elif isinstance(item, Mapping) and _lacks_id(item) and not any(map(_means_id, item.entries)):
                at = item.entries[0].key.span if item.entries else item.span
                # Without a dash on its line, the key before this one is still being typed.
                if item.flow or "-" in text[line_start(text, at.start) : at.start]:
                    yield Finding(at, "a provider of the list needs `id`", consequence=STOPS)


def filed_ids(shape: ProviderInFile) -> Iterator[Finding]:
    """A provider in a file, in which promptfoo replaces every `file://` by the content of the file."""
    place = shape.places.get("id")
    identity = place.node if place is not None and not place.borrowed else None
    if isinstance(identity, Scalar) and identity.text.startswith(URL):
        yield from _inlined_id(identity)
    elif (node := _id_of(identity)) is not None:
        yield from _own_id(node)
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
    if not _BARE.match(node.text) or _FILE.match(node.text):
        yield from _with_vendor(node, STOPS)
    elif node.text not in _WITHOUT_MODEL:
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
        node = _id_of(each)
        if node is not None and not _FILE.match(node.text):  # it is taken for a label
            yield from _with_vendor(node, ROW_ERRORS)
            if each is not place.node and node.text.startswith(_MODELS):
                yield from _bare(node, ROW_ERRORS)
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
    return field_called(ConfiguredProvider, name) == "id" or closest(name, ("id", *_BESIDE_ID)) == "id"


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
    if isinstance(key.value, str) and "{{" not in key.text and not _FILE.match(key.text):
        yield from _with_vendor(key, STOPS)
        yield from settings_of(key.text, below.get("config"))


def _id_in(shape: Shape, field: str) -> Scalar | None:
    place = shape.places.get(field)
    return None if place is None or place.borrowed else _id_of(place.node)


def _id_of(node: Node | None) -> Scalar | None:
    """The id of a provider, if it is a text; a block scalar is not."""
    inner = node.get("id") if isinstance(node, Mapping) else node
    if not isinstance(inner, Scalar) or not isinstance(inner.value, str) or inner.is_block:
        return None
    # What stands before a template is known.
    return inner if "{{" not in inner.text or _VENDOR.match(inner.text) else None


def _with_vendor(node: Scalar, consequence: str) -> Iterator[Finding]:
    """An id whose vendor, or whose kind of model, promptfoo does not have, and signs of a shell in a command."""
    yield from shell_signs(node)
    if _FILE.match(node.text):
        at = node.span.start + node.is_quoted
        fix = Fix("write file:// in front", (Edit(Span(at, at), "file://"),), safe=False)
        yield Finding(node.span, "a provider in a file begins with file://", fixes=(fix,), consequence=consequence)
        return
    other = _OTHER_SIGN.match(node.text)
    if other is not None:
        yield from _other_sign(node, other[1], other[2], consequence)
        return
    found = _VENDOR.match(node.text)
    if found is None:
        return
    vendor, rest = found[1], node.text[found.end() :]
    if vendor not in VENDORS:
        meant = closest(vendor, VENDORS)
        written = f"{meant}:{rest}"
        # A vendor that is like no other may be one of a later release.
        yield Finding(
            node.span, f"promptfoo has no vendor `{vendor}`" + (f"; did you mean `{written}`?" if meant else ""),
            fixes=_changed(node, written) if meant else (), severity="error" if meant else "warning", consequence=consequence,
        )  # fmt: skip
        return
    kinds = KINDS_OF_VENDORS.get(vendor)
    kind, colon, model = rest.partition(":")
    if kinds is None or kind in kinds.names or not (colon or kinds.needed) or "{{" in kind:
        return
    alike = closest(kind, kinds.names) if colon else None
    if colon and kind in kinds.foreign:
        alike = kinds.names[0]
    written = f"{vendor}:{alike}:{model}" if alike else f"{vendor}:{kinds.names[0]}:{rest}"
    if kinds.needed or alike:
        yield Finding(
            node.span, f"`{vendor}` has no models of the kind `{kind}`; did you mean `{written}`?", fixes=_changed(node, written),
            severity="error" if kinds.stops else "warning",
            consequence=consequence if kinds.stops else f"promptfoo asks for a chat model called `{model}`",
        )  # fmt: skip


def _other_sign(node: Scalar, vendor: str, rest: str, consequence: str) -> Iterator[Finding]:
    """An id with another sign in the place of the first colon."""
    known = vendor if vendor in VENDORS else closest(vendor, VENDORS)
    meant = f"{known}:{rest}" if known else ""
    advice = f"; did you mean `{meant}`?" if meant else ": the id of a model begins with its vendor and a colon"
    fixes = _changed(node, meant) if meant else ()
    yield Finding(node.span, f"promptfoo has no provider `{node.text}`{advice}", fixes=fixes, consequence=consequence)


def _own_id(node: Scalar) -> Iterator[Finding]:
    """An id that has to be one: nothing else has it for a label."""
    if _BARE.match(node.text) and not _FILE.match(node.text):
        yield from _bare(node)
    elif _IN_WORDS.match(node.text):
        vendor, _, model = node.text.lower().partition(" ")
        meant = f"{vendor}:{'-'.join(model.split())}" if vendor in VENDORS else ""
        advice = (
            f"; did you mean `{meant}`?" if meant else ": an id has no spaces; write your own name for it as `label`"
        )
        words = f"promptfoo has no provider `{node.text}`{advice}"
        yield Finding(node.span, words, fixes=_changed(node, meant) if meant else (), consequence=STOPS)
    else:
        yield from _with_vendor(node, STOPS)


def _bare(node: Scalar, consequence: str = STOPS) -> Iterator[Finding]:
    """An id without a vendor: `gpt-4o` in place of `openai:gpt-4o`."""
    if node.text in _WITHOUT_MODEL:
        return
    vendor = next((vendor for start, vendor in _VENDORS if node.text.startswith(start)), "")
    meant = f"{vendor}:{node.text}" if vendor else closest(node.text, _WITHOUT_MODEL)
    advice = (
        f"; did you mean `{meant}`?"
        if meant
        else ": the id of a model begins with its vendor, as in `openai:gpt-5-mini`"
    )
    fixes = _changed(node, meant) if meant else ()
    yield Finding(node.span, f"promptfoo has no provider `{node.text}`{advice}", fixes=fixes, consequence=consequence)


def _changed(node: Scalar, meant: str) -> tuple[Fix, ...]:
    edit = Edit(node.span, quoted(meant) if node.is_quoted else meant)
    return (Fix(f"change it to `{meant}`", (edit,), safe=False),)
