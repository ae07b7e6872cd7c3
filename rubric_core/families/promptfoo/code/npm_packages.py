"""Packages of npm to which promptfoo leaves some of its assertions, loaded by node from where promptfoo would load them."""

from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.code.scripts import run_function
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.shape import Shape

__all__ = ["NPM_PACKAGES", "call_package"]

#: The package that decides an assertion, by the type of it.
NPM_PACKAGES: Mapping[str, str] = {"is-sql": "node-sql-parser", "contains-sql": "node-sql-parser"}


async def call_package(
    name: str, code: str, arguments: Mapping[str, Any], context: EvaluationContext, at: Shape
) -> Mapping[str, Any]:
    """The object that JavaScript returns which has a package as `loaded`, and `arguments` by their names.

    Raises Unscored where the package is not installed, GraderError where the code fails.
    """
    if context.ports is None:
        raise Unscored("code runs only as part of a run", at=at)
    found: Mapping[str, Any] = await run_function(
        code, "javascript", arguments, context.ports, context.directory, context.time_limit, at, package=name
    )
    if found.get("missing"):
        raise Unscored(
            f"promptfoo decides this by the npm package {name}, which is not installed: npm install {name}", at=at
        )
    return found
