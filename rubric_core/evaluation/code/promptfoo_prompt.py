"""Prompts of promptfoo that a function in a JavaScript or Python file makes, or a Python file prints (issue 18, section 3)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.language.shape import Shape
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports

__all__ = ["PromptPlace", "made_prompt"]

#: promptfoo drops the empty lines of what a file prints.
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
    """Where a prompt is made, and what its program gets."""

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


async def made_prompt(program: str, place: PromptPlace) -> str:
    """The template that `file://PATH[:FUNCTION]` makes: a text, or data as JSON. Raises Unscored where promptfoo has an error."""
    context = {"vars": dict(place.variables), "provider": dict(place.provider), "config": dict(place.config)}
    path = program.removeprefix(URL)
    arguments: dict[str, Any] = {"context": context}
    if path.endswith(".py"):  # no function is named: what the file prints
        code, arguments = _WHOLE_FILE, {"file": str(place.directory / path), **arguments}
    else:
        code = program
    try:
        made = await run_function(
            code, "python" if code is _WHOLE_FILE else language_of(code), arguments, place.ports, place.directory, place.time_limit,
            place.at,
        )  # fmt: skip
    except GraderError as error:
        raise Unscored(f"the prompt {path}: {error.reason}", at=place.at) from None
    if isinstance(made, dict) and "prompt" in made:
        if made.get("config"):
            raise Unscored(
                f"the prompt {path} sets `config` of the provider, which rubric does not pass on", at=place.at
            )
        made = made["prompt"]
    if not isinstance(made, str | list | dict):
        raise Unscored(f"the prompt {path}: its function must return a text, a list or a mapping", at=place.at)
    return made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
