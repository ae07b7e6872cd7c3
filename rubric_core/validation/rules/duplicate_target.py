"""duplicate-target: two targets with one name."""

from collections.abc import Iterator

from rubric_core.validation.entry_lists import TargetList, TargetListEntry
from rubric_core.validation.rename_fixes import FreeNames
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["DUPLICATE_TARGET"]


@rule("duplicate-target", "error", "Two targets with the same name")
def DUPLICATE_TARGET(targets: TargetList, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Suites refer to targets by name, so that the second one can never be asked."""
    seen: dict[str, TargetListEntry] = {}
    free = FreeNames(name for e in targets.entries if isinstance(name := vars(e.entry).get("name"), str))
    for each in targets.entries:
        name = vars(each.entry).get("name")
        if not isinstance(name, str) or "{{" in name:
            continue
        first = seen.setdefault(name, each)
        if first is not each:
            there = first.outer(first.entry.at("name"))
            yield Finding(
                each.outer(each.entry.at("name")),
                f"another target is called `{name}`",
                related=(Related(there, f"`{name}` is taken here"),),
                fixes=free.called(each.entry.places.get("name"), name, each.outer(each.entry.at("name"))),
                consequence="the newest releases reject the file, older ones use the first",
            )
