"""extension-hook: an extension without a hook, or with an unknown one."""

from collections.abc import Iterator

from rubric_core.language.closest_name import closest
from rubric_core.language.model import EXTENSION_RULES, HOOKS, Suite
from rubric_core.syntax.tree import Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import replace_with_words
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["EXTENSION_HOOK"]

_FILE = "file://"


@rule("extension-hook", "error", "An extension without a valid hook")
def EXTENSION_HOOK(suite: Suite, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """An extension is a file with the name of a hook, or the rules for agents that agentv brings."""
    place = suite.places.get("extensions")
    if place is None or not isinstance(place.node, Sequence):
        return
    for node in place.node.items:
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip() and "{{" not in node.text:
            for words, fixes in _wrong(node):
                at = place.value if place.borrowed else node.span
                yield Finding(at, words, fixes=() if place.borrowed else fixes, consequence="agentv rejects the file")


def _wrong(node: Scalar) -> Iterator[tuple[str, tuple[Fix, ...]]]:
    hooks = ", ".join(HOOKS.names)
    if node.text == EXTENSION_RULES:
        return
    if not node.text.startswith((_FILE, f"{EXTENSION_RULES}:")):
        yield f"an extension is `file://path:hook` or `{EXTENSION_RULES}`", _as_url(node)
        return
    path, colon, hook = node.text.removeprefix(_FILE).rpartition(":")
    if not colon or not path or "/" in hook or "." in hook:
        yield (
            f"an extension names its hook after the path, as in `file://path:beforeAll`; the hooks are {hooks}",
            _with_hook(node) if path or not colon else (),
        )
    elif hook not in HOOKS.names:
        meant = closest(hook, HOOKS.names)
        end = node.span.end - node.is_quoted
        span = Span(end - len(hook), end)
        likely = replace_with_words(span, (meant,), safe=True) if meant else replace_with_words(span, HOOKS.names)
        yield f"there is no hook `{hook}`; there are {hooks}", likely if _on_one_line(node) else ()


def _on_one_line(node: Scalar) -> bool:
    return node.style == "plain" or node.is_quoted


def _with_hook(node: Scalar) -> tuple[Fix, ...]:
    """Each of the hooks behind a path that has none."""
    at = node.span.end - node.is_quoted
    # A colon at the end makes a mapping of a plain text.
    end = Span(at - node.text.endswith(":"), at)
    hooks = HOOKS.names if _on_one_line(node) else ()
    return tuple(Fix(f"add `:{hook}`", (Edit(end, f":{hook}"),), safe=False) for hook in hooks)


def _as_url(node: Scalar) -> tuple[Fix, ...]:
    """`file://` in front of a path that has a hook."""
    path, _, hook = node.text.rpartition(":")
    start = node.span.start + node.is_quoted
    if "://" in node.text or not _on_one_line(node):
        return ()
    if not path and ("/" in hook or "." in hook):
        end = node.span.end - (start - node.span.start)
        before = Edit(Span(start, start), _FILE)
        return tuple(
            Fix(f"write `{_FILE}{hook}:{each}`", (before, Edit(Span(end, end), f":{each}")), safe=False)
            for each in HOOKS.names
        )
    if hook not in HOOKS.names:
        return ()
    return (Fix("put `file://` in front", (Edit(Span(start, start), _FILE),)),)
