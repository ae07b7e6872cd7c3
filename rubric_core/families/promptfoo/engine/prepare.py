"""Prepares a row of promptfoo: takes values from earlier rows and programs, then fills in its templates."""

import asyncio
import os
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.code.scripts import Conventions, language_of, run_function
from rubric_core.evaluation.engine.attempt import secrets_of
from rubric_core.evaluation.engine.repeats import repeats_of
from rubric_core.evaluation.model.redaction import seal
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.evaluation.templating.custom_filters import CustomFilters, with_filters
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.history import reads_conversation
from rubric_core.families.promptfoo.cases.models import UnsentError, has_template, with_files
from rubric_core.families.promptfoo.cases.runnable import FilledRow, PromptfooRunnable
from rubric_core.families.promptfoo.code.prompt import MadePrompt, PromptPlace, made_prompt
from rubric_core.families.promptfoo.code.transform import TransformPlace, transformed_variables
from rubric_core.families.promptfoo.engine.environment import Environment
from rubric_core.families.promptfoo.engine.filling import RowFilling
from rubric_core.families.promptfoo.language.case import CaseOptions
from rubric_core.families.promptfoo.language.run_options import DISABLE_TEMPLATING, HIDING, hides_environment, is_on
from rubric_core.families.promptfoo.targets.models.model_call import FROM_FILE
from rubric_core.families.promptfoo.targets.scripts import runtime_variables
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Files, Ports

__all__ = ["prepare_promptfoo"]

#: The options of a test that are no settings of a provider.
_OWN_OPTIONS = frozenset(key.name or name for name, key in CaseOptions.keys.items())
#: A variable whose value is computed by a function in a file.
_PROGRAM = pattern(r"file://.+\.(?P<ending>[cm]?[jt]s|py)\Z")
#: How a program that gives a value is called.
_CONVENTIONS = Conventions(default_export=True, exact=True, infinite=True)
_METADATA = re.compile(r"\bmetadata\b")


async def prepare_promptfoo(case: PromptfooRunnable, ports: Ports) -> PromptfooRunnable:
    """The row with everything filled in. Raises Unscored."""
    _refuse(case)
    if Environment.is_read(case):
        case = await ports.sandbox.computed(Environment(case, ports).row)
    earlier, transformed = _earlier(case, ports), await _transformed(case, ports)
    if earlier or transformed is not None:
        case = replace(case, earlier=earlier, transformed=transformed)
    computed = await _computed(case, ports)
    if computed:
        case = replace(case, computed=computed)
    filters, made = _filters(case), await _made_by_program(case, ports)
    made_text, config = made if made is not None else (None, {})

    async def work() -> FilledRow:
        def fill() -> FilledRow:
            filling = RowFilling(case, ports, filters, made_text)
            row = filling.row()
            return replace_fields(row, config=_config(case, config, filling, row.variables))

        return await ports.sandbox.computed(fill)

    return replace(case, filled=await with_filters(filters, work, ports), filters=filters, sandbox=ports.sandbox)


