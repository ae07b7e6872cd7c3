"""Settings of HTTP providers that promptfoo refuses or never reads: media types, authentication, a method that is left out, and foreign keys."""

from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.provider_ids import OF_HTTP
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import add_entry, quoted, rename_key
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = ["address_fault", "http_settings", "unread_by_http"]

#: The keys that each way of authentication needs, as its values are texts.
_AUTHENTICATION = MappingProxyType({
    "bearer": ("token",), "basic": ("username", "password"), "api_key": ("value", "placement", "keyName"),
    "oauth": ("grantType", "tokenUrl"), "file": ("path",),
})  # fmt: skip
_ALSO_NEEDED = MappingProxyType(
    {"client_credentials": ("clientId", "clientSecret"), "password": ("username", "password")}
)
#: What others call them.
_CALLED = MappingProxyType(
    {"apikey": "api_key", "oauth2": "oauth", "token": "bearer", "jwt": "bearer", "http": "bearer"}
)
_CHOICES = MappingProxyType({"grantType": ("client_credentials", "password"), "placement": ("header", "query")})
#: What stands in the place of other keys.
_MERGED = frozenset({None, "<<", "$ref"})
_BODIES = frozenset({"body", "multipart", "request"})
#: Keys of the provider itself, and notes.
_OTHERS = frozenset({
    "transform", "delay", "prompts", "env", "inputs", "label", "id", "type", "name", "description", "config", "linkedTargetId",
})  # fmt: skip
#: Settings whose values are the same by their other names.
_SAME_VALUE = ("headers", "maxRetries", "method", "queryParams")
_IGNORED = "promptfoo silently ignores it"
#: An address without its scheme: a path, or a host.
_PATH = pattern(r"/(?!/)[^\s{}]{0,300}\Z")
_LOCAL = pattern(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?=[:/]|\Z)")
_HOST = pattern(r"[A-Za-z0-9-]{1,60}(?:\.[A-Za-z0-9-]{1,60}){1,6}(?::\d{1,5})?(?:/[^\s{}]{0,300})?\Z")


def http_settings(settings: Mapping, text: str) -> Iterator[Finding]:
    """Findings about the settings of one HTTP provider in a text."""
    if any(entry.name in _MERGED for entry in settings.entries):
        return
    yield from _authentication(settings.get("auth"))
    if settings.get("request") is None:
        yield from _media_type(settings)
        yield from _without_method(settings, text)


def _media_type(settings: Mapping) -> Iterator[Finding]:
    """A mapping as the body of a request that is not JSON."""
    headers, body = settings.get("headers"), settings.get("body")
    if not isinstance(body, Mapping | Sequence) or not isinstance(headers, Mapping) or settings.get("multipart"):
        return
    named = [entry for entry in headers.entries if (entry.name or "").lower().startswith("content-type")]
    if len(named) != 1 or any(entry.name in _MERGED for entry in headers.entries):
        return
    kind = named[0].value
    if not isinstance(kind, Scalar) or not isinstance(kind.value, str) or "{{" in kind.text or not kind.text.strip():
        return
    if "application/json" not in kind.text and not kind.text.startswith("file://"):
        is_slip = "json" in kind.text.lower()
        written = quoted("application/json") if kind.is_quoted else "application/json"
        fixes = (
            (Fix("write `application/json`", (Edit(kind.span, written),), safe=is_slip),) if not kind.is_block else ()
        )
        words = (
            "promptfoo sends a body that is a mapping or a list as `application/json` only; write another one as text"
        )
        yield Finding(kind.span, words, fixes=fixes, severity="error", consequence=ROW_ERRORS)


def _without_method(settings: Mapping, text: str) -> Iterator[Finding]:
    """A body without a method, which is GET then."""
    entry = settings.entry("body")
    names = [entry.name or "" for entry in settings.entries]
    if entry is None or any(is_typo(name, "method") or _meant(name, ("method",)) for name in names):
        return
    if isinstance(entry.value, Scalar) and not entry.value.text.strip():
        return
    added = add_entry(text, settings, "method", "POST")
    fixes = (Fix("add `method: POST`", (added,), safe=False),) if added is not None else ()
    words = "without `method: POST` promptfoo sends a GET request, which has no body"
    effect = "the service never gets this body"
    yield Finding(entry.key.span, words, fixes=fixes, severity="warning", consequence=effect)


def _authentication(auth: Node | None) -> Iterator[Finding]:
    """`auth` in a form that promptfoo refuses."""
    if isinstance(auth, Sequence) or (isinstance(auth, Scalar) and isinstance(auth.value, str) and _is_plain(auth)):
        words = "`auth` is a mapping, as in `{type: bearer, token: …}`"
        yield Finding(auth.span, words, severity="error", consequence=STOPS)
    if not isinstance(auth, Mapping) or not auth.entries or any(entry.name in _MERGED for entry in auth.entries):
        return
    kind = auth.get("type")
    if kind is None:
        near = next((entry for entry in auth.entries if is_typo(entry.name or "", "type")), auth.entries[0])
        words = f"`auth` needs `type`, one of {', '.join(_AUTHENTICATION)}"
        yield Finding(near.key.span, words, severity="error", consequence=STOPS)
    elif isinstance(kind, Scalar) and _is_plain(kind):
        yield from _parts(auth, kind) if kind.text in _AUTHENTICATION else _unknown_type(kind)


