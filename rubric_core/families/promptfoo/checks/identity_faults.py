"""What is wrong with one id of a provider."""

from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.families.promptfoo.language.models import ANTHROPIC_MODEL
from rubric_core.families.promptfoo.language.provider_ids import KINDS_OF_VENDORS, VENDORS
from rubric_core.language.closest_name import closest
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Mapping, Node, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = [
    "BARE",
    "FILE_WITHOUT_URL",
    "MODELS",
    "WITHOUT_MODEL",
    "bare_id_faults",
    "id_of",
    "own_id_faults",
    "vendor_faults",
]

#: The id of a provider without a vendor that is not a file.
BARE = pattern(r"[A-Za-z](?:[\w.-]*[\w-])?(?<!\.js)(?<!\.ts)(?<!\.[cm][jt]s)(?<!\.[jt]sx)\Z")
#: The providers that need no model.
WITHOUT_MODEL = (
    "a2a", "browser", "echo", "http", "https", "llama", "mcp", "n8n", "openclaw", "opencode", "openinterpreter", "sequence", "slack",
    "websocket", "ws", "wss",
)  # fmt: skip
_VENDORS = (
    ("gpt-", "openai"), ("o1", "openai"), ("o3", "openai"), ("o4", "openai"), ("claude-", "anthropic:messages"), ("gemini-", "google"),
    ("mistral-", "mistral"), ("deepseek-", "deepseek"), ("grok-", "xai"),
)  # fmt: skip
#: What the names of known models begin with.
MODELS = tuple(start for start, _ in _VENDORS)
#: Vendors of which promptfoo makes no provider, with what to write in their place.
_NO_MODELS = MappingProxyType({
    "websocket": "write the address itself, as in `wss://HOST`", "bam": "IBM has ended this service; `watsonx` has its models",
})  # fmt: skip
#: An id with a vendor prefix; the drive of a Windows path is none.
_VENDOR = pattern(r"([A-Za-z][\w.-]+):")
#: `openai/gpt-4o` and `openai;gpt-4o`.
_OTHER_SIGN = pattern(r"([A-Za-z][\w.-]{0,60})[/;]([\w.:/;@-]{1,200})(?<!\.js)(?<!\.ts)(?<!\.[cm][jt]s)\Z")
#: A file without `file://`, which promptfoo takes for a provider in JavaScript alone.
FILE_WITHOUT_URL = pattern(r"[\w./-]{1,200}\.(?:py|rb|go|ya?ml|json)(?::\w{1,60})?\Z")
#: A name in words: an id with a blank has a colon or a path in it.
_IN_WORDS = pattern(r"[A-Za-z][^:/\\{}$]{0,200} [^:/\\{}$]{0,200}(?<!\.js)(?<!\.ts)(?<!\.[cm][jt]s)\Z")


def id_of(node: Node | None) -> Scalar | None:
    """The id of a provider, if it is a text; a block scalar is not."""
    inner = node.get("id") if isinstance(node, Mapping) else node
    if not isinstance(inner, Scalar) or not isinstance(inner.value, str) or inner.is_block:
        return None
    # What stands before a template is known.
    return inner if "{{" not in inner.text or _VENDOR.match(inner.text) else None


def vendor_faults(node: Scalar, consequence: str) -> Iterator[Finding]:
    """An id whose vendor, or whose kind of model, promptfoo does not have."""
    if FILE_WITHOUT_URL.match(node.text):
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
    if vendor in _NO_MODELS:
        yield from _no_model(node, vendor, rest, consequence)
        return
    kinds = KINDS_OF_VENDORS.get(vendor)
    kind, colon, model = rest.partition(":")
    if vendor == "anthropic" and not colon and "{{" not in rest and rest and not _is_of_anthropic(rest.strip()):
        yield _unknown_model(node, rest, consequence)
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


def _unknown_model(node: Scalar, name: str, consequence: str) -> Finding:
    """A name behind `anthropic:` that promptfoo takes for none of its models."""
    vendor = next((vendor for start, vendor in _VENDORS if name.startswith(start)), "anthropic:messages")
    words = f"promptfoo does not know the model `{name}` of Anthropic; did you mean `{vendor}:{name}`?"
    fixes = _changed(node, f"{vendor}:{name}")
    return Finding(node.span, words, fixes=fixes, severity="error", consequence=consequence)


def _is_of_anthropic(name: str) -> bool:
    """Whether a name without a kind of model is one, or a kind, or a slip of a kind, which is reported elsewhere."""
    kinds = KINDS_OF_VENDORS["anthropic"]
    return name.startswith(kinds.names) or name in kinds.foreign or ANTHROPIC_MODEL.match(name) is not None


def _no_model(node: Scalar, vendor: str, rest: str, consequence: str) -> Iterator[Finding]:
    """An id of a vendor that is gone, or that takes no model."""
    is_address = rest.startswith(("ws://", "wss://"))
    meant = rest if is_address else ""
    advice = f"; did you mean `{meant}`?" if meant else f": {_NO_MODELS[vendor]}"
    fixes = _changed(node, meant) if meant else ()
    yield Finding(
        node.span,
        f"promptfoo has no provider `{node.text}`{advice}",
        fixes=fixes,
        severity="error",
        consequence=consequence,
    )


def _other_sign(node: Scalar, vendor: str, rest: str, consequence: str) -> Iterator[Finding]:
    """An id with another sign in the place of the first colon."""
    known = vendor if vendor in VENDORS else closest(vendor, VENDORS)
    meant = f"{known}:{rest}" if known else ""
    advice = f"; did you mean `{meant}`?" if meant else ": the id of a model begins with its vendor and a colon"
    fixes = _changed(node, meant) if meant else ()
    yield Finding(node.span, f"promptfoo has no provider `{node.text}`{advice}", fixes=fixes, consequence=consequence)


def own_id_faults(node: Scalar) -> Iterator[Finding]:
    """An id that has to be one: nothing else has it for a label."""
    if BARE.match(node.text) and not FILE_WITHOUT_URL.match(node.text):
        yield from bare_id_faults(node)
    elif _IN_WORDS.match(node.text):
        vendor, _, model = node.text.lower().partition(" ")
        meant = f"{vendor}:{'-'.join(model.split())}" if vendor in VENDORS else ""
        advice = (
            f"; did you mean `{meant}`?" if meant else ": an id has no spaces; write your own name for it as `label`"
        )
        words = f"promptfoo has no provider `{node.text}`{advice}"
        yield Finding(node.span, words, fixes=_changed(node, meant) if meant else (), consequence=STOPS)
    else:
        yield from vendor_faults(node, STOPS)


def bare_id_faults(node: Scalar, consequence: str = STOPS) -> Iterator[Finding]:
    """An id without a vendor: `gpt-4o` in place of `openai:gpt-4o`."""
    if node.text in WITHOUT_MODEL:
        return
    vendor = next((vendor for start, vendor in _VENDORS if node.text.startswith(start)), "")
    meant = f"{vendor}:{node.text}" if vendor else closest(node.text, WITHOUT_MODEL)
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
