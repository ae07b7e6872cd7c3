"""The author's own prompt for a judge: text, a file, or a program that prints it."""

from pathlib import Path

from rubric_core.evaluation.context import EvaluationContext
from rubric_core.evaluation.interpolate import Interpolation
from rubric_core.evaluation.judging.prompts import needed_variables, variables_in
from rubric_core.evaluation.own_filters import with_filters
from rubric_core.evaluation.payload import payload_of
from rubric_core.evaluation.programs import ProgramError, argv_of, command_words, json_input, printed
from rubric_core.evaluation.result import Unscored
from rubric_core.language.dialect import Properties
from rubric_core.language.evaluators import LlmJudge, LlmRubric, PromptProgram, Rubric
from rubric_core.language.shape import Shape
from rubric_core.loading.search import URL, current_directory, find_file
from rubric_core.ports import Files, Ports, Program
from rubric_core.syntax.tree import Scalar

__all__ = ["own_prompt", "prompt_file", "prompt_in"]

_LARGEST = 1_000_000
_LONGEST_NAME = 300


def prompt_file(prompt: str, directory: Path, files: Files) -> Path | None:
    """The file that a prompt names: `file://x` has to be one, a bare path may be one."""
    if prompt.startswith(URL):
        return find_file(prompt[len(URL) :], directory, files, current_directory()) or directory / prompt[len(URL) :]
    short = len(prompt) <= _LONGEST_NAME and "\n" not in prompt and "{{" not in prompt
    return find_file(prompt, directory, files, current_directory()) if short else None


async def own_prompt(context: EvaluationContext) -> str | None:
    """The prompt that the evaluator in `context` brings, None without one. Raises Unscored."""
    config = context.evaluator
    if context.ports is None or not isinstance(config, LlmJudge | Rubric):
        return None
    prompt = config.prompt if isinstance(config, LlmJudge | LlmRubric) else None
    if prompt is None:
        return context.rubric_prompt if isinstance(config, Rubric) else None
    if isinstance(prompt, PromptProgram):
        return await _printed(prompt, context, context.ports)
    text, path = await prompt_in(prompt, context, context.ports, config)
    if context.dialect is not None and isinstance(config, LlmJudge):
        _checked(text, context.dialect.properties, config, from_file=path is not None)
    return text


async def prompt_in(prompt: str, context: EvaluationContext, ports: Ports, at: Shape) -> tuple[str, Path | None]:
    """The text of a prompt, and the file in which it stands, if it does. Raises Unscored for a file that cannot be read.

    Where the dialect has values of the case in templates, those are filled in.
    """

    async def work() -> tuple[str, Path | None]:
        return _prompt_in(prompt, context, ports, at)

    return await with_filters(context.filters, work, ports)


def _prompt_in(prompt: str, context: EvaluationContext, ports: Ports, at: Shape) -> tuple[str, Path | None]:
    path = prompt_file(prompt, context.directory, ports.files)
    if path is None:
        return prompt, None
    try:
        text = ports.files.read(path, _LARGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise Unscored(f"the prompt {prompt} cannot be read: {why}", at=at) from None
    if context.dialect is None or not context.dialect.properties.nunjucks:
        return text, path
    node = Scalar(at.span, at.span, None, None, text, "literal")
    filled = Interpolation(
        context.dialect, ports.environment, context.variables, lambda _: 1, filters=context.filters
    ).node(node)
    return (filled.text if isinstance(filled, Scalar) else text), path


def _checked(text: str, properties: Properties, config: LlmJudge, *, from_file: bool) -> None:
    """Refuse a template with which the judge would not see the answer."""
    needed, found = needed_variables(properties), variables_in(text)
    if needed and (found or from_file) and not found & set(needed):
        names = " or ".join(f"{{{{ {name} }}}}" for name in needed)
        raise Unscored(f"the judge's prompt has no {names}, so the judge would not see what to grade", at=config)


async def _printed(prompt: PromptProgram, context: EvaluationContext, ports: Ports) -> str:
    command = prompt.command or []
    stdin = json_input({**payload_of(context), "config": prompt.config})
    directory, limit = context.directory.resolve(), context.time_limit
    program = Program(argv_of(command), directory, stdin, time_limit=limit, output_limit=_LARGEST)
    try:
        return await printed(program, ports.processes)
    except ProgramError as error:
        raise Unscored(f"the prompt program {command_words(command)}: {error}", at=prompt) from None
