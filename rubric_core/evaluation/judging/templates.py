"""The custom prompt for a judge: a text, a file, or a program that prints it."""

from pathlib import Path

from rubric_core.evaluation.code.commands import (
    ProgramError,
    argv_of,
    command_words,
    json_input,
    program_output,
    shown_argv,
)
from rubric_core.evaluation.code.payload import prompt_payload
from rubric_core.evaluation.judging.prompts import custom_prompt_text, needed_variables
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.inputs import CustomPrompt
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.evaluation.templating.custom_filters import with_filters
from rubric_core.evaluation.templating.interpolate import Interpolation
from rubric_core.evaluation.templating.nunjucks import render_off_loop
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import LlmJudge, LlmRubric, PromptProgram, Rubric
from rubric_core.language.properties import Properties
from rubric_core.language.shape import Shape
from rubric_core.language.variables import replaces_system, variables_in
from rubric_core.loading.directory_search import URL, current_directory, find_file
from rubric_core.ports import Files, Ports, Program
from rubric_core.syntax.tree import Scalar

__all__ = ["WholePrompt", "custom_prompt", "prompt_file", "prompt_in"]

_LARGEST = 1_000_000
_LONGEST_NAME = 300


class WholePrompt(str):
    """A prompt that an evaluator composes itself: the judge gets nothing else but the reply format."""

    __slots__ = ()


def prompt_file(prompt: str, directory: Path, files: Files, properties: Properties) -> Path | None:
    """The file that a prompt names: `file://x` must be one, a bare path may be one in dialects that read paths."""
    if prompt.startswith(URL):
        return find_file(prompt[len(URL) :], directory, files, current_directory()) or directory / prompt[len(URL) :]
    if not properties.bare_prompt_paths:
        return None
    short = len(prompt) <= _LONGEST_NAME and "\n" not in prompt and "{{" not in prompt
    return find_file(prompt, directory, files, current_directory()) if short else None


async def custom_prompt(context: EvaluationContext) -> CustomPrompt | None:
    """The custom prompt of the evaluator in `context`, None without one. Raises Unscored.

    The output of a program and the content of a file are whole prompts. So is a text in the suite that contains
    a template variable; without any, the text is the criteria.
    """
    config = context.evaluator
    if context.ports is None or not isinstance(config, LlmJudge | Rubric):
        return None
    prompt = config.prompt if isinstance(config, LlmJudge | LlmRubric) else None
    if prompt is None:
        inherited = context.rubric_prompt if isinstance(config, Rubric) else None
        return None if inherited is None else custom_prompt_text(inherited, _properties(context))
    if isinstance(prompt, PromptProgram):
        return CustomPrompt(await _printed(prompt, context, context.ports), whole=True)
    if isinstance(prompt, WholePrompt):
        return CustomPrompt(prompt, whole=True)
    text, path = await prompt_in(prompt, context, context.ports, config)
    own = CustomPrompt(text, whole=True) if path is not None else custom_prompt_text(text, _properties(context))
    if own.whole and context.dialect is not None and isinstance(config, LlmJudge):
        _checked(text, context.dialect.properties, config)
    return own


def _properties(context: EvaluationContext) -> Properties:
    return (context.dialect or DIALECTS[-1]).properties


async def prompt_in(prompt: str, context: EvaluationContext, ports: Ports, at: Shape) -> tuple[str, Path | None]:
    """The text of a prompt, and its file, if it is in one. Raises Unscored for an unreadable file.

    Where the dialect has values of the case in templates, those are filled in.
    """

    async def work() -> tuple[str, Path | None]:
        if context.dialect is None:
            return _prompt_in(prompt, context, ports, at)
        return await render_off_loop(context.dialect, ports, lambda: _prompt_in(prompt, context, ports, at))

    return await with_filters(context.filters, work, ports)


def _prompt_in(prompt: str, context: EvaluationContext, ports: Ports, at: Shape) -> tuple[str, Path | None]:
    path = prompt_file(prompt, context.directory, ports.files, _properties(context))
    if path is None:
        return prompt, None
    try:
        text = ports.files.read(path, _LARGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise GraderError(f"the prompt {prompt} cannot be read: {why}", at=at) from None
    if context.dialect is None or not context.dialect.properties.nunjucks:
        return text, path
    node = Scalar(at.span, at.span, None, None, text, "literal")
    filled = Interpolation(
        context.dialect,
        ports.environment,
        context.variables,
        lambda _: path.name,
        sandbox=ports.sandbox,
        filters=context.filters,
    ).node(node)
    return (filled.text if isinstance(filled, Scalar) else text), path


def _checked(text: str, properties: Properties, config: LlmJudge) -> None:
    """Reject a template that does not show the answer to the judge."""
    needed, found = needed_variables(properties), variables_in(text)
    if needed and not replaces_system(text, properties) and not found & set(needed):
        names = " or ".join(f"{{{{ {name} }}}}" for name in needed)
        raise Unscored(f"the judge's prompt has no {names}, so the judge would not see the answer", at=config)


async def _printed(prompt: PromptProgram, context: EvaluationContext, ports: Ports) -> str:
    """The output of a program. Its script is resolved like other files, and it runs in the directory of the script."""
    command = list(prompt.command or [])
    own = {} if prompt.config is None else {"config": prompt.config}
    told = {**prompt_payload(context), **own}
    context.exchanges.add(Exchange(role="program", to=command_words(command), argv=shown_argv(command), payload=told))
    stdin, limit = json_input(told), context.time_limit
    directory = context.directory.resolve()
    script = find_file(command[-1], directory, ports.files, current_directory()) if command else None
    if script is not None:
        command[-1], directory = str(script), script.parent
    program = Program(argv_of(command, ports.environment), directory, stdin, time_limit=limit, output_limit=_LARGEST)
    try:
        return (await program_output(program, ports.processes)).strip()
    except ProgramError as error:
        raise GraderError(f"the prompt program {command_words(command)}: {error}", at=prompt) from None
