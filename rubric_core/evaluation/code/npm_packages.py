"""Packages of npm to which promptfoo leaves some of its assertions, loaded by node from where promptfoo would load them."""

import shutil
from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.code.scripts import run_function
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.shape import Shape

__all__ = ["NPM_PACKAGES", "call_package"]

#: The package that decides an assertion, by the type of it.
NPM_PACKAGES: Mapping[str, str] = {"is-sql": "node-sql-parser", "contains-sql": "node-sql-parser"}

# Looked for from the folder of the configuration upward, then beside a promptfoo that is installed there, then beside its program.
_LOAD = """\
const {createRequire} = require('node:module'), {pathToFileURL} = require('node:url'), {realpathSync} = require('node:fs');
const places = [process.cwd() + '/configuration', ...programs.map(each => realpathSync(each))];
for (const place of [...places]) {
  try { places.push(createRequire(place).resolve('promptfoo')); } catch {}
}
let path;
for (const place of places) {
  try { path = createRequire(place).resolve(name); break; } catch {}
}
if (!path) return {missing: true};
const module = await import(pathToFileURL(path).href), loaded = module.default ?? module;
"""


async def call_package(
    name: str, code: str, arguments: Mapping[str, Any], context: EvaluationContext, at: Shape
) -> Mapping[str, Any]:
    """The object that JavaScript returns which has a package as `loaded`, and `arguments` by their names.

    Raises Unscored where the package is not installed, GraderError where the code fails.
    """
    if context.ports is None:
        raise Unscored("code runs only as part of a run", at=at)
    program = shutil.which("promptfoo", path=context.ports.environment.get("PATH"))
    told = {"name": name, "programs": [program] if program is not None else [], **arguments}
    found: Mapping[str, Any] = await run_function(
        f"{_LOAD}{code}", "javascript", told, context.ports, context.directory, context.time_limit, at
    )
    if found.get("missing"):
        raise Unscored(
            f"promptfoo decides this by the npm package {name}, which is not installed: npm install {name}", at=at
        )
    return found
