"""Requests of HTTP providers that promptfoo refuses, or that never have the prompt, and settings that make none."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.http_settings import address_fault, http_settings
from rubric_core.families.promptfoo.checks.placeholders import request_placeholders
from rubric_core.families.promptfoo.checks.suite import providers_of, request_texts
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted, rename_key
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
#: What promptfoo fills the prompt and variables into.
_REQUEST = ("url", "headers", "body", "queryParams", "request", "session", "auth", "signatureAuth")
#: What makes a request of the prompt elsewhere.
_MADE_ELSEWHERE = ("transformRequest", "multipart")
#: A slip of one of these may bring the request.
_OF_REQUESTS = ("body", "request", "multipart", "method", "transformRequest")
#: Settings that are code, or a file with code.
_CODE = ("transformResponse", "responseParser", "transformRequest", "validateStatus")
#: A template, a file, or a placeholder in the style of Python or of a shell, which is reported itself.
_ENVIRONMENT = pattern(r"\{\{-?[ ]{0,3}env\.\w{1,60}[ ]{0,3}-?\}\}")
_FILLED_IN = pattern(r"\Afile://|\{\{|\{%|(?<!\$)\{\s{0,3}\w{1,40}\s{0,3}\}|\$\{[ ]{0,3}prompt[ ]{0,3}\}")
_ADDRESS = ("http://", "https://")
_NEEDS_BODY = "an HTTP provider needs `body` under `config`, unless its method is GET"
_NEVER_SENT = "the service gets the same request in every row"
_IDS = ("http", "https")
#: What may stand in the place of a body, or bring it.
_BODIES = frozenset({"body", "multipart", "request", "<<", "$ref"})
#: Other names of the body.
_CALLED_BODY = ("form", "data", "json", "payload", "params")
_TEXTS = ("headers", "queryParams")


@checks("promptfoo/bare-url", "invalid-value")
def bare_addresses(shape: Configuration) -> Iterator[Finding]:
    """A URL in the list of providers without `config`, which has to say what is sent there."""
    for provider in providers_of(shape):
        if isinstance(provider.node, Scalar) and provider.id.startswith(_ADDRESS):
            yield Finding(provider.node.span, _NEEDS_BODY, severity="error", consequence=STOPS)


@checks("promptfoo/request-placeholder", "unrendered-template", "warning", borrowed=False)
def placeholders_of_request(shape: ConfiguredProvider, context: Context) -> Iterator[Finding]:
    """A placeholder in the request of an HTTP provider that promptfoo does not fill in."""
    yield from request_placeholders(request_texts(shape.node), context)


@checks("promptfoo/http-request", "invalid-value", borrowed=False)
def http_requests(shape: ConfiguredProvider, context: Context) -> Iterator[Finding]:
    """A request of an HTTP provider that promptfoo rejects, or that never contains the prompt."""
    yield from _settings(shape.node) if isinstance(shape.node, Mapping) else ()
    identity, place, named = str(shape.id or ""), shape.places.get("config"), shape.places.get("id")
    if identity not in ("http", "https") and not identity.startswith(_ADDRESS):
        return
    if place is None and named is not None and isinstance(shape.node, Mapping) and _is_complete(shape.node):
        yield Finding(named.value, _NEEDS_BODY, severity="error", consequence=STOPS)
    settings = place.node if place is not None and not place.borrowed else None
    if not isinstance(settings, Mapping) or place is None:
        return
    yield from _methods(settings)
    yield from _body_of_get(settings)
    yield from _types(settings)
    yield from http_settings(settings, context.text)
    yield from _request(identity, place.key, settings)


def _is_complete(node: Mapping) -> bool:
    """Whether nothing is merged into a mapping, or takes the place of a value."""
    return all(entry.name not in (None, "<<", "$ref") and not isinstance(entry.value, Alias) for entry in node.entries)


def _request(identity: str, at: Span, settings: Mapping) -> Iterator[Finding]:
    """A request without a body, or without the prompt."""
    method = settings.get("method")
    names = {entry.name for entry in settings.entries}
    if not _is_complete(settings) or any(closest(name or "", _OF_REQUESTS) for name in names - set(_OF_REQUESTS)):
        return
    if names.isdisjoint(("body", "multipart", "request")) and _method_of(settings) != "GET":
        if isinstance(method, Scalar) and method.text.upper() == "GET":
            fixes = (Fix("write `GET`", (Edit(method.span, "GET"),)),)
            yield Finding(method.span, "write `GET` in capitals", fixes=fixes, severity="error", consequence=STOPS)
    elif names.isdisjoint(_MADE_ELSEWHERE) and not _FILLED_IN.search(identity) and not _is_filled_in(settings):
        entry = settings.entry("body") or settings.entry("request") or settings.entry("url")
        words = "nothing is filled into this request, so the prompt is never sent; use `{{prompt}}`"
        yield Finding(entry.key.span if entry else at, words, severity="warning", consequence=_NEVER_SENT)


def _method_of(settings: Mapping) -> str | None:
    """The method as it is written; one that is filled in may be any."""
    node = settings.get("method")
    if node is None:
        return None
    return node.text if isinstance(node, Scalar) and "{{" not in node.text else "GET"


def _methods(settings: Mapping) -> Iterator[Finding]:
    """A method that is not a text, or a misspelt one. Others are left alone: a service may define its own."""
    method = settings.get("method")
    if not isinstance(method, Scalar):
        return
    if not isinstance(method.value, str) and method.style != "hole":
        yield Finding(method.span, "`method` is a text, as in `POST`", severity="error", consequence=STOPS)
        return
    if " " in method.text.strip() and "{{" not in method.text:
        words = f"HTTP has no method `{method.text}`: a method is one word, as in `POST`"
        yield Finding(method.span, words, severity="error", consequence=ROW_ERRORS)
        return
    written = method.text.upper()
    meant = closest(written, _METHODS) if written not in _METHODS and "{{" not in written else None
    if meant is not None:
        fixes = (Fix(f"change it to `{meant}`", (Edit(method.span, meant),)),)
        words = f"HTTP has no method `{method.text}`; did you mean `{meant}`?"
        yield Finding(method.span, words, fixes=fixes, severity="warning", consequence="servers refuse it")


def _body_of_get(settings: Mapping) -> Iterator[Finding]:
    """The body of a request that has none, since its method is GET."""
    method, body = settings.get("method"), settings.entry("body")
    if body is not None and isinstance(method, Scalar) and method.text == "GET":
        words = (
            "a request with the method GET has no `body`: what stands here is not sent; use `POST`, or `queryParams`"
        )
        yield Finding(body.key.span, words, severity="warning", consequence=_NEVER_SENT)


def _types(settings: Mapping) -> Iterator[Finding]:
    """Values of a type for which promptfoo refuses the provider."""
    for field in _CODE:
        code = settings.get(field)
        if isinstance(code, Sequence) or (isinstance(code, Mapping) and _is_complete(code)):
            words = f"`{field}` is JavaScript or a file, and no {'list' if isinstance(code, Sequence) else 'mapping'}"
            yield Finding(code.span, words, severity="error", consequence=STOPS)
        elif isinstance(code, Scalar) and isinstance(code.value, bool | int | float):
            words = (
                f"`{field}` is JavaScript or a file, and no {'switch' if isinstance(code.value, bool) else 'number'}"
            )
            yield Finding(code.span, words, severity="error", consequence=STOPS)


def _is_filled_in(settings: Mapping) -> bool:
    """Whether the request has a template, or its text is not here."""
    for name in _REQUEST:
        for node in walk(settings.get(name)):
            # The environment fills in a header, but not the prompt.
            text = node.text if isinstance(node, Scalar) else ""
            text = _ENVIRONMENT.sub("", text) if name == "headers" else text
            if isinstance(node, Alias) or _FILLED_IN.search(text):
                return True
            if isinstance(node, Mapping) and not _is_complete(node):
                return True
    return False


def _settings(provider: Mapping) -> Iterator[Finding]:
    """Findings in the settings of a provider by HTTP."""
    identity, settings = provider.get("id"), provider.get("config")
    if not isinstance(identity, Scalar) or not isinstance(settings, Mapping):
        return
    if identity.text not in _IDS and not identity.text.startswith(("http://", "https://")):
        return
    for name in _TEXTS:
        yield from _of_texts(name, settings.get(name))
    yield from address_fault(settings.get("url"))
    yield from _without_body(identity, settings)


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
