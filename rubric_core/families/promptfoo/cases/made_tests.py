"""The tests that programs of a configuration make."""

from rubric_core.evaluation.cases.case_programs import generated_lines, returned_value
from rubric_core.evaluation.cases.loaded_suite import GeneratedCases, LoadedSuite
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.cases.case_programs import program_of
from rubric_core.ports import Ports

__all__ = ["made_tests"]


async def made_tests(key: str, suite: LoadedSuite, ports: Ports) -> GeneratedCases:
    """The list of tests that the program with a key returns."""
    program = program_of(key)
    arguments = {} if program.config is None else {"config": program.config}
    try:
        value = await returned_value(program.text, arguments, suite, ports, tests=True)
    except Unscored as problem:
        return GeneratedCases(trouble=problem.reason)
    if not isinstance(value, list) or not all(isinstance(test, dict) for test in value):
        return GeneratedCases(trouble=f"{program.text} must return a list of tests, each a mapping")
    return generated_lines(value)
