"""The environment of a row, and the row with it filled in, as promptfoo fills in its whole configuration before it reads the tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.code.interpreters import INTERPRETERS, Language, with_interpreter
from rubric_core.evaluation.code.scripts import language_of
from rubric_core.evaluation.model.result import EvaluatorResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.model.variables import Variables
from rubric_core.evaluation.templating.nunjucks import TemplateError, Templates
from rubric_core.families.promptfoo.cases.run_environment import (
    MissingEnvironmentFileError,
    RunEnvironment,
    run_environment,
)
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.language.run_options import DISABLE_TEMPLATING, hides_environment, is_on
from rubric_core.families.promptfoo.loading.environment_settings import fill_environment, render_environment
from rubric_core.families.promptfoo.model.assertion import PromptfooAssertion
from rubric_core.families.promptfoo.targets.scripts import script_of
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Ports

__all__ = ["Environment", "require_no_failure", "template_variables", "with_promptfoo_variables"]

#: The variable that makes a row with a failed assertion an error.
_SHORT_CIRCUIT = "PROMPTFOO_SHORT_CIRCUIT_TEST_FAILURES"
#: How often variables of `env` are filled into one another.
_ROUNDS = 3


async def with_promptfoo_variables(case: PromptfooRunnable, ports: Ports) -> Ports:
    """The ports with the variables in which promptfoo would run. Raises Unscored for a file with variables that cannot be read."""
    known = case.facts.environments.get(ports.environment)
    if known is None:
        known = case.facts.environments.keep(ports.environment, await _promptfoo_variables(case, ports))
    return ports if known is ports.environment else replace_fields(ports, environment=known)


async def _promptfoo_variables(case: PromptfooRunnable, ports: Ports) -> Mapping[str, str]:
    configuration = case.matrix.configuration
    try:
        found = run_environment(
            ports.environment, configuration.data, configuration.directory, case.options.working_directory, ports.files
        )
    except MissingEnvironmentFileError as error:
        raise Unscored(f"promptfoo stops: {error}", at=case.case) from None
    running: Mapping[str, str] = found.running
    if any("{{" in value for value in found.own.values()) and not is_on(found.loading, DISABLE_TEMPLATING):
        running = await ports.sandbox.threaded(lambda: _filled_variables(found, ports))
    ports = ports if running is ports.environment else replace(ports, environment=running)
    return _with_interpreters(case, ports).environment


def _with_interpreters(case: PromptfooRunnable, ports: Ports) -> Ports:
    """The ports with which all code is run as that of the providers: promptfoo takes the first interpreter that it has found.

    Where providers name different ones, which is the first depends on how fast they start; then each has its own.
    """
    for language, interpreter in INTERPRETERS.items():
        providers = (each for each in case.matrix.providers if _is_written_in(language, each.id))
        chosen = {str(each.config.get(interpreter.setting) or "") for each in providers}
        if len(chosen) == 1:
            ports = with_interpreter(ports, language, fill_environment(chosen.pop(), ports.environment))
    return ports


def _is_written_in(language: Language, identity: str) -> bool:
    script = script_of(identity)
    return bool(script) and language_of(script, ruby=True) == language


def template_variables(case: PromptfooRunnable, ports: Ports) -> Mapping[str, str]:
    """The variables that templates of a row read as `env` while it runs."""
    return _own(case, ports) if hides_environment(ports.environment) else ports.environment


def _own(case: PromptfooRunnable, ports: Ports) -> Mapping[str, str]:
    """The variables of `env` in the configuration."""
    written = case.matrix.configuration.data.get("env")
    names = written if isinstance(written, dict) else ()
    return {name: ports.environment[name] for name in names if name in ports.environment}


def require_no_failure(results: Sequence[EvaluatorResult], environment: Mapping[str, str]) -> None:
    """With the variable that ends a row at its first failed assertion, raises Unscored if one failed: the row is an error."""
    if not is_on(environment, _SHORT_CIRCUIT):
        return
    for each in (each for outer in results for each in outer.flat()):
        if each.verdict is Verdict.FAILED:
            said = "; ".join(each.misses[:1]) or "failed"
            raise Unscored(f"{each.name}: {said}; the row is an error, as ${_SHORT_CIRCUIT} says")


def _filled_variables(found: RunEnvironment, ports: Ports) -> Mapping[str, str]:
    """The environment with the templates in `env` filled in. Blocks."""
    running = found.running
    for _ in range(_ROUNDS):
        templates = Templates({}, running, ports.sandbox, is_plain=True)

        def render(expression: str, templates: Templates = templates) -> str | None:
            try:
                return templates.text(expression)
            except TemplateError:
                return None

        filled = render_environment({name: running[name] for name in found.own}, running, render)
        if all(running[name] == value for name, value in filled.items()):
            break
        running = Variables(filled, running)
    return running


class Environment:
    """The environment as a source of values for one row. Blocks. Nothing is filled into what comes from other files."""

    def __init__(self, case: PromptfooRunnable, ports: Ports) -> None:
        known = case.matrix.configuration.environment
        before = {n: known.loading[n] for n in known.further if n in known.loading and n not in known.own}
        self._case, self._variables = case, Variables(before, ports.environment) if before else ports.environment
        if hides_environment(known.loading):
            self._variables = _own(case, ports)
        self._is_off = is_on(known.loading, DISABLE_TEMPLATING)
        self._templates = Templates({}, self._variables, ports.sandbox, is_plain=True)

    @staticmethod
    def is_read(case: PromptfooRunnable) -> bool:
        """Whether anything of a case reads it."""
        return case.facts.of_text(case.suite_text).mentions_env

    def row(self) -> PromptfooRunnable:
        """The row with its variables and the other keys of its test filled in; its assertions are filled in one by one."""
        case = self._case
        foreign, variant = case.test.foreign, case.variant
        data = dict(case.test.data) if case.test.source is not None else self._part(case.test.data, {"vars", "assert"})
        if isinstance(data.get("vars"), dict):
            data["vars"] = self._part(data["vars"], foreign)
        if variant is not None and variant.variables is not None:
            variant = replace_fields(variant, variables=self._part(variant.variables, foreign))
        return replace(case, test=replace_fields(case.test, data=data), variant=variant)

    def settings(self, assertion: PromptfooAssertion, number: int) -> Mapping[str, Any]:
        """The settings of an assertion of the row with a number, from 0, or of a member of it."""
        test = self._case.test
        is_inline = test.source is None
        if number < test.inherited:
            is_inline = not isinstance(self._case.matrix.configuration.data.get("defaultTest"), str)
        settings = assertion.settings
        return self._part(settings, {"assert", "type"}) if is_inline and self.is_read(self._case) else settings

    def text(self, text: str) -> str:
        """A text of the configuration."""
        return str(self._filled(text))

    def _part(self, written: Mapping[str, Any], kept: "set[str] | frozenset[str]") -> dict[str, Any]:
        return {name: value if name in kept else self._filled(value) for name, value in written.items()}

    def _filled(self, value: Any) -> Any:
        if self._is_off:
            return value
        return render_environment(value, self._variables, self._rendered)

    def _rendered(self, expression: str) -> str | None:
        try:
            return self._templates.text(expression)
        except TemplateError:
            return None
