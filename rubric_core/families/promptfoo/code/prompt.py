"""promptfoo prompts from a JavaScript or Python function, or printed by a program."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.evaluation.code.scripts import Conventions, language_of, run_function
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.families.promptfoo.code.command import EXEC, command_parts, printed_text
from rubric_core.language.shape import Shape
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports, Program

__all__ = ["MadePrompt", "PromptPlace", "made_prompt"]

#: Bytes.
_OUTPUT_LIMIT = 10_000_000

#: promptfoo drops empty lines of a file's output.
_WHOLE_FILE = """\
import io, contextlib, json, os, runpy, sys
sys.argv = [file, json.dumps(context, separators=(",", ":"), ensure_ascii=False)]
sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    runpy.run_path(file, run_name="__main__")
return "\\n".join(line for line in printed.getvalue().split("\\n") if line)
"""


class PromptPlace(NamedTuple):
    """The place of a prompt's program, and its inputs."""

    ports: Ports
    directory: Path
    #: Seconds.
    time_limit: float
    variables: Mapping[str, Any]
    #: Its id and label.
    provider: Mapping[str, Any]
    config: Mapping[str, Any]
    #: What is to blame for a failure.
    at: Shape


class MadePrompt(NamedTuple):
    """A template, and settings that take precedence over those of the provider."""

    text: str
    config: Mapping[str, Any]


async def made_prompt(program: str, place: PromptPlace) -> MadePrompt:
    """The prompt that `file://PATH[:FUNCTION]` or `exec:COMMAND` produces: a text, or data as JSON. Raises Unscored where promptfoo has an error."""
    context = {"vars": dict(place.variables), "provider": dict(place.provider), "config": dict(place.config)}
    if program.startswith(EXEC):
        return MadePrompt(await _printed(program.removeprefix(EXEC), context, place), {})
    path = program.removeprefix(URL)
    arguments: dict[str, Any] = {"context": context}
    if path.endswith(".py"):  # without a function: the output of the file
        code, arguments = _WHOLE_FILE, {"file": str(place.directory / path), **arguments}
    else:
        code = program
    try:
        made = await run_function(
            code, "python" if code is _WHOLE_FILE else language_of(code), arguments, place.ports, place.directory, place.time_limit,
            place.at, conventions=Conventions(exact=True), says=path if code is _WHOLE_FILE else "",
        )  # fmt: skip
    except GraderError as error:
        raise Unscored(f"the prompt {path}: {error.reason}", at=place.at) from None
    config: Any = {}
    if isinstance(made, dict) and "prompt" in made:
        made, config = made["prompt"], made.get("config") or {}
    if not isinstance(made, str | list | dict):
        raise Unscored(f"the prompt {path}: its function must return a text, a list or a mapping", at=place.at)
    if not isinstance(config, dict):
        raise Unscored(f"the prompt {path}: `config` must be a mapping", at=place.at)
    return MadePrompt(made if isinstance(made, str) else json.dumps(made, ensure_ascii=False), config)


async def _printed(command: str, context: Mapping[str, Any], place: PromptPlace) -> str:
    """The output of a program that gets the context as its last argument. Raises Unscored."""
    told = json.dumps(context, ensure_ascii=False, separators=(",", ":"), default=str)
    limit = place.config.get("timeout")
    seconds = limit / 1000 if isinstance(limit, int | float) and limit > 0 else place.time_limit
    program = Program((*command_parts(command), told), place.directory, b"", {}, seconds, _OUTPUT_LIMIT, data=1)
    try:
        return await printed_text(program, place.ports.processes, place.at)
    except Unscored as error:
        name = program.argv[0]
        is_here = "/" not in name and (place.directory / name).is_file()
        advice = "; promptfoo looks for a name without a folder on the PATH only" if is_here else ""
        raise Unscored(f"the prompt {EXEC}{command}: {error.reason}{advice}", at=place.at) from None
