"""Settings of providers by HTTP that stop the run, or make no request (issue 18, section 2)."""

from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.language.closest_name import is_typo
from rubric_core.language.promptfoo.consequences import ROW_ERRORS, STOPS
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted, rename_key
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = ["http_settings"]

_IDS = ("http", "https")
#: What may stand in the place of a body, or bring it.
_BODIES = frozenset({"body", "multipart", "request", "<<", "$ref"})
#: Other names of the body.
_CALLED_BODY = ("form", "data", "json", "payload", "params")
#: Other names of settings, which promptfoo does not read.
_CALLED = MappingProxyType({"retries": "maxRetries", "maxRetry": "maxRetries", "query": "queryParams"})
_TEXTS = ("headers", "queryParams")
#: An address without its scheme: a path, or a host.
_PATH = pattern(r"/(?!/)[^\s{}]{0,300}\Z")
_LOCAL = pattern(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?=[:/]|\Z)")
_HOST = pattern(r"[A-Za-z0-9-]{1,60}(?:\.[A-Za-z0-9-]{1,60}){1,6}(?::\d{1,5})?(?:/[^\s{}]{0,300})?\Z")


def http_settings(provider: Mapping) -> Iterator[Finding]:
    """Findings in the settings of a provider by HTTP."""
    identity, settings = provider.get("id"), provider.get("config")
    if not isinstance(identity, Scalar) or not isinstance(settings, Mapping):
        return
    if identity.text not in _IDS and not identity.text.startswith(("http://", "https://")):
        return
    for name in _TEXTS:
        yield from _of_texts(name, settings.get(name))
    yield from _address(settings.get("url"))
    yield from _without_body(identity, settings)
    for entry in settings.entries:
        meant = _CALLED.get(entry.name or "")
        if meant is not None and settings.get(meant) is None:
            fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),)
            words = f"a request has no setting `{entry.name}`; did you mean `{meant}`?"
            yield Finding(
                entry.key.span, words, fixes=fixes, severity="warning", consequence="promptfoo silently ignores it"
            )


def _of_texts(name: str, node: Node | None) -> Iterator[Finding]:
    """Headers and parameters: a mapping with texts."""
    is_text = isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip() and "{{" not in node.text
    if isinstance(node, Sequence) or (is_text and isinstance(node, Scalar) and not node.text.startswith("file://")):
        words = f"`{name}` is a mapping, as in `{{Accept: text/plain}}`"
        yield Finding(node.span, words, severity="error", consequence=STOPS)
    for entry in node.entries if isinstance(node, Mapping) else ():
        value = entry.value
        if isinstance(value, Scalar) and isinstance(value.value, bool | int | float):
            fixes = (Fix(f"write {quoted(value.text)}", (Edit(value.span, quoted(value.text)),)),)
            words = f"the values of `{name}` are texts: write it in quotes"
            yield Finding(value.span, words, fixes=fixes, severity="error", consequence=STOPS)


def _address(node: Node | None) -> Iterator[Finding]:
    """A path, or an address without `http://`."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    if _PATH.match(node.text):
        words = "an address begins with http:// or https:// and a host"
        yield Finding(node.span, words, severity="error", consequence=ROW_ERRORS)
        return
    is_local = _LOCAL.match(node.text) is not None
    if is_local or _HOST.match(node.text):
        scheme = "http://" if is_local else "https://"
        at = node.span.start + node.is_quoted
        fixes = (
            () if node.is_block else (Fix(f"write {scheme} in front", (Edit(Span(at, at), scheme),), safe=is_local),)
        )
        words = f"an address begins with http:// or https://; did you mean `{scheme}{node.text}`?"
        yield Finding(node.span, words, fixes=fixes, severity="error", consequence=ROW_ERRORS)


def _without_body(identity: Scalar, settings: Mapping) -> Iterator[Finding]:
    """A request with nothing to send, unless it is a GET."""
    method = settings.get("method")
    names = {entry.name for entry in settings.entries}
    is_get = isinstance(method, Scalar) and (method.text.upper() == "GET" or "{{" in method.text)
    has_address = "url" in names or identity.text not in _IDS
    if is_get or not has_address or not _BODIES.isdisjoint(names):
        return
    if any(is_typo(name or "", "body") for name in names):
        return  # which is reported
    entry = next((each for each in settings.entries if each.name in _CALLED_BODY), None)
    fixes = (Fix("change it to `body`", (rename_key(entry, "body"),), safe=False),) if entry is not None else ()
    shown = entry or settings.entry("url")
    at = shown.key.span if shown is not None else identity.span
    words = "a request needs `body`, or `method: GET`" if entry is None else "what is sent stands under `body`"
    yield Finding(at, words, fixes=fixes, severity="error", consequence=STOPS)
