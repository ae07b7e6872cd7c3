"""Files in an answer, as text for judges: converted by the `preprocessors` of evaluator and suite, else unchanged."""

import mimetypes
from collections.abc import Iterator
from pathlib import Path

from rubric_core.environment_files import refuse_environment_file
from rubric_core.evaluation.code.commands import (
    ProgramError,
    argv_of,
    command_words,
    json_input,
    program_output,
    shown_argv,
)
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.language.evaluators import Preprocessor
from rubric_core.lazy_compilation import replace
from rubric_core.ports import AnswerFile, Program

__all__ = ["answer_with_files"]

_LARGEST = 2_000_000


async def answer_with_files(context: EvaluationContext) -> EvaluationContext:
    """The context with the text of each file appended to the answer. Raises Unscored for a file without text."""
    files = context.answer.files if context.answer is not None else ()
    if not files:
        return context
    texts = [f"[[ file: {file.path} ]]\n{(await _text(file, context)).rstrip()}" for file in files]
    return replace(context, candidate="\n".join([*([context.candidate] if context.candidate else []), *texts]))


async def _text(file: AnswerFile, context: EvaluationContext) -> str:
    path = _placed(context.workspace or context.directory, file.path)  # the working directory of the target
    program = next((each for each in _programs(context) if _takes(each, file)), None)
    try:
        refuse_environment_file(path)
        refuse_environment_file(context.directory / file.path)
    except OSError as error:
        raise _unreadable(file, error, context) from None
    if program is None or not program.command:
        return _as_it_is(path, file, context)
    if context.ports is None:
        raise Unscored("files are converted to text only as part of a run", at=program)
    told = {"path": str(path), "original_path": file.path, "media_type": _media_type(file)}
    argv, directory = argv_of(program.command, context.ports.environment), _placed(context.directory, ".")
    words = command_words(program.command)
    context.exchanges.add(Exchange(role="program", to=words, argv=shown_argv(program.command), payload=told))
    started = Program(argv, directory, json_input(told), time_limit=context.time_limit)
    try:
        return await program_output(started, context.ports.processes)
    except ProgramError as error:
        reason = f"the preprocessor {words} for {file.path}: {error}"
        raise GraderError(reason, at=program) from None


def _placed(directory: Path, name: str) -> Path:
    return (directory / name).resolve()


def _programs(context: EvaluationContext) -> Iterator[Preprocessor]:
    """The preprocessors; those of the evaluator precede those of the suite."""
    own = context.evaluator.preprocessors if context.evaluator is not None else None
    for each in (*(own or ()), *context.preprocessors):
        if isinstance(each, Preprocessor):
            yield each


def _takes(program: Preprocessor, file: AnswerFile) -> bool:
    kind = (program.type or "").lower().removeprefix(".")
    return bool(kind) and kind in (
        _media_type(file).lower(),
        Path(file.path).suffix.lower().removeprefix("."),
        (mimetypes.guess_extension(file.media_type) or "").removeprefix("."),
    )


def _media_type(file: AnswerFile) -> str:
    return file.media_type or mimetypes.guess_type(file.path)[0] or "application/octet-stream"


def _as_it_is(path: Path, file: AnswerFile, context: EvaluationContext) -> str:
    try:
        if context.ports is None:
            raise Unscored("files are read only as part of a run", at=context.evaluator)
        return context.ports.files.read(path, _LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        kind = Path(file.path).suffix.removeprefix(".") or _media_type(file)
        reason = f"the file {file.path} of the answer is not text; a preprocessor can convert it: `preprocessors: [{{type: {kind}, command: …}}]`"
        raise Unscored(reason, at=context.evaluator) from None
    except OSError as error:
        raise _unreadable(file, error, context) from None


def _unreadable(file: AnswerFile, error: OSError, context: EvaluationContext) -> GraderError:
    words = f"the file {file.path} of the answer cannot be read: {error.strerror or error}"
    return GraderError(words, at=context.evaluator)
