"""dependency: `depends_on` that names no case, the case itself, or goes round in a circle."""

from collections.abc import Iterator

from rubric_core.language.closest import closest
from rubric_core.syntax.tree import Node, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.rule import CaseEntry, CaseList, Context, Finding, Fix, Related, rule

__all__ = ["DEPENDENCY"]

_REFUSES = "agentv refuses to run the suite"


@rule("dependency", "error", "A dependency on no case, on itself, or in a circle")
def DEPENDENCY(suite: CaseList, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A case runs after those that it names."""
    dependent = [e for e in suite.cases if e.case.has("depends_on")]
    if not dependent:
        return
    by_id = {e.case.id: e for e in suite.cases if e.case.id}
    outside = {case.id for path in suite.external for case in path.found.cases}
    for entry in dependent:
        for node in _names(entry):
            if node.text == entry.case.id:
                yield Finding(suite.outer(entry, node.span), "a case cannot depend on itself", consequence=_REFUSES)
            elif node.text not in by_id and node.text not in outside and suite.complete:
                meant = closest(node.text, [i for i in (*by_id, *sorted(outside)) if i != entry.case.id])
                fixes = (
                    (Fix(f"change it to `{meant}`", (Edit(suite.outer(entry, node.span), meant),)),) if meant else ()
                )
                yield Finding(
                    suite.outer(entry, node.span),
                    f"there is no case `{node.text}`" + (f"; did you mean `{meant}`?" if meant else ""),
                    fixes=fixes,
                    consequence=_REFUSES,
                )
    yield from _circles(suite, dependent, by_id)


def _names(entry: CaseEntry) -> list[Scalar]:
    place = entry.case.places["depends_on"]
    node: Node = place.node
    if place.borrowed or not isinstance(node, Sequence):
        return []
    return [item for item in node.items if isinstance(item, Scalar) and isinstance(item.value, str)]


def _circles(suite: CaseList, dependent: list[CaseEntry], by_id: dict[str, CaseEntry]) -> Iterator[Finding]:
    """One finding for each circle, at the case of it that stands first."""
    after = {
        e.case.id: [n.text for n in _names(e) if n.text in by_id and n.text != e.case.id]
        for e in dependent
        if e.case.id
    }
    done: set[str] = set()
    for start in after:
        trail: list[str] = []
        waiting = [(start, 0)]
        while waiting:
            name, depth = waiting.pop()
            del trail[depth:]
            if name in trail:
                circle = trail[trail.index(name) :]
                first = by_id[min(circle, key=lambda n: suite.outer(by_id[n], by_id[n].case.span).start)]
                if not done & set(circle):
                    done.update(circle)
                    related = tuple(
                        Related(suite.outer(by_id[n], by_id[n].case.at("id")), f"`{n}` is part of the circle")
                        for n in circle
                        if by_id[n] is not first
                    )
                    yield Finding(
                        suite.outer(first, first.case.key_at("depends_on")),
                        f"these cases wait for one another: {' → '.join([*circle, circle[0]])}",
                        related=related,
                        consequence=_REFUSES,
                    )
                continue
            if name in done:
                continue
            trail.append(name)
            waiting += [(n, len(trail)) for n in after.get(name, [])]
        done.update(trail[:1])
