"""target-circle: targets that stand in for one another, so that none of them is ever asked."""

from collections.abc import Iterator

from rubric_core.language.targets import Entry
from rubric_core.validation.entry_lists import TargetList, TargetListEntry
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["TARGET_CIRCLE"]


@rule("target-circle", "error", "Targets that delegate to each other in a cycle")
def TARGET_CIRCLE(targets: TargetList, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """`use_target` and `extends` have to lead to a target with a provider."""
    by_name: dict[str, TargetListEntry] = {}
    for each in targets.entries:
        name = vars(each.entry).get("name")
        if isinstance(name, str):
            by_name.setdefault(name, each)
    done: set[str] = set()
    order = {name: number for number, name in enumerate(by_name)}
    for start in by_name:
        circle = _circle(start, by_name, done)
        if circle:
            at = circle.index(min(circle, key=order.__getitem__))
            circle = circle[at:] + circle[:at]
            first, field = by_name[circle[0]], _field(by_name[circle[0]].entry)
            others = [by_name[n] for n in circle[1:]]
            yield Finding(
                first.outer(first.entry.at(field)),
                f"these targets delegate to each other: {' → '.join([*circle, circle[0]])}",
                related=tuple(Related(o.outer(o.entry.at(_field(o.entry))), "is part of the cycle") for o in others),
                consequence="agentv cannot run a suite with any of them",
            )


def _field(entry: Entry) -> str:
    return "use_target" if entry.has("use_target") else "extends"


def _circle(start: str, by_name: dict[str, TargetListEntry], done: set[str]) -> list[str]:
    """The circle to which `start` leads, nothing where it leads to none or to a name that is `done`, as these are then."""
    trail: dict[str, int] = {}
    name: object = start
    while isinstance(name, str) and name in by_name and name not in done:
        done.add(name)
        trail[name] = len(trail)
        name = vars(by_name[name].entry).get(_field(by_name[name].entry))
    return [*trail][trail[name] :] if isinstance(name, str) and name in trail else []
