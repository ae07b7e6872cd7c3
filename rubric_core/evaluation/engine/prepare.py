"""Prepares a case of AgentV: fills in values from the environment, its `vars`, its prompt and other files."""

from collections.abc import Mapping

from rubric_core.evaluation.cases.prompts import case_input
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.fill_variables import fill_variables
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.model.variables import Variables
from rubric_core.evaluation.templating.custom_filters import CustomFilters, with_filters
from rubric_core.evaluation.templating.interpolate import Interpolation, node_of
from rubric_core.evaluation.templating.nunjucks import render_off_loop
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Ports
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Scalar

__all__ = ["fill_in_case", "prepare_case", "require_valid", "with_variables"]


def require_valid(case: Runnable) -> None:
    """Raises Unscored for a case with errors that keep it from being run.

    Errors about a target do not count when another target is requested.
    """
    chosen = case.options.target is not None or case.options.targets_file is not None
    problems = [each for each in case.problems if not (chosen and each[1].startswith("unknown-target:"))]
    if problems:
        where, message = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise Unscored(f"{where} has a mistake, {message}{more}")


async def with_variables(case: Runnable, ports: Ports) -> Ports:
    """The ports with the environment variables that the suite sets for its run. Raises Unscored."""
    if not case.suite.env:
        return ports
    known = case.facts.environments.get(ports.environment)
    if known is None:
        known = case.facts.environments.keep(ports.environment, await _with_own_variables(case, ports))
    return ports if known is ports.environment else replace(ports, environment=known)


async def _with_own_variables(case: Runnable, ports: Ports) -> Mapping[str, str]:
    """The environment with the variables of the suite, filled in. Raises Unscored."""
    written = plain(case.suite.env, case.suite_anchors)
    own = {name: str(value) for name, value in written.items() if isinstance(value, str | int | float)}
    if not own:
        return ports.environment
    filling = Interpolation(case.dialect, ports.environment, {}, case.suite_place, sandbox=ports.sandbox)
    at = Scalar(case.suite.at("env"), case.suite.at("env"), None, None, "", "double")
    filled = await render_off_loop(case.dialect, ports, lambda: filling.node(node_of(own, at)))
    return Variables(plain(filled, {}), ports.environment)


def _with_templates(case: Runnable, ports: Ports) -> Runnable:
    """The case with the values for its templates, if its dialect has templates with expressions."""
    filters, sandbox = _filters(case), ports.sandbox if case.dialect.properties.nunjucks else None
    same = filters is case.filters and sandbox is case.sandbox
    return case if same else replace(case, filters=filters, sandbox=sandbox)


def _filters(case: Runnable) -> CustomFilters | None:
    """The template filters of the suite of a case, shared by its cases; None if it defines none."""
    if not case.suite.nunjucks_filters or not case.dialect.properties.nunjucks:
        return None
    if case.facts.filters is None:
        line = case.suite_line(case.suite.key_at("nunjucks_filters"))
        case.facts.filters = CustomFilters(case.filter_files, case.suite, case.directory, case.options.time_limit, line)
    return case.facts.filters


async def fill_in_case(case: Runnable, ports: Ports) -> Runnable:
    """The case with the environment and its values filled in, but without its prompt. Raises Unscored."""
    given = _with_templates(case, ports)

    async def work() -> Runnable:
        return await render_off_loop(case.dialect, ports, lambda: fill_variables(given, ports.environment))

    return await with_filters(given.filters, work, ports)


async def prepare_case(case: Runnable, ports: Ports) -> Runnable:
    """The case with everything filled in. Raises Unscored for missing values and files."""
    given = _with_templates(case, ports)

    async def work() -> Runnable:
        ready = await case_input(
            await render_off_loop(case.dialect, ports, lambda: fill_variables(given, ports.environment)), ports
        )
        # Read from their files, if they are in files.
        await render_off_loop(case.dialect, ports, lambda: ready.evaluators)
        return ready

    ready = await with_filters(given.filters, work, ports)
    trouble = ready.row.trouble or next(iter(ready.borrowed.troubles.values()), "")
    if trouble:
        raise Unscored(trouble)
    return ready
