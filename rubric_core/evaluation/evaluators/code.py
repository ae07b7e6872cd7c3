"""A program grades the answer: JSON on its standard input, a score on its standard output."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import Any, Literal

from rubric_core.disk import DiskFiles
from rubric_core.disk_directories import DiskDirectories
from rubric_core.evaluation.code.commands import (
    ProgramError,
    argv_of,
    command_words,
    ended_words,
    failure_words,
    json_input,
    not_found,
    run_program,
    shown_argv,
)
from rubric_core.evaluation.code.payload import LARGE, payload_of
from rubric_core.evaluation.code.scratch import Scratch, scratch_directory
from rubric_core.evaluation.evaluators.code_reply import score_of_reply
from rubric_core.evaluation.model.arguments import instance, positive
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.properties import ReplyStyle
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import working_directory
from rubric_core.ports import Directories, Files, Finished, Processes, Program
from rubric_core.program_lookup import process_environment

__all__ = ["CodeEvaluator"]

_OUTPUT_LIMIT = 4_000_000
_SHOWN = 500
_VERDICTS = {"pass": Verdict.PASSED, "borderline": Verdict.BORDERLINE, "fail": Verdict.FAILED}


class CodeEvaluator:
    """Runs a program that prints JSON: `score` (0..1), `hits`, `misses` and `reasoning`.

    One that fails, cannot be started, or prints no such JSON scores 0, with the error among the misses. Within a run, see
    `run_evaluators_for_case`, the dialect decides what else a program may print; one that cannot be started has no score there.

    Args:
        script: The program and its arguments: a list, a string for the shell, or the path of a program.
        cwd: Where it runs; the directory of the suite by default.
        agent_timeout_ms: Its time limit in milliseconds; a minute by default.
        payload: Its input, in place of the case and its answer.
        max_calls: How often it may call targets through a proxy; None when it may not.

    Raises ValueError without a script and for a time that is not above 0, TypeError for a script or a time of another kind.
    """

    kind: Literal["code"] = "code"

    def __init__(
        self,
        *,
        script: str | Path | Sequence[str | Path],
        cwd: str | Path | None = None,
        agent_timeout_ms: float | None = None,
        payload: Mapping[str, Any] | None = None,
        max_calls: int | None = None,
    ) -> None:
        if not script:
            raise ValueError("a code evaluator needs a script")
        if cwd is not None and not isinstance(cwd, str | Path):
            raise TypeError(f"cwd must be a path, found {cwd!r:.60}")
        self._script = _words_of(script)
        self._cwd = None if cwd is None else Path(cwd)
        self._timeout_ms = (
            None if agent_timeout_ms is None else positive("agent_timeout_ms", agent_timeout_ms, "milliseconds")
        )
        self._payload = payload
        self._max_calls = max_calls

    async def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        """The score that the program gives. Within a run, raises GraderError if it cannot be started: nothing was graded then."""
        instance("context", context, EvaluationContext, "an EvaluationContext")
        limit = context.time_limit if self._timeout_ms is None else self._timeout_ms / 1000
        cwd = self._directory(context)
        shown = command_words(self._script)
        request = {"script": shown, "cwd": str(self._cwd or ".")}
        try:
            async with self._proxy(context) as ways:
                finished = await self._run(context, cwd, limit, ways)
        except ProgramError as error:
            if not error.started:
                return _not_started(f"{shown}: {error}", request, context)
            return EvaluationScore.crash(f"{shown}: {error}", request)
        lacking = not_found(self._script, cwd, finished)
        if lacking:
            return _not_started(f"{shown}: {lacking}", request, context)
        if self._payload is None:
            return _read(finished, context, shown, request)
        return _decided(_replied(finished, shown, request, "hits"), finished)

    def _directory(self, context: EvaluationContext) -> Path:
        return working_directory(
            None if self._cwd is None else str(self._cwd), context.directory, _files(context)
        ).resolve()

    async def _run(self, context: EvaluationContext, cwd: Path, limit: float, ways: Mapping[str, str]) -> Finished:
        """Run the program to its end. Raises ProgramError."""
        with scratch_directory(_directories(context)) as scratch:
            told = self._program_input(context, scratch)
            stdin = json_input(told)
            shown = shown_argv(self._script)
            context.exchanges.add(Exchange(role="program", to=command_words(self._script), argv=shown, payload=told))
            where = {"AGENTV_WORKSPACE_PATH": str(context.workspace)} if context.workspace else {}
            argv = argv_of(self._script, _environment(context))
            program = Program(argv, cwd, stdin, {**where, **ways}, limit, _OUTPUT_LIMIT)
            return await run_program(program, _processes(context))

    def _proxy(self, context: EvaluationContext) -> AbstractAsyncContextManager[Mapping[str, str]]:
        """The proxy to targets, if the evaluator asks for it."""
        if self._max_calls is None:
            return nullcontext({})
        from rubric_core.evaluation.targets.target_proxy import target_proxy  # noqa: PLC0415  # most evaluators open no server

        return target_proxy(context, self._max_calls)

    def _program_input(self, context: EvaluationContext, scratch: Scratch) -> Mapping[str, Any]:
        return self._payload if self._payload is not None else _handed_over(context, scratch)


def _not_started(reason: str, request: Mapping[str, Any], context: EvaluationContext) -> EvaluationScore:
    """0 for a program that did not run. Within a run, raises GraderError."""
    if context.is_in_run:
        raise GraderError(reason, request=request, at=_place(context))
    return EvaluationScore.crash(reason, request)


def _place(context: EvaluationContext) -> Evaluator | None:
    """The evaluator in the suite, if it is written there."""
    config = context.evaluator
    return config if config is not None and config.node is not None else None


def _words_of(script: object) -> str | list[str]:
    if isinstance(script, str):
        return script
    if isinstance(script, Path):
        return [str(script)]
    if isinstance(script, Sequence) and all(isinstance(word, str | Path) for word in script):
        return [str(word) for word in script]
    raise TypeError(f"a script must be a string, a path or a list of them, found {script!r}")


def _processes(context: EvaluationContext) -> Processes:
    if context.ports is not None:
        return context.ports.processes
    from rubric_core.adapters import OsProcesses  # noqa: PLC0415  # only a caller without ports needs the system's

    return OsProcesses()


def _files(context: EvaluationContext) -> Files:
    return DiskFiles() if context.ports is None else context.ports.files


def _directories(context: EvaluationContext) -> Directories:
    return DiskDirectories() if context.ports is None else context.ports.directories


def _environment(context: EvaluationContext) -> Mapping[str, str]:
    return process_environment() if context.ports is None else context.ports.environment


def _handed_over(context: EvaluationContext, scratch: Scratch) -> dict[str, Any]:
    """The payload; a long answer is in a file if the dialect has a key for its path. That key is never null."""
    payload = payload_of(context)
    if not (context.dialect or DIALECTS[-1]).properties.output_files:
        return payload
    output = json.dumps(payload["output"], ensure_ascii=False)
    if len(output) <= LARGE:
        return payload
    path = scratch.write("output.json", output)
    return {**payload, "output": None, "output_path": str(path)}


def _read(finished: Finished, context: EvaluationContext, shown: str, request: Mapping[str, Any]) -> EvaluationScore:
    stdout = finished.stdout.decode("utf-8", "replace").strip()
    error = finished.stderr.decode("utf-8", "replace").strip()
    properties = (context.dialect or DIALECTS[-1]).properties
    looks_like_json = stdout.startswith(("{", "[") if finished.exit_code else "{")
    by_itself = finished.exit_code >= 0  # the exit code of a program that a signal ended means nothing
    decides = properties.exit_code_decides and context.is_in_run
    if decides and by_itself and not looks_like_json and not (finished.exit_code and error):
        return _by_exit_code(finished.exit_code, stdout, request)
    return _replied(finished, shown, request, properties.reply_style)


def _replied(finished: Finished, shown: str, request: Mapping[str, Any], style: ReplyStyle) -> EvaluationScore:
    """The score in the reply of a program, which must succeed."""
    if finished.exit_code:
        end, said = ended_words(finished.exit_code), failure_words(finished)
        return EvaluationScore.crash(f"{shown}: {end}{f': {said}' if said else ''}", request)
    return score_of_reply(finished.stdout.decode("utf-8", "replace").strip(), shown, request, style)


def _decided(score: EvaluationScore, finished: Finished) -> EvaluationScore:
    """The score of an aggregator, which may set the verdict, too."""
    try:
        reply = json.loads(finished.stdout)
    except (ValueError, RecursionError):
        return score
    said = _VERDICTS.get(str(reply.get("verdict"))) if isinstance(reply, dict) and not score.crashed else None
    return score if said is None else replace(score, verdict=said)


def _by_exit_code(code: int, text: str, request: Mapping[str, Any]) -> EvaluationScore:
    said = text[:_SHOWN] or f"exit code {code}"
    holds = code == 0
    return EvaluationScore(
        score=1.0 if holds else 0.0,
        hits=(said,) if holds else (),
        misses=() if holds else (said,),
        expected_aspect_count=1,
        evaluator_raw_request=request,
    )
