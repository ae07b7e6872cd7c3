"""`transform` and `transformVars` of promptfoo: code, or a file with a function, over an output or the variables of a test."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from rubric_core.evaluation.code.scripts import Conventions, language_of, run_function
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.families.promptfoo.language.javascript import without_require
from rubric_core.language.javascript_values import json_text
from rubric_core.language.shape import Shape
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports

__all__ = ["TransformPlace", "output_text", "transformed", "transformed_variables"]


class TransformPlace(NamedTuple):
    """The place of a transform, and its inputs besides the output."""

    ports: Ports
    directory: Path
    #: Seconds.
    time_limit: float
    variables: Mapping[str, Any]
    #: The prompt as code gets it: `raw`, the template, and `label`.
    prompt: Mapping[str, Any]
    #: What is to blame for a failure.
    at: Shape
    #: The provider's metadata besides the output; None if code gets none.
    metadata: Mapping[str, Any] | None = None


async def transformed(code: Any, output: Any, place: TransformPlace) -> Any:
    """The transformed output: text or data. Raises Unscored if the code fails or returns nothing, an error in promptfoo."""
    context = {"vars": dict(place.variables), "prompt": dict(place.prompt)}
    context |= {"metadata": dict(place.metadata)} if place.metadata is not None else {}
    return await _returned("transform", code, {"output": output, "context": context}, place)


async def transformed_variables(code: Any, place: TransformPlace) -> Mapping[str, Any]:
    """The variables of a test with those that its `transformVars` returns. Raises Unscored, where promptfoo stops the whole run."""
    context = {"prompt": {}, "uuid": f"{uuid4()}"}
    made = await _returned("transformVars", code, {"vars": dict(place.variables), "context": context}, place)
    if not isinstance(made, dict):
        raise Unscored("`transformVars` returned no mapping of variables", at=place.at)
    return {**place.variables, **made}


async def _returned(key: str, code: Any, arguments: Mapping[str, Any], place: TransformPlace) -> Any:
    if not isinstance(code, str):
        raise Unscored(f"`{key}` must be code, or a file with code", at=place.at)
    body = code if "\n" in code else f"return {code}"
    written = code if code.startswith(URL) else without_require(body)
    try:
        made = await run_function(
            written, language_of(code), arguments, place.ports, place.directory, place.time_limit, place.at,
            function="get_transform", conventions=Conventions(exact=True), says="" if code.startswith(URL) else code.strip(),
        )  # fmt: skip
    except GraderError as error:
        raise GraderError(f"`{key}`: {error.reason}", at=place.at) from None
    if made is None:
        raise Unscored(f"`{key}` returned nothing", at=place.at)
    return made


def output_text(output: Any) -> str:
    """An output as text: data as JSON."""
    return output if isinstance(output, str) else json_text(output)
