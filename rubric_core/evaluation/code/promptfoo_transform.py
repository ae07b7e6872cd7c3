"""`transform` of promptfoo: code over an output, or a file with a function, whose result takes the output's place."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.language.shape import Shape
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports

__all__ = ["TransformPlace", "output_text", "transformed"]


class TransformPlace(NamedTuple):
    """Where a transform runs, and what it sees beside the output."""

    ports: Ports
    directory: Path
    #: Seconds.
    time_limit: float
    variables: Mapping[str, Any]
    prompt: str
    #: What is to blame for a failure.
    at: Shape


async def transformed(code: Any, output: Any, place: TransformPlace) -> Any:
    """What code makes of an output: text or data. Raises Unscored when it fails or gives nothing, which promptfoo calls an error."""
    if not isinstance(code, str):
        raise Unscored("`transform` must be code, or a file with code", at=place.at)
    body = code if "\n" in code else f"return {code}"
    written = code if code.startswith(URL) else f"(() => {{\n{body}\n}})()"
    context = {"vars": dict(place.variables), "prompt": {"raw": place.prompt, "label": place.prompt}}
    arguments = {"output": output, "context": context}
    try:
        made = await run_function(
            written, language_of(code), arguments, place.ports, place.directory, place.time_limit, place.at,
            function="get_transform",
        )  # fmt: skip
    except GraderError as error:
        raise GraderError(f"`transform`: {error.reason}", at=place.at) from None
    if made is None:
        raise Unscored("`transform` returned nothing", at=place.at)
    return made


def output_text(output: Any) -> str:
    """An output as text: data as JSON."""
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, separators=(",", ":"))
