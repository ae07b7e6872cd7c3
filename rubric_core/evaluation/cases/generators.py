"""Cases that a program makes: `tests: file://make.py:cases`. It is run when the suite is, and never to look at it."""

import json
from collections.abc import Mapping

from rubric_core.evaluation.cases.load import GeneratedCases, LoadedSuite
from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.result import Unscored
from rubric_core.language.shape import Shape
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports
from rubric_core.text import Span

__all__ = ["generate_cases"]

_SECONDS = 60.0
#: The function of a Python file in which none is named.
_USUAL = "generate_tests"


async def generate_cases(suite: LoadedSuite, ports: Ports) -> Mapping[str, GeneratedCases]:
    """What the programs of a suite make, by the path as the suite writes it; nothing of this is kept."""
    return {text: await _made(text, suite, ports) for text in suite.programs}


async def _made(text: str, suite: LoadedSuite, ports: Ports) -> GeneratedCases:
    code = text if text.startswith(URL) else f"{URL}{text}"
    at = Shape(Span(0, 0))
    try:
        directory = suite.path.absolute().parent
        value = await run_function(code, language_of(code), {}, ports, directory, _SECONDS, at, function=_USUAL)
    except Unscored as problem:
        return GeneratedCases(trouble=problem.reason)
    listed = value.get("tests") if isinstance(value, dict) else value
    if not isinstance(listed, list) or not all(isinstance(case, dict) for case in listed):
        return GeneratedCases(trouble="it must return a list of cases, each a mapping")
    return GeneratedCases("\n".join(json.dumps(case, ensure_ascii=False) for case in listed))
