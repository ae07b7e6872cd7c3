"""The table of a comparison: how many evaluators of each type agree, and how many cases."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from .assessment import Assessment
from .compare import CASE
from .run import Comparison

__all__ = ["table"]

CLASSES = ("identical", "departure", "wrong", "unexplained")
_WORST = ("unexplained", "wrong", "departure", "identical")


def table(comparisons: Sequence[Comparison], assessment: Assessment) -> str:
    """Rows by evaluator type, then programs' payloads, requests to models, and cases."""
    rows = dict(sorted(_evaluators(comparisons, assessment).items()))
    rows["· evaluators in all"] = sum(rows.values(), Counter[str]())
    rows["· payloads"] = Counter(_of_places(comparisons, assessment, "payload "))
    rows["· requests"] = Counter(_of_places(comparisons, assessment, "request "))
    rows["· cases"] = Counter(_cases(comparisons, assessment))
    width = max(map(len, rows))
    head = f"{'type'.ljust(width)}" + "".join(name.rjust(13) for name in CLASSES)
    lines = [
        f"{kind.ljust(width)}" + "".join(str(n[name] or "·").rjust(13) for name in CLASSES) for kind, n in rows.items()
    ]
    return "\n".join([head, *lines])


def _evaluators(comparisons: Iterable[Comparison], assessment: Assessment) -> dict[str, Counter[str]]:
    """Evaluators by type, in cases that both programs ran with the same list of them."""
    found: dict[str, Counter[str]] = {}
    for comparison in comparisons:
        incomparable = {d.case for d in comparison.differences if d.place == CASE and d.what in ("case", "evaluators")}
        places = {(d.case, d.place.partition("/")[0]) for d in comparison.differences}
        for key, case in comparison.rubric.cases.items():
            if key in incomparable:
                continue
            for each in case.evaluators:
                differs = (key, f"{each.type}:{each.name}") in places
                class_ = assessment.classes[comparison.suite, key] if differs else "identical"
                found.setdefault(each.type.replace("_", "-"), Counter())[class_] += 1
    return found


def _of_places(comparisons: Iterable[Comparison], assessment: Assessment, prefix: str) -> Iterator[str]:
    """The classes of payloads or requests, one a label."""
    for comparison in comparisons:
        differing = {d.place: d.case for d in comparison.differences if d.place.startswith(prefix)}
        yield from (assessment.classes[comparison.suite, case] for case in differing.values())
        if prefix == "payload ":
            labels = comparison.agentv.captured.keys() | comparison.rubric.captured.keys()
            yield from ("identical" for label in labels if f"{prefix}{label}" not in differing)
        else:
            yield from ("identical" for label in comparison.labels if f"{prefix}{label}" not in differing)


def _cases(comparisons: Iterable[Comparison], assessment: Assessment) -> Iterator[str]:
    for comparison in comparisons:
        for case in comparison.agentv.cases.keys() | comparison.rubric.cases.keys():
            yield assessment.classes.get((comparison.suite, case), "identical")
