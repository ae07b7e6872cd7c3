"""Members of mappings that templates of promptfoo show and no case has: they render as nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from rubric_core.families.promptfoo.checks.script_names import place_in_code
from rubric_core.families.promptfoo.checks.templates import UsedName, names_in
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.tree import Alias, Node, Scalar
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = [
    "members_of", "members_of_texts", "missing_members", "missing_members_at", "placed_in", "plain_texts", "shows_member", "texts_of_files",
]  # fmt: skip

#: What the members of a mapping are followed by that may have more than the text shows.
_ANY = "*"
#: A member behind the name of a variable, which is not called.
_MEMBER = pattern(
    r"\.([A-Za-z_$][\w$]{0,60})(?![\w$]|\s{0,9}\()|\[\s{0,9}(?:'([\w$ -]{1,60})'|\"([\w$ -]{1,60})\")\s{0,9}\]"
)
#: A file whose content is a text: that of YAML is turned into JSON.
_TEXT_FILE = pattern(r"file://[^{}*?\[\]]{1,300}\.(?:json|ya?ml|txt|md)")
#: What every text has in JavaScript.
_OF_TEXTS = frozenset({"length", "constructor"})
#: What every object has in JavaScript.
_OF_OBJECTS = frozenset({"constructor", "hasOwnProperty", "toString", "valueOf", "toLocaleString"})


def members_of(variables: Mapping[str, Node]) -> frozenset[str]:
    """The members of variables that are mappings, as `name.member`, and `name.*` where there may be more."""
    found = set[str]()
    for name, node in variables.items():
        for entry in node.entries if isinstance(node, MappingNode) else ():
            is_open = entry.name is None or entry.name in ("<<", "$ref") or "{" in entry.name or _is_open(entry.key)
            found.add(f"{name}.{_ANY if is_open else entry.name}")
    return frozenset(found)


def texts_of_files(variables: Mapping[str, Node]) -> frozenset[str]:
    """The variables whose value is the content of a file, which is a text in any case."""
    return frozenset(
        name for name, node in variables.items() if isinstance(node, Scalar) and _TEXT_FILE.fullmatch(node.text)
    )


def plain_texts(variables: Mapping[str, Node]) -> frozenset[str]:
    """The variables that are texts or numbers, and no file."""
    return frozenset(
        name for name, node in variables.items()
        if isinstance(node, Scalar) and node.value is not None and not node.text.startswith(("file://", "package:"))
    )  # fmt: skip


def shows_member(template: str) -> bool:
    """Whether a template may show a member of a variable."""
    return "{" in template and any(_MEMBER.match(template, used.span.end) for used in names_in(template))


def members_of_texts(template: str, texts: Iterable[str], *, in_files: bool = True) -> Iterator[Finding]:
    """Members of variables that are texts, or `in_files` the content of a file, at their places in the template."""
    every = frozenset(texts)
    for used in names_in(template) if every else ():
        found = _MEMBER.match(template, used.span.end) if used.name in every and not used.optional else None
        name = (found[1] or found[2] or found[3]) if found is not None else ""
        if found is not None and name not in _OF_TEXTS and not name.isdigit():
            written = f"({used.name} | load).{name}"
            words = f"`{used.name}` is the text of a file, which has no `{name}`; JSON and YAML: `{written}`"
            words = (
                words
                if in_files
                else f"`{used.name}` is a text in every case, which has no `{name}`; for JSON write `{written}`"
            )
            yield Finding(Span(*found.span(found.lastindex or 0)), words, consequence="promptfoo fills in nothing")


def _is_open(key: Node) -> bool:
    return isinstance(key, Alias)


def missing_members(
    template: str, mappings: Iterable[str], members: Iterable[str], *, slips_only: bool = False
) -> Iterator[Finding]:
    """Members of `mappings` that a template shows and that are not among `members`, at their places in the template.

    What a template tests for may be missing: then, and with `slips_only`, only slips of a member are reported.
    """
    every, known = frozenset(mappings), tuple(members)
    for used in names_in(template) if every and known else ():
        found = _MEMBER.match(template, used.span.end) if used.name in every else None
        if found is None:
            continue
        own = sorted(each[len(used.name) + 1 :] for each in known if each.startswith(f"{used.name}."))
        name = found[1] or found[2] or found[3]
        if not own or _ANY in own or name in own or name in _OF_OBJECTS:
            continue
        yield from _missing(used, name, Span(*found.span(found.lastindex or 0)), own, slips_only=slips_only)


def _missing(used: UsedName, name: str, at: Span, own: list[str], *, slips_only: bool) -> Iterator[Finding]:
    meant = next((each for each in own if is_typo(name, each)), None)
    if meant is None and (slips_only or used.optional):
        return
    meant = meant or closest(name, own)
    fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),) if meant else ()
    advice = f"; did you mean `{meant}`?" if meant else ""
    words = f"`{used.name}` has no member `{name}` in any case{advice}"
    yield Finding(at, words, fixes=fixes, consequence="promptfoo fills in nothing")


def missing_members_at(
    node: Scalar,
    text: str,
    outer: Callable[[Span], Span],
    mappings: Iterable[str],
    members: Iterable[str],
    *,
    slips_only: bool = False,
) -> Iterator[Finding]:
    """The same for a template that is a value in `text`, whose spans `outer` places."""
    yield from placed_in(missing_members(node.text, mappings, members, slips_only=slips_only), node, text, outer)


def placed_in(several: Iterable[Finding], node: Scalar, text: str, outer: Callable[[Span], Span]) -> Iterator[Finding]:
    """Findings in a template that is a value in `text`, whose spans `outer` places."""
    for found in several:
        at = place_in_code(node, text, found.span.start, found.span.end - found.span.start)
        if at is None:
            yield replace(found, span=outer(node.span), fixes=())
            continue
        place = outer(at)
        fixes = tuple(replace(fix, edits=(Edit(place, fix.edits[0].new_text),)) for fix in found.fixes)
        yield replace(found, span=place, fixes=fixes)
