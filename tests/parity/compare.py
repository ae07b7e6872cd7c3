"""What differs between two outcomes of a case."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rubric_core.language.departure import DifferenceKind

from .outcome import CaseOutcome, CriterionOutcome, EvaluatorOutcome

__all__ = ["ABSENT", "CASE", "Difference", "compare_cases", "kind_of", "near"]

TOLERANCE = 1e-6
ABSENT = "absent"
#: The place of a difference that no evaluator is to blame for.
CASE = ""
#: A difference as it is printed: of a place, of what, and the two values.
_PRINTED = re.compile(
    r"(?P<place>.*?)(?P<what>case|verdict|score|answer|name|evaluators|(?:points of )?criterion \S+): "
    r"agentv (?P<agentv>.*), rubric (?P<rubric>.*)",
    re.DOTALL,
)
_CASE_KINDS: Mapping[str, DifferenceKind] = {
    "case": "case presence",
    "verdict": "case verdict",
    "score": "case score",
    "answer": "answer",
    "evaluators": "evaluator list",
}
_EVALUATOR_KINDS: Mapping[str, DifferenceKind] = {
    "verdict": "evaluator verdict",
    "score": "evaluator score",
    "name": "evaluator list",
    "evaluators": "evaluator list",
}


@dataclass(frozen=True)
class Difference:
    """One thing that the programs do not agree on."""

    case: str
    #: The evaluator as `type:name`, members behind a slash; CASE for the case itself; `payload LABEL`; `request LABEL`.
    place: str
    what: str
    agentv: str
    rubric: str
    #: What the programs say about it, for people.
    detail: str = ""

    def __str__(self) -> str:
        place = f"{self.place} " if self.place else ""
        return f"{place}{self.what}: agentv {self.agentv}, rubric {self.rubric}"


def kind_of(printed: str) -> DifferenceKind:
    """The kind of a difference, from how it is printed. Raises ValueError for what is no difference.

    A verdict or score that only one program has is a kind of its own: a case that passes with another score is not a
    case that nobody scored.
    """
    if printed.startswith("payload "):
        return "program input"
    if printed.startswith("request "):
        return "model request"
    found = _PRINTED.fullmatch(printed)
    if found is None:
        raise ValueError(f"not a difference: {printed}")
    what, at_case = found["what"], not found["place"]
    if what in ("verdict", "score") and {"unscored", "none"} & {found["agentv"], found["rubric"]}:
        return "case unscored" if at_case else "evaluator unscored"
    kinds = _CASE_KINDS if at_case else _EVALUATOR_KINDS
    return kinds.get(what, "criterion")


def compare_cases(agentv: Mapping[str, CaseOutcome], rubric: Mapping[str, CaseOutcome]) -> list[Difference]:
    """What differs between two runs of a suite, case by case."""
    return [d for case in dict.fromkeys([*agentv, *rubric]) for d in _compare(case, agentv.get(case), rubric.get(case))]


def near(one: float | None, other: float | None) -> bool:
    """Whether two scores are the same; none is like none only."""
    if one is None or other is None:
        return one is other
    return abs(one - other) <= TOLERANCE


def _compare(case: str, agentv: CaseOutcome | None, rubric: CaseOutcome | None) -> Iterator[Difference]:
    if agentv is None or rubric is None:
        there = agentv or rubric
        assert there is not None
        one, other = (outcome.verdict if outcome else ABSENT for outcome in (agentv, rubric))
        yield Difference(case, CASE, "case", one, other, there.says)
        return
    detail = _detail(agentv.says, rubric.says)
    if agentv.verdict != rubric.verdict:
        yield Difference(case, CASE, "verdict", agentv.verdict, rubric.verdict, detail)
    # For a case that could not be scored agentv writes the score 0, rubric none.
    without_score = agentv.verdict == "unscored" and (rubric.score is None or rubric.verdict != "unscored")
    score = None if without_score else agentv.score
    if not near(score, rubric.score):
        yield Difference(case, CASE, "score", _number(score), _number(rubric.score), detail)
    answered = "unscored" not in (agentv.verdict, rubric.verdict) and agentv.answer is not None
    if answered and agentv.answer != rubric.answer:
        yield Difference(case, CASE, "answer", _excerpt(agentv.answer), _excerpt(rubric.answer))
    if agentv.evaluators:
        yield from _evaluators(case, CASE, agentv.evaluators, rubric.evaluators)


def _evaluators(
    case: str, place: str, agentv: Sequence[EvaluatorOutcome], rubric: Sequence[EvaluatorOutcome]
) -> Iterator[Difference]:
    if len(agentv) != len(rubric):
        yield Difference(case, place, "evaluators", _names(agentv), _names(rubric))
        return
    for one, other in zip(agentv, rubric, strict=True):
        yield from _evaluator(case, f"{place}/" if place else "", one, other)


def _evaluator(case: str, parent: str, agentv: EvaluatorOutcome, rubric: EvaluatorOutcome) -> Iterator[Difference]:
    place = f"{parent}{rubric.type}:{rubric.name}"
    detail = _detail("; ".join(agentv.says), "; ".join(rubric.says))
    if agentv.name not in (rubric.name, None):
        yield Difference(case, place, "name", str(agentv.name), str(rubric.name))
    if not near(agentv.score, rubric.score):
        yield Difference(case, place, "score", _number(agentv.score), _number(rubric.score), detail)
    elif agentv.verdict != rubric.verdict:
        yield Difference(case, place, "verdict", agentv.verdict, rubric.verdict, detail)
    if agentv.score is not None and rubric.score is not None:
        yield from _criteria(case, place, agentv.criteria, rubric.criteria)
    if agentv.members or rubric.members:
        yield from _evaluators(case, place, agentv.members, rubric.members)


def _criteria(
    case: str, place: str, agentv: Mapping[str, CriterionOutcome], rubric: Mapping[str, CriterionOutcome]
) -> Iterator[Difference]:
    for name in dict.fromkeys([*agentv, *rubric]):
        one, other = agentv.get(name), rubric.get(name)
        if one is None or other is None:
            found = [_criterion(outcome) for outcome in (one, other)]
            yield Difference(case, place, f"criterion {name}", *found)
        elif not near(one.raw, other.raw):
            yield Difference(case, place, f"points of criterion {name}", _number(one.raw), _number(other.raw))
        elif one.met is not None and one.met != other.met:
            yield Difference(case, place, f"criterion {name}", _criterion(one), _criterion(other))


def _detail(agentv: str, rubric: str) -> str:
    """What each says, on one line."""
    said = ((program, " ".join(text.split())[:300]) for program, text in (("agentv", agentv), ("rubric", rubric)))
    return " | ".join(f"{program}: {text}" for program, text in said if text)


def _criterion(outcome: CriterionOutcome | None) -> str:
    if outcome is None:
        return ABSENT
    return "without result" if outcome.met is None else "met" if outcome.met else "not met"


def _number(score: float | None) -> str:
    return "none" if score is None else f"{score:.6g}"


def _names(evaluators: Sequence[EvaluatorOutcome]) -> str:
    return f"[{', '.join(str(each.name) for each in evaluators)}]"


def _excerpt(text: str | None, most: int = 60) -> str:
    text = text or ""
    return repr(text if len(text) <= most else f"{text[:most]}…")
