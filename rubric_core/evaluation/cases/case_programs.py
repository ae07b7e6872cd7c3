"""Runs a program that makes cases, and keeps what it returns."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.cases.loaded_suite import GeneratedCases, LoadedSuite
from rubric_core.evaluation.code.scripts import Conventions, language_of, run_function
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.shape import Shape
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports
from rubric_core.text import Span

__all__ = ["generated_lines", "made_cases", "returned_value"]

_SECONDS = 60.0
#: The default function of a Python file.
_USUAL = "generate_tests"


async def returned_value(
    text: str, arguments: Mapping[str, Any], suite: LoadedSuite, ports: Ports, *, tests: bool = False
) -> Any:
    """The value that a program returns; with `tests`, it may also be a list that a file exports. Raises Unscored."""
    code = text if text.startswith(URL) else f"{URL}{text}"
    directory = suite.path.absolute().parent
    at = Shape(Span(0, 0))
    return await run_function(
        code, language_of(code), arguments, ports, directory, _SECONDS, at, function=_USUAL, tests=tests,
        conventions=Conventions(exact=tests),
    )  # fmt: skip


def generated_lines(cases: Sequence[Any]) -> GeneratedCases:
    """Cases that a program has returned, one per line."""
    return GeneratedCases("\n".join(json.dumps(case, ensure_ascii=False) for case in cases))


async def made_cases(program: str, suite: LoadedSuite, ports: Ports) -> GeneratedCases:
    """The cases that a program of AgentV's suites returns: a list, or a mapping with a list under `tests`."""
    try:
        value = await returned_value(program, {}, suite, ports)
    except Unscored as problem:
        return GeneratedCases(trouble=problem.reason)
    listed = value.get("tests") if isinstance(value, dict) else value
    if not isinstance(listed, list) or not all(isinstance(case, dict) for case in listed):
        return GeneratedCases(trouble="it must return a list of cases, each a mapping")
    return generated_lines(listed)
