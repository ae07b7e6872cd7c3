"""dependency: `depends_on` that names no case, the case itself, or goes round in a circle."""

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf

from rubric_core.language.closest_name import lexicon
from rubric_core.loading.case_files import ExternalCase
from rubric_core.loading.reference_collector import is_open
from rubric_core.syntax.edit import remove_entry, remove_item
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.entry_lists import CaseEntry, CaseList
from rubric_core.validation.fixes import replace_with_words
from rubric_core.validation.rule import Context, Finding, Fix, Related, rule

__all__ = ["DEPENDENCY"]

_REFUSES = "agentv refuses to run the suite"


@rule("dependency", "error", "A dependency on an unknown case, on itself, or in a cycle")
def DEPENDENCY(suite: CaseList, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A case runs after those that it names."""
    dependent = [e for e in suite.cases if e.case.has("depends_on")]
    elsewhere = {case.id: (path.span, case) for path in suite.external for case in path.found.cases}
    if not dependent and not any(case.depends_on for _, case in elsewhere.values()):
        return
    by_id = {e.case.id: e for e in suite.cases if e.case.id}
    outside = {*elsewhere, *(suite.siblings or ())}
    settled = not any(map(is_open, {*by_id, *outside}))
    known = lexicon((*by_id, *sorted(outside)))
    lost = 0
    for entry in dependent:
        for node, at in _names(entry):
            if node.text == entry.case.id:
                yield Finding(
                    suite.outer(entry, at),
                    "a case cannot depend on itself",
                    fixes=_without(suite, entry, node),
                    consequence=_REFUSES,
                )
            elif not settled or is_open(node.text):
                continue  # which case that is, the environment says
            elif node.text not in by_id and node.text not in outside and (suite.complete or suite.siblings is None):
                meant = known.closest(node.text, but=entry.case.id, thorough=known.searches(lost))
                lost += 1
                if suite.siblings is None and meant is None:
                    continue  # it may be a case of the suite that takes these over
                fixes = (
                    replace_with_words(suite.outer(entry, at), [meant], safe=True)
                    if meant and at == node.span
                    else _without(suite, entry, node)
                )
                yield Finding(
                    suite.outer(entry, at),
                    f"there is no case `{node.text}`" + (f"; did you mean `{meant}`?" if meant else ""),
                    fixes=fixes,
                    consequence=_REFUSES,
                    severity="warning" if suite.siblings is None else None,
                )
    yield from _circles(suite, dependent, by_id, elsewhere)


def _names(entry: CaseEntry) -> list[tuple[Scalar, Span]]:
    """The ids, each where it stands, or where what it stands in is referred to."""
    place = entry.case.places["depends_on"]
    node: Node = place.meant or place.node
    if not isinstance(node, Sequence):
        return []
    scalars = [item for item in node.items if isinstance(item, Scalar) and isinstance(item.value, str)]
    return [(item, place.value if place.borrowed or place.meant else item.span) for item in scalars]


def _without(suite: CaseList, entry: CaseEntry, node: Scalar) -> tuple[Fix, ...]:
    """Do not wait for that case."""
    place, text = entry.case.places["depends_on"], suite.text_of(entry)
    if place.borrowed or place.meant is not None:
        return ()
    edit = remove_item(text, place.node, node) if isinstance(place.node, Sequence) else None
    mapping = entry.case.node
    if edit is None and isinstance(mapping, Mapping):
        own = next((e for e in mapping.entries if e.value is place.node), None)
        edit = remove_entry(text, mapping, own) if own is not None and not entry.case.borrowed else None
    if edit is None:
        return ()
    return (
        Fix(
            f"remove the dependency on `{node.text}`", (Edit(suite.outer(entry, edit.span), edit.new_text),), safe=False
        ),
    )


def _circles(
    suite: CaseList,
    dependent: list[CaseEntry],
    by_id: dict[str, CaseEntry],
    elsewhere: dict[str, tuple[Span, ExternalCase]],
) -> Iterator[Finding]:
    """One finding for each circle, at the case of it that stands first, or at the path to the first one."""
    after = {name: list(case.depends_on) for name, (_, case) in elsewhere.items()} | {
        e.case.id: [n.text for n, _ in _names(e)] for e in dependent if e.case.id
    }
    known = {*by_id, *elsewhere}
    after = {name: [n for n in names if n in known and n != name] for name, names in after.items()}
    places = {name: span for name, (span, _) in elsewhere.items()}
    places |= {name: suite.outer(e, e.case.at("id")) for name, e in by_id.items()}
    for circle in _rounds(after):
        first = min(circle, key=lambda n: (n not in by_id, places[n].start))
        related = tuple(Related(places[n], f"`{n}` is part of the cycle") for n in circle if n != first)
        own = by_id.get(first)
        within = set(circle)
        link = next((n for n, _ in _names(own) if n.text in within), None) if own is not None else None
        yield Finding(
            suite.outer(own, own.case.key_at("depends_on")) if own is not None else places[first],
            f"these cases depend on each other: {' → '.join([*circle, circle[0]])}",
            related=related,
            fixes=_without(suite, own, link) if own is not None and link is not None else (),
            consequence=_REFUSES,
        )


def _rounds(after: MappingOf[str, list[str]]) -> Iterator[list[str]]:
    """The circles, of those that share a case only one."""
    done: set[str] = set()
    told: set[str] = set()
    for start in after:
        trail: list[str] = []
        depths: dict[str, int] = {}
        waiting = [(start, 0)]
        while waiting:
            name, depth = waiting.pop()
            while len(trail) > depth:
                left = trail.pop()
                del depths[left]
                done.add(left)
            if name in depths:
                circle = trail[depths[name] :]
                if told.isdisjoint(circle):
                    told.update(circle)
                    yield circle
                continue
            if name in done:
                continue
            depths[name] = len(trail)
            trail.append(name)
            waiting += [(n, len(trail)) for n in after.get(name, [])]
        done.update(trail)
