"""Unsupported settings of a suite: reported with their line, or rejected if they would change a result."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rubric_core.evaluation.cases.errors import place_words
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.evaluators import AgentJudge, AgentRubric
from rubric_core.language.model import EXTENSION_RULES, Case, DefaultTest, EvaluateOptions, Execution
from rubric_core.language.shape import Shape
from rubric_core.loading.directory_search import URL
from rubric_core.syntax.plain_data import plain
from rubric_core.text import Span

__all__ = ["notes_on", "place_of_other_extensions", "refuse"]

_ANEW = "every case calls its target again, unless the run is told to cache answers"
#: Settings that do not change a result, by shape, with what rubric does instead.
_IDLE: Mapping[type[Shape], Mapping[str, str]] = {
    Execution: {
        "cache": _ANEW,
        "cache_path": _ANEW,
        "verbose": "every result has what was sent and answered",
        "pool_workspaces": "each run creates its own workspaces",
        "otel_file": "rubric does not write traces",
    },
    EvaluateOptions: {"cache": _ANEW, "generate_suggestions": "rubric does not suggest prompts"},
    Case: {"assert_scoring_function": "no release of agentv supports it"},
    DefaultTest: {"assert_scoring_function": "no release of agentv supports it"},
    AgentJudge: {"max_steps": "the agent has its own limit"},
    AgentRubric: {"max_steps": "the agent has its own limit"},
}
#: The supported options of a case.
_OPTIONS = frozenset({"transform", "rubric_prompt", "repeat"})


class _Note(NamedTuple):
    name: str
    why: str
    place: str


def notes_on(cases: Sequence[Runnable]) -> Iterator[str]:
    """A sentence, with the first line, for each key of these cases and their suite that a run ignores."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, why, place in _notes(cases):
        found.setdefault((name, why), []).append(place)
    for (name, why), places in found.items():
        several = list(dict.fromkeys(places))
        more = f" (and {len(several) - 1} more)" if len(several) > 1 else ""
        yield f"{several[0]}{more}: `{name}` is not supported by rubric run: {why}"


def _notes(cases: Sequence[Runnable]) -> Iterator[_Note]:
    seen: set[int] = set()
    for case in cases:
        suite = case.suite
        if id(suite) not in seen:
            seen.add(id(suite))
            for shape in (suite, suite.execution, suite.evaluate_options, suite.default_test):
                yield from _of(shape, case, of_suite=True)
            yield from _evaluator_notes(suite.assertions, case, of_suite=True)
        if id(case.case) not in seen:
            seen.add(id(case.case))
            for part in (case.case, case.case.execution):
                yield from _of(part, case, of_suite=False)
            yield from _evaluator_notes(case.case.assertions, case, of_suite=False)


def _evaluator_notes(written: object, case: Runnable, *, of_suite: bool) -> Iterator[_Note]:
    for each in written if isinstance(written, list) else ():
        if isinstance(each, AgentJudge | AgentRubric):
            yield from _of(each, case, of_suite=of_suite)


def _of(shape: object, case: Runnable, *, of_suite: bool) -> Iterator[_Note]:
    if not isinstance(shape, Shape):
        return
    for kind, keys in _IDLE.items():
        if isinstance(shape, kind):
            for name, why in keys.items():
                if shape.has(name) and vars(shape).get(name) is not False:
                    yield _Note(shape.places[name].name, why, _place(case, shape.key_at(name), of_suite=of_suite))
    if isinstance(shape, Case | DefaultTest) and shape.options:
        written = plain(shape.options, case.suite_anchors if of_suite else case.anchors)
        for option in _unread(written):
            where = _place(case, shape.key_at("options"), of_suite=of_suite)
            yield _Note(f"options.{option}", f"of the options these are: {', '.join(sorted(_OPTIONS))}", where)


def _unread(options: object) -> Iterable[str]:
    return [str(name) for name in options if name not in _OPTIONS] if isinstance(options, Mapping) else ()


def _place(case: Runnable, span: Span, *, of_suite: bool) -> str:
    if of_suite:
        return f"{case.path.name}:{case.suite_line(span)}"
    return f"{(case.file or case.path).name}:{case.case_line(span)}"


def place_of_other_extensions(case: Runnable) -> str:
    """The place of `extensions` that are no functions in files; empty if all of them are."""
    suite = case.suite
    if all(isinstance(each, str) and each.startswith(URL) for each in suite.extensions or ()):
        return ""
    return place_words(case.path if case.file is not None else None, case.suite_line(suite.key_at("extensions")))


def refuse(case: Runnable) -> None:
    """Raises Unscored for a setting of AgentV that rubric does not support and that would change results."""
    where = place_of_other_extensions(case)
    if where:
        raise Unscored(
            f"rubric does not install rules for agents (`{EXTENSION_RULES}`); of `extensions` it runs functions in files, as in `file://setup.py:beforeAll` ({where})"
        )