def _is_plain(node: Scalar) -> bool:
    """Whether a text is neither empty, as while it is typed, nor a template, nor the name of a file."""
    return bool(node.text.strip()) and "{{" not in node.text and not node.text.startswith("file://")


def _unknown_type(kind: Scalar) -> Iterator[Finding]:
    folded = kind.text.lower().replace("-", "").replace("_", "")
    meant = _CALLED.get(folded) or closest(kind.text.lower(), tuple(_AUTHENTICATION))
    advice = f"did you mean `{meant}`?" if meant else f"it is one of {', '.join(_AUTHENTICATION)}"
    is_writable = meant is not None and not kind.is_block
    fixes = (Fix(f"change it to `{meant}`", (Edit(kind.span, str(meant)),)),) if is_writable else ()
    words = f"there is no authentication `{kind.text}`; {advice}"
    yield Finding(kind.span, words, fixes=fixes, severity="error", consequence=STOPS)


def _parts(auth: Mapping, kind: Scalar) -> Iterator[Finding]:
    """What one way of authentication lacks, or has in another form."""
    needed = list(_AUTHENTICATION[kind.text])
    grant = auth.get("grantType")
    needed += _ALSO_NEEDED.get(grant.text, ()) if isinstance(grant, Scalar) and kind.text == "oauth" else ()
    for name in needed:
        node = auth.get(name)
        if node is None:
            yield from _missing(auth, kind, name, needed)
        elif not isinstance(node, Scalar) or (isinstance(node.value, bool | int | float)):
            words = f"`{name}` of `auth` is a text" + (": write it in quotes" if isinstance(node, Scalar) else "")
            yield Finding(node.span, words, severity="error", consequence=STOPS)
        elif name in _CHOICES and _is_plain(node) and node.text not in _CHOICES[name]:
            words = f"`{name}` is {' or '.join(_CHOICES[name])}"
            yield Finding(node.span, words, severity="error", consequence=STOPS)
    scopes = auth.get("scopes")
    if kind.text == "oauth" and isinstance(scopes, Scalar) and isinstance(scopes.value, str) and _is_plain(scopes):
        yield Finding(scopes.span, "`scopes` is a list of texts", severity="error", consequence=STOPS)


def _missing(auth: Mapping, kind: Scalar, name: str, needed: list[str]) -> Iterator[Finding]:
    slip = next(
        (each for each in auth.entries if each.name not in (*needed, "type") and is_typo(each.name or "", name)), None
    )
    if slip is None:
        words = f"`auth` of the type `{kind.text}` needs `{name}`"
        yield Finding(kind.span, words, severity="error", consequence=STOPS)
        return
    fixes = (Fix(f"change it to `{name}`", (rename_key(slip, name),)),)
    words = f"`auth` has no key `{slip.name}`; did you mean `{name}`?"
    yield Finding(slip.key.span, words, fixes=fixes, severity="error", consequence=STOPS)


def unread_by_http(settings: Mapping, known: tuple[str, ...], reported: frozenset[str]) -> Iterator[Finding]:
    """Keys that an HTTP provider does not read, but those that are reported already.

    Args:
        settings: The settings of the provider.
        known: Every key that promptfoo reads there.
        reported: The names of other findings.
    """
    if any(entry.name in _MERGED for entry in settings.entries):
        return
    present = {entry.name for entry in settings.entries}
    for entry in settings.entries:
        name = entry.name or ""
        if name in known or name in reported or name in _OTHERS or name.startswith(("x-", "_", ".")):
            continue
        meant = _meant(name, known)
        if meant == "body" and present.isdisjoint(_BODIES) and not _is_get(settings):
            continue  # which is reported as a request without a body
        yield _unread(entry, meant if meant not in present else None)


def _is_get(settings: Mapping) -> bool:
    method = settings.get("method")
    return isinstance(method, Scalar) and (method.text.upper() == "GET" or "{{" in method.text)


def _meant(name: str, known: tuple[str, ...]) -> str | None:
    """The setting that a key stands for: another name of it, or a name with a prefix."""
    folded = name.replace("_", "").replace("-", "").lower()
    meant = OF_HTTP.get(folded)
    if meant is None:
        meant = next(
            (each for each in known if each.lower() == folded or name.endswith((f"_{each}", f"-{each}"))), None
        )
    return meant if meant in known else None


def _unread(entry: Entry, meant: str | None) -> Finding:
    words = f"an HTTP provider has no setting `{entry.name}`"
    fixes: tuple[Fix, ...] = ()
    if meant is not None:
        words += f"; did you mean `{meant}`?"
        is_same = meant in _SAME_VALUE and not (entry.name or "").endswith((f"_{meant}", f"-{meant}"))
        fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),), safe=is_same),)
    elif "timeout" in (entry.name or "").lower():
        words += "; its time limit is `REQUEST_TIMEOUT_MS` of the environment"
    return Finding(entry.key.span, words, fixes=fixes, severity="warning", consequence=_IGNORED)


def address_fault(node: Node | None) -> Iterator[Finding]:
    """A setting that is a path, or an address without `http://`."""
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
