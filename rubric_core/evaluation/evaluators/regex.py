"""A regular expression matches somewhere in the answer; JavaScript's syntax and flags."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, text_of
from rubric_core.evaluation.jsregex import Translation, translate
from rubric_core.evaluation.result import Unscored
from rubric_core.javascript.nodes import InvalidPatternError, UnsupportedPatternError
from rubric_core.language.evaluators import Regex
from rubric_core.loading.search import current_directory
from rubric_core.ports import Program

__all__ = ["REGEX"]

#: Steps that a match may take in this process, by a rough bound; beyond, a process of its own can be stopped.
_CHEAP = 10_000_000
_TIME_LIMIT = 5.0
_CHILD = "import json,sys;p,e,d,s,t=json.load(sys.stdin);sys.path+=d;r=__import__(e).compile(p);print(int(bool(r.match(t) if s else r.search(t))))"


async def _grade(config: Regex, context: EvaluationContext) -> EvaluationScore:
    pattern, flags = text_of(config), config.flags or ""
    shown = f"/{pattern}/{flags}"
    try:
        translation = translate(pattern, flags)
    except InvalidPatternError as error:
        return EvaluationScore.crash(f"{shown} is no regular expression: {error}")
    except UnsupportedPatternError as error:
        raise Unscored(str(error)) from None
    holds = await _matches(translation, context)
    return EvaluationScore.check(holds, f"matches {shown}", f"does not match {shown}")


async def _matches(translation: Translation, context: EvaluationContext) -> bool:
    text = translation.text(context.candidate)
    steps = max(1, len(text)) ** (translation.unbounded + 1)
    if (translation.nested or steps > _CHEAP) and context.ports is not None:
        return await _matches_apart(translation, context, text)
    compiled = _engine(translation).compile(translation.pattern)
    return bool(compiled.match(text) if translation.sticky else compiled.search(text))


def _engine(translation: Translation) -> Any:
    """The module that runs a pattern. Raises Unscored."""
    try:
        return import_module(translation.engine)  # regex takes long to load, and few patterns need it
    except ImportError:
        raise Unscored("for lookbehind of changing length the package regex is needed: pip install regex") from None


async def _matches_apart(translation: Translation, context: EvaluationContext, text: str) -> bool:
    assert context.ports is not None  # the caller looked
    folder = [] if translation.engine == "re" else [str(Path(_engine(translation).__file__).parents[1])]
    stdin = json.dumps([translation.pattern, translation.engine, folder, translation.sticky, text]).encode()
    program = Program(
        (sys.executable, "-I", "-S", "-c", _CHILD), current_directory() or Path("/"), stdin, time_limit=_TIME_LIMIT
    )
    try:
        finished = await context.ports.processes.run(program)
    except OSError as error:
        raise Unscored(f"the pattern could not be run in a process of its own: {error}") from None
    if finished.stopped:
        raise Unscored(
            f"the pattern took longer than {_TIME_LIMIT:g} s on this answer; a repetition inside a repetition is the usual reason"
        )
    if finished.exit_code:
        raise Unscored("the pattern could not be run in a process of its own")
    return finished.stdout.strip() == b"1"


REGEX = TypedEvaluator("regex", Regex, _grade)