def _config(
    case: PromptfooRunnable, made: Mapping[str, Any], filling: RowFilling, variables: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The settings of the row that take precedence over those of the provider: of its prompt, of the prompt's function, of its test.

    For a model they include those of the provider with templates in them. Raises Unscored.
    """
    prompt = case.sent_prompt
    options = {name: value for name, value in case.test.part("options").items() if name not in _OWN_OPTIONS}
    own = {**(prompt.config if prompt is not None else {}), **made, **options}
    provider = case.answering_provider
    if provider is None or provider.target is None or provider.target.model is None:
        return own
    family = provider.target.model.family
    own = own if family.takes_row_settings else {}
    filled = {name: provider.config[name] for name in family.filled if has_template(provider.config.get(name))}
    wanted = {**filled, **{name: own[name] for name in family.filled if name in own}}
    if not wanted:
        return own
    written = {name for name in wanted if name not in made and not has_template(wanted[name])}
    configuration, values = case.matrix.configuration, filling.setting(wanted, variables)
    try:
        data = with_files(values, written, partial(configuration.external, files=case.files))
        named = [name for name in family.filled if name not in written]
        data = with_files(data, named, partial(_external_inside, configuration, case.files))
    except UnsentError as error:
        raise Unscored(f"rubric does not send {error} to {provider.id}", at=case.case) from None
    except ConfigurationError as error:
        raise Unscored(f"promptfoo stops: {error}", at=case.case) from None
    return {**own, **({FROM_FILE: False} if "response_format" in wanted else {}), **data}


def _external_inside(configuration: PromptfooConfiguration, files: Files, name: str) -> Any:
    """The data in a file that a template or a program names: no question before the run can show it. Raises UnsentError."""
    folder = configuration.directory
    if not os.path.realpath(folder / name.removeprefix(URL)).startswith(os.path.realpath(folder) + os.sep):
        raise UnsentError(f"{name}, because a file that a template names has to be in the folder of the configuration,")
    return configuration.external(name, files)


def _filters(case: PromptfooRunnable) -> CustomFilters | None:
    if not case.filter_files:
        return None
    if case.facts.filters is None:
        line = case.suite_line(case.matrix.configuration.node("nunjucksFilters").span)
        case.facts.filters = CustomFilters(case.filter_files, case.suite, case.directory, case.options.time_limit, line)
    return case.facts.filters


def _refuse(case: PromptfooRunnable) -> None:
    """Raises Unscored for features that rubric does not support and that would change the result."""
    found: list[str] = []
    if case.suite.extensions and case.test.part("options").get("transformVars"):
        found.append("`extensions` together with `transformVars`")
    prompt = case.sent_prompt
    if prompt is not None and prompt.trouble:
        raise Unscored(f"the prompt {prompt.label!r:.60}: {prompt.trouble}")
    if prompt is not None and reads_conversation(prompt.text) and _METADATA.search(prompt.text):
        found.append("prompts with `metadata` of earlier turns")
    if case.comparing and repeats_of(case).count > 1:
        found.append("`repeat` of tests whose outputs are compared")
    if case.history is not None and repeats_of(case).count > 1:
        found.append("`repeat` of tests that read what earlier ones gave")
    provider, known = case.answering_provider, case.matrix.configuration.environment
    # promptfoo fills the configuration in before it heeds these there.
    found += [f"`env` with {name}" for name in (DISABLE_TEMPLATING, *HIDING) if is_on(known.own, name)]
    if provider is not None and hides_environment(known.running) and "env" in f"{provider.id} {provider.config}":
        found.append("providers that read `env` while $PROMPTFOO_DISABLE_TEMPLATE_ENV_VARS is set")
    if found:
        raise Unscored(f"rubric does not run {', '.join(found)} of promptfoo", at=case.case)


async def _transformed(case: PromptfooRunnable, ports: Ports) -> Mapping[str, Any] | None:
    """The variables of the row after `transformVars` of its options; None without it. Raises Unscored."""
    code = case.test.part("options").get("transformVars")
    if not code:
        return None
    rows = list(case.rows())
    sealed = seal(ports, secrets_of(case, ports))
    place = TransformPlace(sealed, case.directory, case.options.time_limit, case.test.part("vars"), {}, case.case)
    made = list(case.rows(await transformed_variables(code, place)))
    if len(made) != len(rows):
        words = (
            f"`transformVars` makes {len(made)} rows of the {len(rows)} that the test has, which rubric does not run"
        )
        raise Unscored(words, at=case.case)
    return made[case.place.number].variables


async def _computed(case: PromptfooRunnable, ports: Ports) -> Mapping[str, Any]:
    """The variables computed by functions in files. Raises Unscored where promptfoo would stop the whole run."""
    if not any(isinstance(value, str) and _PROGRAM.match(value) for value in case.variables.values()):
        return {}
    prompt, provider = case.sent_prompt, case.provider
    sealed, found = seal(ports, secrets_of(case, ports)), dict[str, Any]()
    for name, value in case.variables.items():
        program = _PROGRAM.match(value) if isinstance(value, str) else None
        if program is None:
            continue
        told: dict[str, Any] = {
            "name": name,
            "prompt": prompt.text if prompt is not None else "",
            "vars": {**case.variables, **found},
        }
        if program["ending"] != "py":
            told["provider"] = {"id": provider.id, "label": provider.label} if provider is not None else {}
        try:
            made = await run_function(
                value, language_of(value), told, sealed, case.directory, case.options.time_limit, case.case, function="get_var",
                conventions=_CONVENTIONS,
            )  # fmt: skip
        except GraderError as error:
            raise Unscored(f"the variable {name}: {error.reason}", at=case.case) from None
        output = made.get("output") if isinstance(made, dict) and not made.get("error") else None
        if not output or (program["ending"] == "py" and not isinstance(output, str)):
            raise Unscored(f"the variable {name}: {value} returned no `output`", at=case.case)
        found[name] = output.strip() if program["ending"] == "py" else output
    return found


def _earlier(case: PromptfooRunnable, ports: Ports) -> Mapping[str, Any]:
    """The variables that this row takes from earlier rows of the run. Raises Unscored if those have not been run."""
    history, place = case.history, case.place
    if history is None:
        return {}
    missing = history.missing(place, [name for name in case.case.depends_on or () if isinstance(name, str)])
    if missing:
        raise Unscored(f"not run: {missing}, which it continues, was not run", at=case.case)
    found: dict[str, Any] = {}
    prompt, options = case.sent_prompt, case.test.part("options")
    text = f"{options.get('prefix') or ''}{prompt.text if prompt is not None else ''}{options.get('suffix') or ''}"
    is_off = options.get("disableConversationVar") or is_on(ports.environment, "PROMPTFOO_DISABLE_CONVERSATION_VAR")
    if reads_conversation(text) and not is_off:
        found["_conversation"] = history.conversation(place, case.test.conversation_id)
    return {**found, **history.stored}


async def _made_by_program(case: PromptfooRunnable, ports: Ports) -> MadePrompt | None:
    """The prompt that a program makes from the variables; None if the prompt is a text. Raises Unscored."""
    prompt, provider = case.sent_prompt, case.provider
    if prompt is None or not prompt.program:
        return None
    filling = RowFilling(case, ports, None, None)
    read = await asyncio.to_thread(lambda: {name: filling.value(name, value) for name, value in case.variables.items()})
    variables = {**read, **case.earlier, **runtime_variables(case.row_number, case.column, 0)}
    about = {"id": provider.id, "label": provider.label} if provider is not None else {}
    sealed = seal(ports, secrets_of(case, ports))
    place = PromptPlace(sealed, case.directory, case.options.time_limit, variables, about, prompt.config, case.case)
    return await made_prompt(prompt.program, place)
